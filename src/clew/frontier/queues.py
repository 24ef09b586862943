"""The waiting links of one host, best first, in 4 to 8 bytes each.

A link's place in the order is its **merit**: one 64-bit number, higher is sooner, made of its score and its slot, so
that equal scores go by first sight. A queue keeps the best few merits sorted (``hot``) and the rest as bare slots
in no order (``cold``); when ``hot`` runs out it is refilled with the best of ``cold``. No cold link is better than
``floor``, and no hot link is worse. Every merit in ``hot`` is true; ``cold`` may hold slots that left it long ago,
and some twice: the frontier's states tell.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from clew.model import Floats

Merits = npt.NDArray[np.uint64]
ColdSlots = npt.NDArray[np.uint32]

LOW = 0xFFFFFFFF
"""The low half of a merit: LOW - slot."""

HOT_LEAST = 32
HOT_SHARE = 64
"""A refill takes 32 links, or one in 64 when that is more: sorting few often is as bad as sorting many."""

NOTHING_COLD = -1

IDLE, TIMED, READY = range(3)
"""Where a host stands: in no heap, in the heap of those that must wait, in the heap of those that may be visited."""

EMPTY = sys.getsizeof(array("Q"))

_ZERO, _SIGN, _31, _32 = np.float32(0.0), np.int32(-0x80000000), np.int32(31), np.uint64(32)
_float, _word = struct.Struct("<f"), struct.Struct("<I")


def merits(scores: Floats, slots: npt.NDArray[np.int64] | ColdSlots) -> Merits:
    """uint64[n]: the merit of each slot with its score (float32[n], no NaN)."""
    bits = (scores + _ZERO).view(np.int32)  # + 0.0 makes -0.0 and 0.0 equal
    order = bits ^ (bits >> _31 | _SIGN)  # of negative scores all bits turn, else the sign
    return order.view(np.uint32).astype(np.uint64) << _32 | (LOW - slots).astype(np.uint64)


def merit_of(score: float, slot: int) -> int:
    """The merit of one slot with its score."""
    bits: int = _word.unpack(_float.pack(score + 0.0))[0]
    return (bits ^ LOW if bits >> 31 else bits | 0x80000000) << 32 | LOW - slot


def slots_of(order: Merits) -> ColdSlots:
    """uint32[n]: the slots in merits."""
    return ~order.astype(np.uint32)


def hot_size(waiting: int) -> int:
    """How many of so many links a refill makes hot."""
    return min(waiting, max(HOT_LEAST, waiting // HOT_SHARE))


class HostQueue:
    """Waiting links of a host, and the host's own state. ``where`` says in which of the frontier's heaps it stands."""

    __slots__ = ("busy", "cold", "floor", "hot", "limit", "ready_at", "waiting", "where")

    def __init__(self) -> None:
        self.ready_at = 0.0
        self.busy = False
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

    def cool(self, slots: ColdSlots) -> None:
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

    def overflow(self) -> ColdSlots:
        """Move the worse part of a hot part beyond its limit to the cold one; returns the slots that moved."""
        cut = len(self.hot) - self.limit // 2
        leaving = slots_of(np.frombuffer(self.hot[:cut], np.uint64))
        self.hot = self.hot[cut:]
        self.floor = self.hot[0] - 1
        self.cool(leaving)
        return leaving

    def refill(self, order: Merits) -> ColdSlots:
        """Fill an empty hot part with the best of these, all that is cold; returns the slots now hot."""
        size = hot_size(len(order))
        if len(order) > 16 * size:  # else a whole sort is as quick
            order.partition(len(order) - size)
            order[-size:].sort()
        else:
            order.sort()
        self.fill(order[-size:], slots_of(order[:-size]))
        return slots_of(order[-size:])

    def fill(self, best: Merits, rest: ColdSlots) -> None:
        """Hold these links and no others: ``best`` sorted, none worse than any of ``rest``."""
        self.hot = array("Q", best.tobytes())
        self.cold = array("I", rest.tobytes()) if len(rest) else None
        self.floor = self.hot[0] - 1 if len(rest) else NOTHING_COLD
        self.limit = 2 * max(HOT_LEAST, len(best))
