"""Watching and steering a crawl that runs, from within its own event loop.

Every action is a decision of the log, by a user. What it changes is written with the next transaction; ``settled``
waits for that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_args

import numpy as np

from clew.crawl import standing
from clew.crawl.enqueuing import add_row
from clew.crawl.events import decide
from clew.crawl.loop import Loop
from clew.crawl.running import ask_to_stop
from clew.crawl.standing import Bands, HostsNow, HostState, Snapshot
from clew.crawl.waiting import WaitingLink
from clew.errors import InputError, UrlError, shown
from clew.model import Decision, Keys, LinkKind, Outcome
from clew.store.records import DROPPED
from clew.urls.canonical import canonical, host, key
from clew.urls.never import Never, entries_of, erase_never, read_never, write_never
from clew.words import clock_time, form, many

USER: Final = "a user"
MOST: Final = 1_000
"""Links, hosts or bands that are told at a time, at most."""

KEPT: Final = 20
"""What takes t seconds to find is told again for 20 t: watching takes a twentieth of a crawl's time at most."""

SETTLE_S: Final = 5.0

T = TypeVar("T")
NO_OPTIONS: Mapping[str, str | int | float] = MappingProxyType({})


class Steering:
    """What can be seen of a running crawl, and done to it. To be called in the thread of its event loop.

    ``never``: the file of its do-not-crawl list, None where it has none; ``options``: what the user said for this run.
    Actions return what was done, in words, and raise InputError where that is not possible.
    """

    def __init__(
        self, loop: Loop, never: Path | None = None, options: Mapping[str, str | int | float] = NO_OPTIONS
    ) -> None:
        self.loop, self.parts = loop, loop.parts
        self._never, self._options = never, options
        self._kept: dict[Hashable, tuple[float, Any]] = {}
        self._settled: asyncio.Event | None = None

    # -- seeing -------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The figures of this moment; those of the queues may be a little older."""
        queues = self._keeping("queues", lambda: standing.queues(self.loop))
        return standing.snapshot(self.loop, self._options, queues)

    def bands(self, n: int = 20) -> Bands:
        """Waiting links by score, in ``n`` bands."""
        return self._keeping(("bands", _some(n)), lambda: standing.bands(self.parts.frontier, n))

    def best(self, n: int = 20) -> list[WaitingLink]:
        """The ``n`` best waiting links, best first."""
        return self._keeping(("best", _some(n)), lambda: standing.best(self.loop, n))

    def hosts(self, state: HostState = "active", n: int = 20) -> HostsNow:
        """The hosts with the most links in a state."""
        if state not in get_args(HostState):
            raise InputError(f"hosts are {', '.join(get_args(HostState))}, not {str(state)[:40]!r}")
        return self._keeping(("hosts", state, _some(n)), lambda: standing.hosts(self.loop, state, n))

    def _keeping(self, what: Hashable, find: Callable[[], T]) -> T:
        """What ``find`` found, perhaps a short time ago."""
        until, found = self._kept.get(what, (0.0, None))
        began = time.monotonic()
        if began >= until:
            found = find()
            ended = time.monotonic()
            self._kept = {one: kept for one, kept in self._kept.items() if kept[0] > ended}
            self._kept[what] = ended + KEPT * (ended - began), found
        kept: T = found
        return kept

    # -- stopping and going on ----------------------------------------------------------------------------

    def pause(self) -> str:
        """Take no new link until ``resume``; what is under way is finished and committed."""
        if self.loop.interrupts:
            raise InputError("the crawl is stopping: it cannot be paused any more")
        if self.parts.progress.paused:
            return "it is paused already"
        self.loop.pause()
        requests, pages = self.loop.under_way
        self._decided("paused")
        under_way = f"; {many(requests + pages, 'page')} under way will be finished" if requests + pages else ""
        return f"paused{under_way}"

    def resume(self) -> str:
        """Go on after a pause."""
        if not self.parts.progress.paused:
            return "it is not paused"
        self.loop.resume()
        self._decided("resumed")
        return "it goes on"

    def stop(self) -> str:
        """Stop as Ctrl-C does; a second call gives up what is under way, as a second Ctrl-C."""
        self._decided("stopped", times=self.loop.interrupts + 1)
        return ask_to_stop(self.loop)

    # -- links --------------------------------------------------------------------------------------------

    def push(self, url: str) -> str:
        """Fetch a URL next: before all links of the crawl, whatever the strategy says of it."""
        named = self._canonical(url)
        why_not = self.parts.scope.why_not(named)
        if why_not:
            raise InputError(f"{shown(named)} is out of scope: {why_not}")
        number, host_id = key(named), int(self.parts.store.hosts.ids([host(named)])[0])
        self._check_not_visited(named)
        known, frontier = self.parts.frontier.look_up(number), self.parts.frontier
        if known is not None and known.state == "leased":
            raise InputError(f"{shown(named)} is being fetched just now")
        self.loop.applier.take_back(number)
        if known is not None and known.state == "postponed":
            frontier.finish(_keys(number))
        frontier.reopen(number, host_id)
        add_row(self.parts, [named], LinkKind.PUSHED)
        self._decided("pushed", url=named)
        resting = self.loop.patience.resting.get(host_id)
        if resting is not None and resting.until > self.parts.clock.now():
            return f"{shown(named)} is next on its host, which rests until {clock_time(resting.until)}"
        return f"{shown(named)} is fetched next"

    def drop(self, url: str) -> str:
        """Set a waiting URL aside for good; ``push`` takes it back."""
        named = self._canonical(url)
        number = key(named)
        self._check_not_visited(named)
        refusal = self.parts.store.links.refusal(number)
        if refusal is not None:
            raise InputError(f"{shown(named)} was set aside already: {refusal.reason}")
        known = self.parts.frontier.look_up(number)
        if known is None or known.state == "done":
            raise InputError(f"no link to {shown(named)} waits in this crawl")
        if known.state == "leased":
            raise InputError(f"{shown(named)} is being fetched just now")
        self.parts.frontier.finish(_keys(number))
        row, index, now = known.link.row, known.link.index, self.parts.clock.now()
        self.parts.store.links.refuse(
            number, named, row=row, index=index, outcome=Outcome.REFUSED, reason=DROPPED, at=now
        )
        self.parts.progress.refused += 1
        self.loop.patience.alone.pop(number, None)
        self._decided("dropped", url=named)
        return f"{shown(named)} will not be fetched"

    def _canonical(self, url: str) -> str:
        """A user's URL as the crawl writes it. Raises UrlError."""
        found = self.parts.canonicalise(canonical(url.strip()), "")
        if found is None:
            raise UrlError(url, "this crawl writes no such URLs (its length, or parameters that are dropped)")
        return found

    def _check_not_visited(self, url: str) -> None:
        if self.parts.store.visits.visited(key(url)):
            row = self.parts.store.visits.by_key(key(url))
            raise InputError(f"{shown(url)} was visited already{f' (visit {row.number})' if row is not None else ''}")

    # -- what is never crawled ----------------------------------------------------------------------------

    def block(self, entry: str) -> str:
        """Put a host, a host with its subdomains (.example.org) or the beginning of URLs onto the project's
        do-not-crawl list. It holds at once; the waiting links of a host leave the frontier, those of a beginning are
        refused when their turn comes."""
        path, entry = self._never_file(), checked_entry(entry)
        if not write_never(path, [entry], f"blocked by {USER}"):
            return f"{entry} is on {path.name} already"
        self._renew(path)
        gone = self._park(entry)
        self._decided("blocked", entry=entry, links=gone)
        return f"{entry} is never fetched any more; {many(gone, 'waiting link')} left the frontier"

    def unblock(self, entry: str) -> str:
        """Take an entry off the do-not-crawl list. Links that left the frontier for it wait again; those that were
        refused meanwhile do when the crawl is started again."""
        path, entry = self._never_file(), checked_entry(entry)
        if not erase_never(path, [entry]):
            raise InputError(f"{entry} is not on {path.name}")
        self._renew(path)
        before = len(self.parts.frontier)
        self.loop.sessions.requeue()
        back = max(len(self.parts.frontier) - before, 0)
        self._decided("unblocked", entry=entry, links=back)
        return f"{entry} may be fetched again; {many(back, 'link')} {form(back, 'waits', 'wait')} again"

    def reread(self) -> None:
        """Take up what was put onto the do-not-crawl list while the crawl got ready, before anybody could tell it."""
        if self._never is None or not self._never.is_file():
            return
        known = set(self.parts.scope.never.entries)
        new = [entry for entry, _ in entries_of(self._never) if entry not in known]
        if new:
            self._renew(self._never)
            for entry in new:
                self._decided("blocked", entry=entry, links=self._park(entry))

    def _never_file(self) -> Path:
        if self._never is None:
            raise InputError("this crawl has no do-not-crawl list (scope.never)")
        return self._never

    def _renew(self, path: Path) -> None:
        """The list as it is now, for whoever asks: the loop, the world, and those who read pages."""
        parts = self.parts
        read = read_never(path, lambda url: parts.canonicalise(url, "")) if path.exists() else Never()
        parts.scope.never.renew(read)
        if parts.reading.processes:  # their readers are copies
            parts.reading.adopt(parts.reading.worker.judge)

    def _park(self, entry: str) -> int:
        """Waiting links of the hosts that an entry names leave the frontier; returns how many."""
        if "/" in entry:
            return 0
        never, name = Never([(entry, "")]), self.parts.store.hosts.name
        ids = [
            number
            for number in self.parts.frontier.hosts().hosts.tolist()
            if all(never.why_not(f"{scheme}://{name(number)}/") is not None for scheme in ("http", "https"))
        ]
        self.loop.patience.forget_links_on(ids)
        return self.parts.frontier.park(np.array(ids, np.uint32))

    # -- the log ------------------------------------------------------------------------------------------

    def _decided(self, kind: str, **facts: str | int) -> None:
        decide(self.parts.store, Decision(kind, {"by": USER, **facts}))
        self._kept.clear()
        self._settled = self.loop.commit_soon()

    async def settled(self) -> None:
        """Wait until what was done last is written, a few seconds at most: the crawl may be busy."""
        if self._settled is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(SETTLE_S):
                    await self._settled.wait()


def checked_entry(entry: str) -> str:
    """An entry of the do-not-crawl list as a user gave it. Raises InputError for what is none."""
    entry = entry.strip()
    if not entry or not entry.isprintable() or len(entry.split()) > 1:
        raise InputError(f"{entry[:200]!r} is no entry: give a host, a host with its subdomains (.example.org) or the "
                         "beginning of URLs")  # fmt: skip
    Never([(entry, "the new entry")])
    return entry


def _some(n: int) -> int:
    if not 1 <= n <= MOST:
        raise InputError(f"between 1 and {MOST:,} can be told at a time, not {n}")
    return n


def _keys(number: int) -> Keys:
    return np.array([number], np.uint64)
