"""The waiting links of one host, best first, in 4 to 8 bytes each.

A link's place in the order is its **merit**: one 64-bit number, higher is sooner, made of its score and its slot, so
that equal scores go by first sight. A queue keeps the best few merits sorted (``hot``) and the rest as bare slots
in no order (``cold``); when ``hot`` runs out it is refilled with the best of ``cold``. No cold link is better than
``floor``, and no hot link is worse.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from clew.model import Floats

Merits = npt.NDArray[np.uint64]

LOW = 0xFFFFFFFF
"""The low half of a merit: LOW - slot."""

HOT_LEAST = 16
HOT_SHARE = 32
"""A refill takes 16 links, or one in 32 when that is more: sorting few often is as bad as sorting many."""

NOTHING_COLD = -1

IDLE, TIMED, READY = range(3)
"""Where a host stands: in no heap, in the heap of those that must wait, in the heap of those that may be visited."""


def merits(scores: Floats, slots: npt.NDArray[np.integer]) -> Merits:
    """uint64[n]: the merit of each slot with its score (float32[n], no NaN)."""
    bits = (scores + np.float32(0.0)).view(np.uint32)  # + 0.0 makes -0.0 and 0.0 equal
    rising = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(0x80000000)).astype(np.uint64)
    return np.asarray((rising << np.uint64(32)) | (np.uint64(LOW) - slots.astype(np.uint64)), np.uint64)


def slot_of(merit: int) -> int:
    """The slot in a merit."""
    return LOW - (merit & LOW)


class HostQueue:
    """Waiting links of a host, and the host's own state. ``where`` says in which of the frontier's heaps it stands."""

    __slots__ = ("busy", "cold", "floor", "hot", "limit", "offered", "ready_at", "waiting", "where")

    def __init__(self) -> None:
        self.hot = array("Q")
        self.cold: array[int] | None = None
        self.floor = NOTHING_COLD
        self.limit = 2 * HOT_LEAST
        self.waiting = 0
        self.ready_at = 0.0
        self.busy = False
        self.where = IDLE
        self.offered = 0  # the merit under which it stands in the heap of ready hosts

    @property
    def nbytes(self) -> int:
        """Bytes of the links in it (the object itself apart)."""
        cold = 0 if self.cold is None else self.cold.buffer_info()[1] * self.cold.itemsize
        return len(self.hot) * self.hot.itemsize + cold

    def put_cold(self, slot: int) -> None:
        """Take in a link that is no better than ``floor``."""
        if self.cold is None:
            self.cold = array("I")
        self.cold.append(slot)

    def drop(self, merit: int) -> None:
        """Take a link out of the hot part."""
        place = bisect_left(self.hot, merit)
        if place < len(self.hot) and self.hot[place] == merit:
            del self.hot[place]

    def overflow(self) -> list[int]:
        """The slots that leave the hot part for the cold one, when it has grown beyond its limit."""
        if len(self.hot) <= self.limit:
            return []
        cut = len(self.hot) - self.limit // 2
        leaving = [slot_of(merit) for merit in self.hot[:cut]]
        self.hot = self.hot[cut:]
        self.floor = max(self.floor, self.hot[0] - 1)
        for slot in leaving:
            self.put_cold(slot)
        return leaving

    def refill(self, slots: npt.NDArray[np.uint32], order: Merits) -> npt.NDArray[np.uint32]:
        """Fill the hot part with the best of these links, the rest stays cold; returns the slots now hot."""
        size = max(HOT_LEAST, len(slots) // HOT_SHARE)
        self.limit = 2 * size
        if len(slots) <= size:
            best, rest, self.floor = np.argsort(order), slots[:0], NOTHING_COLD
        else:
            split = np.argpartition(order, len(order) - size)
            best, rest = split[-size:], slots[split[:-size]]
            best = best[np.argsort(order[best])]
            self.floor = int(order[best[0]]) - 1
        self.hot = array("Q", order[best].tobytes())
        self.cold = array("I", rest.tobytes()) if len(rest) else None
        return slots[best]
