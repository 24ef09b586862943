"""English words for a simulated web that people look at: its topics are sailing, volcanoes, bread and so on.

The lists (wordlists.py) have 16 lines a topic. A topic of the second level and below is a run of lines, named after the
first; so there are at most 16 topics of the lowest level below each of the first.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, cycle, islice

import numpy as np

from clew.errors import InputError
from clew.web.simulated import wordlists
from clew.web.simulated.hashing import Numbers, Words, draw, key
from clew.web.simulated.lexicon import FUNCTION_WORDS, NODE_WORDS, Lexicon, sentence_ends, zipf
from clew.web.simulated.parameters import SimParameters

LINES = 16
"""Lines of words that a topic of the first level has."""

_U16 = np.uint64(0xFFFF)
_LEAST = 3  # words that a sentence has, at least, before its last
_FUNCTION = frozenset(FUNCTION_WORDS)
_NEUTRAL = {name: place for place, name in enumerate(wordlists.NEUTRAL)}
_TURN = re.compile(r"(.+)-([2-9]|[1-9]\d{1,11})")


class English(Lexicon):
    """Words of up to 20 topics, in an order that the seed decides. Hosts have names: ``sailing-harbour``."""

    links_end_sentences = True

    def __init__(self, seed: int, parameters: SimParameters) -> None:
        self._branching, self._depth = parameters.branching, parameters.depth
        if self._branching ** (self._depth - 1) > LINES:
            raise InputError(
                f"simulated web: english words tell at most {LINES} topics apart below each of the first level, not "
                f"{self._branching}^{self._depth - 1}: lower branching or depth, or leave out language=english"
            )
        base = key(seed, "english topics")
        self._topics = sorted(wordlists.TOPICS, key=lambda name: draw(base, *name.encode()))[: self._branching]
        self.common = [*FUNCTION_WORDS, *wordlists.GENERAL]
        self.title_words = _cycled(wordlists.TITLES, 4 * NODE_WORDS)
        self._function, self._general = zipf(len(FUNCTION_WORDS), 1.0, 2.7), zipf(len(wordlists.GENERAL), 0.6, 10.0)
        self._names = lru_cache(maxsize=4_096)(self._node_name)
        self._sites_of = lru_cache(maxsize=4_096)(self._sites)
        leaves = range(parameters.leaves)
        self._places = {name: (leaf, place) for leaf in leaves for place, name in enumerate(self._sites_of(leaf))}

    # texts

    def common_ranks(self, bits: Words) -> Numbers:
        """Function words and others take turns, so that a text reads like one."""
        ranks = bits & _U16
        function = np.arange(len(bits)) % 2 == 0
        mixed: Numbers = np.where(function, self._function[ranks], len(FUNCTION_WORDS) + self._general[ranks])
        return mixed

    def punctuate(self, words: list[str], bits: Words) -> dict[int, str]:
        """Sentences start with a capital and end with no function word."""
        marks, start = {}, 0
        ends = sentence_ends(bits) | {len(words) - 1: "."}
        content = [place for place, word in enumerate(words) if word not in _FUNCTION]
        for end, mark in sorted(ends.items()):
            after = bisect_left(content, end)
            last = content[after] if after < len(content) else len(words) - 1
            if last >= start + _LEAST:
                words[start] = words[start].capitalize()
                marks[last], start = mark, last + 1
        if start < len(words):  # what is left belongs to the last sentence
            marks.pop(start - 1, None)
            marks[len(words) - 1] = "."
        return marks

    def title(self, words: Sequence[str], leaf: int) -> str:
        """``Sailing: rigging, history and keel``"""
        topic = self._node_name(1, leaf // self._branching ** (self._depth - 1)) if leaf >= 0 else ""
        rest = self.anchor([word for word in words if word != topic])
        if not topic or not rest:
            return (topic or rest).capitalize()
        return f"{topic.capitalize()}: {rest}"

    def anchor(self, words: Sequence[str]) -> str:
        *others, last = dict.fromkeys(words) or [""]
        return f"{', '.join(others)} and {last}" if others else last

    # topics

    def node_words(self, level: int, index: int) -> list[str]:
        """All words of the topic's lines, one of each line in turn, over and over."""
        name = self._names(level, index)
        in_turn = chain.from_iterable(zip(*self._lines(level, index), strict=True))
        return _cycled([name, *(word for word in in_turn if word != name)], NODE_WORDS)

    def _lines(self, level: int, index: int) -> list[list[str]]:
        below = self._branching ** (level - 1)
        topic, run = divmod(index, below)
        lines = wordlists.TOPICS[self._topics[topic]].strip().splitlines()
        return [line.split() for line in lines[LINES * run // below : LINES * (run + 1) // below]]

    def _node_name(self, level: int, index: int) -> str:
        """A topic's name; the first word of its lines by which no topic above is named."""
        if level == 1:
            return self._topics[index]
        above = {self._node_name(higher, index // self._branching ** (level - higher)) for higher in range(1, level)}
        return next(word for word in self._lines(level, index)[0] if word not in above)

    def layer_words(self, layer: int) -> list[str]:
        return _cycled(wordlists.LAYERS[layer], NODE_WORDS)

    # hosts

    def _sites(self, leaf: int) -> list[str]:
        """Names of hosts about a topic: its own ones first, then those that any topic has."""
        topic = self._topics[leaf // self._branching ** (self._depth - 1)]
        stem = topic if self._depth == 1 else f"{topic}-{self._names(self._depth, leaf)}"
        return [f"{stem}-{name}" for name in (*wordlists.HOSTS[topic].split(), *wordlists.SITES)]

    def host_label(self, host: int, leaf: int, block: int, telling: bool) -> str:
        names, number = (self._sites_of(leaf), block) if telling else (wordlists.NEUTRAL, host)
        turn, place = divmod(number, len(names))
        return f"{names[place]}-{turn + 1}" if turn else names[place]

    def host_numbered(self, label: str) -> int | None:
        name, turn = _parted(label)
        return turn * len(_NEUTRAL) + _NEUTRAL[name] if name in _NEUTRAL else None

    def host_about(self, label: str) -> tuple[int, int] | None:
        name, turn = _parted(label)
        if name not in self._places:
            return None
        leaf, place = self._places[name]
        return leaf, turn * len(self._sites_of(leaf)) + place


def _parted(label: str) -> tuple[str, int]:
    """A name and how often all names were used up before it: ``bread-mill-3`` is the third of its name."""
    match = _TURN.fullmatch(label)
    return (match[1], int(match[2]) - 1) if match else (label, 0)


def _cycled(words: Sequence[str], count: int) -> list[str]:
    return list(islice(cycle(words), count))
