"""Whether the time for an input grows faster than its length: twice the input at most 2.5 times the time."""

from __future__ import annotations

import time
from collections.abc import Callable

CHEAP = frozenset({"reader", "importers", "warc"})
"""Targets whose time is their own; that of HTTP is the server's too."""

RATIO = 2.5
SIZES = (30_000, 240_000, 960_000)
"""Bytes to which an input is repeated: more where it grew too steeply, since a reader may take another, dearer way
from some length on. Only what is steep at each of them is a fault."""

NOISE_S = 0.05
"""CPU seconds below which a ratio says nothing."""

_count = 0


def due(data: bytes) -> bool:
    """Whether this input is one of those that are checked: every 200th that is not tiny."""
    global _count  # noqa: PLW0603  # one fuzzer, one process
    _count += 1
    return _count % 200 == 0 and len(data) >= 8


def check(function: Callable[[bytes], object], data: bytes) -> None:
    """Repeat an input (its first byte, which chooses, stands once) and see how time grows."""

    def made(size: int) -> bytes:
        return data[:1] + data[1:] * (size // (len(data) - 1) + 1)

    grown = 0.0
    for size in SIZES:
        grown = ratio(function, made(size), made(2 * size))
        if grown <= RATIO:
            return
    raise AssertionError(f"time grows {grown:.1f} times when the input doubles")


def ratio(function: Callable[[bytes], object], short: bytes, long: bytes) -> float:
    """How much longer ``function`` takes for the longer input; 0 when both are too quick to tell.

    The least of up to five tries is taken, since a busy machine only ever makes things slower.
    """
    return min(_tries(function, short, long)) if cpu(function, long) >= NOISE_S else 0.0


def _tries(function: Callable[[bytes], object], short: bytes, long: bytes) -> list[float]:
    found: list[float] = []
    for _ in range(5):
        found.append(cpu(function, long) / max(cpu(function, short), 1e-9))
        if found[-1] <= RATIO:
            break
    return found


def cpu(function: Callable[[bytes], object], data: bytes) -> float:
    """CPU seconds of this thread for one call."""
    began = time.thread_time()
    function(data)
    return time.thread_time() - began
