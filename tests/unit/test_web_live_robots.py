"""robots.txt: 400 real files, odd bytes, groups, and the road to it over redirects and failures."""

from __future__ import annotations

import asyncio
import gzip
import itertools
from pathlib import Path
from urllib.robotparser import RobotFileParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web_live_site import answer, serving, settled, visiting

from clew.config import PolitenessSettings
from clew.model import Outcome, Request
from clew.web.clock import VirtualClock
from clew.web.live.robots import Robots, RobotsRules, agent_token, rules_text

REAL = Path(__file__).parents[2].parent / "shared" / "hostile" / "robots"


def allows(body: bytes | str, path: str = "/x", agent: str = "clew") -> bool:
    rules = RobotsRules(PolitenessSettings(), agent)
    raw = body if isinstance(body, bytes) else body.encode()
    return rules.allows(Robots("http://a.test", text=rules_text(raw, agent)), f"http://a.test{path}")


def delay(body: str, agent: str = "clew") -> float:
    return RobotsRules(PolitenessSettings(), agent).delay(Robots("", text=rules_text(body.encode(), agent)))


# -- what a file says -----------------------------------------------------------------------------------------

CLOSED = "User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + CLOSED.encode(),
        b"\xef\xbb\xbf\xef\xbb\xbf" + CLOSED.encode(),
        CLOSED.encode("utf-16"),
        b"\xfe\xff" + CLOSED.encode("utf-16-be"),
        CLOSED.encode("utf-16-le"),
        "ï»¿".encode() + CLOSED.encode(),
        CLOSED.replace("\n", "\r").encode(),
        CLOSED.replace("\n", "\r\n").encode(),
        CLOSED.replace("\n", "\r\r\n").encode(),
        b"\0\0" + CLOSED.replace("agent", "ag\0ent").encode(),
        b"# caf\xe9 \xff\xfe\n" + CLOSED.encode() + b"\xff\xff",
        b"<html><body>\n" + CLOSED.encode() + b"</body>",
        b"user-AGENT : * # all\n  DISALLOW :/ # everything\n",
        b"User-agent *\nDisallow /\n",
        b"User-agent: a\nUser-agent: *\nUser-agent: b\n\nDisallow: /\n",
        b"User-agent: a\nSitemap: http://x/\nNoindex: /\nUser-agent: *\nDisallow: /\n",
        b"User-agent: *\nDisallow: *\n",
        b"User-agent: Clew/2.0 (test)\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
        b"User-agent: clew*\nDisallow: /\n",
        b"User-agent: a\nDisallow:\nUser-agent: *\nDisallow: /\nUser-agent: b\nDisallow:\n",
    ],
)
def test_a_closed_site_stays_closed(body: bytes) -> None:
    assert not allows(body)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "User-agent: *\nDisallow:\n",
        "Disallow: /\n",
        "User-agent: 5emeRue\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n",
        "User-agent: 5emeRue\nDisallow: /\n",
        "User-agent: c\nDisallow: /\n",
        "User-agent: cl\nUser-agent: clewbot\nUser-agent: clew-images\nDisallow: /\n",
        "User-agent:\nDisallow: /\n",
        "User-agent: *\nDisallow: /\nAllow: /x\n",
        "User-agent: clew\nDisallow:\n\nUser-agent: *\nDisallow: /\n",
        "# User-agent: *\n# Disallow: /\n",
        "<!DOCTYPE html><title>User-agent: *</title><p>Disallow: / or not",
    ],
)
def test_an_open_site_is_open(body: str) -> None:
    assert allows(body)


def test_longest_rule_wins_and_patterns_match() -> None:
    body = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.php$\nDisallow: /caf%C3%A9\n"
    verdicts = {p: allows(body, p) for p in ("/a/c", "/a/b/c", "/x.php", "/x.php?q", "/caf%c3%a9", "/caf", "/")}
    assert list(verdicts.values()) == [False, True, False, True, False, True, True]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("User-agent: *\nCrawl-delay: 7.5\n", 7.5),
        ("User-agent: *\nCrawl-delay: 7\nUser-agent: clew\nCrawl-delay: 3\n", 3.0),
        ("User-agent: *\nCrawl-delay: 7\nUser-agent: clew\nDisallow: /x\n", 0.0),
        ("User-agent: other\nCrawl-delay: 7\n", 0.0),
        ("User-agent: *\nRequest-rate: 1/10m\n", 600.0),
        ("User-agent: *\nRequest-rate: 2/10\nCrawl-delay: 6\n", 6.0),
        ("User-agent: *\nCrawl-delay: soon\nRequest-rate: 0/0\n", 0.0),
        ("User-agent: *\nCrawl-delay: -3\n", 0.0),
        ("User-agent: *\nCrawl-delay: nan\n", 0.0),
    ],
)
def test_crawl_delay(body: str, expected: float) -> None:
    assert delay(body) == expected


