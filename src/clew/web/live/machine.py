"""What this machine lends a crawl: open files, ports and memory for connections.

Where it runs short nobody on the web is to blame: fewer connections are open for a while, and that is said once.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from clew.errors import SHORTAGES, shortage
from clew.web.base import Clock, Outage
from clew.words import many

LOGGER = logging.getLogger("clew.web")

RESERVE = 24
"""Open files that are left to all else than connections: database, archive, name servers, files that are read."""

A_WORKER = 3
"""Open files that a worker process takes here, one that is being replaced included."""

IDLE_CONNECTIONS = 256
"""Idle connections that are kept, at most; each costs an open file."""

PAUSE_S = 1.0
"""A page that could not be asked for comes again after this; all that fails in that time is one shortage."""

CLOSING_S = 0.01
"""What the connection before this one may take to close, which counts while the machine is short."""

LONGEST_PAUSE_S = 60.0
"""Between two looks whether anything can be opened again, at most; it is a quarter of the time since nothing could."""


class Machine:
    """Places for connections: as many as are wanted, or fewer while this machine runs short.

    After a shortage there are half as many as were taken, and one more each time as many connections as there are
    places came about. ``freed`` is called when idle connections had better be closed.
    """

    def __init__(self, wanted: int, workers: int, clock: Clock) -> None:
        self.wanted = self.places = wanted
        self.taken = 0
        self.freed: Callable[[], None] = lambda: None
        self._most_idle = IDLE_CONNECTIONS
        self._reserve = RESERVE + A_WORKER * workers
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._came = 0
        self._short_at = float("-inf")
        self._told = False
        self._outage: Outage | None = None

    @property
    def idle(self) -> int:
        """How many idle connections may be kept: none while the machine is short."""
        return self._most_idle if self.places >= self.wanted else 0

    def prepare(self) -> None:
        """Raise the limit on open files as far as is needed and allowed; where that is too little, make do."""
        used = _open_files()
        room = raised_limit(used + self._reserve + self.wanted + IDLE_CONNECTIONS) - used - self._reserve
        self._most_idle = int(min(max(room - self.wanted, 0), IDLE_CONNECTIONS))
        if room < self.wanted:
            wanted, self.wanted = self.wanted, max(int(room), 1)
            self.places = self.wanted
            self._tell(
                f"this process may open {many(int(room) + used + self._reserve, 'file')} (ulimit -n), which is enough "
                f"for {many(self.places, 'connection')} at a time, and not for {many(wanted, 'host')} "
                "(crawl.hosts_at_once): raise ulimit -n, or lower crawl.hosts_at_once"
            )

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place for a connection; waits until one is free."""
        while self.taken >= self.places:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._next()
                raise
        self.taken += 1
        try:
            if self.places < self.wanted:
                await asyncio.sleep(CLOSING_S)
            yield
        finally:
            self.taken -= 1
            self._next()

    def _next(self) -> None:
        free = self.places - self.taken
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1

    @property
    def outage(self) -> Outage | None:
        """Set while nothing can be opened and nothing is open that may end; whether that is over is tried when its time
        has come."""
        outage, now = self._outage, self._clock.now()
        if outage is not None and now >= outage.next_test:
            pause_s = min(max((now - outage.since) / 4, PAUSE_S), LONGEST_PAUSE_S)
            self._outage = replace(outage, next_test=now + pause_s) if lacking() else None
        return self._outage

    def connected(self) -> None:
        """A connection came about."""
        if self.places < self.wanted:
            self._came += 1
            if self._came >= self.places and self.recovered:
                self.places, self._came = self.places + 1, 0

    @property
    def recovered(self) -> bool:
        """Whether nothing has been lacking for a while."""
        return self._clock.now() - self._short_at >= PAUSE_S

    @property
    def again_at(self) -> float:
        """When what could not be opened may be tried again."""
        return self._clock.now() + PAUSE_S

    def short(self, number: int) -> None:
        """Something could not be opened: ``number`` is one of SHORTAGES."""
        now = self._clock.now()
        self.freed()
        if self.recovered:
            self.places = max(min(self.places, self.taken + 1) // 2, 1)
            self._came, self._short_at = 0, now
        if not self.taken and self._outage is None and lacking():
            self._outage = Outage(now, now + PAUSE_S, SHORTAGES[number].partition(":")[0])
        self._tell(f"{SHORTAGES[number]}. The crawl goes on with fewer connections at a time; no host is blamed for it")

    def lacks(self) -> int:
        """What is lacking now, or was a moment ago, by its number; 0 for nothing."""
        number = lacking()
        if number:
            self.short(number)
        return number or (0 if self.recovered else errno.EMFILE)

    def _tell(self, text: str) -> None:
        if not self._told:
            self._told = True
            LOGGER.warning("%s", text)


def lacking() -> int:
    """The number in SHORTAGES of what keeps files from being opened now, found by trying; 0 for nothing."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return shortage(error)
    return 0


def raised_limit(wanted: int) -> float:
    """How many files this process may open, after raising that to ``wanted`` where it is less and the system allows."""
    try:
        import resource
    except ImportError:  # Windows, where there is no such limit
        return float("inf")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    most = wanted if hard == unlimited else min(wanted, hard)
    if soft != unlimited and soft < most:
        with suppress(ValueError, OSError):  # macOS has a lower limit of its own
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return float("inf") if soft == unlimited else soft


def _open_files() -> int:
    """How many files this process has open; a guess where the system does not tell."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return len(os.listdir(folder))
    return RESERVE
