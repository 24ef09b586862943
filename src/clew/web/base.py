"""The World contract: where pages come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from clew.config import Settings
from clew.model import Request, Response
from clew.registry import name_of
from clew.web.clock import VIRTUAL_START, Clock, LiveClock, VirtualClock

__all__ = ["GIVEN_UP", "LONGEST_WAIT_S", "Clock", "Outage", "World"]

GIVEN_UP = "host given up"
"""How the reason begins why a run with nothing else to do does not wait for a host."""

LONGEST_WAIT_S = 86_400.0
"""A host that asks for more than a day is left alone for a day."""


@dataclass(frozen=True, slots=True)
class Outage:
    """Nothing answers ``since`` then; ``next_test`` is when that is tested again. Both in the clock's time. ``reason``:
    what is the matter, in words."""

    since: float
    next_test: float
    reason: str = "nothing answers"


class World(ABC):
    """A place that answers requests for URLs. A subclass must give ``fetch``; all else has a default.

    ``fetch`` never raises for anything a server, a file or a URL did: a failure is a Response with an
    outcome and a reason. A redirect is a Response with ``location``; it is never followed inside.
    """

    name: str = ""
    """What users call it; by default the name of the class, so that class MyWorld is my-world."""

    closed: bool = False
    """Whether links to pages it lacks are set aside (ABSENT) instead of failing."""

    live: bool = False
    """Whether its answers take real time. All other worlds run under a virtual clock, so that crawls repeat exactly."""

    takes_path: ClassVar[bool] = False
    """Whether what users write after its name, as in archive:FILE, is a path on this machine."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = name_of(cls)

    @classmethod
    def from_spec(cls, rest: str, settings: Settings, clock: Clock) -> World:
        """The world that users name; ``rest`` is what they write after the name and a colon. It runs on ``clock``.

        By default the class is called with ``rest`` if there is any. Raises InputError for what cannot be understood.
        """
        made: World = cls(rest) if rest else cls()  # type: ignore[call-arg]  # a subclass may take what users write
        made.clock = clock
        return made

    @cached_property
    def clock(self) -> Clock:
        """The clock it runs on: the live one for a live world, else a virtual one of its own."""
        return LiveClock() if self.live else VirtualClock(VIRTUAL_START)

    @property
    def outage(self) -> Outage | None:
        """Set while nothing at all can be reached: the crawl then takes no link but one after each test."""
        return None

    @property
    def looking_up(self) -> int:
        """How many fetches under way send nothing and wait for the address of their host. They take no place among
        ``crawl.hosts_at_once``; each ends DEFERRED, and its link is taken again."""
        return 0

    async def open(self) -> None:
        """Get ready (build an index, open a connection pool). Raises ClewError if the world cannot be used."""

    @abstractmethod
    async def fetch(self, request: Request) -> Response:
        """Answer one request. At most one request a host is under way at a time; the caller sees to it."""

    def spare(self, why_not: Callable[[str], str | None]) -> None:
        """Be told, before ``open``, what must not be asked for on the way to a page (the robots.txt of another host):
        ``why_not`` gives the reason for a canonical URL, or None. By default there is no such way."""

    async def close(self) -> None:
        """Let go of files and connections; safe to call twice."""
