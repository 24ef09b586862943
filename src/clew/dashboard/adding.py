"""Pages are added to a project's search index beside the requests: the first time that may take minutes."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from clew.dashboard.projects import Shown
from clew.errors import ClewError, ProjectError

PATIENCE_S = 1.0
"""So long a search waits for pages that are being added; then it searches what is there."""


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``of`` pages are added; ``why``: why it ended before the last one, in words."""

    done: int
    of: int
    why: str = ""


class Adding:
    """Adds what was visited since the last time, in a thread of its own, one at a time."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._progress = Progress(0, 0)

    def begin(self, patience_s: float | None = None) -> Progress | None:
        """Begin unless it is under way, and wait a little. None when all pages are added, else how far it is."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._progress = Progress(0, 0)
                self._thread = threading.Thread(target=self._add, name="search index", daemon=True)
                self._thread.start()
            thread = self._thread
        thread.join(PATIENCE_S if patience_s is None else patience_s)
        return self._progress if thread.is_alive() or self._progress.why else None

    def _add(self) -> None:
        try:
            with self._shown.store() as store:
                self._shown.project().library.update(store, self._tell)
        except ProjectError:
            self._fail("another process is adding pages to the search index: newer ones may be missing")
        except (ClewError, RuntimeError) as error:  # RuntimeError: the server ends, and starts no more processes
            self._fail(str(error))

    def _tell(self, done: int, of: int) -> None:
        self._progress = Progress(done, of)

    def _fail(self, why: str) -> None:
        self._progress = replace(self._progress, why=why)
