"""A passing condition is no verdict: servers that go away and come back, errors of pages, hosts that are asked too
much, clocks that are set. Real servers on loopback, real time, small pauses."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from outages_web import Servers, live_crawl, page
from web_live_site import Handler, answer

from clew.crawl.running import CrawlResult
from clew.store.sqlite import SqliteStore

LINKS = [f"/{number}" for number in range(40)]


def a_site(links: list[str] = LINKS) -> dict[str, Handler]:
    return {"/": page(links), **{link: page() for link in links}}


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [str(getattr(record, "event", "")) for record in caplog.records]


def outcomes(folder: Path) -> dict[str, tuple[str, str, int]]:
    """Path of every visit: outcome, reason, tries before the last."""
    with closing(sqlite3.connect(folder / "crawl.db")) as connection:
        rows = connection.execute("SELECT url, outcome, reason, attempt FROM visits").fetchall()
    return {"/" + url.split("/", 3)[3]: (outcome, reason, attempt) for url, outcome, reason, attempt in rows}


# -- servers that go away ---------------------------------------------------------------------------------------------


async def test_a_server_that_is_away_for_a_while_costs_no_link(caplog: pytest.LogCaptureFixture) -> None:
    """One host: it rests, and its links come back in the same run."""
    caplog.set_level(logging.INFO, "clew.crawl")
    async with Servers(a_site()) as server:
        crawl = asyncio.ensure_future(live_crawl([server.url()]).run())
        await server.away_after(10, 1.0)
        result = await crawl
        assert (result.fetched, result.failed, result.refused, result.frontier) == (41, 0, 0, 0)
        assert result.stopped_by == "frontier"
    assert len(set(server.pages())) == len(server.pages()) == 41
    assert "host back" in events(caplog)
    assert any(" answers again after " in record.getMessage() for record in caplog.records)


async def test_when_everything_is_away_the_line_is_down(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Several hosts at once: no host is blamed; the crawl pauses, says so, and says that it is back."""
    caplog.set_level(logging.INFO, "clew.crawl")
    ips = ("127.0.6.1", "127.0.6.2", "127.0.6.3")
    async with Servers({}, ips) as server:
        server.site.pages.update({"/": page([server.url(link, ip) for link in LINKS for ip in ips])})
        server.site.pages.update({link: page() for link in LINKS})
        crawl = asyncio.ensure_future(live_crawl([server.url()], folder=tmp_path).run())
        back_at = await server.away_after(20, 3.0)
        asked = len(server.site.log)
        result = await crawl
        assert (result.fetched, result.failed, result.refused, result.frontier) == (121, 0, 0, 0)
        assert server.site.log[asked][0] - back_at < 1.5  # half of what it was away
    assert len(set(server.pages())) == len(server.pages()) == 121
    said = [record.getMessage() for record in caplog.records if getattr(record, "event", "").startswith("line ")]
    assert len(said) == 2
    assert said[0].startswith("nothing answers since ")
    assert "; asking again at " in said[0]
    assert said[1].startswith("back after ")
    assert said[1].endswith(" links wait")
    assert "host given up" not in events(caplog)
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
        kinds = [kind for (kind,) in connection.execute("SELECT kind FROM decisions ORDER BY id")]
    assert kinds == ["nothing answers", "the web answers again"]  # for the curve of the dashboard


async def test_a_line_that_stays_down_ends_the_crawl_after_a_time() -> None:
    ips = ("127.0.6.4", "127.0.6.5", "127.0.6.6")
    async with Servers({}, ips) as server:
        server.site.pages.update({"/": page([server.url(link, ip) for link in LINKS for ip in ips])})
        server.site.pages.update({link: page() for link in LINKS})
        crawl = asyncio.ensure_future(live_crawl([server.url()], politeness={"longest_outage_s": 0.4}).run())
        await server.asked(20)
        await server.stop()
        result = await crawl
    assert result.stopped_by == "outage"
    assert result.frontier + result.fetched == 121


