"""What takes the dashboard long and is kept: scores of judged pages as columns, and what is told of topics."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from fastapi import Request

from clew.dashboard.projects import Shown
from clew.errors import ClewError, ProjectError
from clew.project.edits import stamp
from clew.project.previewing import ScoreCache
from clew.project.understood import About, about, about_as_crawled
from clew.store.base import Store

FEW = 50_000
"""Pages whose scores are read while somebody waits."""

PATIENCE_S = 1.0
"""How long somebody waits for more."""

_MAKING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of the topics, when the project's files had this ``stamp``; or the ``problem`` that kept it."""

    stamp: str
    about: About | None = None
    problem: str = ""


@dataclass(slots=True)
class Study:
    """Of one project: its columns, and its topics as they were studied last."""

    scores: ScoreCache = field(default_factory=ScoreCache)
    told: Told | None = None
    computing: bool = False
    _reading: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def columns(self, shown: Shown, store: Store) -> ScoreCache | None:
        """The cache of scores, where it can answer at once; None while many pages are being read for it."""
        if self.scores.behind(store) > FEW:
            with self._lock:
                if self._reading is None or not self._reading.is_alive():
                    self._reading = threading.Thread(target=self._read, args=(shown,), daemon=True)
                    self._reading.start()
                reading = self._reading
            reading.join(PATIENCE_S)
        return self.scores if self.scores.behind(store) <= FEW else None

    def _read(self, shown: Shown) -> None:
        try:
            with shown.store() as store:
                self.scores.columns(store)
        except ClewError:  # whoever asks next meets it again
            return

    def begin(self, shown: Shown, *, fetch: bool) -> None:
        """Study the topics in a thread of its own, unless that goes on already. ``fetch``: read examples that no crawl
        read yet. Raises ProjectError where there are none and they may not be fetched."""
        project = shown.project()
        if not fetch and not project.database.is_file():
            raise ProjectError("no example page was read yet: start the crawl first, or let them be fetched now")
        with self._lock:
            if self.computing:
                return
            self.computing = True
        threading.Thread(target=self._run, args=(shown, fetch), daemon=True).start()

    def _run(self, shown: Shown, fetch: bool) -> None:
        mark = ""
        try:
            project = shown.project()
            mark = stamp(project)
            if fetch:
                self.told = Told(mark, about(project))
            else:
                with shown.store() as store:
                    self.told = Told(mark, about_as_crawled(project, store))
        except ClewError as error:
            self.told = Told(mark, problem=str(error))
        finally:
            self.computing = False


def study_of(request: Request, shown: Shown) -> Study:
    """What is kept of a project's crawl; nothing is when it begins anew."""
    key = shown.name, shown.project().crawl_number()
    with _MAKING:
        kept: dict[tuple[str, int], Study] = getattr(request.app.state, "studies", {})
        request.app.state.studies = kept
        return kept.setdefault(key, Study())
