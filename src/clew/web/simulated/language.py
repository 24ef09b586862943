"""What the pages of a simulated web say: words of topics and common words, mixed as in real text.

Common words follow a Zipf-Mandelbrot law. Every node of the topic tree has words of its own, also by a Zipf law; a
page uses those of its topic and of all nodes above, so related topics share words. Which words these are is up to a
lexicon: made up (madeup.py) or English (english.py).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from clew.errors import InputError
from clew.web.simulated.english import English
from clew.web.simulated.hashing import Flags, Numbers, Reals, Words
from clew.web.simulated.lexicon import NODE_WORDS, Lexicon, zipf
from clew.web.simulated.madeup import MadeUp
from clew.web.simulated.parameters import SimParameters

TITLE_WORDS = 4

_U16 = np.uint64(0xFFFF)
_LEAF_SHARE = 0.55  # of the topic words in a text; the rest is spread evenly over the nodes above
_ASIDE_SHARE = 0.12  # of the topic words: they belong to another topic nearby

_LEXICONS: dict[str, type[Lexicon]] = {"made-up": MadeUp, "english": English}


class Language:
    """All words of one web. Topics are numbered by level (1: below the root) and from left to right."""

    def __init__(self, seed: int, parameters: SimParameters) -> None:
        self._branching, self._depth = parameters.branching, parameters.depth
        self.lexicon = _LEXICONS[parameters.language](seed, parameters)
        self._common = self.lexicon.common
        self._node_ranks = zipf(NODE_WORDS, 0.9, 2.0)
        self.node_words = lru_cache(maxsize=4_096)(self.lexicon.node_words)
        self.vocabulary = lru_cache(maxsize=256)(self._vocabulary)
        self.layer_words = lru_cache(maxsize=64)(self.lexicon.layer_words)
        self._layer_texts = lru_cache(maxsize=64)(self._layer_vocabulary)
        self._title_words = lru_cache(maxsize=4_096)(self._title_vocabulary)
        self._edges = self._level_edges()

    # topics

    def ancestors(self, leaf: int) -> list[tuple[int, int]]:
        """(level, index) of a topic and the nodes above it, from the top level down."""
        levels = range(1, self._depth + 1)
        return [(level, leaf // self._branching ** (self._depth - level)) for level in levels]

    def path(self, level: int, index: int) -> tuple[str, ...]:
        """The names on the way from the root to a node; a node is named after its most frequent word."""
        nodes = [(above, index // self._branching ** (level - above)) for above in range(1, level + 1)]
        return tuple(self.node_words(*node)[0] for node in nodes)

    def node(self, topic: str) -> tuple[int, int]:
        """(level, index) of a topic written as a path of names, such as ``velok/mitan``. Raises InputError."""
        index = 0
        names = topic.split("/")
        for level, name in enumerate(names, 1):
            children = range(index * self._branching, (index + 1) * self._branching) if level <= self._depth else ()
            known = {self.node_words(level, child)[0]: child for child in children}
            if name not in known:
                place = "/".join(names[: level - 1]) or "the root"
                choice = ", ".join(known) or "none"
                raise InputError(f"simulated web: no topic {topic!r}; the topics below {place} are: {choice}")
            index = known[name]
        return len(names), index

    def _layer_vocabulary(self, layer: int) -> list[str]:
        return self._common + self.layer_words(layer)

    # texts

    def _level_edges(self) -> Reals:
        """Upper edges in [0, 1) of the levels for a topic word: top level ... leaf, aside."""
        above = (1 - _LEAF_SHARE - _ASIDE_SHARE) / (self._depth - 1) if self._depth > 1 else 0.0
        leaf = _LEAF_SHARE if self._depth > 1 else 1 - _ASIDE_SHARE
        shares: Reals = np.array([above] * (self._depth - 1) + [leaf])
        return np.cumsum(shares)

    def _vocabulary(self, leaf: int, aside: int) -> list[str]:
        """All words that a page may use: common ones, those of its topic from the top down, those of another."""
        nodes = [*self.ancestors(leaf), (self._depth, aside)]
        return self._common + [word for node in nodes for word in self.node_words(*node)]

    def text(self, leaf: int, aside: int, bits: Words, topical: float) -> list[str]:
        """One word for each of ``bits``; a share ``topical`` comes from the topic, a little of that from ``aside``."""
        common = self.lexicon.common_ranks(bits)
        on_topic = (bits >> np.uint64(16)) & _U16 < round(topical * 65_536)
        ranks = np.where(on_topic, self._topic_words(bits), common)
        words = self.vocabulary(leaf, aside)
        return [words[rank] for rank in ranks.tolist()]

    def layer_text(self, layer: int, bits: Words, typical: float) -> list[str]:
        """One word for each of ``bits``; a share ``typical`` comes from the layer's vocabulary."""
        own = (bits >> np.uint64(16)) & _U16 < round(typical * 65_536)
        ranks = np.where(
            own, len(self._common) + self._node_ranks[bits >> np.uint64(48)], self.lexicon.common_ranks(bits)
        )
        words = self._layer_texts(layer)
        return [words[rank] for rank in ranks.tolist()]

    def layer_phrases(self, layers: Numbers, bits: Words) -> list[list[str]]:
        """A few words of each layer, as in titles: one for each of ``bits`` uint64[n, w]."""
        rows = zip(layers.tolist(), self._node_ranks[bits >> np.uint64(48)].tolist(), strict=True)
        return [[self.layer_words(layer)[rank] for rank in row] for layer, row in rows]

    def _topic_words(self, bits: Words) -> Numbers:
        share = ((bits >> np.uint64(32)) & _U16).astype(np.float64) / 65_536
        level = np.searchsorted(self._edges, share, side="right")
        ranks: Numbers = len(self._common) + level * NODE_WORDS + self._node_ranks[bits >> np.uint64(48)]
        return ranks

    def phrases(self, leaves: Numbers, bits: Words) -> list[list[str]]:
        """A few words about each topic, as in titles: one for each of ``bits`` uint64[n, w].

        Five of eight are the topic's own, two belong to the node above, one is a common word.
        """
        kind, rank = bits & np.uint64(7), self._node_ranks[bits >> np.uint64(48)]
        common = 2 * NODE_WORDS + 4 * rank + ((bits >> np.uint64(8)) & np.uint64(3)).astype(np.int64)
        numbers = np.where(kind == 7, common, rank + NODE_WORDS * (kind >= 5))
        rows = zip(leaves.tolist(), numbers.tolist(), strict=True)
        return [
            [words[number] for number in row] for words, row in ((self._title_words(leaf), row) for leaf, row in rows)
        ]

    def _title_vocabulary(self, leaf: int) -> list[str]:
        """Words of titles: the topic's, those of the node above (or again the topic's), common ones."""
        own = self.node_words(self._depth, leaf)
        above = self.node_words(self._depth - 1, leaf // self._branching) if self._depth > 1 else own
        return own + above + self.lexicon.title_words

    def topic_word(self, leaf: int, rank: int) -> str:
        """The word of a rank among a lowest-level topic's own."""
        return self.node_words(self._depth, leaf)[rank]


def flags(bits: Words, share: float) -> Flags:
    """bool, elementwise: True with probability ``share``."""
    result: Flags = (bits >> np.uint64(40)).astype(np.int64) < round(share * 2**24)
    return result
