"""What is remembered of servers, names and robots.txt files that do not answer, and when they are asked again.

Nothing here is for ever. What does not answer rests, for half as long as it has been silent: after an outage of T
seconds it is asked again T/2 later at the latest (or after the first pause, when that is longer). The first good
answer ends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.config import PolitenessSettings
from clew.web.base import GIVEN_UP
from clew.words import many

LEAST_PAGES = 3
"""So many pages in a row must answer with errors at least before that speaks of their server."""

ERRORS_MANY = 10
"""It is not waited for after so many times ``politeness.give_up_after`` errors in a row."""

PAGES = 200
"""Pages that failed are remembered for each server, the last ones."""

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
class Failed:
    """A page that failed: how many good answers its server had given by then, and when that last counted against it."""

    answers: int
    counted_at: float


@dataclass(slots=True)
class Server:
    """A scheme, host and port: connections that came to nothing, and answers that were errors (500 and more), each in a
    row; good ``answers`` in all, how many of them were ``pages``, and how many in a row ``barred`` the way (401, 403);
    pages that ``failed`` (the last ones), and those among them of which nobody can say whether it is their own fault
    (``doubtful``), since no good answer came after them."""

    silence: Silence = field(default_factory=Silence)
    errors: Silence = field(default_factory=Silence)
    answers: int = 0
    pages: int = 0
    barred: int = 0
    failed: dict[str, Failed] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)

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
        """A connection came to nothing. Returns whether that is held against the page: the request was ``sent``, and
        others of the server were answered since it failed last, or none failed with it."""
        server.silence.miss(reason, now, first_s, self._settings.longest_rest_s)
        own = self._since_good(server, url) or len(server.doubtful) == 1
        self._note(server, url, now, own=sent and own)
        return sent and own

    def erred(self, server: Server, url: str, reason: str, now: float, delay_s: float, most_s: float) -> bool:
        """The server answered with an error. Returns whether that is held against the page.

        It is when others of the server were answered since the page failed last, or few failed with it; else once in
        ``politeness.max_delay_s``. When page after page fails the server is asked less and less often, every ``most_s``
        seconds at last.
        """
        server.silence.end()
        server.errors.miss(reason, now, 0.0, 0.0)
        before = server.failed.get(url)
        own = self._since_good(server, url)
        few = len(server.doubtful) == 1 or (before is None and len(server.doubtful) < self._many)
        own = own or few or (before is not None and now - before.counted_at >= self._settings.max_delay_s)
        self._note(server, url, now, own=own)
        server.errors.until = now + self.errors_pause_s(server, delay_s, most_s)
        return own

    def errors_pause_s(self, server: Server, delay_s: float, most_s: float) -> float:
        """Seconds between two requests to a server that answers with errors; 0 while few pages fail."""
        if len(server.doubtful) < self._many:
            return 0.0
        steps = min(max(server.errors.times - self._many, 0), 60)
        return min(delay_s * 1.5 ** (steps + 1), most_s, self._settings.longest_rest_s)

    def failing(self, server: Server) -> int:
        """How many pages have failed since the server's last good answer."""
        return sum(failed.answers == server.answers for failed in server.failed.values())

    def answered(self, server: Server, *, barred: bool = False, page: bool = False) -> int:
        """Something came that is no error: a ``page``, a redirect, *not found*, or word that the way is ``barred``.
        Returns how often in a row it was barred, for a server that had been open."""
        server.answers += 1
        server.pages += page
        server.barred = server.barred + 1 if barred else 0
        if server.doubtful or server.silence.times or server.errors.times:
            server.silence.end()
            server.errors.end()
            server.doubtful.clear()
        return server.barred if server.pages else 0

    def given_up(self, server: Server) -> str:
        """Why a run with nothing else to do does not wait for the server; an empty string when it does."""
        if server.silence.times >= self._settings.give_up_after + self._settings.probes:
            return f"{GIVEN_UP} after {many(server.silence.times, 'failure')} in a row: {server.silence.reason}"
        if server.errors.times >= self._settings.give_up_after * ERRORS_MANY:
            return f"{GIVEN_UP} after {many(server.errors.times, 'error')} in a row: {server.errors.reason}"
        return ""

    @property
    def _many(self) -> int:
        return max(self._settings.give_up_after, LEAST_PAGES)

    def _since_good(self, server: Server, url: str) -> bool:
        """Whether the server gave a good answer since a page failed last; otherwise the page is in doubt."""
        before = server.failed.get(url)
        if before is not None and server.answers > before.answers:
            return True
        if len(server.doubtful) < self._many:
            server.doubtful.add(url)
        return False

    @staticmethod
    def _note(server: Server, url: str, now: float, *, own: bool) -> None:
        """Remember that a page failed, and whether that is held against it."""
        before = server.failed.pop(url, None)
        if len(server.failed) >= PAGES:
            del server.failed[next(iter(server.failed))]
        server.failed[url] = Failed(server.answers, now if own or before is None else before.counted_at)

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
