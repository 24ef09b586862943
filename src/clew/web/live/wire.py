"""One GET over HTTP/1.1, bounded in time and size, with everything that an archive wants to know about it."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from yarl import URL

from clew.config import LimitSettings, LiveSettings
from clew.text.codings import BodyError, Collector, TooLargeError, codings
from clew.text.httpmessage import Headers, header_text
from clew.web.live.addresses import CheckedResolver, guarded_socket
from clew.web.live.faults import Fault, explain, unrepeated

IDLE_S = 4.5
"""Idle connections are closed after this long: just before the servers that wait 5 s close theirs."""

IDLE_CONNECTIONS = 256
"""Idle connections that are kept, at most; each costs a file descriptor."""


@dataclass(frozen=True, slots=True)
class Appetite:
    """What is wanted of an answer: content types (none: any), at most ``limit`` bytes.

    ``beginning``: of a larger body, the first ``limit`` bytes are taken.
    """

    limit: int
    content_types: frozenset[str] = frozenset()
    beginning: bool = False


@dataclass(slots=True)
class Exchange:
    """One request and what came of it. ``status`` is 0 when no answer came; ``fault`` says why no page came."""

    url: str
    ip: str
    status: int = 0
    headers: Headers = ()
    body: bytes = b""
    encoded_body: bytes | None = None
    request_headers: Headers = ()
    http_version: str = "HTTP/1.1"
    elapsed_s: float = 0.0
    fault: Fault | None = None

    @property
    def requests(self) -> int:
        """GETs that went out: 1, or 0 when no connection came about."""
        return int(self.fault is None or self.fault.sent)

    def header(self, name: str) -> str:
        """The values of a header (given in lower case), joined by commas."""
        return ", ".join(value for key, value in self.headers if key.lower() == name)


class Connector(aiohttp.TCPConnector):
    """One connection a host, only to chosen addresses, and not more idle ones than the process can hold."""

    def __init__(self, resolver: CheckedResolver, live: LiveSettings) -> None:
        super().__init__(
            resolver=resolver,
            ssl=_tls(live.verify_tls),
            limit=0,
            limit_per_host=1,
            keepalive_timeout=IDLE_S,
            use_dns_cache=False,
            happy_eyeballs_delay=None,
            socket_factory=guarded_socket(live.allow_private),
        )

    async def _create_connection(self, *of_aiohttp: Any) -> Any:
        protocol = await super()._create_connection(*of_aiohttp)
        if protocol.closed is not None:
            protocol.closed.add_done_callback(_seen)
        return protocol

    def _release(self, key: Any, protocol: Any, *, should_close: bool = False) -> None:
        crowded = len(self._conns) >= IDLE_CONNECTIONS
        super()._release(key, protocol, should_close=should_close or crowded)


class Wire:
    """The HTTP client of the live world. Needs a running event loop."""

    def __init__(self, limits: LimitSettings, live: LiveSettings, user_agent: str) -> None:
        self._limits = limits
        self._resolver = CheckedResolver()
        self._session = aiohttp.ClientSession(
            connector=Connector(self._resolver, live),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, connect=limits.connect_s),
            max_line_size=limits.header_bytes,
            max_field_size=limits.header_bytes,
            headers=_asking(user_agent, limits),
            middlewares=(unrepeated,),
        )

    async def get(self, url: str, host: str, ip: str, appetite: Appetite) -> Exchange:
        """Ask ``ip`` for a URL of ``host``. Whatever a server does ends in the exchange, never in an exception."""
        exchange = Exchange(url, ip)
        self._resolver.chosen[host] = ip
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self._limits.page_s):
                await self._talk(exchange, appetite)
        except Exception as error:
            exchange.fault = explain(error, exchange.status > 0, self._limits)
        finally:
            self._resolver.chosen.pop(host, None)
        exchange.elapsed_s = time.perf_counter() - began
        return exchange

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        await self._session.close()

    async def _talk(self, exchange: Exchange, appetite: Appetite) -> None:
        answer = await self._session.get(URL(exchange.url, encoded=True), allow_redirects=False)
        try:
            _note_head(exchange, answer)
            _check_head(exchange, answer, appetite)
            await _note_body(exchange, answer, appetite)
        finally:
            answer.close()  # a connection whose answer was read to the end went back to the pool already


def _note_head(exchange: Exchange, answer: aiohttp.ClientResponse) -> None:
    exchange.status = answer.status
    exchange.headers = tuple([(header_text(name), header_text(value)) for name, value in answer.raw_headers])
    exchange.request_headers = tuple(answer.request_info.headers.items())
    if answer.version is not None:
        exchange.http_version = f"HTTP/{answer.version.major}.{answer.version.minor}"


def _check_head(exchange: Exchange, answer: aiohttp.ClientResponse, appetite: Appetite) -> None:
    """Raises BodyError when the head alone says that the body is not wanted."""
    if appetite.content_types and exchange.status < 300:
        content_type = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if content_type and content_type not in appetite.content_types:
            raise BodyError(f"content type {content_type[:80]} is not wanted (limits.content_types)")
    length = answer.content_length
    if length is not None and length > appetite.limit and not appetite.beginning:
        raise TooLargeError(f"larger than {appetite.limit} bytes as sent (limits.page_bytes)")


async def _note_body(exchange: Exchange, answer: aiohttp.ClientResponse, appetite: Appetite) -> None:
    names = codings(",".join(answer.headers.getall("Content-Encoding", ())))
    collector = Collector(names, appetite.limit, slack=20 if appetite.beginning else 1)
    try:
        with _ended_by_its_connection(answer):
            async for piece in answer.content.iter_any():
                collector.feed(piece)
            collector.finish()
    except TooLargeError:
        if not (appetite.beginning and collector.full):
            raise
    exchange.body = collector.decoded
    if names:
        exchange.encoded_body = collector.encoded


@contextmanager
def _ended_by_its_connection(answer: aiohttp.ClientResponse) -> Iterator[None]:
    """A body whose connection is gone is over.

    aiohttp closes the connection on a bad chunk, but leaves the reader of the body waiting until its time is up.
    """
    content, connection = answer.content, answer.connection
    closed = connection.protocol.closed if connection is not None and connection.protocol is not None else None
    if closed is None or content.is_eof():
        yield
        return

    def end(_: asyncio.Future[None]) -> None:
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("connection closed"))

    closed.add_done_callback(end)
    try:
        yield
    finally:
        closed.remove_done_callback(end)


def _seen(closed: asyncio.Future[None]) -> None:
    """Nobody waits for a connection to close: look at its error, so that asyncio does not complain of it."""
    if not closed.cancelled():
        closed.exception()


def _asking(user_agent: str, limits: LimitSettings) -> dict[str, str]:
    wanted = ",".join(limits.content_types)
    return {
        "User-Agent": user_agent,
        "Accept": f"{wanted},*/*;q=0.1" if wanted else "*/*",
        "Accept-Language": "en,*;q=0.5",
        "Accept-Encoding": "gzip, deflate, br, zstd",
    }


def _tls(verify: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
