"""Where the tags of a page may begin, and by what letters: one quick look before it is parsed.

No notice is taken of comments, scripts and quoted values: there may be fewer tags than this says, but no others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt

from clew.model import Bools

Places = npt.NDArray[np.intp]
Codes = npt.NDArray[np.uint32]

LETTERS = 4
"""Letters that tell names apart."""

_LOWER = np.zeros(256, np.uint8)
_LOWER[ord("a") : ord("z") + 1] = _LOWER[ord("A") : ord("Z") + 1] = np.arange(ord("a"), ord("z") + 1)
_ONES, _HIGHS, _ALL = np.uint32(0x01010101), np.uint32(0x80808080), np.uint32(0xFFFFFFFF)
_SLOT_BITS = 12
_MIX, _SHIFT = np.uint32(0x9E3779B1), np.uint32(32 - _SLOT_BITS)


def code(name: str) -> int:
    """The first LETTERS letters of a lower-case name, as a number."""
    return int.from_bytes(name[:LETTERS].encode(), "little")


def codes(names: Iterable[str]) -> Codes:
    """The codes of names, sorted: uint32[n]."""
    return np.unique(np.array([code(name) for name in names], np.uint32))


def among(found: Codes, sorted_codes: Codes) -> Bools:
    """bool[n]: which codes are among some."""
    inside: Bools = sorted_codes[np.searchsorted(sorted_codes[:-1], found)] == found  # larger ones meet the last
    return inside


class TagNames:
    """All places of a page where < stands: what follows it.

    ``raw``: the page as UTF-8 · ``at`` intp[n]: where < stands in it · ``ends`` bool[n]: a slash follows · ``names``
    uint32[n]: the code of the name that follows (up to the first that is no letter), 0 for none.
    """

    def __init__(self, text: str) -> None:
        self.raw = text.encode("utf-8", "replace")
        padded = np.frombuffer(self.raw + bytes(2 + LETTERS), np.uint8)
        self.bytes = padded[: len(self.raw)]
        self.at: Places = (self.bytes == ord("<")).nonzero()[0]
        self.ends: Bools = padded[self.at + 1] == ord("/")
        fours = np.ndarray((len(self.raw) + 3,), "<u4", padded.data, 0, (1,))
        self.names = _first_letters(fours[self.at + 1 + self.ends])
        self._seen = np.zeros(1 << _SLOT_BITS, np.bool_)  # by hash: a set of Python's takes ten times as long to fill
        self._seen[_slots(self.names)] = True

    def __len__(self) -> int:
        return len(self.at)

    def may_have(self, name: str) -> bool:
        """Whether there may be a tag of this name; False is certain."""
        return bool(self._seen[_slot(name)])

    def starts(self, sorted_codes: Codes) -> int:
        """How many start tags there may be of names with these codes."""
        return int(np.count_nonzero(among(self.names, sorted_codes) & ~self.ends))

    def longest(self) -> int:
        """Bytes from a < to the next >, or to the end of the page, at most."""
        closing = np.append((self.bytes == ord(">")).nonzero()[0], len(self.raw))
        return int((closing[np.searchsorted(closing[:-1], self.at)] - self.at).max(initial=0))


def _first_letters(fours: Codes) -> Codes:
    """Four bytes each, little-endian, in lower case and up to the first that is no letter."""
    lower: Codes = _LOWER[fours.view(np.uint8)].view("<u4")
    gaps: Codes = (lower - _ONES) & ~lower & _HIGHS  # the lowest bit set marks the first byte that is 0
    first = gaps & (~gaps + np.uint32(1))
    kept: Codes = lower & np.where(gaps, (first >> np.uint32(7)) - np.uint32(1), _ALL)
    return kept


@cache
def _slot(name: str) -> int:
    return int(_slots(np.array([code(name)], np.uint32))[0])


def _slots(found: Codes) -> Codes:
    slots: Codes = (found * _MIX) >> _SHIFT
    return slots
