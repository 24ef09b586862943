"""Pauses between requests, per host and per address, from the servers' own logs."""

from __future__ import annotations

import asyncio
import itertools
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_live_site import answer, serving, settled, visiting

from clew.config import PolitenessSettings
from clew.model import Outcome, Request, Response
from clew.web.clock import LiveClock, VirtualClock
from clew.web.live.politeness import Politeness, doubled, retry_after
from clew.web.live.world import LiveWorld


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


def gaps(times: list[float]) -> list[float]:
    return [b - a for a, b in itertools.pairwise(times)]


# -- on the wire ----------------------------------------------------------------------------------------------


async def test_a_host_is_never_asked_before_its_pause_is_over(clock: VirtualClock) -> None:
    async with serving(clock) as site, visiting(clock) as world:
        for _ in range(4):
            response = await world.fetch(Request(site.url()))
            early = await world.fetch(Request(site.url("/early")))
            assert (early.outcome, early.requests, early.retry_at) == (Outcome.DEFERRED, 0, response.ready_at)
            await clock.sleep_until(response.ready_at)
        assert site.paths() == ["/robots.txt", "/", "/", "/"]
        assert gaps([entry[0] for entry in site.log]) == [1.0] * 3


async def test_two_hosts_on_one_address_share_its_pause(clock: VirtualClock) -> None:
    async with serving(clock) as site, visiting(clock) as world:
        urls = [site.url(host=host) for host in ("a.test", "b.test")] * 4
        for url in urls:
            assert (await settled_without_waiting_after(world, clock, url)).outcome is Outcome.OK
        assert len(site.log) == 10
        assert min(gaps([entry[0] for entry in site.log])) >= 1.0


async def settled_without_waiting_after(world: LiveWorld, clock: VirtualClock, url: str) -> Response:
    while (response := await world.fetch(Request(url))).outcome is Outcome.DEFERRED:
        await clock.sleep_until(response.retry_at or 0)
    return response


async def test_hosts_on_two_addresses_do_not_wait_for_each_other(clock: VirtualClock) -> None:
    resolve = {"a.test": "127.0.0.1", "b.test": "127.0.0.2"}
    async with serving(clock) as first, serving(clock, ip="127.0.0.2") as second:
        async with visiting(clock, resolve=resolve) as world:
            for url in (first.url(), second.url(host="b.test")):
                assert (await world.fetch(Request(url))).robots_requests == 1
        assert first.log[0][0] == second.log[0][0]


async def test_two_tasks_cannot_pass_one_gate_together(clock: VirtualClock) -> None:
    """Both look at once; one asks, the other is told to come again."""
    hosts = {f"h{i}.test": "127.0.0.1" for i in range(8)}
    async with serving(clock) as site, visiting(clock, resolve=hosts) as world:
        responses = await asyncio.gather(*(world.fetch(Request(site.url(host=host))) for host in hosts))
        assert sorted(response.robots_requests for response in responses) == [0] * 7 + [1]
        assert all(response.outcome is Outcome.DEFERRED for response in responses)
        assert all((response.retry_at or 0) > clock.now() for response in responses)
        assert len(site.log) == 1


async def test_a_real_crowd_on_a_real_clock() -> None:
    """Six hosts on one address, each crawled by its own task as a frontier would, with pauses of 30 ms."""
    clock = LiveClock()
    hosts = {f"h{i}.test": "127.0.0.1" for i in range(6)}
    async with serving(clock) as site:
        async with visiting(clock, resolve=hosts, politeness={"delay_s": 0.03}) as world:

            async def crawl(host: str) -> None:
                left = 2
                while left:
                    response = await world.fetch(Request(site.url(host=host)))
                    left -= response.outcome is Outcome.OK
                    await clock.sleep_until(max(response.retry_at or 0, response.ready_at))

            await asyncio.gather(*map(crawl, hosts))
        assert len(site.log) == 6 * 3
        assert min(gaps([entry[0] for entry in site.log])) >= 0.03
        for host in hosts:
            paths = [path for _, asked, path, _ in site.log if asked.startswith(host)]
            assert paths == ["/robots.txt", "/", "/"]


