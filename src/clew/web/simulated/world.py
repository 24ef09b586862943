"""The simulated web as a World: virtual time, no network."""

from __future__ import annotations

from dataclasses import replace

from clew.config import Settings
from clew.model import Outcome, Request, Response
from clew.urls.canonical import Canonicaliser
from clew.web.base import Clock, World
from clew.web.simulated.web import PageKind, SimPage, SimulatedWeb, parse_spec

_HTML = ("content-type", "text/html; charset=utf-8")


class SimulatedWorld(World):
    """Answers requests from a simulated web. The truth about its pages cannot be reached from here.

    ``latency_s`` is how long each answer takes, ``delay_s`` the pause after it before the same host may be asked
    again, both in the clock's time. Nothing waits: ``Response.ready_at`` tells the caller.
    """

    def __init__(self, web: SimulatedWeb, clock: Clock, delay_s: float = 0.0, latency_s: float = 0.0) -> None:
        self.name = web.spec
        self.clock = clock
        self._page, self._clock = web.page, clock
        self._delay_s, self._latency_s = delay_s, latency_s

    @classmethod
    def from_spec(cls, rest: str, settings: Settings, clock: Clock) -> SimulatedWorld:
        return cls(parse_spec(f"sim:{rest}" if rest else "sim"), clock)

    async def fetch(self, request: Request) -> Response:
        now = self._clock.now()
        page = self._page(request.url) or SimPage(request.url, 404, reason="404 Not Found")
        ready_at = now + self._latency_s + self._delay_s
        answer = _answer(page)
        return replace(answer, fetched_at=now, elapsed_s=self._latency_s, ready_at=ready_at)


def links_of(web: SimulatedWeb, url: str, canonicalise: Canonicaliser) -> tuple[list[str], bool]:
    """Where the page's links lead, or where a redirect does, and whether it is one, without making the page: for who
    looks at the whole web beforehand (back links, the lab's oracles), never for a crawl."""
    moved = web.truth(url).kind is PageKind.REDIRECT
    if moved:
        page = web.page(url)
        found = [page.location] if page is not None and page.location else []
    else:
        found = list(web.links(url))
    named = (canonicalise(link, url) for link in found)
    return [link for link in named if link is not None], moved


def _answer(page: SimPage) -> Response:
    if page.status == 301:
        headers = (("location", page.location), ("content-length", "0"))
        return Response(page.url, Outcome.REDIRECT, 301, headers, location=page.location)
    if page.status != 200:
        return Response(page.url, Outcome.FAILED, page.status, reason=page.reason)
    body = page.html.encode()
    return Response(page.url, Outcome.OK, 200, (_HTML, ("content-length", str(len(body)))), body)
