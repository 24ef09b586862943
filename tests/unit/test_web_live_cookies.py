"""Cookies of a run: off unless asked for, sent back to their own host and to no other, bounded."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from web_live_site import answer, serving, settled, visiting

from clew.model import Outcome
from clew.web.clock import VirtualClock
from clew.web.live import cookies
from clew.web.live.cookies import Jar
from support import clew_json, exported, write_project

NOW = 1_000_000_000.0


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


def jar(*lines: str, url: str = "http://a.test/x/y") -> Jar:
    made = Jar()
    for line in lines:
        made.take(url, (("Set-Cookie", line),), NOW)
    return made


SENT = {
    "a=b": "a=b",
    "a=b; Path=/; HttpOnly; SameSite=Lax": "a=b",
    " a = b c ;x": "a=b c",
    'a="b"': 'a="b"',
    "a=b=c": "a=b=c",
    "a=": "a=",
    "a=b; Domain=a.test": "a=b",
    "a=b; domain=.A.TEST": "a=b",
    "a=b; Domain=test.": "a=b",  # that it names more hosts is no reason to send it to them
    "a=b; Path=/x": "a=b",
    "a=b; Path=nonsense": "a=b",
    "a=b; Max-Age=10": "a=b",
    "a=b; Expires=Thu, 01-Jan-2099 00:00:00 GMT": "a=b",
    "a=b; Expires=soon": "a=b",
    "a=b; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT": "a=b",
    # not for us, or no cookie
    "a": "",
    "=b": "",
    "": "",
    "a=b\x00c": "",
    "a=b\r\nX: y": "",
    "a=" + 5_000 * "b": "",
    "a=b; Secure": "",
    "__Host-a=b; Path=/": "",
    "a=b; Domain=b.test": "",
    "a=b; Domain=x.a.test": "",
    "a=b; Path=/z": "",
    "a=b; Path=/x/yy": "",
    "a=b; Max-Age=0": "",
    "a=b; Max-Age=-1": "",
    "a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT": "",
}


@pytest.mark.parametrize("line", SENT)
def test_what_is_sent_back_to_the_same_page(line: str) -> None:
    made = jar(line)
    assert made.header("http://a.test/x/y", NOW) == SENT[line]


@pytest.mark.parametrize(
    "url",
    ["http://b.test/x/y", "http://www.a.test/x/y", "http://test/x/y", "http://ba.test/x/y", "https://a.test.b.test/x/y",
     "http://127.0.0.1/x/y"],
)  # fmt: skip
def test_nothing_crosses_hosts(url: str) -> None:
    made = jar("a=b; Path=/", "c=d; Domain=a.test; Path=/", "e=f; Domain=test; Path=/")
    assert made.header("http://a.test/", NOW)
    assert made.header(url, NOW) == ""


def test_paths_secure_and_order() -> None:
    made = jar("a=1; Path=/", "b=2", "c=3; Secure; Path=/", "a=4; Path=/x", url="https://a.test/x/y")
    assert made.header("https://a.test/x/z", NOW) == "b=2; a=4; a=1; c=3"
    assert made.header("http://a.test/xx", NOW) == "a=1"
    assert made.take("https://a.test/", (("set-cookie", "a=1; Path=/"),), NOW) is False
    assert made.take("https://a.test/", (("set-cookie", "a=9; Path=/"), ("set-cookie", "z")), NOW) is True
    assert made.take("https://a.test/", (("set-cookie", "a=; Path=/; Max-Age=0"),), NOW) is True
    assert made.header("http://a.test/xx", NOW) == ""


def test_an_end_comes() -> None:
    made = jar("a=b; Max-Age=10")
    assert made.header("http://a.test/x/y", NOW + 9) == "a=b"
    assert made.header("http://a.test/x/y", NOW + 10) == ""


def test_the_bounds_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cookies, "HOSTS", 3)
    made = jar(*(f"n{i}={100 * 'x'}; Path=/" for i in range(500)))
    assert len(made) == cookies.COOKIES
    assert 0 < len(made.header("http://a.test/", NOW)) <= cookies.BYTES
    assert "n499=" in jar(*(f"n{i}=x; Path=/" for i in range(500))).header("http://a.test/", NOW)
    for i in range(10):
        made.take(f"http://h{i}.test/", (("Set-Cookie", "a=b"),), NOW)
    assert len(made) == 3
    assert made.header("http://a.test/", NOW) == ""


async def test_a_site_that_sets_one_and_leads_to_itself_is_read(clock: VirtualClock) -> None:
    async def page(writer: object) -> None:
        served.append("s=1" in site.log[-1][3])
        found = answer(b"<p>read") if served[-1] else answer(status="302 Found", Location="/page", Set_Cookie="s=1")
        writer.write(found)  # type: ignore[attr-defined]

    served: list[bool] = []
    async with serving(clock, {"/page": page}) as site, visiting(clock, cookies=True) as world:
        first = await settled(world, clock, site.url("/page"))
        assert (first.outcome, first.status, first.requests) == (Outcome.FAILED, 302, 1)
        assert first.reason == f"HTTP 302: it sets a cookie and leads to {site.url('/page')}"
        assert first.retry_at == first.ready_at
        second = await settled(world, clock, site.url("/page"), attempt=1)
        assert (second.outcome, second.body) == (Outcome.OK, b"<p>read")
        assert dict(second.request_headers)["Cookie"] == "s=1"
        assert (await settled(world, clock, site.url("/"))).outcome is Outcome.OK
        assert "Cookie: s=1" in site.log[-1][3]
        assert (await settled(world, clock, site.url("/", "b.test"))).outcome is Outcome.OK
        assert "ookie" not in site.log[-1][3]
    async with visiting(clock, cookies=True) as world:  # another run begins without
        loop = answer(status="302 Found", Location="/page")
        async with serving(clock, {"/page": loop}) as site:
            response = await settled(world, clock, site.url("/page"))
            assert response.outcome is Outcome.REDIRECT  # no cookie: a loop, as ever
            assert "ookie" not in site.log[-1][3]


async def test_a_page_that_sends_us_to_have_our_cookies_looked_at_is_asked_once_more(clock: VirtualClock) -> None:
    """The page leads to a check, which would lead back to the page that was visited already."""

    async def page(writer: object) -> None:
        has = "s=1" in site.log[-1][3]
        writer.write(answer(b"<p>read") if has else answer(status="302 Found", Location="/check", Set_Cookie="s=1"))  # type: ignore[attr-defined]

    async def moved(writer: object) -> None:
        writer.write(answer(status="301 Moved", Location="/new", Set_Cookie=f"id={len(site.log)}; Path=/"))  # type: ignore[attr-defined]

    away = answer(status="302 Found", Location="http://b.test/", Set_Cookie="t=1")
    pages = {"/page": page, "/old": moved, "/away": away}
    async with serving(clock, pages) as site, visiting(clock, cookies=True) as world:
        assert (await settled(world, clock, site.url("/page"))).outcome is Outcome.FAILED
        assert (await settled(world, clock, site.url("/page"), attempt=1)).body == b"<p>read"
        assert (await settled(world, clock, site.url("/old"))).outcome is Outcome.FAILED
        second = await settled(world, clock, site.url("/old"), attempt=1)  # a cookie with every answer is no reason
        assert (second.outcome, second.location) == (Outcome.REDIRECT, site.url("/new"))
        assert (await settled(world, clock, site.url("/away"))).outcome is Outcome.REDIRECT


async def test_they_are_off_unless_asked_for(clock: VirtualClock) -> None:
    pages = {"/page": answer(status="302 Found", Location="/page", Set_Cookie="s=1")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        for _ in range(2):
            assert (await settled(world, clock, site.url("/page"))).outcome is Outcome.REDIRECT
        assert not any("cookie" in head.lower() for *_, head in site.log)


async def test_a_crawl_reads_such_a_site_by_its_setting(clock: VirtualClock, tmp_path: Path) -> None:
    async def page(writer: object) -> None:
        has = "s=1" in site.log[-1][3]
        body = b"<html lang=en><p>sailing boats"
        writer.write(answer(body) if has else answer(status="302 Found", Location="/", Set_Cookie="s=1"))  # type: ignore[attr-defined]

    async with serving(clock, {"/": page}, ip="127.0.4.2") as site:
        for wanted in ("true", "false"):
            project = write_project(
                tmp_path / wanted,
                [site.url()],
                settings='[crawl]\ncontact = "me@example.org"\n[judge]\nname = "keywords"\n[interest.keywords]\n'
                "sailing = 1\n[politeness]\ndelay_s = 0.0\nadaptive = 0.0\nmax_delay_s = 0.2\n[web.live]\n"
                f'allow_private = true\ncookies = {wanted}\n[web.live.resolve]\n"*.test" = "127.0.4.2"\n',
            )
            result = await asyncio.to_thread(clew_json, "crawl", project, "--workers", "0", "--quiet")
            assert result["fetched"] == (2 if wanted == "true" else 1)
            assert len(exported(project)) == (1 if wanted == "true" else 0)
