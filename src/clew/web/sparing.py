"""A world that is never asked for what the do-not-crawl list names, whoever asks: the crawl, or who wants examples."""

from __future__ import annotations

from clew.errors import UrlError
from clew.model import Outcome, Request, Response
from clew.urls.canonical import canonical
from clew.urls.never import Never
from clew.web.base import World
from clew.web.cached import AroundWorld


class SparingWorld(AroundWorld):
    """Refuses what ``never`` names at that time, and asks ``world`` for the rest."""

    def __init__(self, world: World, never: Never) -> None:
        super().__init__(world)
        self.never = never
        world.spare(never.why_not)

    async def fetch(self, request: Request) -> Response:
        if not self.never:
            return await self.world.fetch(request)
        try:
            spared = self.never.why_not(canonical(request.url))
        except UrlError:
            spared = None
        if spared is not None:
            return Response(request.url, Outcome.REFUSED, reason=spared, requests=0)
        return await self.world.fetch(request)


def sparing(world: World, never: Never, *, grows: bool = False) -> World:
    """``world`` itself where the list is empty, and does not grow while the crawl runs."""
    return SparingWorld(world, never) if never or grows else world