async def test_a_dead_host_keeps_its_links_for_the_next_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Case 31. The others are fetched, the run ends and says what it left; the next one brings it."""
    caplog.set_level(logging.INFO, "clew.crawl")
    dead = Servers({**a_site(), "/robots.txt": answer(b"")}, ("127.0.6.7",))
    await dead.start()
    await dead.stop()
    async with Servers(a_site(LINKS[:5])) as server:
        server.site.pages["/"] = page([*LINKS[:5], *(dead.url(link) for link in LINKS[:7])])
        settings = {"give_up_after": 2, "probes": 1}
        result = await live_crawl([server.url()], folder=tmp_path, politeness=settings).run()
        assert (result.fetched, result.failed, result.refused) == (6, 0, 0)
        assert (result.frontier, result.silent_hosts, result.silent_links) == (7, 1, 7)
        assert (result.stopped_by, result.why_nothing) == ("frontier", ())
        given_up = [record.getMessage() for record in caplog.records if getattr(record, "event", "") == "host given up"]
        assert given_up == [
            f"127.0.6.7:{dead.port}: host given up after 3 failures in a row: cannot connect: Connection refused"
        ]
        store = SqliteStore(tmp_path / "crawl.db")
        store.open(read_only=True)
        assert [store.hosts.name(host) for host in store.hosts.silent()] == [f"127.0.6.7:{dead.port}"]
        store.close()
        async with dead:
            again = await live_crawl([server.url()], folder=tmp_path, politeness=settings).run()
    assert (again.fetched_now, again.frontier, again.silent_links) == (7, 0, 0)
    store.open(read_only=True)
    assert store.hosts.silent() == {}
    store.close()


async def test_good_hosts_come_before_those_that_were_silent(tmp_path: Path) -> None:
    silent = Servers(a_site(LINKS[:3]), ("127.0.6.8",))
    await silent.start()
    await silent.stop()
    async with Servers(a_site()) as server:
        server.site.pages["/"] = page([silent.url("/1"), *LINKS])  # the silent host's link comes first
        settings = {"give_up_after": 1, "probes": 0}
        await live_crawl([server.url()], folder=tmp_path, politeness=settings).run(max_pages=20)
        async with silent:
            silent.site.log = server.site.log
            before = len(server.site.log)
            result = await live_crawl([server.url()], folder=tmp_path, politeness=settings).run()
    assert result.frontier == 0
    later = [host.partition(":")[0] for _, host, _, _ in server.site.log[before:]]
    assert later[:10] == ["127.0.0.1"] * 10
    assert "127.0.6.8" in later


async def test_a_scheme_that_is_silent_does_not_hold_up_the_other() -> None:
    """Links to https and to http of one host and port, where nothing speaks TLS."""
    async with Servers(a_site(LINKS[:9])) as server:
        secure = [server.url(link).replace("http:", "https:") for link in LINKS[:9]]
        server.site.pages["/"] = page([link for pair in zip(secure, LINKS, strict=False) for link in pair])
        settings = {"give_up_after": 2, "probes": 1}
        result = await live_crawl([server.url()], politeness=settings, limits={"connect_s": 0.2}).run()
    assert (result.fetched, result.frontier) == (10, 9)
    assert (result.silent_hosts, result.silent_links) == (1, 9)


async def test_a_page_that_breaks_every_connection_is_no_verdict_on_its_host(tmp_path: Path) -> None:
    async def hang_up(writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with Servers(a_site(["/poison", *LINKS])) as server:
        server.site.pages["/poison"] = hang_up
        result = await live_crawl([server.url()], folder=tmp_path).run()
    assert (result.fetched - result.failed, result.frontier, result.refused) == (43, 0, 0)
    found = outcomes(tmp_path)
    assert found["/poison"][0] == "failed"
    assert found["/poison"][2] == 2
    assert server.site.paths().count("/poison") in (3, 6)  # a connection that was kept is tried once more each time
    assert sum(outcome == "ok" for outcome, _, _ in found.values()) == 41


async def test_pages_that_break_every_connection_do_not_hide_the_good_ones(tmp_path: Path) -> None:
    """As report 16, with connections that are reset: / links to six such pages, and then to thirty good ones."""

    async def hang_up(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    good, bad = [f"/good{n}" for n in range(30)], [f"/bad{n}" for n in range(6)]
    pages: dict[str, Handler] = {**dict.fromkeys(good, page()), **dict.fromkeys(bad, hang_up)}
    async with Servers({"/": page([*bad, *good]), **pages}) as server:
        result = await live_crawl([server.url()], folder=tmp_path).run()
    found = outcomes(tmp_path)
    assert all(found[path][0] == "ok" for path in good)
    assert result.refused == 0
    assert {outcome for path, (outcome, _, _) in found.items() if path in bad} <= {"failed"}
    assert result.failed + result.frontier == 6


# -- answers that are errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["500 Internal Server Error", "502 Bad Gateway", "520 Odd"])
async def test_bad_pages_are_no_verdict_on_their_host(tmp_path: Path, status: str) -> None:
    """Report 16: / links to six pages that fail, and then to thirty good ones."""
    good, bad = [f"/good{n}" for n in range(30)], [f"/bad{n}" for n in range(6)]
    async with Servers({"/": page([*bad, *good]), **{path: page() for path in good}}) as server:
        server.site.pages.update({path: answer(b"oops", status) for path in bad})
        result = await live_crawl([server.url()], folder=tmp_path, politeness={"delay_s": 0.01}).run()
    assert (result.refused, result.frontier, result.failed) == (0, 0, 6)
    found = outcomes(tmp_path)
    assert all(found[path][0] == "ok" for path in good)
    assert {found[path] for path in bad} == {("failed", f"HTTP {status[:3]}", 2)}
    assert min(server.site.paths().count(path) for path in bad) == 3


async def test_bad_pages_at_the_end_fail_in_the_end(tmp_path: Path) -> None:
    good, bad = [f"/good{n}" for n in range(9)], [f"/bad{n}" for n in range(6)]
    async with Servers({"/": page([*good, *bad]), **{path: page() for path in good}}) as server:
        server.site.pages.update({path: answer(b"oops", "500 Oops") for path in bad})
        result = await live_crawl([server.url()], folder=tmp_path, politeness={"delay_s": 0.01}).run()
    assert (result.refused, result.frontier, result.failed, result.fetched) == (0, 0, 6, 10 + 6 * 3)


async def test_a_server_that_answers_with_errors_for_a_while_costs_no_link(tmp_path: Path) -> None:
    """A deployment: every page is a 502 for a second."""
    async with Servers(a_site()) as server:
        good = dict(server.site.pages)
        crawl = asyncio.ensure_future(
            live_crawl([server.url()], folder=tmp_path, politeness={"max_delay_s": 1.5}).run()
        )
        await server.asked(8)
        server.site.pages.update({path: answer(b"later", "502 Bad Gateway") for path in LINKS})
        await asyncio.sleep(1.0)
        server.site.pages.update(good)
        result = await crawl
    assert (result.failed, result.refused, result.frontier) == (0, 0, 0)
    assert sum(outcome == "ok" for outcome, _, _ in outcomes(tmp_path).values()) == 41


async def test_a_server_that_answers_nothing_but_errors_is_left_at_last() -> None:
    async with Servers(a_site()) as server:
        server.site.pages.update({path: answer(b"oops", "500 Oops") for path in LINKS})
        result = await live_crawl([server.url()], politeness={"give_up_after": 1, "longest_rest_s": 0.03}).run()
    assert (result.stopped_by, result.silent_hosts) == ("frontier", 1)
    assert result.silent_links == result.frontier >= 35


SLOWER = ["429 Too Many Requests", "503 Service Unavailable", "420 Calm", "509 Bandwidth", "529 Overloaded"]


@pytest.mark.parametrize("status", SLOWER)
async def test_a_burst_of_429_drops_no_link(tmp_path: Path, status: str) -> None:
    """Report 17: eight answers 429 without Retry-After, then 200 for everything."""
    left = 8

    async def at_first_not(writer: asyncio.StreamWriter) -> None:
        nonlocal left
        writer.write(page() if left <= 0 else answer(b"slow down", status))
        left -= 1
        await writer.drain()

    async with Servers({"/": page(LINKS[:20]), **dict.fromkeys(LINKS[:20], at_first_not)}) as server:
        result = await live_crawl([server.url()], folder=tmp_path).run()
    assert (result.fetched, result.failed, result.refused, result.frontier) == (21, 0, 0, 0)
    assert {(outcome, attempt) for outcome, _, attempt in outcomes(tmp_path).values()} == {("ok", 0)}
    assert len(server.pages()) == 29


@pytest.mark.parametrize(
    ("status", "headers", "lost"),
    [
        ("408 Request Timeout", {}, 0),
        ("425 Too Early", {}, 0),
        ("403 Forbidden", {"Retry_After": "0"}, 0),
        ("403 Forbidden", {}, 1),  # an answer of its own, until the next page has it too
    ],
)
async def test_statuses_below_500_that_pass(tmp_path: Path, status: str, headers: dict[str, str], lost: int) -> None:
    left = 8

    async def at_first_not(writer: asyncio.StreamWriter) -> None:
        nonlocal left
        writer.write(page() if left <= 0 else answer(b"no", status, **headers))
        left -= 1
        await writer.drain()

    async with Servers({"/": page(LINKS), **dict.fromkeys(LINKS, at_first_not)}) as server:
        result = await live_crawl([server.url()], folder=tmp_path, politeness={"max_delay_s": 0.5}).run()
    assert (result.failed, result.refused, result.frontier) == (lost, 0, 0)
    assert sum(outcome == "ok" for outcome, _, _ in outcomes(tmp_path).values()) == 41 - lost


async def test_pages_that_are_forbidden_for_good_are_asked_for_twice_at_most(tmp_path: Path) -> None:
    closed = [f"/closed{n}" for n in range(12)]
    async with Servers({"/": page([*closed, *LINKS[:9]]), **dict.fromkeys(LINKS, page())}) as server:
        server.site.pages.update(dict.fromkeys(closed, answer(b"no", "403 Forbidden")))
        result = await live_crawl([server.url()], folder=tmp_path).run()
    assert (result.failed, result.frontier, result.silent_links) == (12, 0, 0)
    asked = [server.site.paths().count(path) for path in closed]
    assert (min(asked), max(asked)) == (1, 2)


async def test_a_host_that_only_says_slow_down_ends_no_crawl_in_vain() -> None:
    async with Servers({"/": page(LINKS[:4]), **dict.fromkeys(LINKS[:4], answer(b"", "429 No"))}) as server:
        result = await live_crawl([server.url()], politeness={"give_up_after": 2, "probes": 2}).run()
    assert (result.fetched, result.failed, result.frontier, result.silent_links) == (1, 0, 4, 4)
    assert len(server.pages()) == 1 + 4


# -- clocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step_s", [-3_600.0, 3_600.0])
async def test_setting_the_clock_changes_no_pause(monkeypatch: pytest.MonkeyPatch, step_s: float) -> None:
    """Report 19: the system's clock is set during a live crawl."""
    now = time.time
    async with Servers(a_site()) as server, asyncio.timeout(60):
        crawl = asyncio.ensure_future(live_crawl([server.url()], politeness={"delay_s": 0.05}).run())
        await server.asked(8)
        monkeypatch.setattr(time, "time", lambda: now() + step_s)
        result = await crawl
    assert result.fetched == 41
    times = [entry[0] for entry in server.site.log]
    assert min(b - a for a, b in pairwise(times)) >= 0.045


