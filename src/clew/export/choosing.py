"""Which of the best pages are shown or handed over where one host has most of them: so many of a host, or in an order
in which hosts take turns."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Choosable(Protocol):
    """A page as far as it is chosen by."""

    @property
    def host(self) -> str: ...

    @property
    def relevance(self) -> float: ...

    @property
    def topic(self) -> int | None: ...


Page = TypeVar("Page", bound=Choosable)

DISCOUNT = 0.9
"""What a page counts for each page of its host that stands before it: after seven the next one, were its relevance 1,
stands behind pages of other hosts whose relevance is .5."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Of each topic ``top`` pages and of each host ``per_host``, at most; 0: all. ``diverse``: hosts take turns."""

    top: int = 0
    per_host: int = 0
    diverse: bool = False

    def of(self, rows: Iterable[Page]) -> Iterator[Page]:
        """What is chosen of ``rows``, best first."""
        found = self.of_hosts(rows, lambda row: row.host, lambda row: row.relevance)
        return first_of_each(found, lambda row: row.topic, self.top)

    def of_hosts(
        self, items: Iterable[Item], host: Callable[[Item], str], value: Callable[[Item], float]
    ) -> Iterator[Item]:
        """What is chosen of anything on hosts, best first, whatever its topic; ``value`` in [0, 1]."""
        found = first_of_each(items, host, self.per_host)
        return alternating(found, host, value) if self.diverse else found


def first_of_each(items: Iterable[Item], group: Callable[[Item], object], most: int) -> Iterator[Item]:
    """The first ``most`` of each group, in their order; 0: all."""
    counts: Counter[object] = Counter()
    for item in items:
        if most:
            counts[group(item)] += 1
        if not most or counts[group(item)] <= most:
            yield item


def alternating(items: Iterable[Item], host: Callable[[Item], str], value: Callable[[Item], float]) -> Iterator[Item]:
    """The same items, best first as they come, in the greedy order of their discounted values: value · 0.9^(items of
    the host before it). Ties keep their order. n · log(hosts) steps for n items."""
    queues: dict[str, deque[tuple[int, Item]]] = {}
    for place, item in enumerate(items):
        queues.setdefault(host(item), deque()).append((place, item))

    def head(name: str, factor: float) -> tuple[float, int, str, float]:
        place, item = queues[name][0]
        return -factor * value(item), place, name, factor

    heap = [head(name, 1.0) for name in queues]
    heapq.heapify(heap)
    while heap:
        _, _, name, factor = heap[0]
        yield queues[name].popleft()[1]
        if queues[name]:
            heapq.heapreplace(heap, head(name, factor * DISCOUNT))
        else:
            heapq.heappop(heap)
