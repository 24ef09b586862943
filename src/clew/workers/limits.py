"""What holds a worker process within bounds when a page holds it in C code, where no Python runs to stop it.

The kernel does: a timer ends the process, a limit refuses it memory, and it gets a signal when its parent dies. Where
the system has no such thing (Windows; memory and parents only on Linux), the pool's own patience is what holds.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

JUDGING = -1
"""Stands for the number of a page while all pages of a batch are judged."""

_PARENT_DIED = 1  # PR_SET_PDEATHSIG of prctl(2)
_TIMED = hasattr(signal, "setitimer")
_MEMORY = Path("/proc/self/statm")
_BATCH, _PAGE, _GROWN = range(3)


class Watch:
    """Memory that a worker and its pool share: which page of which batch the worker is at, and how it has grown."""

    __slots__ = ("_cells",)

    def __init__(self) -> None:
        self._cells = get_context("spawn").RawArray(ctypes.c_int64, 3)

    def batch_begins(self) -> None:
        """The worker has another batch in hand: its batches are counted from 1."""
        self._cells[_BATCH] += 1

    def page_begins(self, page: int) -> None:
        """The worker is at this page of its batch (from 0), or JUDGING."""
        self._cells[_PAGE] = page

    @property
    def at(self) -> tuple[int, int]:
        """Batch and page that the worker was last at."""
        return self._cells[_BATCH], self._cells[_PAGE]

    @property
    def grown(self) -> int:
        """Bytes by which the worker has grown since it started; 0 where that cannot be told."""
        return self._cells[_GROWN]

    @grown.setter
    def grown(self, size: int) -> None:
        self._cells[_GROWN] = size


class Limits:
    """The limits of the process that makes it: of a worker, at its start. ``seconds`` are those of a page,
    ``memory`` the bytes by which the process may grow."""

    def __init__(self, seconds: float, memory: int) -> None:
        self._seconds = seconds
        self._start = _memory()
        if _TIMED:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)  # it ends the process, whatever that is doing
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        if self._start:
            _limit_memory(self._start + memory)

    def wind(self) -> None:
        """Begin the time of a page."""
        if _TIMED:
            signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def stop(self) -> None:
        """No page is being read."""
        if _TIMED:
            signal.setitimer(signal.ITIMER_REAL, 0)

    @property
    def grown(self) -> int:
        """Bytes by which the process has grown since; 0 where that cannot be told."""
        return _memory() - self._start


def end_with_parent(parent: int) -> None:
    """Have the kernel end this process when the process ``parent`` has ended."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DIED, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it could be asked for
        os._exit(1)


def ended_by_timer(exitcode: int | None) -> bool:
    """Whether this is the exit code of a worker that was at a page for too long."""
    return _TIMED and exitcode == -signal.SIGALRM


def _memory() -> int:
    """Bytes of data that this process has mapped; 0 where that cannot be told."""
    try:
        return int(_MEMORY.read_bytes().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _limit_memory(size: int) -> None:
    import resource  # there is none on Windows

    with suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
