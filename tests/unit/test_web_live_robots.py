"""robots.txt: 400 real files, odd bytes, groups, and the road to it over redirects and failures."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import re
import time
from pathlib import Path
from urllib.robotparser import RobotFileParser

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego
from web_live_site import answer, serving, settled, visiting

from clew.config import PolitenessSettings
from clew.model import Outcome, Request
from clew.urls.never import Never
from clew.web.clock import VirtualClock
from clew.web.live.robots import Robots, RobotsRules, packed
from clew.web.live.robotsfile import YEAR_S, Rules, agent_token, rules_text, sitemaps
from clew.web.sparing import sparing

REAL = Path(__file__).parents[2].parent / "shared" / "hostile" / "robots"


def allows(body: bytes | str, path: str = "/x", agent: str = "clew") -> bool:
    rules = RobotsRules(PolitenessSettings(), agent)
    raw = body if isinstance(body, bytes) else body.encode()
    return rules.allows(Robots("http://a.test", text=packed(rules_text(raw, agent, "a.test"))), f"http://a.test{path}")


def delay(body: str, agent: str = "clew") -> float:
    return RobotsRules(PolitenessSettings(), agent).delay(Robots("", text=packed(rules_text(body.encode(), agent))))


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
        CLOSED.encode("utf-16-be"),
        CLOSED.encode("utf-32"),
        b"\xff\xfe" + CLOSED.encode(),
        b"\x1b\xa0\x85" + CLOSED.encode("latin-1"),
        gzip.compress(CLOSED.encode(), mtime=0),
        gzip.compress(CLOSED[:14].encode(), mtime=0) + gzip.compress(CLOSED[14:].encode(), mtime=0),
        gzip.compress(gzip.compress(CLOSED.encode(), mtime=0), mtime=0),
        gzip.compress(CLOSED.encode(), mtime=0) + b"junk",
        gzip.compress(CLOSED.encode() + b"#" + bytes(range(33, 127)) * 3, 9, mtime=0)[:-40] + b"\xff" * 40,
        gzip.compress(CLOSED.encode() + b"\nSitemap: http://a.test/sitemap.xml", mtime=0)[:-30],
        (CLOSED + "Disallow: /\u00e9\n").encode("utf-16-le"),
        b"User-agent: bad\x0cUser-agent: *\nDisallow: /\n".replace(b"\x0c", b"\n"),
        b"User-agent: a, *\nDisallow: /\n",
        b"User-agent: a\n\n\nUser-agent: *\n\n\n# all\n\nDisallow: /\n",
        b"User-agent: *\nDisallow: /y\n\nUser-agent: b\nDisallow: /z\n\nUser-agent: *\nDisallow: /x\n",
        b"User_agent: *\nDis-allow: /\n",
        b"User agent *\nDissalow /\n",
        b"User-agent: *\nDisallow: x\n",
        b"User-agent: *\nDisallow: \\x\n",
        b"User-agent: *\nDisallow: http://a.test\n",
        b"User-agent: *\nDisallow: HTTPS://A.test/x\n",
        b"User-agent: *\nDisallow: /%78\n",
        b"User-agent: *\nDisallow: /*\nAllow: /\n",
        b"User-agent: *\nCrawl-delay: 1\nUser-agent: CLEW\nDisallow: /\n",
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
        "User-agent: *\nDisallow: http://b.test/\nDisallow: https://www.a.test/x\n",
        "User-agent: *\nDisallow: /x$y\nDisallow: /%24\nDisallow: /*x$y\n",
        "User-agent: *\nDisallow: /x/\nDisallow: /X\n",
        "User-agent: *\nDisallow: /\nAllow: /\n",
        "User-agent: *\nDisallow: /" + 9_000 * "x" + "\n",
        "Sitemap: http://a.test/\nDisallow: /\n\nUser-agent: b\nDisallow: /\n",
        "User-agent: clew\nAllow: /\nUser-agent: *\nDisallow: /\n",
        "User-agent: clew\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /\n",
    ],
)
def test_an_open_site_is_open(body: str) -> None:
    assert allows(body)


def test_longest_rule_wins_and_patterns_match() -> None:
    body = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.php$\nDisallow: /caf%C3%A9\n"
    verdicts = {p: allows(body, p) for p in ("/a/c", "/a/b/c", "/x.php", "/x.php?q", "/caf%c3%a9", "/caf", "/")}
    assert list(verdicts.values()) == [False, True, False, True, False, True, True]


@pytest.mark.parametrize(
    ("rule", "same", "other"),
    [
        # RFC 9309 section 2.2.2 and 5.1: escapes are compared, reserved characters keep their meaning
        ("/foo/bar?baz=quz", ["/foo/bar?baz=quz"], ["/foo/bar%3Fbaz=quz"]),
        ("/foo/bar/\u30c4", ["/foo/bar/%E3%83%84"], ["/foo/bar/%E3%83%85"]),
        ("/foo/bar/%E3%83%84", ["/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"], []),
        ("/foo/bar/%62%61%7A", ["/foo/bar/baz", "/foo/bar/%62az"], ["/foo/bar/BAZ"]),
        ("/a%3cd.html", ["/a%3Cd.html", "/a%3cd.html", "/a<d.html"], ["/a%3Dd.html"]),
        ("/a%2fb.html", ["/a%2Fb.html"], ["/a/b.html"]),
        ("/a b", ["/a%20b"], ["/a+b"]),
        ("/?q='x'&r=~", ["/?q=%27x%27&r=~", "/?q='x'&r=%7E"], ["/?q=x"]),
        ("/caf\xe9", ["/caf%E9", "/caf%C3%A9"], ["/caf%E8", "/cafe"]),  # Latin-1, and as browsers write it in links
        # wildcards
        ("/*.gif$", ["/a.gif", "/a/b.gif", "/.gif.gif"], ["/a.gif?b", "/gif", "/a.gifs"]),
        ("/a*b*c", ["/abc", "/a1b2c3", "/acbc"], ["/ac", "/acb", "/xabc"]),
        ("*/private", ["/private", "/a/b/privates"], ["/a"]),
        ("/x$", ["/x"], ["/x/", "/x?", "/x$"]),
        ("/x*$", ["/x", "/xy"], ["/y"]),
        ("/x$y", ["/x$yz", "/x%24y"], ["/x", "/xy"]),
        ("/x**y", ["/xy", "/xzy"], ["/x"]),
        ("/x%2Ay", ["/x*y", "/x%2ay"], ["/xzy"]),
        ("/a?*b=", ["/a?b=1", "/a?c&b=1"], ["/a", "/a?c"]),
    ],
)
def test_what_a_rule_matches(rule: str, same: list[str], other: list[str]) -> None:
    coding = "latin-1" if "\xe9" in rule else "utf-8"
    disallow = f"User-agent: *\nDisallow: {rule}\n".encode(coding)
    assert [path for path in same if allows(disallow, path)] == []
    assert [path for path in other if not allows(disallow, path)] == []


@pytest.mark.parametrize(
    ("rules", "open_", "closed"),
    [
        (["Allow: /example/page/", "Disallow: /example/page/disallowed.gif"],  # RFC 9309 section 5.2
         ["/example/page/x"], ["/example/page/disallowed.gif"]),
        (["Allow: /p", "Disallow: /"], ["/page"], ["/x"]),
        (["Allow: /folder", "Disallow: /folder"], ["/folder/page"], []),
        (["Allow: /page", "Disallow: /*.htm"], [], ["/page.htm"]),
        (["Allow: /page", "Disallow: /*.ph"], ["/page.php5"], []),
        (["Allow: /$", "Disallow: /"], ["/"], ["/page.htm"]),
        (["Allow: /a/index.html", "Disallow: /a"], ["/a/", "/a/index.html"], ["/a/b", "/a"]),
        (["Disallow: /x", "Disallow: /%78/y", "Allow: /x/"], ["/x/z"], ["/x/y", "/xx"]),
    ],
)  # fmt: skip
def test_which_rule_wins(rules: list[str], open_: list[str], closed: list[str]) -> None:
    for order in itertools.permutations(rules):
        body = "User-agent: *\n" + "\n".join(order)
        assert [path for path in open_ if not allows(body, path)] == []
        assert [path for path in closed if allows(body, path)] == []


@settings(max_examples=300, deadline=None)
@given(st.text("ab*$/", min_size=1, max_size=12), st.text("ab/", max_size=12))
def test_wildcards_mean_what_they_should(rule: str, path: str) -> None:
    rule, path = "/" + rule, "/" + path
    pattern = re.escape(rule.removesuffix("$")).replace(r"\*", ".*") + ("$" if rule.endswith("$") else "")
    assert allows(f"User-agent: *\nDisallow: {rule}\n", path) == (re.match(pattern, path) is None)


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
        ("User-agent: *\nCrawl-delay: inf\n", YEAR_S),
        ("User-agent: *\nCrawl-delay: 1e9\n", YEAR_S),
        ("User-agent: *\nCrawl-delay: 1e999\n", YEAR_S),
        ("User-agent: *\nCrawl-delay: " + 5_000 * "9" + "\n", YEAR_S),
        ("User-agent: *\nCrawl-delay: 0,5\n", 0.5),
        ("User-agent: *\nCrawl-delay: .5s\n", 0.5),
        ("User-agent: *\nCrawl delay 10 # seconds\n", 10.0),
        ("User-agent: *\nCrawl-delay: 2\nCrawl-delay: 9\nCrawl-delay: 5\n", 9.0),
        ("User-agent: *\nRequest-rate: 1/" + 4_000 * "9" + "\n", YEAR_S),
        ("User-agent: *\nRequest-rate: 1/5 0600-0845\n", 5.0),
        ("User-agent: *\nRequest-rate: -1/5\nRequest-rate: 1\nRequest-rate: /\n", 0.0),
    ],
)
def test_crawl_delay(body: str, expected: float) -> None:
    assert delay(body) == expected


def test_only_our_lines_are_kept() -> None:
    body = b"User-agent: x\nDisallow: /1\nUser-agent: *\nDisallow: /2\nSitemap: /s\nUser-agent: CLEW\nDisallow: /3#c"
    assert rules_text(body, "clew") == "D/3"
    assert rules_text(body, "other") == "D/2"
    assert sitemaps(b"\xef\xbb\xbfSitemap: http://a.test/s.xml # x\nSITEMAPS http://b.test/\nSitemap:") == [
        "http://a.test/s.xml", "http://b.test/"
    ]  # fmt: skip


@pytest.mark.parametrize("agent", ["my-bot", "m2bot", "clew"])
def test_product_tokens_are_matched_whole(agent: str) -> None:
    """RFC 9309 section 2.2.1: neither a part of our token nor one that it is a part of is us."""
    for other in (agent[:-1], agent[1:], f"{agent}s", f"x{agent}", f"x-{agent}", agent.replace("-", "")):
        assert allows(f"User-agent: {other}\nDisallow: /\n", agent=agent) == (other != agent)
    for us in (agent, agent.upper(), f"{agent}/1.0", f" {agent} ", f"{agent}*", f"a, {agent}"):
        assert not allows(f"User-agent: {us}\nDisallow: /\n", agent=agent)


ODD = {
    "misspelt": b"di" + 500_000 * b"l",
    "spaces": b"user-agent" + 500_000 * b" ",
    "stars": b"Disallow: " + 500_000 * b"*",
    "stars and letters": b"".join(b"Disallow: /" + 4_000 * b"*a" + b"b\n" for _ in range(60)),
    "escapes": b"".join(b"Disallow: /" + 2_700 * b"%E9" + b"\n" for _ in range(60)),
    "not UTF-8": b"".join(b"Disallow: /" + 8_000 * b"\xe9" + b"\n" for _ in range(60)),
    "agents": b"User-agent: " + 250_000 * b"x,",
    "groups": 15_000 * b"User-agent: *\nDisallow: /a\n",
    "nothing": 500_000 * b"\n",
    "NULs": bytes(500_000),
    "digits": b"Crawl-delay: " + 500_000 * b"9",
    "rate": b"Request-rate: 1/" + 500_000 * b"9",
    "patterns": b"".join(b"Disallow: /*a%d*b$\n" % i for i in range(25_000)),
}


@pytest.mark.parametrize("kind", ODD)
def test_no_file_holds_the_crawl(kind: str) -> None:
    """Half a megabyte of anything is read, and a URL matched, in less than the seconds that it takes a busy machine;
    what looked back over a line took hours."""
    began = time.process_time()
    rules = Rules.of_text(rules_text(b"User-agent: *\n" + ODD[kind], "clew"))
    for path in ("/" + 2_000 * "a", "/" + 1_000 * "a1"):
        rules.allows(path)
    assert time.process_time() - began < 3.0


def test_rules_are_kept_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sites have large files, few are kept ready."""
    monkeypatch.setattr("clew.web.live.robots.PARSED_CHARACTERS", 10_000)
    rules = RobotsRules(PolitenessSettings(), "clew")
    texts = [rules_text(b"User-agent: *\n" + b"".join(b"Disallow: /%d/%d\n" % (i, j) for j in range(500)), "clew")
             for i in range(20)]  # fmt: skip
    sites = [Robots(f"http://{i}.test", text=packed(text)) for i, text in enumerate(texts)]
    for _ in range(2):
        assert not any(rules.allows(site, f"{site.origin}/{i}/499") for i, site in enumerate(sites))
        assert all(rules.allows(site, f"{site.origin}/x") for site in sites)
    assert len(rules._parsed._rules) == 2
    assert len(sites[0].text or b"") < len(texts[0]) / 2


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
    robots = Robots("http://a.test", text=packed(rules_text(body, "clew")))
    assert rules.allows(robots, f"http://a.test/{path.encode().hex()}%?{path!a}") in (True, False)
    assert 0 <= rules.delay(robots) <= YEAR_S


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


