"""The pages that were collected: lists, topics, one page with its text, why it is relevant, and what is around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from clew.dashboard.api.common import BASE, ShownOf
from clew.dashboard.projects import NotThereError, Shown
from clew.examples.labels import LABELS, read_labels
from clew.export.collection import iso, topic_name
from clew.model import Outcome
from clew.project.listing import TopicLine, list_pages, topic_lines
from clew.project.neighbours import Links, Neighbour, Rankings, leads_to, linked_from, rankings
from clew.project.project import Project
from clew.store.base import Store
from clew.store.records import Order, VisitRow
from clew.text.pagetext import PageText

router = APIRouter(tags=["pages"])

MOST_CHARS = 200_000
"""Characters of a text that are sent."""

Number = Annotated[int, Path(ge=1, le=2**53, description="The number of the page's visit")]
Topic = Annotated[str, Query(max_length=500, description="Path of a topic; those below it belong to it; other")]
Host = Annotated[str, Query(max_length=300, description="A host; its subdomains belong to it")]
Language = Annotated[str, Query(max_length=20, description="A code such as en")]
Relevant = Annotated[Literal["true", "false", "all"], Query(description="Relevant pages, the others, or all")]
Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=100_000_000)]


@dataclass(frozen=True, slots=True)
class PageLine:
    """A page of a list. ``topic``: path of the topic that it is most about; ``label``: the verdict that a user gave on
    it, "" for none; ``fetched_at``: ISO 8601 in UTC."""

    number: int
    url: str
    title: str
    host: str
    relevance: float
    relevant: bool
    topic: str | None
    language: str
    fetched_at: str
    label: str


@dataclass(frozen=True, slots=True)
class PageLines:
    """Pages ``offset`` + 1 and later of ``total``."""

    pages: tuple[PageLine, ...]
    total: int
    offset: int


@dataclass(frozen=True, slots=True)
class PageFacts:
    """All that is known of a visit. ``judged``: it gave a page; else ``reason`` says why not. ``text``: the main text,
    or all text (``text_kind``: main, full, none); ``text_cut``: it goes on. ``date``, ``author``: as the page says.
    ``duplicate_of``: URL of the page that it repeats. ``found_on``: the page with the link that was followed, and its
    number; ``archived``: path of the page as it was fetched, "" where that is not kept. ``links``: where it leads."""

    number: int
    url: str
    title: str
    host: str
    outcome: str
    status: int
    reason: str
    judged: bool
    relevance: float | None
    relevant: bool
    topic: str | None
    language: str
    content_type: str
    charset: str
    bytes: int
    depth: int
    tunnel: int
    fetched_at: str
    canonical: str
    duplicate_of: str
    duplicate_number: int
    found_on: str
    found_on_number: int
    label: str
    archived: str
    date: str
    author: str
    text: str
    text_kind: str
    text_cut: bool
    links: Links


@dataclass(frozen=True, slots=True)
class LinkedFrom:
    """Visited pages that link to a page; ``more``: there are others."""

    pages: tuple[Neighbour, ...]
    more: bool


@router.get(f"{BASE}/pages")
def pages(
    shown: ShownOf,
    topic: Topic = "",
    host: Host = "",
    language: Language = "",
    relevant: Relevant = "true",
    order: Annotated[Order, Query()] = "relevance",
    limit: Limit = 50,
    offset: Offset = 0,
) -> PageLines:
    """The pages that were judged, as a list: the relevant ones, best first, unless something else is asked for."""
    project, labels = shown.project(), _labels(shown)
    with shown.store() as store:
        found = list_pages(
            project,
            store,
            topic=topic,
            host=host,
            language=language,
            relevant=None if relevant == "all" else relevant == "true",
            order=order,
            limit=limit,
            offset=offset,
        )
    topics = project.interest.topics
    return PageLines(tuple(_line(row, topics, labels) for row in found.rows), found.total, offset)


def _line(row: VisitRow, topics: tuple[str, ...], labels: dict[str, str]) -> PageLine:
    return PageLine(
        number=row.number,
        url=row.url,
        title=row.title,
        host=row.host,
        relevance=round(row.relevance, 9),
        relevant=row.relevant,
        topic=topic_name(row, topics),
        language=row.language,
        fetched_at=iso(row.fetched_at),
        label=labels.get(row.url, ""),
    )


@router.get(f"{BASE}/topics/counts")
def counts(shown: ShownOf) -> list[TopicLine]:
    """Every topic with the pages that were found of it; pages of no topic last, as ``other``."""
    with shown.store() as store:
        return topic_lines(shown.project(), store)


@router.get(f"{BASE}/topics/rankings")
def topic_rankings(shown: ShownOf, topic: Topic = "", limit: Annotated[int, Query(ge=1, le=50)] = 10) -> Rankings:
    """Authorities (pages that many good pages of a topic link to) and hubs (pages that link to many authorities)."""
    kept = shown.kept(KeptRankings)
    with shown.store() as store:
        return kept.get(store, topic, limit)


class KeptRankings:
    """Rankings by topic, until a twentieth more pages were visited."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._known: dict[tuple[str, int], tuple[Project, int, Rankings]] = {}

    def get(self, store: Store, topic: str, limit: int) -> Rankings:
        """Raises InputError for a topic that there is not."""
        project, visits, name = self._shown.project(), store.visits.next_number, (topic.strip().lower(), limit)
        known = self._known.get(name)
        if known is not None and known[0] is project and known[1] <= visits <= known[1] * 1.05:
            return known[2]
        found = rankings(project, store, topic, limit)
        if len(self._known) > 200:
            self._known.clear()
        self._known[name] = project, visits, found
        return found


