"""One GET over HTTP/1.1, bounded in time and size, with everything that an archive wants to know about it."""

from __future__ import annotations

import asyncio
import errno
import math
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import aiohttp
from yarl import URL

from clew.config import LimitSettings, LiveSettings
from clew.errors import shortage
from clew.web.live.addresses import CheckedResolver
from clew.web.live.allowance import allowed
from clew.web.live.connection import Connector
from clew.web.live.cookies import Jar
from clew.web.live.faults import WRONG_CREDENTIALS, once_more, proxy_wants_credentials
from clew.web.live.intake import Appetite, Exchange, Intake
from clew.web.live.machine import IDLE_CONNECTIONS, lacking
from clew.web.live.proxies import Proxies, Proxy, ProxyDownError
from clew.web.live.targets import take_apart

__all__ = ["Appetite", "Exchange", "Wire"]


class Wire:
    """The HTTP client of the live world. Needs a running event loop."""

    def __init__(
        self,
        limits: LimitSettings,
        live: LiveSettings,
        user_agent: str,
        most_idle: Callable[[], int] = lambda: IDLE_CONNECTIONS,
    ) -> None:
        self._limits = limits
        self._resolver = CheckedResolver()
        self._cookies = Jar() if live.cookies else None
        self._fresh_s = live.dns_fresh_s
        self._looked_up: dict[Proxy, float] = {}
        self._looking_up: dict[Proxy, asyncio.Task[None]] = {}
        self.proxies = Proxies(live)
        self._connector = Connector(self._resolver, live, limits.connect_s, most_idle, ssl=_tls(live.verify_tls))
        self._session = self._opened(user_agent)

    def _opened(self, user_agent: str) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=self._connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None),
            max_line_size=self._limits.header_bytes,
            headers=_asking(user_agent, self._limits),
            middlewares=(once_more,),
        )

    async def get(self, url: str, host: str, ip: str, appetite: Appetite) -> Exchange:
        """Ask ``ip`` for a URL of ``host``. Whatever a server does ends in the exchange, never in an exception.

        Where the proxy looks names up, ``ip`` is the name. The exchange has an address where the connection went to it.
        """
        target = take_apart(url)
        proxy = self.proxies.of(target)
        tunnelled = proxy is not None and proxy.tunnels(target)
        exchange = Exchange(url, ip if proxy is None or proxy.scheme == "socks5" else "")
        intake = Intake(exchange, appetite, self._limits)
        self._resolver.chosen[host] = ip
        if proxy is not None and tunnelled:
            self._connector.tunnels[host] = proxy
        began = time.perf_counter()
        failed: Exception | None = None
        try:
            async with allowed(self._limits.page_s):
                await self._talk(url, intake, None if tunnelled else proxy)
        except Exception as error:
            failed = error
        finally:
            self._resolver.chosen.pop(host, None)
            self._connector.tunnels.pop(host, None)
        intake.settle(failed)
        fault = exchange.fault
        if fault is not None and fault.shortage == errno.EADDRNOTAVAIL and ":" in ip:
            exchange.fault = replace(fault, shortage=0)  # this machine has no way to IPv6 addresses
        if proxy is not None and exchange.status == WRONG_CREDENTIALS:
            exchange.status, exchange.fault = 0, proxy_wants_credentials()
        exchange.elapsed_s = time.perf_counter() - began
        if self._cookies is not None:
            exchange.set_cookie = self._cookies.take(url, exchange.headers, time.time())
        return exchange

    def drop_idle(self) -> None:
        """Close the connections that nobody uses."""
        self._connector.drop_idle()

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        for task in self._looking_up.values():
            task.cancel()
        await self._session.close()

    async def _talk(self, url: str, intake: Intake, proxy: Proxy | None) -> None:
        """``proxy``: it is asked for the page, in place of the host."""
        cookie = self._cookies.header(url, time.time()) if self._cookies is not None else ""
        headers = {"Cookie": cookie} if cookie else {}
        options: dict[str, Any] = {}
        if proxy is not None:
            await self._find(proxy)
            options["proxy"] = proxy.name
            if proxy.authorization:
                headers["Proxy-Authorization"] = proxy.authorization
        if headers:
            options["headers"] = headers
        response = await self._session.get(URL(url, encoded=True), allow_redirects=False, **options)
        try:
            await intake.take(response)
        finally:
            response.close()  # a connection whose answer was read to the end went back to the pool already

    async def _find(self, proxy: Proxy) -> None:
        """Look up an HTTP proxy, now and then, once for all requests that begin meanwhile."""
        if self._looked_up.get(proxy, -math.inf) + self._fresh_s > time.monotonic():
            return
        task = self._looking_up.get(proxy)
        if task is None:
            task = self._looking_up[proxy] = asyncio.ensure_future(self._look_up(proxy))
            task.add_done_callback(lambda _: self._looking_up.pop(proxy, None))
        await asyncio.shield(task)

    async def _look_up(self, proxy: Proxy) -> None:
        """It may have any address: its user chose it."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
        except OSError as error:
            if number := shortage(error) or lacking():
                raise OSError(number, "nothing can be opened") from error
            raise ProxyDownError(f"the proxy {proxy.name} cannot be looked up: {error.strerror or error}") from error
        address = str(found[0][4][0])
        self._resolver.proxies[proxy.host, proxy.port] = address
        self._connector.proxies.add((address, proxy.port))
        self._looked_up[proxy] = time.monotonic()


def _asking(user_agent: str, limits: LimitSettings) -> dict[str, str]:
    wanted = ",".join(limits.content_types)
    return {
        "User-Agent": user_agent,
        "Accept": f"{wanted},*/*;q=0.1" if wanted else "*/*",
        "Accept-Language": "en,*;q=0.5",
        "Accept-Encoding": "gzip, deflate, br, zstd",
    }


def _tls(verify: bool) -> ssl.SSLContext:
    return _tls_context(verify, ssl.get_default_verify_paths())


@lru_cache(maxsize=4)
def _tls_context(verify: bool, _: ssl.DefaultVerifyPaths) -> ssl.SSLContext:
    """Reading the machine's certificates takes a tenth of a second or more: once for all crawls of a process."""
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
