"""Which waiting link may be fetched now: the queues of all hosts, and the hosts by what they wait for.

Per host a ``HostQueue``; host ids are taken to be dense, as a store's are. Over the hosts: those that may be visited
now, by their best link, and a heap of those that must wait, by time. Entries of both go stale rather than being
searched for: one counts only if it still says what its host's queue says.

Invariants between calls: ``waiting`` of a queue is the number of its hot links and of distinct slots marked cold in
it; a host that is ready has a hot link, and an entry for the best one; a host in neither place is busy or has nothing
that waits.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, insort
from collections.abc import Iterator
from heapq import heappop, heappush, heapreplace

import numpy as np
import numpy.typing as npt

from clew.frontier.keytable import SlotColumn
from clew.frontier.merits import LOW, Merits, SlotNumbers, slots_of
from clew.frontier.queues import IDLE, READY, TIMED, HostQueue, hot_sizes
from clew.frontier.ready import ReadyHosts
from clew.frontier.resting import Resting, Waits
from clew.frontier.slots import COLD, HOT, HostColumn, Slots
from clew.model import Bools, distinct

NOBODY = HostQueue()
"""Stands for the queue of a host that was not seen yet."""

NOTHING = -1


class Hosts:
    """Queues the slots that wait; marks them hot and cold, and reads nothing but their scores, tiers and hosts.

    ``waiting`` links in all on ``waited_for`` hosts; ``busy`` hosts have a link leased.
    """

    def __init__(self, slots: Slots, waits: Waits | None = None) -> None:
        self.waiting = self.waited_for = self.busy = 0
        self.queues: list[HostQueue] = []  # by host; hosts not seen yet share NOBODY
        self._slots = slots
        self._state = slots.state  # the same array for good: it grows where it is
        self._ready = ReadyHosts()
        self._timed: list[tuple[float, int]] = []  # (time at which to look again, host)
        self._now = 0.0
        self._resting = None if waits is None else Resting(waits, slots, self.queues, self._refill)

    @property
    def link_nbytes(self) -> int:
        """Bytes that grow with the links."""
        return sum(queue.link_nbytes for queue in self._seen())

    @property
    def host_nbytes(self) -> int:
        """Bytes that grow with the hosts: queues, the list of the ready, the heap of the others (pairs of numbers)."""
        queues = sum(queue.host_nbytes for queue in self._seen())
        pair = sys.getsizeof((0.0, 0)) + sys.getsizeof(0.0) + sys.getsizeof(1 << 16)
        heap = sys.getsizeof(self._timed) + pair * len(self._timed)
        resting = 0 if self._resting is None else self._resting.nbytes
        return sys.getsizeof(self.queues) + queues + self._ready.nbytes + heap + resting

    def waiting_on(self, host: int) -> int:
        """How many links wait on a host."""
        return self.queues[host].waiting if host < len(self.queues) else 0

    # -- links come, change and go ------------------------------------------------------------------------

    def enter(self, host: int, merit: int) -> None:
        """A link, marked cold and in no queue, begins to wait."""
        queues = self.queues
        if host >= len(queues) or (queue := queues[host]) is NOBODY:
            queue = self._queue(host)
        if not queue.waiting:
            self.waited_for += 1
        queue.waiting += 1
        self.waiting += 1
        self._put(host, queue, merit)

    def enter_many(self, hosts: HostColumn, order: Merits) -> None:
        """``enter`` for many links: host by host, each in one go."""
        by = _by_host(hosts, order)
        hosts, order = hosts[by], order[by]
        slots = slots_of(order)
        starts = np.flatnonzero(np.concatenate([[True], hosts[1:] != hosts[:-1]]))
        ends = np.append(starts[1:], len(hosts))
        cuts = ends - hot_sizes(ends - starts)
        numbers = hosts[starts].tolist()
        queues = [self._queue(host) for host in numbers]
        hot = np.arange(len(order)) >= cuts.repeat(ends - starts)
        hot &= np.array([not queue.waiting for queue in queues], np.bool_).repeat(ends - starts)
        self._state[slots[hot]] = HOT
        self.waiting += len(order)
        best, rest, ready = order.tobytes(), slots.tobytes(), list[int]()
        columns = starts.tolist(), cuts.tolist(), ends.tolist()
        for host, queue, start, cut, end in zip(numbers, queues, *columns, strict=True):
            head = queue.hot[-1] if queue.hot else None
            if queue.waiting:
                self._merge(queue, order[start:end])
            else:
                self.waited_for += 1
                queue.fill(best[8 * cut : 8 * end], rest[4 * start : 4 * cut])
            queue.waiting += end - start
            if queue.where == IDLE and not queue.busy and queue.ready_at <= self._now:
                queue.where = READY
                ready.append(queue.hot[-1])
            elif queue.where == READY:
                if queue.hot[-1] != head:
                    ready.append(queue.hot[-1])
            elif queue.where == IDLE and not queue.busy:
                self._offer(host, queue)
            else:
                self._rests(queue)
        self._ready.push_many(ready)
        self._keep_few()

    def change_cold(self, host: int, merit: int) -> None:
        """A link that is marked cold has a new merit; its place among the cold goes stale if it becomes hot."""
        queue = self.queues[host]
        if merit > queue.floor:
            self._put(host, queue, merit)

    def change_hot(self, host: int, before: int, merit: int) -> None:
        """A hot link has a new merit. It may be in its place already, if its queue was refilled since."""
        queue = self.queues[host]
        hot = queue.hot
        at = bisect_left(hot, before)
        if at == len(hot) or hot[at] != before:
            return
        if queue.where == READY and at == len(hot) - 1:
            queue.where = IDLE
        del hot[at]
        if merit > queue.floor:
            insort(hot, merit)
        else:
            self._state[LOW - (merit & LOW)] = COLD
            queue.cool_one(LOW - (merit & LOW))
            self._compact(queue)
        self._tell(host, queue, merit)

    def remove(self, slots: SlotColumn, hot: Bools) -> None:
        """Waiting links, not marked as such any more, wait no longer; ``hot``: which of them were."""
        self.waiting -= len(slots)
        hosts, order = self._slots.host[slots].tolist(), self._slots.merits(slots).tolist()
        beheaded = {}
        for host, merit, was_hot in zip(hosts, order, hot.tolist(), strict=True):
            queue = self.queues[host]
            queue.waiting -= 1
            if was_hot:
                if queue.hot[-1] == merit and queue.where == READY:
                    queue.where = IDLE
                    beheaded[host] = queue
                queue.drop(merit)
            if not queue.waiting:
                self.waited_for -= 1
                queue.clear()
        for host, queue in beheaded.items():
            if queue.waiting:
                self._offer(host, queue)

    def clear(self) -> None:
        """Nothing waits anywhere; what hosts are busy and when they may be visited stays."""
        self.waiting = self.waited_for = 0
        self._ready.clear()
        self._timed.clear()
        if self._resting is not None:
            self._resting.clear()
        for queue in self._seen():
            queue.clear()

    # -- hosts are visited --------------------------------------------------------------------------------

    def take(self, now: float) -> int:
        """Take the best link whose host may be visited at ``now`` out of its queue, and make the host busy; returns
        its slot, or NOTHING, also where a better one is worth waiting for."""
        self._now = now
        if self._timed and self._timed[0][0] <= now:
            self._release(now)
        ready, queues, host_of = self._ready, self.queues, self._slots.host.item
        while merit := ready.top():
            slot = LOW - (merit & LOW)
            host = host_of(slot)
            queue = queues[host]
            if queue.where == READY and queue.hot[-1] == merit:
                if queue.ready_at <= now:
                    if self._resting is not None and self._resting.refuses(merit, now, self.waited_for):
                        return NOTHING
                    ready.pop()
                    self._take_head(queue)
                    return slot
                ready.pop()
                self._offer(host, queue)  # the clock went back
            else:
                ready.pop()
        return NOTHING

    def take_one(self, slot: int, now: float) -> bool:
        """Take this waiting link out of its queue and make its host busy, if that may be visited at ``now``."""
        queue = self.queues[self._slots.host.item(slot)]
        if queue.busy or queue.ready_at > now:
            return False
        self._now = now
        self.remove(np.array([slot]), np.array([self._state.item(slot) == HOT]))
        self._begin(queue)
        return True

    def free(self, host: int, ready_at: float) -> None:
        """A busy host may be visited again at ``ready_at``."""
        queue = self.queues[host]
        queue.busy = False
        self.busy -= 1
        if self._resting is not None:
            self._resting.freed(queue, ready_at)
        if ready_at > queue.ready_at:  # noqa: PLR1730 - max() takes longer
            queue.ready_at = ready_at
        if queue.waiting:
            self._offer(host, queue)

    def hold(self, host: int, ready_at: float) -> None:
        """A host may not be visited before ``ready_at``."""
        queue = self._queue(host)
        if ready_at > queue.ready_at:
            queue.ready_at = ready_at
            queue.prompt = False
            if queue.where == READY and ready_at > self._now:
                self._offer(host, queue)

    def next_ready(self) -> float | None:
        """The earliest time at which a link may be taken; None when nothing waits on any free host."""
        ready, queues = self._ready, self.queues
        while merit := ready.top():
            queue = queues[self._slots.host.item(LOW - (merit & LOW))]
            if queue.where == READY and queue.hot[-1] == merit:
                again = None if self._resting is None else self._resting.again(merit)
                if again is None:
                    return queue.ready_at
                when = self._next_timed()
                return again if when is None else min(again, when)
            ready.pop()
        return self._next_timed()

    def _next_timed(self) -> float | None:
        """When the first of the hosts that must wait may be visited."""
        timed, queues = self._timed, self.queues
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

    def _take_head(self, queue: HostQueue) -> None:
        """A ready host's best link waits no more, and the host is busy."""
        queue.hot.pop()
        queue.waiting -= 1
        if not queue.waiting:
            self.waited_for -= 1
            queue.clear()
        self.waiting -= 1
        self._begin(queue)

    def _begin(self, queue: HostQueue) -> None:
        """A host is busy from now on."""
        queue.where = IDLE
        queue.busy = True
        self.busy += 1
        if self._resting is not None:
            self._resting.began(queue, self._now)
            self._rests(queue)

    def _rests(self, queue: HostQueue) -> None:
        """The best link of a host that is busy or must wait is another, or it begins to wait."""
        if self._resting is not None and queue.waiting:
            self._resting.push(queue)
            if len(self._resting) > 4 * self.waited_for + 64:
                self._resting.compact()

    def _release(self, now: float) -> None:
        """Hosts whose time has come may be visited."""
        timed, queues = self._timed, self.queues
        while timed and timed[0][0] <= now:
            host = heappop(timed)[1]
            queue = queues[host]
            if queue.where == TIMED:
                queue.where = IDLE
                self._offer(host, queue)  # back to those that wait when it was held for longer meanwhile

    def _offer(self, host: int, queue: HostQueue) -> None:
        """Put a host on which something waits, and which is not busy, into the heap where it belongs."""
        if queue.ready_at > self._now:
            if queue.where != TIMED:
                queue.where = TIMED
                heappush(self._timed, (queue.ready_at, host))
                self._rests(queue)
            return
        if not queue.hot:
            self._refill(queue)
        queue.where = READY
        self._announce(queue.hot[-1])

    def _announce(self, merit: int) -> None:
        """The best link of a host that may be visited."""
        self._ready.push(merit)
        self._keep_few()

    def _keep_few(self) -> None:
        """Drop entries of the ready hosts once most of them are stale."""
        if len(self._ready) > 2 * self.waited_for + 64:  # more than half say nothing any more
            self._ready.keep(self._stands)

    def _stands(self, merit: int) -> bool:
        """Whether a merit among the ready still is that of its host's best waiting link."""
        queue = self.queues[self._slots.host.item(LOW - (merit & LOW))]
        return queue.where == READY and queue.hot[-1] == merit

    # -- one queue ----------------------------------------------------------------------------------------

    def _queue(self, host: int) -> HostQueue:
        queues = self.queues
        if host >= len(queues):
            queues.extend([NOBODY] * (host + 1 - len(queues)))
        if queues[host] is NOBODY:
            queues[host] = HostQueue()
        return queues[host]

    def _seen(self) -> Iterator[HostQueue]:
        return (queue for queue in self.queues if queue is not NOBODY)

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
        self._tell(host, queue, merit)

    def _tell(self, host: int, queue: HostQueue, merit: int) -> None:
        """Those who look for the best link of all hosts that this one has a new place."""
        if queue.where == READY:
            if queue.hot[-1] == merit:
                self._announce(merit)
        elif queue.where == IDLE and not queue.busy:
            self._offer(host, queue)
        elif self._resting is not None and merit == self._resting.head(queue):
            self._rests(queue)

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
        self._state[queue.refill(self._slots.merits(self._cold(queue)))] = HOT

    def _cold(self, queue: HostQueue) -> SlotNumbers:
        """The cold links of a queue, each once."""
        slots = np.frombuffer(queue.cold or b"", np.uint32)
        slots = slots[self._state[slots] == COLD]
        return slots if len(slots) == queue.waiting - len(queue.hot) else distinct(slots)

    def _compact(self, queue: HostQueue) -> None:
        """Forget what is stale among the cold once it is more than half."""
        if queue.cold is not None and len(queue.cold) > 2 * queue.waiting + 64:
            queue.cold = array("I", distinct(self._cold(queue)).tobytes())


def _by_host(hosts: HostColumn, order: Merits) -> npt.NDArray[np.intp]:
    """``np.lexsort((order, hosts))``; few hosts are sorted by digits, and merits, all distinct, in any way."""
    by = order.argsort()
    few = len(hosts) > 0 and int(hosts.max()) <= np.iinfo(np.uint16).max
    return by[(hosts.astype(np.uint16) if few else hosts)[by].argsort(kind="stable")]
