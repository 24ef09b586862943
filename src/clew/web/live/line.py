"""The line between crawler and web: when everything fails at once, no server is to blame.

A few connections in a row that came to nothing, at several servers and with no answer from anywhere between them, are a
reason to look. Then the servers that answered last are connected to, without asking them anything. When one can be
reached the line is up, and the silent servers are silent. When none can, the crawl pauses: what the servers failed to
do meanwhile is forgotten, and the line is tested again and again, by connecting and by a page now and then.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import replace

from clew.errors import shortage
from clew.web.base import Clock, Outage
from clew.web.live.allowance import allowed
from clew.web.live.silence import Server

SUSPICIOUS = 3
"""Failures in a row, at two servers or more, that are a reason to test the line."""

KNOWN_GOOD = 3
"""Servers that answered last, which are connected to for a test."""

FIRST_PAUSE_S = 1.0
"""Between the first two tests; later it is a quarter of the time since the line went down, at most LONGEST_PAUSE_S."""

LONGEST_PAUSE_S = 60.0

QUIET_S = 10.0
"""A line that was found to be up is not tested again before."""

Place = tuple[str, int]
"""IP address and port."""


class Line:
    """Watches all connections. ``outage`` is set while the line is down."""

    def __init__(self, clock: Clock, timeout_s: float) -> None:
        self.outage: Outage | None = None
        self._clock = clock
        self._timeout_s = timeout_s
        self._good: OrderedDict[Place, None] = OrderedDict()
        self._answers = self._failures = 0
        self._since = self._quiet_until = 0.0
        self._failing: dict[int, Server] = {}
        self._test: asyncio.Task[None] | None = None
        self._reason = ""

    def answered(self, place: Place | None) -> None:
        """An answer came, from an address that was connected to (None: it is not known)."""
        self._answers += 1
        if self._failures:
            self._failures = 0
            self._failing.clear()
        self.outage, self._reason = None, ""
        if place is not None and next(reversed(self._good), None) != place:
            self._good[place] = None
            self._good.move_to_end(place)
            if len(self._good) > KNOWN_GOOD:
                self._good.popitem(last=False)

    def failed(self, server: Server, now: float) -> None:
        """A connection to a server came to nothing, which is on its record already."""
        if not self._failures:
            self._since = now
        self._failures += 1
        self._failing[id(server)] = server
        if self._failures >= SUSPICIOUS and len(self._failing) > 1 and self._good and now >= self._quiet_until:
            self._test = self._test or asyncio.ensure_future(self._watch())

    def depends_on(self, place: Place) -> None:
        """Connections go through a place (a proxy): where nothing else is known, the line is tested there."""
        self._good[place] = None

    def suspect(self, now: float, reason: str) -> None:
        """What connections go through could not be reached, which no server is to blame for: test the line at once."""
        self._reason = reason
        self._since = self._since if self._failures else now
        self._failures += 1
        self._test = self._test or asyncio.ensure_future(self._watch())

    async def close(self) -> None:
        """Stop testing."""
        test, self._test = self._test, None
        if test is not None:
            test.cancel()
            await asyncio.gather(test, return_exceptions=True)

    async def _watch(self) -> None:
        """Test the line until it is up."""
        try:
            while not await self._up():
                self._down()
                assert self.outage is not None
                await self._clock.sleep_until(self.outage.next_test)
                if self.outage is None:  # a page came meanwhile
                    return
            self.answered(None)
            self._quiet_until = self._clock.now() + QUIET_S
        finally:
            self._test = None

    def _down(self) -> None:
        now = self._clock.now()
        if self.outage is None:
            for server in self._failing.values():
                if server.silence.since >= self._since:
                    server.silence.end()
            self._failing.clear()
            self.outage = Outage(self._since, now, self._reason) if self._reason else Outage(self._since, now)
        pause_s = min(max((now - self.outage.since) / 4, FIRST_PAUSE_S), LONGEST_PAUSE_S)
        self.outage = replace(self.outage, next_test=now + pause_s)

    async def _up(self) -> bool:
        """Whether one of the servers that answered last can be connected to, or an answer came meanwhile."""
        answers = self._answers
        reached = await asyncio.gather(*(self._reach(place) for place in self._good))
        return any(reached) or self._answers > answers

    async def _reach(self, place: Place) -> bool:
        try:
            async with allowed(self._timeout_s):
                _, writer = await asyncio.open_connection(*place)
        except OSError as error:  # a TimeoutError is one
            return shortage(error) > 0  # then nothing is known, and no line is called down
        writer.close()
        return True
