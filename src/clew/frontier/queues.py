"""The waiting links of one host, best first, in 4 to 8 bytes each.

A queue keeps the best few merits sorted (``hot``) and the rest as bare slots in no order (``cold``); when ``hot`` runs
out it is refilled with the best of ``cold``. No cold link is better than ``floor``, and no hot link is worse. Every
merit in ``hot`` is true; ``cold`` may hold slots that left it long ago, and some twice: the states of slots tell.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left

import numpy as np

from clew.frontier.keytable import SlotColumn
from clew.frontier.merits import Merits, SlotNumbers, slots_of

HOT_LEAST = 32
HOT_SHARE = 64
"""A refill takes 32 links, or one in 64 when that is more: sorting few often is as bad as sorting many."""

NOTHING_COLD = -1

IDLE, TIMED, READY = range(3)
"""Where a host stands: in no heap, in the heap of those that must wait, in the heap of those that may be visited."""

EMPTY = sys.getsizeof(array("Q"))


def hot_size(waiting: int) -> int:
    """How many of so many links a refill makes hot."""
    return min(waiting, max(HOT_LEAST, waiting // HOT_SHARE))


def hot_sizes(waiting: SlotColumn) -> SlotColumn:
    """The same of many queues, int64[n]."""
    return np.minimum(waiting, np.maximum(HOT_LEAST, waiting // HOT_SHARE))


class HostQueue:
    """Waiting links of a host, and the host's own state; ``where``: in which of the heaps of ``Hosts`` it stands."""

    __slots__ = ("busy", "cold", "floor", "hot", "limit", "prompt", "ready_at", "waiting", "where")

    def __init__(self) -> None:
        self.ready_at = 0.0
        self.busy = False
        self.prompt = True  # whether its last answer and rest took no longer than is waited for a better link
        self.clear()

    def clear(self) -> None:
        """Nothing waits."""
        self.hot = array("Q")
        self.cold: array[int] | None = None
        self.floor = NOTHING_COLD
        self.limit = 2 * HOT_LEAST
        self.waiting = 0
        self.where = IDLE

    @property
    def link_nbytes(self) -> int:
        """Bytes that grow with the links in it."""
        cold = 0 if self.cold is None else sys.getsizeof(self.cold) - EMPTY
        return sys.getsizeof(self.hot) - EMPTY + cold

    @property
    def host_nbytes(self) -> int:
        """Bytes of the queue itself: the object, its arrays' heads and its numbers."""
        arrays = EMPTY if self.cold is None else 2 * EMPTY
        numbers = sys.getsizeof(self.ready_at) + sys.getsizeof(self.floor) + sys.getsizeof(self.waiting)
        return sys.getsizeof(self) + arrays + numbers

    def cool(self, slots: SlotNumbers) -> None:
        """Take in links that are no better than ``floor``."""
        if self.cold is None:
            self.cold = array("I")
        self.cold.frombytes(slots.tobytes())

    def cool_one(self, slot: int) -> None:
        """Take in a link that is no better than ``floor``."""
        if self.cold is None:
            self.cold = array("I")
        self.cold.append(slot)

    def drop(self, merit: int) -> None:
        """Take a link out of the hot part."""
        del self.hot[bisect_left(self.hot, merit)]

    def overflow(self) -> SlotNumbers:
        """Move the worse part of a hot part beyond its limit to the cold one; returns the slots that moved."""
        cut = len(self.hot) - self.limit // 2
        leaving = slots_of(np.frombuffer(self.hot[:cut], np.uint64))
        self.hot = self.hot[cut:]
        self.floor = self.hot[0] - 1
        self.cool(leaving)
        return leaving

    def refill(self, order: Merits) -> SlotNumbers:
        """Fill an empty hot part with the best of these, all that is cold; returns the slots now hot."""
        size = hot_size(len(order))
        if len(order) > 16 * size:  # else a whole sort is as quick
            order.partition(len(order) - size)
            order[-size:].sort()
        else:
            order.sort()
        self.fill(order[-size:].tobytes(), slots_of(order[:-size]).tobytes())
        return slots_of(order[-size:])

    def fill(self, best: bytes, rest: bytes) -> None:
        """Hold these links and no others: merits (uint64), sorted, none worse than any of the rest, slots (uint32)."""
        self.hot = array("Q", best)
        self.cold = array("I", rest) if rest else None
        self.floor = self.hot[0] - 1 if rest else NOTHING_COLD
        self.limit = 2 * max(HOT_LEAST, len(self.hot))
