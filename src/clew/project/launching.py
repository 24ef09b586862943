"""Starting a project's crawl as a process of its own, which goes on when the program that started it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import IO

from clew.errors import ProjectError
from clew.project.assembly import CrawlOptions

LOG = "crawl.log"
"""Where a crawl that was started so writes a line an event, in the project's folder."""

WAIT_S = 30.0
"""So long is waited for a crawl to listen, or to fail; one that takes longer goes on getting ready."""

LOOK_S = 0.05
TOLD_LINES, TOLD_BYTES = 10, 4096
"""What is told of the standard error of a crawl that failed."""


class Launcher:
    """Starts the crawl of one project, one at a time. Its methods may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def start(self, options: CrawlOptions, listens: Callable[[], bool], wait_s: float = WAIT_S) -> bool:
        """Start a crawl; returns when it listens (``listens`` says so) or has ended: whether it goes on. Raises
        ProjectError when one runs already, and when it failed, with what it said."""
        with self._lock:
            if self.pid or listens():
                raise ProjectError(f"a crawl of {self._folder} runs already: stop it first, or watch it")
            child = self._spawn(options)
            until = time.monotonic() + wait_s
            while child.poll() is None and not listens() and time.monotonic() < until:
                time.sleep(LOOK_S)
        if child.returncode:
            raise ProjectError(f"the crawl did not start: {self.failure}")
        return child.returncode is None

    @property
    def pid(self) -> int:
        """The process that was started here last, while it runs; else 0."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else 0

    @property
    def failure(self) -> str:
        """Why the crawl that was started here last failed, in its own words; "" while it runs and if it did not."""
        child = self._child
        if child is None or not child.poll():
            return ""
        said = self._last_lines()
        if child.returncode < 0:
            return f"it was killed by signal {-child.returncode}{f' ({said})' if said else ''}"
        return said or f"exit code {child.returncode}"

    def _spawn(self, options: CrawlOptions) -> subprocess.Popen[bytes]:
        if self._errors is not None:
            self._errors.close()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # it lasts as long as somebody may ask
        weakref.finalize(self, self._errors.close)
        environment = {name: value for name, value in os.environ.items() if name != "CLEW_TOKEN"}
        child = subprocess.Popen(
            command(self._folder.resolve(), options), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self._errors, env=environment, start_new_session=True,
        )  # fmt: skip
        self._child = child
        # whoever ends must be waited for, or it stays in the table of processes
        threading.Thread(target=child.wait, name=f"crawl {child.pid}", daemon=True).start()
        return child

    def _last_lines(self) -> str:
        """What the process wrote last on standard error. It shares the place of writing, so nothing is sought."""
        if self._errors is None or self._errors.closed:
            return ""
        handle = self._errors.fileno()
        size = os.fstat(handle).st_size
        text = os.pread(handle, TOLD_BYTES, max(size - TOLD_BYTES, 0)).decode("utf-8", "replace")
        lines = [line.removeprefix("clew: ") for line in text.splitlines() if line.strip()]
        return "\n".join(lines[-TOLD_LINES:])


def command(folder: Path, options: CrawlOptions) -> list[str]:
    """The command line of such a crawl. Values come behind "=", so that none is taken for an option."""
    given = {
        "--max-pages": options.max_pages,
        "--for": f"{options.run_s:f}s" if options.run_s else None,
        "--strategy": options.strategy,
        "--judge": options.judge,
    }
    chosen = [f"{name}={value}" for name, value in given.items() if value is not None]
    return [sys.executable, "-m", "clew.cli", "crawl", "--quiet", f"--log={folder / LOG}", *chosen, "--", str(folder)]
