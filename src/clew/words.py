"""Numbers and times for people."""

from __future__ import annotations

import time
from math import floor, log10

FLOAT32_NEAR_1 = 4e-8
"""The greatest float32 below 1 is 6e-8 away from it."""


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


def digits(value: float, *, rounded: bool = True) -> str:
    """A score with three decimals; near 1 with as many as tell it from better ones (0.99962, 0.9999983). What a
    float32 cannot tell from 1 is >0.99999994, unless scores may be 1 or more (not ``rounded``), as those of links."""
    rest = 1.0 - value
    if not 0.0 <= rest < 1e-3 or (rest == 0.0 and not rounded):
        return f"{value:.3f}"
    if rest < FLOAT32_NEAR_1:
        return ">0.99999994"
    return f"{value:.{min(1 - floor(log10(rest)), 8)}f}"


def interval(share: float, low: float, high: float) -> str:
    """A share and its interval: 0.71 (0.55 to 0.84)."""
    return f"{share:.2f} ({low:.2f} to {high:.2f})"
