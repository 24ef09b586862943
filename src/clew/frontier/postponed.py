"""Links that wait for a time of their own, while their hosts may be visited for other links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from heapq import heappop, heappush


class Postponed:
    """A heap of slots by time; entries of slots that were dropped or come sooner stay in it until they come up."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int]] = []
        self._waits: dict[int, tuple[float, int]] = {}  # of the slots that wait: until when, and host
        self._on: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._waits)

    def on(self, host: int) -> int:
        """How many are on a host."""
        return self._on[host]

    def add(self, when: float, slot: int, host: int) -> None:
        """A slot waits until ``when``."""
        heappush(self._heap, (when, slot))
        self._waits[slot] = when, host
        self._on[host] += 1

    def sooner(self, when: float, slots: Iterable[int]) -> None:
        """Those of these slots that wait for longer wait until ``when``."""
        for slot in slots:
            until, host = self._waits.get(slot, (when, 0))
            if until > when:
                heappush(self._heap, (when, slot))
                self._waits[slot] = when, host

    def drop(self, slots: Iterable[int]) -> None:
        """These slots wait no longer."""
        for slot in slots:
            host = self._waits.pop(slot)[1]
            self._on[host] -= 1
            if not self._on[host]:
                del self._on[host]

    def due(self, now: float) -> list[tuple[int, int]]:
        """Take out the slots whose time has come: (slot, host) of each."""
        found = []
        while (when := self.next()) is not None and when <= now:
            slot = heappop(self._heap)[1]
            found.append((slot, self._waits[slot][1]))
            self.drop((slot,))
        return found

    def next(self) -> float | None:
        """The earliest time, None when none waits."""
        while self._heap and self._waits.get(self._heap[0][1], (None,))[0] != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None
