"""The pages of a collection as lists: by topic, host and language; and its topics with what was found of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from clew.examples.labels import LABELS, read_labels
from clew.model import OTHER
from clew.project.finding import NO_TOPIC, host_of, topics_below
from clew.project.folder import ProjectFolder
from clew.store.base import Store
from clew.store.records import Order, Selection, TopicCount, VisitRow
from clew.urls.canonical import key


@dataclass(frozen=True, slots=True)
class TopicLine:
    """A topic and the pages that are most about it: ``judged`` of them, ``relevant`` ones with their mean ``relevance``
    (None where there is none); ``labelled``: pages among them that have a label. ``number``: -1 for other pages."""

    number: int
    path: str
    wanted: bool
    judged: int
    relevant: int
    relevance: float | None
    labelled: int


@dataclass(frozen=True, slots=True)
class PageList:
    """A part of a list, in its order, and how many pages the whole list has."""

    rows: tuple[VisitRow, ...]
    total: int


def list_pages(
    project: ProjectFolder,
    store: Store,
    *,
    topic: str = "",
    host: str = "",
    language: str = "",
    relevant: bool | None = None,
    order: Order = "relevance",
    limit: int = 50,
    offset: int = 0,
) -> PageList:
    """The pages that were judged: of ``topic`` and those below it, of ``host`` and its subdomains, in ``language``; all
    where these are empty. Raises InputError for a topic that there is not."""
    topics = topics_below(project.interest.topics, topic) if topic.strip() else None
    which = Selection(relevant, topics, host_of(host), language.strip().lower())
    numbers = store.visits.listed(which, order, limit=limit, offset=offset)
    return PageList(tuple(store.visits.many(numbers)), store.visits.count(which))


def topic_lines(project: ProjectFolder, store: Store) -> list[TopicLine]:
    """Every topic with what was found of it, in the order of the tree, and at the end pages of none, if there are."""
    counts = {one.topic: one for one in store.visits.by_topic()}
    labelled = _labelled(project, store)
    names, wanted = project.interest.topics, frozenset(project.interest.wanted_topics)
    numbers = [*range(len(names)), *([OTHER] if OTHER in counts else [])]
    return [
        _line(number, names[number] if number != OTHER else NO_TOPIC, number in wanted, counts.get(number), labelled)
        for number in numbers
    ]


def _line(number: int, path: str, wanted: bool, found: TopicCount | None, labelled: Counter[int]) -> TopicLine:
    if found is None:
        return TopicLine(number, path, wanted, 0, 0, None, 0)
    relevance = found.relevance if found.relevant else None
    return TopicLine(number, path, wanted, found.judged, found.relevant, relevance, labelled[number])


def _labelled(project: ProjectFolder, store: Store) -> Counter[int]:
    """Labelled pages by the topic that they are most about, as they are judged now."""
    rows = (store.visits.by_key(key(one.line)) for one in read_labels(project.path / LABELS))
    return Counter(row.topic for row in rows if row is not None and row.topic is not None)
