"""Sessions of N visits between which a strategy adapts (Ester and others 2001 section 3.1), and resuming a crawl.

Sessions end after visit N, 2N, ...; a crawl killed between the last visit of a session and its end ends the
session when it is resumed. Whatever a strategy learned is restored from the state saved after the last session and
the later visits are learned again, so that it is in the state it was in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

import numpy as np

from clew.crawl.combining import forget_news
from clew.crawl.enqueuing import add_row
from clew.crawl.events import decide, session_ended, tell
from clew.crawl.filling import fewest_pages
from clew.crawl.parts import Parts
from clew.crawl.readmitting import readmit
from clew.crawl.rejudging import bring_up_to_date, learn_from_crawl, learns_now
from clew.crawl.tiers import opened_rows, row_tiers
from clew.errors import ClewError, InputError
from clew.frontier.base import Frontier, ScoredRow
from clew.model import Decision, Keys, LinkBatch, LinkKind, Session, Visit
from clew.store.base import Store
from clew.store.records import HostIds
from clew.strategies.base import Strategy
from clew.web.base import LONGEST_WAIT_S
from clew.words import many

BULK = 1 << 18
"""Links made known to a frontier at a time."""

ROWS = 512
"""Rows scored again between two writes."""

SILENT_LATER_S = 2.0
"""Hosts that did not answer in the last run are asked so long after this one began, when the others were."""

NO_TIERS: Mapping[int, int] = MappingProxyType({})


def rebuild(frontier: Frontier, store: Store, tiers: Mapping[int, int] = NO_TIERS) -> None:
    """Fill an empty frontier from the packed rows: every link known in the order it was found, what is done done,
    and the rest scored. It is the same frontier as one to which the rows were added one by one, in a third of the time.

    ``tiers``: those of rows that are not in tier 0.
    """
    for found, hosts in _found(store):
        frontier.add(found, hosts, np.full(len(found), np.nan), row=0)
    frontier.finish(store.links.done_keys())
    frontier.rescore(
        (row, found, scores.astype(np.float64), tiers.get(row, 0)) for row, found, _, scores in store.links.rows()
    )


def _found(store: Store) -> Iterator[tuple[Keys, HostIds]]:
    """Keys of links and their hosts, many rows at a time, each key once a time, in the order of first sight."""
    rows: list[tuple[Keys, HostIds]] = []
    size = 0
    for _, found, hosts, _ in store.links.rows():
        rows.append((found, hosts))
        size += len(found)
        if size >= BULK:
            yield _distinct(rows)
            rows, size = [], 0
    if rows:
        yield _distinct(rows)


def _distinct(rows: Sequence[tuple[Keys, HostIds]]) -> tuple[Keys, HostIds]:
    found = np.concatenate([row[0] for row in rows])
    hosts = np.concatenate([row[1] for row in rows])
    first = np.sort(np.unique(found, return_index=True)[1])
    return found[first], hosts[first]


def recall(strategy: Strategy, name: str, store: Store, *, anew: bool = False) -> Iterator[Visit]:
    """Give a strategy its saved state; returns the visits that it has to learn again, in order.

    One that says nothing of its state learns all visits again, one that never learns none. ``anew``: so does every
    other one, for the visits are not what they were.
    """
    kind = type(strategy)
    after = 0
    if kind.state is not Strategy.state and not anew:
        saved = store.journal.saved(name)
        if saved is not None:
            strategy.restore(saved.state)
            after = saved.visit
    return store.visits.replay(after) if kind.learn is not Strategy.learn else iter(())


class Sessions:
    """Begins, resumes and ends the sessions of a crawl."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.opened: set[int] = set()

    # -- resuming -----------------------------------------------------------------------------------------

    def resume(self, seeds: Sequence[str]) -> None:
        """Rebuild frontier, progress and strategy; add seeds that are new."""
        parts, store = self.parts, self.parts.store
        readmit(parts)
        anew = bring_up_to_date(parts)
        self.opened = opened_rows(store, parts.strategy)
        self._recall_progress()
        parts.strategy.begin(parts.view)
        self._restore_strategy(anew)
        forget_news(parts)
        rebuild(parts.frontier, store, row_tiers(store, parts.strategy, self.opened))
        self._hold_hosts()
        self._take_over(anew)
        self._add_seeds(seeds)
        parts.commit()
        self._tell_start()
        self._look_at_fill()
        self.end_if_full()

    def _hold_hosts(self) -> None:
        """Hosts keep the pauses that were left when the last run ended. Those that did not answer then come after the
        others.

        A clock that was set back meanwhile makes none of them longer, and none is longer than any may be.
        """
        parts, store = self.parts, self.parts.store
        now, politeness = parts.clock.now(), parts.settings.politeness
        longest_s = max(politeness.delay_s, politeness.max_delay_s, LONGEST_WAIT_S)
        store.hosts.sooner(max(store.journal.clock - now, 0.0), now + longest_s)
        for host_id, ready_at in store.hosts.ready():
            parts.frontier.hold(host_id, ready_at)
        if not parts.clock.virtual:
            for host_id in store.hosts.silent():
                parts.frontier.hold(host_id, now + SILENT_LATER_S)

    def _tell_start(self) -> None:
        parts, fetched, waiting = self.parts, self.parts.progress.fetched, len(self.parts.frontier)
        began = f"resumed after {many(fetched, 'fetch', 'fetches')}" if fetched else "started"
        tell(
            "resumed" if fetched else "started",
            f"{began}: {parts.run.strategy} in {parts.world.name}, {many(waiting, 'link')} waiting",
            strategy=parts.run.strategy,
            world=parts.world.name,
            fetched=fetched,
            waiting=waiting,
        )

    def _recall_progress(self) -> None:
        progress, store = self.parts.progress, self.parts.store
        totals = store.visits.totals()
        progress.recall(store.visits.relevant().tolist())
        progress.fetched = progress.fetched_before = totals.fetched
        progress.failed, progress.redirects = totals.failed, totals.redirects
        progress.refused, progress.absent = totals.refused, totals.absent
        progress.robots, progress.bytes = totals.robots, totals.bytes

    def _restore_strategy(self, anew: bool) -> None:
        """``anew``: all visits are learned again, since they have other verdicts."""
        for visit in recall(self.parts.strategy, self.parts.run.strategy, self.parts.store, anew=anew):
            self.parts.strategy.learn(visit)
        if anew:
            self.parts.strategy.rejudged()
            self._save()

    def _save(self) -> None:
        """What the strategy learned up to the last visit."""
        name, state = self.parts.run.strategy, self.parts.strategy.state()
        self.parts.store.journal.save(name, self.parts.progress.visits, state)

    def _take_over(self, anew: bool) -> None:
        """Another strategy than last time scores all links anew, as one does that learned anew; from now on this run is
        the last one."""
        journal, run = self.parts.store.journal, self.parts.run
        last = journal.last_run()
        if anew or (last is not None and last.strategy not in ("", run.strategy)):
            self.rescore()
        journal.begin_run(run)

    def _add_seeds(self, seeds: Sequence[str]) -> None:
        """One more row of seeds for those that no earlier row named."""
        parts = self.parts
        known = {url for _, batch in parts.store.links.batches(seeds=True) for url in batch.links.urls}
        new = tuple(url for url in dict.fromkeys(seeds) if url not in known)
        if not new:
            if not known:
                raise InputError(
                    "there are no seeds to start from: give URLs (seeds.txt of a project, seeds= in Python)"
                )
            return
        add_row(parts, new, LinkKind.SEED)

    # -- whole pages --------------------------------------------------------------------------------------

    def open_row(self, row: int) -> None:
        """A link of packed row ``row`` was taken: for strategies that fetch whole pages, its other links come next."""
        tier, store = self.parts.strategy.opened_tier, self.parts.store
        if tier and row not in self.opened:
            self.opened.add(row)
            scores = store.links.scores(row).astype(np.float64)
            self.parts.frontier.promote(row, store.links.batch(row).links.keys, scores, tier)

    # -- look-up services ---------------------------------------------------------------------------------

    async def consult(self) -> None:
        """Let the strategy ask look-up services; one transaction with all that comes of it."""
        parts = self.parts
        parts.commit()
        again = await parts.strategy.consult()
        self._save()
        if again:
            self.rescore()
        parts.commit()

    # -- ending -------------------------------------------------------------------------------------------

    def end_if_full(self) -> None:
        """End the session when its last visit was applied; first let the judge learn, if it is time."""
        if learns_now(self.parts) and learn_from_crawl(self.parts):
            self._save()  # learned again, the visits so far would have other relevances
            self.rescore()
            self.parts.commit()
        number, rest = divmod(self.parts.progress.visits, self.parts.settings.crawl.session_pages)
        if rest or number <= self.parts.store.journal.last_session:
            return
        self._end(self._session(number))

    def _session(self, number: int) -> Session:
        parts, size = self.parts, self.parts.settings.crawl.session_pages
        best = parts.frontier.best(1)
        relevant = int(parts.store.visits.relevant((number - 1) * size + 1, number * size).sum())
        return Session(
            number=number,
            first_visit=(number - 1) * size + 1,
            last_visit=number * size,
            fetched=size,
            relevant=relevant,
            fetched_total=parts.progress.visits,
            relevant_total=parts.progress.relevant,
            best_waiting=best[0].score if best else float("nan"),
        )

    def _end(self, session: Session) -> None:
        """One transaction: the session, what the strategy learned, and the new scores if it asked for them."""
        parts = self.parts
        parts.commit()
        self._take_labels_into_account()
        again = parts.strategy.adapt(session)
        parts.store.journal.add_session(session, rescored=again, at=parts.clock.now())
        self._save()
        if again:
            self.rescore()
        parts.commit()
        session_ended(session, len(parts.frontier), again)
        parts.rules.after_session(parts.progress)
        self._look_at_fill()

    def _look_at_fill(self) -> None:
        """Stop the crawl when its topics are full."""
        if self.parts.settings.stop.topic_pages:
            self.parts.rules.filled(fewest_pages(self.parts.view))

    def _take_labels_into_account(self) -> None:
        """Train the judge again when a user labelled pages meanwhile."""
        try:
            adoption = self.parts.trainer.after_labels() if self.parts.trainer is not None else None
        except ClewError as error:  # a bad line must not end a running crawl
            decide(self.parts.store, Decision("labels not taken into account", {"reason": str(error)}))
            return
        if adoption is None:
            return
        decide(self.parts.store, adoption.decision())
        if adoption.adopted:
            self.parts.reading.adopt(adoption.judge)

    def requeue(self) -> None:
        """Every link has the score again that is stored: those that were parked in spite of it wait."""
        store = self.parts.store
        tiers = row_tiers(store, self.parts.strategy, self.opened)
        forget_news(self.parts)
        self.parts.frontier.rescore(
            (row, found, scores.astype(np.float64), tiers.get(row, 0)) for row, found, _, scores in store.links.rows()
        )

    def rescore(self) -> None:
        """Score every stored link again and give frontier and store the new scores, some rows at a time."""
        forget_news(self.parts)
        self.parts.frontier.rescore(self._scored_anew())

    def _scored_anew(self) -> Iterator[ScoredRow]:
        store = self.parts.store
        rows = (self._scored_row(row, batch) for row, batch in store.links.batches())
        while some := list(islice(rows, ROWS)):
            store.links.update_scores((row, scores) for row, _, scores, _ in some)
            yield from some

    def _scored_row(self, row: int, batch: LinkBatch) -> ScoredRow:
        parts, tier = self.parts, self.parts.tier(batch)
        if row in self.opened:
            tier = max(tier, parts.strategy.opened_tier)
        return row, batch.links.keys, parts.scores(batch), tier
