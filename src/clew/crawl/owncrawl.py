"""Back-links that the project's own crawl has seen: a provider that asks nobody."""

from __future__ import annotations

from dataclasses import dataclass

from clew.store.base import Store
from clew.urls.canonical import key
from clew.web.providers.base import BacklinkProvider


@dataclass(frozen=True, slots=True)
class OwnCrawl(BacklinkProvider):
    """Back links from the links of all visited pages."""

    store: Store
    name: str = "own crawl"

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """At most ``limit`` URLs of visited pages that link to canonical ``url``, in the order of their visits."""
        numbers = dict.fromkeys(row for row, _, _ in self.store.links.find(key(url)) if row > 0)
        return [found for found in self.store.visits.urls(sorted(numbers)).values() if found != url][:limit]
