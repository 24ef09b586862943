"""One suite over every world: what any caller may rely on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from aiohttp import web

from clew.config import LimitSettings, LiveSettings, PolitenessSettings
from clew.model import Outcome, Request, Response
from clew.store.warc import WarcWriter, encode
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


Maker = Callable[[Path], "AsyncIterator[Setting]"]
WORLDS: list[Maker] = [archive, folder, simulated, live, cached]  # type: ignore[list-item]


@pytest.fixture(params=WORLDS, ids=lambda maker: maker.__name__)
async def setting(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Setting]:
    async with request.param(tmp_path) as made:
        await made.world.open()
        yield made
        await made.world.close()


async def answer(setting: Setting, url: str, hops: int = 0) -> Response:
    """Ask as the loop does: again when the answer was put off."""
    for _ in range(5):
        response = await setting.world.fetch(Request(url, hops=hops))
        if response.outcome is not Outcome.DEFERRED:
            return response
        assert response.retry_at is not None
        assert response.requests == 0
        await setting.clock.sleep_until(response.retry_at)
    raise AssertionError(f"{url} was put off for ever")


async def test_a_page_comes_back(setting: Setting) -> None:
    response = await answer(setting, setting.page)
    assert (response.outcome, response.status, response.url) == (Outcome.OK, 200, setting.page)
    assert b"<" in response.body
    assert response.header("content-type").startswith("text/html")
    assert response.requests == 1
    assert response.fetched_at <= setting.clock.now()
    assert not response.reason


async def test_a_redirect_is_an_answer_not_followed(setting: Setting) -> None:
    if not setting.redirect:
        pytest.skip("this world has none to show")
    response = await answer(setting, setting.redirect)
    assert response.outcome is Outcome.REDIRECT
    assert response.location.startswith(("http://", "https://"))
    assert response.requests == 1


async def test_a_missing_page_has_a_reason_and_never_raises(setting: Setting) -> None:
    response = await answer(setting, setting.missing)
    if setting.world.closed:
        assert (response.outcome, response.requests) == (Outcome.ABSENT, 0)
    else:
        assert (response.outcome, response.status) == (Outcome.FAILED, 404)
    assert response.reason
    assert response.retry_at is None


@pytest.mark.parametrize(
    "url", ["http://no.such.host.test/", "http://a.test:1/", "http://a.test/%00", "http://a.test/../../etc/passwd"]
)
async def test_odd_urls_get_an_answer(setting: Setting, url: str) -> None:
    response = await setting.world.fetch(Request(url))
    assert response.outcome is not Outcome.OK
    assert response.reason


async def test_the_same_page_twice_is_the_same(setting: Setting) -> None:
    first, second = await answer(setting, setting.page), await answer(setting, setting.page)
    assert first.body == second.body


async def test_closing_twice_is_fine(setting: Setting) -> None:
    await setting.world.close()
    await setting.world.close()


async def test_it_has_a_name(setting: Setting) -> None:
    assert setting.world.name