@router.get(f"{BASE}/pages/{{number}}")
def page(shown: ShownOf, number: Number) -> PageFacts:
    """One page with its text and all facts."""
    project, labels = shown.project(), _labels(shown)
    with shown.store() as store:
        row = row_of(store, number)
        urls = store.visits.urls([row.source, row.duplicate_of])
        links = leads_to(store, number)
    text, row_topic = text_of(project, row), topic_name(row, project.interest.topics) if row.judged else None
    return PageFacts(
        number=row.number,
        url=row.url,
        title=row.title,
        host=row.host,
        outcome=str(row.outcome),
        status=row.status,
        reason=row.reason,
        judged=row.judged,
        relevance=round(row.relevance, 9) if row.judged else None,
        relevant=row.relevant,
        topic=row_topic,
        language=row.language,
        content_type=row.content_type,
        charset=row.charset,
        bytes=row.bytes,
        depth=row.depth,
        tunnel=row.tunnel,
        fetched_at=iso(row.fetched_at),
        canonical=row.canonical,
        duplicate_of=urls.get(row.duplicate_of, ""),
        duplicate_number=row.duplicate_of,
        found_on=urls.get(row.source, ""),
        found_on_number=row.source,
        label=labels.get(row.url, ""),
        archived=_archived(shown, row),
        date=text.date,
        author=text.author,
        text=text.text[:MOST_CHARS],
        text_kind=text.kind,
        text_cut=len(text.text) > MOST_CHARS,
        links=links,
    )


@router.get(f"{BASE}/pages/{{number}}/linked-from")
def linked(shown: ShownOf, number: Number) -> LinkedFrom:
    """Visited pages that link to a page. All links are looked through, which takes seconds for a million pages."""
    with shown.store() as store:
        found, more = linked_from(store, row_of(store, number).key)
    return LinkedFrom(found, more)


def row_of(store: Store, number: int) -> VisitRow:
    """A visit whose page is known. Raises NotThereError for a visit that there is not, or whose page was forgotten."""
    row = store.visits.get(number)
    if row is None or not row.url:
        raise NotThereError(f"there is no page {number}")
    return row


def text_of(project: Project, row: VisitRow) -> PageText:
    """The text of a visit's page; nothing where it has none."""
    if row.outcome is not Outcome.OK or not row.judged:
        return PageText()
    return next(text for _, text in project.library.texts(iter((row,)), main=True))


def _archived(shown: Shown, row: VisitRow) -> str:
    return f"/archived/{shown.name}/{row.number}" if row.warc_file and row.outcome is Outcome.OK else ""


def _labels(shown: Shown) -> dict[str, str]:
    """The verdicts by the URLs of their pages."""
    return {one.line: one.verdict for one in read_labels(shown.path / LABELS)}
