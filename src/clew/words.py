"""Numbers and times for people."""

from __future__ import annotations

import time


def many(count: int, noun: str, plural: str = "") -> str:
    """``1 page``, ``1,200 pages``; ``plural`` where adding an s is not enough."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def form(count: int, one: str, more: str) -> str:
    """The form of a verb that goes with a count: ``form(n, "is", "are")``."""
    return one if count == 1 else more


def span(seconds: float) -> str:
    """Seconds for people: 42 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def clock_time(when: float) -> str:
    """A moment of Unix time as the clock on the wall shows it, 14:03:10; with its date unless it is near."""
    near = abs(when - time.time()) < 43_200
    return time.strftime("%H:%M:%S" if near else "%Y-%m-%d %H:%M:%S", time.localtime(when))
