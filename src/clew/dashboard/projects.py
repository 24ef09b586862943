"""The projects that a dashboard shows: opened when asked for, and anew when their files changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from clew.errors import InputError
from clew.project.folder import SETTINGS
from clew.project.project import Project
from clew.store.base import Store

T = TypeVar("T")


class Shelf:
    """Projects by the names under which the API knows them: those of their folders, numbered where two are alike."""

    def __init__(self, paths: Sequence[Path], results: Path | None = None) -> None:
        self.results = results
        self._shown: dict[str, Shown] = {}
        for path in paths:
            name = _free(path.resolve().name or "project", self._shown)
            self._shown[name] = Shown(name, path)

    def __iter__(self) -> Iterator[Shown]:
        return iter(self._shown.values())

    def close(self) -> None:
        """The server ends: whoever waits for news gets none any more."""
        for shown in self:
            shown.closed.set()

    def get(self, name: str) -> Shown:
        """Raises NoSuchProjectError."""
        if name not in self._shown:
            raise NoSuchProjectError(f"no project {name!r} is shown here; there are: {', '.join(self._shown)}")
        return self._shown[name]


class NotThereError(InputError):
    """What a path names is not there."""


class NoSuchProjectError(NotThereError):
    """The dashboard shows no project of that name."""


class Shown:
    """One project. Its methods may be called from any thread."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.closed = threading.Event()
        self._lock, self._kept_lock = threading.Lock(), threading.Lock()
        self._kept: dict[object, Any] = {}
        self._opened: tuple[tuple[object, ...], Project] | None = None
        self.project()

    def project(self) -> Project:
        """The project as its files say now. Raises ProjectError, ConfigError."""
        with self._lock:
            if self._opened is None or self._opened[0] != self._stamp(self._opened[1]):
                project = Project(self.path)
                self._opened = self._stamp(project), project
            return self._opened[1]

    def kept(self, make: Callable[[Shown], T]) -> T:
        """What requests of this project share: made when first asked for, the same from then on. ``make``: a class, or
        a function of a module."""
        with self._kept_lock:
            if make not in self._kept:
                self._kept[make] = make(self)
            found: T = self._kept[make]
            return found

    def _stamp(self, project: Project) -> tuple[object, ...]:
        """What tells that files changed on which a project's cached parts rest."""
        interest = project.settings.interest
        files = (SETTINGS, interest.topics, interest.relevant, interest.irrelevant, project.settings.scope.never)
        return tuple(_stamp(self.path / name) for name in files)

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The crawl database as it is now, to read. Raises ProjectError when nothing was crawled yet."""
        store = self.project().open_store(read_only=True)
        try:
            yield store
        finally:
            store.close()


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _free(name: str, taken: dict[str, Shown]) -> str:
    number, found = 2, name
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found
