"""Documents that inherit, as rows beside the visits (Bergmark and others 2002, footnote 1).

A PDF or PostScript file that is not read cannot be judged. It belongs to the collection of the page that links to it,
with that page's correlation; of several pages the best counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clew.model import LinkKind, Outcome
from clew.store.base import Store
from clew.store.records import DocumentRow, VisitRow
from clew.urls.canonical import host


def inherited(store: Store, *, relevant: bool = False) -> Iterator[VisitRow]:
    """Every document that was listed, or fetched without being read, with what it inherits, in the order of the pages
    that it inherits from. ``relevant``: only those of relevant pages."""
    for document in store.documents.all():
        if document.relevant or not relevant:
            row = document_row(store, document)
            if row is not None:
                yield row


def document_row(store: Store, document: DocumentRow) -> VisitRow | None:
    """A document as a row beside the visits: its own visit where it was fetched. None where it does not inherit: it was
    read and judged, it does not exist, or its turn has not come."""
    visit = store.visits.by_key(document.key)
    if visit is None:
        parent = store.visits.get(document.parent) if document.listed else None
        return _listed(document, parent) if parent is not None else None
    if visit.judged or not 200 <= visit.status < 300:
        return None
    return replace(
        visit,
        relevance=document.relevance,
        relevant=document.relevant,
        topic=document.topic,
        title=visit.title or document.title,
        inherited_from=document.parent,
    )


def _listed(document: DocumentRow, parent: VisitRow) -> VisitRow:
    """A document that nobody asked for: found when its best page was fetched."""
    return VisitRow(
        number=0, key=document.key, url=document.url, host=host(document.url), status=0, outcome=Outcome.LISTED,
        reason="", row=document.row, link_index=document.link_index, kind=LinkKind.ANCHOR, score=float("nan"),
        depth=parent.depth + 1, hops=0, tunnel=parent.tunnel, relevance=document.relevance,
        relevant=document.relevant, topic=document.topic, confidence=None, title=document.title, language="",
        content_type="", charset="", canonical="", digest="", bytes=0, fetched_at=parent.fetched_at, elapsed_s=0.0,
        attempt=0, requests=0, noindex=False, from_cache=False, location="", warc_file="", warc_offset=0,
        inherited_from=document.parent,
    )  # fmt: skip
