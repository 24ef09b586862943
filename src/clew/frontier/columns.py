"""The frontier in columns: every known URL is a slot, its facts lie in numpy arrays, about 40 bytes a link.

A slot's number is its place in the order of first sight. Per slot: key, score, host, where its URL and evidence lie
(row, index), state. Per host: a ``HostQueue``. Over the hosts: a heap of those that may be visited now, by their
best link, and a heap of those that must wait, by time. Heap entries go stale rather than being searched for: an
entry counts only if it still says what its host's queue says.
"""

from __future__ import annotations

import sys
from bisect import insort
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Literal

import numpy as np
import numpy.typing as npt

from clew.frontier.base import Lease
from clew.frontier.keytable import KeyTable, Slots
from clew.frontier.queues import IDLE, LOW, READY, TIMED, HostQueue, merits, slot_of
from clew.model import Bools, Doubles, Floats, Keys

Duplicates = Literal["best", "first", "mean"]
HostColumn = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int32]

COLD, HOT, LEASED, DONE, PARKED = range(5)
GROWTH = 1.125
BULK = 1 << 18
"""Links scored again at a time."""


class ColumnFrontier:
    """See the Protocol ``frontier.base.Frontier``. ``duplicates``: what several links to one URL count for."""

    def __init__(self, duplicates: Duplicates = "best") -> None:
        self.duplicates = duplicates
        self._count = 0
        self._key = np.zeros(64, np.uint64)
        self._score = np.zeros(64, np.float32)
        self._host = np.zeros(64, np.uint32)
        self._row = np.zeros(64, np.int32)
        self._index = np.zeros(64, np.int32)
        self._state = np.zeros(64, np.uint8)
        self._sum = np.zeros(64 if duplicates == "mean" else 0, np.float64)
        self._seen = np.zeros(64 if duplicates == "mean" else 0, np.uint32)
        self._best = np.zeros(64 if duplicates == "mean" else 0, np.float32)
        self._table = KeyTable()
        self._queues: list[HostQueue | None] = []
        self._ready: list[int] = []  # -merit of the best link of each host that may be visited
        self._tidy_at = 64
        self._timed: list[tuple[float, int]] = []  # (ready_at, host)
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
        queues = sum(queue.nbytes for queue in self._queues if queue is not None)
        return sum(column.nbytes for column in self._columns()) + self._table.nbytes + queues

    @property
    def host_nbytes(self) -> int:
        """Bytes that grow with the hosts: queue objects and heaps."""
        one = HostQueue()
        each = sys.getsizeof(one) + sys.getsizeof(one.hot) + sys.getsizeof(one.ready_at) + sys.getsizeof(one.floor)
        used = sum(queue is not None for queue in self._queues)
        heaps = sys.getsizeof(self._ready) + 36 * len(self._ready) + sys.getsizeof(self._timed) + 104 * len(self._timed)
        return each * used + sys.getsizeof(self._queues) + heaps

    @property
    def nbytes(self) -> int:
        return self.link_nbytes + self.host_nbytes

    def add(self, keys: Keys, hosts: HostColumn, scores: Doubles, row: int, indices: Places | None = None) -> int:
        if not len(keys):
            return 0
        places = np.arange(len(keys), dtype=np.int32) if indices is None else indices
        first = _first_of_each(keys)
        if first is None:
            return self._add_distinct(keys, hosts, np.asarray(scores, np.float32), row, places)
        again = np.setdiff1d(np.arange(len(keys)), first)
        new = self._add_distinct(keys[first], hosts[first], np.asarray(scores[first], np.float32), row, places[first])
        return new + self.add(keys[again], hosts[again], scores[again], row, places[again])

    def lease(self, now: float) -> Lease | None:
        self._now = now
        self._release(now)
        while self._ready:
            merit = -heappop(self._ready)
            slot = slot_of(merit)
            host = self._host.item(slot)
            queue = self._queues[host]
            assert queue is not None
            if self._stands(queue, merit):
                return self._hand_out(slot, host, queue)
        return None

    def done(self, lease: Lease, ready_at: float = 0.0) -> None:
        self._state[lease.slot] = DONE
        self._free(lease.host, ready_at)

    def retry(self, lease: Lease, ready_at: float) -> None:
        slots = np.array([lease.slot])
        if np.isnan(self._score[lease.slot]):  # all links were scored again meanwhile, and this one not to be followed
            self._state[lease.slot] = PARKED
            self._parked += 1
        else:
            self._enqueue(slots)
        self._free(lease.host, ready_at)

    def finish(self, keys: Keys) -> None:
        keys = np.unique(keys)
        slots = self._table.find(keys, self._key)
        unknown = keys[slots < 0]
        none = np.zeros(len(unknown))
        self._add_new(
            unknown, none.astype(np.uint32), np.full(len(unknown), np.nan, np.float32), 0, none.astype(np.int32)
        )
        slots = self._table.find(keys, self._key)
        state = self._state[slots]
        self._parked -= int((state == PARKED).sum())
        waiting = slots[(state == COLD) | (state == HOT)]
        self._state[slots[state != LEASED]] = DONE
        self._forget(waiting)

    def hold(self, host: int, ready_at: float) -> None:
        queue = self._queue(host)
        if ready_at > queue.ready_at:
            queue.ready_at = ready_at
            queue.where = IDLE
            self._offer(host, queue)

    def rescore(self, rows: Iterable[tuple[int, Keys, Doubles]]) -> int:
        self._reset()
        for slots, scores, row, places in self._bulks(rows):
            self._take_bulk(slots, scores, row, places)
        return self._requeue()

    def next_ready(self) -> float | None:
        while self._ready:
            merit = -self._ready[0]
            queue = self._queues[int(self._host[slot_of(merit)])]
            assert queue is not None
            if self._stands(queue, merit):
                return queue.ready_at
            heappop(self._ready)
        while self._timed:
            when, host = self._timed[0]
            waiting = self._queues[host]
            if waiting is not None and waiting.where == TIMED and waiting.ready_at == when:
                return when
            heappop(self._timed)
        return None

    def known(self, keys: Keys) -> Bools:
        return np.asarray(self._table.find(keys, self._key) >= 0, np.bool_)

    def best(self, n: int) -> list[Lease]:
        slots = np.flatnonzero(self._state[: self._count] <= HOT)
        if not len(slots):
            return []
        order = merits(self._score[slots], slots)
        if len(slots) > n:
            top = np.argpartition(order, len(order) - n)[-n:]
            slots, order = slots[top], order[top]
        return [self._lease_of(int(slots[i])) for i in np.argsort(order)[::-1]]

    # -- slots --------------------------------------------------------------------------------------------

    def _columns(self) -> tuple[npt.NDArray[np.generic], ...]:
        main = (self._key, self._score, self._host, self._row, self._index, self._state)
        return (*main, self._sum, self._seen, self._best) if self.duplicates == "mean" else main

    def _grow(self, size: int) -> None:
        """Room for ``size`` slots; the system moves large arrays without copying them."""
        if size > len(self._key):
            room = max(size, int(len(self._key) * GROWTH) + 64)
            for column in self._columns():
                column.resize(room, refcheck=False)

    def _add_distinct(self, keys: Keys, hosts: HostColumn, scores: Floats, row: int, places: Places) -> int:
        slots = self._table.find(keys, self._key)
        new = slots < 0
        count = int(np.count_nonzero(new))
        if count < len(keys):
            known = ~new
            self._meet_again(slots[known], scores[known], row, places[known])
        if count:
            self._add_new(keys[new], hosts[new], scores[new], row, places[new])
        return count

    def _add_new(self, keys: Keys, hosts: HostColumn, scores: Floats, row: int, places: Places) -> None:
        """Slots for distinct unknown keys, in this order."""
        if not len(keys):
            return
        slots = np.arange(self._count, self._count + len(keys))
        self._grow(self._count + len(keys))
        self._count += len(keys)
        self._key[slots], self._score[slots], self._host[slots] = keys, scores, hosts
        self._row[slots], self._index[slots] = row, places
        self._table.place(keys, slots, self._key)
        out = np.isnan(scores)
        if self.duplicates == "mean":
            self._sum[slots], self._seen[slots], self._best[slots] = np.where(out, 0.0, scores), ~out, scores
        if out.any():
            self._state[slots[out]] = PARKED
            self._parked += int(out.sum())
            slots = slots[~out]
        if len(slots):
            self._enqueue(slots)

    def _meet_again(self, slots: Slots, scores: Floats, row: int, places: Places) -> None:
        """Another link to known URLs (distinct slots): combine its score by the rule."""
        state = self._state[slots]
        live = ((state <= HOT) | (state == PARKED)) & ~np.isnan(scores)
        if not live.any():
            return
        slots, scores, places, parked = slots[live], scores[live], places[live], state[live] == PARKED
        old = self._score[slots]
        if self.duplicates == "mean":
            self._average(slots, scores, row, places)
            return
        changed = parked | (scores > old) if self.duplicates == "best" else parked
        if changed.any():
            self._change(slots[changed], scores[changed])
            self._row[slots[changed]], self._index[slots[changed]] = row, places[changed]

    def _average(self, slots: Slots, scores: Floats, row: int, places: Places) -> None:
        self._sum[slots] += scores
        self._seen[slots] += 1
        better = (scores > self._best[slots]) | np.isnan(self._best[slots])
        self._best[slots[better]] = scores[better]
        self._row[slots[better]], self._index[slots[better]] = row, places[better]
        self._change(slots, (self._sum[slots] / self._seen[slots]).astype(np.float32))

    def _change(self, slots: Slots, scores: Floats) -> None:
        """New scores for waiting or parked slots; moves them in their queues."""
        state = self._state[slots]
        hot = slots[state == HOT]
        for slot, merit in zip(hot.tolist(), merits(self._score[hot], hot).tolist(), strict=True):
            self._queue(int(self._host[slot])).drop(merit)
        self._score[slots] = scores
        self._parked -= int((state == PARKED).sum())
        self._forget(slots[state <= HOT])  # taken in again at once; what lies in a cold part meanwhile is skipped
        self._state[slots] = PARKED
        self._enqueue(slots)

    # -- queues -------------------------------------------------------------------------------------------

    def _queue(self, host: int) -> HostQueue:
        queues = self._queues
        if host >= len(queues):
            queues.extend([None] * (host + 1 - len(queues)))
        queue = queues[host]
        if queue is None:
            queue = queues[host] = HostQueue()
        return queue

    def _enqueue(self, slots: Slots) -> None:
        """Put scored slots into their hosts' queues."""
        hosts, order = self._host[slots].tolist(), merits(self._score[slots], slots).tolist()
        self._state[slots] = COLD
        self._waiting += len(slots)
        hot, touched = [], {}
        host = -1
        for next_host, merit in zip(hosts, order, strict=True):
            if next_host != host:
                host, queue = next_host, self._queue(next_host)
            if not queue.waiting:
                self._hosts += 1
            queue.waiting += 1
            if merit > queue.floor:
                insort(queue.hot, merit)
                hot.append(LOW - (merit & LOW))
                touched[host] = queue
            else:
                queue.put_cold(LOW - (merit & LOW))
                if not queue.hot:
                    touched[host] = queue
        if hot:
            self._state[hot] = HOT
        for host, queue in touched.items():
            leaving = queue.overflow()
            if leaving:
                self._state[leaving] = COLD
            self._offer(host, queue)

    def _forget(self, slots: Slots) -> None:
        """Waiting slots wait no more; their states were set already, or will be."""
        self._waiting -= len(slots)
        if not len(slots):
            return
        hosts, counts = np.unique(self._host[slots], return_counts=True)
        for host, count in zip(hosts.tolist(), counts.tolist(), strict=True):
            queue = self._queue(host)
            queue.waiting -= count
            if not queue.waiting:
                self._hosts -= 1
                queue.where = IDLE
            self._offer(host, queue)

    def _head(self, queue: HostQueue) -> int | None:
        """The best merit of a queue, or None when nothing waits; refills the hot part when it ran out."""
        while True:
            while queue.hot:
                merit = queue.hot[-1]
                if self._state.item(LOW - (merit & LOW)) == HOT:
                    return merit
                queue.hot.pop()
            if queue.cold is None:
                queue.floor = -1
                return None
            self._refill(queue)

    def _refill(self, queue: HostQueue) -> None:
        assert queue.cold is not None
        slots = np.unique(np.frombuffer(queue.cold, np.uint32))
        slots = slots[self._state[slots] == COLD]
        hot = queue.refill(slots, merits(self._score[slots], slots))
        self._state[hot] = HOT

    # -- hosts --------------------------------------------------------------------------------------------

    def _offer(self, host: int, queue: HostQueue) -> None:
        """Put a host into the heap where it belongs, if something waits on it and it is not busy."""
        if queue.busy or not queue.waiting:
            return
        if queue.ready_at > self._now:
            if queue.where != TIMED:
                queue.where = TIMED
                heappush(self._timed, (queue.ready_at, host))
            return
        merit = self._head(queue)
        if merit is not None and not (queue.where == READY and queue.offered == merit):
            queue.where, queue.offered = READY, merit
            heappush(self._ready, -merit)
            if len(self._ready) > self._tidy_at:
                self._tidy()

    def _tidy(self) -> None:
        """Drop stale entries once they may be half of all."""
        queues, hosts = self._queues, self._host
        self._ready = [
            entry
            for entry in self._ready
            if (queue := queues[int(hosts[slot_of(-entry)])]) is not None and self._stands(queue, -entry)
        ]
        heapify(self._ready)
        self._tidy_at = 2 * len(self._ready) + 64

    def _release(self, now: float) -> None:
        """Hosts whose time has come may be visited."""
        timed = self._timed
        while timed and timed[0][0] <= now:
            when, host = heappop(timed)
            queue = self._queues[host]
            if queue is not None and queue.where == TIMED and queue.ready_at == when:
                queue.where = IDLE
                self._offer(host, queue)

    def _stands(self, queue: HostQueue, merit: int) -> bool:
        """Whether a ready entry still is its host's best waiting link."""
        if queue.where != READY or not queue.hot or queue.hot[-1] != merit:
            return False
        return bool(self._state.item(LOW - (merit & LOW)) == HOT)

    def _hand_out(self, slot: int, host: int, queue: HostQueue) -> Lease:
        queue.hot.pop()
        queue.busy, queue.where = True, IDLE
        queue.waiting -= 1
        self._hosts -= not queue.waiting
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

    def _free(self, host: int, ready_at: float) -> None:
        queue = self._queue(host)
        queue.busy = False
        self._busy -= 1
        queue.ready_at = max(queue.ready_at, ready_at)
        self._offer(host, queue)

    # -- all links scored again ---------------------------------------------------------------------------

    def _reset(self) -> None:
        """Waiting and parked slots lose their scores, all queues their links."""
        state = self._state[: self._count]
        live = np.flatnonzero((state <= HOT) | (state == PARKED))
        self._state[live] = PARKED
        open_ = np.flatnonzero(self._state[: self._count] != DONE)
        self._score[open_] = np.nan
        if self.duplicates == "mean":
            self._sum[open_], self._seen[open_], self._best[open_] = 0.0, 0, np.nan
        self._waiting, self._parked, self._hosts = 0, len(live), 0
        self._ready.clear()
        for queue in self._queues:
            if queue is not None:
                queue.hot, queue.cold, queue.floor, queue.waiting = type(queue.hot)("Q"), None, -1, 0
                queue.where = IDLE
        self._timed.clear()

    def _bulks(self, rows: Iterable[tuple[int, Keys, Doubles]]) -> Iterator[tuple[Slots, Floats, Places, Places]]:
        """Rows gathered to many links at a time: slots, scores, rows, places, where there is a score."""
        numbers: list[Places] = []
        columns: list[tuple[Keys, Doubles, Places]] = []
        size = 0
        for row, keys, scores in rows:
            numbers.append(np.full(len(keys), row, np.int32))
            columns.append((keys, scores, np.arange(len(keys), dtype=np.int32)))
            size += len(keys)
            if size >= BULK:
                yield self._gathered(numbers, columns)
                numbers, columns, size = [], [], 0
        if size:
            yield self._gathered(numbers, columns)

    def _gathered(
        self, numbers: list[Places], columns: list[tuple[Keys, Doubles, Places]]
    ) -> tuple[Slots, Floats, Places, Places]:
        keys = np.concatenate([column[0] for column in columns])
        scores = np.concatenate([column[1] for column in columns]).astype(np.float32)
        places, row = np.concatenate([column[2] for column in columns]), np.concatenate(numbers)
        slots = self._table.find(keys, self._key)
        use = (slots >= 0) & ~np.isnan(scores)
        use &= self._state[slots] != DONE
        return slots[use], scores[use], row[use], places[use]

    def _take_bulk(self, slots: Slots, scores: Floats, row: Places, places: Places) -> None:
        """Combine many links (slots may repeat, order counts) into the score columns; queues are filled later."""
        if self.duplicates == "mean":
            np.add.at(self._sum, slots, scores)
            np.add.at(self._seen, slots, 1)
        held = self._best if self.duplicates == "mean" else self._score
        rank = np.arange(len(slots)) if self.duplicates == "first" else -scores
        order = np.lexsort((np.arange(len(slots)), rank, slots))
        head = np.ones(len(order), np.bool_)
        head[1:] = slots[order[1:]] != slots[order[:-1]]
        pick = order[head]
        old = held[slots[pick]]
        take = np.isnan(old) if self.duplicates == "first" else np.isnan(old) | (scores[pick] > old)
        pick = pick[take]
        held[slots[pick]] = scores[pick]
        self._row[slots[pick]], self._index[slots[pick]] = row[pick], places[pick]
        if self.duplicates == "mean":
            self._score[slots] = (self._sum[slots] / self._seen[slots]).astype(np.float32)

    def _requeue(self) -> int:
        """Queue every scored slot; host by host, the best link hot and the rest cold until it is needed."""
        slots = np.flatnonzero((self._state[: self._count] == PARKED) & ~np.isnan(self._score[: self._count]))
        self._parked -= len(slots)
        self._waiting = len(slots)
        self._state[slots] = COLD
        if len(slots):
            order = np.argsort(self._host[slots], kind="stable")
            slots = slots[order]
            hosts, starts = np.unique(self._host[slots], return_index=True)
            for host, part in zip(hosts.tolist(), np.split(slots.astype(np.uint32), starts[1:]), strict=True):
                self._fill(host, part)
        for host, queue in enumerate(self._queues):
            if queue is not None:
                self._offer(host, queue)
        return len(slots)

    def _fill(self, host: int, slots: npt.NDArray[np.uint32]) -> None:
        queue = self._queue(host)
        queue.waiting = len(slots)
        self._hosts += 1
        hot = queue.refill(slots, merits(self._score[slots], slots))
        self._state[hot] = HOT


def _first_of_each(keys: Keys) -> npt.NDArray[np.intp] | None:
    """Places of the first of each distinct key, in order; None when all are distinct."""
    if len(keys) < 2:
        return None
    distinct, first = np.unique(keys, return_index=True)
    return None if len(distinct) == len(keys) else np.sort(first)
