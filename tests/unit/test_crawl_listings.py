"""Sitemaps and feeds in a crawl: what is asked for, how much is taken, what stays when a crawl goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew import Crawl, World
from clew.judges.keywords import KeywordsJudge
from clew.model import Judgement, LinkKind, Outcome, Page, Request, Response
from clew.store.sqlite import SqliteStore
from clew.urls.canonical import host

KEYWORDS = {"interest": {"keywords": {"sailing": 1.0, "boats": 1.0}}, "judge": {"name": "keywords"}}
PAGE = "<html lang=en><title>x</title><p>sailing boats"


def urlset(*urls: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>"


def index(*urls: str) -> str:
    return "<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls) + "</sitemapindex>"


class Web(World):
    """Answers with its ``bodies`` (one that begins with "=> " redirects), else with PAGE; the first answer of a host
    brings what its robots.txt names."""

    closed = True

    def __init__(self, bodies: Mapping[str, str], robots: Mapping[str, Sequence[str]] | None = None) -> None:
        self.bodies, self.robots = bodies, dict(robots or {})
        self.asked: list[str] = []
        self.listings: list[str] = []

    async def fetch(self, request: Request) -> Response:
        named = self.robots.pop(host(request.url), None)
        if named is not None:
            return Response(request.url, Outcome.DEFERRED, requests=0, robots_requests=1, sitemaps=tuple(named))
        self.asked.append(request.url)
        if request.listing:
            self.listings.append(request.url)
        body = self.bodies.get(request.url, PAGE)
        if body.startswith("=> "):
            return Response(request.url, Outcome.REDIRECT, 302, location=body[3:])
        kind = "application/xml" if body.startswith(("<urlset", "<sitemapindex", "<rss", "<feed")) else "text/html"
        return Response(request.url, Outcome.OK, 200, (("Content-Type", kind),), body.encode())


def crawled(
    web: Web, folder: Path | None = None, max_pages: int = 100, strategy: str = "breadth-first", **tables: Any
) -> Crawl:
    settings = {**KEYWORDS, "traps": {"soft_404": 0}, **tables}  # all pages have one text
    crawl = Crawl(["http://a.test/"], world=web, strategy=strategy, settings=settings, folder=folder)
    crawl.run_sync(max_pages=max_pages)
    return crawl


def reasons(folder: Path) -> dict[str, str]:
    store = SqliteStore(folder / "crawl.db")
    store.open(read_only=True)
    try:
        with_page = {row.url: row.reason for row in store.visits.rows()}
        sql = "SELECT url, reason FROM refused"
        return with_page | dict(store._transaction.rows(sql))
    finally:
        store.close()


def test_of_many_links_the_best_are_followed_best_first() -> None:
    urls = [f"http://a.test/tax/{n}" for n in range(300)]
    urls[100] = "http://a.test/sailing/late"
    urls[200] = "http://a.test/sailing-boats/latest"
    web = Web({"http://a.test/s.xml": urlset(*urls)}, {"a.test": ["http://a.test/s.xml"]})
    crawl = crawled(web, limits={"sitemap_links": 4}, strategy="best-first")
    assert set(web.asked[:2]) == {"http://a.test/", "http://a.test/s.xml"}
    assert set(web.asked[2:4]) == {urls[100], urls[200]}
    assert len(web.asked) == 2 + 4
    assert "http://a.test/s.xml" not in {page.url for page in crawl.pages()}


def test_sitemaps_that_are_named_together_share_what_their_host_may_add() -> None:
    first = urlset(*(f"http://a.test/one/{n}" for n in range(50)))
    second = urlset(*(f"http://a.test/two/{n}" for n in range(50)))
    bodies = {"http://a.test/1.xml": first, "http://a.test/2.xml": second}
    web = Web(bodies, {"a.test": list(bodies)})
    crawled(web, limits={"sitemap_links": 10})
    assert sum("/one/" in url for url in web.asked) == 5
    assert sum("/two/" in url for url in web.asked) == 5


def test_no_more_sitemaps_are_read_than_the_limit_says_until_it_is_raised(tmp_path: Path) -> None:
    bodies = {f"http://a.test/{n}.xml": urlset(f"http://a.test/page/{n}") for n in range(5)}
    bodies["http://a.test/index.xml"] = index(*bodies)
    robots = {"a.test": ["http://a.test/index.xml"]}
    web = Web(bodies, robots)
    crawled(web, tmp_path, limits={"sitemaps": 3})
    assert web.listings == ["http://a.test/index.xml", "http://a.test/0.xml", "http://a.test/1.xml"]
    assert "limits.sitemaps" in reasons(tmp_path)["http://a.test/2.xml"]
    crawled(Web(bodies, robots), tmp_path, limits={"sitemaps": 3})
    again = Web(bodies, robots)
    crawled(again, tmp_path, limits={"sitemaps": 4})
    assert again.asked == ["http://a.test/2.xml", "http://a.test/page/2"]


def test_links_of_earlier_runs_count(tmp_path: Path) -> None:
    bodies = {f"http://a.test/{n}.xml": urlset(*(f"http://a.test/{n}/{m}" for m in range(20))) for n in range(3)}
    bodies["http://a.test/index.xml"] = index(*bodies)
    web = Web(bodies, {"a.test": ["http://a.test/index.xml"]})
    tables = {"limits": {"sitemap_links": 12}}
    crawled(web, tmp_path, max_pages=3, **tables)
    assert web.listings == ["http://a.test/index.xml", "http://a.test/0.xml"]
    rest = Web(bodies)
    crawled(rest, tmp_path, **tables)
    assert rest.listings == ["http://a.test/1.xml", "http://a.test/2.xml"]
    assert len(rest.asked) == 2 + 12


@pytest.mark.parametrize(
    ("wanted", "read"),
    [("off", []), ("seeds", ["http://a.test/s.xml"]), ("all", ["http://a.test/s.xml", "http://b.test/s.xml"])],
)
def test_whose_sitemaps_are_read(wanted: str, read: list[str]) -> None:
    bodies = {
        "http://a.test/": PAGE + "<a href=http://b.test/>b",
        "http://a.test/s.xml": urlset("http://a.test/1"),
        "http://b.test/s.xml": urlset("http://b.test/1"),
    }
    web = Web(bodies, {"a.test": ["http://a.test/s.xml"], "b.test": ["http://b.test/s.xml"]})
    crawled(web, crawl={"sitemaps": wanted})
    assert sorted(web.listings) == read
    assert ("http://b.test/1" in web.asked) == (wanted == "all")


def test_a_sitemap_speaks_for_the_host_that_vouches_for_it_and_for_its_own() -> None:
    """Also when it was moved, and for the sitemaps that it names."""
    bodies = {
        "http://a.test/s.xml": "=> http://maps.test/moved.xml",
        "http://maps.test/moved.xml": index("http://maps.test/a.xml", "http://evil.test/s.xml"),
        "http://maps.test/a.xml": urlset("http://a.test/1", "http://maps.test/2", "http://evil.test/3"),
        "http://evil.test/s.xml": urlset("http://evil.test/4"),
    }
    web = Web(bodies, {"a.test": ["http://a.test/s.xml"]})
    crawled(web)
    assert set(web.asked) == {"http://a.test/", *list(bodies)[:3], "http://a.test/1", "http://maps.test/2"}
    assert set(web.listings) == set(list(bodies)[:3])


def test_a_sitemap_is_one_whoever_links_to_it_and_lies_outside_of_the_paths_that_are_asked_for(tmp_path: Path) -> None:
    bodies = {
        "http://a.test/": PAGE + "<a href=/s.xml.gz>map</a>",
        "http://a.test/s.xml.gz": urlset("http://a.test/boats/1", "http://a.test/2"),
    }
    web = Web(bodies, {"a.test": ["http://a.test/s.xml.gz"]})
    crawled(web, tmp_path, scope={"paths": ["^/$", "^/boats/"], "max_depth": 1})
    assert web.asked == ["http://a.test/", "http://a.test/s.xml.gz", "http://a.test/boats/1"]
    never = Web(bodies, {"a.test": ["http://a.test/s.xml.gz"]})
    crawled(never, scope={"exclude_paths": ["xml"]})
    assert never.asked == ["http://a.test/"]


def test_what_a_sitemap_says_is_kept_as_evidence(tmp_path: Path) -> None:
    body = (
        "<urlset><url><loc>/1</loc><lastmod>2026-11-01T09:00:00Z</lastmod><news:title>Sailing</news:title></url>"
        "<url><loc>/boats</loc></url></urlset>"
    )
    crawled(Web({"http://a.test/s.xml": body}, {"a.test": ["http://a.test/s.xml"]}), tmp_path).close()
    store = SqliteStore(tmp_path / "crawl.db")
    store.open(read_only=True)
    row = next(row for row in store.visits.rows() if row.kind is LinkKind.SITEMAP)
    batch = store.links.batch(row.number)
    assert (row.title, row.judged, row.relevant) == ("", False, False)
    assert batch.links.kinds == (LinkKind.LISTED, LinkKind.LISTED)
    assert dict(zip(batch.links.urls, batch.links.anchors, strict=True)) == {
        "http://a.test/1": "Sailing",
        "http://a.test/boats": "a test boats",
    }
    assert batch.links.dates is not None
    dates = dict(zip(batch.links.urls, batch.links.dates.tolist(), strict=True))
    assert dates["http://a.test/1"] == 1793523600.0
    assert np.isnan(dates["http://a.test/boats"])
    assert 0 < batch.source.relevance <= 1
    store.close()


@pytest.mark.parametrize("strategy", ["best-first", "random", "apprentice", "tunnelling", "bingo", "ariadne", "ache"])
def test_every_strategy_goes_through_a_sitemap(strategy: str) -> None:
    urls = [f"http://a.test/sailing/{n}" for n in range(5)]
    web = Web({"http://a.test/s.xml": urlset(*urls)}, {"a.test": ["http://a.test/s.xml"]})
    crawled(web, strategy=strategy, crawl={"session_pages": 2})
    assert set(web.asked) == {"http://a.test/", "http://a.test/s.xml", *urls}


class Choosy(KeywordsJudge):
    """Cannot judge what has no title."""

    name = "choosy"

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        if not all(page.title for page in pages):
            raise ValueError("no title")
        return super().judge(pages)


def test_a_judge_that_cannot_judge_urls_gets_the_first_links() -> None:
    urls = [f"http://a.test/{n}" for n in range(5)]
    web = Web({"http://a.test/s.xml": urlset(*urls)}, {"a.test": ["http://a.test/s.xml"]})
    settings = {**KEYWORDS, "judge": {"name": f"{__name__}:Choosy"}, "limits": {"sitemap_links": 3}}
    Crawl(["http://a.test/"], world=web, settings=settings).run_sync()
    assert set(web.asked) == {"http://a.test/", "http://a.test/s.xml", *urls[:3]}


FEED = (
    "<rss><channel><title>Boats</title><item><title>Sailing</title><link>/1</link></item>"
    "<item><title>x</title><link>/2</link></item></channel></rss>"
)
NAMES_FEEDS = PAGE + "".join(f"<link rel=alternate type='application/rss+xml' href=/{n}.rss>" for n in range(3))


def test_feeds_are_followed_only_when_they_are_asked_for() -> None:
    bodies = {"http://a.test/": NAMES_FEEDS} | {f"http://a.test/{n}.rss": FEED for n in range(3)}
    web = Web(bodies)
    crawled(web)
    assert web.asked == ["http://a.test/"]
    web = Web(bodies)
    crawl = crawled(web, crawl={"feeds": True}, limits={"feeds": 2})
    assert web.asked == [
        "http://a.test/",
        "http://a.test/0.rss",
        "http://a.test/1.rss",
        "http://a.test/1",
        "http://a.test/2",
    ]
    assert {page.url for page in crawl.pages()} == {"http://a.test/", "http://a.test/1", "http://a.test/2"}


def test_feeds_that_were_read_count_when_a_crawl_goes_on(tmp_path: Path) -> None:
    bodies = {"http://a.test/": NAMES_FEEDS} | {f"http://a.test/{n}.rss": FEED for n in range(3)}
    tables = {"crawl": {"feeds": True}, "limits": {"feeds": 2}}
    crawled(Web(bodies), tmp_path, max_pages=2, **tables)
    rest = Web(bodies)
    crawled(rest, tmp_path, **tables)
    assert rest.listings == ["http://a.test/1.rss"]
    assert "limits.feeds" in reasons(tmp_path)["http://a.test/2.rss"]
