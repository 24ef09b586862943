"""Sitemaps and feeds in the live world: what robots.txt names, and what is downloaded of a list of links."""

from __future__ import annotations

import pytest
from web_live_site import answer, serving, settled, visiting

from clew.config import settings_from
from clew.model import Outcome, Request
from clew.text.mediatypes import wanted_types
from clew.web.clock import VirtualClock
from clew.web.live.robots import MAX_SITEMAPS, sitemap_urls

ROBOTS = b"""\xef\xbb\xbfSitemap: http://a.test/one.xml
User-agent: other\rSITEMAP:/two.xml
User-agent: *
Disallow: /private
Sitemap : http://b.test/three.xml # of others
Sitemap: http://[
Sitemap: http://a.test/one.xml"""


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1000.0)


async def test_the_answer_that_brings_robots_brings_its_sitemaps(clock: VirtualClock) -> None:
    async with serving(clock, {"/robots.txt": answer(ROBOTS)}) as site, visiting(clock) as world:
        first = await world.fetch(Request(site.url()))
        while not first.robots_requests:
            assert first.sitemaps == ()
            await clock.sleep_until(first.retry_at or 0)
            first = await world.fetch(Request(site.url()))
        assert first.outcome is Outcome.DEFERRED
        assert first.sitemaps == ("http://a.test/one.xml", site.url("/two.xml"), "http://b.test/three.xml")
        assert (await settled(world, clock, site.url())).sitemaps == ()


def test_not_more_sitemaps_than_anybody_needs() -> None:
    named = [f"/{number}.xml" for number in range(10 * MAX_SITEMAPS)]
    assert len(sitemap_urls(named, "http://a.test/robots.txt")) == MAX_SITEMAPS


async def test_lists_are_taken_whatever_they_are_served_as_up_to_their_own_limit(clock: VirtualClock) -> None:
    big, huge = b"<urlset>" + b" " * 9_000, b"<urlset>" + b" " * 30_000
    pages = {
        "/big.xml": answer(big, Content_Type="application/x-gzip"),
        "/huge.xml": answer(huge, Content_Type="application/xml"),
    }
    limits = {"page_bytes": 5_000, "sitemap_bytes": 20_000}
    async with serving(clock, pages) as site, visiting(clock, limits=limits) as world:
        taken = await settled(world, clock, site.url("/big.xml"), listing=True)
        assert (taken.outcome, taken.body) == (Outcome.OK, big)
        assert (await settled(world, clock, site.url("/big.xml"))).outcome is Outcome.FAILED
        refused = await settled(world, clock, site.url("/huge.xml"), listing=True)
        assert refused.outcome is Outcome.FAILED
        assert "20000 bytes" in refused.reason
        assert "limits.sitemap_bytes" in refused.reason


def test_content_types_of_feeds_are_wanted_where_feeds_are() -> None:
    assert "application/rss+xml" not in wanted_types(settings_from({}))
    wanted = wanted_types(settings_from({"crawl": {"feeds": True}}))
    types = {"application/rss+xml", "application/atom+xml", "application/xml", "text/xml", "application/feed+json"}
    assert types <= set(wanted)
    assert "application/pdf" not in wanted
