"""Searching the collection by its text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BeforeValidator

from clew.dashboard.adding import Adding, Progress
from clew.dashboard.api.common import BASE, ShownOf
from clew.dashboard.api.pages import Host, Language, Limit, Topic
from clew.export.found import FoundPages, plain
from clew.project.finding import SearchOptions, check
from clew.project.finding import search as find

router = APIRouter(tags=["search"])


def _as_day(text: object) -> object:
    """Days are written 2026-01-31 only: pydantic would take numbers for seconds."""
    if isinstance(text, str) and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError("a day is written like 2026-01-31")
    return text


Day = Annotated[date, BeforeValidator(_as_day)]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What was found; ``more``: there are more pages behind these. ``adding``: pages are still being added to the
    search index, and only those that are there were searched."""

    found: FoundPages
    offset: int
    more: bool
    adding: Progress | None


@router.get(f"{BASE}/search")
def search(
    shown: ShownOf,
    q: Annotated[str, Query(min_length=1, max_length=1_000, description="Words, phrases, -word, begin*")],
    topic: Topic = "",
    host: Host = "",
    language: Language = "",
    since: Annotated[Day | None, Query(description="Not older than this day")] = None,
    until: Annotated[Day | None, Query(description="Not newer than this day")] = None,
    everything: Annotated[bool, Query(description="Pages that are not relevant, too")] = False,
    limit: Limit = 20,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> SearchAnswer:
    """Find pages by their text, best first, as ``clew search`` does. Pages that were visited since the last search are
    added meanwhile; where that takes long, what is there is searched."""
    project = shown.project()
    options = SearchOptions(topic, host, language, since, until, everything, limit + 1, offset)
    check(project, q, options)  # before anything is added
    adding = shown.kept(Adding).begin()
    found = plain(project, q, find(project, q, options, update=False))
    more, found = len(found.hits) > limit, replace(found, hits=found.hits[:limit])
    return SearchAnswer(found, offset, more, adding)
