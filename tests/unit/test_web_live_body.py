"""Bodies: every coding in pieces of any size, bombs stopped at the limit, and limits of time and size on the wire."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import random
import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from web_live_site import answer, serving, settled, visiting

from clew.model import Outcome
from clew.text.httpmessage import decode_content
from clew.web.clock import VirtualClock
from clew.web.live.body import BodyError, Collector, TooLargeError, codings

LIMIT = 100_000


def _raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "x-gzip": lambda data: gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :]),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": lambda data: zstandard.compress(data[: len(data) // 2]) + zstandard.compress(data[len(data) // 2 :]),
}


def decode(names: tuple[str, ...], data: bytes, size: int = 7, limit: int = LIMIT) -> bytes:
    collector = Collector(names, limit)
    for start in range(0, len(data), size):
        collector.feed(data[start : start + size])
    collector.finish()
    assert collector.encoded == data
    return collector.decoded


@settings(max_examples=60, deadline=None)
@given(
    body=st.binary(max_size=3_000),
    names=st.lists(st.sampled_from(sorted(ENCODERS)), max_size=3).map(tuple),
    size=st.integers(1, 4_000),
)
def test_codings_on_top_of_each_other_in_pieces(body: bytes, names: tuple[str, ...], size: int) -> None:
    data = body
    for name in names:
        data = ENCODERS[name](data)
    assert decode(names, data, size) == body


@settings(max_examples=150, deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.sampled_from([b"<html>plain", b'{"a": 1}', b"", b"<", b"\x1f", b"\x1f\x8b", b"(\xb5/", b"x\x9c"]),
        st.binary(max_size=300).map(gzip.compress),
        st.binary(max_size=300).map(_raw_deflate),
    ),
    cut=st.integers(0, 40),
    tail=st.sampled_from([b"", b"junk", b"\x1f"]),
    name=st.sampled_from(["gzip", "zstd"]),
    size=st.integers(1, 64),
)
def test_pages_are_read_live_as_they_are_from_archives(
    data: bytes, cut: int, tail: bytes, name: str, size: int
) -> None:
    data = data[: len(data) - cut] + tail
    try:
        expected = decode_content((("Content-Encoding", name),), data, LIMIT)
    except ValueError:
        with pytest.raises(BodyError):
            decode((name,), data, size)
    else:
        assert decode((name,), data, size) == expected


@pytest.mark.parametrize(
    ("names", "data", "body"),
    [
        (("deflate",), _raw_deflate(b"bare" * 100), b"bare" * 100),
        (("deflate",), b"<html>never deflated", b"<html>never deflated"),
        (("br",), b"<html>never brotli" * 3, b"<html>never brotli" * 3),
        (("gzip",), gzip.compress(b"page", mtime=0) + b"trailing junk", b"page"),
        (("gzip",), gzip.compress(b"page" * 1000, mtime=0)[:-20], None),
        (("gzip",), b"", b""),
        (("br",), b"", b""),
    ],
)
def test_odd_bodies(names: tuple[str, ...], data: bytes, body: bytes | None) -> None:
    decoded = decode(names, data)
    assert (b"page" * 1000).startswith(decoded) if body is None else decoded == body


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_damaged_bodies_are_reported(name: str) -> None:
    words = random.Random(1).choices(["some", "words", "that", "compress"], k=2_000)
    data = bytearray(ENCODERS[name](" ".join(words).encode()))
    data[20:80] = b"\xff" * 60
    with pytest.raises(BodyError, match="damaged compressed body"):
        decode((name,), bytes(data))


def test_content_encoding_headers() -> None:
    assert codings("") == codings("identity") == codings(" none, ,") == ()
    assert codings("GZip , br") == ("gzip", "br")
    with pytest.raises(BodyError, match="unknown Content-Encoding 'compress'"):
        codings("gzip, compress")
    with pytest.raises(BodyError, match="more than 4 content codings"):
        codings("gzip," * 5)


def _bomb(name: str, size: int = 1_000_000_000) -> bytes:
    """``size`` zero bytes, compressed, without ever holding them."""
    block = bytes(1_000_000)
    if name == "br":
        stream = brotli.Compressor(quality=5)
        return b"".join(stream.process(block) for _ in range(size // len(block))) + stream.finish()
    if name == "zstd":
        packer = zstandard.ZstdCompressor().compressobj()
        return b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    zipper = zlib.compressobj(9, wbits=31 if name == "gzip" else 15)
    return b"".join(zipper.compress(block) for _ in range(size // len(block))) + zipper.flush()


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_bombs_are_stopped_with_flat_memory(name: str) -> None:
    bomb = _bomb(name, 200_000_000)
    collector = Collector((name,), 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match=r"larger than 1000000 bytes after decompression \(limits.page_bytes\)"):
            collector.feed(bomb)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_double_bombs_are_stopped() -> None:
    inner = gzip.compress(_bomb("gzip", 200_000_000))
    with pytest.raises(TooLargeError):
        decode(("gzip", "gzip"), inner, 4096, 1_000_000)


def test_the_beginning_of_something_larger() -> None:
    collector = Collector(("gzip",), 10, slack=20)
    with pytest.raises(TooLargeError):
        collector.feed(gzip.compress(b"x" * 150))
    assert collector.full
    assert collector.decoded == b"x" * 10


# -- on the wire ----------------------------------------------------------------------------------------------


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
    page = answer(_bomb("gzip", 300_000_000), Content_Encoding="gzip")
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
        (_drip, "not complete after 0.4 s (limits.page_s)", False),
        (_dripping_head, "no answer within 0.4 s (limits.page_s)", True),
        (answer(X="y" * 3_000), "a header is longer than 2000 bytes (limits.header_bytes)", False),
        (answer(Content_Type="Application/PDF; x=y"), "content type application/pdf is not wanted", False),
        (answer(Content_Encoding="rot13"), "unknown Content-Encoding 'rot13'", False),
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
        "/503": answer(b"x" * 60_000, "503 Busy"),
    }
    outcomes = {}
    async with serving(clock, pages) as site, visiting(clock, limits={"page_bytes": 50_000}) as world:
        for path in pages:
            response = await settled(world, clock, site.url(path))
            outcomes[path] = (response.outcome, response.status, response.body)
    assert outcomes == {
        "/404": (Outcome.FAILED, 404, b""),
        "/302": (Outcome.REDIRECT, 302, b""),
        "/503": (Outcome.FAILED, 503, b""),
    }
