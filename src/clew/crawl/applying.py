"""What becomes of an arrival: refused, tried again, or a visit that is judged, learned from and remembered.

Arrivals are applied one at a time, in the order they complete, so a strategy never sees a race.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from clew.crawl.archiving import archive
from clew.crawl.combining import grow, rank_if_stale
from clew.crawl.documents import Documents
from clew.crawl.events import set_aside, visited
from clew.crawl.lessons import Lessons
from clew.crawl.listings import Listings
from clew.crawl.pages import OnPage, PageRecord, StopCrawl
from clew.crawl.parts import Parts
from clew.crawl.verdicts import LEFT_OUT, NO_PAGE, SAME_PAGE, verdict
from clew.frontier.base import Lease
from clew.model import Judgement, Keys, Link, Outcome, Page, Response, Source, Visit
from clew.urls.canonical import host, key
from clew.workers.messages import Reading

NOFOLLOW = "nofollow: its owner wants its links not followed"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A link that was taken, and what came of it. ``again``: it went back to the frontier."""

    lease: Lease
    link: Link
    response: Response
    reading: Reading
    again: bool = False


class Applier:
    """Applies arrivals to strategy, frontier and store."""

    def __init__(self, parts: Parts, listings: Listings | None = None) -> None:
        self.parts = parts
        self.listings = listings or Listings(parts)
        self.lessons = Lessons(parts)
        self.documents = Documents(parts)
        self._twins: dict[int, str] = {}  # keys refused in favour of a page that names them, and that page

    def apply(self, arrival: Arrival) -> Visit | None:
        """The visit that an arrival became, or None when it became none (yet)."""
        response, progress = arrival.response, self.parts.progress
        if response.sitemaps:
            self.listings.named(arrival.link, response.sitemaps)
        progress.robots += response.robots_requests
        self.parts.store.journal.count("robots", response.robots_requests)
        self.parts.store.hosts.touch(arrival.lease.host, response.ready_at)
        if response.outcome in (Outcome.REFUSED, Outcome.ABSENT):
            self._set_aside(arrival)
            return None
        if response.outcome is Outcome.DEFERRED:
            self.parts.store.journal.count("retried", response.requests)
            return None
        progress.fetched += 1
        if arrival.again:
            self._try_again(arrival)
            return None
        return self._visit(arrival)

    def take_back(self, url_key: int) -> None:
        """A user wants a URL that was set aside: nothing of that counts any more."""
        refusal = self.parts.store.links.refusal(url_key)
        self._twins.pop(url_key, None)
        if refusal is None:
            return
        self.parts.store.links.readmit(url_key)
        if refusal.outcome is Outcome.ABSENT:
            self.parts.progress.absent -= 1
        else:
            self.parts.progress.refused -= 1

    # -- no visit -----------------------------------------------------------------------------------------

    def _set_aside(self, arrival: Arrival) -> None:
        """Nothing was fetched and nothing will be: costs nothing, is counted, and can be explained."""
        response, progress = arrival.response, self.parts.progress
        if self._twins.pop(arrival.link.key, None) is not None:
            return  # set aside already
        if response.outcome is Outcome.ABSENT:
            progress.absent += 1
        else:
            progress.refused += 1
        self._refuse(arrival, arrival.link.key, arrival.link.url, response.outcome, response.reason)
        set_aside(arrival.link.url, response.reason)

    def _refuse(self, arrival: Arrival, url_key: int, url: str, outcome: Outcome, reason: str) -> None:
        lease = arrival.lease
        self.parts.store.links.refuse(
            url_key, url, row=lease.row, index=lease.index, outcome=outcome, reason=reason, at=self.parts.clock.now()
        )

    def _try_again(self, arrival: Arrival) -> None:
        response, link = arrival.response, arrival.link
        self.parts.store.journal.count("retried", response.requests)
        self.parts.store.links.retry(link.key, link.attempt + 1, response.reason, response.retry_at or 0.0)

    # -- a visit ------------------------------------------------------------------------------------------

    def _visit(self, arrival: Arrival) -> Visit:
        visit = self._duplicate(arrival, self._late_twin(arrival, self._judged(arrival)))
        visit = self.lessons.judge(visit)
        parts = self.parts
        if parts.on_page is not None and visit.page is not None:
            visit = self._filtered(visit, parts.on_page)
        parts.strategy.learn(visit)
        grow(parts, arrival.lease.row, visit.link.batch)
        scores = parts.scores(visit.links) if visit.links is not None else None
        hosts = parts.evidence.host_ids(visit.links.links) if visit.links is not None else None
        place = archive(parts, visit, arrival.reading.records)
        parts.store.visits.add(visit, arrival.lease, hosts=hosts, scores=scores, warc=place)
        if visit.links is not None and hosts is not None and scores is not None:
            parts.frontier.add(visit.links.links.keys, hosts, scores, visit.number, tier=parts.tier(visit.links))
        rank_if_stale(parts)
        self.lessons.learn(visit)
        self.documents.learn(visit)
        self._count(visit)
        self.listings.count(visit)
        visited(visit)
        return visit

    def _count(self, visit: Visit) -> None:
        progress, response = self.parts.progress, visit.response
        progress.count(visit.relevant)
        progress.redirects += response.outcome is Outcome.REDIRECT
        progress.failed += response.outcome is Outcome.FAILED
        progress.bytes += len(response.body)
        kind = "cached" if response.from_cache else str(response.outcome)
        self.parts.store.journal.count(kind, max(response.requests, int(response.from_cache)))

    def _filtered(self, visit: Visit, on_page: OnPage) -> Visit:
        """The visit as the user's function leaves it. StopCrawl ends the crawl after this page, which is kept."""
        try:
            keep = on_page(PageRecord.of_visit(visit, self.parts.interest.topics))
        except StopCrawl as stop:
            self.parts.rules.asked = self.parts.rules.asked or str(stop) or "on_page"
            return visit
        if keep is False:
            return replace(visit, relevant=False, links=None, reason=LEFT_OUT)
        return visit

    def _judged(self, arrival: Arrival) -> Visit:
        """The visit as the judge sees it, with its links as evidence."""
        page, judgement = arrival.reading.page, arrival.reading.judgement
        if arrival.response.outcome is Outcome.REDIRECT:
            return self._redirect(self._unread(arrival))
        if page is not None and self.listings.is_one(page):
            return self.listings.visit(arrival.link, arrival.response, page, judgement)
        if page is None or judgement is None:
            return self._unread(arrival)
        return self._page(arrival, page, judgement)

    def _unread(self, arrival: Arrival) -> Visit:
        reading, link = arrival.reading, arrival.link
        return Visit(
            number=self.parts.store.visits.next_number,
            link=link,
            response=arrival.response,
            page=reading.page,
            judgement=reading.judgement,
            relevance=0.0,
            relevant=False,
            tunnel=link.batch.source.tunnel + 1,
            reason=reading.reason or arrival.response.reason,
        )

    def _page(self, arrival: Arrival, page: Page, judgement: Judgement) -> Visit:
        link, honour = arrival.link, self.parts.settings.crawl.nofollow
        relevance, relevant, reason = verdict(self.parts.interest, judgement, barred=honour and page.noindex)
        source = Source(
            visit=self.parts.store.visits.next_number,
            url=link.url,
            host=link.host,
            relevance=relevance,
            scores=judgement.scores,
            topic=judgement.topic,
            depth=link.depth,
            tunnel=0 if relevant else link.batch.source.tunnel + 1,
        )
        follow = not (honour and page.nofollow)
        return Visit(
            number=source.visit,
            link=link,
            response=arrival.response,
            page=page,
            judgement=judgement,
            relevance=relevance,
            relevant=relevant,
            tunnel=source.tunnel,
            reason=reason if follow or reason else NOFOLLOW,
            links=self.parts.evidence.of_page(page, source) if follow else None,
        )

    def _redirect(self, visit: Visit) -> Visit:
        """A redirect adds its target as a link with the same evidence; tunnel and relevance pass through."""
        target = self.parts.canonicalise(visit.response.location, visit.link.url)
        tunnel = visit.link.batch.source.tunnel
        if target is None:
            return replace(visit, tunnel=tunnel, reason=f"redirects to {visit.response.location}, {NO_PAGE}")
        refused = self.listings.why_not(visit.link, target)
        if refused:
            return replace(visit, tunnel=tunnel, reason=f"redirects to {target}: {refused}")
        batch = self.parts.evidence.of_redirect(visit.link, target, visit.number)
        return replace(visit, tunnel=tunnel, reason=f"redirects to {target}", links=batch)

    def _duplicate(self, arrival: Arrival, visit: Visit) -> Visit:
        """A page that names another URL of its host as its canonical one is that page (rel=canonical).

        When that URL was visited, this one is a duplicate; otherwise that URL needs no visit any more.
        """
        page = visit.page
        if page is None or page.canonical in ("", visit.link.url) or host(page.canonical) != visit.link.host:
            return visit
        twin = key(page.canonical)
        if self._stands_for(twin):
            return replace(visit, relevant=False, links=None, reason=f"{SAME_PAGE} {page.canonical} (rel=canonical)")
        if not self.parts.store.visits.visited(twin) and self.parts.store.links.refusal(twin) is None:
            self._needs_no_visit(arrival, twin, page.canonical)
        return visit

    def _late_twin(self, arrival: Arrival, visit: Visit) -> Visit:
        """A page that was under way when another took its place: it was fetched, and counts as a duplicate."""
        other = self._twins.pop(arrival.link.key, None)
        if other is None:
            return visit
        self.parts.store.links.readmit(arrival.link.key)
        self.parts.progress.refused -= 1
        if visit.page is None:
            return visit
        return replace(visit, relevant=False, links=None, reason=f"{SAME_PAGE} {other} (rel=canonical)")

    def _needs_no_visit(self, arrival: Arrival, twin: int, url: str) -> None:
        self.parts.progress.refused += 1
        self._refuse(arrival, twin, url, Outcome.REFUSED, f"{SAME_PAGE} {arrival.link.url} (rel=canonical)")
        keys: Keys = np.array([twin], np.uint64)
        self.parts.frontier.finish(keys)
        self._twins[twin] = arrival.link.url

    def _stands_for(self, twin: int) -> bool:
        """Whether a canonical URL gave a page, or a page that names it was visited.

        A canonical URL that failed or redirects (perhaps to this very page) stands for nothing.
        """
        store = self.parts.store
        if store.visits.visited(twin):
            row = store.visits.by_key(twin)
            return row is not None and row.outcome is Outcome.OK
        refusal = store.links.refusal(twin)
        return refusal is not None and refusal.reason.startswith(SAME_PAGE)
