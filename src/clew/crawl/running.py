"""Running a crawl from its setup: train the judge, put the parts together, run the loop, tell the result."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from logging import WARNING
from typing import TypeAlias

from clew.config import Settings
from clew.crawl.actions import CrawlActions
from clew.crawl.events import decide, tell
from clew.crawl.evidence import Evidence
from clew.crawl.interests import change, take_over_topics
from clew.crawl.lookups import LookUps
from clew.crawl.loop import Loop
from clew.crawl.mending import mend
from clew.crawl.parts import Parts
from clew.crawl.progress import Progress
from clew.crawl.setup import Setup
from clew.crawl.stopping import StopRules
from clew.crawl.unfetched import seeds_lost, why_nothing
from clew.crawl.view import CrawlView
from clew.examples.training import Trained
from clew.frontier.columns import ColumnFrontier
from clew.frontier.resting import Waits
from clew.store.records import RunRecord
from clew.store.room import Room
from clew.store.warc import WarcWriter
from clew.version import __version__
from clew.web.base import Clock
from clew.words import form, many
from clew.workers.pool import PageWorker, ReadingPool

PAUSES = 5
"""Better links are waited for on hosts that are free again within so many pauses,"""

SOON_S = 1.0
"""or within so many seconds, whichever is longer."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a run ended. Counts are of the whole crawl; ``fetched_now``, ``seconds`` and CPU are of this run.

    ``best_waited``: how often a better link than the one taken had to wait for its host, in this run.
    ``silent_hosts`` did not answer, and ``silent_links`` of them (part of ``frontier``) are asked for by the next run.
    ``why_nothing``: why nothing was fetched at all, a line a seed. In this run: ``judges`` were replaced and all pages
    judged again, which turned ``turned`` verdicts; nothing answered in ``outages``, ``outage_s`` seconds together;
    ``hosts_rested`` did not answer as they should, ``hosts_back`` of them did again. ``seeds_lost``: seeds of the
    project that gave no page, and why.
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
    silent_hosts: int = 0
    silent_links: int = 0
    why_nothing: tuple[str, ...] = ()
    judges: int = 0
    turned: int = 0
    outages: int = 0
    outage_s: float = 0.0
    hosts_rested: int = 0
    hosts_back: int = 0
    seeds_lost: tuple[str, ...] = ()


@dataclass(slots=True)
class Display:
    """What a run tells its user while it goes on; every part may be left out."""

    started: Callable[[Loop], None] = lambda loop: None
    tick: Callable[[], None] = lambda: None
    note: Callable[[str], None] = lambda text: None


def runner() -> asyncio.Runner:
    """What runs a crawl in an event loop of its own: uvloop's where it exists (not on Windows)."""
    try:
        import uvloop
    except ImportError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


Beside: TypeAlias = Callable[[Loop], AbstractAsyncContextManager[None]]
"""What is there while a loop runs, in the same event loop."""


async def run(
    setup: Setup, display: Display | None = None, run_s: float = 0.0, beside: Beside | None = None
) -> CrawlResult:
    """Start a crawl, or resume it where it stopped; returns when a rule says stop. ``run_s``: seconds it may run, 0 for
    as long as it takes. The world is opened; it and the store are closed by whoever made the setup."""
    display, cpu = display or Display(), _cpu_s()
    await setup.world.open()
    lookups = LookUps(setup.store, setup.backlink_provider, setup.search)
    try:
        parts = await _parts(setup, display, run_s, lookups)
        loop = Loop(parts, on_tick=display.tick)
        stopped = await _crawl(loop, setup, display, beside or _nothing)
    finally:
        await lookups.close()
    return _result(loop, stopped, setup, cpu)


def _nothing(loop: Loop) -> AbstractAsyncContextManager[None]:
    return nullcontext()


async def _crawl(loop: Loop, setup: Setup, display: Display, beside: Beside) -> str:
    parts = loop.parts
    display.started(loop)
    try:
        async with beside(loop):
            with _signals(loop):
                return await loop.run(list(setup.seeds))
    finally:
        parts.reading.close()
        if parts.archive is not None:
            parts.archive.close()


def _waits(setup: Setup) -> Waits | None:
    """Whether links wait for better ones: not where pauses take no time, or where scores do not say what links are
    worth."""
    hosts = setup.settings.crawl.better_hosts
    if setup.clock.virtual or not hosts or not setup.strategy.by_worth:
        return None
    return Waits(hosts, max(PAUSES * setup.settings.politeness.delay_s, SOON_S))