def test_only_our_lines_are_kept() -> None:
    body = b"User-agent: x\nDisallow: /1\nUser-agent: *\nDisallow: /2\nSitemap: /s\nUser-agent: CLEW\nDisallow: /3#c"
    assert rules_text(body, "clew") == "User-agent: *\nDisallow: /2\nUser-agent: clew\nDisallow: /3"


def test_agent_token() -> None:
    assert [agent_token(a) for a in ("clew", " Clew/0.1 (+x)", "my-bot_2;x", "")] == ["clew", "clew", "my-bot_2", ""]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=30),
            st.sampled_from([b"User-agent: *", b"user-agent", b"Disallow: /", b"Allow: %", b"Disallow: /%zz*$$",
                             b"Crawl-delay: 1e999", b"Request-rate: 1/0s 99", b"\r", b"\0", b"Disallow: \xff*[("]),
        )
    ),
    st.text(max_size=20),
)  # fmt: skip
def test_no_bytes_crash_it(lines: list[bytes], path: str) -> None:
    body = b"\n".join([b"User-agent: *", *lines])
    rules = RobotsRules(PolitenessSettings(), "clew")
    robots = Robots("http://a.test", text=rules_text(body, "clew"))
    assert rules.allows(robots, f"http://a.test/{path.encode().hex()}%?{path!a}") in (True, False)
    assert 0 <= rules.delay(robots) < float("inf")


# -- 400 real files, over the wire ----------------------------------------------------------------------------


async def test_real_files() -> None:
    if not REAL.is_dir():
        pytest.skip("the shared folder of real robots.txt files is not here")
    files = {path.name: path.read_bytes() for path in sorted(REAL.iterdir())}
    assert len(files) == 400
    clock = VirtualClock()
    path = "/zq-unlikely/9-page.html"
    closed = set()
    settings = {"resolve": dict.fromkeys(files, "127.0.0.1")}
    async with serving(clock, {path: answer()}) as site, visiting(clock, **settings) as world:
        for host, body in files.items():
            site.pages["/robots.txt"] = answer(body, Content_Type="text/plain")
            response = await settled(world, clock, site.url(path, host))
            assert response.outcome in (Outcome.OK, Outcome.REFUSED)
            if response.outcome is Outcome.REFUSED:
                assert response.reason == "robots.txt disallows it"
                closed.add(host)
    assert closed == {host for host, body in files.items() if _closed_by_the_book(body, path)}
    assert {"gothamist.com", "mathworld.wolfram.com", "www.odu.edu"} <= closed
    assert len(site.log) == 400 + 400 - len(closed)


def _closed_by_the_book(body: bytes, path: str) -> bool:
    """Another parser's opinion: that of the standard library, which takes ``/?`` for ``/`` (so such lines go)."""
    parser = RobotFileParser()
    lines = body.decode("utf-8-sig", "replace").splitlines()
    parser.parse([line for line in lines if not line.strip().endswith(" /?")])
    return not parser.can_fetch("clew", f"http://a.test{path}")


# -- the road to it -------------------------------------------------------------------------------------------


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


