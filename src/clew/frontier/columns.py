"""The frontier in columns: every known URL is a slot, its facts lie in numpy arrays, about 40 bytes a link.

A slot's number is its place in the order of first sight. Per slot: a record (key, score, host, and where URL and
evidence lie: row, index) and a state. Per host: a ``HostQueue``; host ids are taken to be dense, as a store's are.
Over the hosts: those that may be visited now, by their best link, and a heap of those that must wait, by time.
Entries of both go stale rather than being searched for: one counts only if it still says what its host's queue says.

Invariants between calls: ``waiting`` of a queue is the number of its hot links and of distinct slots marked cold in
it; a host that is ready has a hot link, and an entry for the best one; a host in neither place is busy or has nothing
that waits.
"""

from __future__ import annotations

import math
import sys
from array import array
from bisect import insort
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush, heapreplace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from clew.frontier.base import Lease
from clew.frontier.keytable import KeyTable, Slots
from clew.frontier.queues import IDLE, LOW, READY, TIMED, HostQueue, Merits, hot_size, merit_of, merits, slots_of
from clew.frontier.ready import ReadyHosts
from clew.model import Bools, Doubles, Floats, Keys

Duplicates = Literal["best", "first", "mean"]
HostColumn = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int32]
Row = tuple[int, Keys, Doubles]

RECORD = np.dtype([("key", "u8"), ("score", "f4"), ("host", "u4"), ("row", "i4"), ("index", "i4")])
"""One slot; together, since whoever asks for one fact of a link asks for the others too, and memory is far away."""

COLD, HOT, PARKED, LEASED, ENDING, DONE = range(6)
"""States. Cold and hot links wait. ENDING: leased, and finished meanwhile."""

LARGEST = float(np.finfo(np.float32).max)
GROWTH = 1.125

FEW = 8
"""Batches of so few links are added one by one: numpy calls would cost more."""

MANY = 512
"""Batches of so many new links are sorted by host first."""

BULK = 1 << 18
"""Links scored again at a time."""

_FIRST = np.arange(MANY, dtype=np.int32)
_FIRST.setflags(write=False)

NOBODY = HostQueue()
"""Stands for the queue of a host that was not seen yet."""