async def _parts(setup: Setup, display: Display, run_s: float, lookups: LookUps) -> Parts:
    """Everything that the loop drives; trains the judge."""
    settings, store = setup.settings, setup.store
    take_over_topics(store, setup.interest.topics)
    trainer = setup.trainer(display.note)
    trained = await trainer.trained()
    _tell(setup, trained)
    archive = _archive(setup)
    level = settings.store.gzip_level if archive is not None else 0
    worker = PageWorker(setup.reader, trained.judge, trained.interest, level)
    reading = ReadingPool(worker, _processes(settings, setup.clock), settings.limits.read_s, settings.limits.read_bytes)
    view = CrawlView(
        examples=trained.examples,
        interest=trained.interest,
        tree=setup.tree,
        seed=settings.crawl.seed,
        store=store,
        now=lambda: reading.worker.judge,
        others=setup.others,
        lookups=lookups,
        taught=lambda: trainer.taught,
        barred=lambda: trainer.refused,
    )
    rules = StopRules(settings.stop, settings.crawl.max_pages, run_s)
    parts = Parts(
        settings=settings,
        world=setup.world,
        clock=setup.clock,
        store=store,
        frontier=ColumnFrontier(setup.strategy.combination or settings.crawl.duplicates, _waits(setup)),
        strategy=setup.strategy,
        interest=trained.interest,
        reading=reading,
        rules=rules,
        view=view,
        evidence=Evidence(store.hosts),
        scope=setup.scope,
        canonicalise=setup.canonicalise,
        progress=Progress(),
        run=RunRecord(setup.strategy_name, setup.judge_name, setup.web, trained.interest.threshold),
        archive=archive,
        trainer=trainer,
        archive_folder=setup.archive,
        on_page=setup.on_page,
        room=_room(settings, rules),
        change=change(store, trained.interest),
    )
    view.actions = CrawlActions(parts)
    return parts


def _tell(setup: Setup, trained: Trained) -> None:
    """Note how the judge was trained."""
    if trained.adoption.labels:
        decide(setup.store, trained.adoption.decision())
    threshold = trained.interest.threshold
    tell(
        "trained",
        f"judge {setup.judge_name} was trained on {len(trained.examples)} examples; relevant from {threshold:.3g} on",
        judge=setup.judge_name,
        examples=len(trained.examples),
        labels=trained.adoption.labels,
        threshold=threshold,
    )


def _archive(setup: Setup) -> WarcWriter | None:
    settings = setup.settings.store
    if setup.archive is None or not settings.archive:
        return None
    software = f"clew/{__version__}"
    writer = WarcWriter(
        setup.archive, f"crawl{setup.crawl_number}", settings.archive_bytes, settings.gzip_level, software
    )
    mend(setup.store, setup.archive)
    writer.open(setup.store.journal.archive)
    for note in writer.notes:
        tell("archive", note)
    return writer


def _room(settings: Settings, rules: StopRules) -> Room:
    """Waits for room on a full disk, unless the user stops the crawl."""
    return Room(
        settings.store.wait_for_room_s,
        tell=lambda text: tell("room", text, WARNING),
        stop=lambda: rules.asked == "interrupted",
    )


def _processes(settings: Settings, clock: Clock) -> int:
    """Worker processes; none under a virtual clock, where every crawl must repeat exactly."""
    if clock.virtual:
        return 0
    wanted = settings.crawl.workers
    return wanted if wanted >= 0 else max((os.cpu_count() or 2) - 1, 1)


def ask_to_stop(loop: Loop) -> str:
    """Ctrl-C, once more each time: stop, and say what becomes of what is under way."""
    loop.interrupt()
    said = stopping(loop)
    tell("stopping", said, WARNING)
    return said


def stopping(loop: Loop) -> str:
    """What becomes of what is under way after so many interrupts, in words."""
    requests, pages = loop.under_way
    kept = "every page that was fetched is kept"
    if loop.interrupts == 1:
        under_way = f"{many(requests, 'request')} {form(requests, 'is', 'are')} finished first; " if requests else ""
        return f"stopping: {under_way}{kept}; Ctrl-C again gives up what is under way"
    if loop.interrupts == 2:
        given_up = (
            f"{many(requests, 'request')} without an answer {form(requests, 'is', 'are')} given up, "
            if requests
            else ""
        )
        return (
            f"stopping now: {given_up}to be sent again by the next run; {kept}" if requests else f"stopping now: {kept}"
        )
    return f"stopping now: {many(pages, 'page')} not read yet {form(pages, 'is', 'are')} fetched again by the next run"


@contextmanager
def _signals(loop: Loop) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop a crawl cleanly; what the program had for them is put back at the end."""
    running = asyncio.get_running_loop()
    caught = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)
        try:
            running.add_signal_handler(number, ask_to_stop, loop)
            caught[number] = before
        except (NotImplementedError, RuntimeError, ValueError):  # not in the main thread
            pass
    try:
        yield
    finally:
        for number, before in caught.items():
            running.remove_signal_handler(number)  # puts the default there
            if before is not None:
                signal.signal(number, before)


def _cpu_s() -> float:
    """CPU seconds of this process and its ended children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _result(loop: Loop, stopped: str, setup: Setup, cpu_before: float) -> CrawlResult:
    parts, progress = loop.parts, loop.parts.progress
    silent_hosts, silent_links = loop.patience.left_behind()
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
        strategy=setup.strategy_name,
        judge=setup.judge_name,
        web=setup.web,
        silent_hosts=silent_hosts,
        silent_links=silent_links,
        why_nothing=why_nothing(parts, loop.patience) if stopped in ("frontier", "outage") else (),
        judges=parts.happened.judges,
        turned=parts.happened.turned,
        outages=parts.happened.outages,
        outage_s=round(loop.patience.out_s(), 1),
        hosts_rested=len(parts.happened.rested),
        hosts_back=len(parts.happened.back),
        seeds_lost=seeds_lost(parts, loop.patience),
    )
