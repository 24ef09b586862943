"""The live web as a World.

Every ``fetch`` sends one GET at most: a page, or robots.txt (or the next step of its redirects), after which the
page is DEFERRED until the host may be asked again. So the pauses hold for robots.txt and its redirects too. A fetch
that has to look up an address sends nothing.

What fails is held against as little as can be: a page when its host answers others well, a host when the line is up
(docs/politeness.md).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import ada_url
import msgspec

from clew.config import LimitSettings, LiveSettings, PolitenessSettings, Settings
from clew.errors import InputError, shown
from clew.model import Outcome, Request, Response
from clew.text.mediatypes import wanted_types
from clew.urls.canonical import canonical
from clew.version import __version__
from clew.web.base import Clock, Outage, World
from clew.web.live.addresses import AddressBook, Lookup
from clew.web.live.faults import Fault
from clew.web.live.guard import why_bad_port
from clew.web.live.line import Line
from clew.web.live.machine import Machine
from clew.web.live.politeness import Host, Politeness, retry_after
from clew.web.live.robots import Robots, RobotsRules, agent_token
from clew.web.live.silence import Server, Servers
from clew.web.live.targets import Target, take_apart
from clew.web.live.wire import Appetite, Exchange, Wire

_REDIRECTS = frozenset((300, 301, 302, 303, 307, 308))

_TOO_MUCH = frozenset((420, 429, 503, 509, 529))
"""Statuses that say: not so fast. 420, 509 and 529 are in no standard, but in use."""

_PASSING = frozenset((408, 425))
"""Statuses below 500 that say nothing of the page: too late, too early (RFC 9110 section 15.5.9, RFC 8470)."""

_BARRED = frozenset((401, 403))
"""Statuses that are a page's own, unless page after page of a site that was open has them."""


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """Why nothing can be sent now: for good (``retry_at`` None), or until then. ``alone``: other URLs of the host may
    be asked for meanwhile. ``rests``: the host does not answer as it should; ``given_up``: nor is it waited for."""

    reason: str
    retry_at: float | None = None
    alone: bool = False
    rests: bool = False
    given_up: bool = False


