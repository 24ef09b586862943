"""What explains a project's pages, kept between requests: training its judge takes seconds, an explanation little."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from clew.dashboard.projects import Shown
from clew.errors import ClewError
from clew.project.explaining import Explainer, stamps
from clew.project.project import Project
from clew.store.base import Store

Answer = TypeVar("Answer")

WAIT_S = 1.0
"""An answer waits so long for an explainer that is being made."""

OWED_S = 60.0
"""So long after it was made an explainer answers whoever waited for it, even if a session ended meanwhile: in a fast
crawl one always has."""

Mark = tuple[Project, object]


class Expert:
    """The explainer of one project, made anew when judge, labels, settings or session are no longer those it knows; of
    several threads that ask, one after the other is answered, and one at a time is made."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._lock, self._seeking = threading.Lock(), threading.Lock()
        self._made: tuple[Project, Explainer] | None = None
        self._ended = threading.Event()
        self._ended.set()
        self._owed_until = 0.0
        self._failed: tuple[Mark, Exception] | None = None

    def ask(self, store: Store, question: Callable[[Explainer], Answer]) -> Answer:
        """What the explainer answers, looking at ``store``; waits until it is made. Raises ClewError."""
        with self._lock:
            return question(self._explainer(store))

    def answer(
        self, store: Store, question: Callable[[Explainer], Answer], wait_s: float = WAIT_S
    ) -> tuple[Answer] | None:
        """The same, alone in a tuple; None while the explainer is being made or answers somebody else, after about
        ``wait_s`` seconds: ask again. Raises ClewError."""
        mark = self._mark(store)
        ended = self._seek(mark)
        if not ended.wait(wait_s) or not self._lock.acquire(timeout=wait_s):
            return None
        try:
            self._raise_failure(mark)
            if not self._answers(mark) or self._made is None:
                return None
            self._owed_until = 0.0
            self._made[1].look_at(store)
            return (question(self._made[1]),)
        finally:
            self._lock.release()

    def _mark(self, store: Store) -> Mark:
        project = self._shown.project()
        return project, stamps(project, store)[1]

    def _answers(self, mark: Mark) -> bool:
        if self._made is None or self._made[0] is not mark[0]:
            return False
        return self._made[1].stamp == mark[1] or time.monotonic() < self._owed_until

    def _raise_failure(self, mark: Mark) -> None:
        failed, self._failed = self._failed, None
        if failed is not None and failed[0] == mark:
            raise failed[1]

    def _seek(self, mark: Mark) -> threading.Event:
        """Begin to make one in a thread, unless one is made that answers, or one is being made; returns what tells the
        end of that."""
        with self._seeking:
            failed = self._failed is not None and self._failed[0] == mark
            if self._ended.is_set() and not failed and not self._answers(mark):
                self._ended = threading.Event()
                name = f"explainer of {self._shown.name}"
                threading.Thread(target=self._make, args=(self._ended,), name=name, daemon=True).start()
            return self._ended

    def _make(self, ended: threading.Event) -> None:
        try:
            with self._shown.store() as store:
                mark = self._mark(store)
                try:
                    with self._lock:
                        self._explainer(store)
                    self._owed_until = time.monotonic() + OWED_S
                except Exception as error:  # whoever asks is told
                    self._failed = mark, error
        except ClewError:  # of the project or its store: whoever asks next meets it again
            pass
        finally:
            ended.set()

    def _explainer(self, store: Store) -> Explainer:
        project = self._shown.project()
        before = self._made[1] if self._made is not None and self._made[0] is project else None
        if before is not None and before.stamp == stamps(project, store)[1]:
            before.look_at(store)
            return before
        made = Explainer(project, store, before)
        self._made = project, made
        return made
