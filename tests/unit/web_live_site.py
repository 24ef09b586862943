"""A raw HTTP server on a loopback address, and a live world to visit it with, for the tests of the live world."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from clew.config import LimitSettings, LiveSettings, PolitenessSettings
from clew.model import Outcome, Request, Response
from clew.web.base import Clock
from clew.web.clock import VirtualClock
from clew.web.live import LiveWorld

Handler = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


def answer(body: bytes = b"<p>hello</p>", status: str = "200 OK", **headers: str) -> bytes:
    """An HTTP answer; header names are written with underscores."""
    lines = {"Content-Type": "text/html", "Content-Length": str(len(body))}
    lines.update({name.replace("_", "-"): value for name, value in headers.items()})
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


class Site:
    """Serves ``pages`` by path; the log holds (time, host, path, head of the request) of every request."""

    def __init__(self, clock: Clock, pages: dict[str, Handler]) -> None:
        self.clock = clock
        self.pages = {"/robots.txt": answer(status="404 Not Found"), "/": answer()} | pages
        self.log: list[tuple[float, str, str, str]] = []
        self.connections = self.open_connections = 0
        self.port = 0

    def url(self, path: str = "/", host: str = "a.test", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [path for _, _, path, _ in self.log]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                path = head.split(" ")[1]
                host = head.lower().partition("host: ")[2].partition("\r\n")[0]
                self.log.append((self.clock.now(), host, path, head))
                page = self.pages.get(path, answer(b"gone", "404 Not Found"))
                if isinstance(page, bytes):
                    writer.write(page)
                    await writer.drain()
                else:
                    await page(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open_connections -= 1
            writer.close()


@asynccontextmanager
async def serving(
    clock: Clock, pages: dict[str, Handler] | None = None, ip: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Site]:
    site = Site(clock, pages or {})
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(site.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, ip, 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def make_world(
    clock: Clock,
    *,
    politeness: dict[str, object] | None = None,
    limits: dict[str, object] | None = None,
    resolve: dict[str, str] | None = None,
    allow_private: bool = True,
    verify_tls: bool = True,
    contact: str = "me@example.org",
    user_agent: str = "clew",
    **live: object,
) -> LiveWorld:
    hosts = {"a.test": "127.0.0.1", "b.test": "127.0.0.1"} if resolve is None else resolve
    return LiveWorld(
        PolitenessSettings(**({"delay_s": 1.0, "adaptive": 0.0} | (politeness or {}))),  # type: ignore[arg-type]
        LimitSettings(**(limits or {})),  # type: ignore[arg-type]
        LiveSettings(allow_private=allow_private, resolve=hosts, verify_tls=verify_tls, **live),  # type: ignore[arg-type]
        user_agent,
        contact,
        clock,
    )


@asynccontextmanager
async def visiting(clock: Clock, **settings: object) -> AsyncIterator[LiveWorld]:
    world = make_world(clock, **settings)  # type: ignore[arg-type]
    await world.open()
    try:
        yield world
    finally:
        await world.close()
        await world.close()


async def settled(world: LiveWorld, clock: VirtualClock, url: str, **request: int) -> Response:
    """Ask until the answer is no longer DEFERRED, or the host is given up, waiting as long as is asked for."""
    for _ in range(50):
        response = await world.fetch(Request(url, **request))
        if response.outcome is not Outcome.DEFERRED or response.given_up:
            await clock.sleep_until(response.ready_at)
            return response
        assert response.retry_at is not None
        await clock.sleep_until(response.retry_at)
    raise AssertionError("deferred for ever")


async def sent(world: LiveWorld, clock: VirtualClock, url: str, **request: int) -> Response:
    """Ask until a request was sent for the URL itself, waiting as long as is asked for."""
    for _ in range(50):
        response = await world.fetch(Request(url, **request))
        if response.requests or response.outcome is not Outcome.DEFERRED:
            return response
        await clock.sleep_until(response.retry_at or 0)
    raise AssertionError("deferred for ever")