def test_the_parser_of_others_says_the_same_of_real_files() -> None:
    """Protego, Scrapy's, over paths made from the files' own rules."""
    if not REAL.is_dir():
        pytest.skip("the shared folder of real robots.txt files is not here")
    differ, asked = [], 0
    for file in sorted(REAL.iterdir()):
        body = file.read_bytes()
        rules = Rules.of_text(rules_text(body, "clew", file.name))
        theirs = Protego.parse(body.decode("utf-8-sig", "replace").replace("\0", ""))
        for path in sorted(_paths_of(body))[:50]:
            asked += 1
            if rules.allows(path) != theirs.can_fetch(f"http://a.test{path}", "clew"):
                differ.append((file.name, path))
    assert asked > 5_000
    assert differ == []


def _paths_of(body: bytes) -> set[str]:
    """Paths that the rules of a file match, or just do not."""
    paths = {"/", "/x"}
    for value in re.findall(r"(?im)^\s*(?:dis)?allow\s*:\s*(/[^\s#]*)", body.decode("latin-1").replace("$", "")):
        paths |= {
            value.replace("*", "zz"),
            value.replace("*", "") + "x",
            value.partition("*")[0][:-1] or "/",
        }
    parsed = (ada_url.URL(f"http://a.test{path}") for path in paths if ada_url.check_url(f"http://a.test{path}"))
    return {url.pathname + url.search for url in parsed}


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


