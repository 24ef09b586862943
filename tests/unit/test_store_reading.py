"""Numbers of all visits, read some thousand at a time."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.rows import filled_store

from clew.store.sqlite import SqliteStore, database


def read(store: SqliteStore) -> list[np.ndarray]:
    visits = store.visits
    series = visits.series()
    columns = [*visits.judged(), series.relevance, series.relevant, series.depth, series.hosts, series.fetched_at]
    return [*columns, visits.relevant(3, 11), visits.sources(), visits.best(), store.links.done_keys()]


@pytest.mark.parametrize("rows", [1, 7, 10, 11])
def test_columns_are_the_same_however_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    store = filled_store(tmp_path / "crawl.db", 20, 6)
    try:
        before, waiting = read(store), store.links.waiting()
        monkeypatch.setattr(database, "COLUMN_ROWS", rows)
        for one, other in zip(before, read(store), strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
        assert len(before[-2]) == 20
        assert store.links.waiting() == waiting > 20
    finally:
        store.close()
