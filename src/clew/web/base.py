"""The World contract: where pages come from."""

from __future__ import annotations

from typing import Protocol

from clew.model import Request, Response

GIVEN_UP = "host given up"
"""How the reason of a refusal begins that holds for this run only."""


class Clock(Protocol):
    """What time it is. ``virtual`` clocks jump; the live clock waits."""

    virtual: bool

    def now(self) -> float:
        """Seconds; Unix time in the live world."""
        ...

    async def sleep_until(self, when: float) -> None:
        """Return when ``now() >= when``."""
        ...


class World(Protocol):
    """A place that answers requests for URLs.

    ``fetch`` never raises for anything a server, a file or a URL did: a failure is a Response with an
    outcome and a reason. A redirect is a Response with ``location``; it is never followed inside.
    """

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def closed(self) -> bool:
        """Whether links to pages it lacks are set aside (ABSENT) instead of failing."""
        ...

    async def open(self) -> None:
        """Get ready (build an index, open a connection pool). Raises ClewError if the world cannot be used."""
        ...

    async def fetch(self, request: Request) -> Response:
        """Answer one request. At most one request a host is under way at a time; the caller sees to it."""
        ...

    async def close(self) -> None:
        """Let go of files and connections; safe to call twice."""
        ...
