"""Features of links as numbers.

A feature τ is packed in a uint64: ``kind << 40 | term << 8 | column``. A column is a DOM offset d as d + d_max;
features without an offset stand at d = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

TEXT, PAGE, SIBLING, URL, RANGE = 0, 1, 2, 3, 4
"""Kinds of features: terms near a link, topics of its page, links beside it, words of its URL; and the range of its
page's relevance, which decides the prior and is none of T."""

Packed = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]
NONE: Packed = np.empty(0, np.uint64)


def pack(kind: int, terms: npt.NDArray[Any], columns: npt.NDArray[Any] | int) -> Packed:
    """uint64[n]: features of one kind."""
    high = np.uint64(kind << 40) | (terms.astype(np.uint64) << np.uint64(8))
    return high | np.asarray(columns).astype(np.uint64)


def unpack(feature: int, d_max: int) -> tuple[int, int, int]:
    """(kind, term, offset) of a feature."""
    return feature >> 40, (feature >> 8) & 0xFFFFFFFF, (feature & 0xFF) - d_max


def kinds(features: Packed) -> Packed:
    """uint64[n]: the kind of every feature."""
    return features >> np.uint64(40)


def terms_of(features: Packed) -> npt.NDArray[np.intp]:
    """intp[n]: the term of every feature."""
    return ((features >> np.uint64(8)) & np.uint64(0xFFFFFFFF)).astype(np.intp)


def offsets_of(features: Packed, d_max: int) -> npt.NDArray[np.intp]:
    """intp[n]: the offset of every feature."""
    return (features & np.uint64(0xFF)).astype(np.intp) - d_max
