"""Which links are not fetched when their turn comes, and why: out of scope, the host's budget is spent, or what was
seen of the host speaks against it."""

from __future__ import annotations

from clew.crawl.lessons import Lessons
from clew.crawl.listings import ENOUGH, OFF, Listings
from clew.crawl.parts import Parts
from clew.frontier.base import Lease
from clew.model import Link, Outcome, Response

HOST_BUDGET = "host budget"
"""How the reason of a refusal begins that a larger ``crawl.host_budget`` takes back."""

FREE = (Outcome.REFUSED, Outcome.ABSENT, Outcome.DEFERRED)
"""Outcomes of links for which no request need have been sent."""


class Refusing:
    """What is asked before a link is fetched, and told what came of it."""

    def __init__(self, parts: Parts, listings: Listings, lessons: Lessons) -> None:
        self.parts, self.lessons = parts, lessons
        self.listings = listings

    def resume(self) -> None:
        """Take back what was refused for reasons that may not hold any more."""
        for reason in (HOST_BUDGET, ENOUGH, OFF):
            self.parts.store.links.readmit(reason=reason)
        self.lessons.take_back()

    def why_not(self, lease: Lease, link: Link) -> str:
        """Why a link is not fetched; "" when it is."""
        out = self.listings.why_not(link)  # the scope may have changed since the link was found
        return out or self._overspent(lease.host) or self.lessons.why_not(link)

    def _overspent(self, host: int) -> str:
        most = self.parts.settings.crawl.host_budget
        if not most or self.parts.store.hosts.spent(host) < most:
            return ""
        return f"{HOST_BUDGET}: {most:,} requests were sent to it (crawl.host_budget)"

    def fetched(self, lease: Lease, response: Response) -> None:
        """An answer came. A page taken from the cache counts as a request; a robots.txt does not."""
        sent = response.requests if response.outcome in FREE else max(response.requests, 1)
        self.parts.store.hosts.spend(lease.host, sent)
