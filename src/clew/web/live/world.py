"""The live web as a World.

Every ``fetch`` sends one GET at most: a page, or robots.txt (or the next step of its redirects), after which the
page is DEFERRED until the host may be asked again. So the pauses hold for robots.txt and its redirects too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import ada_url

from clew.config import LimitSettings, LiveSettings, PolitenessSettings, Settings
from clew.errors import InputError, shown
from clew.model import Outcome, Request, Response
from clew.urls.canonical import canonical
from clew.version import __version__
from clew.web.base import Clock, World
from clew.web.live.addresses import AddressBook
from clew.web.live.guard import why_bad_port
from clew.web.live.politeness import Host, Politeness, retry_after
from clew.web.live.robots import Robots, RobotsRules, agent_token
from clew.web.live.targets import Target, take_apart
from clew.web.live.wire import Appetite, Exchange, Wire

_REDIRECTS = frozenset((300, 301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """Why nothing can be sent now: for good (``retry_at`` None), or until then."""

    reason: str
    retry_at: float | None = None


class LiveWorld(World):
    """Fetches pages over HTTP, politely and within limits. ``clock`` is the one the crawl runs on.

    ``contact`` (a mail address or URL) stands in the User-Agent header, and the product token of ``user_agent`` is
    what is looked up in robots.txt.
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
    ) -> None:
        self._limits = limits
        self._live = live
        self._user_agent = user_agent.strip()
        self._contact = contact.strip()
        self.clock = self._clock = clock
        self._politeness = Politeness(politeness)
        self._rules = RobotsRules(politeness, agent_token(user_agent))
        types = frozenset(name.lower() for name in limits.content_types)
        self._page_appetite = Appetite(limits.page_bytes, types)
        self._robots_appetite = Appetite(politeness.robots_bytes, beginning=True, whole=True)
        self._book: AddressBook | None = None
        self._wire: Wire | None = None
        self._spared: Callable[[str], str | None] = lambda url: None

    @classmethod
    def from_spec(cls, rest: str, settings: Settings, clock: Clock) -> LiveWorld:
        if rest:
            raise InputError(f"there is no web 'live:{rest}'; say live, and the pages to start from with --seeds")
        crawl = settings.crawl
        return cls(settings.politeness, settings.limits, settings.web.live, crawl.user_agent, crawl.contact, clock)

    async def open(self) -> None:
        """Get ready to send. Raises InputError when there is no contact, or a fixed address is none."""
        header = user_agent_header(self._user_agent, self._contact)
        self._book = AddressBook(self._live, self._limits.connect_s, self._clock)
        self._wire = Wire(self._limits, self._live, header)

    async def close(self) -> None:
        wire, self._wire = self._wire, None
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
        host = self._politeness.host(target.host)
        now = self._clock.now()
        obstacle = self._closed_gate(host, now)
        if obstacle is not None:
            return self._unsent(request, host, obstacle)
        robots = self._rules.of(target.origin, now)
        obstacle = self._shut(robots, target, now)
        if obstacle is not None:
            return self._unsent(request, host, obstacle)
        if robots.text is None:
            return await self._fetch_robots(request, target, host, robots)
        host.crawl_delay_s = self._rules.delay(robots)
        return await self._fetch_page(request, target, host)

    # -- before anything is sent --------------------------------------------------------------------------

    def _closed_gate(self, host: Host, now: float) -> _Obstacle | None:
        given_up = self._politeness.given_up(host)
        if given_up:
            return _Obstacle(given_up)
        free_at = self._politeness.host_free_at(host, now)
        return _Obstacle(f"{host.name} may not be asked yet", free_at) if free_at > now else None

    def _shut(self, robots: Robots, target: Target, now: float) -> _Obstacle | None:
        """What robots.txt, or the want of it, has against the URL."""
        hopeless = self._rules.hopeless(robots)
        if hopeless:
            return _Obstacle(hopeless)
        if robots.text is None:
            waiting = robots.retry_at > now
            return _Obstacle(f"robots.txt: {robots.reason}", robots.retry_at) if waiting else None
        return None if self._rules.allows(robots, target.url) else _Obstacle("robots.txt disallows it")

    async def _enter(self, target: Target, host: Host) -> str | _Obstacle:
        """Take the places at the gates of host and address; returns the address."""
        assert self._book is not None, "open() first"
        barred = "" if self._live.allow_private else why_bad_port(target.port)
        if barred:
            return _Obstacle(barred)
        lookup = await self._book.lookup(target.host)
        now = self._clock.now()
        if not lookup.addresses:
            return self._unresolved(host, lookup.reason, lookup.temporary, now)
        obstacle = self._closed_gate(host, now)
        if obstacle is not None:
            return obstacle
        ip = lookup.addresses[host.turn % len(lookup.addresses)]
        free_at = self._politeness.address_free_at(ip, now)
        if free_at > now:
            return _Obstacle(f"{ip} may not be asked yet", free_at)
        self._politeness.enter(host, ip, now)  # no await between the look and the step
        return ip

    def _unresolved(self, host: Host, reason: str, temporary: bool, now: float) -> _Obstacle:
        if not temporary:
            return _Obstacle(reason)
        self._politeness.strike(host, reason)
        host.ready_at = now + self._politeness.back_off(host)
        return self._closed_gate(host, now) or _Obstacle(reason, host.ready_at)

    def _unsent(self, request: Request, host: Host, obstacle: _Obstacle, robots_requests: int = 0) -> Response:
        """The answer for a URL that nothing was sent for."""
        return Response(
            request.url,
            Outcome.REFUSED if obstacle.retry_at is None else Outcome.DEFERRED,
            reason=obstacle.reason,
            requests=0,
            robots_requests=robots_requests,
            ready_at=host.ready_at,
            retry_at=obstacle.retry_at,
        )

    async def _exchange(self, target: Target, host: Host, ip: str, appetite: Appetite) -> Exchange:
        """Send one GET; the places taken are given back whatever happens."""
        assert self._wire is not None, "open() first"
        began = time.perf_counter()
        try:
            return await self._wire.get(target.url, target.host, ip, appetite)
        finally:
            self._politeness.leave(host, ip, self._clock.now(), time.perf_counter() - began)

    # -- robots.txt ---------------------------------------------------------------------------------------

    async def _fetch_robots(self, request: Request, target: Target, host: Host, robots: Robots) -> Response:
        """Take the next step towards the robots.txt of the URL's origin."""
        step = take_apart(robots.url)
        keeper = self._politeness.host(step.host)
        spared = self._spared(step.url)
        entered = _Obstacle(spared) if spared else await self._enter(step, keeper)
        if isinstance(entered, _Obstacle):
            return self._robots_barred(request, host, keeper, robots, entered)
        exchange = await self._exchange(step, keeper, entered, self._robots_appetite)
        now = self._clock.now()
        self._rules.learn(robots, exchange, _location(step.url, exchange), now)
        keeper.turn += not exchange.status  # the next try goes to the next address
        host.crawl_delay_s = self._rules.delay(robots)
        self._politeness.pause(keeper, now)
        return self._after_robots(request, host, robots, exchange.requests)

    def _robots_barred(
        self, request: Request, host: Host, keeper: Host, robots: Robots, obstacle: _Obstacle
    ) -> Response:
        """The next step cannot be taken. At the URL's own host that settles the URL; elsewhere it is a failure."""
        if keeper is not host and obstacle.retry_at is None:
            self._rules.fail(robots, f"it redirects to {keeper.name}: {obstacle.reason}", self._clock.now())
            return self._after_robots(request, host, robots, 0)
        return self._unsent(request, host, obstacle)

    def _after_robots(self, request: Request, host: Host, robots: Robots, sent: int) -> Response:
        hopeless = self._rules.hopeless(robots)
        if hopeless:
            return self._unsent(request, host, _Obstacle(hopeless), sent)
        if robots.text is None and robots.reason:
            obstacle = _Obstacle(f"robots.txt: {robots.reason}", max(robots.retry_at, host.ready_at))
        else:
            obstacle = _Obstacle("robots.txt was asked for first", max(self._clock.now(), host.ready_at))
        return self._unsent(request, host, obstacle, sent)

    # -- pages --------------------------------------------------------------------------------------------

    async def _fetch_page(self, request: Request, target: Target, host: Host) -> Response:
        entered = await self._enter(target, host)
        if isinstance(entered, _Obstacle):
            return self._unsent(request, host, entered)
        fetched_at = self._clock.now()
        exchange = await self._exchange(target, host, entered, self._page_appetite)
        if exchange.status >= 500 or exchange.status == 429 or exchange.status < 200:
            return self._struck(request, host, exchange, fetched_at)
        if exchange.status >= 300:
            self._politeness.clear(host)
            return self._moved_or_missing(request, target, host, exchange, fetched_at)
        if exchange.fault is not None:
            return self._spoilt(request, host, exchange, fetched_at)
        self._politeness.clear(host)
        return self._response(request, host, exchange, Outcome.OK, fetched_at, reason=exchange.note)

    def _struck(self, request: Request, host: Host, exchange: Exchange, fetched_at: float) -> Response:
        """No answer, or one that says the server is unwell: the host is left alone for a while."""
        fault = exchange.fault
        if fault is not None and not exchange.status and not fault.strike:
            return self._spoilt(request, host, exchange, fetched_at)
        reason = f"HTTP {exchange.status}" if exchange.status or fault is None else fault.reason
        if fault is None or exchange.status or fault.strike:
            self._politeness.strike(host, reason)
        now = self._clock.now()
        wait_s = self._politeness.back_off(host, request.attempt)
        if exchange.status in (429, 503):
            asked = retry_after(exchange.header("retry-after"), now)
            wait_s = wait_s if asked is None else asked
        if self._politeness.given_up(host):
            wait_s = 0.0  # another try only says so
        elif exchange.status in (0, 429, 503):
            host.ready_at = max(host.ready_at, now + wait_s)
        again = exchange.status > 0 or fault is None or fault.again
        retry_at = max(now + wait_s, host.ready_at) if again else None
        return self._response(request, host, exchange, Outcome.FAILED, fetched_at, reason=reason, retry_at=retry_at)

    def _moved_or_missing(
        self, request: Request, target: Target, host: Host, exchange: Exchange, fetched_at: float
    ) -> Response:
        """A redirect, or an answer like 404: final, and nothing to hold against the host."""
        reason = f"HTTP {exchange.status}"
        if exchange.status in _REDIRECTS and exchange.location:
            location = _location(target.url, exchange)
            if exchange.set_cookie and location and canonical(location) == canonical(target.url):
                again = f"{reason}: it sets a cookie and leads to itself"
                return self._response(
                    request, host, exchange, Outcome.FAILED, fetched_at, reason=again, retry_at=host.ready_at
                )
            if location and request.hops < self._limits.redirects:
                return self._response(request, host, exchange, Outcome.REDIRECT, fetched_at, location=location)
            reason = f"more than {self._limits.redirects} redirects (limits.redirects)"
            if not location:
                reason = f"redirects to what is no web address: {shown(exchange.location)!r}"
        return self._response(request, host, exchange, Outcome.FAILED, fetched_at, reason=reason)

    def _spoilt(self, request: Request, host: Host, exchange: Exchange, fetched_at: float) -> Response:
        """A page began and did not come, or was not wanted."""
        fault = exchange.fault
        assert fault is not None
        if fault.strike:
            self._politeness.strike(host, fault.reason)
        else:
            self._politeness.clear(host)
        again = self._clock.now() + self._politeness.back_off(host, request.attempt) if fault.again else None
        return self._response(request, host, exchange, Outcome.FAILED, fetched_at, reason=fault.reason, retry_at=again)

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
    ) -> Response:
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


def _location(base: str, exchange: Exchange) -> str:
    """Where an answer redirects to, absolute; empty when it does not, or not to the web."""
    if exchange.status not in _REDIRECTS or not exchange.location:
        return ""
    try:
        return take_apart(ada_url.join_url(base, exchange.location)).url
    except ValueError:
        return ""
