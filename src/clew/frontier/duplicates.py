"""What several links to one URL count for: the rules "best", "first" and "mean".

Of links in different tiers those of the highest count, whatever the rule. Among them, by "best" the URL has score and
place (row, index) of the link with the highest score, the first of equal ones; above tier 0, where links go by first
sight, no link takes the place of another. By "first" it has those of the first link. By "mean" it has the mean of all
scores, and the place that "best" would give. A ``Combination`` scores a URL by sums over all its links (place as by
"best"); the mean is one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.frontier.base import Combination, Sums
from clew.frontier.batches import Bulk, Places
from clew.frontier.keytable import SlotColumn
from clew.frontier.slots import DONE, HOT, PARKED, Duplicates, Slots
from clew.model import Bools, Doubles, Floats, Ints, distinct

Change = tuple[SlotColumn, Floats]
"""Slots whose score or tier is to change, and the scores they are to have."""


class Mean:
    """The mean of the scores of all links (a ``Combination``)."""

    fields: np.dtype[Any] = np.dtype([("scores", "f8")])

    def added(self, rows: Ints, scores: Floats) -> Sums:
        return scores.astype(np.float64).view(self.fields)

    def combined(
        self, links: npt.NDArray[np.uint32], best: Floats, sums: Sums, hosts: npt.NDArray[np.uint32]
    ) -> Doubles:
        return np.asarray(sums["scores"] / links, np.float64)

    def grown(self) -> list[tuple[int, Sums]]:
        return []

    def stale(self) -> bool:
        return False


class Rule:
    """Combines further links with what their slots hold.

    Places and sums are noted at once. Scores and tiers of waiting links are left to the caller (a ``Change``), who
    must know the merits from before to move the links in their queues.
    """

    def __init__(self, slots: Slots, duplicates: Duplicates | Combination) -> None:
        self._slots = slots
        self._combination = slots.combination
        self._best, self._first = duplicates == "best", duplicates == "first"

    # -- a page's links -----------------------------------------------------------------------------------

    def meet(self, slots: SlotColumn, scores: Floats, row: int, places: Places, tier: int) -> Change:
        """Further links to known URLs (distinct slots)."""
        held = self._slots
        state = held.state.take(slots)
        if self._best and not held.parked and not held.tiered:  # the same in fewer steps
            return self._placed(slots, scores, (scores > held.score[slots]) & (state <= HOT), row, places)
        live = (state <= PARKED) & ~np.isnan(scores)
        slots, scores, places = slots[live], scores[live], places[live]
        change = self._placed(slots, scores, self._outrank(slots, scores, tier), row, places)
        if self._combination is None:
            return change
        held.best[change[0]] = change[1]
        return self._add_up(self._combination, slots, scores, row)

    def _placed(self, slots: SlotColumn, scores: Floats, better: Bools, row: int, places: Places) -> Change:
        """Those of the links that are better; they have their URL's place from now on."""
        if not better.any():
            return slots[:0], scores[:0]
        slots = slots[better]
        self._slots.row[slots], self._slots.index[slots] = row, places[better]
        return slots, scores[better]

    def _outrank(self, slots: SlotColumn, scores: Floats, tier: int) -> Bools:
        """bool[n]: which links come before the one that has the place."""
        held = self._slots
        before = self._placing[slots]
        better: Bools = np.isnan(before) if self._first else ~(scores <= before)
        if not held.tiered:
            return better
        old = held.tier[slots]
        return old < tier if tier else better & (old == 0)

    @property
    def _placing(self) -> Floats:
        """The scores of the links that have the places."""
        return self._slots.score if self._combination is None else self._slots.best

    def _add_up(self, combination: Combination, slots: SlotColumn, scores: Floats, row: int) -> Change:
        """Further links of a row to slots, which are distinct."""
        if not len(slots):
            return slots, scores
        held, more = self._slots, combination.added(np.array([row], np.int32), scores)
        held.seen[slots] += 1
        for name in combination.fields.names or ():
            held.sums[name][slots] += more[name]
        return slots, held.combined(slots)

    def _add_each(self, slots: SlotColumn, more: Sums) -> None:
        """The same to the sums of slots that may repeat: ``more`` has one entry a slot, or one for all."""
        sums = self._slots.sums
        for name in sums.dtype.names or ():
            np.add.at(sums[name], slots, more[name])

    def grow(self, found: SlotColumn, more: Sums) -> Change:
        """Links that were met before add so much more; ``found`` are the slots of their keys (-1: unknown; they may
        repeat). Returns those that wait, each once."""
        held = self._slots
        slots = found[found >= 0]
        slots = slots[held.seen[slots] > 0]
        self._add_each(slots, more)
        slots = distinct(slots)
        scores, state = held.combined(slots) if len(slots) else np.zeros(0, np.float32), held.state.take(slots)
        waits = state <= HOT
        apart = ~waits & (state != DONE)
        held.score[slots[apart]] = scores[apart]
        return slots[waits], scores[waits]

    # -- one link -----------------------------------------------------------------------------------------

    def meet_one(self, slot: int, score: float, row: int, place: int, tier: int) -> float | None:
        """``meet`` for one link: the score that its slot is to have; None when neither score nor tier changes."""
        held = self._slots
        if held.state.item(slot) > PARKED or math.isnan(score):
            return None
        before, old = self._placing.item(slot), held.tier_of(slot)
        better = tier > old or (math.isnan(before) if self._first else not (old or score <= before))
        if better:
            held.row[slot], held.index[slot] = row, place
        if self._combination is None:
            return score if better else None
        if better:
            held.best[slot] = score
        return self._add_up(self._combination, np.array([slot]), np.array([score], np.float32), row)[1].item()

    # -- a row raised to a higher tier --------------------------------------------------------------------

    def promote(self, slots: SlotColumn, scores: Floats, row: int, places: Places, tier: int) -> Change:
        """Links that were met before, now in a higher tier; they are not counted again."""
        held = self._slots
        use = (held.state[slots] <= HOT) & (held.tier[slots] < tier) & ~np.isnan(scores)
        slots, scores = slots[use], scores[use]
        held.row[slots], held.index[slots] = row, places[use]
        if self._combination is None:
            return slots, scores
        held.best[slots] = scores
        return slots, held.score[slots]

    # -- all links scored again ---------------------------------------------------------------------------

    def take(self, bulk: Bulk) -> None:
        """Combine many links (keys may repeat, order counts) into scores, tiers and places of slots in no queue."""
        held = self._slots
        slots = held.find(bulk.keys)[0]
        use = (slots >= 0) & ~np.isnan(bulk.scores)
        use &= held.state[slots] != DONE
        slots, scores, rows, places = slots[use], bulk.scores[use], bulk.rows[use], bulk.places[use]
        if not held.tiered:
            self._settle(slots, scores, rows, places, 0)
        else:
            tiers = bulk.tiers[use] if bulk.tiers is not None else np.zeros(len(slots), np.uint8)
            for tier in np.unique(tiers).tolist():
                part = ((tiers == tier) & (held.tier[slots] <= tier)).nonzero()[0]
                self._settle(slots[part], scores[part], rows[part], places[part], tier)
        if bulk.tiers is not None:
            np.maximum.at(held.tier, slots, bulk.tiers[use])
        if self._combination is not None and len(slots):
            self._add_each(slots, self._combination.added(rows, scores))
            np.add.at(held.seen, slots, np.uint32(1))
            slots = distinct(slots)
            held.score[slots] = held.combined(slots)

    def _settle(self, slots: SlotColumn, scores: Floats, rows: Places, places: Places, tier: int) -> None:
        """Places, and the scores that go with them, by links of one tier to slots of no higher one."""
        held = self._slots
        column = self._placing
        if tier:
            won = held.tier[slots] < tier
        elif self._first:
            won = np.isnan(column[slots])
        else:
            won = _raise(column, slots, scores)
        first = np.flatnonzero(won)[::-1]  # of several links to a URL the last to be written has it: the first one
        at = slots[first]
        held.row[at], held.index[at] = rows[first], places[first]
        if self._first or tier:
            column[at] = scores[first]


def _raise(held: Floats, slots: SlotColumn, values: Floats) -> Bools:
    """Raise ``held`` at slots (which may repeat) to the values that are larger, or where there was none (NaN).

    Returns bool[n]: which values are the new ones held; of equal ones all.
    """
    old = held[slots]
    np.fmax.at(held, slots, values)
    raised: Bools = (values == held[slots]) & ~(old >= values)
    return raised
