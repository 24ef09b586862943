"""What every world promises."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

from clew.model import Outcome, Request, Response
from clew.testing.contract import Contract, SkipTest
from clew.web.base import World

ODD = ("http://no.such.host.test/", "http://a.test:1/", "http://a.test/%00", "http://a.test/../../etc/passwd")


class WorldContract(Contract):
    """A world: ``make`` gives one that is not open yet.

    ``page`` is the URL of an HTML page that it has, ``missing`` of one that it lacks, ``redirect`` of a redirect ("":
    there is none to show).
    """

    page: str = ""
    missing: str = "http://no.such.host.test/page"
    redirect: str = ""

    @abstractmethod
    def make(self) -> World:
        """A world that is not open yet."""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[World]:
        """The world while it is open."""
        world = self.make()
        await world.open()
        try:
            yield world
        finally:
            await world.close()

    def run(self, test: Callable[[World], Coroutine[object, object, None]]) -> None:
        """Run a test with the world open."""

        async def with_world() -> None:
            async with self.opened() as world:
                await test(world)

        asyncio.run(with_world())

    async def answer(self, world: World, url: str) -> Response:
        """Ask as a crawl does: again when the answer was put off."""
        for _ in range(5):
            response = await world.fetch(Request(url))
            if response.outcome is not Outcome.DEFERRED:
                return response
            assert response.retry_at is not None
            await world.clock.sleep_until(response.retry_at)
        raise AssertionError(f"{url} was put off for ever")

    def test_it_has_a_name(self) -> None:
        """Users call it by that."""

        async def check(world: World) -> None:
            assert world.name

        self.run(check)

    def test_a_page_comes_back(self) -> None:
        """With its URL, status, headers and time."""

        async def check(world: World) -> None:
            response = await self.answer(world, self.page)
            assert (response.outcome, response.status, response.url) == (Outcome.OK, 200, self.page)
            assert b"<" in response.body
            assert response.header("content-type").startswith("text/html")
            assert response.requests == 1
            assert response.fetched_at <= world.clock.now()
            assert not response.reason

        self.run(check)

    def test_a_redirect_is_an_answer_not_followed(self) -> None:
        """The crawl decides whether to go there."""

        async def check(world: World) -> None:
            if not self.redirect:
                raise SkipTest("this world has none to show")
            response = await self.answer(world, self.redirect)
            assert response.outcome is Outcome.REDIRECT
            assert response.location.startswith(("http://", "https://"))
            assert response.requests == 1

        self.run(check)

    def test_a_missing_page_has_a_reason_and_never_raises(self) -> None:
        """It is ABSENT and free in a closed world, and fails in others."""

        async def check(world: World) -> None:
            response = await self.answer(world, self.missing)
            if world.closed:
                assert (response.outcome, response.requests) == (Outcome.ABSENT, 0)
            else:
                assert response.outcome is Outcome.FAILED
            assert response.reason
            assert response.retry_at is None

        self.run(check)

    def test_odd_urls_get_an_answer(self) -> None:
        """``fetch`` never raises for what somebody wrote into a link."""

        async def check(world: World) -> None:
            for url in ODD:
                response = await world.fetch(Request(url))
                assert response.outcome is not Outcome.OK, url
                assert response.reason, url

        self.run(check)

    def test_the_same_page_twice_is_the_same(self) -> None:
        """A second request finds what the first one found."""

        async def check(world: World) -> None:
            first, second = await self.answer(world, self.page), await self.answer(world, self.page)
            assert first.body == second.body

        self.run(check)

    def test_closing_twice_is_fine(self) -> None:
        """Whoever tidies up need not know who did before."""

        async def check(world: World) -> None:
            await world.close()
            await world.close()

        self.run(check)
