"""One GET over HTTP/1.1, bounded in time and size, with everything that an archive wants to know about it."""

from __future__ import annotations

import asyncio
import ssl
import time
from functools import lru_cache

import aiohttp
from yarl import URL

from clew.config import LimitSettings, LiveSettings
from clew.web.live.addresses import CheckedResolver
from clew.web.live.connection import Connector
from clew.web.live.cookies import Jar
from clew.web.live.faults import once_more
from clew.web.live.intake import Appetite, Exchange, Intake

__all__ = ["Appetite", "Exchange", "Wire"]


class Wire:
    """The HTTP client of the live world. Needs a running event loop."""

    def __init__(self, limits: LimitSettings, live: LiveSettings, user_agent: str) -> None:
        self._limits = limits
        self._resolver = CheckedResolver()
        self._cookies = Jar() if live.cookies else None
        self._session = self._opened(live, user_agent)

    def _opened(self, live: LiveSettings, user_agent: str) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=Connector(self._resolver, live, ssl=_tls(live.verify_tls)),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, connect=self._limits.connect_s),
            max_line_size=self._limits.header_bytes,
            headers=_asking(user_agent, self._limits),
            middlewares=(once_more,),
        )

    async def get(self, url: str, host: str, ip: str, appetite: Appetite) -> Exchange:
        """Ask ``ip`` for a URL of ``host``. Whatever a server does ends in the exchange, never in an exception."""
        exchange = Exchange(url, ip)
        intake = Intake(exchange, appetite, self._limits)
        self._resolver.chosen[host] = ip
        began = time.perf_counter()
        failed: Exception | None = None
        try:
            async with asyncio.timeout(self._limits.page_s):
                await self._talk(url, intake)
        except Exception as error:
            failed = error
        finally:
            self._resolver.chosen.pop(host, None)
        intake.settle(failed)
        exchange.elapsed_s = time.perf_counter() - began
        if self._cookies is not None:
            exchange.set_cookie = self._cookies.take(url, exchange.headers, time.time())
        return exchange

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        await self._session.close()

    async def _talk(self, url: str, intake: Intake) -> None:
        cookie = self._cookies.header(url, time.time()) if self._cookies is not None else ""
        headers = {"Cookie": cookie} if cookie else None
        response = await self._session.get(URL(url, encoded=True), allow_redirects=False, headers=headers)
        try:
            await intake.take(response)
        finally:
            response.close()  # a connection whose answer was read to the end went back to the pool already


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
