"""The best pages of many collections (TUN-5, TUN-7) against values worked out by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from clew.export.collections import collections

SCORES = {1: (0, 0.9, 0.1), 2: (0, 0.3, 0.4), 3: (0, 0.7, 0), 4: (0.9, 0.1, 0), 5: (0, 0.7, 0.6)}
"""Of visits 1 to 5; topic 0 is not wanted."""


class Judged:
    """A store of judged pages."""

    @property
    def visits(self) -> Judged:
        return self

    def judged(self) -> tuple[Any, ...]:
        columns = [np.zeros(len(SCORES))] * 5
        return (np.array([*SCORES]), *columns, np.array([*SCORES.values()], np.float32), np.zeros(len(SCORES)))


def row(number: int, inherited_from: int = 0) -> Any:
    return SimpleNamespace(number=number, inherited_from=inherited_from)


def found(rows: list[Any], *topics: int, **given: Any) -> dict[int, list[tuple[int, int]]]:
    """(number, parent) of the members of each collection."""
    members = collections(Judged(), rows, topics, **given)  # type: ignore[arg-type]
    return {topic: [(one.row.number, one.row.inherited_from) for one in members] for topic, members in members.items()}


PAGES = [row(number) for number in SCORES]


def test_a_page_is_in_the_nearest_collection_alone() -> None:
    # topic 1 wins visits 1 (.9), 3 (.7) and 5 (.7), topic 2 visit 2 (.4); topic 0 is not wanted, so visit 4 goes to 1
    assert found(PAGES, 1, 2) == {1: [(1, 0), (3, 0), (5, 0), (4, 0)], 2: [(2, 0)]}
    assert found(PAGES, 1, 2, k=2, least=0.5) == {1: [(1, 0), (3, 0)], 2: []}


def test_a_document_is_where_the_page_is_that_it_inherits_from() -> None:
    # a document listed on page 2, and one that was fetched as visit 7 and inherits from page 1: after their pages
    rows = [*PAGES, row(0, 2), row(7, 1), row(8)]
    assert found(rows, 1, 2) == {1: [(1, 0), (7, 1), (3, 0), (5, 0), (4, 0)], 2: [(2, 0), (0, 2)]}
    (document,) = collections(Judged(), [row(0, 2)], (1, 2))[2]  # type: ignore[arg-type]
    assert document.correlation == np.float32(0.4)
    assert found(rows) == {}
