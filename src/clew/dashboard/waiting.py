"""The waiting links of a project whose crawl does not run, found in a thread of their own: that takes seconds where
many pages were visited or a judge is to be trained."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from clew.crawl.waiting import WaitingLink
from clew.dashboard.experts import Expert
from clew.dashboard.projects import Shown
from clew.project.project import Project
from clew.project.waiting import waiting_links
from clew.store.base import Store
from clew.urls.canonical import key

WAIT_S = 1.0
"""An answer waits so long for links that are looked for."""

KEPT = 300
"""Links that are kept: more than are told at a time, since some may be dropped meanwhile."""

Stamp = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The best links, and whether others are looked for, because something changed."""

    links: tuple[WaitingLink, ...]
    computing: bool


class Waiting:
    """The best waiting links of one project, found again when it was crawled or its settings changed. May be asked from
    any thread."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._lock = threading.Lock()
        self._stamp: Stamp = ()
        self._links: tuple[WaitingLink, ...] = ()
        self._sought: Stamp = ()
        self._ended = threading.Event()
        self._error: Exception | None = None

    def best(self, n: int, wait_s: float = WAIT_S) -> Found:
        """The ``n`` best, without those that were dropped or blocked meanwhile. Raises ClewError, ProjectError when
        nothing was crawled yet."""
        project = self._shown.project()
        with self._shown.store() as store:
            stamp = _stamp(project, store)
            self._seek(stamp, project)
            self._ended.wait(wait_s)
            with self._lock:
                error, self._error = self._error, None
                links, computing = self._links, self._stamp != stamp
            if error is not None:
                raise error
            left = (one for one in links if _waits(project, store, one))
            return Found(tuple(one for one, _ in zip(left, range(n), strict=False)), computing)

    def forget(self) -> None:
        """Look for them again when they are asked for next; until they are found the old ones are told."""
        with self._lock:
            self._stamp = ()

    def _seek(self, stamp: Stamp, project: Project) -> None:
        """Begin to look, unless it is known already or looked for."""
        with self._lock:
            if stamp in (self._stamp, self._sought):
                return
            self._sought, self._ended = stamp, threading.Event()
            name = f"waiting links of {self._shown.name}"
            threading.Thread(target=self._find, args=(stamp, project, self._ended), name=name, daemon=True).start()

    def _find(self, stamp: Stamp, project: Project, ended: threading.Event) -> None:
        found: tuple[WaitingLink, ...] = ()
        error: Exception | None = None
        try:
            with self._shown.store() as store:
                found = self._found(project, store)
        except Exception as caught:  # whoever asks is told
            error = caught
        with self._lock:
            if self._sought == stamp:
                self._sought, self._error = (), error
                if error is None:
                    self._stamp, self._links = stamp, found
        ended.set()

    def _found(self, project: Project, store: Store) -> tuple[WaitingLink, ...]:
        expert = self._shown.kept(Expert)
        return tuple(expert.ask(store, lambda one: waiting_links(project, store, one.strategy, KEPT)))


def _stamp(project: Project, store: Store) -> Stamp:
    """Another one where other links may wait."""
    journal = store.journal
    return project, project.crawl_number(), store.visits.next_number, journal.clock, journal.last_session


def _waits(project: Project, store: Store, link: WaitingLink) -> bool:
    number = key(link.url)
    gone = store.visits.visited(number) or store.links.refusal(number) is not None
    return not gone and project.scope.why_not(link.url) is None
