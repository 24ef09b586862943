"""Words as they stand in a text, and the terms they are: looked up by the thousand, not one by one.

A dictionary needs an object for every word of every page, hashes and compares it, and finds it where the memory is
coldest. Here words stay where they lie in the page's bytes; their keys are made and found by whole columns at once,
in a third of the time and a third of the memory.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from clew.model import Keys, TermIds

FORMS = 1 << 17
"""Words that a table remembers (6 MB); then it starts afresh."""

LONGEST = 64
"""Words of more bytes are examined each time they come up: few are words."""

_LEAST_BITS = 12
_ROOM = 4
"""Slots for every word that is remembered: most are found at once."""

_BLOCK = 8
_MIX = np.uint64(secrets.randbits(64) | 1)
"""Another one in each process: nobody can write words that all fall upon the same slots. Terms do not depend on it."""

_FOLD = np.uint64(29)
_MASKS = np.array([(1 << (8 * size)) - 1 for size in range(_BLOCK + 1)], np.uint64)

Places = npt.NDArray[np.intp]


def words_in(data: npt.NDArray[np.uint8]) -> tuple[Places, Places]:
    """Starts and lengths of the words in uint8[n]: whatever stands between bytes up to 0x20. The last must be one."""
    inside = data > 0x20
    edges = (inside[1:] != inside[:-1]).nonzero()[0] + 1
    if len(inside) and inside[0]:
        edges = np.concatenate([np.zeros(1, np.intp), edges])
    starts = edges[0::2]
    return starts, edges[1::2] - starts


class FormTable:
    """Words in UTF-8 -> term ids, by open addressing. ``term_of`` is asked about a word that is met for the first time.

    A word of up to eight bytes is its own key; that of a longer one mixes all its bytes, so that two words of the same
    key are not to be expected in any corpus. ``term_of`` may answer None: that word is several, and is never kept.
    """

    def __init__(self, term_of: Callable[[bytes], int | None]) -> None:
        self.term_of = term_of
        self._start(_LEAST_BITS)

    def ids(self, raw: bytes, starts: Places, lengths: Places) -> TermIds | None:
        """The ids of words that lie in ``raw``, uint32[n]; None if one of them is several terms.

        ``raw`` must hold at least eight bytes behind the last word.
        """
        keys = _keys_of(raw, starts, lengths)
        ids, missing = self._find(keys)
        if not len(missing):
            return ids
        found = self._examine(raw, starts[missing], lengths[missing], keys[missing])
        if found is None:
            return None
        ids[missing] = found
        return ids

    def _find(self, keys: Keys) -> tuple[TermIds, Places]:
        """The ids of keys, and the places of those that are not there, in order."""
        slots = self._slots_of(keys)
        there, ids = self._keys.take(slots), self._ids.take(slots)
        left = (there != keys).nonzero()[0]
        there, missing = there.take(left), []
        while len(left):
            gone = there == 0
            if gone.any():
                missing.append(left[gone])
                left = left[~gone]
            slots[left] = beyond = (slots[left] + 1) & self._last
            there = self._keys.take(beyond)
            right = there == keys.take(left)
            ids[left[right]] = self._ids[beyond[right]]
            left, there = left[~right], there[~right]
        return ids, np.sort(np.concatenate(missing)) if missing else left

    def _examine(self, raw: bytes, starts: Places, lengths: Places, keys: Keys) -> TermIds | None:
        """The ids of words that are not known; they are from now on. None if one is several terms."""
        keys, first, places = np.unique(keys, return_index=True, return_inverse=True)
        starts, lengths = starts[first], lengths[first]
        ids, several = np.zeros(len(keys), np.uint32), np.zeros(len(keys), np.bool_)
        for place in np.argsort(first).tolist():  # as they stand: terms are named after the first word that is met
            term = self.term_of(raw[starts[place] : starts[place] + lengths[place]])
            several[place], ids[place] = term is None, term or 0
        lasting = ~several & (lengths <= LONGEST)
        self._keep(keys[lasting], ids[lasting])
        return None if several.any() else ids[places]

    def _keep(self, keys: Keys, ids: TermIds) -> None:
        """Remember words by distinct keys that are not there yet."""
        if self.count + len(keys) > FORMS:
            self._start(_LEAST_BITS)
        bits = max(int(_ROOM * (self.count + len(keys)) - 1).bit_length(), _LEAST_BITS)
        if 1 << bits > len(self._keys):
            used = self._keys != 0
            old = self._keys[used], self._ids[used]
            self._start(bits)
            self._enter(*old)
        self._enter(keys, ids)

    def _enter(self, keys: Keys, ids: TermIds) -> None:
        self.count += len(keys)
        slots = self._slots_of(keys)
        while len(keys):
            free = self._keys[slots] == 0
            self._keys[slots[free]] = keys[free]  # of several at one slot the last stays
            mine = self._keys[slots] == keys
            self._ids[slots[mine]] = ids[mine]
            slots, keys, ids = (slots[~mine] + 1) & self._last, keys[~mine], ids[~mine]

    def _slots_of(self, keys: Keys) -> Places:
        return ((keys * _MIX) >> self._shift).astype(np.intp)

    def _start(self, bits: int) -> None:
        self.count = 0
        self._shift, self._last = np.uint64(64 - bits), (1 << bits) - 1
        self._keys, self._ids = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.uint32)


def _keys_of(raw: bytes, starts: Places, lengths: Places) -> Keys:
    """uint64[n]: up to eight bytes are the key themselves; further blocks of eight are mixed in. Never 0.

    A word longer than LONGEST gets a key of its place, which no other has: no UTF-8 holds a byte 0xFF.
    """
    blocks = np.ndarray((len(raw) - _BLOCK + 1,), "<u8", raw, 0, (1,))  # eight bytes from every byte on
    keys = (blocks[starts] & _MASKS[np.minimum(lengths, _BLOCK)]).astype(np.uint64, copy=False)
    longer, done = (lengths > _BLOCK).nonzero()[0], _BLOCK
    while len(longer) and done < LONGEST:
        mixed = keys[longer]
        mixed ^= mixed >> _FOLD
        mixed *= _MIX
        mixed += blocks[starts[longer] + done] & _MASKS[np.minimum(lengths[longer] - done, _BLOCK)]
        keys[longer] = np.maximum(mixed, 1)
        done += _BLOCK
        longer = longer[lengths[longer] > done]
    keys[longer] = ~starts[longer].astype(np.uint64)
    return keys
