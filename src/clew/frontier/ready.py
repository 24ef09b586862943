"""The hosts that may be visited now, each by the merit of its best link: put one in anywhere, take the best out.

The best few are kept sorted, the rest in no order, as in a ``HostQueue``. With 50,000 hosts that takes half the time
of a heap, whose entries lie all over the memory, and 8 bytes a host.
"""

from __future__ import annotations

import sys
from array import array
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

SORTED_LEAST = 256
SORTED_SHARE = 16
"""256 entries are sorted at a time, or one in 16 when that is more."""


class ReadyHosts:
    """Merits, best first. Merits that say nothing any more may be among them: whoever takes one out must look."""

    __slots__ = ("_floor", "_limit", "_rest", "_sorted")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Take all out."""
        self._sorted = array("Q")
        self._rest = array("Q")
        self._floor = 0  # none of the rest is better, all the sorted are
        self._limit = 2 * SORTED_LEAST

    def __len__(self) -> int:
        return len(self._sorted) + len(self._rest)

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return sys.getsizeof(self) + sys.getsizeof(self._sorted) + sys.getsizeof(self._rest)

    def push(self, merit: int) -> None:
        """Put a merit in."""
        best = self._sorted
        if merit <= self._floor:
            self._rest.append(merit)
        elif best and merit < best[-1]:
            insort(best, merit)
            if len(best) > self._limit:
                self._spill()
        else:
            best.append(merit)

    def push_many(self, merits: Sequence[int]) -> None:
        """Put many in, in one go when they are not few beside those that are in."""
        if 8 * len(merits) > len(self):
            self.replace([*self, *merits])
        else:
            for merit in merits:
                self.push(merit)

    def top(self) -> int:
        """The best merit; 0 when there is none."""
        if not self._sorted and self._rest:
            self._sort()
        return self._sorted[-1] if self._sorted else 0

    def pop(self) -> int:
        """Take the best merit out and return it; 0 when there is none."""
        if not self._sorted and self._rest:
            self._sort()
        return self._sorted.pop() if self._sorted else 0

    def __iter__(self) -> Iterator[int]:
        yield from self._sorted
        yield from self._rest

    def keep(self, stands: Callable[[int], bool]) -> None:
        """Drop merits that say nothing any more, and second ones."""
        self.replace([merit for merit in {*self._sorted, *self._rest} if stands(merit)])

    def replace(self, kept: Iterable[int]) -> None:
        """Hold these merits and no others."""
        self.clear()
        self._rest = array("Q", kept)
        self._sort()

    def _spill(self) -> None:
        """The worse half of the sorted joins the rest."""
        cut = len(self._sorted) // 2
        self._rest.extend(self._sorted[:cut])
        self._floor = self._sorted[cut - 1]
        del self._sorted[:cut]

    def _sort(self) -> None:
        """Sort the best of the rest."""
        order = np.array(self._rest, np.uint64)
        size = min(len(order), max(SORTED_LEAST, len(order) // SORTED_SHARE))
        if len(order) > size:
            order.partition(len(order) - size)
        best = np.sort(order[len(order) - size :])
        self._sorted, self._rest = array("Q", best.tobytes()), array("Q", order[: len(order) - size].tobytes())
        self._floor = self._sorted[0] - 1 if self._rest else 0
        self._limit = 2 * max(SORTED_LEAST, size)
