"""What the frontier knows of every URL: a slot each, its facts in numpy arrays, 25 bytes and a place in the key table.

A slot's number is its place in the order of first sight. Per slot: a record (key, score, host, and where URL and
evidence lie: row, index), a state, and a tier once any link is in a tier above 0. What several links to one URL count
for is decided in ``duplicates``; which slots wait in which queue is the business of ``hosts``.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from clew.frontier.base import Combination, Lease, Sums
from clew.frontier.batches import Places, stored
from clew.frontier.keytable import KeyTable, SlotColumn
from clew.frontier.merits import Merits, SlotNumbers, Tiers, merit_of, merits, slots_of
from clew.model import Floats, Keys

Duplicates = Literal["best", "first", "mean"]
HostColumn = npt.NDArray[np.uint32]
States = npt.NDArray[np.uint8]

RECORD = np.dtype([("key", "u8"), ("score", "f4"), ("host", "u4"), ("row", "i4"), ("index", "i4")])
"""One slot; together, since whoever asks for one fact of a link asks for the others too, and memory is far away."""

COLD, HOT, PARKED, LEASED, ENDING, DONE, LATER = range(7)
"""States. Cold and hot links wait. ENDING: leased, and finished meanwhile. LATER: postponed."""

GROWTH = 1.125
ROOM = 64


class Slots:
    """Records and states of all known URLs.

    ``key``, ``score``, ``host``, ``row`` and ``index`` are columns of the records: to be asked for anew whenever slots
    may have been added. ``state`` is one array for good. ``tier`` has no length while all links are in tier 0 (not
    ``tiered``); a slot whose score is NaN is in tier 0. With a ``combination`` are kept: ``seen``, how many links lead
    to a URL, ``best``, the score of the one that has the place, and ``sums`` of what they add, by its fields.
    """

    def __init__(self, combination: Combination | None = None) -> None:
        self.combination = combination
        self.count = self.parked = 0
        self._records = np.zeros(ROOM, RECORD)
        self._view()
        self.state: States = np.zeros(ROOM, np.uint8)
        self.tier: Tiers = np.zeros(0, np.uint8)
        self.tiered = False
        room = ROOM if combination is not None else 0
        fields: np.dtype[Any] = combination.fields if combination is not None else np.dtype([])
        self.sums: Sums = np.zeros(room, fields)
        self.seen: npt.NDArray[np.uint32] = np.zeros(room, np.uint32)
        self.best: Floats = np.zeros(room, np.float32)
        self._table = KeyTable()

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return sum(column.nbytes for column in self._columns()) + self._table.nbytes

    # -- looking up ---------------------------------------------------------------------------------------

    def find(self, keys: Keys) -> tuple[SlotColumn, SlotColumn]:
        """``KeyTable.find``: the slot of each key (-1: unknown), and where to place it."""
        return self._table.find(keys, self.key)

    def find_one(self, key: int) -> tuple[int, int]:
        """``find`` for a single key."""
        return self._table.find_one(key, self.key)

    def tier_of(self, slot: int) -> int:
        """The tier of one slot."""
        return self.tier.item(slot) if self.tiered else 0

    def raise_to(self, slot: int, tier: int) -> None:
        """Put a slot that has a score into this tier unless it is in a higher one."""
        if tier > self.tier.item(slot):
            self.tier[slot] = tier

    def merits(self, slots: SlotColumn | SlotNumbers) -> Merits:
        """uint64[n]: the merit of each slot as it is now (none with the score NaN)."""
        return merits(self.score[slots], slots, self.tier[slots] if self.tiered else None)

    def merit(self, slot: int) -> int:
        """The merit of one slot."""
        return merit_of(self.score.item(slot), slot, self.tier.item(slot) if self.tiered else 0)

    def lease(self, slot: int) -> Lease:
        """What a lease says of a slot."""
        key, score, host, row, index = self._records.item(slot)
        tier = self.tier.item(slot) if self.tiered else 0
        if self.combination is None:
            return Lease(slot, key, host, row, index, score, tier)
        evidence = self.seen.item(slot), self.best.item(slot), *self.sums.item(slot)
        return Lease(slot, key, host, row, index, score, tier, evidence)

    def combined(self, slots: SlotColumn | slice) -> Floats:
        """float32[n]: the scores that the combination gives slots for what is added up."""
        assert self.combination is not None
        found = self.combination.combined(self.seen[slots], self.best[slots], self.sums[slots], self.host[slots])
        return stored(found)

    def best_waiting(self, n: int) -> list[int]:
        """The n best waiting slots, best first."""
        slots = np.flatnonzero(self.state[: self.count] <= HOT)
        order = self.merits(slots)
        if len(order) > n:
            order = np.partition(order, len(order) - n)[len(order) - n :]
        found: list[int] = slots_of(np.sort(order)[::-1]).tolist()
        return found

    def best_one(self) -> int:
        """The best waiting slot; there must be one. A crawl asks for it all the time, and nothing needs sorting."""
        waits = self.state[: self.count] <= HOT
        if self.tiered:
            tiers = np.where(waits, self.tier[: self.count], 0)
            if tiers.any():
                return int(tiers.argmax())
        return int(np.where(waits, self.score[: self.count], -np.inf).argmax())

    # -- new slots ----------------------------------------------------------------------------------------

    def add(
        self, keys: Keys, at: SlotColumn, hosts: HostColumn, scores: Floats, row: int, places: Places, tier: int = 0
    ) -> SlotColumn:
        """Slots for distinct unknown keys, in this order, marked cold; parked where the score is NaN. ``at`` is what
        ``find`` said."""
        start, end = self.count, self.count + len(keys)
        self._grow(end)
        self.count = end
        self.key[start:end], self.score[start:end], self.host[start:end] = keys, scores, hosts
        self.row[start:end], self.index[start:end] = row, places
        out = np.isnan(scores)
        slots = np.arange(start, end)
        if self.combination is not None:
            self._begin_sums(self.combination, slice(start, end), scores, row)
        self._table.place(keys, slots, at, self.key)
        if out.any():
            self.state[slots[out]] = PARKED
            self.parked += int(np.count_nonzero(out))
        if tier:
            self.tier[start:end] = np.where(out, 0, tier)
        return slots

    def add_one(self, key: int, at: int, host: int, score: float, row: int, place: int, tier: int = 0) -> int:
        """``add`` for a single key: its slot."""
        slot, out = self.count, math.isnan(score)
        self._grow(slot + 1)
        self.count = slot + 1
        self.key[slot], self.score[slot], self.host[slot] = key, score, host
        self.row[slot], self.index[slot] = row, place
        if self.combination is not None:
            self._begin_sums(self.combination, slice(slot, slot + 1), np.array([score], np.float32), row)
        self._table.place_one(key, slot, at, self.key)
        if out:
            self.state[slot] = PARKED
            self.parked += 1
        elif tier:
            self.tier[slot] = tier
        return slot

    def add_done(self, keys: Keys, at: SlotColumn) -> None:
        """Slots for distinct unknown keys that need no fetching."""
        start, nothing = self.count, np.zeros(len(keys), np.int32)
        self.add(keys, at, nothing.astype(np.uint32), np.full(len(keys), np.nan, np.float32), 0, nothing)
        self.parked -= len(keys)
        self.state[start : self.count] = DONE

    def _begin_sums(self, combination: Combination, new: slice, scores: Floats, row: int) -> None:
        """The first links to new slots, of one row; their scores are the combination's from here on."""
        known = ~np.isnan(scores)
        self.seen[new], self.best[new] = known, scores
        where: slice | SlotColumn = new
        if not known.all():
            self.sums[new] = np.zeros((), self.sums.dtype)
            where, scores = new.start + known.nonzero()[0], scores[known]
        if len(scores):
            self.sums[where] = combination.added(np.array([row], np.int32), scores)
            self.score[where] = self.combined(where)

    def finish(self, slots: SlotColumn) -> States:
        """Mark known slots as done, leased ones for later; returns the states they had."""
        state = self.state[slots]
        self.parked -= int(np.count_nonzero(state == PARKED))
        self.state[slots] = np.where((state == LEASED) | (state == ENDING), ENDING, DONE)
        return state

    def use_tiers(self) -> None:
        """Keep a tier for every slot from now on."""
        if not self.tiered:
            self.tiered, self.tier = True, np.zeros(len(self.state), np.uint8)

    def forget_scores(self) -> None:
        """All that wait are parked, and no score, tier or mean is known of any but those that are done."""
        state = self.state[: self.count]
        live = state <= PARKED
        state[live] = PARKED
        self.parked = int(np.count_nonzero(live))
        known = state != DONE
        self.score[: self.count][known] = np.nan
        if self.tiered:
            self.tier[: self.count][known] = 0
        if self.combination is not None:
            self.sums[: self.count][known] = np.zeros((), self.sums.dtype)
            self.seen[: self.count][known] = 0
            self.best[: self.count][known] = np.nan

    def forget(self, slots: SlotColumn) -> None:
        """No score, tier or sum is known of these any more."""
        self.score[slots] = np.nan
        if self.tiered:
            self.tier[slots] = 0
        if self.combination is not None:
            self.sums[slots] = np.zeros((), self.sums.dtype)
            self.seen[slots] = 0
            self.best[slots] = np.nan

    # -- memory -------------------------------------------------------------------------------------------

    def _columns(self) -> list[npt.NDArray[np.generic]]:
        columns: list[npt.NDArray[np.generic]] = [self._records, self.state]
        if self.tiered:
            columns.append(self.tier)
        if self.combination is not None:
            columns += [self.sums, self.seen, self.best]
        return columns

    def _grow(self, size: int) -> None:
        """Room for ``size`` slots; the system moves large arrays without copying them."""
        if size > len(self.state):
            room = max(size, int(len(self.state) * GROWTH) + ROOM)
            for column in self._columns():
                column.resize(room, refcheck=False)
            self._view()

    def _view(self) -> None:
        """The fields of the records as columns; to be looked at anew whenever the records may have moved."""
        records = self._records
        self.key: Keys = records["key"]
        self.score: Floats = records["score"]
        self.host: HostColumn = records["host"]
        self.row: Places = records["row"]
        self.index: Places = records["index"]
