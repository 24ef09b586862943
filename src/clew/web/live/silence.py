"""What is remembered of servers, names and robots.txt files that do not answer, and when they are asked again.

Nothing here is for ever. What does not answer rests, for half as long as it has been silent: after an outage of T
seconds it is asked again T/2 later at the latest (or after the first pause, when that is longer). The first good
answer ends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.config import PolitenessSettings
from clew.web.base import GIVEN_UP

LEAST_PAGES = 3
"""So many pages in a row must answer with errors at least before that speaks of their server."""

ERRORS_PAUSE = 30.0
"""A server that answers with nothing but errors is asked again after so many of its pauses at the latest."""

ERRORS_MANY = 10
"""It is not waited for after so many times ``politeness.give_up_after`` errors in a row."""

SERVERS = 20_000
"""Servers that are remembered before those that answer are forgotten."""


@dataclass(slots=True)
class Silence:
    """Failures in a row of one thing: how many, since when, why, and until when it rests. Times are the clock's."""

    times: int = 0
    since: float = 0.0
    until: float = 0.0
    reason: str = ""

    def miss(self, reason: str, now: float, first_s: float, most_s: float) -> None:
        """One more failure: the pause is ``first_s``, or half the time since the first failure, at most ``most_s``."""
        if not self.times:
            self.since = now
        self.times += 1
        self.reason = reason
        self.until = now + min(max(first_s, (now - self.since) / 2), most_s)

    def end(self) -> None:
        """It answered."""
        self.times, self.until, self.reason = 0, 0.0, ""


@dataclass(slots=True)
class Server:
    """A scheme, host and port: connections that came to nothing, and answers that were errors (500 and more), each in a
    row; ``pages`` are URLs that failed since its last good answer, the first few."""

    silence: Silence = field(default_factory=Silence)
    errors: Silence = field(default_factory=Silence)
    pages: set[str] = field(default_factory=set)

    @property
    def until(self) -> float:
        """When it may be asked again."""
        return max(self.silence.until, self.errors.until)


class Servers:
    """The memory of all servers."""

    def __init__(self, settings: PolitenessSettings) -> None:
        self._settings = settings
        self._known: dict[str, Server] = {}
        self._origins: dict[str, set[str]] = {}

    def of(self, origin: str) -> Server:
        """The server of an origin (scheme, host, port), new or known."""
        known = self._known.get(origin)
        if known is None:
            if len(self._known) >= SERVERS:
                self._forget()
            known = self._known[origin] = Server()
            self._origins.setdefault(_place(origin), set()).add(origin)
        return known

    def alone(self, origin: str) -> bool:
        """Whether this is the only server known under its host and port: then the whole host rests with it."""
        return len(self._origins.get(_place(origin), ())) < 2

    def unanswered(self, server: Server, url: str, reason: str, now: float, first_s: float, *, sent: bool) -> bool:
        """A connection came to nothing. Returns whether that may be the page's own fault: the request was ``sent``, and
        no other page has failed since the server's last good answer."""
        server.silence.miss(reason, now, first_s, self._settings.longest_rest_s)
        self._note(server, url)
        return sent and len(server.pages) == 1

    def erred(self, server: Server, url: str, reason: str, now: float, delay_s: float) -> bool:
        """The server answered with an error. Returns whether that is the page's own fault: pages of it that fail are
        few. When there are many, it is asked less and less often, and costs pages nothing."""
        server.silence.end()
        self._note(server, url)
        server.errors.miss(reason, now, 0.0, 0.0)
        if len(server.pages) < self._many:
            return True
        steps = min(max(server.errors.times - self._many, 0), 60)
        pause_s = delay_s * min(1.5 ** (steps + 1), ERRORS_PAUSE)
        server.errors.until = now + min(pause_s, self._settings.longest_rest_s)
        return False

    def answered(self, server: Server) -> None:
        """Something came that is no error."""
        if server.pages or server.silence.times or server.errors.times:
            server.silence.end()
            server.errors.end()
            server.pages.clear()

    def given_up(self, server: Server) -> str:
        """Why a run with nothing else to do does not wait for the server; an empty string when it does."""
        if server.silence.times >= self._settings.give_up_after + self._settings.probes:
            return f"{GIVEN_UP} after {server.silence.times} failures in a row: {server.silence.reason}"
        if server.errors.times >= self._settings.give_up_after * ERRORS_MANY:
            return f"{GIVEN_UP} after {server.errors.times} errors in a row: {server.errors.reason}"
        return ""

    @property
    def _many(self) -> int:
        return max(self._settings.give_up_after, LEAST_PAGES)

    def _note(self, server: Server, url: str) -> None:
        if len(server.pages) < self._many:
            server.pages.add(url)

    def _forget(self) -> None:
        """Drop the servers that answer."""
        self._known = {origin: server for origin, server in self._known.items() if server.silence.times}
        if len(self._known) >= SERVERS:
            self._known.clear()
        self._origins.clear()
        for origin in self._known:
            self._origins.setdefault(_place(origin), set()).add(origin)


def _place(origin: str) -> str:
    """Host and port of an origin, without its scheme."""
    return origin.partition("://")[2]
