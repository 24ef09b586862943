"""A hash table from 64-bit keys to slots, in numpy: 4 bytes a bucket, many keys looked up at once.

Open addressing with double hashing. The table holds slot numbers only; the keys themselves lie in the frontier's
key column, which is passed in. A round of probing handles all keys still unresolved, so a lookup of the 60 links of
a page takes a handful of numpy calls whatever the table's size.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.model import Keys

Slots = npt.NDArray[np.int64]

MIX = np.uint64(0x9E3779B97F4A7C15)
"""Odd, near 2^64 / golden ratio: spreads keys that are not random (Knuth's multiplicative hashing)."""

FULL = 0.75
"""The table doubles beyond this load."""

REHASH = 1 << 20
"""Slots moved at a time when the table doubles: bounds the memory it takes meanwhile."""


class KeyTable:
    """Finds and places slots by key. At most 2^31 slots; there is no removal."""

    def __init__(self) -> None:
        self._bits = 10
        self._buckets = np.full(1 << self._bits, -1, np.int32)
        self._used = 0

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return self._buckets.nbytes

    def find(self, keys: Keys, column: Keys) -> Slots:
        """int64[n]: the slot of each key, -1 where it is unknown. ``column`` holds the key of every slot."""
        at, step = self._start(keys)
        slots = self._buckets[at].astype(np.int64)
        open_ = np.flatnonzero((slots >= 0) & (column[slots] != keys))
        while len(open_):
            at[open_] = (at[open_] + step[open_]) & (len(self._buckets) - 1)
            found = self._buckets[at[open_]]
            slots[open_] = found
            open_ = open_[(found >= 0) & (column[found] != keys[open_])]
        return slots

    def place(self, keys: Keys, slots: Slots, column: Keys) -> None:
        """Enter distinct unknown keys with their slots; grows first when needed."""
        while self._used + len(keys) > FULL * len(self._buckets):
            self._double(column)
        self._settle(keys, slots)
        self._used += len(keys)

    def _start(self, keys: Keys) -> tuple[Slots, Slots]:
        """First bucket and (odd) step of each key."""
        mixed = keys * MIX
        first = (mixed >> np.uint64(64 - self._bits)).astype(np.int64)
        return first, (mixed & np.uint64(0x7FFFFFFF)).astype(np.int64) | 1

    def _settle(self, keys: Keys, slots: Slots) -> None:
        at, step = self._start(keys)
        mask = len(self._buckets) - 1
        while len(slots):
            taken = self._buckets[at] >= 0
            while taken.any():
                at[taken] = (at[taken] + step[taken]) & mask
                taken = self._buckets[at] >= 0
            self._buckets[at] = slots
            lost = self._buckets[at] != slots  # two new keys wanted one bucket: the last to write has it
            at, step, slots = at[lost], step[lost], slots[lost]

    def _double(self, column: Keys) -> None:
        old = self._buckets
        self._bits += 1
        self._buckets = np.full(1 << self._bits, -1, np.int32)
        for start in range(0, len(old), REHASH):
            part = old[start : start + REHASH]
            slots = part[part >= 0].astype(np.int64)
            self._settle(column[slots], slots)