@pytest.mark.parametrize(
    "status",
    ["408 Late", "425 Early", "429 Slow", "304 Same", "302 Found", "300 Choose", "500 Oops", "503 Busy", "999 No"],
)
async def test_answers_that_say_nothing_of_the_file_close_the_site(status: str, clock: VirtualClock) -> None:
    """Late, overrun and redirected to nowhere: nothing is fetched, and robots.txt is asked for again."""
    body = b"" if status.startswith("304") else b"User-agent: *\nAllow: /"
    pages = {"/robots.txt": answer(body, status)}
    async with serving(clock, pages) as site, visiting(clock) as world:
        response = await world.fetch(Request(site.url()))
        assert (response.outcome, response.requests) == (Outcome.DEFERRED, 0)
        assert response.reason.startswith(f"robots.txt: HTTP {status[:3]}")
        assert response.retry_at is not None
        await clock.sleep_until(response.retry_at)
        site.pages["/robots.txt"] = answer(b"User-agent: *\nDisallow: /x")
        assert (await settled(world, clock, site.url("/x"))).reason == "robots.txt disallows it"
        assert site.paths() == ["/robots.txt"] * 2


async def test_the_way_to_robots_txt_spares_who_is_on_the_do_not_crawl_list(clock: VirtualClock) -> None:
    async with serving(clock, {"/rules": answer(b"")}) as other:
        pages = {"/robots.txt": answer(status="301 Moved", Location=other.url("/rules", "b.test"))}
        async with serving(clock, pages) as site, visiting(clock) as inner:
            world = sparing(inner, Never([("b.test", "never.txt line 1")]))
            for _ in range(6):
                response = await world.fetch(Request(site.url()))
                await clock.sleep_until(response.retry_at or 0.0)
            assert "it redirects to b.test: do-not-crawl list: b.test (never.txt line 1)" in response.reason
            assert set(site.paths()) == {"/robots.txt"}
            assert other.connections == 0


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


