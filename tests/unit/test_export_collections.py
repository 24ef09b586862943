"""The best pages of many collections (TUN-5, TUN-7) against values worked out by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from clew.export.collections import collections
from clew.topics.formula import And, Or, Topic
from clew.topics.interest import Interest

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


NAMES = ("none", "a", "b")
EITHER = Interest(NAMES, Or((Topic(1), Topic(2))))


def found(rows: list[Any], interest: Interest = EITHER, **given: Any) -> dict[str, list[tuple[int, int]]]:
    """(number, parent) of the members of each collection."""
    members = collections(Judged(), rows, interest, **given)  # type: ignore[arg-type]
    return {name: [(one.row.number, one.row.inherited_from) for one in members] for name, members in members.items()}


PAGES = [row(number) for number in SCORES]


def test_a_page_is_in_the_nearest_collection_alone() -> None:
    # topic 1 wins visits 1 (.9), 3 (.7) and 5 (.7), topic 2 visit 2 (.4); topic 0 is not wanted, so visit 4 goes to 1
    assert found(PAGES) == {"a": [(1, 0), (3, 0), (5, 0), (4, 0)], "b": [(2, 0)]}
    assert found(PAGES, k=2, least=0.5) == {"a": [(1, 0), (3, 0)], "b": []}


def test_a_document_is_where_the_page_is_that_it_inherits_from() -> None:
    # a document listed on page 2, and one that was fetched as visit 7 and inherits from page 1: after their pages
    rows = [*PAGES, row(0, 2), row(7, 1), row(8)]
    assert found(rows) == {"a": [(1, 0), (7, 1), (3, 0), (5, 0), (4, 0)], "b": [(2, 0), (0, 2)]}
    (document,) = collections(Judged(), [row(0, 2)], EITHER)["b"]  # type: ignore[arg-type]
    assert document.correlation == np.float32(0.4)


def test_topics_that_are_joined_are_one_collection() -> None:
    """Its pages are as near as the farther of the two topics: visit 5 at .6, then 2 at .3, 1 at .1, 3 and 4 at 0."""
    both = Interest(NAMES, And((Topic(1), Topic(2))))
    assert found(PAGES, both) == {"a and b": [(5, 0), (2, 0), (1, 0), (3, 0), (4, 0)]}
    assert found(PAGES, both, least=0.2) == {"a and b": [(5, 0), (2, 0)]}
