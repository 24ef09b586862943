"""Servers on loopback that go away and come back, and live crawls over them with pauses of a few hundredths."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from web_live_site import Handler, Site, answer

from clew import Crawl
from clew.judges.base import Judge
from clew.web.clock import LiveClock

QUICK: dict[str, Any] = {"delay_s": 0.02, "adaptive": 0.0, "max_delay_s": 0.1}


class Servers:
    """One site served at several addresses and one port. ``stop`` closes the port and every connection, as the end of a
    process does; ``start`` opens it again."""

    def __init__(self, pages: dict[str, Handler], ips: Sequence[str] = ("127.0.0.1",)) -> None:
        self.site = Site(LiveClock(), pages)
        self.ips = ips
        self.times: list[float] = []
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        return self.site.port

    def url(self, path: str = "/", ip: str = "") -> str:
        return f"http://{ip or self.ips[0]}:{self.port}{path}"

    async def __aenter__(self) -> Servers:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        for ip in self.ips:
            server = await asyncio.start_server(self._accept, ip, self.site.port)
            self.site.port = server.sockets[0].getsockname()[1]
            self._servers.append(server)

    async def stop(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self.site.serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def away_after(self, requests: int, seconds: float) -> float:
        """Wait for so many requests, go away for so long, and come back; returns when that was, by the site's clock."""
        await self.asked(requests)
        await self.stop()
        await asyncio.sleep(seconds)
        await self.start()
        return self.site.clock.now()

    async def asked(self, requests: int) -> None:
        """Wait for so many requests."""
        while len(self.site.log) < requests:  # noqa: ASYNC110 (the site knows no events)
            await asyncio.sleep(0.005)

    def pages(self) -> list[str]:
        """``host:port/path`` of the pages asked for, without robots.txt."""
        return [f"{host}{path}" for _, host, path, _ in self.site.log if path != "/robots.txt"]


def page(links: Iterable[str] = ()) -> bytes:
    """A page about sailing that links."""
    return answer(f"<p>sailing{''.join(f'<a href={link}>x</a> ' for link in links)}".encode())


def live_crawl(
    seeds: Sequence[str],
    *,
    folder: Path | None = None,
    politeness: Mapping[str, Any] | None = None,
    web: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    crawl: Mapping[str, Any] | None = None,
    scope: Mapping[str, Any] | None = None,
    judge: Judge | None = None,
) -> Crawl:
    """A live crawl for pages about sailing, without worker processes."""
    settings = {
        "interest": {"keywords": {"sailing": 1.0}},
        "judge": {"name": "keywords"},
        "crawl": {"contact": "me@example.org", "workers": 0, **(crawl or {})},
        "politeness": QUICK | dict(politeness or {}),
        "web": {"live": {"allow_private": True, **(web or {})}},
        "limits": limits or {},
        "scope": scope or {},
    }
    return Crawl(seeds, strategy="breadth-first", settings=settings, folder=folder, judge=judge)
