"""What ``clew crawl`` shows while it runs: a live panel in a terminal, else a line every few seconds."""

from __future__ import annotations

import os
import shutil
import sys
import time
from logging import WARNING
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live as RichLive
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from clew.cli.common import say
from clew.crawl.events import tell
from clew.crawl.loop import PAUSED, Loop
from clew.crawl.running import Display
from clew.crawl.showing import WIDEST, summary
from clew.text.shown import shown
from clew.words import digits, interval, span

LINE_EVERY_S = 5.0
BEST_EVERY_S = 2.0
BEST_LINKS = 5
CELL = 28
"""Columns that a figure with its name takes."""

SEARCHABLE = 2_000_000
"""Beyond this many waiting links the best ones are not looked for: that would slow the crawl."""


class Screen:
    """A display that can be entered; subclasses show ``crawl`` in ``tick``."""

    def __init__(self) -> None:
        self.crawl: Loop | None = None
        self.display = Display(self.started, self.tick, self.note)

    def started(self, crawl: Loop) -> None:
        """The crawl begins."""
        self.crawl = crawl

    def tick(self) -> None:
        """Called a few times a second."""

    def note(self, text: str) -> None:
        """Something the user should know."""
        say(f"clew: {shown(text)}", err=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class Quiet(Screen):
    """Shows nothing but notes."""


class Logged(Screen):
    """Shows nothing; notes are log lines, for standard error belongs to the log."""

    def note(self, text: str) -> None:
        tell("note", text, WARNING)


class Lines(Screen):
    """A line on standard error every few seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._last = time.monotonic()

    def tick(self) -> None:
        now = time.monotonic()
        if self.crawl is None or now - self._last < LINE_EVERY_S:
            return
        self._last = now
        say(summary(self.crawl, _columns()), err=True)


def _columns() -> int:
    """Columns of a terminal, or those that the user's COLUMNS tell; any number where lines go to a file."""
    asked = os.environ.get("COLUMNS", "")
    return shutil.get_terminal_size().columns if asked.isdigit() or sys.stderr.isatty() else WIDEST


class Live(Screen):
    """A panel that is drawn again and again in place."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._live = RichLive(console=console, refresh_per_second=4, get_renderable=self._draw, transient=False)
        self._best: list[tuple[float, str]] = []
        self._best_at = 0.0

    @classmethod
    def if_terminal(cls) -> Live | None:
        """A live display when standard error is a terminal."""
        console = Console(stderr=True)
        return cls(console) if console.is_terminal and not console.is_dumb_terminal else None

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def note(self, text: str) -> None:
        self._live.console.print(f"clew: {shown(text)}", markup=False, highlight=False, emoji=False)

    def tick(self) -> None:
        """Look up the best links now and then, in the crawl's own thread."""
        now = time.monotonic()
        if self.crawl is None or now - self._best_at < BEST_EVERY_S:
            return
        self._best_at = now
        frontier, store = self.crawl.parts.frontier, self.crawl.parts.store
        if len(frontier) <= SEARCHABLE:
            self._best = [
                (lease.score, store.links.batch(lease.row).links.urls[lease.index])
                for lease in frontier.best(BEST_LINKS)
            ]

    def _draw(self) -> Panel:
        if self.crawl is None:
            return Panel("getting ready ...", title="clew")
        waits = self.crawl.waits_for()
        words = "paused: nothing new is fetched" if waits == PAUSED else f"waiting: {waits}"
        said = [Text(words, style="yellow", overflow="ellipsis", no_wrap=True)] if waits else []
        width = self._live.console.width
        body = Group(figures(self.crawl, width), *said, Text("best links waiting", style="dim"), self._links())
        return Panel(body, title="clew crawl", subtitle=self._subtitle(self.crawl))

    @staticmethod
    def _subtitle(crawl: Loop) -> str:
        if not crawl.interrupts:
            return "Ctrl-C stops; the same command goes on"
        return "stopping; Ctrl-C gives up what is under way" if crawl.interrupts == 1 else "stopping now"

    def _links(self) -> Table:
        table = Table.grid(padding=(0, 2))
        for score, url in self._best:
            table.add_row(
                Text(digits(score, rounded=False), style="cyan"), Text(shown(url), overflow="ellipsis", no_wrap=True)
            )
        return table


def figures(crawl: Loop, width: int) -> Table:
    """The figures of a crawl in as many columns as the width has room for."""
    progress, frontier = crawl.parts.progress, crawl.parts.frontier
    told = crawl.parts.reading.worker.judge.estimate()
    precision = f"~{interval(told.precision, told.low, told.high)}" if told and told.precision >= 0 else "not known"
    cells = (
        ("fetched", f"{progress.fetched:,}"),
        ("judged relevant", f"{progress.relevant:,} ({progress.harvest_rate:.3f})"),
        ("last 200", f"{progress.window_rate:.3f}"),
        ("precision", precision),
        ("pages/s", f"{progress.pages_per_s:.1f}"),
        ("time", span(progress.seconds)),
        ("waiting links", f"{len(frontier):,}"),
        ("hosts active", f"{frontier.hosts_busy:,}"),
        ("hosts waiting", f"{frontier.hosts_waiting:,}"),
        ("failed", f"{progress.failed:,}"),
        ("refused", f"{progress.refused:,}"),
        ("strategy", shown(crawl.parts.strategy.name)),
    )
    columns = max(min((width - 4) // CELL, 6), 1)
    table = Table.grid(padding=(0, 2))
    for start in range(0, len(cells), columns):
        row = cells[start : start + columns]
        table.add_row(*(Text.assemble((f"{name} ", "dim"), (value, "bold")) for name, value in row))
    return table
