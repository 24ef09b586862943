"""How a crawl that was started from Python shows its progress: a line in a terminal, drawn anew; one in a notebook."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from clew.crawl.loop import PAUSED, Loop
from clew.crawl.running import Display
from clew.text.shown import shown
from clew.words import interval, many, span

EVERY_S = 1.0


WIDEST = 10_000


def summary(loop: Loop, width: int = WIDEST) -> str:
    """The state of a crawl in one line of at most ``width`` characters: what fits of it, the first parts first."""
    progress, frontier, waits = loop.parts.progress, loop.parts.frontier, loop.waits_for()
    told = loop.parts.reading.worker.judge.estimate()
    begin = f"{span(progress.seconds)}: {progress.fetched:,} fetched"
    parts = [
        f"{progress.relevant:,} judged relevant ({progress.harvest_rate:.3f})",
        f"last 200: {progress.window_rate:.3f}",
        *([f"waiting: {waits}" if waits != PAUSED else "paused"] if waits else []),
        f"{progress.pages_per_s:.1f} pages/s",
        *([f"precision about {interval(told.precision, told.low, told.high)}"] if told and told.precision >= 0 else []),
        f"{many(len(frontier), 'link')} waiting on {many(frontier.hosts_waiting, 'host')}",
        f"{many(frontier.hosts_busy, 'host')} active",
    ]
    return fitted(begin, parts, width)


def fitted(begin: str, parts: Sequence[str], width: int) -> str:
    """``begin`` and those of ``parts`` for which there is room, parted by commas; the first of them is cut where there
    is not."""
    line = f"{begin}, {parts[0]}" if parts else begin
    if len(line) > width:
        return f"{line[: max(width - 3, 0)]}..."
    for part in parts[1:]:
        longer = f"{line}, {part}"
        line = longer if len(longer) <= width else line
    return line


@contextmanager
def display_of(wanted: bool) -> Iterator[Display]:
    """A display of a run; one that shows nothing unless it is ``wanted``."""
    if not wanted:
        yield Display()
        return
    line = _Line(_notebook() or _terminal)
    yield Display(line.started, line.tick, lambda text: print(f"clew: {shown(text)}", file=sys.stderr))
    line.last()


class _Line:
    """One line about a crawl, written anew with ``write`` every second; ``write`` is told whether it is the last."""

    def __init__(self, write: Callable[[str, bool], None]) -> None:
        self._write = write
        self._loop: Loop | None = None
        self._at = 0.0

    def started(self, loop: Loop) -> None:
        self._loop = loop

    def tick(self) -> None:
        now = time.monotonic()
        if self._loop is not None and now - self._at >= EVERY_S:
            self._at = now
            self._write(summary(self._loop, _width()), False)

    def last(self) -> None:
        if self._loop is not None:
            self._write(summary(self._loop, _width()), True)


def _width() -> int:
    """Columns of the terminal but for the last, so that nothing wraps; any number where there is none."""
    return shutil.get_terminal_size().columns - 1 if sys.stderr.isatty() else WIDEST


def _terminal(text: str, last: bool) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="\n" if last else "", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def _notebook() -> Callable[[str, bool], None] | None:
    """What writes a line below a notebook's cell; None elsewhere."""
    module = sys.modules.get("IPython")
    shell: Any = module.get_ipython() if module is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    display: Any = import_module("IPython.display").display  # where a notebook runs it is there
    handle: Any = None

    def write(text: str, last: bool) -> None:
        nonlocal handle
        if handle is None:
            handle = display({"text/plain": text}, raw=True, display_id=True)
        else:
            handle.update({"text/plain": text}, raw=True)

    return write
