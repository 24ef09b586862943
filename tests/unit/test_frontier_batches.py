"""Batches of links: scores as they are kept, links that repeat, places, and rows gathered to bulks."""

from __future__ import annotations

import numpy as np
import pytest

from clew.frontier import batches
from clew.frontier.base import ScoredRow
from clew.frontier.batches import MANY, bulks, places_of, repeated, stored


def row(number: int, keys: list[int], tier: int = 0) -> ScoredRow:
    return number, np.array(keys, np.uint64), np.array(keys, np.float64) / 10, tier


def test_scores_are_kept_as_float32_of_finite_size() -> None:
    kept = stored(np.array([0.1, -1e300, np.inf, np.nan, -0.25]))
    largest = np.finfo(np.float32).max
    assert kept.dtype == np.float32
    assert kept.tolist() == pytest.approx([np.float32(0.1), -largest, largest, np.nan, -0.25], nan_ok=True)


@pytest.mark.parametrize("size", [0, 1, 5, MANY - 1, MANY, MANY + 1])
def test_places_count_from_0_and_those_that_batches_share_cannot_be_changed(size: int) -> None:
    places = places_of(size)
    assert places.dtype == np.int32
    assert places.tolist() == list(range(size))
    assert places.flags.writeable == (size > MANY)


@pytest.mark.parametrize("size", [3, MANY - 1, MANY, MANY + 40])
def test_keys_that_stand_earlier_in_a_batch_are_marked(size: int) -> None:
    keys = np.arange(size).astype(np.uint64)[::-1].copy()
    assert repeated(keys) is None
    keys[-1] = keys[0]  # the last is the first again
    marked = repeated(keys)
    assert marked is not None
    assert np.flatnonzero(marked).tolist() == [size - 1]
    keys[1] = keys[0]
    marked = repeated(keys)
    assert marked is not None
    assert np.flatnonzero(marked).tolist() == [1, size - 1]


def test_rows_are_gathered_with_number_place_and_tier_of_each_link() -> None:
    (bulk,) = bulks([row(7, [1, 2]), row(8, []), row(9, [5, 3], tier=2)])
    assert bulk.keys.tolist() == [1, 2, 5, 3]
    assert bulk.scores.tolist() == pytest.approx([0.1, 0.2, 0.5, 0.3])
    assert (bulk.rows.tolist(), bulk.places.tolist()) == ([7, 7, 9, 9], [0, 1, 0, 1])
    assert bulk.tiers is not None and bulk.tiers.tolist() == [0, 0, 2, 2]
    (flat,) = bulks([row(7, [1, 2])])
    assert flat.tiers is None
    assert list(bulks([])) == list(bulks([row(1, [])])) == []


def test_a_bulk_ends_when_it_is_large_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BULK", 4)
    rows = [row(1, [1, 2, 3]), row(2, [4]), row(3, [5, 6, 7, 8, 9]), row(4, [10, 11, 12]), row(5, [])]
    assert [bulk.keys.tolist() for bulk in bulks(rows)] == [[1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12]]
    assert [bulk.rows.tolist() for bulk in bulks(rows)] == [[1, 1, 1, 2], [3] * 5, [4] * 3]


def test_rows_that_do_not_fit_are_refused_with_their_number() -> None:
    with pytest.raises(ValueError, match="row 4: 2 keys and 1 scores; there must be one a key"):
        list(bulks([(4, np.array([1, 2], np.uint64), np.array([0.5]), 0)]))
    with pytest.raises(ValueError, match="row 5: a tier must be 0 to 3, not 4"):
        list(bulks([row(5, [1], tier=4)]))
    assert len(list(bulks([row(5, [1], tier=3)]))) == 1
