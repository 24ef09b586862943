"""Made-up words: pronounceable, and as many as any web needs.

A word is the digits of a scrambled number in syllables, hence all are different; they end in letters on which no
English suffix ends, hence stems do not merge.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from clew.web.simulated.hashing import Numbers, Words, draw, key
from clew.web.simulated.lexicon import FUNCTION_WORDS, NODE_WORDS, Lexicon, zipf
from clew.web.simulated.parameters import SimParameters

COMMON = 4_000
"""Common words, function words included."""

_CONSONANTS, _VOWELS, _FINALS = "bdfghjklmnprstvz", "aeiou", "kmpnx"
_SYLLABLES = [c + v for c in _CONSONANTS for v in _VOWELS]
_SHORT = int(len(_SYLLABLES) ** 2 * len(_FINALS))
_LONG = int(len(_SYLLABLES) ** 4 * len(_FINALS))
_U16 = np.uint64(0xFFFF)


class MadeUp(Lexicon):
    """Words for any number of topics. Hosts are numbered: ``h17``."""

    def __init__(self, seed: int, parameters: SimParameters) -> None:
        self._branching, self._depth = parameters.branching, parameters.depth
        self._key = key(seed, "words")
        self._ranks = zipf(COMMON, 1.0, 2.7)
        self._multipliers = {size: self._multiplier(size) for size in (_SHORT, _LONG)}
        made_up = (self.word(number) for number in range(COMMON - len(FUNCTION_WORDS)))
        self.common = [*FUNCTION_WORDS, *made_up]
        self.title_words = self.common[len(FUNCTION_WORDS) : len(FUNCTION_WORDS) + 4 * NODE_WORDS]

    def _multiplier(self, size: int) -> int:
        start = size // 2 + draw(self._key, size) % (size // 3)
        return next(m for m in range(start, size) if gcd(m, size) == 1)

    def word(self, number: int) -> str:
        """The made-up word of a number; different numbers have different words."""
        size = _SHORT if number < _SHORT else _LONG
        code = (number * self._multipliers[size] + draw(self._key, size, 1)) % size
        code, last = divmod(code, len(_FINALS))
        syllables = []
        for _ in range(2 if size == _SHORT else 4):
            code, syllable = divmod(code, len(_SYLLABLES))
            syllables.append(_SYLLABLES[syllable])
        return "".join(syllables) + _FINALS[last]

    def common_ranks(self, bits: Words) -> Numbers:
        ranks: Numbers = self._ranks[bits & _U16]
        return ranks

    def _node(self, level: int, index: int) -> int:
        """The number of a node among all nodes, level by level."""
        above = sum(int(self._branching**higher) for higher in range(1, level))
        return above + index

    def node_words(self, level: int, index: int) -> list[str]:
        return self._words(self._node(level, index))

    def layer_words(self, layer: int) -> list[str]:
        return self._words(self._node(self._depth + 1, 0) + layer)

    def _words(self, group: int) -> list[str]:
        first = COMMON + group * NODE_WORDS
        return [self.word(number) for number in range(first, first + NODE_WORDS)]
