"""A task's web over loopback: an HTTP proxy that answers for every host, and whose log is the ledger of a run.

Peers speak plain HTTP to it. Of an archive with https pages, links in the pages served are written with http, and a
request for ``http://host/path`` is mapped back to the page's https URL where only that one exists. Some peers write
escapes their own way (``(`` for ``%28``), which most servers would not mind: such a request gets the page whose URL is
the same once all escapes are decoded. Counted apart, as
``clew lab`` does: robots.txt (all hosts allow everything), pages that a closed web lacks (404), and the start page,
which links to all seeds for peers that take only one. After the budget everything is answered 503.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from urllib.parse import unquote, urlsplit

from aiohttp import web

from clew.model import Outcome, Request, Response
from clew.urls.canonical import Canonicaliser
from clew.web.base import World

START = "http://start.peers.test/"
"""The page that links to all seeds."""

_GREETING = "This page links to all the pages from which the crawl of this web is to start, and to no others."
"""crawl4ai takes a page with less than fifty letters, or without paragraphs, for one that keeps robots out."""

_HTML = ("text/html", "application/xhtml+xml")


@dataclass(slots=True)
class Ledger:
    """What a peer asked for: canonical URLs of the fetches that count, in order of arrival; the rest in numbers."""

    budget: int
    urls: list[str] = field(default_factory=list)
    robots: int = 0
    absent: int = 0
    spent: asyncio.Event = field(default_factory=asyncio.Event)

    def fetch(self, url: str) -> None:
        """Enter a fetch; the last that the budget allows sets ``spent``."""
        self.urls.append(url)
        if len(self.urls) >= self.budget:
            self.spent.set()


class Names:
    """URLs as peers write them and as the web calls them. ``pages``: canonical URLs of the web's pages."""

    def __init__(self, canonicalise: Canonicaliser, pages: Iterable[str]) -> None:
        self._canonicalise = canonicalise
        self._pages = frozenset(pages)
        self._loose = {_loose(url): url for url in sorted(self._pages, reverse=True)}
        hosts = sorted({urlsplit(url).netloc for url in self._pages if url.startswith("https:")}, key=len, reverse=True)
        names = b"|".join(re.escape(host.encode()) for host in hosts)
        self._links = re.compile(rb"https://(" + names + rb")(?=[^\w.:-]|\Z)", re.IGNORECASE) if hosts else None

    def of_web(self, url: str) -> str:
        """The canonical URL of what a peer asks for, "" if it is none: a page so called, else the one called alike."""
        name = self._canonicalise(url, "") or ""
        return name if name in self._pages else self._loose.get(_loose(name), name)

    def shown(self, content: bytes) -> bytes:
        """HTML, or a URL, with links to the web's https hosts written with http."""
        return self._links.sub(rb"http://\1", content) if self._links else content


def _loose(url: str) -> str:
    """What is left of a URL without its scheme and its percent-escapes."""
    return unquote(url.partition("://")[2])


class Proxy:
    """Answers for all hosts from ``world`` and keeps ``ledger``."""

    def __init__(self, world: World, names: Names, seeds: Iterable[str], ledger: Ledger) -> None:
        self.world = world
        self.names = names
        self.ledger = ledger
        items = "".join(f'<li><a href="{escape(url)}">{escape(url)}</a></li>' for url in seeds)
        body = f"<h1>Start</h1><p>{_GREETING}</p><ul>{items}</ul>"
        page = f"<!DOCTYPE html><html><head><title>Start</title></head><body>{body}</body></html>"
        self._start = names.shown(page.encode())

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Serve on a free port of loopback: the proxy's address."""
        runner = web.ServerRunner(web.Server(self.handle), shutdown_timeout=1.0)
        await runner.setup()
        await self.world.open()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            host, port = runner.addresses[0][:2]
            yield f"http://{host}:{port}"
        finally:
            await runner.cleanup()
            await self.world.close()

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Answer one request."""
        raw = request.raw_path
        url = f"http://{request.headers.get('Host', '')}{raw}" if raw.startswith("/") else raw
        if request.method == "CONNECT":  # https to a host of which the web has nothing
            self.ledger.absent += 1
            return web.Response(status=501)
        if url.rstrip("/") == START.rstrip("/"):
            return web.Response(body=self._start, content_type="text/html", charset="utf-8")
        if urlsplit(url).path == "/robots.txt":
            self.ledger.robots += 1
            return web.Response(status=404)
        if self.ledger.spent.is_set():
            return web.Response(status=503)
        return await self._page(self.names.of_web(url))

    async def _page(self, url: str) -> web.Response:
        found = await self.world.fetch(Request(url)) if url else Response(url, Outcome.ABSENT)
        if self.ledger.spent.is_set():  # by another request, meanwhile
            return web.Response(status=503)
        if found.outcome is Outcome.ABSENT:
            self.ledger.absent += 1
            return web.Response(status=404)
        self.ledger.fetch(url)
        headers = {"Content-Type": found.header("Content-Type") or "text/html"}
        if found.outcome is Outcome.REDIRECT:
            headers["Location"] = self.names.shown(found.location.encode()).decode()
        html = headers["Content-Type"].partition(";")[0].strip().lower() in _HTML
        body = self.names.shown(found.body) if html else found.body
        return web.Response(status=found.status or 502, headers=headers, body=body)
