"""The frontier in columns, about 40 bytes a link: ``Slots`` know every URL, ``Hosts`` say which waiting one comes next.

Here the two are kept in step: what a batch of links changes in the slots, it changes in the queues.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import get_args

import numpy as np
import numpy.typing as npt

from clew.frontier import steered
from clew.frontier.base import Combination, HostColumns, Lease, ScoredRow, Standing, Sums
from clew.frontier.batches import BULK, MANY, Places, bulks, check_tier, places_of, repeated, stored
from clew.frontier.duplicates import Mean, Rule
from clew.frontier.hosts import NOTHING, Hosts
from clew.frontier.keytable import SlotColumn
from clew.frontier.merits import merits
from clew.frontier.postponed import Postponed
from clew.frontier.resting import Waits
from clew.frontier.slots import COLD, DONE, ENDING, HOT, LATER, LEASED, PARKED, Duplicates, HostColumn, Slots
from clew.model import Bools, Doubles, Floats, Keys, distinct

FEW = 8
"""Batches of so few links are added one by one: numpy calls would cost more."""


LOOK = 2_000
"""Slots in which the oldest link that waits is looked for."""


class ColumnFrontier:
    """See the Protocol ``frontier.base.Frontier``. ``duplicates``: what several links to one URL count for; a
    ``Combination`` takes 16 bytes a link more. ``waits``: whether links wait for better ones.

    Scores are kept as float32; larger ones, infinities too, count as the largest. A lease ends once: ``done``,
    ``retry`` and ``postpone`` raise ValueError for one that has ended. What was finished while leased stays finished
    after a retry. A tier takes one byte a link, from the first link in a tier above 0 on.
    """

    def __init__(self, duplicates: Duplicates | Combination = "best", waits: Waits | None = None) -> None:
        if isinstance(duplicates, str) and duplicates not in get_args(Duplicates):
            raise ValueError(f"duplicates must be one of {', '.join(get_args(Duplicates))}, not {duplicates!r}")
        combination: Combination | None = None if isinstance(duplicates, str) else duplicates
        self._slots = Slots(Mean() if duplicates == "mean" else combination)
        self._hosts = Hosts(self._slots, waits)
        self._postponed = Postponed()
        self._rule = Rule(self._slots, duplicates)
        self._oldest = 0  # all slots before this one are done

    # -- figures ------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._hosts.waiting + len(self._postponed)

    def waiting_on(self, host: int) -> int:
        return self._hosts.waiting_on(host) + self._postponed.on(host)

    @property
    def parked(self) -> int:
        return self._slots.parked

    @property
    def hosts_waiting(self) -> int:
        return self._hosts.waited_for

    @property
    def hosts_busy(self) -> int:
        return self._hosts.busy

    @property
    def link_nbytes(self) -> int:
        """Bytes that grow with the links: columns, key table, queues."""
        return self._slots.nbytes + self._hosts.link_nbytes

    @property
    def host_nbytes(self) -> int:
        """Bytes that grow with the hosts."""
        return self._hosts.host_nbytes

    @property
    def nbytes(self) -> int:
        return self.link_nbytes + self.host_nbytes

    def known(self, keys: Keys) -> Bools:
        return self._slots.find(keys)[0] >= 0

    def best(self, n: int) -> list[Lease]:
        slots = self._slots
        if n == 1 and self._hosts.waiting:
            return [slots.lease(slots.best_one())]
        return [slots.lease(slot) for slot in slots.best_waiting(n)]

    def look_up(self, key: int) -> Standing | None:
        return steered.standing(self._slots, key)

    def waiting_scores(self) -> tuple[Floats, npt.NDArray[np.uint8]]:
        return steered.waiting_scores(self._slots)

    def hosts(self) -> HostColumns:
        return steered.host_columns(self._hosts, self._postponed)

    # -- leases -------------------------------------------------------------------------------------------

    def lease(self, now: float) -> Lease | None:
        self._come_back(now)
        slot = self._hosts.take(now)
        if slot == NOTHING:
            return None
        self._slots.state[slot] = LEASED
        return self._slots.lease(slot)

    def lease_oldest(self, now: float) -> Lease | None:
        self._come_back(now)
        state = self._slots.state
        while self._oldest < self._slots.count and state.item(self._oldest) == DONE:
            self._oldest += 1
        waits = np.flatnonzero(state[self._oldest : self._slots.count][:LOOK] <= HOT) + self._oldest
        for slot in waits.tolist():
            if self._hosts.take_one(slot, now):
                state[slot] = LEASED
                lease = self._slots.lease(slot)
                lease.oldest = True
                return lease
        return None

    def done(self, lease: Lease, ready_at: float = 0.0) -> None:
        state, slot = self._slots.state, lease.slot
        if not LEASED <= state.item(slot) <= ENDING:
            raise _ended(lease)
        state[slot] = DONE
        self._hosts.free(lease.host, ready_at)

    def retry(self, lease: Lease, ready_at: float) -> None:
        self.postpone(lease, ready_at, ready_at)

    def postpone(self, lease: Lease, ready_at: float, again_at: float) -> None:
        state, slot = self._slots.state, lease.slot
        held = state.item(slot)
        if not LEASED <= held <= ENDING:
            raise _ended(lease)
        if held == ENDING:
            state[slot] = DONE
        elif again_at > ready_at:
            state[slot] = LATER
            self._postponed.add(again_at, slot, lease.host)
        else:
            self._wait(slot, lease.host)
        self._hosts.free(lease.host, ready_at)

    def recall(self, leases: Iterable[Lease], when: float) -> None:
        self._postponed.sooner(when, (lease.slot for lease in leases))

    def _wait(self, slot: int, host: int) -> None:
        """A link that was leased or postponed waits again."""
        slots = self._slots
        if math.isnan(slots.score.item(slot)):  # scored again meanwhile, and it is not to be followed any more
            slots.state[slot] = PARKED
            slots.parked += 1
        else:
            slots.state[slot] = COLD
            self._hosts.enter(host, slots.merit(slot))

    def _come_back(self, now: float) -> None:
        """Postponed links whose time has come wait again."""
        if self._postponed:
            for late, host in self._postponed.due(now):
                self._wait(late, host)

    def park(self, hosts: HostColumn) -> int:
        return steered.park(self._slots, self._hosts, self._postponed, hosts)

    def reopen(self, key: int, host: int) -> None:
        slot = steered.reopen(self._slots, key, host)
        if 0 <= slot < self._oldest:
            self._oldest = slot

    def hold(self, host: int, ready_at: float) -> None:
        self._hosts.hold(host, ready_at)

    def next_ready(self) -> float | None:
        times = [when for when in (self._hosts.next_ready(), self._postponed.next()) if when is not None]
        return min(times, default=None)

    # -- links --------------------------------------------------------------------------------------------

    def add(
        self,
        keys: Keys,
        hosts: HostColumn,
        scores: Doubles,
        row: int,
        indices: Places | None = None,
        tier: int = 0,
    ) -> int:
        places = places_of(len(keys)) if indices is None else indices
        if not len(keys) == len(hosts) == len(scores) == len(places):
            raise ValueError(f"row {row}: keys, hosts, scores and indices must be of one length")
        if tier:
            self._use_tier(tier, row)
        values = stored(scores)
        if len(keys) <= FEW:
            return self._add_each(keys, hosts, values, row, places, tier)
        again = repeated(keys)
        if again is None:
            return self._add_distinct(keys, hosts, values, row, places, tier)
        first = ~again
        new = self._add_distinct(keys[first], hosts[first], values[first], row, places[first], tier)
        return new + self._add_each(keys[again], hosts[again], values[again], row, places[again], tier)

    def promote(self, row: int, keys: Keys, scores: Doubles, tier: int) -> None:
        if not tier:
            return
        self._use_tier(tier, row)
        values = stored(scores)
        use = np.flatnonzero(~np.isnan(values))
        slots = self._slots.find(keys[use])[0]
        distinct, first = np.unique(slots, return_index=True)
        first = first[distinct >= 0]
        places = use[first].astype(np.int32)
        self._change(*self._rule.promote(slots[first], values[use[first]], row, places, tier), tier)

    def grow(self, row: int, keys: Keys, scores: Doubles, more: Sums) -> None:
        if self._slots.combination is None:
            raise ValueError(f"row {row}: this frontier adds nothing up")
        slots = self._slots.find(keys[~np.isnan(scores)])[0]
        self._change(*self._rule.grow(slots, more), 0)

    def rank(self) -> None:
        held = self._slots
        if held.combination is None:
            return
        known = np.flatnonzero((held.state[: held.count] != DONE) & (held.seen[: held.count] > 0))
        if not len(known):
            return
        held.score[known] = held.combined(known)
        waits = known[held.state[known] <= HOT]
        self._hosts.clear()
        held.state[waits] = PARKED
        held.parked += len(waits)
        self._requeue()

    def finish(self, keys: Keys) -> None:
        keys = distinct(keys)
        slots, at = self._slots.find(keys)
        new = slots < 0
        if new.any():
            self._slots.add_done(keys[new], at[new])
        slots = slots[~new]
        state = self._slots.finish(slots)
        waited = state <= HOT
        self._postponed.drop(slots[state == LATER].tolist())
        self._hosts.remove(slots[waited], state[waited] == HOT)

    def rescore(self, rows: Iterable[ScoredRow]) -> int:
        self._slots.forget_scores()
        self._hosts.clear()
        for bulk in bulks(rows):
            if bulk.tiers is not None:
                self._slots.use_tiers()
            self._rule.take(bulk)
        return self._requeue()

    def _use_tier(self, tier: int, row: int) -> None:
        check_tier(tier, row)
        self._slots.use_tiers()

    def _add_distinct(self, keys: Keys, hosts: HostColumn, values: Floats, row: int, places: Places, tier: int) -> int:
        slots, at = self._slots.find(keys)
        new = slots < 0
        count = int(np.count_nonzero(new))
        if count < len(keys):
            known = ~new
            self._change(*self._rule.meet(slots[known], values[known], row, places[known], tier), tier)
            keys, at, hosts, values, places = keys[new], at[new], hosts[new], values[new], places[new]
        if count:
            self._add_new(keys, at, hosts, values, row, places, tier)
        return count

    def _add_new(
        self, keys: Keys, at: SlotColumn, hosts: HostColumn, values: Floats, row: int, places: Places, tier: int
    ) -> None:
        parked = self._slots.parked
        slots = self._slots.add(keys, at, hosts, values, row, places, tier)
        if self._slots.parked > parked:
            waits = ~np.isnan(values)
            slots, hosts, values = slots[waits], hosts[waits], values[waits]
        order = self._slots.merits(slots) if tier or self._slots.combination is not None else merits(values, slots)
        if len(order) >= MANY:
            self._hosts.enter_many(hosts, order)
            return
        enter = self._hosts.enter
        for host, merit in zip(hosts.tolist(), order.tolist(), strict=True):
            enter(host, merit)

    def _change(self, slots: SlotColumn, values: Floats, tier: int) -> None:
        """New scores for waiting or parked slots (distinct), and a tier unless they are in a higher one."""
        if not len(slots):
            return
        held = self._slots
        before = held.merits(slots)
        held.score[slots] = values
        if tier:
            held.tier[slots] = np.maximum(held.tier[slots], np.uint8(tier))
        columns = slots.tolist(), held.host[slots].tolist(), before.tolist(), held.merits(slots).tolist()
        state_of, queues = held.state.item, self._hosts.queues
        for slot, host, old, merit in zip(*columns, strict=True):
            state = state_of(slot)
            if state != COLD or merit > queues[host].floor:  # as most: cold it is and cold it stays
                self._move(slot, state, host, old, merit)

    def _move(self, slot: int, state: int, host: int, before: int, merit: int) -> None:
        """A waiting or parked link has this merit now; of a hot one its queue may still hold the one from before."""
        held = self._slots
        if state == HOT:
            self._hosts.change_hot(host, before, merit)
        elif state == COLD:
            self._hosts.change_cold(host, merit)
        else:
            held.state[slot] = COLD
            held.parked -= 1
            self._hosts.enter(host, merit)

    # -- single links -------------------------------------------------------------------------------------

    def _add_each(self, keys: Keys, hosts: HostColumn, values: Floats, row: int, places: Places, tier: int) -> int:
        """Links one by one; keys may repeat. Returns how many were new."""
        held, before = self._slots, self._slots.count
        columns = keys.tolist(), hosts.tolist(), values.tolist(), places.tolist()
        for key, host, score, place in zip(*columns, strict=True):
            slot, at = held.find_one(key)
            if slot < 0:
                self._add_one(key, at, host, score, row, place, tier)
                continue
            changed = self._rule.meet_one(slot, score, row, place, tier)
            if changed is not None:
                old, held.score[slot] = held.merit(slot), changed
                if tier:
                    held.raise_to(slot, tier)
                self._move(slot, held.state.item(slot), held.host.item(slot), old, held.merit(slot))
        return held.count - before

    def _add_one(self, key: int, at: int, host: int, score: float, row: int, place: int, tier: int) -> None:
        slot = self._slots.add_one(key, at, host, score, row, place, tier)
        if not math.isnan(score):
            self._hosts.enter(host, self._slots.merit(slot))

    # -- all links scored again ---------------------------------------------------------------------------

    def _requeue(self) -> int:
        """Queue every scored slot, all of a host in one go; some hosts at a time, to save memory."""
        held = self._slots
        parked = held.state[: held.count] == PARKED
        slots = np.flatnonzero(parked & ~np.isnan(held.score[: held.count])).astype(np.uint32)
        held.parked -= len(slots)
        held.state[slots] = COLD
        if len(slots) > BULK:
            slots = slots[np.argsort(held.host[slots], kind="stable")]
        hosts = held.host[slots]
        start = 0
        while start < len(slots):
            end = len(hosts)
            if end > start + BULK:
                end = int(np.searchsorted(hosts, hosts[start + BULK - 1], "right"))
            self._hosts.enter_many(hosts[start:end], held.merits(slots[start:end]))
            start = end
        return len(slots)


def _ended(lease: Lease) -> ValueError:
    return ValueError(f"the lease of key {lease.key} has ended already; a lease ends once")