class LiveWorld(World):
    """Fetches pages over HTTP, politely and within limits. ``clock`` is the one the crawl runs on.

    ``contact`` (a mail address or URL) stands in the User-Agent header, and the product token of ``user_agent`` is
    what is looked up in robots.txt. ``at_once``: connections at a time, at most; ``workers``: processes that
    read pages.
    """

    name = "live"
    live = True

    def __init__(
        self,
        politeness: PolitenessSettings,
        limits: LimitSettings,
        live: LiveSettings,
        user_agent: str,
        contact: str,
        clock: Clock,
        at_once: int = 64,
        workers: int = 0,
    ) -> None:
        self._limits = limits
        self._live = live
        self._user_agent = user_agent.strip()
        self._contact = contact.strip()
        self.clock = self._clock = clock
        self._settings = politeness
        self._politeness = Politeness(politeness)
        self._servers = Servers(politeness)
        self._rules = RobotsRules(politeness, agent_token(user_agent))
        types = frozenset(name.lower() for name in limits.content_types)
        self._page_appetite = Appetite(limits.page_bytes, types)
        self._list_appetite = Appetite(limits.sitemap_bytes)
        self._robots_appetite = Appetite(politeness.robots_bytes, beginning=True, whole=True)
        self._line = Line(clock, limits.connect_s)
        self._machine = Machine(at_once, workers, clock)
        self._looking_up = 0
        self._book: AddressBook | None = None
        self._wire: Wire | None = None
        self._spared: Callable[[str], str | None] = lambda url: None

    @property
    def outage(self) -> Outage | None:
        return self._line.outage or self._machine.outage

    @property
    def looking_up(self) -> int:
        return self._looking_up

    @classmethod
    def from_spec(cls, rest: str, settings: Settings, clock: Clock) -> LiveWorld:
        if rest:
            raise InputError(f"there is no web 'live:{rest}'; say live, and the pages to start from with --seeds")
        crawl = settings.crawl
        limits = msgspec.structs.replace(settings.limits, content_types=wanted_types(settings))
        workers = crawl.workers if crawl.workers >= 0 else os.cpu_count() or 2
        return cls(
            settings.politeness,
            limits,
            settings.web.live,
            crawl.user_agent,
            crawl.contact,
            clock,
            crawl.hosts_at_once,
            workers,
        )

    async def open(self) -> None:
        """Get ready to send. Raises InputError when there is no contact, or a fixed address is none."""
        header = user_agent_header(self._user_agent, self._contact)
        self._book = AddressBook(self._live, self._settings, self._limits.connect_s, self._clock, self._machine)
        self._machine.prepare()
        self._wire = Wire(self._limits, self._live, header, lambda: self._machine.idle)
        self._machine.freed = self._wire.drop_idle
        for proxy in self._wire.proxies.all():
            self._line.depends_on((proxy.host, proxy.port))

    async def close(self) -> None:
        wire, self._wire = self._wire, None
        book, self._book = self._book, None
        await self._line.close()
        if book is not None:
            await book.close()
        if wire is not None:
            await wire.close()

    def spare(self, why_not: Callable[[str], str | None]) -> None:
        self._spared = why_not

    def delay(self, host: str) -> float:
        """Seconds between two requests to a host (its name, without port), as things stand."""
        return self._politeness.delay(self._politeness.host(host))

    async def fetch(self, request: Request) -> Response:
        try:
            target = take_apart(request.url)
        except ValueError as error:
            return Response(request.url, Outcome.REFUSED, reason=f"not a URL that can be fetched: {error}", requests=0)
        host, server = self._politeness.host(target.host), self._servers.of(target.origin)
        now = self._clock.now()
        obstacle = self._resting(server, target, now) or self._closed_gate(host, now)
        if obstacle is not None:
            return self._unsent(request, host, obstacle)
        robots = self._rules.of(target.origin, now)
        obstacle = self._shut(robots, target, now)
        if obstacle is not None:
            return self._unsent(request, host, obstacle)
        if robots.text is None:
            return await self._fetch_robots(request, target, host, robots)
        host.crawl_delay_s = self._rules.delay(robots)
        return await self._fetch_page(request, target, host, server)

    # -- before anything is sent --------------------------------------------------------------------------

    def _closed_gate(self, host: Host, now: float) -> _Obstacle | None:
        free_at = self._politeness.host_free_at(host, now)
        if free_at <= now:
            return None
        given_up = self._politeness.given_up(host, now)
        return _Obstacle(f"{host.name} may not be asked yet", free_at, rests=given_up, given_up=given_up)

    def _resting(self, server: Server, target: Target, now: float) -> _Obstacle | None:
        """Whether the server of a URL is left alone because it did not answer as it should."""
        if server.until <= now:
            return None
        given_up = self._servers.given_up(server)
        reason = given_up or f"its server rests: {server.silence.reason or server.errors.reason}"
        alone = not self._servers.alone(target.origin)
        return _Obstacle(reason, server.until, alone=alone, rests=True, given_up=bool(given_up))

    def _shut(self, robots: Robots, target: Target, now: float) -> _Obstacle | None:
        """What robots.txt, or the want of it, has against the URL."""
        if robots.text is None:
            return self._missing_robots(robots) if robots.retry_at > now else None
        return None if self._rules.allows(robots, target.url) else _Obstacle("robots.txt disallows it")

    def _missing_robots(self, robots: Robots) -> _Obstacle:
        """robots.txt could not be had, so nothing of its origin is asked for."""
        alone, given_up = not self._servers.alone(robots.origin), self._rules.given_up(robots)
        reason = f"robots.txt: {robots.reason}"
        return _Obstacle(reason, robots.retry_at, alone=alone, rests=True, given_up=given_up)

    async def _enter(self, target: Target, host: Host) -> str | _Obstacle:
        """Take the places at the gates of host and address; returns the address."""
        assert self._book is not None, "open() first"
        barred = "" if self._live.allow_private else why_bad_port(target.port)
        if barred:
            return _Obstacle(barred)
        lookup = self._by_proxy(target) or self._book.known(target.host)
        if lookup is None:
            return await self._look_up(target.host)
        if not lookup.addresses:
            return self._unresolved(lookup)
        now = self._clock.now()
        ip = lookup.addresses[host.turn % len(lookup.addresses)]
        free_at = self._politeness.address_free_at(ip, now)
        if free_at > now:
            return _Obstacle(f"{ip} may not be asked yet", free_at)
        self._politeness.enter(host, ip, now)  # nothing was awaited since the gates were looked at
        return ip

    def _by_proxy(self, target: Target) -> Lookup | None:
        """The name in place of an address, where a proxy looks it up."""
        assert self._wire is not None, "open() first"
        return Lookup((target.host,)) if self._wire.proxies.resolves(target) else None

    async def _look_up(self, name: str) -> _Obstacle:
        """Look up an address. Then whoever waited for it comes anew, for it took no place among those that fetch."""
        assert self._book is not None, "open() first"
        self._looking_up += 1
        try:
            lookup = await self._book.lookup(name)
        finally:
            self._looking_up -= 1
        if lookup.addresses:
            return _Obstacle(f"the address of {name} was looked up first", self._clock.now())
        return self._unresolved(lookup)

    @staticmethod
    def _unresolved(lookup: Lookup) -> _Obstacle:
        rests = lookup.again_at is not None and not lookup.queued
        return _Obstacle(lookup.reason, lookup.again_at, rests=rests, given_up=lookup.given_up)

    def _unsent(self, request: Request, host: Host, obstacle: _Obstacle, robots_requests: int = 0) -> Response:
        """The answer for a URL that nothing was sent for."""
        retry_at = obstacle.retry_at
        holds = retry_at is not None and not obstacle.alone
        return Response(
            request.url,
            Outcome.REFUSED if retry_at is None else Outcome.DEFERRED,
            reason=obstacle.reason,
            requests=0,
            robots_requests=robots_requests,
            ready_at=max(host.ready_at, retry_at or 0.0) if holds and not obstacle.rests else host.ready_at,
            retry_at=retry_at,
            rests_until=(retry_at or 0.0) if holds and obstacle.rests else 0.0,
            given_up=obstacle.given_up,
        )

    async def _exchange(self, target: Target, host: Host, ip: str, appetite: Appetite) -> Exchange:
        """Send one GET; the places taken are given back whatever happens."""
        assert self._wire is not None, "open() first"
        began = time.perf_counter()
        try:
            async with self._machine.place():
                began = time.perf_counter()
                exchange = await self._wire.get(target.url, target.host, ip, appetite)
        finally:
            self._politeness.leave(host, ip, self._clock.now(), time.perf_counter() - began)
        if exchange.fault is not None and exchange.fault.shortage:
            self._machine.short(exchange.fault.shortage)
        else:
            self._machine.connected()
        return exchange

    def _unopened(self, request: Request, host: Host, exchange: Exchange) -> Response | None:
        """The answer where this machine had no connection left: nobody is to blame, and the page comes again soon."""
        fault = exchange.fault
        if fault is None or not fault.shortage:
            return None
        obstacle = self._put_off(fault.reason, host)
        assert obstacle.retry_at is not None
        return self._unsent(request, host, replace(obstacle, retry_at=max(obstacle.retry_at, self._machine.again_at)))

    def _heard(self, exchange: Exchange, target: Target) -> None:
        """An answer came: the line is up."""
        assert self._wire is not None, "open() first"
        proxy = self._wire.proxies.of(target)
        direct = (exchange.ip, target.port) if exchange.ip else None
        self._line.answered((proxy.host, proxy.port) if proxy is not None else direct)

    def _unanswered(self, url: str, target: Target, host: Host, fault: Fault | None) -> bool:
        """No answer came. It is held against the server while the line is up; returns whether it may be the page's."""
        server, now = self._servers.of(target.origin), self._clock.now()
        host.turn += 1  # its next address has a try
        if self._line.outage is not None:
            return False
        if fault is not None and fault.line:
            self._line.suspect(now, fault.reason)
            return False
        reason, sent = (fault.reason, fault.sent) if fault is not None else ("no answer", True)
        first_s = self._politeness.first_back_off(host)
        own = self._servers.unanswered(server, url, reason, now, first_s, sent=sent)
        self._line.failed(server, now)
        return own

    # -- robots.txt ---------------------------------------------------------------------------------------

    async def _fetch_robots(self, request: Request, target: Target, host: Host, robots: Robots) -> Response:
        """Take the next step towards the robots.txt of the URL's origin."""
        step = take_apart(robots.url)
        keeper = self._politeness.host(step.host)
        entered = self._barred(step, keeper, host) or await self._enter(step, keeper)
        if isinstance(entered, _Obstacle):
            return self._robots_barred(request, host, keeper, robots, entered)
        exchange = await self._exchange(step, keeper, entered, self._robots_appetite)
        unopened = self._unopened(request, host, exchange)
        if unopened is not None:
            return unopened
        if exchange.status:
            self._robots_came(robots, exchange, step, keeper)
        else:
            self._no_robots(robots, exchange, step, keeper)
        host.crawl_delay_s = self._rules.delay(robots)
        self._politeness.pause(keeper, self._clock.now())
        return self._after_robots(request, target, host, robots, exchange.requests)

    def _barred(self, step: Target, keeper: Host, host: Host) -> _Obstacle | None:
        """Whether the host that keeps a robots.txt may not be asked; the URL's own host was looked at already."""
        spared = self._spared(step.url)
        if spared:
            return _Obstacle(spared)
        return None if keeper is host else self._closed_gate(keeper, self._clock.now())

    def _robots_came(self, robots: Robots, exchange: Exchange, step: Target, keeper: Host) -> None:
        now, server = self._clock.now(), self._servers.of(step.origin)
        self._heard(exchange, step)
        server.silence.end()
        if exchange.status in _TOO_MUCH:
            self._politeness.too_much(keeper, now, retry_after(exchange.header("retry-after"), now))
        elif exchange.status < 500:
            self._servers.answered(server)
        self._rules.learn(robots, exchange, _location(step.url, exchange), now)

    def _no_robots(self, robots: Robots, exchange: Exchange, step: Target, keeper: Host) -> None:
        """No answer: the server is silent, and when it is another than the URL's own, that one has no robots.txt."""
        self._unanswered(step.url, step, keeper, exchange.fault)
        if step.origin != robots.origin and exchange.fault is not None:
            self._rules.fail(robots, exchange.fault.reason, self._clock.now())
        robots.start()

    def _robots_barred(
        self, request: Request, host: Host, keeper: Host, robots: Robots, obstacle: _Obstacle
    ) -> Response:
        """The next step cannot be taken. At the URL's own host that settles the URL; elsewhere it is a failure."""
        if keeper is not host and (obstacle.retry_at is None or obstacle.rests):
            self._rules.fail(robots, f"it redirects to {keeper.name}: {obstacle.reason}", self._clock.now())
            return self._unsent(request, host, self._missing_robots(robots))
        return self._unsent(request, host, obstacle)

    def _after_robots(self, request: Request, target: Target, host: Host, robots: Robots, sent: int) -> Response:
        now = self._clock.now()
        obstacle = self._resting(self._servers.of(target.origin), target, now)
        if obstacle is None and robots.text is None and robots.retry_at > now:
            obstacle = self._missing_robots(robots)
        if obstacle is None:
            obstacle = self._put_off("robots.txt was asked for first", host)
        return replace(self._unsent(request, host, obstacle, sent), sitemaps=robots.sitemaps)

    def _put_off(self, reason: str, host: Host) -> _Obstacle:
        """Nothing came of a request, for no fault of the page; during an outage it comes with the next test."""
        outage = self.outage
        when = max(self._clock.now(), host.ready_at, outage.next_test if outage is not None else 0.0)
        return _Obstacle(reason, when)

    # -- pages --------------------------------------------------------------------------------------------

    async def _fetch_page(self, request: Request, target: Target, host: Host, server: Server) -> Response:
        entered = await self._enter(target, host)
        if isinstance(entered, _Obstacle):
            return self._unsent(request, host, entered)
        fetched_at = self._clock.now()
        appetite = self._list_appetite if request.listing else self._page_appetite
        exchange = await self._exchange(target, host, entered, appetite)
        unopened = self._unopened(request, host, exchange)
        if unopened is not None:
            return unopened
        if request.listing and exchange.fault is not None:
            reason = exchange.fault.reason.replace("limits.page_bytes", "limits.sitemap_bytes")
            exchange.fault = replace(exchange.fault, reason=reason)
        fault = exchange.fault
        if (not exchange.status and fault is None) or (fault is not None and fault.strike and exchange.status < 300):
            return self._silent(request, target, host, exchange, fetched_at)
        self._heard(exchange, target)
        if exchange.status in _TOO_MUCH or (exchange.status in _BARRED and exchange.header("retry-after")):
            return self._asked_too_much(request, host, server, exchange, fetched_at)
        if exchange.status >= 500 or 0 < exchange.status < 200 or exchange.status in _PASSING:
            return self._erred(request, target, host, server, exchange, fetched_at)
        return self._answered(request, target, host, server, exchange, fetched_at)

    def _answered(
        self, request: Request, target: Target, host: Host, server: Server, exchange: Exchange, fetched_at: float
    ) -> Response:
        """The server is well; the answer may still be no page."""
        fault = exchange.fault
        row = self._servers.answered(server, barred=exchange.status in _BARRED, page=exchange.status < 300)
        if row > 1 and not request.attempt:
            return self._barred_once(request, host, exchange, fetched_at, row)
        self._politeness.at_ease(host)
        if exchange.status >= 300:
            return self._moved_or_missing(request, target, host, exchange, fetched_at)
        if fault is None:
            return self._response(request, host, exchange, Outcome.OK, fetched_at, reason=exchange.note)
        again = self._clock.now() + self._politeness.back_off(host, request.attempt) if fault.again else None
        return self._response(request, host, exchange, Outcome.FAILED, fetched_at, reason=fault.reason, retry_at=again)

    def _barred_once(self, request: Request, host: Host, exchange: Exchange, fetched_at: float, row: int) -> Response:
        """Page after page of an open site may not be had: each is asked for once more, the later the more there are."""
        wait_s = min(row * self._politeness.first_back_off(host), self._settings.max_delay_s)
        return self._response(
            request, host, exchange, Outcome.FAILED, fetched_at, reason=f"HTTP {exchange.status}",
            retry_at=self._clock.now() + wait_s,
        )  # fmt: skip

    def _silent(self, request: Request, target: Target, host: Host, exchange: Exchange, fetched_at: float) -> Response:
        """No answer, or half of one. The server is left alone for a while, and then asked for another page first: when
        that comes, it was the page's fault."""
        fault = exchange.fault
        own = self._unanswered(request.url, target, host, fault)
        reason = fault.reason if fault is not None else "no answer"
        now, server = self._clock.now(), self._servers.of(target.origin)
        obstacle = self._resting(server, target, now) or self._put_off(reason, host)
        assert obstacle.retry_at is not None
        behind = obstacle.retry_at + (obstacle.retry_at - now) / 2
        if not own:
            return self._response(
                request, host, exchange, Outcome.DEFERRED, fetched_at, reason=reason, retry_at=behind, obstacle=obstacle
            )
        again = max(behind, now + self._politeness.back_off(host, request.attempt))
        retry_at = again if fault is None or fault.again else None
        return self._response(
            request, host, exchange, Outcome.FAILED, fetched_at, reason=reason, retry_at=retry_at, obstacle=obstacle
        )

    def _asked_too_much(
        self, request: Request, host: Host, server: Server, exchange: Exchange, fetched_at: float
    ) -> Response:
        """429 or 503: the host is asked more slowly, the page waits and it costs it nothing."""
        server.silence.end()
        now = self._clock.now()
        self._politeness.too_much(host, now, retry_after(exchange.header("retry-after"), now))
        given_up = self._politeness.given_up(host, now)
        obstacle = _Obstacle("", host.ready_at, rests=given_up, given_up=given_up)
        reason = f"HTTP {exchange.status}"
        return self._response(
            request, host, exchange, Outcome.DEFERRED, fetched_at, reason=reason, retry_at=host.ready_at,
            obstacle=obstacle,
        )  # fmt: skip

    def _erred(
        self, request: Request, target: Target, host: Host, server: Server, exchange: Exchange, fetched_at: float
    ) -> Response:
        """A server error. It is the page's own fault as long as not page after page fails with one."""
        now, reason = self._clock.now(), f"HTTP {exchange.status}"
        delay_s, most_s = self._politeness.delay(host), self._politeness.first_back_off(host)
        own = self._servers.erred(server, request.url, reason, now, delay_s, most_s)
        # the more pages fail, the more others of the server are asked for before this one is again
        pause_s = max(delay_s, self._servers.errors_pause_s(server, delay_s, most_s))
        others_s = 2 * self._servers.failing(server) * pause_s
        again = max(now + max(self._politeness.back_off(host, request.attempt), others_s), host.ready_at)
        return self._response(
            request, host, exchange, Outcome.FAILED if own else Outcome.DEFERRED, fetched_at, reason=reason,
            retry_at=again, obstacle=self._resting(server, target, now),
        )  # fmt: skip

    def _moved_or_missing(
        self, request: Request, target: Target, host: Host, exchange: Exchange, fetched_at: float
    ) -> Response:
        """A redirect, or an answer like 404: final, and nothing to hold against the host."""
        reason = f"HTTP {exchange.status}"
        if exchange.status in _REDIRECTS and exchange.location:
            location = _location(target.url, exchange)
            if exchange.set_cookie and location and _wants_cookie(target, location, request.attempt):
                again = f"{reason}: it sets a cookie and leads to {shown(location)}"
                return self._response(
                    request, host, exchange, Outcome.FAILED, fetched_at, reason=again, retry_at=host.ready_at
                )
            if location and request.hops < self._limits.redirects:
                return self._response(request, host, exchange, Outcome.REDIRECT, fetched_at, location=location)
            reason = f"more than {self._limits.redirects} redirects (limits.redirects)"
            if not location:
                reason = f"redirects to what is no web address: {shown(exchange.location)!r}"
        return self._response(request, host, exchange, Outcome.FAILED, fetched_at, reason=reason)

    def _response(
        self,
        request: Request,
        host: Host,
        exchange: Exchange,
        outcome: Outcome,
        fetched_at: float,
        *,
        reason: str = "",
        location: str = "",
        retry_at: float | None = None,
        obstacle: _Obstacle | None = None,
    ) -> Response:
        """``obstacle``: what keeps the host from being asked again, beyond its pause."""
        rests = obstacle is not None and obstacle.rests and not obstacle.alone
        return Response(
            url=request.url,
            outcome=outcome,
            status=exchange.status,
            headers=exchange.headers,
            body=exchange.body,
            encoded_body=exchange.encoded_body,
            reason=reason,
            location=location,
            fetched_at=fetched_at,
            elapsed_s=exchange.elapsed_s,
            ip=exchange.ip,
            requests=exchange.requests,
            ready_at=host.ready_at,
            retry_at=retry_at,
            rests_until=(obstacle.retry_at or 0.0) if obstacle is not None and rests else 0.0,
            given_up=obstacle is not None and obstacle.given_up,
            request_headers=exchange.request_headers,
            http_version=exchange.http_version,
            truncated=exchange.truncated,
            head=exchange.head,
        )


