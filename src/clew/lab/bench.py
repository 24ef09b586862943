"""A crawl for one run of a task, made of objects; all runs in a process share what was read of a web."""

from __future__ import annotations

from collections.abc import Mapping

from clew.config import (
    ArchiveSettings,
    CrawlSettings,
    JudgeSettings,
    ProjectSettings,
    Settings,
    StoreSettings,
    WebSettings,
)
from clew.crawl.assembling import setup_of
from clew.crawl.reading import canonicaliser_of, reader_of, scope_of
from clew.crawl.setup import Setup
from clew.errors import InputError, TrainingError
from clew.examples.examples import Examples
from clew.judges.base import JudgeContext
from clew.judges.registry import make as make_judge
from clew.judges.registry import reads_text
from clew.lab.tasks import Task
from clew.lab.variants import Variant, judge_settings
from clew.model import Page, Response
from clew.store.base import Store
from clew.text.reader import Reader, Unreadable
from clew.web.providers.base import BacklinkProvider
from clew.web.registry import make as make_world

KEPT = 40_000
"""Pages of a web that are remembered, at most."""


class SharedReader:
    """Reads each page of a web once. What a page holds does not depend on who asks for it."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._pages: dict[str, Page | Unreadable] = {}

    @property
    def keep_text(self) -> bool:
        """As the reader's."""
        return self.reader.keep_text

    def read(self, response: Response, sitemap: bool = False) -> Page:
        """As ``Reader.read``. Sitemaps are read anew: whether an answer is read as one depends on who asks."""
        if sitemap:
            return self.reader.read(response, sitemap=True)
        found = self._pages.get(response.url)
        if found is None:
            found = self._read(response)
            if len(self._pages) < KEPT:
                self._pages[response.url] = found
        if isinstance(found, Unreadable):
            raise found
        return found

    def _read(self, response: Response) -> Page | Unreadable:
        try:
            return self.reader.read(response)
        except Unreadable as error:
            return error


class Readers:
    """The shared readers of a process, one a web (and one more where a judge needs pages with their text)."""

    def __init__(self) -> None:
        self._readers: dict[tuple[str, bool], SharedReader] = {}

    def of(self, settings: Settings, keywords: Mapping[str, float] | None = None) -> Reader:
        """The reader that all runs on a web share; ``keywords``: those of the task."""
        context = JudgeContext(keywords=keywords or {}, settings=settings.judge)
        keep_text = reads_text(settings.judge.name, context)
        made = reader_of(settings, canonicaliser_of(settings), scope_of(settings), keep_text=keep_text)
        which = settings.project.web, keep_text
        return self._readers.setdefault(which, SharedReader(made))  # type: ignore[return-value]  # it reads as one


def settings_of(task: Task, strategy: str | Variant, judge: str | Variant, seed: int) -> Settings:
    """The settings of a run: those that every crawl has, but for what the task and the variants say. Names stand for
    parts with the settings that they have by default. Raises ConfigError for settings of a judge that are wrong."""
    how = Variant(strategy, strategy) if isinstance(strategy, str) else strategy
    return Settings(
        project=ProjectSettings(name=task.name, web=task.web),
        judge=JudgeSettings(name=judge) if isinstance(judge, str) else judge_settings(judge),
        strategy={"name": how.part, **({how.part: dict(how.settings)} if how.settings else {})},
        crawl=CrawlSettings(contact="lab@localhost", seed=seed, max_pages=task.budget, workers=0),
        web=WebSettings(archive=ArchiveSettings(closed=task.closed)),
        store=StoreSettings(archive=False),
    )


def check(task: Task, judge: Variant) -> None:
    """Raise InputError, naming task and judge, where that judge cannot tell what the task wants."""
    settings = settings_of(task, "breadth-first", judge, 1)
    try:
        made = make_judge(settings.judge.name, JudgeContext(keywords=task.keywords, settings=settings.judge))
    except TrainingError as error:
        raise InputError(
            f"{task.path}: judge {judge.name}: {error}; in a task, keywords or query of [examples] name them"
        ) from error
    if task.positive:
        return
    try:
        made.fit([])
    except TrainingError as error:
        raise InputError(
            f"{task.path}: the task {task.name} says what it wants in words only, and the judge {judge.name} needs "
            f"example pages: name one that goes by words (--judges keywords), or give positive pages in [examples]"
        ) from error


def bench(task: Task, settings: Settings, store: Store, readers: Readers, links: BacklinkProvider | None) -> Setup:
    """The crawl of a run, remembered in ``store``; ``links`` says who links to a page."""
    world, clock = make_world(task.web, settings, now=store.journal.clock)
    return setup_of(
        settings,
        Examples(relevant=task.positive, irrelevant=task.negative, keywords=task.keywords),
        task.seeds,
        world=world,
        clock=clock,
        store=store,
        web=task.web,
        reader=readers.of(settings, task.keywords),
        backlinks=(lambda: links) if links is not None else None,
    )