async def test_robots_that_never_come_close_the_site_until_they_do(clock: VirtualClock) -> None:
    settings = {"politeness": {"give_up_after": 2, "probes": 1}, "limits": {"page_s": 0.2}}
    async with serving(clock, {"/robots.txt": _silence}) as site, visiting(clock, **settings) as world:
        response = await settled(world, clock, site.url())
        assert (response.outcome, response.requests, response.robots_requests) == (Outcome.DEFERRED, 0, 1)
        assert response.reason.startswith("host given up after 3 failures in a row: no answer within 0.2 s")
        assert response.given_up
        again = await world.fetch(Request(site.url("/other")))
        assert (again.outcome, again.robots_requests, again.given_up) == (Outcome.DEFERRED, 0, True)
        site.pages["/robots.txt"] = answer(b"")
        await clock.sleep_until(response.rests_until)
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK
        assert site.paths() == ["/robots.txt"] * 4 + ["/"]


async def test_errors_for_robots_close_the_site_until_they_come(clock: VirtualClock) -> None:
    settings = {"politeness": {"give_up_after": 3, "max_delay_s": 100.0}}
    async with serving(clock, {"/robots.txt": answer(status="502 Bad")}) as site, visiting(clock, **settings) as world:
        response = await settled(world, clock, site.url())
        assert (response.outcome, response.given_up) == (Outcome.DEFERRED, True)
        assert site.paths() == ["/robots.txt"] * 3
        assert clock.now() == 1_000_000_000.0 + 60 + 100 + 1  # half of what it was away is less
        site.pages["/robots.txt"] = answer(b"")
        await clock.sleep_until(response.retry_at or 0)
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK


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
        assert "robots.txt: larger than" in (await settled(world, clock, site.url())).reason


async def test_robots_txt_itself_may_be_asked_for(clock: VirtualClock) -> None:
    async with serving(clock, {"/robots.txt": answer(CLOSED.encode())}) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url("/robots.txt"))).outcome is Outcome.OK
