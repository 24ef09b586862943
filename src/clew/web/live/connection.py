"""Connections of the HTTP client: aiohttp's, with answers read by ``answer.Answer`` instead of aiohttp's own parser.

aiohttp keeps the pool, TLS and proxies; what it gets from here are messages and streams as its own parser would make
them. Its parser refuses much that browsers take, and of a body that breaks off it drops what came.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.helpers import DEFAULT_CHUNK_SIZE
from aiohttp.http import HttpVersion, RawResponseMessage
from aiohttp.streams import StreamReader
from multidict import CIMultiDict, CIMultiDictProxy

from clew.config import LiveSettings
from clew.text.httpmessage import Head, MessageError
from clew.web.live.addresses import CheckedResolver, guarded_socket
from clew.web.live.allowance import allowed
from clew.web.live.answer import Answer
from clew.web.live.faults import UnansweredError
from clew.web.live.proxies import Proxy

IDLE_S = 4.5
"""Idle connections are closed after this long: just before the servers that wait 5 s close theirs."""

_TIMED_OUT = 408
_EARLY_BYTES = 65_536


class Body(StreamReader):
    """The body of an answer under way. Of one that breaks off, what came can be read: ``answer`` says how it ended."""

    answer: Answer


class Line(ResponseHandler):
    """One connection, and the answers that come over it, one at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._answer: Answer | None = None
        self._body: Body | None = None
        self._answered = 0

    def set_response_params(self, *, timer: Any = None, max_line_size: int = 8190, **_: Any) -> None:
        """aiohttp calls this before each request."""
        self._answer = Answer(max_line_size)
        self._body = Body(self, DEFAULT_CHUNK_SIZE, timer=timer, loop=self._loop)
        self._body.answer = self._answer
        self._drain_tail()

    @property
    def reused(self) -> bool:
        """Whether an answer came over this connection before."""
        return self._answered > 0

    def data_received(self, data: bytes) -> None:
        answer = self._answer
        if answer is None and len(self._tail) < _EARLY_BYTES:
            self._tail += data  # it speaks before it is asked
            return
        if answer is None or answer.over:
            self.force_close()  # nobody asked: it would be taken for the next answer
            if self.transport is not None:
                self.transport.close()
            return
        known = answer.head is not None
        try:
            piece = answer.feed(data)
        except MessageError as error:
            self._fail(error)
            return
        if not known and not self._announce(answer):
            return
        if piece and self._body is not None:
            self._body.feed_data(piece)
        if answer.over:
            self._finish(answer)

    def connection_lost(self, exc: BaseException | None) -> None:
        answer = self._answer
        if answer is not None and not answer.over:
            self._cut_short(answer, exc)
        super().connection_lost(exc)

    def _cut_short(self, answer: Answer, exc: BaseException | None) -> None:
        """The connection is gone in the middle of an answer, or before it."""
        known = answer.head is not None
        if self.reused and not answer.begun:
            self.set_exception(UnansweredError("a kept connection closed"))
            return
        try:
            answer.end(exc is None)
        except MessageError as error:
            self.set_exception(error)
            return
        if answer.head is not None and (known or self._announce(answer)):
            self._finish(answer)

    def _announce(self, answer: Answer) -> bool:
        """Hands on the head once it is known, and says whether it is."""
        head = answer.head
        if head is None:
            return False
        if head.status == _TIMED_OUT and self.reused:  # said to the idle connection, not to this request
            self._fail(UnansweredError("a kept connection timed out"))
            return False
        assert self._body is not None
        self._payload = self._body
        self.feed_data((_message(head, answer.keep), self._body), 0)
        return True

    def _finish(self, answer: Answer) -> None:
        self._answered += 1
        if answer.surplus or not answer.keep:
            self.force_close()
        body, self._body = self._body, None
        if body is not None:
            body.feed_eof()  # gives the connection back to the pool

    def _fail(self, error: Exception) -> None:
        if self.transport is not None:
            self.transport.close()
        self.set_exception(error)

    # aiohttp's own parser would be told of these

    def pause_reading(self) -> None:
        self._reading_paused = True
        self._pause_transport_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:
        if self._reading_paused:
            self._reading_paused = False
            self._resume_transport_reading()


class Connector(aiohttp.TCPConnector):
    """One connection a host, made within ``connect_s`` seconds and only to chosen addresses, and idle ones as many as
    ``most_idle`` says.

    ``tunnels``: the proxies that connect us to hosts; ``proxies``: addresses and ports of those that we connect to.
    """

    def __init__(
        self,
        resolver: CheckedResolver,
        live: LiveSettings,
        connect_s: float,
        most_idle: Callable[[], int],
        **options: Any,
    ) -> None:
        self._connect_s = connect_s
        self._most_idle = most_idle
        self.tunnels: dict[str, Proxy] = {}
        self.proxies: set[tuple[str, int]] = set()
        super().__init__(
            resolver=resolver,
            limit=0,
            limit_per_host=1,
            keepalive_timeout=IDLE_S,
            use_dns_cache=False,
            happy_eyeballs_delay=None,
            socket_factory=guarded_socket(live.allow_private, self.proxies),
            **options,
        )
        self._factory: Any = lambda: Line(self._loop)

    async def connect(self, *args: Any, **options: Any) -> Connection:
        """A connection, kept or new. Raises TimeoutError."""
        async with allowed(self._connect_s):
            return await super().connect(*args, **options)

    async def _wrap_create_connection(self, *args: Any, addr_infos: Any, **options: Any) -> Any:
        """Called by aiohttp, with the chosen address (or, where the proxy looks names up, the name)."""
        host = options["req"].url.raw_host or ""
        proxy = self.tunnels.get(host.rstrip(".")) or self.tunnels.get(f"[{host}]")
        if proxy is None:
            return await super()._wrap_create_connection(*args, addr_infos=addr_infos, **options)
        place, port = addr_infos[0][4][:2]
        place = host.rstrip(".") if proxy.scheme == "http" else place
        sock = await proxy.connect(place, port, self._connect_s)
        return await self._wrap_existing_connection(*args, sock=sock, **options)

    def drop_idle(self) -> None:
        """Close the connections that nobody uses."""
        for idle in self._conns.values():
            for protocol, _ in idle:
                protocol.close()
        self._conns.clear()

    def _release(self, key: Any, protocol: Any, *, should_close: bool = False) -> None:
        crowded = len(self._conns) >= self._most_idle()
        super()._release(key, protocol, should_close=should_close or crowded)


def _message(head: Head, keep: bool) -> RawResponseMessage:
    """The head as aiohttp's parser would give it."""
    major, _, minor = head.version.removeprefix("HTTP/").partition(".")
    return RawResponseMessage(
        HttpVersion(int(major), int(minor or 0)),
        head.status,
        head.phrase,
        CIMultiDictProxy(CIMultiDict(head.headers)),
        head.fields,
        not keep,
        None,
        False,
        False,
    )
