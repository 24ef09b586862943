"""Back-links that the project's own crawl has seen: a provider that asks nobody."""

from __future__ import annotations

from dataclasses import dataclass

from clew.model import Outcome
from clew.store.base import Store
from clew.urls.canonical import key
from clew.web.providers.base import BacklinkProvider


@dataclass(frozen=True, slots=True)
class OwnCrawl(BacklinkProvider):
    """Back links from the links of all visited pages."""

    store: Store
    name: str = "own crawl"

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """At most ``limit`` URLs of visited pages that link to canonical ``url``, or to a redirect that leads there, in
        the order of their visits."""
        numbers, waiting, seen = set[int](), [key(url)], {key(url)}
        while waiting:
            for number in {row for row, _, _ in self.store.links.find(waiting.pop()) if row > 0}:
                visit = self.store.visits.get(number)
                if visit is None or visit.outcome is not Outcome.REDIRECT:
                    numbers.add(number)
                elif visit.key not in seen:
                    seen.add(visit.key)
                    waiting.append(visit.key)
        return [found for found in self.store.visits.urls(sorted(numbers)).values() if found != url][:limit]
