"""Links that wait for a time of their own, while their hosts may be visited for other links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from heapq import heappop, heappush


class Postponed:
    """A heap of slots by time; entries of slots that were dropped stay in it until they come up."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int]] = []
        self._host: dict[int, int] = {}  # of the slots that wait
        self._on: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._host)

    def on(self, host: int) -> int:
        """How many are on a host."""
        return self._on[host]

    def add(self, when: float, slot: int, host: int) -> None:
        """A slot waits until ``when``."""
        heappush(self._heap, (when, slot))
        self._host[slot] = host
        self._on[host] += 1

    def drop(self, slots: Iterable[int]) -> None:
        """These slots wait no longer."""
        for slot in slots:
            host = self._host.pop(slot)
            self._on[host] -= 1
            if not self._on[host]:
                del self._on[host]

    def due(self, now: float) -> list[tuple[int, int]]:
        """Take out the slots whose time has come: (slot, host) of each."""
        found = []
        while (when := self.next()) is not None and when <= now:
            slot = heappop(self._heap)[1]
            found.append((slot, self._host[slot]))
            self.drop((slot,))
        return found

    def next(self) -> float | None:
        """The earliest time, None when none waits."""
        while self._heap and self._heap[0][1] not in self._host:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None
