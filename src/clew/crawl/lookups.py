"""Whom strategies may ask about the web: who links to a page, and what a search engine finds.

Back links come from the provider that ``[providers]`` in clew.toml names; without one from the web itself where it is
closed or simulated (all of it can be looked through), and from the pages that this crawl has read in the live web.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from clew.crawl.events import decide
from clew.errors import ClewError
from clew.model import Decision
from clew.store.base import Store
from clew.web.providers.base import BacklinkProvider, SearchProvider


@dataclass(slots=True)
class LookUps:
    """Providers, made when they are first asked. Whatever keeps one from answering is noted once, and is no answer."""

    store: Store
    make_backlinks: Callable[[], BacklinkProvider]
    make_search: Callable[[], SearchProvider | None] = lambda: None
    _backlinks: BacklinkProvider | None = None
    _search: SearchProvider | None = None
    _noted: set[str] = field(default_factory=set)

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """At most ``limit`` pages that link to ``url``; [] when nobody says."""
        try:
            self._backlinks = self._backlinks or self.make_backlinks()
            found = await self._backlinks.backlinks(url, limit)
        except ClewError as error:
            return self._silent("back links", error)
        self.store.journal.count("backlink questions", 1)
        return found

    async def search(self, query: str, limit: int) -> list[str]:
        """At most ``limit`` pages found by words; [] when nobody says."""
        try:
            self._search = self._search or self.make_search()
            if self._search is None:
                return []
            found = [hit.url for hit in await self._search.search(query, limit)]
        except ClewError as error:
            return self._silent("search", error)
        self.store.journal.count("searches", 1)
        return found

    async def close(self) -> None:
        """Let go of the providers."""
        for provider in (self._backlinks, self._search):
            if provider is not None:
                await provider.close()

    def _silent(self, kind: str, error: ClewError) -> list[str]:
        if kind not in self._noted:
            self._noted.add(kind)
            decide(self.store, Decision(f"no {kind}", {"reason": str(error)}))
        return []
