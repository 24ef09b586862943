"""Randomness without state: everything the simulated web draws is a hash of (seed, purpose, place).

The mixing step is the finaliser of SplitMix64 (Steele, Lea and Flood 2014), on Python integers for single
draws and on uint64 columns for many. Both give the same numbers, on every machine and version of numpy.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_GOLDEN_64, _FIRST_64, _SECOND_64 = (np.uint64(c) for c in (_GOLDEN, _FIRST, _SECOND))
_ONE_64 = np.uint64(1)
_S11, _S27, _S30, _S31 = (np.uint64(s) for s in (11, 27, 30, 31))


def key(seed: int, purpose: str) -> int:
    """A 64-bit key for one purpose of one web."""
    return int.from_bytes(blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest(), "big")


def draw(base: int, *places: int) -> int:
    """64 random bits for ``places`` under the key ``base``."""
    for place in places:
        z = (base + (place + 1) * _GOLDEN) & _MASK
        z = ((z ^ (z >> 30)) * _FIRST) & _MASK
        z = ((z ^ (z >> 27)) * _SECOND) & _MASK
        base = z ^ (z >> 31)
    return base


def draws(base: int | Words, *places: Numbers) -> Words:
    """uint64 of the broadcast shape of ``places``: ``draw`` for every row."""
    state: Words | np.uint64 = np.uint64(base) if isinstance(base, int) else base
    for place in places:
        z = place.astype(np.uint64)
        z += _ONE_64
        z *= _GOLDEN_64
        z = z + state  # not in place: the shapes may differ
        state = _mixed(z)
    return np.atleast_1d(state)


def _mixed(z: Words) -> Words:
    """The finaliser, in place."""
    z ^= z >> _S30
    z *= _FIRST_64
    z ^= z >> _S27
    z *= _SECOND_64
    z ^= z >> _S31
    return z


def unit(bits: int) -> float:
    """64 bits as a number in [0, 1)."""
    return (bits >> 11) * 2.0**-53


def units(bits: Words) -> Reals:
    """float64 in [0, 1), elementwise."""
    return (bits >> _S11).astype(np.float64) * 2.0**-53


def below(bits: Words, limit: int | Numbers) -> Numbers:
    """int64 in [0, limit), elementwise."""
    result: Numbers = (bits % np.asarray(limit, np.uint64)).astype(np.int64)
    return result
