"""Links as they come in: the columns of one row, and the rows of a whole crawl gathered to few large batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.frontier.base import ScoredRow
from clew.frontier.merits import TIERS, Tiers
from clew.model import Bools, Doubles, Floats, Keys

Places = npt.NDArray[np.int32]

LARGEST = float(np.finfo(np.float32).max)

MANY = 512
"""Batches of so many links are sorted."""

BULK = 1 << 18
"""Links scored again at a time."""

_FIRST = np.arange(MANY, dtype=np.int32)
_FIRST.setflags(write=False)


@dataclass(frozen=True, slots=True, eq=False)
class Bulk:
    """Links of many rows, in order, a column each. ``tiers`` is None when all are in tier 0."""

    keys: Keys
    scores: Floats
    rows: Places
    places: Places
    tiers: Tiers | None


def stored(scores: Doubles) -> Floats:
    """Scores as they are kept: float32, none beyond its largest numbers."""
    return np.minimum(np.maximum(scores, -LARGEST), LARGEST).astype(np.float32)


def places_of(n: int) -> Places:
    """int32[n]: 0, 1, ..."""
    return _FIRST[:n] if n <= len(_FIRST) else np.arange(n, dtype=np.int32)


def repeated(keys: Keys) -> Bools | None:
    """bool[n]: which keys stand earlier in the array already; None when all are distinct."""
    if len(keys) < MANY:
        if len(set(keys.tolist())) == len(keys):
            return None
    elif not ((order := np.sort(keys))[1:] == order[:-1]).any():
        return None
    again = np.ones(len(keys), np.bool_)
    again[np.unique(keys, return_index=True)[1]] = False
    return again


def check_tier(tier: int, row: int) -> None:
    """Raise ValueError for a tier that does not exist."""
    if not 0 <= tier < TIERS:
        raise ValueError(f"row {row}: a tier must be 0 to {TIERS - 1}, not {tier}")


def bulks(rows: Iterable[ScoredRow]) -> Iterator[Bulk]:
    """Rows gathered to many links at a time. Raises ValueError for a row whose columns differ in length."""
    held: list[ScoredRow] = []
    size = 0
    for row in rows:
        number, keys, scores, tier = row
        if len(keys) != len(scores):
            raise ValueError(f"row {number}: {len(keys)} keys and {len(scores)} scores; there must be one a key")
        check_tier(tier, number)
        held.append(row)
        size += len(keys)
        if size >= BULK:
            yield _gathered(held)
            held, size = [], 0
    if size:
        yield _gathered(held)


def _gathered(rows: list[ScoredRow]) -> Bulk:
    sizes = np.array([len(row[1]) for row in rows])
    numbers = np.repeat(np.array([row[0] for row in rows], np.int32), sizes)
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tiers = np.array([row[3] for row in rows], np.uint8)
    return Bulk(
        keys=np.concatenate([row[1] for row in rows]),
        scores=stored(np.concatenate([row[2] for row in rows])),
        rows=numbers,
        places=places.astype(np.int32),
        tiers=np.repeat(tiers, sizes) if tiers.any() else None,
    )
