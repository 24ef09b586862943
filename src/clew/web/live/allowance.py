"""Time limits for what others do. Time in which this process stands still is not held against them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

STEPS = 8
"""Parts in which the time is counted. However late one comes to its end, it counts as one."""


@asynccontextmanager
async def allowed(seconds: float) -> AsyncIterator[None]:
    """Ends what it encloses with a TimeoutError after ``seconds``, those left out in which the event loop ran nothing.

    It stands still while a judge or a strategy learns, and on a busy machine. An answer that came meanwhile waits to be
    read, and a limit by the clock would end the request first.
    """
    async with asyncio.timeout(None) as limit:
        countdown = _Countdown(limit, seconds / STEPS)
        try:
            yield
        finally:
            countdown.timer.cancel()


class _Countdown:
    """Counts the steps, each of ``step_s`` seconds, and then ends what has the limit."""

    def __init__(self, limit: asyncio.Timeout, step_s: float) -> None:
        self._limit, self._step_s, self._left = limit, step_s, STEPS
        self._loop = asyncio.get_running_loop()
        self.timer = self._loop.call_later(step_s, self._passed)

    def _passed(self) -> None:
        self._left -= 1
        if self._left:
            self.timer = self._loop.call_later(self._step_s, self._passed)
        else:
            self._limit.reschedule(self._loop.time())
