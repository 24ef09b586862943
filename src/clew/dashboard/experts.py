"""What explains a project's pages, kept between requests: training its judge takes seconds, an explanation little."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from clew.dashboard.projects import Shown
from clew.project.explaining import Explainer, stamps
from clew.project.project import Project
from clew.store.base import Store

Answer = TypeVar("Answer")


class Expert:
    """The explainer of one project, made anew when judge, labels, settings or session are no longer those it knows; of
    several threads that ask, one after the other is answered."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._lock = threading.Lock()
        self._made: tuple[Project, Explainer] | None = None

    def ask(self, store: Store, question: Callable[[Explainer], Answer]) -> Answer:
        """What the explainer answers, looking at ``store``. Raises ClewError."""
        with self._lock:
            return question(self._explainer(store))

    def _explainer(self, store: Store) -> Explainer:
        project = self._shown.project()
        before = self._made[1] if self._made is not None and self._made[0] is project else None
        if before is not None and before.stamp == stamps(project, store)[1]:
            before.look_at(store)
            return before
        made = Explainer(project, store, before)
        self._made = project, made
        return made
