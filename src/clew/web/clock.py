"""What time it is: the live clock waits, a virtual clock jumps."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

VIRTUAL_START = 946_684_800.0
"""Virtual clocks begin at 2000-01-01T00:00:00Z."""


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
    """Unix time; waiting takes as long as it says."""

    virtual = False

    def now(self) -> float:
        return time.time()

    async def sleep_until(self, when: float) -> None:
        while (left := when - self.now()) > 0:  # noqa: ASYNC110  (the system's clock may be set while we sleep)
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