async def test_a_clock_set_back_between_two_runs_holds_nothing_up(tmp_path: Path) -> None:
    """What is stored lies in the future as far as the clock was set back, and not one pause longer."""
    async with Servers(a_site()) as server, asyncio.timeout(60):
        await live_crawl([server.url()], folder=tmp_path).run(max_pages=10)
        with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection, connection:
            connection.execute("UPDATE hosts SET ready_at = ready_at + 3600 WHERE ready_at > 0")
            clock = connection.execute("SELECT value FROM meta WHERE key = 'clock'").fetchone()
            assert clock is not None
            connection.execute("UPDATE meta SET value = value + 3600 WHERE key = 'clock'")
        result = await live_crawl([server.url()], folder=tmp_path).run()
        assert result.fetched == 41
        with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
            assert connection.execute("SELECT max(ready_at) FROM hosts").fetchone()[0] < time.time() + 60


async def test_no_stored_time_is_longer_than_any_pause_may_be(tmp_path: Path) -> None:
    async with Servers(a_site()) as server:
        await live_crawl([server.url()], folder=tmp_path).run(max_pages=10)
        with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection, connection:
            connection.execute("UPDATE hosts SET ready_at = ?", (time.time() + 1e9,))
        await live_crawl([server.url()], folder=tmp_path).run(seconds=0.1)
        with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
            assert connection.execute("SELECT max(ready_at) FROM hosts").fetchone()[0] < time.time() + 86_401


