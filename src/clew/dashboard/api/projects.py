"""Which projects are shown, and what is known of each at a glance."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from clew.crawl.lastrun import last_run
from clew.dashboard.api.common import BASE, ShelfOf, ShownOf
from clew.dashboard.keeping import Summaries
from clew.dashboard.projects import Shown
from clew.errors import ClewError
from clew.export.summary import Summary, summarise

router = APIRouter(tags=["projects"])


@dataclass(frozen=True, slots=True)
class ProjectLine:
    """A project in the list. ``title``: its name in clew.toml; ``folder``: where it is; ``crawled``: whether a crawl
    has begun; ``problem``: why it cannot be opened, "" where it can."""

    name: str
    title: str
    folder: str
    crawled: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """A project at a glance. ``summary``: None before the first crawl; ``strategy``, ``judge``, ``web``, ``threshold``:
    of the last run, else of the settings. ``topics``: all topics by their numbers; ``wanted`` ones among them."""

    name: str
    title: str
    folder: str
    strategy: str
    judge: str
    web: str
    threshold: float | None
    interest: str
    topics: tuple[str, ...]
    wanted: tuple[int, ...]
    summary: Summary | None


@router.get("/api/projects")
def projects(shelf: ShelfOf) -> list[ProjectLine]:
    """The projects that this dashboard shows."""
    return [_line(shown) for shown in shelf]


@router.get(BASE)
def project(shown: ShownOf) -> Overview:
    """A project at a glance."""
    opened = shown.project()
    settings, interest, summary = opened.settings, opened.interest, None
    strategy, judge, web, threshold = settings.strategy_name, settings.judge.name, settings.project.web, None
    if opened.database.is_file():
        with shown.store() as store:
            last = last_run(store, settings)
            summary = shown.kept(Summaries).get("summary", lambda: _summary(shown))
            strategy, judge, web, threshold = last.strategy, last.judge, last.web, last.threshold
    return Overview(
        name=shown.name,
        title=_title(shown),
        folder=str(shown.path),
        strategy=strategy,
        judge=judge,
        web=web,
        threshold=threshold,
        interest=settings.interest.formula,
        topics=tuple(interest.topics),
        wanted=tuple(interest.wanted_topics),
        summary=summary,
    )


def _summary(shown: Shown) -> Summary:
    """Of project and store as they are now: what was opened before may be older than what is kept."""
    project = shown.project()
    with shown.store() as store:
        return summarise(store, project)


def _line(shown: Shown) -> ProjectLine:
    """One whose files were spoilt meanwhile must not hide the others."""
    try:
        crawled = shown.project().database.is_file()
        return ProjectLine(shown.name, _title(shown), str(shown.path.resolve()), crawled)
    except ClewError as error:
        return ProjectLine(shown.name, shown.name, str(shown.path.resolve()), False, str(error))


def _title(shown: Shown) -> str:
    return shown.project().settings.project.name or shown.name
