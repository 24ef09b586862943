"""Whether a better link is worth waiting for: what waits on hosts that are busy or rest, and may be visited soon.

The best links of these hosts, best first, as in ``ReadyHosts``. Entries go stale rather than being searched for: one
that comes up and is not its host's best any more is replaced by the one that is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from clew.frontier.merits import LOW, TIER_1
from clew.frontier.queues import TIMED, HostQueue
from clew.frontier.ready import ReadyHosts
from clew.frontier.slots import Slots

FEW_HOSTS, PER_HOSTS, MOST = 128, 4, 64
"""See ``Waits``."""


@dataclass(frozen=True, slots=True)
class Waits:
    """A link is leased only while fewer than ``hosts`` (1 or more) of those that are not free, but will be within
    ``longest_s`` seconds, have a link of a higher score. Links of tiers above 0 neither wait nor are waited for.

    Where links wait on more than ``FEW_HOSTS``, ``hosts`` more for every ``PER_HOSTS`` of them; nothing waits where
    that makes more than ``MOST``: a large crawl stays quick."""

    hosts: int
    longest_s: float

    def enough(self, waited_for: int) -> int:
        """How many hosts with better links keep a link waiting where links wait on so many hosts; 0: nothing does."""
        enough = self.hosts * (1 + max(waited_for - FEW_HOSTS, 0) // PER_HOSTS)
        return enough if enough <= MOST else 0


class Resting:
    """The hosts that are busy or must wait, by their best links; a host that takes longer than it may does not count
    until it is free.

    ``queues`` are those of all hosts, ``refill`` makes the best of a queue hot.
    """

    def __init__(
        self, waits: Waits, slots: Slots, queues: list[HostQueue], refill: Callable[[HostQueue], None]
    ) -> None:
        self._waits = waits
        self._slots = slots
        self._queues = queues
        self._refill = refill
        self._heads = ReadyHosts()
        self._refused, self._again = 0, 0.0

    def __len__(self) -> int:
        return len(self._heads)

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return self._heads.nbytes

    def clear(self) -> None:
        """Nothing waits."""
        self._heads.clear()
        self._refused = 0

    def began(self, queue: HostQueue, now: float) -> None:
        """A host is busy from now on."""
        queue.ready_at = now
        self._refused = 0

    def freed(self, queue: HostQueue, ready_at: float) -> None:
        """A host is no longer busy, and may be visited again at ``ready_at``. One whose answer and rest take long does
        not count until that was once otherwise: it may be silent."""
        if ready_at >= queue.ready_at:
            queue.prompt = ready_at - queue.ready_at <= self._waits.longest_s

    def push(self, queue: HostQueue) -> None:
        """A host's best link, something waits on it, is another; or the host became busy or began to rest."""
        if head := self.head(queue):
            self._heads.push(head)

    def compact(self) -> None:
        """Keep one entry a host."""
        heads = set()
        for merit in self._heads:
            queue = self._queue_of(merit)
            if self._out(queue):
                heads.add(self.head(queue))
        self._heads.replace(heads - {0})

    def refuses(self, merit: int, now: float, waited_for: int) -> bool:
        """Whether so many hosts have better links than this one, which may be taken at ``now``, that it is not.
        ``waited_for``: on how many hosts links wait."""
        enough = self._waits.enough(waited_for)
        if merit >= TIER_1 or not enough:
            return False
        score = self._slots.score.item
        found: list[int] = []
        least = score(LOW - (merit & LOW))
        while len(found) < enough and (best := self._best(now)) > merit:
            if score(LOW - (best & LOW)) <= least:
                break
            self._heads.pop()
            if best not in found:  # hosts may be entered twice
                found.append(best)
        for best in found:
            self._heads.push(best)
        if len(found) < enough:
            return False
        self._refused, self._again = merit, min(self._until(self._queue_of(best)) for best in found)
        return True

    def again(self, merit: int) -> float | None:
        """Until when the link was refused that was last; None for another."""
        return self._again if merit == self._refused else None

    def _until(self, queue: HostQueue) -> float:
        return queue.ready_at + self._waits.longest_s if queue.busy else queue.ready_at

    def _best(self, now: float) -> int:
        """The best merit on hosts that count; 0 when there is none."""
        heads = self._heads
        while merit := heads.top():
            queue = self._queue_of(merit)
            if self._out(queue) and self._counts(queue, now):
                if self.head(queue) == merit:
                    return merit
                heads.pop()
                self.push(queue)
            else:
                heads.pop()
        return 0

    def _counts(self, queue: HostQueue, now: float) -> bool:
        """Whether a host will be free soon. ``ready_at`` of one that is busy is when it became so."""
        return queue.prompt and not (queue.busy and queue.ready_at + self._waits.longest_s <= now)

    @staticmethod
    def _out(queue: HostQueue) -> bool:
        """Whether something waits on a host that is busy or must wait."""
        return queue.waiting > 0 and (queue.busy or queue.where == TIMED)

    def head(self, queue: HostQueue) -> int:
        """The best link in tier 0 that waits on a host, 0 for none: others do not come for their score."""
        if not queue.hot:
            self._refill(queue)
        hot = queue.hot
        if hot[-1] < TIER_1:
            return hot[-1]
        below = bisect_left(hot, TIER_1)
        return hot[below - 1] if below else 0

    def _queue_of(self, merit: int) -> HostQueue:
        return self._queues[self._slots.host.item(LOW - (merit & LOW))]