async def test_a_slow_host_is_asked_less_often(clock: VirtualClock) -> None:
    async def slowly(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        writer.write(answer())
        await writer.drain()

    settings = {"delay_s": 0.0, "adaptive": 1_000.0}
    async with serving(clock, {"/": slowly}) as site, visiting(clock, politeness=settings) as world:
        response = await settled(world, clock, site.url())
        pause = response.ready_at - response.fetched_at
        assert 25.0 < pause <= 300.0  # .3 of .1 s, a thousand times
        assert world.delay("a.test") == pytest.approx(pause)
        assert world.delay("b.test") == 0.0


async def test_crawl_delay_is_capped(clock: VirtualClock) -> None:
    pages = {"/robots.txt": answer(b"User-agent: *\nCrawl-delay: 99999")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        response = await settled(world, clock, site.url())
        assert response.ready_at == response.fetched_at + 300.0


# -- the sums -------------------------------------------------------------------------------------------------


def test_delay_is_the_largest_wish_within_bounds() -> None:
    politeness = Politeness(PolitenessSettings(delay_s=2, adaptive=3, max_delay_s=60))
    host = politeness.host("a.test")
    assert politeness.host("a.test") is host
    assert politeness.delay(host) == 2
    host.answer_s = 5
    assert politeness.delay(host) == 15
    host.crawl_delay_s = 20
    assert politeness.delay(host) == 20
    host.answer_s = 100
    assert politeness.delay(host) == 60


def test_delay_of_the_user_is_never_undercut() -> None:
    politeness = Politeness(PolitenessSettings(delay_s=600, max_delay_s=60))
    assert politeness.delay(politeness.host("a.test")) == 600


def test_answer_times_are_smoothed() -> None:
    politeness = Politeness(PolitenessSettings())
    host = politeness.host("a.test")
    for elapsed in (1.0, 2.0):
        politeness.enter(host, "127.0.0.1", 0.0)
        politeness.leave(host, "127.0.0.1", 0.0, elapsed)
    assert host.answer_s == pytest.approx(1.3)


def test_back_off_doubles_with_the_tries_of_a_url() -> None:
    politeness = Politeness(PolitenessSettings(max_delay_s=50))
    host = politeness.host("a.test")
    assert [politeness.back_off(host, attempt) for attempt in range(4)] == [10, 20, 40, 50]
    assert doubled(1.0, 10_000, 5.0) == 5.0


def test_a_host_that_is_asked_too_much_is_asked_less() -> None:
    politeness = Politeness(PolitenessSettings(give_up_after=2, probes=1))
    host = politeness.host("a.test")
    waits = []
    for _ in range(3):
        politeness.too_much(host, 0.0, None)
        waits.append(host.ready_at)
        assert politeness.delay(host) == 2.0  # one spell of refusals doubles the pause once
    assert waits == [2.0, 4.0, 8.0]
    assert politeness.given_up(host, 0.0)
    for _ in range(4):
        politeness.at_ease(host)
        assert (politeness.delay(host), politeness.given_up(host, 0.0)) == (2.0, False)
    politeness.at_ease(host)
    assert politeness.delay(host) == 1.0


def test_a_host_that_wants_hours_is_not_waited_for() -> None:
    politeness = Politeness(PolitenessSettings())
    host = politeness.host("a.test")
    politeness.too_much(host, 0.0, 3_000.0)
    assert (host.ready_at, politeness.given_up(host, 0.0)) == (3_000.0, False)
    politeness.too_much(host, 0.0, 7_200.0)
    assert (host.ready_at, politeness.given_up(host, 0.0)) == (7_200.0, True)


def test_pauses_never_grow_beyond_their_limit() -> None:
    politeness = Politeness(PolitenessSettings(max_delay_s=5))
    host = politeness.host("a.test")
    for _ in range(99):
        politeness.too_much(host, 0.0, None)
        politeness.at_ease(host)
    assert (politeness.delay(host), host.doublings) == (5.0, 3)


def test_addresses_that_are_free_again_are_forgotten() -> None:
    politeness = Politeness(PolitenessSettings())
    host = politeness.host("a.test")
    for number in range(25_000):
        ip = str(number)
        politeness.enter(host, ip, float(number))
        politeness.leave(host, ip, float(number), 0.0)
    assert len(politeness._places) <= 10_000


NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("", None), ("120", 120.0), (" 7 ", 7.0), ("0", 0.0), ("-5", None), ("1.5", None), ("soon", None),
        ("120, 60", 120.0), ("9" * 400, 86_400.0), ("٣", None),
        (formatdate(NOW + 90, usegmt=True), 90.0), (formatdate(NOW - 90, usegmt=True), 0.0),
        (formatdate(NOW + 1e7, usegmt=True), 86_400.0), ("Tue, 14 Nov 2023 22:14:50", 90.0),
        ("Tuesday, 14-Nov-23 22:14:50 GMT", 90.0), ("Fri, 99 Foo 9999 99:99:99 GMT", None),
    ],
)  # fmt: skip
def test_retry_after(header: str, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@given(st.text(max_size=40))
def test_retry_after_takes_anything(header: str) -> None:
    seconds = retry_after(header, NOW)
    assert seconds is None or 0 <= seconds <= 86_400
