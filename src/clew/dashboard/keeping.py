"""Answers that take seconds where many pages were visited, kept until what they rest on changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from clew.dashboard.projects import Shown
from clew.examples.labels import LABELS
from clew.export.crawlstate import file_stamp, stamp_of
from clew.export.summary import Summary
from clew.project.sampling import DRAWN

T = TypeVar("T")

MOST_BYTES = 4_000_000
"""The reports of one project that are kept take up so much, at most."""


class Keeper(Generic[T]):
    """Answers that follow from a project's files, crawl and labels, the oldest given up where they take up more than
    ``most``. May be asked from any thread: an answer is made once, and others wait for it."""

    most = MOST_BYTES

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._lock = threading.Lock()
        self._stamp: tuple[object, ...] = ()
        self._kept: dict[Hashable, T] = {}

    def get(self, what: Hashable, make: Callable[[], T]) -> T:
        """The answer of that name, as it was made before or made now. Raises what ``make`` raises."""
        with self._lock:
            stamp = self._now()  # before it is made, so that what changes meanwhile is seen
            if stamp != self._stamp:
                self._stamp, self._kept = stamp, {}
            if what in self._kept:
                return self._kept[what]
            found = self._kept[what] = make()
            while sum(map(self.size, self._kept.values())) > self.most:
                del self._kept[next(iter(self._kept))]
            return found

    def size(self, found: T) -> int:
        """Bytes that an answer takes up."""
        return len(found) if isinstance(found, bytes) else 0

    def _now(self) -> tuple[object, ...]:
        """Another one whenever an answer may be another."""
        project = self._shown.project()
        files = (file_stamp(project.path / name) for name in (LABELS, DRAWN))
        return project, stamp_of(project.database), *files


class Summaries(Keeper[Summary]):
    """The summary of a crawl."""


class Reports(Keeper[bytes]):
    """Its reports, as web pages and PDFs."""
