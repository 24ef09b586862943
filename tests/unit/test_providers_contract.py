"""What every search and back-link provider promises: limit, order, no duplicates, canonical URLs, empty answers."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from providers_servers import Wiki, items, searxng, serving

from clew.testing import BacklinkProviderContract, SearchProviderContract
from clew.web.providers.base import BacklinkProvider, SearchProvider
from clew.web.providers.registry import make

TITLES = ["A b", "C", "A b", "D/e", "É", "F", "G?", "H"]  # one twice
PATHS = ["A_b", "C", "D/e", "%C3%89", "F", "G%3F", "H"]
TARGET = "T x"


@asynccontextmanager
async def provider(kind: str, folder: Path) -> AsyncIterator[tuple[SearchProvider | BacklinkProvider, str, str]]:
    """A provider that knows PATHS (one of them twice) of a root; the root and the URL that the pages link to."""
    wiki = Wiki(TITLES)
    wiki.linking[TARGET] = [{"ns": 0, "title": title, "pageid": 1} for title in TITLES]
    urls: list[str] = []
    routes = {"/search": searxng(urls, page=3), "/w/api.php": wiki.handle, "/find": items(urls)}
    async with serving(routes) as root:
        start, target = f"{root}/wiki/", f"{root}/wiki/T_x"
        urls += [start + path for path in (*PATHS[:2], PATHS[0] + "#part", "../mailto", *PATHS[2:])]
        urls[3] = "mailto:a@b.test"
        lines = [f"{url}\t{target}\n" for url in urls] + [f"{target}\t{target}\n"]
        (folder / "edges.gz").write_bytes(gzip.compress("".join(lines).encode()))
        settings: dict[str, dict[str, object]] = {
            "searxng": {"url": root},
            "mediawiki": {"url": f"{root}/w"},
            "json": {
                "url": f"{root}/find?what={{query}}&page={{page}}",
                "results": "data.items",
                "fields": {"url": "link.href", "title": "name"},
                "first_page": 0,
            },
            "edgelist": {"path": "edges.gz"},
        }
        made = make({"kind": kind, "spacing": 0.0, **settings[kind]}, folder)
        try:
            yield made, start, target
        finally:
            await made.close()
            await made.close()


SEARCH = ["searxng", "mediawiki", "json"]
BACKLINKS = ["mediawiki", "json", "edgelist"]


class TestSearch(SearchProviderContract):
    query = "sailing & boats"

    @pytest.fixture(autouse=True, params=SEARCH)
    def kinds(self, request: pytest.FixtureRequest) -> None:
        self.kind = request.param

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[SearchProvider]:
        async with provider(self.kind, self.folder) as (made, _, _):
            yield made

    def make(self) -> SearchProvider:
        raise AssertionError("they are made in opened, beside a server")


class TestBacklinks(BacklinkProviderContract):
    @pytest.fixture(autouse=True, params=BACKLINKS)
    def kinds(self, request: pytest.FixtureRequest) -> None:
        self.kind = request.param

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[BacklinkProvider]:
        async with provider(self.kind, self.folder) as (made, _, self.url):
            yield made

    def make(self) -> BacklinkProvider:
        raise AssertionError("they are made in opened, beside a server")


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 7, 50])
@pytest.mark.parametrize("kind", SEARCH)
async def test_search_gives_the_first_hits_in_order_without_duplicates(kind: str, limit: int, tmp_path: Path) -> None:
    async with provider(kind, tmp_path) as (made, start, _):
        assert isinstance(made, SearchProvider)
        hits = await made.search("sailing & boats", limit)
    assert [hit.url for hit in hits] == [start + path for path in PATHS[:limit]]
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert all(hit.title for hit in hits)


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 7, 50])
@pytest.mark.parametrize("kind", BACKLINKS)
async def test_backlinks_come_in_order_without_duplicates(kind: str, limit: int, tmp_path: Path) -> None:
    async with provider(kind, tmp_path) as (made, start, target):
        assert isinstance(made, BacklinkProvider)
        assert await made.backlinks(target, limit) == [start + path for path in PATHS[:limit]]


@pytest.mark.parametrize("kind", SEARCH)
async def test_no_hits_are_an_empty_list(kind: str, tmp_path: Path) -> None:
    async with provider(kind, tmp_path) as (made, _, _):
        assert isinstance(made, SearchProvider)
        assert await made.search("nothing", 10) == []


@pytest.mark.parametrize("kind", BACKLINKS)
async def test_no_backlinks_are_an_empty_list(kind: str, tmp_path: Path) -> None:
    async with provider(kind, tmp_path) as (made, _, _):
        assert isinstance(made, BacklinkProvider)
        assert await made.backlinks("http://nothing.test/", 10) == []
