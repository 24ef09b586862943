"""What a crawl waits for: hosts that do not answer, and a line that is down.

A host that does not answer keeps its links, and rests; the world says for how long, and when it has been asked so often
that a run with nothing else to do ends without it. Then its links wait for the next run.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from logging import DEBUG, WARNING

from clew.crawl.events import tell
from clew.crawl.parts import Parts
from clew.frontier.base import Lease
from clew.model import Decision, Link, Response
from clew.web.base import GIVEN_UP, Outage
from clew.words import clock_time, form, many, span

OTHERS = 50
"""Links of a silent host are tried before one that came to nothing is tried again, at most."""

OUTAGE, OUTAGE_OVER = "nothing answers", "the web answers again"
"""What the decision log says of an outage."""

LOOK_S = 0.25
"""How often is looked whether nothing but hosts that are given up is left."""


@dataclass(slots=True)
class Resting:
    """A host that does not answer: since when, why, until when it is left alone, whether it is given up, and whether
    that was told."""

    name: str
    since: float
    until: float
    reason: str
    given_up: bool
    told: bool = False


class Patience:
    """Keeps count of what is waited for, and says so."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.resting: dict[int, Resting] = {}
        self.alone: dict[int, tuple[int, str]] = {}  # links given up, while others of their hosts are not: host, reason
        self._tried: dict[
            int, list[tuple[Lease, float, float]]
        ] = {}  # host -> links behind others: when again, its rest
        self._probes: set[int] = set()  # hosts that are given up and being asked again
        self._outage: Outage | None = None
        self._probed = 0.0
        self._over = False
        self._looked_at = 0.0
        self._resumed_at = 0.0

    def resumed(self) -> None:
        """The crawl goes on after a pause, in which nobody tested whether anything answers."""
        self._resumed_at = self._parts.clock.now()

    def forget_links_on(self, hosts: Iterable[int]) -> None:
        """The links of these hosts wait no longer."""
        gone = set(hosts)
        self.alone = {key: found for key, found in self.alone.items() if found[0] not in gone}

    # -- what came of a link ------------------------------------------------------------------------------

    def taken(self, lease: Lease) -> None:
        """A link was taken."""
        resting = self.resting.get(lease.host)
        if resting is not None and resting.given_up:
            self._probes.add(lease.host)

    def note(self, lease: Lease, link: Link, response: Response) -> None:
        """A fetch ended."""
        self._probes.discard(lease.host)
        if response.given_up and not response.rests_until:
            self.alone[lease.key] = lease.host, response.reason
        elif self.alone:
            self.alone.pop(lease.key, None)
        if response.rests_until:
            self._rests(lease.host, link.host, response)
        elif response.status:
            self._back(lease.host)
        elif lease.host in self.resting and not response.given_up:
            self.resting[lease.host].given_up = False  # it has an address again, or its turn has come

    def again_at(self, lease: Lease, response: Response) -> float:
        """When a link that goes back to the frontier may be taken again; it is no part of it yet. One that came to
        nothing on a silent host is behind all others of that host, until one of them is answered or all were tried."""
        again = response.retry_at or 0.0
        if response.status or not (response.rests_until and response.fetched_at):
            return again
        rest_s = response.rests_until - self._parts.clock.now()
        tried = self._tried.setdefault(lease.host, [])
        others = self._parts.frontier.waiting_on(lease.host) - len(tried)
        if others <= 0:
            self._all_again(lease.host, 0.0)
            return again
        tried.append((lease, again, rest_s))
        return max(again, response.rests_until + rest_s * min(others, OTHERS))

    def _all_again(self, host: int, apart: float) -> None:
        """The links of a host that were behind others come one by one, so many times the first rest ``apart``: if it
        was they that broke the connections, others are asked for between them."""
        tried = self._tried.pop(host, [])
        for place, (lease, again, _) in enumerate(tried):
            when = self._parts.clock.now() + place * apart * tried[0][2]
            self._parts.frontier.recall((lease,), max(again, when))

    def _rests(self, host: int, name: str, response: Response) -> None:
        known = self.resting.get(host)
        self._parts.happened.rested.add(name)
        since, told = (known.since, known.told) if known is not None else (self._parts.clock.now(), False)
        self.resting[host] = Resting(
            name, since, response.rests_until, response.reason, response.given_up, told or response.given_up
        )
        self._parts.store.hosts.fell_silent(host, response.reason)
        if response.given_up and not told:
            level = WARNING if response.requests or known is not None else DEBUG  # names that never were are many
            says = "" if response.reason.startswith(GIVEN_UP) else " is not waited for"
            tell("host given up", f"{name}{says}: {response.reason}", level, host=name, reason=response.reason)

    def _back(self, host: int) -> None:
        self._parts.store.hosts.fell_silent(host, "")  # what was noted in this run or an earlier one is over
        self._all_again(host, apart=2.0)
        resting = self.resting.pop(host, None)
        if resting is None:
            return
        self._parts.happened.back.add(resting.name)
        silent_s = self._parts.clock.now() - resting.since
        waiting = self._parts.frontier.waiting_on(host)
        tell(
            "host back",
            f"{resting.name} answers again after {span(silent_s)}; {_links_wait(waiting)}",
            host=resting.name,
            seconds=round(silent_s, 1),
            waiting=waiting,
        )

    # -- what may be taken --------------------------------------------------------------------------------

    def may_take(self, fetching: int, under_way: int) -> bool:
        """Whether a link may be taken now: not while the line is down, but for one after each test, nor when nothing
        but hosts that are given up is left. ``under_way``: links taken of which nothing has come yet, those of
        ``fetching`` among them."""
        outage = self._parts.world.outage
        if outage is not self._outage:
            self._tell_line(outage)
        if outage is not None:
            if fetching or self._probed == outage.next_test:
                return False
            self._probed = outage.next_test
            return True
        return under_way > len(self._probes) or not self.over()

    def outage_over(self) -> bool:
        """Whether the line has been down for longer than a crawl waits."""
        most, outage = self._parts.settings.politeness.longest_outage_s, self._parts.world.outage
        return outage is not None and 0 < most < self._parts.clock.now() - max(outage.since, self._resumed_at)

    def over(self, now: bool = False) -> bool:
        """Whether all links that wait are on hosts that are given up; looked at a few times a second, or ``now``."""
        if not (self.resting or self.alone):
            return False
        if now or time.monotonic() - self._looked_at >= LOOK_S:
            self._looked_at = time.monotonic()
            self._over = self.left_behind()[1] == len(self._parts.frontier)
        return self._over

    def left_behind(self) -> tuple[int, int]:
        """How many hosts that are given up have links waiting, and how many links."""
        waiting_on = self._parts.frontier.waiting_on
        waiting = {host: n for host, one in self.resting.items() if one.given_up and (n := waiting_on(host))}
        alone = [host for host, _ in self.alone.values() if host not in waiting]
        return len(waiting.keys() | set(alone)), sum(waiting.values()) + len(alone)

    def out_s(self) -> float:
        """Seconds of this run in which nothing answered."""
        outage = self._outage
        return self._parts.happened.outage_s + (self._parts.clock.now() - outage.since if outage is not None else 0.0)

    # -- words --------------------------------------------------------------------------------------------

    def waits_for(self) -> str:
        """What the crawl waits for, for the display; empty when it does not wait."""
        outage, clock = self._parts.world.outage, self._parts.clock
        if outage is not None:
            return _no_line(outage)
        if not self.resting:
            return ""
        waiting = [one for one in self.resting.values() if one.until > clock.now()]
        if not waiting:
            return ""
        first = min(waiting, key=lambda one: one.until)
        rest = form(len(waiting), "rests", "rest")
        return f"{many(len(waiting), 'host')} {rest}, {first.name} until {clock_time(first.until)}: {first.reason}"

    def _tell_line(self, outage: Outage | None) -> None:
        before, self._outage = self._outage, outage
        if before is None and outage is not None:
            self._parts.happened.outages += 1
            tell("line down", _no_line(outage), WARNING, waiting=len(self._parts.frontier))
            self._parts.store.journal.add_decision(Decision(OUTAGE, {"reason": outage.reason}))
        elif before is not None and outage is None:
            away_s, waiting = self._parts.clock.now() - before.since, len(self._parts.frontier)
            self._parts.happened.outage_s += away_s
            text = f"back after {span(away_s)}; {_links_wait(waiting)}"
            tell("line back", text, WARNING, seconds=round(away_s, 1), waiting=waiting)
            self._parts.store.journal.add_decision(Decision(OUTAGE_OVER, {"after": span(away_s)}))


def _no_line(outage: Outage) -> str:
    return f"{outage.reason} since {clock_time(outage.since)}; asking again at {clock_time(outage.next_test)}"


def _links_wait(count: int) -> str:
    return f"{many(count, 'link')} {form(count, 'waits', 'wait')}"
