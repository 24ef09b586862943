"""The paths of a crawl, from a log worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.export.paths import path_log, path_report
from clew.topics.formula import And, Or, Topic
from clew.topics.interest import Interest

LOG: tuple[tuple[int, tuple[float, float] | None], ...] = (
    # (visit on whose page the link stood, scores for two topics; None: no page)
    (0, (0.1, 0.2)),  # 1: a seed, no nugget
    (0, None),  # 2: a seed that redirects
    (2, (0.9, 0.0)),  # 3: its target, so a seed too; a nugget
    (3, (0.3, 0.0)),  # 4: dud
    (4, None),  # 5: redirect on the way
    (5, (0.1, 0.1)),  # 6: dud, its parent is 4
    (6, (0.2, 0.8)),  # 7: a nugget for the second topic
    (3, None),  # 8: failed
    (1, (0.5, 0.0)),  # 9: a nugget
)


class StubStore:
    """A store of these visits, one fetch every half second, where 2 links wait."""

    def __init__(self, log: tuple[tuple[int, tuple[float, float] | None], ...]) -> None:
        self.log = log

    @property
    def visits(self) -> StubStore:
        """The facets of a store lie in one here."""
        return self

    @property
    def links(self) -> Any:
        return SimpleNamespace(waiting=lambda: 2)

    def rows(self) -> Iterator[Any]:
        for number, (source, _) in enumerate(self.log, 1):
            yield SimpleNamespace(number=number, source=source)

    def judged(self) -> tuple[Any, ...]:
        found = [(number, scores) for number, (_, scores) in enumerate(self.log, 1) if scores is not None]
        columns = [np.zeros(len(found))] * 5
        scores = np.array([scores for _, scores in found], np.float32).reshape(len(found), 2)
        return (np.array([number for number, _ in found], np.int64), *columns, scores, np.zeros(len(found), np.bool_))

    def series(self) -> Any:
        return SimpleNamespace(fetched_at=np.arange(len(self.log)) / 2)


def log(*topics: int) -> tuple[list[int], list[float]]:
    interest = Interest(("a", "b"), Or(tuple(map(Topic, topics))))
    parents, correlation = path_log(StubStore(LOG), interest)  # type: ignore[arg-type]
    return parents.tolist(), [round(value, 3) for value in correlation.tolist()]


def test_redirects_are_stepped_over_and_what_brought_no_page_is_left_out() -> None:
    # places: visits 1, 3, 4, 6, 7, 9 -> 0 ... 5. Parents: seed, seed (behind a redirect), 3 -> 1, 4 (over 5) -> 2,
    # 6 -> 3, 1 -> 0
    assert log(0, 1) == ([-1, -1, 1, 2, 3, 0], [0.2, 0.9, 0.3, 0.1, 0.8, 0.5])


def test_correlation_is_with_the_nearest_of_the_collections() -> None:
    assert log(0)[1] == [0.1, 0.9, 0.3, 0.1, 0.2, 0.5]


def test_topics_that_are_joined_are_one_collection() -> None:
    """A page is as near to "a and b" as to the farther of the two."""
    both = Interest(("a", "b"), And((Topic(0), Topic(1))))
    correlation = path_log(StubStore(LOG), both)[1]  # type: ignore[arg-type]
    assert correlation.tolist() == pytest.approx([0.1, 0.0, 0.0, 0.1, 0.2, 0.0])


def test_the_report_counts_paths() -> None:
    # Complete paths: 3-4-6-7 (0-X-X-0, length 4) and 1-9 (X-0 from a seed that is no nugget, length 2). None is
    # terminated or incomplete: every path ended in a nugget. Nuggets 3, 7, 9 of 6 pages; mean without seeds
    # (.3 + .1 + .8 + .5)/4 = .425. 9 fetches in 4 s: 8/4 = 2 a second.
    text = path_report(
        StubStore(LOG), interest=Interest(("a", "b"), Or((Topic(0), Topic(1)))), metric="fixed", cutoff=3
    )  # type: ignore[arg-type]
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "Paths from nugget to nugget: threshold 0.5, cutoff 3, distance fixed" in lines
    assert "nuggets 3 (50.00 % of pages)" in lines
    assert "mean correlation 0.425 (seeds left out)" in lines
    assert "complete paths 2 (1 from seeds that are no nuggets)" in lines
    assert "fetches 9 (3 brought no page)" in lines
    assert "fetches a second 2.0 over all, 2.0 over the last tenth" in lines
    assert "links waiting 2" in lines


def test_nothing_was_read_yet() -> None:
    assert path_report(StubStore(((0, None),))) == "No page was read yet, so there are no paths.\n"  # type: ignore[arg-type]


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(ConfigError, match="metric is 'euclid'; choose one of"):
        path_report(StubStore(LOG), metric="euclid")  # type: ignore[arg-type]
