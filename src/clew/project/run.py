"""Putting a crawl together from a project, and running it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import msgspec

from clew import __version__
from clew.config import Settings
from clew.crawl.actions import CrawlActions
from clew.crawl.evidence import Evidence
from clew.crawl.lookups import LookUps
from clew.crawl.loop import Crawl
from clew.crawl.parts import Parts
from clew.crawl.progress import Progress
from clew.crawl.stopping import StopRules
from clew.crawl.view import CrawlView
from clew.errors import ConfigError
from clew.examples.visited import archetypes_of
from clew.frontier.columns import ColumnFrontier
from clew.judges.base import Judge
from clew.model import Example
from clew.project.lastrun import last_run, remember
from clew.project.project import Project
from clew.project.teaching import feedback, make_project_judge, make_training, measured, trained
from clew.store.base import Store
from clew.store.cache import ArchiveCache
from clew.store.warc import WarcWriter
from clew.strategies.base import Strategy
from clew.strategies.registry import make as make_strategy
from clew.topics.interest import Interest
from clew.web.base import Clock, World
from clew.web.cached import CachedWorld
from clew.web.providers.base import BacklinkProvider, SearchProvider
from clew.web.providers.registry import make as make_provider
from clew.web.registry import absolute
from clew.web.registry import make as make_world
from clew.workers.pool import PageWorker, ReadingPool

DUPLICATES = ("best", "first", "mean")


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What a user may say for one run instead of clew.toml. None: as clew.toml says."""

    web: str | None = None
    strategy: str | None = None
    judge: str | None = None
    max_pages: int | None = None
    run_s: float = 0.0
    fresh_s: float | None = None
    workers: int | None = None
    contact: str | None = None


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a run ended. Counts are of the whole project; ``fetched_now``, ``seconds`` and CPU are of this run.

    ``best_waited``: how often a better link than the one taken had to wait for its host, in this run.
    """

    fetched: int
    relevant: int
    harvest_rate: float
    frontier: int
    stopped_by: str
    seconds: float
    cpu_ms_per_page: float
    fetched_now: int
    failed: int
    redirects: int
    refused: int
    absent: int
    robots_requests: int
    best_waited: float
    strategy: str
    judge: str
    web: str


@dataclass(slots=True)
class Display:
    """What a run tells its user while it goes on; every part may be left out."""

    started: Callable[[Crawl], None] = lambda crawl: None
    tick: Callable[[], None] = lambda: None
    note: Callable[[str], None] = lambda text: None


def crawl(project: Project, options: CrawlOptions, display: Display | None = None) -> CrawlResult:
    """Run a crawl to its end in an event loop of its own. Raises ClewError; not for use inside a running loop."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(run(project, options, display))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it exists (not on Windows)."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def chosen(settings: Settings, options: CrawlOptions) -> Settings:
    """The settings of this run: clew.toml with the options on top. Raises ConfigError."""
    crawl, judge, strategy = settings.crawl, settings.judge, dict(settings.strategy)
    if options.max_pages is not None:
        crawl = msgspec.structs.replace(crawl, max_pages=options.max_pages)
    if options.fresh_s is not None:
        crawl = msgspec.structs.replace(crawl, fresh_s=options.fresh_s)
    if options.workers is not None:
        crawl = msgspec.structs.replace(crawl, workers=options.workers)
    if options.contact is not None:
        crawl = msgspec.structs.replace(crawl, contact=options.contact)
    if options.judge is not None:
        judge = msgspec.structs.replace(judge, name=options.judge)
    if options.strategy is not None:
        strategy["name"] = options.strategy
    if crawl.duplicates not in DUPLICATES:
        raise ConfigError(f"crawl.duplicates is {crawl.duplicates!r}; choose one of: {', '.join(DUPLICATES)}")
    return msgspec.structs.replace(settings, crawl=crawl, judge=judge, strategy=strategy)


async def check(project: Project, options: CrawlOptions) -> None:
    """Raise ClewError for what ``run`` would refuse before it fetches anything. Changes nothing of the project."""
    settings = chosen(project.settings, options)
    project = project.with_settings(settings)
    _strategy(project)
    make_project_judge(project)
    project.scope.accepts(project.seeds())
    project.wanted()
    world, _ = make_world(options.web or absolute(settings.project.web, project.path), settings)
    await world.open()
    await world.close()


async def run(project: Project, options: CrawlOptions, display: Display | None = None) -> CrawlResult:
    """Start a project's crawl, or take it up where it stopped; returns when a rule says stop."""
    display = display or Display()
    settings = chosen(project.settings, options)
    project = project.with_settings(settings)
    cpu = _cpu_s()
    store = project.open_store()
    try:
        web = options.web or absolute(settings.project.web, project.path)
        world, clock = make_world(web, settings, now=store.clock())
        world = _with_cache(project, world, clock)
        await world.open()
        try:
            lookups = _lookups(project, store, world)
            try:
                parts = await _parts(project, store, world, clock, display, options.run_s, lookups)
                remember(store, settings.judge.name, web, parts.interest.threshold)
                stopped = await _crawl(parts, project.seeds(), display)
            finally:
                await lookups.close()
        finally:
            await world.close()
        return _result(parts, stopped, web, cpu)
    finally:
        store.close()


