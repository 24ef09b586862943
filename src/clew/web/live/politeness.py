"""How servers are spared: pauses between requests to a host and to an address, and longer ones for those that ask for
them (429, 503).

The caller asks one URL a host at a time, but two hosts may share an address, and the robots.txt of one host may lie
on another. So every request first takes a place at both gates, host and address, and keeps it until it ends. Places
are taken without awaiting, so two tasks can never take the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from clew.config import PolitenessSettings
from clew.web.base import LONGEST_WAIT_S

FIRST_BACK_OFF_S = 1.0
"""Least back-off after a first failure; it is at least ten times the host's pause, and doubles."""

FIRST_WAIT_S = 0.25
"""Least wait after a first *too many requests*; it is at least twice the host's pause, and doubles."""

CALM = 5
"""Good answers after which a pause that was doubled is halved."""

LONG_S = 3_600.0
"""A run that has nothing else to do does not wait for a host that wants to be left alone for longer."""

ROBOTS_BACK_OFF_S = 60.0
"""Back-off after a first failure to get robots.txt; it doubles."""

POLL_S = 0.05
"""Least wait for an address that is busy now."""

SMOOTHING = 0.3
"""Weight of the newest answer time in the smoothed one."""

PLACES = 10_000
"""Addresses that are remembered before those free again are forgotten."""


@dataclass(slots=True)
class Host:
    """What is remembered of a host. ``answer_s`` is its smoothed answer time; ``turn`` picks its next address.

    ``refusals``: how often in a row it said that it is asked too much; ``doublings`` of its pause since, and the good
    answers towards the next halving (``calm``).
    """

    name: str
    busy: bool = False
    ready_at: float = 0.0
    crawl_delay_s: float = 0.0
    answer_s: float = 0.0
    turn: int = 0
    refusals: int = 0
    doublings: int = 0
    calm: int = 0


@dataclass(slots=True)
class _Place:
    """An IP address: whether it is being asked, and from when on it may be."""

    busy: bool = False
    ready_at: float = 0.0


class Politeness:
    """Keeps the pauses. All times are those of the world's clock, in seconds."""

    def __init__(self, settings: PolitenessSettings) -> None:
        self._settings = settings
        self._hosts: dict[str, Host] = {}
        self._places: dict[str, _Place] = {}

    def host(self, name: str) -> Host:
        """The host called ``name``, new or known."""
        known = self._hosts.get(name)
        if known is None:
            known = self._hosts[name] = Host(name)
        return known

    def delay(self, host: Host) -> float:
        """Seconds between two requests to a host: setting, Crawl-delay or answer time, whichever is most."""
        wanted = max(self._settings.delay_s, host.crawl_delay_s, self._settings.adaptive * host.answer_s)
        if host.doublings:
            wanted = doubled(max(wanted, FIRST_WAIT_S / 2), host.doublings, self._settings.max_delay_s)
        return max(min(wanted, self._settings.max_delay_s), self._settings.delay_s)

    # -- the gates ----------------------------------------------------------------------------------------

    def host_free_at(self, host: Host, now: float) -> float:
        """When the host may be asked: now or later."""
        return now + self._poll() if host.busy else max(host.ready_at, now)

    def address_free_at(self, ip: str, now: float) -> float:
        """When the address may be asked: now or later."""
        place = self._places.get(ip)
        if place is None:
            return now
        return now + self._poll() if place.busy else max(place.ready_at, now)

    def enter(self, host: Host, ip: str, now: float) -> None:
        """Take the places at both gates; they must be free."""
        if len(self._places) >= PLACES:
            self._places = {k: place for k, place in self._places.items() if place.busy or place.ready_at > now}
        self._places.setdefault(ip, _Place()).busy = True
        host.busy = True

    def leave(self, host: Host, ip: str, now: float, elapsed_s: float) -> None:
        """The request has ended after ``elapsed_s``: from now on the pauses run."""
        place = self._places[ip]
        place.busy, place.ready_at = False, now + self._settings.delay_s
        host.busy = False
        host.answer_s += (elapsed_s - host.answer_s) * (SMOOTHING if host.answer_s else 1.0)
        self.pause(host, now)

    def pause(self, host: Host, now: float) -> None:
        """The host is not asked again before its pause is over."""
        host.ready_at = max(host.ready_at, now + self.delay(host))

    def _poll(self) -> float:
        return max(self._settings.delay_s, POLL_S)

    # -- failures, and hosts that are asked too much -----------------------------------------------------

    def first_back_off(self, host: Host) -> float:
        """Seconds until another try after a first failure."""
        return min(max(10 * self.delay(host), FIRST_BACK_OFF_S), self._settings.max_delay_s)

    def back_off(self, host: Host, attempt: int) -> float:
        """Seconds until another try of a URL that failed; ``attempt`` counts from 0."""
        return doubled(self.first_back_off(host), attempt, self._settings.max_delay_s)

    def too_much(self, host: Host, now: float, asked_s: float | None) -> None:
        """The host said that it is asked too much, perhaps for how long it wants to be left alone. Its pause doubles,
        and while it goes on saying so it is left alone for twice as long each time."""
        if not host.refusals and self.delay(host) < self._settings.max_delay_s:
            host.doublings += 1
        wait_s = doubled(max(self.delay(host), FIRST_WAIT_S), host.refusals, self._settings.max_delay_s)
        host.ready_at = max(host.ready_at, now + (wait_s if asked_s is None else asked_s))
        host.refusals += 1
        host.calm = 0

    def at_ease(self, host: Host) -> None:
        """The host answered as it should: after a while its pause is halved again."""
        host.refusals = 0
        if host.doublings:
            host.calm += 1
            if host.calm >= CALM:
                host.doublings, host.calm = host.doublings - 1, 0

    def given_up(self, host: Host, now: float) -> bool:
        """Whether a run with nothing else to do does not wait for a host that is asked too much."""
        often = host.refusals >= self._settings.give_up_after + self._settings.probes
        return bool(host.refusals) and (often or host.ready_at - now > LONG_S)


def doubled(first_s: float, doublings: int, most_s: float) -> float:
    """``first_s`` doubled so many times, but not more than ``most_s``."""
    return min(first_s * 2.0 ** min(doublings, 60), most_s)


def retry_after(header: str, now: float) -> float | None:
    """Seconds that a Retry-After header (a number or an HTTP date) asks to wait; None when it says nothing."""
    text = header.partition(",")[0].strip() if header[:1].isdigit() else header.strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), LONGEST_WAIT_S)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now
    return min(max(seconds, 0.0), LONGEST_WAIT_S)
