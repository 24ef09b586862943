"""robots.txt (RFC 9309): what its owner lets us ask a site, and how often; and how it is asked for."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import ada_url

from clew.config import PolitenessSettings
from clew.web.live.politeness import ROBOTS_BACK_OFF_S, doubled, retry_after
from clew.web.live.robotsfile import Rules, agent_token, rules_text, sitemaps
from clew.web.live.silence import Silence
from clew.web.live.wire import Exchange

__all__ = ["MAX_REDIRECTS", "Robots", "RobotsRules", "agent_token"]

MAX_SITEMAPS = 100
"""Sitemaps that a robots.txt may name."""

MAX_REDIRECTS = 5
"""RFC 9309 section 2.3.1.2: redirects to follow; beyond them the file counts as missing."""

PARSED_CHARACTERS = 4_000_000
"""Rules that are kept ready to be matched, as characters of their texts; others are parsed when they are needed."""

_UNWELL = frozenset((408, 425, 429))
"""Answers of the 400s that say nothing about the file: late, early, too many."""


@dataclass(slots=True)
class Robots:
    """What is known of the robots.txt of one origin.

    ``url`` is asked next: robots.txt itself, or where it was redirected to. ``text`` holds the rules for us, packed,
    once they are known, ``sitemaps`` what it names. After failures it is asked for again at ``retry_at``, later and
    later.
    """

    origin: str
    url: str = ""
    hops: int = 0
    text: bytes | None = None
    sitemaps: tuple[str, ...] = ()
    expires: float = float("inf")
    failures: Silence = field(default_factory=Silence)

    def __post_init__(self) -> None:
        self.start()

    @property
    def retry_at(self) -> float:
        """When it may be asked for again after a failure."""
        return self.failures.until

    @property
    def reason(self) -> str:
        """Why it could not be had."""
        return self.failures.reason

    def start(self) -> None:
        """Ask for robots.txt itself next."""
        self.url, self.hops = f"{self.origin}/robots.txt", 0


class RobotsRules:
    """The robots.txt of all origins, for one agent."""

    def __init__(self, settings: PolitenessSettings, agent: str) -> None:
        self._settings = settings
        self._agent = agent
        self._known: dict[str, Robots] = {}
        self._parsed = _Parsed()

    def of(self, origin: str, now: float) -> Robots:
        """What is known of an origin (scheme, host, port); what is too old is forgotten."""
        known = self._known.get(origin)
        if known is None or known.expires <= now:
            known = self._known[origin] = Robots(origin)
        return known

    def given_up(self, robots: Robots) -> bool:
        """Whether a run with nothing else to do does not wait for the file."""
        return robots.failures.times >= self._settings.give_up_after

    def allows(self, robots: Robots, url: str) -> bool:
        """Whether the owner lets us ask for ``url``, one of the origin in browsers' form; robots.txt itself we may."""
        path = url[url.index("/", 8) :].partition("#")[0]
        return not robots.text or path == "/robots.txt" or self._parsed.rules(robots.text).allows(path)

    def delay(self, robots: Robots) -> float:
        """Seconds between requests that the owner wishes, by Crawl-delay or Request-rate; 0 if none."""
        return self._parsed.rules(robots.text).delay_s if robots.text else 0.0

    # -- what an answer means -----------------------------------------------------------------------------

    def learn(self, robots: Robots, exchange: Exchange, location: str, now: float) -> None:
        """Take in one answer; ``location`` is where it redirects to, or empty."""
        if exchange.status in _UNWELL or exchange.status >= 500 or exchange.status < 200:
            self.fail(robots, _failure(exchange), now, retry_after(exchange.header("retry-after"), now))
        elif location and robots.hops < MAX_REDIRECTS:
            robots.url, robots.hops = location, robots.hops + 1
        elif 300 <= exchange.status < 400 and not location:
            self.fail(robots, f"HTTP {exchange.status} that leads nowhere", now)
        elif exchange.status < 300 and exchange.fault is not None:
            self.fail(robots, exchange.fault.reason, now, None)
        else:
            self._settle(robots, exchange, now)

    def fail(self, robots: Robots, reason: str, now: float, wait_s: float | None = None) -> None:
        """robots.txt cannot be had now: nothing of the origin is asked until it can."""
        back_off = doubled(ROBOTS_BACK_OFF_S, robots.failures.times, self._settings.max_delay_s)
        robots.failures.miss(reason, now, back_off, self._settings.longest_rest_s)
        if wait_s is not None:
            robots.failures.until = now + wait_s
        robots.start()

    def _settle(self, robots: Robots, exchange: Exchange, now: float) -> None:
        """The rules are known: those of a good answer, or none when there is no such file."""
        body = exchange.body if exchange.status < 300 else b""
        limit = self._settings.robots_bytes
        cut = len(body) >= limit
        host = robots.origin.partition("//")[2]
        robots.text = packed(rules_text(body, self._agent, host, cut=cut, limit=limit))
        robots.sitemaps = sitemap_urls(sitemaps(body, cut, limit), robots.url)
        robots.expires = now + self._settings.robots_fresh_s
        robots.failures.end()


class _Parsed:
    """Rules ready to be matched, shared by all sites that have the same: those used last."""

    def __init__(self) -> None:
        self._rules: OrderedDict[bytes, tuple[Rules, int]] = OrderedDict()
        self._characters = 0

    def rules(self, text: bytes) -> Rules:
        """The rules of a packed text."""
        found = self._rules.get(text)
        if found is not None:
            self._rules.move_to_end(text)
            return found[0]
        plain = zlib.decompress(text).decode()
        rules = Rules.of_text(plain)
        self._rules[text] = rules, len(plain)
        self._characters += len(plain)
        while self._characters > PARSED_CHARACTERS and len(self._rules) > 1:
            self._characters -= self._rules.popitem(last=False)[1][1]
        return rules


def packed(text: str) -> bytes:
    """Rules as they are kept: a crawl knows very many sites."""
    return zlib.compress(text.encode(), 1) if text else b""


def sitemap_urls(named: Sequence[str], url: str) -> tuple[str, ...]:
    """What a robots.txt with this URL names as sitemaps, as absolute URLs, each once."""
    absolute = (_joined(url, one) for one in islice(dict.fromkeys(named), MAX_SITEMAPS))
    return tuple(filter(None, absolute))


def _joined(base: str, url: str) -> str:
    try:
        return ada_url.join_url(base, url)
    except ValueError:
        return ""


def _failure(exchange: Exchange) -> str:
    if exchange.status:
        return f"HTTP {exchange.status}"
    return exchange.fault.reason if exchange.fault is not None else "no answer"
