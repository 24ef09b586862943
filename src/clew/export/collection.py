"""The pages of a collection, with the documents that inherit: relevant ones, best first; or every visit in the order of
fetching; as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import inf

from clew.export.choosing import Choice
from clew.model import Outcome
from clew.store.base import Store
from clew.store.inherited import inherited
from clew.store.records import VisitRow

FIELDS = (
    "url", "status", "relevance", "relevant", "topic", "depth", "fetched_at", "title", "language", "content_type",
    "outcome", "reason", "score", "source", "tunnel", "bytes", "digest", "number", "warc_file", "warc_offset",
    "duplicate_of", "inherited_from",
)  # fmt: skip
"""The fields of an exported visit, in this order."""

ALL = Choice()
"""Of no host or topic less than there is."""

NO_TOPIC = "other"
"""The topic of a page that is about none."""


def chosen(store: Store, everything: bool, choice: Choice = ALL) -> Iterator[VisitRow]:
    """Relevant pages and the documents that inherit from them, best first (ties in the order of fetching, documents
    last), as many of a topic and of a host as ``choice`` says; or every visit in the order of fetching, and then the
    documents that were listed.
    """
    if everything:
        return _everything(store)
    rows = [*store.visits.rows(relevant=True), *inherited(store, relevant=True)]
    return choice.of(sorted(rows, key=lambda row: (-row.relevance, row.number or inf)))


def _everything(store: Store) -> Iterator[VisitRow]:
    documents = {row.key: row for row in inherited(store)}
    for row in store.visits.rows():
        if row.url:  # a page that was forgotten has none
            document = documents.get(row.key)
            yield document if document is not None and document.number == row.number else row
    yield from (row for row in documents.values() if not row.number)


def topic_name(row: VisitRow, topics: Sequence[str]) -> str | None:
    """The path of the topic that a page, or the page from which a document inherits, is most about; None where nothing
    was judged."""
    if row.topic is None:
        return None
    return topics[row.topic] if 0 <= row.topic < len(topics) else NO_TOPIC


def record(row: VisitRow, sources: Mapping[int, str], topics: Sequence[str]) -> dict[str, object]:
    """One visit as plain values. ``relevance`` and ``topic`` are null where nothing was judged or inherited,
    ``fetched_at`` and ``score`` where nothing was fetched; times are ISO 8601 in UTC. Relevance has the nine decimals
    that keep the order of float32 scores near 1."""
    judged = row.inherited_from > 0 or (row.outcome == Outcome.OK and row.judged)
    listed = row.outcome is Outcome.LISTED
    return {
        "url": row.url,
        "status": row.status,
        "relevance": round(row.relevance, 9) if judged else None,
        "relevant": row.relevant,
        "topic": topic_name(row, topics) if judged else None,
        "depth": row.depth,
        "fetched_at": None if listed else iso(row.fetched_at),
        "title": row.title,
        "language": row.language,
        "content_type": row.content_type,
        "outcome": str(row.outcome),
        "reason": row.reason,
        "score": None if listed else row.score,
        "source": sources.get(row.source, ""),
        "tunnel": row.tunnel,
        "bytes": row.bytes,
        "digest": row.digest,
        "number": row.number,
        "warc_file": row.warc_file,
        "warc_offset": row.warc_offset,
        "duplicate_of": sources.get(row.duplicate_of, ""),
        "inherited_from": sources.get(row.inherited_from, ""),
    }


def iso(seconds: float) -> str:
    """Unix time as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def records(store: Store, rows: Iterable[VisitRow], topics: Sequence[str]) -> Iterator[dict[str, object]]:
    """Visits of the store as plain values."""
    sources = store.visits.urls()
    return (record(row, sources, topics) for row in rows)
