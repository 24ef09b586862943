"""The crawl loop. The live web, an archive, a simulated web and a cluster shard all run through it.

    take the best link whose host may be visited now      frontier.lease
    fetch it, many at a time                              world.fetch
    read and judge the page, in worker processes          ReadingPool.read
    -- then, one visit at a time, in the order they complete --
    learn from it, score its links                        strategy.learn, strategy.score
    remember page and links, in groups                    store, frontier.add
    after every session of N visits                       strategy.adapt, perhaps score all links again

Killing the process at any instant loses no committed visit: a link is done when its visit is committed, and the
frontier is rebuilt from committed rows. Under a virtual clock one link is under way at a time, pages are read
in-line, and a crawl that was killed and resumed visits the same pages in the same order as one that was not.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from clew.crawl.applying import Applier, Arrival
from clew.crawl.archiving import facts
from clew.crawl.events import tell
from clew.crawl.listings import Listings
from clew.crawl.parts import Parts
from clew.crawl.patience import Patience
from clew.crawl.refusing import Refusing
from clew.crawl.sessions import Sessions
from clew.frontier.base import Lease
from clew.model import Link, Outcome, Request, Response, Visit
from clew.store.records import RunEnd
from clew.words import many
from clew.workers.messages import Job, Reading

BACKLOG = 64
"""Pages fetched but not yet applied, at most; beyond it no link is taken."""

LOOK_EVERY = 20
"""Links taken between two looks at whether the best one had to wait: finding the best is a walk over all links."""

PAUSED = "a user paused it"
"""What a paused crawl waits for."""

TICK_S = 0.25
"""The live loop looks up at least this often: for commits, time limits and the display."""


class Loop:
    """One run of a crawl over its parts. ``on_visit`` is called after every visit, ``on_tick`` a few times a second.

    ``handover`` is awaited after every visit: whoever takes pages one by one lets the crawl wait there until they want
    the next. Fetches that are under way go on meanwhile.
    """

    def __init__(
        self,
        parts: Parts,
        on_visit: Callable[[Visit], None] = lambda visit: None,
        on_tick: Callable[[], None] = lambda: None,
    ) -> None:
        self.parts = parts
        self.listings = Listings(parts)
        self.applier = Applier(parts, self.listings)
        self.refusing = Refusing(parts, self.listings, self.applier.lessons)
        self.sessions = Sessions(parts)
        self.patience = Patience(parts)
        self.on_visit = on_visit
        self.on_tick = on_tick
        self.handover: Callable[[], Awaitable[None]] | None = None
        self.hosts_at_once = 1 if parts.clock.virtual else parts.settings.crawl.hosts_at_once
        self.backlog = 0 if parts.clock.virtual else BACKLOG
        self.attempts: dict[int, int] = {}
        self._arrivals: asyncio.Queue[Arrival | None] = asyncio.Queue()
        self.interrupts = 0
        self._news = asyncio.Event()  # a user resumed a paused crawl, or stops it
        self._under_way: set[asyncio.Task[None]] = set()
        self._unanswered: set[asyncio.Task[None]] = set()
        self._fetching = 0
        self._taken = 0  # links taken from the frontier whose arrival is not applied yet
        self._leases = 0
        self._written = asyncio.Event()  # set by the next commit
        self._fault: BaseException | None = None
        self._uncommitted = 0
        self._committed_at = self._ticked_at = time.monotonic()

    # -- the run ------------------------------------------------------------------------------------------

    async def run(self, seeds: list[str]) -> str:
        """Crawl until a rule says stop; returns its name ("frontier" when no link is left)."""
        self.refusing.resume()
        self.sessions.resume(seeds)
        self.listings.begin(seeds)
        self.applier.lessons.resume()
        if self.applier.documents.resume():
            self.sessions.rescore()
        self.attempts = self.parts.store.links.retries()
        try:
            stopped = await self._loop()
            self._note_end(stopped)
            await self._commit()
        finally:
            await self._abandon()
            self.parts.commit_now()
        self._tell_end(stopped)
        return stopped

    def _note_end(self, stopped: str) -> None:
        """For whoever asks later why nothing goes on."""
        visits, now, waiting = self.parts.progress.visits, self.parts.clock.now(), len(self.parts.frontier)
        self.parts.store.journal.end_run(RunEnd(stopped, visits, now, waiting))

    def _tell_end(self, stopped: str) -> None:
        progress, waiting = self.parts.progress, len(self.parts.frontier)
        tell(
            "stopped",
            f"stopped by {stopped}: {progress.fetched} fetched ({progress.fetched_now} in this run), "
            f"{progress.relevant} relevant, {many(waiting, 'link')} waiting",
            stopped_by=stopped,
            fetched=progress.fetched,
            fetched_now=progress.fetched_now,
            relevant=progress.relevant,
            waiting=waiting,
        )

    def interrupt(self) -> None:
        """Take no new link and finish those under way. A second call gives up the requests that were not answered yet
        (the next run sends them again), and finishes pages that were fetched; a third one those, too."""
        self.interrupts += 1
        if self.interrupts > 1:
            for task in list(self._under_way if self.interrupts > 2 else self._unanswered):
                task.cancel()
        self.parts.rules.asked = self.parts.rules.asked or "interrupted"
        self._arrivals.put_nowait(None)
        self._news.set()

    def pause(self) -> None:
        """Take no new link until ``resume``; those under way are finished and committed. Time does not count."""
        self.parts.progress.pause()

    def resume(self) -> None:
        """Go on after ``pause``."""
        self.parts.progress.resume()
        self.patience.resumed()
        self._news.set()

    def commit_soon(self) -> asyncio.Event:
        """Commit at the next opportunity; set when that is done."""
        self._uncommitted = max(self._uncommitted, self.parts.settings.crawl.commit_pages)
        self._news.set()
        return self._written

    async def _loop(self) -> str:
        while True:
            if self._fault is not None:
                raise self._fault
            stopped = self._stopped()
            if not stopped and not self.parts.progress.paused:
                if self.parts.strategy.wants_to_consult():
                    await self.sessions.consult()
                self._launch()
            if stopped and self._taken and self._taken == self.parts.world.looking_up:
                return stopped  # nobody waits for addresses any more
            if not self._taken and self.parts.progress.paused and not stopped:
                await self._stand_still()
            elif not self._taken:
                when = await self._next_ready(stopped)
                if when is None:
                    return stopped or "frontier"
                await self._wait_until(when)
            else:
                await self._take_arrivals()
            await self._look_up()

    async def _stand_still(self) -> None:
        """Paused, and nothing is under way: what arrived is committed, and somebody is waited for."""
        if self._uncommitted:
            await self._commit()
        self._news.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(TICK_S):
                await self._news.wait()

    async def _next_ready(self, stopped: str) -> float | None:
        """When a link may be taken, nothing being under way; None: never. A strategy that has a way out is asked."""
        if stopped:
            return None
        when = self._next_worth_waiting_for()
        if when is None:
            await self.sessions.consult()
            when = self._next_worth_waiting_for()
        return when

    def _next_worth_waiting_for(self) -> float | None:
        when = self.parts.frontier.next_ready()
        return None if when is None or self.patience.over(now=True) else when

    def _stopped(self) -> str:
        """The rule that says stop, or an empty string."""
        outage = not self.parts.progress.paused and self.patience.outage_over()
        return self.parts.rules.reached(self.parts.progress) or ("outage" if outage else "")

    @property
    def under_way(self) -> tuple[int, int]:
        """How many requests wait for their answers, and how many pages that were fetched are not applied yet."""
        return len(self._unanswered), self._taken - len(self._unanswered)

    def waits_for(self) -> str:
        """What the crawl waits for when it does nothing else, for people; empty when it goes on."""
        if self.parts.progress.paused:
            return PAUSED
        return "" if self._fetching else self.patience.waits_for()

    async def _abandon(self) -> None:
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    # -- taking links -------------------------------------------------------------------------------------

    def _launch(self) -> None:
        """Take links for as many hosts as may be visited now."""
        while self._room():
            lease = self._take()
            if lease is None or self._too_low(lease):
                return
            self._look_for_better(lease)
            self.patience.taken(lease)
            self.sessions.open_row(lease.row)
            self._fetching += 1
            self._taken += 1
            task = asyncio.ensure_future(self._follow(lease))
            self._under_way.add(task)
            self._unanswered.add(task)
            task.add_done_callback(self._landed)

    def _take(self) -> Lease | None:
        """The best link, or where the strategy explores the oldest, whose host may be visited now."""
        frontier, now = self.parts.frontier, self.parts.clock.now()
        found = frontier.lease_oldest(now) if self.parts.strategy.explores() else None
        return found or frontier.lease(now)

    def _too_low(self, lease: Lease) -> bool:
        """Whether the crawl stops because no link scores ``stop.min_score``; the lease then goes back."""
        frontier, least = self.parts.frontier, self.parts.settings.stop.min_score
        enough = (0, least)  # a link in a higher tier does not come for its score
        if (
            not least
            or lease.oldest
            or lease.priority >= enough
            or any(best.priority >= enough for best in frontier.best(1))
        ):
            return False
        frontier.retry(lease, self.parts.clock.now())
        self.parts.rules.asked = self.parts.rules.asked or "min_score"
        return True

    def _look_for_better(self, lease: Lease) -> None:
        """Now and then, whether a better link than the one taken had to wait for its host."""
        self._leases += 1
        if self._leases % LOOK_EVERY == 0:
            self.parts.progress.looks += 1
            self.parts.progress.best_waited += any(
                best.priority > lease.priority for best in self.parts.frontier.best(1)
            )

    def _landed(self, task: asyncio.Task[None]) -> None:
        """A task ended; an error in it is a fault of ours and ends the crawl (what arrived is kept)."""
        self._under_way.discard(task)
        self._unanswered.discard(task)
        if task.cancelled() or task.exception() is not None:
            self._taken -= 1
        if not task.cancelled() and task.exception() is not None:
            self._fault = self._fault or task.exception()
            self._arrivals.put_nowait(None)

    def _room(self) -> bool:
        """Whether one more link may be taken. Whatever waits for the address of its host takes no place."""
        looking_up = self.parts.world.looking_up
        taken = self._taken - looking_up
        return (
            not self.parts.progress.paused
            and self._fetching - looking_up < self.hosts_at_once
            and taken < self.hosts_at_once + self.backlog
            and self.parts.rules.room(self.parts.progress, taken)
            and self.patience.may_take(self._fetching, self._taken)
        )

    async def _follow(self, lease: Lease) -> None:
        """Fetch and read one link; whatever comes of it arrives in the queue."""
        try:
            link = self._link(lease)
            response = await self._fetch(lease, link)
        finally:
            self._fetching -= 1
        if (task := asyncio.current_task()) is not None:
            self._unanswered.discard(task)
        self.refusing.fetched(lease, response)
        again = self._release(lease, link, response)
        reading = await self._read(link, response)
        self._arrivals.put_nowait(Arrival(lease, link, response, reading, again))

    def _link(self, lease: Lease) -> Link:
        batch = self.parts.store.links.batch(lease.row)
        attempts = self.attempts.get(lease.key, 0)
        return Link(batch, lease.index, lease.score, attempts, lease.evidence, lease.oldest, lease.host)

    async def _fetch(self, lease: Lease, link: Link) -> Response:
        refused = self.refusing.why_not(lease, link)
        if refused:
            return Response(link.url, Outcome.REFUSED, reason=refused, requests=0)
        listing = self.listings.is_list(link)
        request = Request(link.url, link.attempt, link.hops, referrer=link.batch.source.url, listing=listing)
        return await self.parts.world.fetch(request)

    def _release(self, lease: Lease, link: Link, response: Response) -> bool:
        """Free the host as soon as it has answered; True when the link itself goes back to the frontier."""
        self.patience.note(lease, link, response)
        ready_at = max(response.ready_at, response.rests_until)
        if response.outcome is Outcome.DEFERRED:
            self.parts.frontier.postpone(lease, ready_at, self.patience.again_at(lease, response))
            return True
        last = link.attempt + 1 >= self.parts.settings.crawl.max_attempts
        if response.outcome is Outcome.FAILED and response.retry_at is not None and not last:
            self.attempts[lease.key] = link.attempt + 1
            self.parts.frontier.postpone(lease, ready_at, self.patience.again_at(lease, response))
            return True
        self.attempts.pop(lease.key, None)
        self.parts.frontier.done(lease, ready_at)
        return False

    async def _read(self, link: Link, response: Response) -> Reading:
        if response.outcome is Outcome.OK:
            return await self.parts.reading.read(self.listings.job(link, response, facts(link)))
        if response.status and response.outcome is not Outcome.DEFERRED:
            return self.parts.reading.worker.work([Job(response, facts(link))])[0]
        return Reading(reason=response.reason)

    # -- arrivals -----------------------------------------------------------------------------------------

    async def _take_arrivals(self) -> None:
        """Apply what has arrived; wait for the first."""
        arrival = await self._next_arrival()
        while arrival is not None:
            self._apply(arrival)
            if self.handover is not None:
                await self.handover()
            if self._arrivals.empty() or self._stopped():
                return
            arrival = self._arrivals.get_nowait()

    async def _next_arrival(self) -> Arrival | None:
        if not self._arrivals.empty():
            return self._arrivals.get_nowait()
        if self.parts.clock.virtual:
            return await self._arrivals.get()
        try:
            async with asyncio.timeout(self._patience()):
                return await self._arrivals.get()
        except TimeoutError:
            return None

    def _patience(self) -> float:
        """Seconds to wait for an arrival before another host may be visited."""
        when = self.parts.frontier.next_ready() if self._room() else None
        if when is None:
            return TICK_S
        return min(max(when - self.parts.clock.now(), 0.001), TICK_S)

    async def _wait_until(self, when: float) -> None:
        if self.parts.clock.virtual:
            await self.parts.clock.sleep_until(when)
        else:
            await self._next_arrival()

    def _apply(self, arrival: Arrival) -> None:
        visit = self.applier.apply(arrival)
        self._taken -= 1
        self._uncommitted += 1
        if visit is not None:
            self.on_visit(visit)
            self.sessions.end_if_full()

    # -- now and then -------------------------------------------------------------------------------------

    async def _look_up(self) -> None:
        now = time.monotonic()
        crawl = self.parts.settings.crawl
        if self._uncommitted >= crawl.commit_pages or now - self._committed_at >= crawl.commit_s:
            await self._commit()
        if now - self._ticked_at >= TICK_S:
            self._ticked_at = now
            self.parts.progress.sample()
            self.on_tick()

    async def _commit(self) -> None:
        """Commit; where the disk is full, take no link until there is room. What is under way arrives meanwhile."""
        await self.parts.room.until_written(self.parts.commit_now, self.on_tick)
        self._uncommitted = 0
        self._committed_at = time.monotonic()
        self._written.set()
        self._written = asyncio.Event()
