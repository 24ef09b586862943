"""What a setting kept out is asked for again when the setting changed: servers on loopback, two runs of a crawl."""

from __future__ import annotations

import asyncio
import io
import sqlite3
import time
import zipfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from outages_web import Servers, live_crawl, page
from traps_web import MadeUp, crawl_of
from web_live_site import Handler, answer

from clew.judges.base import Judge
from clew.model import Example, Judgement, Outcome, Page, Response

BIG = answer(b"<p>sailing sailing<!--" + b"x" * 20_000 + b"-->")
SMALL, LARGE = {"page_bytes": 10_000}, {"page_bytes": 1_000_000}


def visits(folder: Path) -> list[tuple[str, str, str, int]]:
    """Path, outcome, reason and relevance of every visit, in order."""
    with closing(sqlite3.connect(folder / "crawl.db")) as connection:
        rows = connection.execute("SELECT url, outcome, reason, relevant FROM visits ORDER BY number").fetchall()
    return [("/" + url.split("/", 3)[3], outcome, reason, relevant) for url, outcome, reason, relevant in rows]


def odt() -> bytes:
    """A document about sailing."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        package.writestr(
            "content.xml",
            '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
            'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
            "<text:p>sailing yachts</text:p></office:text></office:body></office:document-content>",
        )
    return target.getvalue()


class SlowJudge(Judge):
    """Takes a second and a half for a page that says so."""

    def __init__(self) -> None:
        self.topics = ("relevant",)

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        time.sleep(1.5 * sum(page.title == "slow" for page in pages))
        return [Judgement(np.ones(1, np.float32), 0, 1.0) for _ in pages]


async def slow(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(0.5)
    writer.write(answer(b"<p>sailing slowly"))


async def late_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n")
    await writer.drain()
    await asyncio.sleep(0.5)
    writer.write(b"<p>sailing")


def to(path: str) -> bytes:
    return answer(b"", "302 Found", Location=path)


LONG_PATH = "/" + "sailing" * 30
CASES: dict[str, tuple[dict[str, Handler], dict[str, Any], dict[str, Any], str]] = {
    "page_bytes, as sent": ({"/x": BIG}, SMALL, LARGE, "as sent (limits.page_bytes)"),
    "page_s, no answer": ({"/x": slow}, {"page_s": 0.2}, {"page_s": 5.0}, "no answer within 0.2 s (limits.page_s)"),
    "page_s, no body": ({"/x": late_body}, {"page_s": 0.2}, {"page_s": 5.0}, "after 0.2 s (limits.page_s)"),
    "header_bytes": (
        {"/x": answer(b"<p>sailing", X_Long="x" * 2_000)},
        {"header_bytes": 1_000},
        {"header_bytes": 9_000},
        "(limits.header_bytes)",
    ),
    "redirects": (
        {"/x": to("/1"), "/1": to("/2"), "/2": page()},
        {"redirects": 1},
        {"redirects": 3},
        "more than 1 redirects (limits.redirects)",
    ),
    "content_types": (
        {"/x": answer(b"<p>sailing", Content_Type="text/x-log")},
        {},
        {"content_types": ["text/html", "text/x-log"]},
        "content type text/x-log is not wanted (limits.content_types)",
    ),
    "content_types, all": (
        {"/x": answer(b"sailing", Content_Type="text/x-log")},
        {},
        {"content_types": []},
        "content type text/x-log is not wanted (limits.content_types)",
    ),
    "documents, by type": (
        {"/x": answer(odt(), Content_Type="application/vnd.oasis.opendocument.text")},
        {},
        {"documents": True},
        "is not wanted (limits.content_types)",
    ),
    "documents, by bytes": ({"/x": answer(odt())}, {}, {"documents": True}, "(limits.documents)"),
}


@pytest.mark.parametrize("case", CASES)
async def test_a_page_that_a_limit_kept_out_is_asked_for_again(
    case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pages, low, high, reason = CASES[case]
    if "documents" in high:
        pytest.importorskip("pypdf")
    caplog.set_level("INFO", "clew.crawl")
    async with Servers({"/": page(["/x", "/other"]), "/other": answer(b"<p>sailing elsewhere"), **pages}) as server:
        for limits in (low, low):  # with the same limits the second run asks for nothing
            first = await live_crawl([server.url()], folder=tmp_path, limits=limits, crawl={"max_attempts": 2}).run()
        failed = [visit for visit in visits(tmp_path) if visit[2].endswith(reason)]
        assert len(failed) == 1 and failed[0][3] == 0
        asked, known = len(server.pages()), len(visits(tmp_path))
        second = await live_crawl([server.url()], folder=tmp_path, limits=high).run()
        third = await live_crawl([server.url()], folder=tmp_path, limits=high).run()
    later = visits(tmp_path)[known:]
    assert later[0][0] == failed[0][0] and later[-1][1:] == ("ok", "", 1)
    assert len(later) == len(server.pages()) - asked, "nothing else is asked for, and nothing twice"
    assert second.fetched - first.fetched == len(later) and third.fetched == second.fetched
    assert second.relevant == sum(visit[3] for visit in visits(tmp_path)) == first.relevant + 1
    said = [record.getMessage() for record in caplog.records if getattr(record, "event", "") == "asked again"]
    assert said == ["1 page is asked for again: the settings that kept it out were changed"]


async def test_lower_limits_ask_for_nothing_again(tmp_path: Path) -> None:
    async with Servers({"/": page(["/x"]), "/x": BIG}) as server:
        for limits in (SMALL, {"page_bytes": 9_000}, {"page_bytes": 9_000, "page_s": 60.0}):
            await live_crawl([server.url()], folder=tmp_path, limits=limits).run()
    assert server.pages() == [f"127.0.0.1:{server.port}/", f"127.0.0.1:{server.port}/x"]


async def test_a_limit_that_is_still_too_low_is_one_more_fetch(tmp_path: Path) -> None:
    async with Servers({"/": page(["/x"]), "/x": BIG}) as server:
        for most in (10_000, 15_000, 15_000, 15_000):
            await live_crawl([server.url()], folder=tmp_path, limits={"page_bytes": most}).run()
    assert server.site.paths().count("/x") == 2
    assert [reason for _, _, reason, _ in visits(tmp_path)[1:]] == [
        f"larger than {most} bytes as sent (limits.page_bytes)" for most in (10_000, 15_000)
    ]


async def test_a_sitemap_that_was_too_large_is_read_later(tmp_path: Path) -> None:
    listed = b"<urlset>" + b"".join(b"<url><loc>http://HOST/%d</loc></url>" % n for n in range(40)) + b"</urlset>"
    async with Servers({"/": page()}) as server:
        place = server.url()[7:-1]
        body = listed.replace(b"HOST", place.encode())
        robots = answer(f"Sitemap: {server.url('/map.xml')}\n".encode(), Content_Type="text/plain")
        server.site.pages.update({"/robots.txt": robots, "/map.xml": answer(body, Content_Type="text/xml")})
        server.site.pages.update({f"/{n}": page() for n in range(40)})
        low, high = {"sitemap_bytes": 1_000, "sitemaps": 1}, {"sitemap_bytes": 100_000, "sitemaps": 1}
        await live_crawl([server.url()], folder=tmp_path, limits=low).run()
        assert visits(tmp_path)[-1][2].endswith("(limits.sitemap_bytes)")
        await live_crawl([server.url()], folder=tmp_path, limits=high).run()
    paths = [visit[0] for visit in visits(tmp_path)]
    assert paths.count("/map.xml") == 2 and {f"/{n}" for n in range(40)} <= set(paths)


async def test_redirects_out_of_the_scope_are_followed_when_it_grows(tmp_path: Path) -> None:
    pages: dict[str, Handler] = {
        "/x": to("/away"), "/away": page(), "/y": to(LONG_PATH), LONG_PATH: page(), "/z": to("ftp://a.test/")
    }  # fmt: skip
    async with Servers({"/": page(["/x", "/y", "/z"]), **pages}) as server:
        small: dict[str, Any] = {"exclude_paths": ["^/away"], "url_length": 100}
        await live_crawl([server.url()], folder=tmp_path, scope=small).run()
        reasons = [visit[2] for visit in visits(tmp_path)[1:]]
        assert "scope.exclude_paths" in reasons[0] and reasons[1].endswith("no web page")
        await live_crawl([server.url()], folder=tmp_path).run()
    assert [visit[0] for visit in visits(tmp_path)[4:]] == ["/x", "/y", "/away", LONG_PATH]


async def test_a_page_that_took_too_long_to_read_is_read_with_more_time(tmp_path: Path) -> None:
    """In a worker process, by the timer that ends it."""
    async with Servers({"/": page(["/x"]), "/x": answer(b"<title>slow</title>")}) as server:
        for read_s, reason in ((0.5, "it took longer than 0.5 s (limits.read_s)"), (20.0, "")):
            limits = {"read_s": read_s}
            crawl = {"workers": 1}
            await live_crawl([server.url()], folder=tmp_path, limits=limits, crawl=crawl, judge=SlowJudge()).run()
            assert visits(tmp_path)[-1][2].endswith(reason) and bool(visits(tmp_path)[-1][2]) is bool(reason)


def test_tries_begin_anew_and_all_of_them_count(tmp_path: Path) -> None:
    """In a world of one's own, under a virtual clock: what failed after three tries has three more."""
    calls: list[str] = []

    def answers(url: str) -> str | Response:
        calls.append(url)
        if url.endswith("/x") and len(calls) < 7:
            return Response(url, Outcome.FAILED, reason="no answer within 1 s (limits.page_s)", retry_at=1.0)
        return f"<p>sailing{' sailing' * len(url)} <a href=/x>x</a>"

    seeds = ["http://a.test/"]
    first = crawl_of(MadeUp(answers), seeds, folder=tmp_path, settings={"limits": {"page_s": 1.0}}).run_sync()
    assert (first.fetched, first.failed) == (4, 1)
    second = crawl_of(MadeUp(answers), seeds, folder=tmp_path, settings={"limits": {"page_s": 9.0}}).run_sync()
    assert (second.fetched, second.failed, second.relevant) == (7, 1, 2)


def test_a_stop_between_loses_nothing_of_it(tmp_path: Path) -> None:
    """The run that raised the limit ends before it comes to the page; the next one with this limit asks for it."""

    def answers(url: str) -> str | Response:
        if url.endswith("/x") and not high:
            return Response(url, Outcome.FAILED, reason="larger than 9 bytes (limits.page_bytes)")
        return f"<p>sailing {url} <a href=/x>x</a> {''.join(f'<a href=/{n}>n</a>' for n in range(5))}"

    high = False
    world, seeds = MadeUp(answers), ["http://a.test/"]
    crawl_of(world, seeds, folder=tmp_path, settings={"limits": {"page_bytes": 9}}).run_sync(4)
    assert world.asked.count("http://a.test/x") == 1
    high, more = True, {"limits": {"page_bytes": 99}, "crawl": {"session_pages": 3}}
    crawl_of(world, seeds, folder=tmp_path, settings=more).run_sync(4)
    assert world.asked.count("http://a.test/x") == 1
    for _ in range(2):
        crawl_of(world, seeds, folder=tmp_path, settings=more).run_sync()
    assert world.asked.count("http://a.test/x") == 2