async def test_robots_come_first_and_the_page_waits(clock: VirtualClock) -> None:
    pages = {"/robots.txt": answer(b"User-agent: *\nDisallow: /no\nCrawl-delay: 9", Content_Type="text/plain")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        first = await world.fetch(Request(site.url()))
        assert (first.outcome, first.requests, first.robots_requests) == (Outcome.DEFERRED, 0, 1)
        assert first.retry_at == first.ready_at == clock.now() + 9.0
        assert world.delay("a.test") == 9.0
        await clock.sleep_until(first.ready_at)
        refused = await world.fetch(Request(site.url("/no")))
        assert (refused.outcome, refused.requests, refused.reason) == (Outcome.REFUSED, 0, "robots.txt disallows it")
        page = await world.fetch(Request(site.url()))
        assert (page.outcome, page.robots_requests, page.ready_at) == (Outcome.OK, 0, clock.now() + 9.0)
        assert site.paths() == ["/robots.txt", "/"]


async def test_each_origin_has_its_own(clock: VirtualClock) -> None:
    closed = {"/robots.txt": answer(CLOSED.encode())}
    async with serving(clock) as first, serving(clock, closed) as second, visiting(clock) as world:
        assert (await settled(world, clock, first.url())).outcome is Outcome.OK
        assert (await settled(world, clock, second.url())).outcome is Outcome.REFUSED
        assert (await settled(world, clock, first.url(host="b.test"))).outcome is Outcome.OK
        assert first.paths() == ["/robots.txt", "/"] * 2


@pytest.mark.parametrize("status", ["400 Bad", "401 Who", "403 No", "404 Gone", "410 Gone", "451 Law"])
async def test_missing_robots_allow_all(status: str, clock: VirtualClock) -> None:
    pages = {"/robots.txt": answer(CLOSED.encode(), status)}
    async with serving(clock, pages) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK


async def test_unwell_servers_are_closed_and_asked_again(clock: VirtualClock) -> None:
    async with serving(clock, {"/robots.txt": answer(status="500 Oops")}) as site, visiting(clock) as world:
        waits = []
        for _ in range(3):
            response = await world.fetch(Request(site.url()))
            assert (response.outcome, response.robots_requests) == (Outcome.DEFERRED, 1)
            assert response.reason == "robots.txt: HTTP 500"
            assert response.retry_at is not None
            waits.append(response.retry_at - clock.now())
            clock.advance(waits[-1] - 1)
            waiting = await world.fetch(Request(site.url()))
            assert (waiting.outcome, waiting.robots_requests) == (Outcome.DEFERRED, 0)
            assert waiting.retry_at == response.retry_at
            clock.advance(1)
        assert waits == [60.0, 120.0, 240.0]
        site.pages["/robots.txt"] = answer(b"")
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK
        assert site.paths() == ["/robots.txt"] * 4 + ["/"]


async def test_too_much_asked_waits_as_told(clock: VirtualClock) -> None:
    pages = {"/robots.txt": answer(status="429 Slow", Retry_After="1000")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        response = await world.fetch(Request(site.url()))
        assert response.retry_at == clock.now() + 1000.0


async def _silence(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def test_robots_that_never_come_close_the_site_for_a_day(clock: VirtualClock) -> None:
    settings = {"politeness": {"give_up_after": 2, "robots_fresh_s": 5_000.0}, "limits": {"page_s": 0.2}}
    async with serving(clock, {"/robots.txt": _silence}) as site, visiting(clock, **settings) as world:
        response = await settled(world, clock, site.url())
        assert (response.outcome, response.requests, response.robots_requests) == (Outcome.REFUSED, 0, 1)
        assert response.reason.startswith("robots.txt unreachable after 2 failures in a row: no answer within 0.2 s")
        again = await world.fetch(Request(site.url("/other")))
        assert (again.outcome, again.robots_requests) == (Outcome.REFUSED, 0)
        site.pages["/robots.txt"] = answer(b"")
        clock.advance(5_000)
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK
        assert site.paths() == ["/robots.txt"] * 3 + ["/"]


async def test_robots_are_asked_for_again_when_old(clock: VirtualClock) -> None:
    async with serving(clock) as site, visiting(clock, politeness={"robots_fresh_s": 100.0}) as world:
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK
        clock.advance(100)
        site.pages["/robots.txt"] = answer(CLOSED.encode())
        assert (await settled(world, clock, site.url())).outcome is Outcome.REFUSED


async def test_redirects_are_followed_politely_across_hosts(clock: VirtualClock) -> None:
    async with serving(clock, {"/rules": answer(CLOSED.encode(), Content_Type="text/html")}) as other:
        pages = {
            "/robots.txt": answer(status="301 Moved", Location="/r2"),
            "/r2": answer(status="302 Found", Location=other.url("/rules", "b.test")),
        }
        async with serving(clock, pages) as site, visiting(clock) as world:
            responses = [await world.fetch(Request(site.url()))]
            while responses[-1].outcome is Outcome.DEFERRED:
                await clock.sleep_until(responses[-1].retry_at or 0)
                responses.append(await world.fetch(Request(site.url())))
            assert responses[-1].reason == "robots.txt disallows it"
            assert sum(response.robots_requests for response in responses) == 3
            times = [entry[0] for entry in site.log + other.log]
            assert [b - a for a, b in itertools.pairwise(times)] == [1.0, 1.0]  # one address: one pause
            assert other.paths() == ["/rules"]


async def test_more_than_five_redirects_count_as_missing(clock: VirtualClock) -> None:
    pages = {"/robots.txt": answer(status="301 Moved", Location="/robots.txt")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK
        assert site.paths() == ["/robots.txt"] * 6 + ["/"]


@pytest.mark.parametrize("coding", ["", "gzip"])
async def test_only_the_beginning_counts(coding: str, clock: VirtualClock) -> None:
    long = b"User-agent: *\nDisallow: /no\n" + b"# nothing\n" * 97 + b"Disallow: /" + b"private" * 1_000
    assert len(long[:1_009]) == 1_009
    pages = {"/robots.txt": answer(gzip.compress(long) if coding else long, Content_Encoding=coding)}
    async with serving(clock, pages) as site, visiting(clock, politeness={"robots_bytes": 1_009}) as world:
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK  # a cut "Disallow: /" closes nothing
        assert (await settled(world, clock, site.url("/no"))).outcome is Outcome.REFUSED


async def test_a_robots_bomb_closes_the_site(clock: VirtualClock) -> None:
    pages = {"/robots.txt": answer(gzip.compress(bytes(50_000_000)), Content_Encoding="gzip")}
    async with serving(clock, pages) as site, visiting(clock, politeness={"give_up_after": 1}) as world:
        assert "larger than" in (await settled(world, clock, site.url())).reason


async def test_robots_txt_itself_may_be_asked_for(clock: VirtualClock) -> None:
    async with serving(clock, {"/robots.txt": answer(CLOSED.encode())}) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url("/robots.txt"))).outcome is Outcome.OK
