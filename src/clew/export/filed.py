"""The collection filed under its topics: bookmarks for a browser, or a topic tree for another project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from clew.store.records import VisitRow
from clew.topics.bookmarks import write_bookmarks
from clew.topics.entry import Entry
from clew.topics.topicsfile import specs_of, write_topics

UNFILED = "Other"
"""Where relevant pages go whose best topic none is."""


def filed(rows: Iterable[VisitRow], topics: Sequence[str]) -> Iterator[Entry]:
    """Pages as entries of their topics, best first within each; with a single topic all lie in one folder."""
    for row in rows:
        path = topics[row.topic] if row.topic is not None and row.topic >= 0 else UNFILED
        about = f"relevance {row.relevance:.3f}"
        yield Entry(tuple(path.split("/")), row.url, row.title or row.url, about, added=row.fetched_at)


def write_filed(rows: Iterable[VisitRow], topics: Sequence[str], form: str, out: IO[bytes], part: Path) -> int:
    """Write pages as ``bookmarks`` or ``yaml``; ``part`` is a file that may be used on the way. Returns how many."""
    entries = list(filed(rows, topics))
    try:
        if form == "bookmarks":
            write_bookmarks(entries, part)
        else:
            write_topics(specs_of(entries), part)
        out.write(part.read_bytes())
    finally:
        part.unlink(missing_ok=True)
    return len(entries)
