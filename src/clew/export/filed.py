"""The collection filed under its topics: bookmarks for a browser, or a topic tree for another project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clew.store.records import VisitRow
from clew.text.shown import shown
from clew.topics.entry import Entry
from clew.words import digits

UNFILED = "Other"
"""Where relevant pages go whose best topic none is."""


INHERITED = " of the page that links to it"


def filed(rows: Iterable[VisitRow], topics: Sequence[str]) -> Iterator[Entry]:
    """Pages as entries of their topics, best first within each; with a single topic all lie in one folder."""
    for row in rows:
        path = topics[row.topic] if row.topic is not None and row.topic >= 0 else UNFILED
        about = f"relevance {digits(row.relevance)}{INHERITED if row.inherited_from else ''}"
        yield Entry(
            tuple(map(shown, path.split("/"))), row.url, shown(row.title) or row.url, about, added=row.fetched_at
        )
