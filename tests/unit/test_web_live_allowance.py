"""Time limits: they end what takes too long, and do not count the time in which the crawl itself stands still."""

from __future__ import annotations

import asyncio
import time

import pytest
from web_live_site import answer, serving, settled, visiting

from clew.model import Outcome
from clew.web.clock import VirtualClock
from clew.web.live.allowance import allowed


async def test_what_takes_too_long_ends() -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        async with allowed(0.2):
            await asyncio.sleep(60)
    assert time.monotonic() - began > 0.19
    async with allowed(0.05):
        pass
    await asyncio.sleep(0.1)  # nothing is left that ends what comes later


async def test_standing_still_counts_as_one_step() -> None:
    ticks = 0
    with pytest.raises(TimeoutError):
        async with allowed(0.2):
            while True:
                time.sleep(0.05)  # noqa: ASYNC251 - two steps each: a limit by the clock would come after four
                ticks += 1
                await asyncio.sleep(0)
    assert ticks > 5


async def test_cancelling_is_no_timeout() -> None:
    async def waits() -> None:
        async with allowed(60.0):
            await asyncio.sleep(60)

    task = asyncio.ensure_future(waits())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


async def test_a_page_that_comes_while_the_crawl_stands_still_comes_in_time(clock: VirtualClock) -> None:
    async with (
        serving(clock, {"/page": answer(b"<p>here</p>")}) as site,
        visiting(clock, limits={"page_s": 0.4}) as world,
    ):
        await settled(world, clock, site.url("/"))
        fetching = asyncio.ensure_future(settled(world, clock, site.url("/page")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        time.sleep(0.8)  # noqa: ASYNC251 - a judge learns
        response = await fetching
    assert (response.outcome, response.body) == (Outcome.OK, b"<p>here</p>"), response.reason
    assert site.paths().count("/page") == 1


async def test_a_connection_is_made_though_the_crawl_stands_still_again_and_again(clock: VirtualClock) -> None:
    async with serving(clock) as site, visiting(clock, limits={"connect_s": 0.1}) as world:
        fetching = asyncio.ensure_future(settled(world, clock, site.url("/")))
        while not fetching.done():
            time.sleep(0.1)  # noqa: ASYNC251
            await asyncio.sleep(0)
    assert (await fetching).outcome is Outcome.OK
    assert site.paths() == ["/robots.txt", "/"]
