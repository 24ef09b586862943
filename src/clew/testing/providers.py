"""What every search provider and back-link provider promises."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

from clew.testing.contract import Contract
from clew.urls.canonical import canonical
from clew.web.providers.base import BacklinkProvider, Provider, SearchProvider

P = TypeVar("P", bound=Provider)

LIMITS = (0, 1, 2, 5, 50)
EVERYTHING = 1_000


class ProviderContract(Contract, Generic[P]):
    """What both kinds share. ``make`` gives a provider."""

    @abstractmethod
    def make(self) -> P:
        """A provider that can answer."""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[P]:
        """The provider, closed afterwards."""
        provider = self.make()
        try:
            yield provider
        finally:
            await provider.close()

    def run(self, test: Callable[[P], Awaitable[None]]) -> None:
        """Run a test with a provider."""

        async def with_provider() -> None:
            async with self.opened() as provider:
                await test(provider)

        asyncio.run(with_provider())

    def check_urls(self, urls: list[str]) -> None:
        """Canonical, none twice."""
        assert len(set(urls)) == len(urls), "a URL comes twice"
        assert [canonical(url) for url in urls] == urls, "URLs are not canonical: let a Collector gather them"

    def test_it_has_a_name(self) -> None:
        """Its answers are kept under that."""

        async def check(provider: P) -> None:
            assert provider.name

        self.run(check)

    def test_closing_twice_is_fine(self) -> None:
        """Whoever tidies up need not know who did before."""

        async def check(provider: P) -> None:
            await provider.close()
            await provider.close()

        self.run(check)


class SearchProviderContract(ProviderContract[SearchProvider]):
    """A search provider that finds at least two pages for ``query`` and none for ``nothing``."""

    query: str = "sailing boats"
    nothing: str = "nothing"

    def test_hits_are_canonical_none_twice_and_ranked(self) -> None:
        """From rank 1."""

        async def check(provider: SearchProvider) -> None:
            hits = await provider.search(self.query, EVERYTHING)
            assert len(hits) >= 2, f"there must be two hits for {self.query!r}"
            self.check_urls([hit.url for hit in hits])
            assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))

        self.run(check)

    def test_a_limit_gives_the_first_hits(self) -> None:
        """No more, and in the same order."""

        async def check(provider: SearchProvider) -> None:
            hits = [hit.url for hit in await provider.search(self.query, EVERYTHING)]
            for limit in LIMITS:
                assert [hit.url for hit in await provider.search(self.query, limit)] == hits[:limit]

        self.run(check)

    def test_no_hits_are_an_empty_list(self) -> None:
        """And no error."""

        async def check(provider: SearchProvider) -> None:
            assert await provider.search(self.nothing, 10) == []

        self.run(check)

    def test_odd_queries_are_answered(self) -> None:
        """Queries are made of words of pages, whatever these are."""

        async def check(provider: SearchProvider) -> None:
            for query in ("", " ", "50% & more? #1", '"half a quotation', "Ελλάδα 日本", "a" * 2_000):
                self.check_urls([hit.url for hit in await provider.search(query, 3)])

        self.run(check)


class BacklinkProviderContract(ProviderContract[BacklinkProvider]):
    """A back-link provider that knows at least two pages that link to ``url`` and none that link to ``unlinked``."""

    url: str = ""
    unlinked: str = "http://nothing.test/"

    def test_pages_are_canonical_none_twice_and_never_the_page_itself(self) -> None:
        """A page that links to itself leads nowhere new."""

        async def check(provider: BacklinkProvider) -> None:
            urls = await provider.backlinks(self.url, EVERYTHING)
            assert len(urls) >= 2, f"two pages must link to {self.url!r}"
            self.check_urls(urls)
            assert self.url not in urls

        self.run(check)

    def test_a_limit_gives_the_first_pages(self) -> None:
        """No more, and in the same order."""

        async def check(provider: BacklinkProvider) -> None:
            urls = await provider.backlinks(self.url, EVERYTHING)
            for limit in LIMITS:
                assert await provider.backlinks(self.url, limit) == urls[:limit]

        self.run(check)

    def test_no_backlinks_are_an_empty_list(self) -> None:
        """And no error."""

        async def check(provider: BacklinkProvider) -> None:
            assert await provider.backlinks(self.unlinked, 10) == []

        self.run(check)
