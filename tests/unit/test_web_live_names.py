"""Names: asked for in a number, without holding anything up; what is not found is asked for again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from dns_server import NXDOMAIN, SERVFAIL, NameServer, naming
from outages_web import Servers, live_crawl, page
from web_live_site import answer, serving, settled, visiting

from clew.config import LiveSettings, PolitenessSettings
from clew.errors import InputError
from clew.model import Outcome, Request
from clew.web.clock import LiveClock, VirtualClock
from clew.web.live.addresses import AddressBook


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


@asynccontextmanager
async def asking(
    names: NameServer, clock: VirtualClock | LiveClock, timeout_s: float = 5.0, **politeness: float
) -> AsyncIterator[AddressBook]:
    settings = LiveSettings(allow_private=True, nameservers=(names.address,))
    book = AddressBook(settings, PolitenessSettings(**politeness), timeout_s, clock)  # type: ignore[arg-type]
    try:
        yield book
    finally:
        await book.close()


async def test_the_name_servers_of_the_settings_are_asked(clock: VirtualClock) -> None:
    there = {"there.test": ["127.0.0.1"]}
    async with (
        naming(lambda name: there.get(name, NXDOMAIN)) as names,
        serving(clock) as site,
        visiting(clock, resolve={}, nameservers=(names.address,)) as world,
    ):
        first = await world.fetch(Request(site.url(host="there.test")))
        assert (first.outcome, first.robots_requests, first.retry_at) == (Outcome.DEFERRED, 0, clock.now())
        assert first.reason == "the address of there.test was looked up first"
        assert (await settled(world, clock, site.url(host="there.test"))).outcome is Outcome.OK
    assert set(names.asked) == {"there.test"}


@pytest.mark.parametrize("server", ["localhost", "1.2.3.4:x", "1.2.3.4:0", "[::1]:99999", ""])
async def test_a_name_server_is_an_address(server: str, clock: VirtualClock) -> None:
    with pytest.raises(InputError, match=r"web\.live\.nameservers"):
        AddressBook(LiveSettings(nameservers=(server,)), PolitenessSettings(), 1.0, clock)


async def test_a_name_that_does_not_exist_is_asked_for_again_later_and_later(clock: VirtualClock) -> None:
    told: list[list[str] | int] = [NXDOMAIN]
    async with naming(lambda _: told[0]) as names, asking(names, clock) as book:
        waits = []
        for _ in range(5):
            found = await book.lookup("x.test")
            assert (found.reason, found.given_up) == ("there is no host x.test", True)
            assert found.again_at is not None
            waits.append(found.again_at - clock.now())
            assert await book.lookup("x.test") == found  # it is kept until then
            await clock.sleep_until(found.again_at)
        assert waits == [30.0, 30.0, 30.0, 45.0, 67.5]
        told[0] = ["127.0.0.9"]
        assert (await book.lookup("x.test")).addresses == ("127.0.0.9",)
        await clock.sleep_until(clock.now() + 600)
        told[0] = NXDOMAIN
        again = await book.lookup("x.test")
        assert again.again_at == clock.now() + 30.0  # it begins anew


async def test_the_first_pause_of_a_name_is_a_setting(clock: VirtualClock) -> None:
    async with naming(lambda _: NXDOMAIN) as names:
        settings = {"resolve": {}, "nameservers": (names.address,), "dns_failed_s": 7.0}
        async with visiting(clock, **settings) as world:
            response = await world.fetch(Request("http://x.test/"))
    assert (response.outcome, response.given_up) == (Outcome.DEFERRED, True)
    assert response.rests_until == response.retry_at == clock.now() + 7.0


async def test_name_servers_that_fail_are_no_verdict_on_a_name(clock: VirtualClock) -> None:
    async with naming(lambda _: SERVFAIL) as names, asking(names, clock, give_up_after=2, probes=1) as book:
        for times in range(1, 4):
            found = await book.lookup("x.test")
            assert found.reason.startswith("the address of x.test cannot be looked up: ")
            assert found.given_up is (times == 3)
            assert found.again_at is not None
            await clock.sleep_until(found.again_at)


async def test_silent_name_servers_are_waited_for_so_long_and_no_longer() -> None:
    async with naming(lambda _: None) as names, asking(names, LiveClock(), timeout_s=0.2) as book:
        async with asyncio.timeout(20):
            found = await book.lookup("x.test")
    assert "x.test" in found.reason
    assert found.again_at is not None
    assert not found.given_up


async def test_both_links_to_a_name_wait_for_one_question(clock: VirtualClock) -> None:
    async with naming(lambda _: ["127.0.0.1"], late_s=0.05) as names, asking(names, clock) as book:
        found = await asyncio.gather(*(book.lookup("x.test") for _ in range(5)))
    assert {one.addresses for one in found} == {("127.0.0.1",)}
    assert names.asked.count("x.test") <= 2  # one for each family


async def test_names_beyond_the_limit_come_later_and_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for a turn is no part of a name's time: thirty names at twenty a second take longer than that."""
    monkeypatch.setattr("clew.web.live.addresses.A_SECOND", 20)
    clock = LiveClock()
    async with naming(lambda _: ["127.0.0.1"], late_s=0.05) as names, asking(names, clock, timeout_s=1.0) as book:

        async def patient(name: str) -> int:
            turns = 0
            while not (found := await book.lookup(name)).addresses:
                assert (found.queued, found.given_up) == (True, False)
                assert found.again_at is not None
                turns += 1
                await clock.sleep_until(found.again_at)
            return turns

        began = clock.now()
        turns = await asyncio.gather(*(patient(f"n{number}.test") for number in range(30)))
        assert clock.now() - began > 1.2
    assert sorted(set(turns)) == [0, 1]  # each is told its time once
    assert sum(turns) >= 26


