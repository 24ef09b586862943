"""Searching what a project collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches

from clew.collection.index import Limits
from clew.collection.library import Filter, Found, Progress, day_of
from clew.collection.query import parse
from clew.errors import InputError, ProjectError
from clew.model import OTHER
from clew.project.folder import ProjectFolder

NO_TOPIC = "other"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What a search may say beside its words. ``topic``: its path, whose subtopics belong to it; ``host``: its
    subdomains belong to it; ``language``: a code such as de; ``since``, ``until``: days, both included, of the date a
    page says, or of its fetching where it says none; ``everything``: pages that are not relevant, too."""

    topic: str = ""
    host: str = ""
    language: str = ""
    since: date | None = None
    until: date | None = None
    everything: bool = False
    limit: int = 10
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found, and what a user should know about it, in words."""

    found: Found
    notes: tuple[str, ...] = ()


def search(
    project: ProjectFolder,
    query: str,
    options: SearchOptions | None = None,
    *,
    update: bool = True,
    progress: Progress | None = None,
) -> Answer:
    """The pages of a project that answer a query, best first, also while a crawl runs.

    ``update``: add the pages that were visited since the last search first; ``progress`` hears of it. Raises InputError
    for a query or filter that makes no sense, ProjectError when nothing was crawled yet, StoreError.
    """
    options = options or SearchOptions()
    parsed, which = parse(query), _filter(project, options)
    library, notes = project.library, list[str]()
    store = project.open_store(read_only=True)
    try:
        if update:
            try:
                library.update(store, progress)
            except ProjectError:
                notes.append("another process is adding pages to the search index: newer ones may be missing")
        found = library.search(store, parsed, which, options.limit, options.offset)
    finally:
        store.close()
    return Answer(found, (*notes, *_notes(project, found, updated=update and not notes)))


def check(project: ProjectFolder, query: str, options: SearchOptions) -> None:
    """Raise InputError, as ``search`` would, for a query or filter that makes no sense."""
    parse(query)
    _filter(project, options)


def _notes(project: ProjectFolder, found: Found, *, updated: bool) -> list[str]:
    notes = []
    if found.textless:
        why = "store.archive is false" if not project.settings.store.archive else "they are not in the archive"
        which = "no page" if found.textless == found.pages else f"{found.textless:,} of {found.pages:,} pages"
        kept = "has its text kept" if found.textless == found.pages else "have no text kept"
        notes.append(f"{which} {kept} ({why}): their titles and URLs alone were searched")
    if found.behind and not updated:
        notes.append(f"{found.behind:,} later visits were not searched")
    return notes


def _filter(project: ProjectFolder, options: SearchOptions) -> Filter:
    if options.since and options.until and options.since > options.until:
        raise InputError(f"--since {options.since} is after --until {options.until}: no page can be of both")
    limits = Limits(
        host=host_of(options.host),
        language=options.language.strip().lower(),
        since=day_of(options.since) if options.since else None,
        until=day_of(options.until) if options.until else None,
    )
    topics = topics_below(project.interest.topics, options.topic) if options.topic else None
    return Filter(options.everything, topics, limits)


def host_of(text: str) -> str:
    """A host as users write it: a URL will do."""
    return text.strip().lower().partition("://")[2].partition("/")[0] if "://" in text else text.strip().lower()


def topics_below(topics: Sequence[str], name: str) -> frozenset[int]:
    """The numbers of a topic and those below it; OTHER for "other". Raises InputError for a topic that there is not."""
    wanted = name.strip().strip("/").lower()
    if wanted == NO_TOPIC and NO_TOPIC not in (topic.lower() for topic in topics):
        return frozenset((OTHER,))
    found = [
        place for place, topic in enumerate(topics) if topic.lower() == wanted or topic.lower().startswith(f"{wanted}/")
    ]
    if not found:
        near = get_close_matches(name, topics, 3, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"topics are: {', '.join(topics[:20])}"
        raise InputError(f"there is no topic {name!r}; {hint}")
    return frozenset(found)