class ColumnFrontier:
    """See the Protocol ``frontier.base.Frontier``. ``duplicates``: what several links to one URL count for.

    Scores are kept as float32; larger ones, infinities too, count as the largest. A lease ends once: ``done`` and
    ``retry`` raise ValueError for one that has ended. What was finished while leased stays finished after a retry.
    """

    def __init__(self, duplicates: Duplicates = "best") -> None:
        if duplicates not in get_args(Duplicates):
            raise ValueError(f"duplicates must be one of {', '.join(get_args(Duplicates))}, not {duplicates!r}")
        self.duplicates = duplicates
        self._mean = duplicates == "mean"
        self._count = 0
        self._records = np.zeros(64, RECORD)
        self._view()
        self._state = np.zeros(64, np.uint8)
        self._sum = np.zeros(64 if self._mean else 0, np.float64)
        self._seen = np.zeros(64 if self._mean else 0, np.uint32)
        self._best = np.zeros(64 if self._mean else 0, np.float32)
        self._table = KeyTable()
        self._queues: list[HostQueue] = []  # by host; hosts not seen yet share NOBODY
        self._ready = ReadyHosts()
        self._timed: list[tuple[float, int]] = []  # (time at which to look again, host)
        self._now = 0.0
        self._waiting = self._parked = self._busy = self._hosts = 0

    # -- the contract -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._waiting

    @property
    def parked(self) -> int:
        return self._parked

    @property
    def hosts_waiting(self) -> int:
        return self._hosts

    @property
    def hosts_busy(self) -> int:
        return self._busy

    @property
    def link_nbytes(self) -> int:
        """Bytes that grow with the links: columns, key table, queues."""
        queues = sum(queue.link_nbytes for queue in self._seen_queues())
        return sum(column.nbytes for column in self._columns()) + self._table.nbytes + queues

    @property
    def host_nbytes(self) -> int:
        """Bytes that grow with the hosts: queues, the list of the ready, the heap of the others (pairs of numbers)."""
        queues = sum(queue.host_nbytes for queue in self._seen_queues())
        pair = sys.getsizeof((0.0, 0)) + sys.getsizeof(0.0) + sys.getsizeof(1 << 16)
        heap = sys.getsizeof(self._timed) + pair * len(self._timed)
        return sys.getsizeof(self._queues) + queues + self._ready.nbytes + heap

    @property
    def nbytes(self) -> int:
        return self.link_nbytes + self.host_nbytes

    def add(self, keys: Keys, hosts: HostColumn, scores: Doubles, row: int, indices: Places | None = None) -> int:
        places = _places(len(keys)) if indices is None else indices
        if not len(keys) == len(hosts) == len(scores) == len(places):
            raise ValueError(f"row {row}: keys, hosts, scores and indices must be of one length")
        values = _stored(scores)
        if len(keys) <= FEW:
            return self._add_each(keys, hosts, values, row, places)
        again = _repeated(keys)
        if again is None:
            return self._add_distinct(keys, hosts, values, row, places)
        first = ~again
        new = self._add_distinct(keys[first], hosts[first], values[first], row, places[first])
        return new + self._add_each(keys[again], hosts[again], values[again], row, places[again])

    def lease(self, now: float) -> Lease | None:
        self._now = now
        if self._timed and self._timed[0][0] <= now:
            self._release(now)
        ready, queues, host_of = self._ready, self._queues, self._host.item
        while merit := ready.pop():
            slot = LOW - (merit & LOW)
            host = host_of(slot)
            queue = queues[host]
            if queue.where == READY and queue.hot[-1] == merit:
                if queue.ready_at <= now:
                    return self._hand_out(slot, host, queue)
                self._offer(host, queue)  # the clock went back
        return None

    def done(self, lease: Lease, ready_at: float = 0.0) -> None:
        self._check(lease)
        self._state[lease.slot] = DONE
        self._free(lease.host, ready_at)

    def retry(self, lease: Lease, ready_at: float) -> None:
        self._check(lease)
        slot, score = lease.slot, self._score.item(lease.slot)
        if self._state.item(slot) == ENDING:
            self._state[slot] = DONE
        elif math.isnan(score):  # all links were scored again meanwhile, and this one is not to be followed
            self._state[slot] = PARKED
            self._parked += 1
        else:
            self._state[slot] = COLD
            self._enter(lease.host, merit_of(score, slot))
        self._free(lease.host, ready_at)

    def finish(self, keys: Keys) -> None:
        keys = np.unique(keys)
        slots, at = self._table.find(keys, self._key)
        new = slots < 0
        if new.any():
            nothing = np.zeros(np.count_nonzero(new), np.int32)
            nan = np.full(len(nothing), np.nan, np.float32)
            fresh = self._new_slots(keys[new], at[new], nothing.astype(np.uint32), nan, 0, nothing)
            self._state[fresh] = DONE
        self._finish_known(slots[~new])

    def hold(self, host: int, ready_at: float) -> None:
        queue = self._queue(host)
        if ready_at > queue.ready_at:
            queue.ready_at = ready_at
            if queue.where == READY and ready_at > self._now:
                self._offer(host, queue)

    def rescore(self, rows: Iterable[Row]) -> int:
        self._reset()
        for bulk in _bulks(rows):
            self._take_bulk(*bulk)
        return self._requeue()

    def next_ready(self) -> float | None:
        ready, timed, queues = self._ready, self._timed, self._queues
        while merit := ready.top():
            queue = queues[self._host.item(LOW - (merit & LOW))]
            if queue.where == READY and queue.hot[-1] == merit:
                return queue.ready_at
            ready.pop()
        while timed:
            when, host = timed[0]
            queue = queues[host]
            if queue.where != TIMED:
                heappop(timed)
            elif queue.ready_at > when:  # held for longer meanwhile
                heapreplace(timed, (queue.ready_at, host))
            else:
                return when
        return None

    def known(self, keys: Keys) -> Bools:
        return self._table.find(keys, self._key)[0] >= 0

    def best(self, n: int) -> list[Lease]:
        waits = self._state[: self._count] <= HOT
        if n == 1 and self._waiting:  # a crawl asks for it all the time, and nothing needs sorting
            return [self._lease_of(int(np.where(waits, self._score[: self._count], -np.inf).argmax()))]
        slots = np.flatnonzero(waits)
        order = merits(self._score[slots], slots)
        if len(order) > n:
            order = np.partition(order, len(order) - n)[len(order) - n :]
        return [self._lease_of(slot) for slot in slots_of(np.sort(order)[::-1]).tolist()]

    # -- slots --------------------------------------------------------------------------------------------

    def _columns(self) -> tuple[npt.NDArray[np.generic], ...]:
        main = (self._records, self._state)
        return (*main, self._sum, self._seen, self._best) if self._mean else main

    def _grow(self, size: int) -> None:
        """Room for ``size`` slots; the system moves large arrays without copying them."""
        if size > len(self._key):
            room = max(size, int(len(self._key) * GROWTH) + 64)
            for column in self._columns():
                column.resize(room, refcheck=False)
            self._view()

    def _view(self) -> None:
        """The fields of the records as columns; to be looked at anew whenever the records may have moved."""
        records = self._records
        self._key: Keys = records["key"]
        self._score: Floats = records["score"]
        self._host: HostColumn = records["host"]
        self._row: Places = records["row"]
        self._index: Places = records["index"]

    def _add_distinct(self, keys: Keys, hosts: HostColumn, values: Floats, row: int, places: Places) -> int:
        slots, at = self._table.find(keys, self._key)
        new = slots < 0
        count = int(np.count_nonzero(new))
        if not count:
            self._meet_again(slots, values, row, places)
            return 0
        if count < len(keys):
            known = ~new
            self._meet_again(slots[known], values[known], row, places[known])
            keys, at, hosts, values, places = keys[new], at[new], hosts[new], values[new], places[new]
        self._add_new(keys, at, hosts, values, row, places)
        return count

    def _new_slots(
        self, keys: Keys, at: Slots, hosts: HostColumn, values: Floats, row: int, places: Places
    ) -> npt.NDArray[np.int64]:
        """Slots for distinct unknown keys, in this order."""
        start, end = self._count, self._count + len(keys)
        self._grow(end)
        self._count = end
        self._key[start:end], self._score[start:end], self._host[start:end] = keys, values, hosts
        self._row[start:end], self._index[start:end] = row, places
        if self._mean:
            out = np.isnan(values)
            self._sum[start:end], self._seen[start:end], self._best[start:end] = np.where(out, 0, values), ~out, values
        slots = np.arange(start, end)
        self._table.place(keys, slots, at, self._key)
        return slots

    def _add_new(self, keys: Keys, at: Slots, hosts: HostColumn, values: Floats, row: int, places: Places) -> None:
        slots = self._new_slots(keys, at, hosts, values, row, places)
        out = np.isnan(values)
        if out.any():
            self._state[slots[out]] = PARKED
            self._parked += int(np.count_nonzero(out))
            slots, hosts, values = slots[~out], hosts[~out], values[~out]
        order = merits(values, slots)
        if len(order) >= MANY:
            self._enter_many(hosts, order)
            return
        for host, merit in zip(hosts.tolist(), order.tolist(), strict=True):
            self._enter(host, merit)

    def _meet_again(self, slots: Slots, values: Floats, row: int, places: Places) -> None:
        """Another link to known URLs (distinct slots): combine its score by the rule."""
        better = self._better(slots, values, row, places)
        if better is not None and better.any():
            slots = slots[better]
            self._row[slots], self._index[slots] = row, places[better]
            self._change(slots, values[better])

    def _better(self, slots: Slots, values: Floats, row: int, places: Places) -> Bools | None:
        """bool[n]: which values take the place of a known URL's score; None when means were made of them instead."""
        state = self._state.take(slots)
        if not self._parked and self.duplicates == "best":  # the same in fewer steps: NaN is above nothing
            better: Bools = (values > self._score[slots]) & (state <= HOT)
            return better
        live = (state <= PARKED) & ~np.isnan(values)
        if self._mean:
            self._average(slots[live], values[live], row, places[live])
            return None
        better = state == PARKED
        if self.duplicates == "best":
            better |= values > self._score[slots]
        better &= live
        return better

    def _average(self, slots: Slots, values: Floats, row: int, places: Places) -> None:
        self._sum[slots] += values
        self._seen[slots] += 1
        better = ~(values <= self._best[slots])
        self._best[slots[better]] = values[better]
        self._row[slots[better]], self._index[slots[better]] = row, places[better]
        self._change(slots, (self._sum[slots] / self._seen[slots]).astype(np.float32))

    def _change(self, slots: Slots, values: Floats) -> None:
        """New scores for waiting or parked slots (distinct)."""
        columns = slots.tolist(), self._host[slots].tolist(), merits(values, slots).tolist(), values.tolist()
        state, queues = self._state.item, self._queues
        for slot, host, merit, value in zip(*columns, strict=True):
            if state(slot) == COLD and merit <= queues[host].floor:
                self._score[slot] = value  # as most: cold it is and cold it stays
            else:
                self._move(host, merit_of(self._score.item(slot), slot), merit, value)

    # -- single links -------------------------------------------------------------------------------------

    def _add_each(self, keys: Keys, hosts: HostColumn, values: Floats, row: int, places: Places) -> int:
        """Links one by one; keys may repeat. Returns how many were new."""
        before = self._count
        columns = keys.tolist(), hosts.tolist(), values.tolist(), places.tolist()
        for key, host, score, place in zip(*columns, strict=True):
            slot, at = self._table.find_one(key, self._key)
            if slot < 0:
                self._add_one(key, at, host, score, row, place)
            else:
                self._meet_one(slot, score, row, place)
        return self._count - before

    def _add_one(self, key: int, at: int, host: int, score: float, row: int, place: int) -> None:
        slot, out = self._count, math.isnan(score)
        self._grow(slot + 1)
        self._count = slot + 1
        self._key[slot], self._score[slot], self._host[slot] = key, score, host
        self._row[slot], self._index[slot] = row, place
        if self._mean:
            self._sum[slot], self._seen[slot], self._best[slot] = 0.0 if out else score, not out, score
        self._table.place_one(key, slot, at, self._key)
        if out:
            self._state[slot] = PARKED
            self._parked += 1
        else:
            self._enter(host, merit_of(score, slot))

    def _meet_one(self, slot: int, score: float, row: int, place: int) -> None:
        """``_meet_again`` for one link."""
        state, before = self._state.item(slot), self._score.item(slot)
        if state > PARKED or math.isnan(score):
            return
        better = state == PARKED or (self.duplicates == "best" and score > before)
        if self._mean:
            better, score = self._average_one(slot, score)
        elif not better:
            return
        if better:
            self._row[slot], self._index[slot] = row, place
        self._move(self._host.item(slot), merit_of(before, slot), merit_of(score, slot), score)

    def _average_one(self, slot: int, score: float) -> tuple[bool, float]:
        """Whether a score is the best so far, and the mean with it."""
        self._sum[slot] += score
        self._seen[slot] += 1
        better = not score <= self._best.item(slot)
        if better:
            self._best[slot] = score
        return better, np.float32(self._sum.item(slot) / self._seen.item(slot)).item()

    # -- queues -------------------------------------------------------------------------------------------

    def _queue(self, host: int) -> HostQueue:
        queues = self._queues
        if host >= len(queues):
            queues.extend([NOBODY] * (host + 1 - len(queues)))
        if queues[host] is NOBODY:
            queues[host] = HostQueue()
        return queues[host]

    def _seen_queues(self) -> Iterator[HostQueue]:
        return (queue for queue in self._queues if queue is not NOBODY)

    def _enter(self, host: int, merit: int) -> None:
        """A scored link, marked cold and in no queue, begins to wait."""
        queue = self._queue(host)
        if not queue.waiting:
            self._hosts += 1
        queue.waiting += 1
        self._waiting += 1
        self._put(host, queue, merit)

    def _put(self, host: int, queue: HostQueue, merit: int) -> None:
        """Place a waiting link that is marked cold."""
        if merit <= queue.floor:
            queue.cool_one(LOW - (merit & LOW))
            self._compact(queue)
            return
        hot = queue.hot
        if hot and merit < hot[-1]:
            insort(hot, merit)
        else:
            hot.append(merit)
        self._state[LOW - (merit & LOW)] = HOT
        if len(hot) > queue.limit:
            self._state[queue.overflow()] = COLD
            self._compact(queue)
        if queue.where == READY:
            if queue.hot[-1] == merit:
                self._announce(merit)
        elif queue.where == IDLE and not queue.busy:
            self._offer(host, queue)

    def _move(self, host: int, before: int, merit: int, value: float) -> None:
        """A waiting or parked link gets the score ``value``; its merit was ``before`` and is ``merit`` now."""
        slot = LOW - (merit & LOW)
        state, self._score[slot] = self._state.item(slot), value
        if state == PARKED:
            self._state[slot] = COLD
            self._parked -= 1
            self._enter(host, merit)
        elif state == HOT:
            self._move_hot(host, before, merit, slot)
        elif merit > self._queues[host].floor:  # its place among the cold goes stale
            self._put(host, self._queues[host], merit)

    def _move_hot(self, host: int, before: int, merit: int, slot: int) -> None:
        queue = self._queues[host]
        if queue.where == READY and queue.hot[-1] == before:
            queue.where = IDLE
        queue.drop(before)
        self._state[slot] = COLD
        self._put(host, queue, merit)
        if queue.where == IDLE and not queue.busy:
            self._offer(host, queue)

    def _enter_many(self, hosts: HostColumn, order: Merits) -> None:
        """``_enter`` for many links: host by host, each in one go."""
        by = np.lexsort((order, hosts))
        hosts, order = hosts[by], order[by]
        slots = slots_of(order)
        starts = np.flatnonzero(np.concatenate([[True], hosts[1:] != hosts[:-1]]))
        ends = np.append(starts[1:], len(hosts))
        self._waiting += len(order)
        for host, start, end in zip(hosts[starts].tolist(), starts.tolist(), ends.tolist(), strict=True):
            queue = self._queue(host)
            head = queue.hot[-1] if queue.hot else None
            if queue.waiting:
                self._merge(queue, order[start:end])
            else:
                self._hosts += 1
                cut = end - hot_size(end - start)
                queue.fill(order[cut:end], slots[start:cut])
                self._state[slots[cut:end]] = HOT
            queue.waiting += end - start
            if queue.where == READY:
                if queue.hot[-1] != head:
                    self._announce(queue.hot[-1])
            elif queue.where == IDLE and not queue.busy:
                self._offer(host, queue)

    def _merge(self, queue: HostQueue, order: Merits) -> None:
        """Take sorted merits into a queue in which others wait."""
        cut = int(np.searchsorted(order, np.uint64(queue.floor), "right")) if queue.floor > 0 else 0
        if cut:
            queue.cool(slots_of(order[:cut]))
        if cut < len(order):
            hot = np.concatenate([np.frombuffer(queue.hot, np.uint64), order[cut:]])
            hot.sort()
            queue.hot = array("Q", hot.tobytes())
            self._state[slots_of(order[cut:])] = HOT
            if len(hot) > queue.limit:
                self._state[queue.overflow()] = COLD

    def _refill(self, queue: HostQueue) -> None:
        """The best cold links of a queue become hot; none is hot, and some wait."""
        slots = self._cold(queue)
        self._state[queue.refill(merits(self._score[slots], slots))] = HOT

    def _cold(self, queue: HostQueue) -> npt.NDArray[np.uint32]:
        """The cold links of a queue, each once."""
        slots = np.frombuffer(queue.cold or b"", np.uint32)
        slots = slots[self._state[slots] == COLD]
        return slots if len(slots) == queue.waiting - len(queue.hot) else np.unique(slots)

    def _compact(self, queue: HostQueue) -> None:
        """Forget what is stale among the cold once it is more than half."""
        if queue.cold is not None and len(queue.cold) > 2 * queue.waiting + 64:
            queue.cold = array("I", np.unique(self._cold(queue)).tobytes())

    def _finish_known(self, slots: Slots) -> None:
        state = self._state[slots]
        self._parked -= int(np.count_nonzero(state == PARKED))
        self._state[slots] = np.where((state == LEASED) | (state == ENDING), ENDING, DONE)
        slots, state = slots[state <= HOT], state[state <= HOT]
        self._waiting -= len(slots)
        hosts, order = self._host[slots].tolist(), merits(self._score[slots], slots).tolist()
        beheaded = {}
        for host, merit, hot in zip(hosts, order, (state == HOT).tolist(), strict=True):
            queue = self._queues[host]
            queue.waiting -= 1
            if hot:
                if queue.hot[-1] == merit and queue.where == READY:
                    queue.where = IDLE
                    beheaded[host] = queue
                queue.drop(merit)
            if not queue.waiting:
                self._hosts -= 1
                queue.clear()
        for host, queue in beheaded.items():
            if queue.waiting:
                self._offer(host, queue)

    # -- hosts --------------------------------------------------------------------------------------------

    def _offer(self, host: int, queue: HostQueue) -> None:
        """Put a host on which something waits, and which is not busy, into the heap where it belongs."""
        if queue.ready_at > self._now:
            if queue.where != TIMED:
                queue.where = TIMED
                heappush(self._timed, (queue.ready_at, host))
            return
        if not queue.hot:
            self._refill(queue)
        queue.where = READY
        self._announce(queue.hot[-1])

    def _announce(self, merit: int) -> None:
        """The best link of a host that may be visited."""
        self._ready.push(merit)
        if len(self._ready) > 2 * self._hosts + 64:  # more than half say nothing any more
            self._ready.keep(self._stands)

    def _stands(self, merit: int) -> bool:
        """Whether a merit among the ready still is that of its host's best waiting link."""
        queue = self._queues[self._host.item(LOW - (merit & LOW))]
        return queue.where == READY and queue.hot[-1] == merit

    def _release(self, now: float) -> None:
        """Hosts whose time has come may be visited."""
        timed, queues = self._timed, self._queues
        while timed and timed[0][0] <= now:
            host = heappop(timed)[1]
            queue = queues[host]
            if queue.where == TIMED:
                queue.where = IDLE
                self._offer(host, queue)  # back to those that wait when it was held for longer meanwhile

    def _hand_out(self, slot: int, host: int, queue: HostQueue) -> Lease:
        queue.hot.pop()
        queue.where = IDLE
        queue.waiting -= 1
        if not queue.waiting:
            self._hosts -= 1
            queue.clear()
        queue.busy = True
        self._busy += 1
        self._waiting -= 1
        self._state[slot] = LEASED
        return self._lease_of(slot)

    def _lease_of(self, slot: int) -> Lease:
        return Lease(
            slot,
            self._key.item(slot),
            self._host.item(slot),
            self._row.item(slot),
            self._index.item(slot),
            self._score.item(slot),
        )

    def _check(self, lease: Lease) -> None:
        if not LEASED <= self._state.item(lease.slot) <= ENDING:
            raise ValueError(f"the lease of key {lease.key} has ended already; a lease ends once")

    def _free(self, host: int, ready_at: float) -> None:
        queue = self._queues[host]
        queue.busy = False
        self._busy -= 1
        queue.ready_at = max(queue.ready_at, ready_at)
        if queue.waiting:
            self._offer(host, queue)

    # -- all links scored again ---------------------------------------------------------------------------

    def _reset(self) -> None:
        """Waiting and parked slots lose their scores, all queues their links."""
        state = self._state[: self._count]
        live = state <= PARKED
        state[live] = PARKED
        open_ = state != DONE
        self._score[: self._count][open_] = np.nan
        if self._mean:
            for column, nothing in ((self._sum, 0.0), (self._seen, 0), (self._best, np.nan)):
                column[: self._count][open_] = nothing
        self._waiting, self._parked, self._hosts = 0, int(np.count_nonzero(live)), 0
        self._ready.clear()
        self._timed.clear()
        for queue in self._seen_queues():
            queue.clear()

    def _take_bulk(self, keys: Keys, values: Floats, row: Places, places: Places) -> None:
        """Combine many links (keys may repeat, order counts) into the score columns; queues are filled later."""
        slots = self._table.find(keys, self._key)[0]
        use = (slots >= 0) & ~np.isnan(values)
        use &= self._state[slots] != DONE
        slots, values, row, places = slots[use], values[use], row[use], places[use]
        if self.duplicates == "first":
            won = np.isnan(self._score[slots])
        else:
            won = _raise(self._best if self._mean else self._score, slots, values)
        first = np.flatnonzero(won)[::-1]  # of several links to a URL the last to be written has it: the first one
        self._row[slots[first]], self._index[slots[first]] = row[first], places[first]
        if self.duplicates == "first":
            self._score[slots[first]] = values[first]
        if self._mean:
            np.add.at(self._sum, slots, values.astype(np.float64))
            np.add.at(self._seen, slots, np.uint32(1))
            self._score[slots] = self._sum[slots] / self._seen[slots]

    def _requeue(self) -> int:
        """Queue every scored slot, all of a host in one go; some hosts at a time, to save memory."""
        parked = self._state[: self._count] == PARKED
        slots = np.flatnonzero(parked & ~np.isnan(self._score[: self._count])).astype(np.uint32)
        self._parked -= len(slots)
        self._state[slots] = COLD
        slots = slots[np.argsort(self._host[slots], kind="stable")]
        hosts = self._host[slots]
        start = 0
        while start < len(slots):
            end = int(np.searchsorted(hosts, hosts[min(start + BULK, len(hosts)) - 1], "right"))
            part = slots[start:end]
            self._enter_many(hosts[start:end], merits(self._score[part], part))
            start = end
        return len(slots)


