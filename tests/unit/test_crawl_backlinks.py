"""The project's own crawl as a back-link provider, against links read off a simulated web."""

from __future__ import annotations

from pathlib import Path

from clew.crawl.owncrawl import OwnCrawl
from clew.model import Outcome
from clew.project.project import Project
from clew.web.providers.base import BacklinkProvider
from support import clew_process, init_plain


async def test_back_links_are_those_of_the_visited_pages(tmp_path: Path) -> None:
    init_plain(tmp_path / "p", "--web", "sim:pages=1000,seed=5")
    clew_process("crawl", tmp_path / "p", "--quiet", "--max-pages", 60)
    store = Project(tmp_path / "p").open_store(read_only=True)
    provider: BacklinkProvider = OwnCrawl(store)
    pages = {row.number: row.url for row in store.visits.rows()}
    links = {row: set(batch.links.urls) for row, batch in store.links.batches() if row > 0}
    redirects = {row.number: row.url for row in store.visits.rows(outcome=Outcome.REDIRECT)}
    moved = [redirects[row] for row in redirects if row in links]
    assert moved
    for _ in moved:  # a link to a redirect is one to its target too, after as many rounds as there are in a chain
        for row, url in redirects.items():
            for other in links.values():
                other.update(links.get(row, ()) if url in other else ())
    ends = {url for row in redirects for url in links.pop(row, set())}
    targets = sorted({url for urls in links.values() for url in urls})
    most = max(targets, key=lambda url: sum(url in urls for urls in links.values()))
    for url in (most, targets[0], targets[-1], *ends):
        expected = [pages[row] for row in sorted(links) if url in links[row] and pages[row] != url]
        assert await provider.backlinks(url, 1000) == expected
        assert await provider.backlinks(url, 2) == expected[:2]
    assert await provider.backlinks("http://nowhere.test/", 10) == []
    await provider.close()
    store.close()
