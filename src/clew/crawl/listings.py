"""Sitemaps and feeds in a crawl: which are asked for, how much of them is wanted, and what comes of one.

They are links of the kinds SITEMAP and FEED and go through the loop as all links do: politely, by their score, once.
A sitemap that robots.txt names waits with the score of the link that led to its host. What comes of one is a visit
without a page, as of a redirect: its links are followed, and it is in no collection.

The source of a sitemap's links carries two things. Its host is the one whose robots.txt vouches for the sitemap, also
for sitemaps that an index names: entries are taken from this host and the sitemap's own. Its relevance is what the
judge says of the words in the links, on average.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

from clew.crawl.enqueuing import add_row, is_new
from clew.crawl.parts import Parts
from clew.errors import StoreError
from clew.model import LISTS, Judgement, Link, LinkBatch, LinkKind, Outcome, Page, Response, Source, Visit
from clew.text.formats import FEED, SITEMAP
from clew.urls.canonical import host, key
from clew.workers.messages import Job

ENOUGH = "enough of its lists"
"""How the reason of a refusal begins that larger limits of sitemaps and feeds take back."""

OFF = "not asked for"
"""How the reason of a refusal begins that switching sitemaps or feeds on takes back."""


class Listings:
    """The sitemaps and feeds of a crawl."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._crawl, self._limits = parts.settings.crawl, parts.settings.limits
        self._homes: frozenset[str] = frozenset()
        self._sitemaps: set[int] = set()  # keys of all that robots.txt named
        self._read: dict[LinkKind, Counter[str]] = {kind: Counter() for kind in LISTS}  # by host
        self._listed: Counter[str] = Counter()  # links taken, by the host that vouches for them

    # -- resuming -----------------------------------------------------------------------------------------

    def begin(self, seeds: Sequence[str]) -> None:
        """A run begins: what earlier runs read counts."""
        self._homes = frozenset(map(host, seeds))
        store = self.parts.store
        for kind in LISTS:
            self._read[kind] = Counter(store.visits.by_host(kind))
        rows = (batch for _, batch in store.links.batches(seeds=True))
        self._sitemaps = {number for batch in rows for number in _sitemaps(batch)}
        waiting = list(self._sitemaps)
        while waiting:
            visit = store.visits.by_key(waiting.pop())
            batch = self._links_of(visit.number) if visit is not None else None
            if batch is not None:
                self._listed[batch.source.host] += batch.links.kinds.count(LinkKind.LISTED)
                waiting += _sitemaps(batch)

    def _links_of(self, number: int) -> LinkBatch | None:
        try:
            return self.parts.store.links.batch(number)
        except StoreError:  # it has none
            return None

    # -- before one is fetched ----------------------------------------------------------------------------

    def named(self, link: Link, urls: Sequence[str]) -> None:
        """The robots.txt of a link's host names sitemaps: they become links, if they are wanted."""
        wanted = self._crawl.sitemaps
        if wanted == "off" or (wanted == "seeds" and link.depth and link.host not in self._homes):
            return
        found = dict.fromkeys(target for url in urls if (target := self.parts.canonicalise(url, "")) is not None)
        new = [url for url in found if self._may_be_asked(url)]
        if new:
            self._sitemaps.update(map(key, new))
            old = link.batch.source
            source = Source(0, link.url, link.host, old.relevance, old.scores, old.topic, link.depth, old.tunnel)
            add_row(self.parts, new, LinkKind.SITEMAP, source)

    def _may_be_asked(self, url: str) -> bool:
        if key(url) in self._sitemaps or self.parts.scope.why_not_list(url) is not None:
            return False
        return is_new(self.parts, key(url))

    def is_sitemap(self, link: Link) -> bool:
        """Whether a link is to be read as a sitemap, whoever links to it."""
        return link.kind is LinkKind.SITEMAP or link.key in self._sitemaps

    def is_list(self, link: Link) -> bool:
        """Whether a link leads to a sitemap or feed."""
        return link.kind is LinkKind.FEED or self.is_sitemap(link)

    def why_not(self, link: Link, url: str = "") -> str:
        """Why a link (or ``url``, to which it redirects) is out of scope, or no more lists of its host are read; ""
        when it may be fetched."""
        if not self.is_list(link):
            return self.parts.scope.why_not(url or link.url, link.depth) or ""
        return self.parts.scope.why_not_list(url or link.url) or ("" if url else self._spent(link))

    def _spent(self, link: Link) -> str:
        limits = self._limits
        if self.is_sitemap(link):
            if self._crawl.sitemaps == "off":
                return f"{OFF}: sitemaps are not read (crawl.sitemaps)"
            if self._read[LinkKind.SITEMAP][link.host] >= limits.sitemaps:
                return f"{ENOUGH}: {limits.sitemaps:,} sitemaps were read (limits.sitemaps)"
            if self._room(link) <= 0:
                return f"{ENOUGH}: sitemaps gave {limits.sitemap_links:,} links (limits.sitemap_links)"
        elif not self._crawl.feeds:
            return f"{OFF}: feeds are not read (crawl.feeds)"
        elif self._read[LinkKind.FEED][link.host] >= limits.feeds:
            return f"{ENOUGH}: {limits.feeds:,} feeds were read (limits.feeds)"
        return ""

    def _room(self, link: Link) -> int:
        return self._limits.sitemap_links - self._listed[_voucher(link)]

    # -- when one has been fetched ------------------------------------------------------------------------

    def job(self, link: Link, response: Response, facts: dict[str, str]) -> Job:
        """How a response is to be read. Sitemaps that were named together share what their host may add."""
        if not self.is_sitemap(link):
            return Job(response, facts)
        share = ceil(self._limits.sitemap_links / max(len(_sitemaps(link.batch)), 1))
        most = max(min(self._room(link), share), 1)
        return Job(response, facts, sitemap_links=most, hosts=(_voucher(link), link.host))

    def is_one(self, page: Page | None) -> bool:
        """Whether what was read is a list of links and no page."""
        return page is not None and page.content_type in (SITEMAP, FEED)

    def visit(self, link: Link, response: Response, page: Page, judgement: Judgement | None) -> Visit:
        """The visit of a sitemap or feed."""
        parts, old = self.parts, link.batch.source
        source = Source(
            visit=parts.store.visits.next_number,
            url=link.url,
            host=_voucher(link) if self.is_sitemap(link) else link.host,
            relevance=old.relevance if judgement is None else parts.interest.relevance(judgement),
            scores=old.scores if judgement is None else judgement.scores,
            topic=old.topic if judgement is None else judgement.topic,
            depth=link.depth,
            tunnel=old.tunnel,
        )
        follow = len(page.links) > 0 and not (self._crawl.nofollow and page.nofollow)
        return Visit(
            number=source.visit,
            link=link,
            response=response,
            page=None,
            judgement=None,
            relevance=0.0,
            relevant=False,
            tunnel=old.tunnel,
            reason=f"is a {page.content_type}, no page: {len(page.links):,} links were taken from it",
            links=parts.evidence.of_page(page, source) if follow else None,
        )

    def count(self, visit: Visit) -> None:
        """What a visit used up of its host's limits."""
        if visit.link.kind in LISTS:
            self._read[visit.link.kind][visit.link.host] += 1
        if visit.links is not None and visit.response.outcome is Outcome.OK and self.is_sitemap(visit.link):
            self._listed[visit.links.source.host] += visit.links.links.kinds.count(LinkKind.LISTED)


def _voucher(link: Link) -> str:
    """The host that vouches for what a sitemap lists."""
    return link.batch.source.host if link.kind is LinkKind.SITEMAP else link.host


def _sitemaps(batch: LinkBatch) -> list[int]:
    """Keys of the sitemaps among links."""
    kinds = zip(batch.links.keys.tolist(), batch.links.kinds, strict=True)
    return [number for number, kind in kinds if kind is LinkKind.SITEMAP]
