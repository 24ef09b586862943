"""The pages of a collection: relevant ones, best first; or every visit in the order of fetching; as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from clew.model import Outcome
from clew.store.base import Store
from clew.store.records import VisitRow

FIELDS = (
    "url", "status", "relevance", "relevant", "depth", "fetched_at", "title", "language", "content_type",
    "outcome", "reason", "score", "source", "tunnel", "bytes", "digest", "number", "warc_file", "warc_offset",
    "duplicate_of",
)  # fmt: skip
"""The fields of an exported visit, in this order."""


def chosen(store: Store, everything: bool, top: int = 0) -> Iterator[VisitRow]:
    """Relevant pages, best first (ties in the order of fetching); or every visit in the order of fetching.

    ``top``: of each topic so many, at most (25 to 50 make a collection); 0: all.
    """
    if everything:
        return (row for row in store.visits.rows() if row.url)  # a page that was forgotten has none
    best = sorted(store.visits.rows(relevant=True), key=lambda row: (-row.relevance, row.number))
    return _first_of_each(best, top) if top else iter(best)


def _first_of_each(rows: Iterable[VisitRow], top: int) -> Iterator[VisitRow]:
    counts: Counter[int | None] = Counter()
    for row in rows:
        counts[row.topic] += 1
        if counts[row.topic] <= top:
            yield row


def record(row: VisitRow, sources: dict[int, str]) -> dict[str, object]:
    """One visit as plain values. ``relevance`` is null where no page was judged, times are ISO 8601 in UTC."""
    judged = row.outcome == Outcome.OK and row.judged
    return {
        "url": row.url,
        "status": row.status,
        "relevance": round(row.relevance, 6) if judged else None,
        "relevant": row.relevant,
        "depth": row.depth,
        "fetched_at": iso(row.fetched_at),
        "title": row.title,
        "language": row.language,
        "content_type": row.content_type,
        "outcome": str(row.outcome),
        "reason": row.reason,
        "score": row.score,
        "source": sources.get(row.source, ""),
        "tunnel": row.tunnel,
        "bytes": row.bytes,
        "digest": row.digest,
        "number": row.number,
        "warc_file": row.warc_file,
        "warc_offset": row.warc_offset,
        "duplicate_of": sources.get(row.duplicate_of, ""),
    }


def iso(seconds: float) -> str:
    """Unix time as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def records(store: Store, rows: Iterable[VisitRow]) -> Iterator[dict[str, object]]:
    """Visits of the store as plain values."""
    sources = store.visits.urls()
    return (record(row, sources) for row in rows)
