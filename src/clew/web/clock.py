"""What time it is: the live clock waits, a virtual clock jumps."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

VIRTUAL_START = 946_684_800.0
"""Virtual clocks begin at 2000-01-01T00:00:00Z."""

_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def _passed() -> float:
    """Seconds that passed since some moment, those of a machine's sleep included where the system counts them."""
    return time.clock_gettime(_BOOTTIME) if _BOOTTIME is not None else time.monotonic()


class Clock(Protocol):
    """What time it is. ``virtual`` clocks jump; the live clock waits."""

    virtual: bool

    def now(self) -> float:
        """Seconds; Unix time in the live world."""
        ...

    async def sleep_until(self, when: float) -> None:
        """Return when ``now() >= when``."""
        ...


class LiveClock:
    """Unix time as it was when the clock was made, and from there on the seconds that passed: whoever sets the system's
    clock meanwhile makes no pause longer or shorter. Waiting takes as long as it says."""

    virtual = False

    def __init__(self) -> None:
        self._offset = time.time() - _passed()

    def now(self) -> float:
        return self._offset + _passed()

    async def sleep_until(self, when: float) -> None:
        while (left := when - self.now()) > 0:  # noqa: ASYNC110  (a sleep may end a little early)
            await asyncio.sleep(left)


class VirtualClock:
    """Seconds that pass only when somebody waits, so that runs are quick and repeatable."""

    virtual = True

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    async def sleep_until(self, when: float) -> None:
        self._now = max(self._now, when)

    def advance(self, seconds: float) -> None:
        """Let time pass. Raises ValueError for a step back."""
        if not seconds >= 0:
            raise ValueError(f"a clock cannot go back: {seconds} s")
        self._now += seconds
