"""A waiting link's place in the order as one number, its **merit**: higher is sooner.

The upper 32 bits are its rank. A score gives the rank of its float32, turned so that ranks order as scores do; the
ranks beyond that of infinity, which no float has, are those of the tiers above 0. The lower 32 bits are its slot, so
that links of one rank go by first sight: all of a tier above 0, and in tier 0 those of equal scores.
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from clew.model import Floats

Merits = npt.NDArray[np.uint64]
SlotNumbers = npt.NDArray[np.uint32]
Tiers = npt.NDArray[np.uint8]

LOW = 0xFFFFFFFF
"""The low half of a merit: LOW - slot."""

TIERS = 4
"""A link is in one of the tiers 0 to 3."""

INFINITY = 0xFF800000
"""The rank of the score infinity, which is never stored; tier t has the rank INFINITY + t."""

TIER_1 = INFINITY + 1 << 32
"""Links of tier 1 and above have at least this merit, and no others."""

_ZERO, _SIGN, _31, _32 = np.float32(0.0), np.int32(-0x80000000), np.int32(31), np.uint64(32)
_INFINITY = np.uint32(INFINITY)
_float, _word = struct.Struct("<f"), struct.Struct("<I")


def merits(scores: Floats, slots: npt.NDArray[np.int64] | SlotNumbers, tiers: Tiers | None = None) -> Merits:
    """uint64[n]: the merit of each slot with its score (float32[n], finite) and tier; without ``tiers`` all have 0."""
    bits = (scores + _ZERO).view(np.int32)  # + 0.0 makes -0.0 and 0.0 equal
    rank = (bits ^ (bits >> _31 | _SIGN)).view(np.uint32)  # of negative scores all bits turn, else the sign
    if tiers is not None:
        rank = np.where(tiers > 0, _INFINITY + tiers, rank)
    return rank.astype(np.uint64) << _32 | (LOW - slots).astype(np.uint64)


def merit_of(score: float, slot: int, tier: int = 0) -> int:
    """The merit of one slot with its score and tier."""
    if tier:
        return INFINITY + tier << 32 | LOW - slot
    bits: int = _word.unpack(_float.pack(score + 0.0))[0]
    return (bits ^ LOW if bits >> 31 else bits | 0x80000000) << 32 | LOW - slot


def slots_of(order: Merits) -> SlotNumbers:
    """uint32[n]: the slots in merits."""
    return ~order.astype(np.uint32)
