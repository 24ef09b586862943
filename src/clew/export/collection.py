"""The pages of a collection, with the documents that inherit: relevant ones, best first; or every visit in the order of
fetching; as plain values."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from clew.errors import InputError
from clew.export.choosing import Choice
from clew.export.ranking import Ranking
from clew.model import Outcome
from clew.store.base import Store
from clew.store.inherited import inherited
from clew.store.records import VisitRow
from clew.text.pagetext import FULL, MAIN, NO_TEXT, NONE, PageText

if TYPE_CHECKING:
    from clew.export.base import Collection

FIELDS = (
    "url", "status", "relevance", "relevant", "topic", "depth", "fetched_at", "title", "language", "content_type",
    "outcome", "reason", "score", "source", "tunnel", "bytes", "digest", "number", "warc_file", "warc_offset",
    "duplicate_of", "inherited_from",
)  # fmt: skip
"""The fields of an exported visit that come without being named, in this order."""

MAIN_FIELDS = ("date", "author")
"""What is known of a page when its main text is looked for: the day it says it is of, and who wrote it."""

TEXT_FIELDS = ("text", "text_kind")
"""The text, and which it is: main, full, or none."""

ALL_FIELDS = (*FIELDS, "host", *MAIN_FIELDS, *TEXT_FIELDS)
"""Every field that can be named."""

TEXTS = (MAIN, FULL, NONE)
"""Which text of a page an export has."""

GROUP = 256
"""Pages whose sources are looked up together."""

ALL = Choice()
"""Of no host or topic less than there is."""

NO_TOPIC = "other"
"""The topic of a page that is about none."""


def chosen(store: Store, everything: bool, choice: Choice = ALL) -> Iterator[VisitRow]:
    """Relevant pages and the documents that inherit from them, best first (ties in the order of fetching, documents
    last), as many of a topic and of a host as ``choice`` says; or every visit in the order of fetching, and then the
    documents that were listed. Memory holds some rows, and the numbers of the visits; where hosts take turns, what
    they are chosen by.
    """
    if everything:
        return _everything(store)
    if choice.diverse:
        ranking = Ranking(store)
        return ranking.rows(choice.of(ranking.items()))
    pages = store.visits.many(store.visits.best())
    documents = sorted(inherited(store, relevant=True), key=_rank)
    return choice.of(heapq.merge(pages, documents, key=_rank))


def _rank(row: VisitRow) -> tuple[float, float]:
    return -row.relevance, row.number or inf


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


def records(collection: Collection, rows: Iterable[VisitRow]) -> Iterator[dict[str, object]]:
    """Visits as plain values of the fields that the collection is to have. Memory holds some hundred of them."""
    names = collection.fields or fields_of(collection.text)
    for row, sources, text in _with_texts(collection, rows):
        values = record(row, sources, collection.topics)
        values |= {"host": row.host, "date": text.date, "author": text.author}
        values |= {"text": text.text if text.kind != NONE else None, "text_kind": text.kind}
        yield {name: values[name] for name in names}


def fields_of(text: str) -> tuple[str, ...]:
    """The fields that come without being named, with the text that an export has."""
    if text == MAIN:
        return (*FIELDS, *MAIN_FIELDS, *TEXT_FIELDS)
    return (*FIELDS, *TEXT_FIELDS) if text == FULL else FIELDS


def fields_named(names: str, text: str) -> tuple[str, ...]:
    """Fields by their names, parted by commas; "" for none. Raises InputError for a field that there is not, or that
    needs another text."""
    found = tuple(dict.fromkeys(name.strip().lower() for name in names.split(",") if name.strip()))
    for name in found:
        if name not in ALL_FIELDS:
            near = get_close_matches(name, ALL_FIELDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"fields are: {', '.join(ALL_FIELDS)}"
            raise InputError(f"--fields: there is no field {name!r}; {hint}")
        if name in MAIN_FIELDS and text != MAIN:
            raise InputError(f"--fields: {name} is found together with the main text: add --text main")
        if name in TEXT_FIELDS and text == NONE:
            raise InputError(f"--fields: {name} needs --text main or --text full")
    return found


def _with_texts(
    collection: Collection, rows: Iterable[VisitRow]
) -> Iterator[tuple[VisitRow, Mapping[int, str], PageText]]:
    """Each visit with the URLs it refers to, by number, and its text where one is wanted."""
    texts = _texts(collection, iter(rows))
    while group := list(islice(texts, GROUP)):
        numbers = {number for row, _ in group for number in (row.source, row.duplicate_of, row.inherited_from)}
        sources = collection.store.visits.urls(sorted(numbers - {0}))
        yield from ((row, sources, text) for row, text in group)


def _texts(collection: Collection, rows: Iterator[VisitRow]) -> Iterator[tuple[VisitRow, PageText]]:
    if collection.text == NONE:
        return ((row, NO_TEXT) for row in rows)
    expected = collection.store.visits.next_number - 1
    return collection.kept.texts(rows, main=collection.text == MAIN, expected=expected)
