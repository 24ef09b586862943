"""A hash table from 64-bit keys to slots, in numpy: 4 bytes a bucket, many keys looked up at once.

Open addressing with double hashing. The table holds slot numbers only; the keys themselves lie in the frontier's
key column, which is passed in. Keys are probed together, round by round; the few that are still open after that,
and single keys, are probed one by one, since a numpy call costs as much as several steps in Python.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.model import Keys

SlotColumn = npt.NDArray[np.int64]

MIX = 0x9E3779B97F4A7C15
"""Odd, near 2^64 / golden ratio: spreads keys that are not random (Knuth's multiplicative hashing)."""

STEP = 0x7FFFFFFF
_MIX, _STEP, _ODD = np.uint64(MIX), np.uint64(STEP), np.uint64(1)
WORD = 0xFFFFFFFFFFFFFFFF

FULL = 0.75
"""The table doubles beyond this load."""

FEW = 12
"""So few open keys are probed one by one."""

REHASH = 1 << 20
"""Buckets moved at a time when the table doubles: bounds the memory it takes meanwhile."""


class KeyTable:
    """Finds and places slots by key. At most 2^31 slots; there is no removal."""

    def __init__(self) -> None:
        self._bits = 10
        self._shift = np.uint64(64 - self._bits)
        self._buckets = np.full(1 << self._bits, -1, np.int32)
        self._used = 0

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return self._buckets.nbytes

    def find(self, keys: Keys, column: Keys) -> tuple[SlotColumn, SlotColumn]:
        """int64[n] each: the slot of each key, -1 where it is unknown; the bucket where its probing ended.

        ``column`` holds the key of every slot.
        """
        mixed = keys * _MIX
        at = (mixed >> self._shift).view(np.int64)
        slots = self._buckets.take(at).astype(np.int64)
        open_ = ((slots >= 0) & (column[slots] != keys)).nonzero()[0]
        while len(open_) > FEW:
            at[open_] = ended = (at.take(open_) + _steps(mixed.take(open_))) & (len(self._buckets) - 1)
            slots[open_] = found = self._buckets.take(ended)
            open_ = open_[(found >= 0) & (column[found] != keys.take(open_))]
        steps = _steps(mixed.take(open_)).tolist()
        for i, step in zip(open_.tolist(), steps, strict=True):
            slots[i], at[i] = self._follow(keys.item(i), at.item(i), step, column)
        return slots, at

    def find_one(self, key: int, column: Keys) -> tuple[int, int]:
        """``find`` for a single key."""
        mixed = key * MIX & WORD
        step = mixed & STEP | 1
        return self._follow(key, (mixed >> (64 - self._bits)) - step, step, column)

    def place(self, keys: Keys, slots: SlotColumn, at: SlotColumn, column: Keys) -> None:
        """Enter distinct unknown keys with their slots where ``find`` ended; grows first when needed."""
        room = FULL * len(self._buckets)
        while self._used + len(keys) > FULL * len(self._buckets):
            self._double(column)
        self._used += len(keys)
        if room != FULL * len(self._buckets):
            self._settle(keys, slots)
            return
        self._buckets[at] = slots
        lost = np.flatnonzero(self._buckets[at] != slots)  # two new keys ended at one bucket: the last to write has it
        if len(lost):
            self._settle(keys[lost], slots[lost])

    def place_one(self, key: int, slot: int, at: int, column: Keys) -> None:
        """``place`` for a single key."""
        if self._used + 1 > FULL * len(self._buckets):
            self._double(column)
            at = self.find_one(key, column)[1]
        self._used += 1
        self._buckets[at] = slot

    def _start(self, keys: Keys) -> tuple[SlotColumn, SlotColumn]:
        """First bucket and (odd) step of each key."""
        mixed = keys * _MIX
        return (mixed >> self._shift).view(np.int64), _steps(mixed)

    def _follow(self, key: int, at: int, step: int, column: Keys) -> tuple[int, int]:
        """Probe from the bucket after ``at`` on: the key's slot or -1, and the bucket where that showed."""
        bucket, key_of, mask = self._buckets.item, column.item, len(self._buckets) - 1
        while True:
            at = (at + step) & mask
            slot: int = bucket(at)
            if slot < 0 or key_of(slot) == key:
                return slot, at

    def _settle(self, keys: Keys, slots: SlotColumn) -> None:
        at, step = self._start(keys)
        mask = len(self._buckets) - 1
        while len(slots):
            free = self._buckets[at] < 0
            self._buckets[at[free]] = slots[free]
            lost = self._buckets[at] != slots
            at, step, slots = (at[lost] + step[lost]) & mask, step[lost], slots[lost]

    def _double(self, column: Keys) -> None:
        old = self._buckets
        self._bits += 1
        self._shift = np.uint64(64 - self._bits)
        self._buckets = np.full(1 << self._bits, -1, np.int32)
        for start in range(0, len(old), REHASH):
            part = old[start : start + REHASH]
            slots = part[part >= 0].astype(np.int64)
            self._settle(column[slots], slots)


def _steps(mixed: Keys) -> SlotColumn:
    """From one bucket to the next, of mixed keys; odd, so that all buckets are met."""
    return (mixed & _STEP | _ODD).view(np.int64)
