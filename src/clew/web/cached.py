"""Earlier crawls of a project as a page cache in front of a world: fetched once, seen by many crawls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from clew.model import Request, Response
from clew.web.base import Clock, Outage, World


class PageCache(Protocol):
    """Pages fetched before."""

    def get(self, url: str, not_before: float) -> Response | None:
        """The latest fetch of a URL if it is no older than ``not_before``."""
        ...

    def close(self) -> None:
        """Close its files."""
        ...


class AroundWorld(World):
    """What worlds around another world have in common: all but how they answer."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.name, self.closed, self.live = world.name, world.closed, world.live
        self.clock = world.clock

    @property
    def outage(self) -> Outage | None:
        return self.world.outage

    @property
    def looking_up(self) -> int:
        return self.world.looking_up

    def spare(self, why_not: Callable[[str], str | None]) -> None:
        self.world.spare(why_not)

    async def open(self) -> None:
        await self.world.open()

    async def close(self) -> None:
        await self.world.close()


class CachedWorld(AroundWorld):
    """Answers from the cache what is younger than ``fresh_s``, and asks ``world`` for the rest."""

    def __init__(self, world: World, cache: PageCache, fresh_s: float, clock: Clock) -> None:
        super().__init__(world)
        self.cache, self.fresh_s, self.clock = cache, fresh_s, clock

    async def close(self) -> None:
        self.cache.close()
        await self.world.close()

    async def fetch(self, request: Request) -> Response:
        now = self.clock.now()
        found = self.cache.get(request.url, now - self.fresh_s)
        if found is None:
            return await self.world.fetch(request)
        return replace(found, requests=0, robots_requests=0, ready_at=0.0, from_cache=True)