def _stored(scores: Doubles) -> Floats:
    """Scores as they are kept: float32, none beyond its largest numbers."""
    return np.minimum(np.maximum(scores, -LARGEST), LARGEST).astype(np.float32)


def _places(n: int) -> Places:
    """int32[n]: 0, 1, ..."""
    return _FIRST[:n] if n <= len(_FIRST) else np.arange(n, dtype=np.int32)


def _repeated(keys: Keys) -> Bools | None:
    """bool[n]: which keys stand earlier in the array already; None when all are distinct."""
    if len(keys) < MANY:
        if len(set(keys.tolist())) == len(keys):
            return None
    elif not ((order := np.sort(keys))[1:] == order[:-1]).any():
        return None
    again = np.ones(len(keys), np.bool_)
    again[np.unique(keys, return_index=True)[1]] = False
    return again


def _raise(held: Floats, slots: Slots, values: Floats) -> Bools:
    """Raise ``held`` at slots (which may repeat) to the values that are larger, or where there was none (NaN).

    Returns bool[n]: which values are the new ones held; of equal ones all.
    """
    old = held[slots]
    np.fmax.at(held, slots, values)
    raised: Bools = (values == held[slots]) & ~(old >= values)
    return raised


def _bulks(rows: Iterable[Row]) -> Iterator[tuple[Keys, Floats, Places, Places]]:
    """Rows gathered to many links at a time: keys, scores, rows, places."""
    held: list[Row] = []
    size = 0
    for row in rows:
        if len(row[1]) != len(row[2]):
            raise ValueError(f"row {row[0]}: {len(row[1])} keys and {len(row[2])} scores; there must be one a key")
        held.append(row)
        size += len(row[1])
        if size >= BULK:
            yield _gathered(held)
            held, size = [], 0
    if size:
        yield _gathered(held)


def _gathered(rows: list[Row]) -> tuple[Keys, Floats, Places, Places]:
    sizes = np.array([len(row[1]) for row in rows])
    numbers = np.repeat(np.array([row[0] for row in rows], np.int32), sizes)
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    keys, values = np.concatenate([row[1] for row in rows]), _stored(np.concatenate([row[2] for row in rows]))
    return keys, values, numbers, places.astype(np.int32)