async def _crawl(parts: Parts, seeds: list[str], display: Display) -> str:
    crawl = Crawl(parts, on_tick=display.tick)
    display.started(crawl)
    try:
        with _signals(crawl):
            return await crawl.run(seeds)
    finally:
        parts.reading.close()
        if parts.archive is not None:
            parts.archive.close()


async def _parts(  # what a crawl is put together from
    project: Project, store: Store, world: World, clock: Clock, display: Display, run_s: float, lookups: LookUps
) -> Parts:
    """Everything a crawl consists of; trains the judge."""
    settings = project.settings
    strategy = _strategy(project)
    training = make_training(project, store, world, clock, display.note)
    examples, adoption = await trained(project, training)
    if adoption.labels:
        store.add_decision(adoption.decision())
    interest = _interest(project, store, adoption.judge, examples)
    archive = _archive(project, store)
    level = settings.store.gzip_level if archive is not None else 0
    worker = PageWorker(project.reader, adoption.judge, interest, level)
    rules = StopRules(settings.stop, settings.crawl.max_pages, run_s)
    reading = ReadingPool(worker, _processes(settings, clock), settings.limits.read_s)
    view = CrawlView(
        examples=examples,
        interest=interest,
        tree=project.tree,
        seed=settings.crawl.seed,
        store=store,
        now=lambda: reading.worker.judge,
        others=project.visits_of,
        lookups=lookups,
    )
    parts = Parts(
        settings=settings,
        world=world,
        clock=clock,
        store=store,
        frontier=ColumnFrontier(settings.crawl.duplicates),  # type: ignore[arg-type]  # checked in ``chosen``
        strategy=strategy,
        interest=interest,
        reading=reading,
        rules=rules,
        view=view,
        evidence=Evidence(store),
        scope=project.scope,
        canonicalise=project.canonicalise,
        progress=Progress(),
        archive=archive,
        feedback=feedback(project, training),
        archive_folder=project.archive,
    )
    view.actions = CrawlActions(parts)
    return parts


def _interest(project: Project, store: Store, judge: Judge, examples: list[Example]) -> Interest:
    """The interest; a threshold that examples set stays as it was before archetypes joined them (ARI-23)."""
    interest = measured(project, judge, examples)
    if project.interest.threshold > 0 or not archetypes_of(store):
        return interest
    return replace(interest, threshold=last_run(store, project.settings).threshold)


def _lookups(project: Project, store: Store, world: World) -> LookUps:
    """Whom the strategy may ask about the web."""
    settings = project.settings

    def backlinks() -> BacklinkProvider:
        return project.backlink_provider(store, world)

    def search() -> SearchProvider | None:
        named = settings.providers.search
        return make_provider(named, project.path, project.canonicalise) if named else None

    return LookUps(store, backlinks, search)


def _strategy(project: Project) -> Strategy:
    """Where to go next. Raises ConfigError for a wrong name or setting."""
    name = str(project.settings.strategy.get("name", "best-first"))
    return make_strategy(name, project.settings.strategy.get(name, {}))


def _archive(project: Project, store: Store) -> WarcWriter | None:
    settings = project.settings.store
    if not settings.archive:
        return None
    writer = WarcWriter(
        project.archive,
        f"crawl{project.crawl_number()}",
        settings.archive_bytes,
        settings.gzip_level,
        f"clew/{__version__}",
    )
    writer.open(store.archive())
    return writer


def _with_cache(project: Project, world: World, clock: Clock) -> World:
    fresh = project.settings.crawl.fresh_s
    earlier = project.earlier_databases()
    if not fresh or not earlier:
        return world
    return CachedWorld(world, ArchiveCache(earlier, project.archive), fresh, clock)


def _processes(settings: Settings, clock: Clock) -> int:
    """Worker processes; none under a virtual clock, where every crawl must repeat exactly."""
    if clock.virtual:
        return 0
    wanted = settings.crawl.workers
    return wanted if wanted >= 0 else max((os.cpu_count() or 2) - 1, 1)


@contextmanager
def _signals(crawl: Crawl) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop a crawl cleanly."""
    loop = asyncio.get_running_loop()
    caught = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, crawl.interrupt)
            caught.append(number)
        except (NotImplementedError, RuntimeError, ValueError):  # not in the main thread
            pass
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


def _cpu_s() -> float:
    """CPU seconds of this process and its ended children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _result(parts: Parts, stopped: str, web: str, cpu_before: float) -> CrawlResult:
    progress = parts.progress
    cpu_ms = (_cpu_s() - cpu_before) * 1000
    return CrawlResult(
        fetched=progress.fetched,
        relevant=progress.relevant,
        harvest_rate=round(progress.harvest_rate, 6),
        frontier=len(parts.frontier),
        stopped_by=stopped,
        seconds=round(progress.seconds, 3),
        cpu_ms_per_page=round(cpu_ms / max(progress.fetched_now, 1), 3),
        fetched_now=progress.fetched_now,
        failed=progress.failed,
        redirects=progress.redirects,
        refused=progress.refused,
        absent=progress.absent,
        robots_requests=progress.robots,
        best_waited=round(progress.waited_rate, 3),
        strategy=parts.strategy.name,
        judge=parts.settings.judge.name,
        web=web,
    )