# -- what nothing came of ---------------------------------------------------------------------------------------------


async def refused(server: Servers, folder: Path, **web: object) -> CrawlResult:
    return await live_crawl([server.url()], folder=folder, web=web).run()


async def test_refused_seeds_are_looked_at_again(tmp_path: Path) -> None:
    async with Servers(a_site(LINKS[:4])) as server:
        result = await refused(server, tmp_path, allow_private=False)
        assert (result.fetched, result.refused) == (0, 1)
        assert result.why_nothing == (f"{server.url()}: 127.0.0.1 is a loopback address (web.live.allow_private)",)
        again = await refused(server, tmp_path, allow_private=True)
        assert (again.fetched, again.refused, again.why_nothing) == (5, 0, ())


async def test_a_scope_that_changed_is_looked_at_again(tmp_path: Path) -> None:
    async with Servers(a_site(LINKS[:4])) as server:
        for paths, fetched in (("^/other", 0), ("", 5)):
            crawl = live_crawl([server.url()], folder=tmp_path)
            from msgspec.structs import replace

            scope = replace(crawl.settings.scope, paths=(paths,) if paths else ())
            crawl.settings = replace(crawl.settings, scope=scope)
            result = await crawl.run()
            assert result.fetched == fetched
            assert bool(result.why_nothing) is not bool(fetched)


async def test_a_host_whose_seed_is_silent_says_so(tmp_path: Path) -> None:
    dead = Servers({}, ("127.0.6.9",))
    await dead.start()
    await dead.stop()
    result = await live_crawl([dead.url()], politeness={"give_up_after": 1, "probes": 0}).run()
    assert (result.fetched, result.frontier) == (0, 1)
    assert result.why_nothing == (
        f"{dead.url()}: host given up after 1 failure in a row: cannot connect: Connection refused",
    )
