"""What a lexicon is: the words of a simulated web, and how titles, texts and hosts are written with them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from clew.web.simulated.hashing import Numbers, Words
from clew.web.simulated.parameters import SimParameters

_FUNCTION_WORDS = """
the of and to in a is that it for was on are as with be by at this from or had not but what all were when we there can
an your which their if will each about how up out them then she many some so these would other into has more her two
him could no than been who its now did may only after most also between such both where through before over under
again here very just any our they have his you do he my i me us
"""
FUNCTION_WORDS = tuple(_FUNCTION_WORDS.split())
"""The most frequent words of every lexicon, so that stop lists and language guessers have their usual work."""
NODE_WORDS = 100
"""Words that belong to one node of the topic tree."""
_SENTENCE, _PARAGRAPH = 13, 90  # mean number of words
_STOP, _BREAK = ".", ".</p>\n<p>"
_NUMBERED = re.compile(r"h(0|[1-9]\d{0,11})")


def zipf(count: int, exponent: float, shift: float) -> Numbers:
    """A table of 65,536 ranks: taking a random entry draws from the Zipf-Mandelbrot law."""
    weights = 1.0 / (np.arange(count) + shift) ** exponent
    edges = np.rint(np.cumsum(weights) / weights.sum() * 65_536).astype(np.int64)
    return np.repeat(np.arange(count), np.diff(edges, prepend=0))


class Lexicon(ABC):
    """The words of one web. ``common`` are those of any text, ``title_words`` (4 NODE_WORDS) those of any title.

    Raises InputError when it cannot name as many topics as ``parameters`` ask for.
    """

    common: list[str]
    title_words: list[str]
    links_end_sentences = False
    """Whether a link behind the last word of a sentence stands before the full stop."""

    @abstractmethod
    def __init__(self, seed: int, parameters: SimParameters) -> None: ...

    @abstractmethod
    def common_ranks(self, bits: Words) -> Numbers:
        """The place in ``common`` of the word at each place of a text: int64[n] for uint64[n]."""

    @abstractmethod
    def node_words(self, level: int, index: int) -> list[str]:
        """NODE_WORDS words of a node of the topic tree, its name first, frequent ones first."""

    @abstractmethod
    def layer_words(self, layer: int) -> list[str]:
        """NODE_WORDS words of a layer of sites, none of any topic."""

    def host_label(self, host: int, leaf: int, block: int, telling: bool) -> str:
        """The name of host ``host``, without the domain: the host of topic ``leaf`` in a block of hosts. If it is
        ``telling`` it may tell the topic. Different hosts have different names."""
        return f"h{host}"

    def host_numbered(self, label: str) -> int | None:
        """The number of the host that a label names, if the label holds it."""
        match = _NUMBERED.fullmatch(label)
        return int(match[1]) if match else None

    def host_about(self, label: str) -> tuple[int, int] | None:
        """(topic, block) of the host that a label names, if the label tells them."""
        return None

    def title(self, words: Sequence[str], leaf: int) -> str:
        """The title of a page about a topic (-1: about none), made of ``words``."""
        return " ".join(words).capitalize()

    def anchor(self, words: Sequence[str]) -> str:
        """The text of a link, made of the first words of a title."""
        return " ".join(words)

    def punctuate(self, words: list[str], bits: Words) -> dict[int, str]:
        """What ends sentences and paragraphs, by the place of the word it follows. May change words in place."""
        return sentence_ends(bits)


def sentence_ends(bits: Words) -> dict[int, str]:
    """The places of words that end sentences, drawn at random, with a full stop or the end of a paragraph each."""
    ends = np.flatnonzero(bits % np.uint64(_SENTENCE) == 0)
    breaks = bits[ends] // np.uint64(_SENTENCE) % np.uint64(_PARAGRAPH // _SENTENCE) == 0
    return {end: _BREAK if closes else _STOP for end, closes in zip(ends.tolist(), breaks.tolist(), strict=True)}
