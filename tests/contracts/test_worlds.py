"""One suite over every world (``clew.testing.WorldContract``): what any caller may rely on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from aiohttp import web

from clew.config import LimitSettings, LiveSettings, PolitenessSettings
from clew.model import Outcome, Response
from clew.store.warc import WarcWriter, encode
from clew.testing import WorldContract
from clew.web.archive import ArchiveWorld
from clew.web.base import Clock, World
from clew.web.cached import CachedWorld
from clew.web.clock import LiveClock, VirtualClock
from clew.web.folder import FolderWorld
from clew.web.live import LiveWorld
from clew.web.simulated import SimulatedWorld, parse_spec

HTML = "<p>hello <a href='/x'>x</a>"


class Setting(NamedTuple):
    """A world, and URLs of which the answer is known. ``redirect`` is "" where there is none to show."""

    world: World
    clock: Clock
    page: str
    redirect: str
    missing: str


@asynccontextmanager
async def archive(folder: Path) -> AsyncIterator[Setting]:
    writer = WarcWriter(folder, "w", 10**9, 2, "test")
    writer.open(None)
    headers = (("Content-Type", "text/html"),)
    writer.append(encode(Response("http://a.test/", Outcome.OK, 200, headers, HTML.encode()), {}, 2))
    moved = Response("http://a.test/old", Outcome.REDIRECT, 301, (("Location", "/"),), location="http://a.test/")
    writer.append(encode(moved, {}, 2))
    name, _ = writer.flush()
    writer.close()
    clock = VirtualClock()
    yield Setting(
        ArchiveWorld(folder / name, clock=clock), clock, "http://a.test/", "http://a.test/old", "http://a.test/no"
    )


@asynccontextmanager
async def folder(place: Path) -> AsyncIterator[Setting]:
    (place / "a.test" / "dir").mkdir(parents=True)
    (place / "a.test" / "index.html").write_text(HTML)
    (place / "a.test" / "dir" / "index.html").write_text(HTML)
    clock = VirtualClock()
    yield Setting(FolderWorld(place, clock=clock), clock, "http://a.test/", "http://a.test/dir", "http://a.test/no")


@asynccontextmanager
async def simulated(_: Path) -> AsyncIterator[Setting]:
    simulated_web, clock = parse_spec("sim:pages=2000,seed=3"), VirtualClock()
    page = simulated_web.examples(1, simulated_web.topics(1)[0])[0]
    host = page.split("/")[2]
    yield Setting(SimulatedWorld(simulated_web, clock), clock, page, "", f"http://{host}/no/such/page.html")


@asynccontextmanager
async def live(_: Path) -> AsyncIterator[Setting]:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/old":
            raise web.HTTPFound("/")
        status = 200 if request.path == "/" else 404
        return web.Response(status=status, text=HTML, content_type="text/html")

    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.5.1", 0).start()
    base = f"http://127.0.5.1:{runner.addresses[0][1]}"
    clock = LiveClock()
    polite = PolitenessSettings(delay_s=0.0, adaptive=0.0)
    nowhere = LiveSettings(allow_private=True, resolve={"*.test": "127.255.255.254"})  # no name leaves this machine
    world = LiveWorld(polite, LimitSettings(), nowhere, "clew", "a@b.test", clock)
    try:
        yield Setting(world, clock, f"{base}/", f"{base}/old", f"{base}/no")
    finally:
        await runner.cleanup()


class NothingKept:
    def get(self, url: str, not_before: float) -> Response | None:
        return None

    def close(self) -> None:
        """Nothing to close."""


@asynccontextmanager
async def cached(place: Path) -> AsyncIterator[Setting]:
    async with archive(place) as setting:
        yield setting._replace(world=CachedWorld(setting.world, NothingKept(), 10.0, setting.clock))


WORLDS = (archive, folder, simulated, live, cached)


class TestWorld(WorldContract):
    @pytest.fixture(autouse=True, params=WORLDS, ids=lambda maker: maker.__name__)
    def maker(self, request: pytest.FixtureRequest) -> None:
        self.setting = request.param

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[World]:
        async with self.setting(self.folder) as made:
            self.page, self.redirect, self.missing = made.page, made.redirect, made.missing
            await made.world.open()
            yield made.world
            await made.world.close()

    def make(self) -> World:
        raise AssertionError("they are made in opened, with what they need")

    def test_a_missing_page_is_a_404_where_the_world_is_open(self) -> None:
        async def check(world: World) -> None:
            response = await self.answer(world, self.missing)
            assert (response.outcome, response.status) in ((Outcome.ABSENT, 0), (Outcome.FAILED, 404))

        self.run(check)
