"""How the crawl of a project stands: it runs, is paused, has stopped and why, with its last figures."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from clew.crawl.lastrun import last_estimate, last_run, why_stopped
from clew.crawl.progress import WINDOW
from clew.crawl.standing import Precision, Snapshot
from clew.errors import ProjectError
from clew.project.folder import ProjectFolder
from clew.project.launching import Launcher
from clew.project.running import BusyError, Running
from clew.store.base import Store
from clew.store.records import RunEnd

State = Literal["never", "starting", "running", "paused", "stopping", "stopped"]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a whole crawl, running or not. ``waiting``: links, None where nobody counted them; ``precision``:
    as the judge sees it, None where it does not tell."""

    fetched: int
    visits: int
    relevant: int
    harvest_rate: float
    window_rate: float
    failed: int
    redirects: int
    refused: int
    absent: int
    robots: int
    bytes: int
    waiting: int | None
    session: int
    precision: Precision | None
    strategy: str
    judge: str
    web: str


@dataclass(frozen=True, slots=True)
class CrawlState:
    """How a crawl stands. ``says``: the same in words, what it waits for included; ``stopped_by``: the rule that ended
    the last run, "" while one goes on and where it was killed; ``ended_at``: when, by the crawl's clock (seconds since
    1970, made-up ones in a simulated web); ``failure``: why a crawl that was started by the dashboard failed;
    ``figures``: None before the first crawl; ``live``: what only a running crawl knows."""

    state: State
    says: str
    stopped_by: str = ""
    ended_at: float | None = None
    failure: str = ""
    figures: Figures | None = None
    live: Snapshot | None = None


ANSWER_S = 3.0
"""A crawl that says nothing for so long is busy."""

Stamp = tuple[tuple[int, int, int], ...]


class CrawlStates:
    """Tells how one project's crawl stands; what is in its database is read again when that changed. Its methods may be
    called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: tuple[Stamp, Figures, RunEnd | None] | None = None
        self._live: CrawlState | None = None

    def now(self, project: ProjectFolder, launcher: Launcher | None = None) -> CrawlState:
        """The state at this moment. Raises StoreError."""
        running = self._running(project)
        if running is not None:
            return running
        failure = launcher.failure if launcher is not None else ""
        writer = (launcher.pid if launcher is not None else 0) or project.writer()
        if not project.database.is_file():
            if writer:
                return CrawlState("starting", _GETTING_READY, failure=failure)
            return CrawlState("never", "nothing was crawled yet", failure=failure)
        figures, end = self._stored(project)
        if writer:
            return CrawlState("starting", _GETTING_READY, failure=failure, figures=figures)
        by = end.stopped_by if end is not None else ""
        ended_at = end.at if end is not None else None
        return CrawlState("stopped", f"not running: {why_stopped(by)}", by, ended_at, failure, figures)

    def _running(self, project: ProjectFolder) -> CrawlState | None:
        """What a running crawl says of itself, or as it said last where it is too busy; None where none runs."""
        found = Running.find(project, ANSWER_S)
        if found is None:
            self._live = None
            return None
        try:
            self._live = running_state(found.snapshot())
        except ProjectError:  # it ended meanwhile
            self._live = None
        except BusyError:
            busy = "busy: the judge learns, or all links are scored again"
            self._live = replace(self._live, says=busy) if self._live is not None else CrawlState("running", busy)
        return self._live

    def _stored(self, project: ProjectFolder) -> tuple[Figures, RunEnd | None]:
        with self._lock:
            stamp = stamp_of(project.database)
            if self._read is None or self._read[0] != stamp:
                store = project.open_store(read_only=True)
                try:
                    self._read = stamp, stored_figures(store, project), store.journal.last_end()
                finally:
                    store.close()
            return self._read[1:]


_GETTING_READY = "getting ready: the examples are read, and the judge is trained"


def stamp_of(database: Path) -> Stamp:
    """Changes whenever a database does."""
    return tuple(file_stamp(Path(f"{database}{ending}")) for ending in ("", "-wal"))


def file_stamp(path: Path) -> tuple[int, int, int]:
    """Changes whenever a file does; zeros where there is none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


def stored_figures(store: Store, project: ProjectFolder) -> Figures:
    """The figures of a crawl that does not run, from its database. With a million pages this takes half a second."""
    totals, end, told = store.visits.totals(), store.journal.last_end(), last_estimate(store)
    run, late = last_run(store, project.settings), store.visits.relevant(max(store.visits.next_number - WINDOW, 1))
    return Figures(
        fetched=totals.fetched,
        visits=totals.visits,
        relevant=totals.relevant,
        harvest_rate=totals.relevant / max(totals.fetched, 1),
        window_rate=float(late.mean()) if len(late) else 0.0,
        failed=totals.failed,
        redirects=totals.redirects,
        refused=totals.refused,
        absent=totals.absent,
        robots=totals.robots,
        bytes=totals.bytes,
        waiting=end.waiting if end is not None else None,
        session=store.journal.last_session,
        precision=Precision(told.precision, told.low, told.high) if told is not None else None,
        strategy=run.strategy,
        judge=run.judge,
        web=run.web,
    )


def running_state(live: Snapshot) -> CrawlState:
    """How a crawl stands that says this of itself."""
    figures = Figures(**{name: getattr(live, name) for name in Figures.__slots__})
    if live.stops or live.stopped_by:
        by = live.stopped_by or "interrupted"
        says = f"stopping: {why_stopped(by)}; what is under way is finished first"
        return CrawlState("stopping", says, by, figures=figures, live=live)
    if live.paused:
        return CrawlState("paused", "paused: no link is taken until you resume it", figures=figures, live=live)
    says = f"waiting: {live.waits_for}" if live.waits_for else "running"
    return CrawlState("running", says, figures=figures, live=live)
