"""Texts made from the archive: in this process, or in several where there is much to do; always in order."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from clew.errors import ArchiveError, ClewError
from clew.model import Outcome
from clew.store.records import VisitRow
from clew.store.warc import read
from clew.text.formats import Formats
from clew.text.pagetext import NO_TEXT, PageText, page_text

PER_TASK = 16
"""Pages of one task of a process."""

FEW = 200
"""Fewer pages than this are read in this process: others take a second to start."""

AHEAD = 4
"""Tasks a process that are under way or wait to be taken."""

Place = tuple[str, int]
"""A file of the archive, "" for none, and the offset of the page's record in it."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Reads pages of an archive. ``main``: their main texts, and full ones where there is none; else full ones."""

    archive: Path
    formats: Formats
    main: bool = True

    def __call__(self, places: Sequence[Place]) -> list[PageText]:
        """A text a place, NO_TEXT where nothing can be read."""
        return [self._one(file, offset) for file, offset in places]

    def _one(self, file: str, offset: int) -> PageText:
        if not file:
            return NO_TEXT
        try:
            response = read(self.archive, file, offset)
        except ArchiveError:  # an archive file may have been taken away
            return NO_TEXT
        return page_text(response, self.formats, main=self.main) if response.outcome is Outcome.OK else NO_TEXT


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(slots=True)
class Making:
    """Texts of visits in their order, by as many processes as the machine has cores, where they are many."""

    maker: Maker
    expected: int = 0
    processes: int = field(default_factory=_cores)

    def texts(self, rows: Iterable[VisitRow]) -> Iterator[tuple[VisitRow, PageText]]:
        """Each visit with its text. Memory holds a few dozen tasks, however many rows there are."""
        given = iter(rows)
        groups = iter(lambda: list(islice(given, PER_TASK)), [])
        for group, made in self._mapped(groups):
            yield from zip(group, made, strict=True)

    def _mapped(self, groups: Iterator[list[VisitRow]]) -> Iterator[tuple[list[VisitRow], list[PageText]]]:
        if self.expected < FEW or self.processes < 2:
            yield from ((group, self.maker(_places(group))) for group in groups)
            return
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.processes, context, _be_quiet) as pool:
            try:
                yield from _in_order(pool, self.maker, groups, AHEAD * self.processes)
            except BrokenProcessPool as error:
                raise ClewError(
                    "a process that reads pages was killed, probably for want of memory: close other programs and"
                    " start again; what was done is kept"
                ) from error


def _in_order(
    pool: ProcessPoolExecutor, maker: Maker, groups: Iterator[list[VisitRow]], ahead: int
) -> Iterator[tuple[list[VisitRow], list[PageText]]]:
    waiting: deque[tuple[list[VisitRow], Future[list[PageText]]]] = deque()
    try:
        for group in groups:
            waiting.append((group, pool.submit(maker, _places(group))))
            if len(waiting) >= ahead:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _places(rows: Sequence[VisitRow]) -> list[Place]:
    return [(row.warc_file, row.warc_offset) for row in rows]


def _be_quiet() -> None:
    """Ctrl-C goes to every process of a terminal; the one that started these tells them."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)
