"""Compressed bodies on the wire, and limits of time and size."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import tracemalloc

import pytest
from text_bodies import ENCODERS, bomb
from web_live_site import answer, serving, settled, visiting

from clew.model import Outcome
from clew.web.clock import VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


@pytest.mark.parametrize("name", sorted(ENCODERS))
async def test_compressed_pages(name: str, clock: VirtualClock) -> None:
    body = b"<p>compressed</p>" * 5_000
    data = ENCODERS[name](body)
    async with serving(clock, {"/": answer(data, Content_Encoding=name)}) as site, visiting(clock) as world:
        response = await settled(world, clock, site.url())
    assert response.outcome is Outcome.OK
    assert response.body == body
    assert response.encoded_body == data


async def test_a_gigabyte_in_a_megabyte_of_gzip_is_stopped(clock: VirtualClock) -> None:
    page = answer(bomb("gzip", 300_000_000), Content_Encoding="gzip")
    async with serving(clock, {"/": page}) as site, visiting(clock) as world:
        tracemalloc.start()
        try:
            response = await settled(world, clock, site.url())
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (response.outcome, response.status, response.body, response.retry_at) == (Outcome.FAILED, 200, b"", None)
    assert response.reason == "larger than 5000000 bytes after decompression (limits.page_bytes)"
    assert peak < 20_000_000


async def _endless(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"x" * 10_000)
            await writer.drain()


async def _drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"1\r\nx\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)


async def _stalled(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await asyncio.sleep(60)


async def _dripping_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"X: y\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("page", "reason", "again"),
    [
        (answer(b"x" * 50_001), "larger than 50000 bytes as sent (limits.page_bytes)", False),
        (_endless, "larger than 50000 bytes as sent (limits.page_bytes)", False),
        (_stalled, "not complete after 0.4 s (limits.page_s)", False),
        (_dripping_head, "no answer within 0.4 s (limits.page_s)", True),
        (answer(X="y" * 3_000), "a header is longer than 2000 bytes (limits.header_bytes)", False),
        (answer(Content_Type="Application/PDF; x=y"), "content type application/pdf is not wanted", False),
        (answer(b"\x80\x00\xff" * 60, Content_Encoding="br"), "damaged compressed body", False),
        (answer(b"\x1f\x8b\x08" + b"\xff" * 60, Content_Encoding="gzip"), "damaged compressed body", False),
    ],
)
async def test_limits(page: object, reason: str, again: bool, clock: VirtualClock) -> None:
    limits = {"page_bytes": 50_000, "page_s": 0.4, "header_bytes": 2_000}
    async with serving(clock, {"/bad": page}) as site, visiting(clock, limits=limits) as world:  # type: ignore[dict-item]
        response = await settled(world, clock, site.url("/bad"))
        assert response.outcome is Outcome.FAILED
        assert response.reason.startswith(reason)
        assert (response.retry_at is not None) is again
        assert response.body == b""
        assert (await settled(world, clock, site.url())).outcome in (Outcome.OK, Outcome.FAILED)


async def test_exactly_at_the_limit(clock: VirtualClock) -> None:
    pages = {"/1": answer(b"x" * 50_000), "/2": answer(gzip.compress(b"x" * 50_000), Content_Encoding="gzip")}
    async with serving(clock, pages) as site, visiting(clock, limits={"page_bytes": 50_000}) as world:
        for path in pages:
            assert (await settled(world, clock, site.url(path))).body == b"x" * 50_000


@pytest.mark.parametrize("content_type", ["", "TEXT/HTML;charset=x", "text/plain", "application/xhtml+xml"])
async def test_wanted_content_types(content_type: str, clock: VirtualClock) -> None:
    async with serving(clock, {"/": answer(Content_Type=content_type)}) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK


async def test_an_unwanted_body_is_not_drained(clock: VirtualClock) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 4000000\r\n\r\n"
    written = 0

    async def film(writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(head)
        with contextlib.suppress(ConnectionError):
            for _ in range(4_000):
                writer.write(b"x" * 1_000)
                await writer.drain()
                written += 1_000
                await asyncio.sleep(0.001)

    async with serving(clock, {"/film": film}) as site, visiting(clock) as world:
        assert "video/mp4" in (await settled(world, clock, site.url("/film"))).reason
        await asyncio.sleep(0.05)
        assert written < 1_000_000
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK
        assert site.connections == 2


async def test_a_large_error_page_is_an_error_page(clock: VirtualClock) -> None:
    pages = {
        "/404": answer(b"x" * 60_000, "404 No"),
        "/302": answer(b"x" * 60_000, "302 Found", Location="/x"),
        "/500": answer(b"x" * 60_000, "500 Oops"),
    }
    outcomes = {}
    async with serving(clock, pages) as site, visiting(clock, limits={"page_bytes": 50_000}) as world:
        for path in pages:
            response = await settled(world, clock, site.url(path))
            outcomes[path] = (response.outcome, response.status, response.body)
    assert outcomes == {
        "/404": (Outcome.FAILED, 404, b""),
        "/302": (Outcome.REDIRECT, 302, b""),
        "/500": (Outcome.FAILED, 500, b""),
    }
