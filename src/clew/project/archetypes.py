"""Archetypes by hand: the pages of the crawl that train its judge, adopted for good, or refused for good.

Strategies name archetypes (bingo does); the journal keeps with which the judge was trained last. To adopt a page is to
label it; to refuse one puts it on a list of pages that no strategy may name, though it may be relevant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.crawl.interests import crawled_topics
from clew.errors import InputError, UrlError
from clew.examples.labels import LABELS, RELEVANT, add_label, read_labels
from clew.examples.refused import REFUSED, read_refused, write_refused
from clew.project.edits import editing
from clew.project.folder import ProjectFolder
from clew.project.previewing import ScoreCache, surest
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.urls.canonical import canonical, key

OFFERED = 5
"""Pages of a topic that are offered as archetypes, at most."""


@dataclass(frozen=True, slots=True)
class Archetype:
    """A page that may train the judge. ``state``: archetype, when the judge was last trained with it; offered, when it
    is one of the surest pages and neither an example nor labelled; refused by the user; adopted, when labelled."""

    url: str
    topic: str
    state: str
    visit: int = 0
    title: str = ""
    relevance: float | None = None
    label: str = ""


def archetypes(project: ProjectFolder, store: Store | None, cache: ScoreCache | None) -> list[Archetype]:
    """Archetypes of all topics of interest, pages offered as such, and refused ones. Without a cache of scores none are
    offered. Raises InputError."""
    refused = dict.fromkeys(read_refused(project.path / REFUSED))
    labels = {one.line: one.verdict for one in read_labels(project.path / LABELS)}
    if store is None:
        return [Archetype(url, "", "refused") for url in refused]
    topics = crawled_topics(store, project.interest.topics)
    found: dict[str, Archetype] = {}
    for topic, row in _named(store):
        if row.url not in refused and topic < len(topics):
            found[row.url] = _archetype(row, topics[topic], "adopted" if row.url in labels else "archetype", labels)
    taken = {*found, *refused, *labels, *(one.line for one in project.wanted())}
    for topic, path in enumerate(topics if cache is not None else ()):
        assert cache is not None
        for row in _offered(project, store, cache, topic, path, taken):
            found[row.url] = _archetype(row, path, "offered", labels)
    for url in refused:
        page = store.visits.by_key(key(url))
        topic = page.topic if page is not None and page.topic is not None else -1
        path = topics[topic] if 0 <= topic < len(topics) else ""
        found[url] = _archetype(page, path, "refused", labels) if page is not None else Archetype(url, path, "refused")
    return list(found.values())


def _named(store: Store) -> Iterator[tuple[int, VisitRow]]:
    for topic, numbers in sorted(store.journal.archetypes.items()):
        yield from ((topic, row) for row in store.visits.many(numbers))


def _offered(
    project: ProjectFolder, store: Store, cache: ScoreCache, topic: int, path: str, taken: set[str]
) -> list[VisitRow]:
    """The surest pages of a topic of interest that are nothing yet."""
    places = {one: place for place, one in enumerate(project.interest.topics)}
    if path not in places or not project.interest.concerns(places[path]):
        return []
    rows = store.visits.many(surest(store, cache, topic, OFFERED + len(taken)))
    return [row for row in rows if row.url not in taken][:OFFERED]


def _archetype(row: VisitRow, path: str, state: str, labels: dict[str, str]) -> Archetype:
    return Archetype(row.url, path, state, row.number, row.title, row.relevance, labels.get(row.url, ""))


def adopt(project: ProjectFolder, url: str, topic: str) -> str:
    """Label a page with a topic, so that the judge is trained with it for good; what was done, in words. One that was
    refused is not any more. Raises InputError."""
    page = _canonical(url)
    with editing(project) as now:
        verdict = RELEVANT if now.tree is None or topic == RELEVANT else now.tree.path(now.tree.find(topic))
        now.topic(verdict)
        add_label(now.path / LABELS, page, verdict)
        _refuse(now, [one for one in read_refused(now.path / REFUSED) if one != page])
    return f"{page} is labelled {verdict}: it trains the judge after this session, or when the crawl goes on"


def refuse(project: ProjectFolder, url: str) -> str:
    """Put a page on the list of those that may not be archetypes; what was done, in words. Raises InputError."""
    page = _canonical(url)
    with editing(project) as now:
        _refuse(now, [*dict.fromkeys([*read_refused(now.path / REFUSED), page])])
    return f"{page} trains the judge no more after this session, or when the crawl goes on"


def allow(project: ProjectFolder, url: str) -> str:
    """Take a page off that list again. Raises InputError where it is not on it."""
    page = _canonical(url)
    with editing(project) as now:
        listed = read_refused(now.path / REFUSED)
        if page not in listed:
            raise InputError(f"{page} is not refused")
        _refuse(now, [one for one in listed if one != page])
    return f"{page} may be an archetype again"


def _refuse(project: ProjectFolder, urls: Sequence[str]) -> None:
    file = project.path / REFUSED
    if urls or file.exists():
        write_refused(file, urls)


def _canonical(url: str) -> str:
    try:
        return canonical(url)
    except UrlError as error:
        raise InputError(str(error)) from error
