"""robots.txt (RFC 9309): what its owner lets us ask a site, and how often.

Real files come with byte order marks, NUL bytes, carriage returns alone, UTF-16, or as HTML. ``rules_text`` brings
them to the plain form that protego reads, and leaves in them only the groups that concern us: a group for another
agent can then never leak into ours.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache

from protego import Protego

from clew.config import PolitenessSettings
from clew.web.live.politeness import ROBOTS_BACK_OFF_S, doubled, retry_after
from clew.web.live.wire import Exchange

MAX_REDIRECTS = 5
"""RFC 9309 section 2.3.1.2: redirects to follow; beyond them the file counts as missing."""

_JUNK_BEFORE = re.compile(r"\A[^\x21-\x7e]+")
_LINE_END = re.compile(r"\r\n?|\n")
_AGENT = re.compile(r"\s*user[ -]?agent(?:\s*:|\s)\s*(.*)", re.IGNORECASE | re.DOTALL)
_RULE = re.compile(
    r"\s*(?:di(?=[^\Wl]*+l)\w++(?<=w)|allow|crawl[ -]delay|request[ -]rate|visit[ -]time)(?:\s*:|\s)", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\s/;(,]*")


@dataclass(slots=True)
class Robots:
    """What is known of the robots.txt of one origin.

    ``url`` is asked next: robots.txt itself, or where it was redirected to. ``text`` holds the rules for us once
    they are known. After failures it is asked for again at ``retry_at``, and given up after too many.
    """

    origin: str
    url: str = ""
    hops: int = 0
    text: str | None = None
    expires: float = float("inf")
    failures: int = 0
    retry_at: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Ask for robots.txt itself next."""
        self.url, self.hops = f"{self.origin}/robots.txt", 0


class RobotsRules:
    """The robots.txt of all origins, for one agent."""

    def __init__(self, settings: PolitenessSettings, agent: str) -> None:
        self._settings = settings
        self._agent = agent
        self._known: dict[str, Robots] = {}

    def of(self, origin: str, now: float) -> Robots:
        """What is known of an origin (scheme, host, port); what is too old is forgotten."""
        known = self._known.get(origin)
        if known is None or known.expires <= now:
            known = self._known[origin] = Robots(origin)
        return known

    def hopeless(self, robots: Robots) -> str:
        """Why nothing of the origin is asked until its robots.txt is tried afresh; an empty string when it may be."""
        if robots.failures < self._settings.give_up_after:
            return ""
        return f"robots.txt unreachable after {robots.failures} failures in a row: {robots.reason}"

    def allows(self, robots: Robots, url: str) -> bool:
        """Whether the owner lets us ask for ``url``."""
        return not robots.text or bool(_parsed(robots.text).can_fetch(url, self._agent))

    def delay(self, robots: Robots) -> float:
        """Seconds between requests that the owner wishes, by Crawl-delay or Request-rate; 0 if none."""
        if not robots.text:
            return 0.0
        rules = _parsed(robots.text)
        rate = rules.request_rate(self._agent)
        return max(rules.crawl_delay(self._agent) or 0.0, rate.seconds / rate.requests if rate else 0.0)

    # -- what an answer means -----------------------------------------------------------------------------

    def learn(self, robots: Robots, exchange: Exchange, location: str, now: float) -> None:
        """Take in one answer; ``location`` is where it redirects to, or empty."""
        if exchange.status == 429 or exchange.status >= 500 or exchange.status < 200:
            self.fail(robots, _failure(exchange), now, retry_after(exchange.header("retry-after"), now))
        elif location and robots.hops < MAX_REDIRECTS:
            robots.url, robots.hops = location, robots.hops + 1
        elif exchange.status < 300 and exchange.fault is not None:
            self.fail(robots, exchange.fault.reason, now, None)
        else:
            self._settle(robots, exchange, now)

    def fail(self, robots: Robots, reason: str, now: float, wait_s: float | None = None) -> None:
        """robots.txt cannot be had now: nothing of the origin is asked until it can."""
        robots.failures += 1
        robots.reason = reason
        back_off = doubled(ROBOTS_BACK_OFF_S, robots.failures - 1, self._settings.max_delay_s)
        robots.retry_at = now + (back_off if wait_s is None else wait_s)
        robots.start()
        if self.hopeless(robots):
            robots.expires = now + self._settings.robots_fresh_s

    def _settle(self, robots: Robots, exchange: Exchange, now: float) -> None:
        """The rules are known: those of a good answer, or none when there is no such file."""
        body = exchange.body if exchange.status < 300 else b""
        robots.text = rules_text(body, self._agent, cut=len(body) >= self._settings.robots_bytes)
        robots.expires = now + self._settings.robots_fresh_s


def agent_token(user_agent: str) -> str:
    """The product token of a user agent: what comes before its version, in lower case."""
    match = _TOKEN.match(user_agent.strip().lower())
    return match[0] if match else ""


def rules_text(body: bytes, agent: str, cut: bool = False) -> str:
    """The lines of a robots.txt that concern ``agent`` (a product token) or everybody.

    ``cut``: the file went on, so its last line is not to be trusted.
    """
    lines = _LINE_END.split(_decoded(body))
    if cut and len(lines) > 1:
        lines.pop()
    kept: list[str] = []
    naming = concerned = False
    for line in (raw.partition("#")[0] for raw in lines):
        named = _AGENT.match(line)
        if named is not None:
            ours = _ours(named[1], agent)
            concerned = bool(ours) or (naming and concerned)
            naming = True
            if ours:
                kept.append(f"User-agent: {ours}")
        elif _RULE.match(line):
            naming = False
            if concerned:
                kept.append(line.strip())
    return "\n".join(kept)


def _ours(value: str, agent: str) -> str:
    """The agent that a User-agent line names: everybody, us, or (empty) somebody else."""
    token = agent_token(value)
    if token.strip("*") == "" and "*" in token:
        return "*"
    return agent if token.replace("*", "") == agent else ""


def _decoded(body: bytes) -> str:
    """Text of whatever bytes there are, without byte order mark and NUL."""
    utf16 = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = body.decode("utf-16" if utf16 else "utf-8", errors="replace").replace("\0", "").replace("\ufeff", "")
    return _JUNK_BEFORE.sub("", text)


@lru_cache(maxsize=2048)
def _parsed(text: str) -> Protego:
    """Parsed rules, shared by all sites that have the same."""
    return Protego.parse(text)


def _failure(exchange: Exchange) -> str:
    if exchange.status:
        return f"HTTP {exchange.status}"
    return exchange.fault.reason if exchange.fault is not None else "no answer"
