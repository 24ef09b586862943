"""What is taken of an answer: its head, and a body within the limits, decoded as far as it can be.

A body that breaks off (the connection closes, a chunk is broken, time is up) is kept as far as it came, and read like
any page; so is one whose compression is damaged. Of one that is larger than the limit the beginning is kept for the
archive only.
"""

from __future__ import annotations

from dataclasses import dataclass

import aiohttp

from clew.config import LimitSettings
from clew.text.codings import BodyError, Collector, TooLargeError
from clew.text.httpmessage import Headers, content_codings, location
from clew.text.sniff import NAMELESS, essence_of
from clew.web.live.connection import Body
from clew.web.live.faults import Fault, explain

_TO_PROXIES = frozenset(("proxy-authorization", "proxy-connection"))
"""Request headers that are between us and the proxy: the host does not see them, and no archive must."""

FEW = 64
"""A text that lacks this many bytes at its end, or only its end mark, counts as whole: servers miscount."""


@dataclass(frozen=True, slots=True)
class Appetite:
    """What is wanted of an answer: content types (none: any), at most ``limit`` bytes.

    ``beginning``: of a larger body, the first ``limit`` bytes are taken. ``whole``: a body that breaks off is no use.
    """

    limit: int
    content_types: frozenset[str] = frozenset()
    beginning: bool = False
    whole: bool = False


@dataclass(slots=True)
class Exchange:
    """One request and what came of it. ``status`` is 0 when no answer came; ``fault`` says why no page came.

    ``truncated`` says what cut a body short, in the words of WARC (disconnect, time, length); ``note``, what that was.
    ``head``: status line and headers as sent; ``location``: where it redirects to, as text for a URL parser;
    ``set_cookie``: it set a cookie that the next request will carry.
    """

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
    truncated: str = ""
    note: str = ""
    head: bytes = b""
    location: str = ""
    set_cookie: bool = False

    @property
    def requests(self) -> int:
        """GETs that went out: 1, or 0 when no connection came about."""
        return int(self.fault is None or self.fault.sent)

    def header(self, name: str) -> str:
        """The values of a header (given in lower case), joined by commas."""
        return ", ".join(value for key, value in self.headers if key.lower() == name)


class Intake:
    """Takes one answer into an exchange: ``take`` it while it comes, then ``settle``, also after an exception."""

    def __init__(self, exchange: Exchange, appetite: Appetite, limits: LimitSettings) -> None:
        self._exchange = exchange
        self._appetite = appetite
        self._limits = limits
        self._body: Body | None = None
        self._collector: Collector | None = None

    async def take(self, response: aiohttp.ClientResponse) -> None:
        """Head and body. Raises BodyError when the body is not wanted."""
        body = response.content
        assert isinstance(body, Body)
        self._note_head(body, response)
        self._check_head(body)
        slack = 20 if self._appetite.beginning else 1
        collector = Collector(content_codings(self._exchange.headers), self._appetite.limit, slack)
        self._body, self._collector = body, collector
        async for piece in body.iter_any():
            collector.feed(piece)

    def _note_head(self, body: Body, response: aiohttp.ClientResponse) -> None:
        head = body.answer.head
        assert head is not None
        exchange = self._exchange
        exchange.status, exchange.headers, exchange.http_version = head.status, head.headers, head.version
        exchange.head = head.raw
        exchange.location = location(head.fields) if 300 <= head.status < 400 else ""
        sent = response.request_info.headers.items()
        exchange.request_headers = tuple((name, value) for name, value in sent if name.lower() not in _TO_PROXIES)

    def _check_head(self, body: Body) -> None:
        """Raises BodyError when the head alone says that the body is not wanted, or cannot be told from others."""
        answer, appetite = body.answer, self._appetite
        if answer.conflict:
            raise BodyError(answer.conflict)
        if appetite.content_types and self._exchange.status < 300:
            content_type = essence_of(self._exchange.header("content-type"))
            if content_type not in NAMELESS and content_type not in appetite.content_types:
                raise BodyError(f"content type {content_type[:80]} is not wanted (limits.content_types)")
        if answer.length is not None and answer.length > appetite.limit and not appetite.beginning:
            self._exchange.truncated = "length"
            raise TooLargeError(f"larger than {appetite.limit} bytes as sent (limits.page_bytes)")

    def settle(self, error: Exception | None) -> None:
        """What came is in the exchange; ``error`` ended it, if any."""
        exchange, collector, body = self._exchange, self._collector, self._body
        if collector is None or body is None:
            exchange.fault = explain(error, exchange.status > 0, self._limits) if error is not None else None
            return
        try:
            self._judge(error, collector, body)
            exchange.body = collector.read()
        except TooLargeError as larger:
            exchange.truncated = "length"
            exchange.fault = explain(larger, True, self._limits)
        except Exception as fault:
            exchange.fault = explain(fault, True, self._limits)
        if exchange.fault is not None or collector.coded:
            exchange.encoded_body = collector.encoded

    def _judge(self, error: Exception | None, collector: Collector, body: Body) -> None:
        """Whether what came will do. Raises what speaks against it."""
        exchange = self._exchange
        if isinstance(error, TooLargeError) and self._appetite.beginning and collector.full:
            return
        if error is not None and not isinstance(error, TimeoutError):
            raise error
        collector.finish()
        if error is not None:
            exchange.truncated, exchange.note = "time", f"not complete after {self._limits.page_s:g} s (limits.page_s)"
        elif body.answer.broke:
            exchange.truncated, exchange.note = "disconnect", f"broke off: {body.answer.broke}"
        if exchange.truncated and (not collector.decoded or self._spoilt(error, body)):
            raise error or aiohttp.ClientPayloadError(body.answer.broke)
        if collector.damaged:
            exchange.note = exchange.note or collector.damaged

    def _spoilt(self, error: Exception | None, body: Body) -> bool:
        """Whether a text that is wanted whole lacks more than a few bytes at its end."""
        lacking = body.answer.lacking
        return self._appetite.whole and (error is not None or lacking is None or lacking > FEW)