def user_agent_header(user_agent: str, contact: str) -> str:
    """``clew/0.1 (+mailto:me@example.org)``. Raises InputError when contact or name are missing or unprintable."""
    if not contact:
        raise InputError(
            "a live crawl needs a contact, so that site owners can reach you: "
            'set crawl.contact = "you@example.org" in clew.toml, or give --contact you@example.org'
        )
    if not agent_token(user_agent) or "*" in user_agent:
        raise InputError(f"crawl.user_agent = {user_agent!r} is no product name; say something like clew")
    product = user_agent if "/" in user_agent else f"{user_agent}/{__version__}"
    header = f"{product} (+{contact if ':' in contact else f'mailto:{contact}'})"
    if not (header.isascii() and header.isprintable()):
        raise InputError(f"crawl.user_agent and crawl.contact must be printable ASCII: {header!r}")
    return header


def _wants_cookie(target: Target, location: str, attempt: int) -> bool:
    """Whether a redirect that set a cookie may mean: ask again with it. To the page itself it does, to another of its
    host it may, so that is tried once."""
    if canonical(location) == canonical(target.url):
        return True
    return not attempt and take_apart(location).host == target.host


def _location(base: str, exchange: Exchange) -> str:
    """Where an answer redirects to, absolute; empty when it does not, or not to the web."""
    if exchange.status not in _REDIRECTS or not exchange.location:
        return ""
    try:
        return take_apart(ada_url.join_url(base, exchange.location)).url
    except ValueError:
        return ""