async def test_no_more_than_so_many_names_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.web.live.addresses.AT_ONCE", 2)
    clock = LiveClock()
    async with naming(lambda _: None) as names, asking(names, clock, timeout_s=30.0) as book:
        first = [asyncio.ensure_future(book.lookup(f"n{number}.test")) for number in range(2)]
        await asyncio.sleep(0.05)
        third = await book.lookup("n3.test")
        assert (third.queued, third.given_up) == (True, False)
        for task in first:
            task.cancel()
        await asyncio.gather(*first, return_exceptions=True)


async def test_dead_names_take_no_place_from_good_hosts() -> None:
    """Two places, fifty names that are never answered, and two hosts: their pages come while the names are waited for,
    which would take a minute each."""
    ips = ("127.0.7.1", "127.0.7.2")
    links = [f"/{number}" for number in range(12)]
    async with naming(lambda _: None) as names, Servers({}, ips) as server, asyncio.timeout(50):
        good = [server.url(link, ip) for link in links for ip in ips]
        dead = [f"http://dead{number}.test/" for number in range(50)]
        server.site.pages.update({"/": page([*dead, *good]), **{link: page() for link in links}})
        crawl = live_crawl(
            [server.url()],
            web={"nameservers": (names.address,)},
            limits={"connect_s": 60.0},
            crawl={"hosts_at_once": 2},
        )
        result = await crawl.run(max_pages=25)
    assert (result.fetched, result.failed) == (25, 0)
    assert len({name for name in names.asked if name.startswith("dead")}) == 50


async def test_a_seed_without_an_address_is_asked_for_by_the_next_run(tmp_path: Path) -> None:
    """Report 18: the resolver answers "no such name" while the network is down, and is back in the next run."""
    told: list[list[str] | int] = [NXDOMAIN]
    async with naming(lambda _: told[0]) as names, Servers({"/": page(["/1"]), "/1": page()}) as server:
        seed = f"http://site0.example.org:{server.port}/"
        web = {"nameservers": (names.address,)}
        result = await live_crawl([seed], folder=tmp_path, web=web).run()
        assert (result.fetched, result.stopped_by) == (0, "frontier")
        assert result.why_nothing == (f"{seed}: there is no host site0.example.org",)
        told[0] = ["127.0.0.1"]
        again = await live_crawl([seed], folder=tmp_path, web=web).run()
    assert (again.fetched_now, again.frontier, again.why_nothing) == (2, 0, ())


async def test_a_name_that_is_back_brings_its_links_in_the_same_run() -> None:
    told: dict[str, list[str] | int] = {"late.test": NXDOMAIN}

    async def slow(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)
        writer.write(page())

    async with naming(lambda name: told.get(name, NXDOMAIN)) as names, Servers({}) as server:
        late = [f"http://late.test:{server.port}/{number}" for number in range(5)]
        server.site.pages.update({"/": page([*late, "/slow1", "/slow2"]), "/slow1": slow, "/slow2": slow})
        server.site.pages.update({f"/{number}": answer(b"<p>late") for number in range(5)})
        web = {"nameservers": (names.address,), "dns_failed_s": 0.05}
        crawl = asyncio.ensure_future(live_crawl([server.url()], web=web).run())
        while "late.test" not in names.asked:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        told["late.test"] = ["127.0.0.1"]
        result = await crawl
    assert (result.fetched, result.frontier) == (8, 0)
