"""Who may ask: the token, hosts and origins, and what browsers are told about every answer.

The dashboard listens on loopback, where every program of this machine and every page in this browser can reach it. So
every request needs the token of this run, or the cookie that the opened page gets for it; the name by which the server
is called must be its own (a foreign name that leads here is DNS rebinding); and whatever changes something must come
from its own pages (cross-site request forgery).
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = ("GET", "HEAD", "OPTIONS")
MARK = "x-clew"
"""A header that the dashboard's own pages send with whatever changes something: no form and no foreign page can."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""What the dashboard's own pages may load. A route that needs another policy sets it itself."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

MOST_FIELDS = 50

OTHERS = ("cross-site", "same-site")
"""What browsers say of requests by pages of other origins."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def secret() -> str:
    """A new token: 256 bits, as text for URLs."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Access:
    """Who is let in: whoever has ``token``, by a name in ``names`` (host:port, as browsers write it)."""

    port: int
    token: str = field(default_factory=secret, repr=False)
    cookie: str = field(default_factory=secret, repr=False)
    hosts: tuple[str, ...] = LOOPBACK

    @property
    def cookie_name(self) -> str:
        """Cookies are shared by all ports of a host, so the name tells them apart."""
        return f"clew-{self.port}"

    @property
    def names(self) -> frozenset[str]:
        """The hosts of requests that are meant for this server."""
        bare = self.hosts if self.port == 80 else ()
        return frozenset((*bare, *(f"{host}:{self.port}" for host in self.hosts)))

    @property
    def origins(self) -> frozenset[str]:
        """The origins of its own pages."""
        return frozenset(f"http://{name}" for name in self.names)


class Guard:
    """ASGI middleware: lets a request in or says why not, and sets the headers of all answers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        given = _query_token(scope)
        refusal = self._refusal(scope, headers, given)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._finish(message, given)
            await send(message)

        await (refusal or self._app)(scope, receive, answer)

    def _refusal(self, scope: Scope, headers: Headers, given: str) -> Response | None:
        """The answer to a request that is not let in."""
        if headers.get("host", "").lower() not in self._access.names:
            return _no(403, "this server is not called so: open the address that clew serve printed")
        if self._foreign(headers):
            return _no(403, "requests of other sites are not answered")
        if self._bearer(headers) or self._opens(scope, given):
            return None
        if not self._has_cookie(headers):
            return _no(401, "a token is needed: open the address that clew serve printed")
        if scope["method"] not in SAFE and MARK not in headers:
            return _no(403, f"what changes something needs the header {MARK}, or the token as a bearer token")
        return None

    def _foreign(self, headers: Headers) -> bool:
        """Whether a page of another origin asks, be it of another port of this host, which browsers call the same site
        and send cookies for; that one may lead here is no harm."""
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._access.origins:
            return True
        return headers.get("sec-fetch-site") in OTHERS and headers.get("sec-fetch-mode") != "navigate"

    def _opens(self, scope: Scope, given: str) -> bool:
        """Whether this is the address that was printed; the API takes no token in an address, which logs keep."""
        return scope["method"] in SAFE and not scope["path"].startswith("/api") and same(given, self._access.token)

    def _bearer(self, headers: Headers) -> bool:
        kind, _, value = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and same(value.strip(), self._access.token)

    def _has_cookie(self, headers: Headers) -> bool:
        """Browsers send the cookies of all servers on this host, whatever these wrote into theirs."""
        value = cookie_parser(headers.get("cookie", "")).get(self._access.cookie_name)
        return value is not None and same(value, self._access.cookie)

    def _finish(self, message: MutableMapping[str, Any], given: str) -> None:
        """The headers of every answer; who brought the token gets the cookie."""
        headers = MutableHeaders(scope=message)
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        if same(given, self._access.token) and message["status"] < 400:
            name, value = self._access.cookie_name, self._access.cookie
            headers.append("set-cookie", f"{name}={value}; HttpOnly; SameSite=Strict; Path=/")


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode())


def _query_token(scope: Scope) -> str:
    try:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=MOST_FIELDS)
    except ValueError:  # more fields than that
        return ""
    return _first(query.get("token", ()))


def _first(values: Iterable[str]) -> str:
    return next(iter(values), "")


def _no(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)
