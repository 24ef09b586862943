"""Content codings undone, whole and in pieces of any size; bombs stopped at the limit."""

from __future__ import annotations

import gzip
import random
import time
import tracemalloc

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from text_bodies import ENCODERS, bare_deflate, bomb

from clew.text.codings import BodyError, Collector, TooLargeError, codings, decoded

LIMIT = 100_000


def decode(names: tuple[str, ...], data: bytes, size: int = 7, limit: int = LIMIT) -> bytes:
    collector = Collector(names, limit)
    for start in range(0, len(data), size):
        collector.feed(data[start : start + size])
    collector.finish()
    assert collector.encoded == data
    return collector.read()


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


@settings(max_examples=400, deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.sampled_from(
            [b"<html>plain", b"\n\t <html>", b'{"a": 1}', b"", b"<", b"\n", b"\x1f", b"\x1f\x8b", b"(\xb5/", b"x\x9c"]
        ),
        *[st.binary(max_size=300).map(encode) for encode in (*ENCODERS.values(), bare_deflate)],
    ),
    cut=st.integers(0, 40),
    tail=st.sampled_from([b"", b"junk", b"\x1f"]),
    name=st.sampled_from(sorted(ENCODERS)),
    size=st.integers(1, 64),
)
def test_pages_are_read_in_pieces_as_they_are_read_whole(
    data: bytes, cut: int, tail: bytes, name: str, size: int
) -> None:
    data = data[: len(data) - cut] + tail
    try:
        whole = decoded(data, (name,), LIMIT)
    except BodyError:
        with pytest.raises(BodyError):
            decode((name,), data, size)
    else:
        assert decode((name,), data, size) == whole


@given(st.sampled_from(sorted(ENCODERS)), st.binary(max_size=300), st.integers(0, 60), st.binary(max_size=5))
def test_damage_never_raises_anything_else(name: str, body: bytes, at: int, damage: bytes) -> None:
    encoded = ENCODERS[name](body)
    hurt = encoded[:at] + damage + encoded[at + len(damage) :]
    try:
        assert len(decoded(hurt, (name,), 10_000)) <= 10_000
    except BodyError as error:
        assert str(error)


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("body", [b"<p>a page</p>" * 500, b"\n\n  <p>a page</p>" * 50])
def test_a_body_that_is_not_encoded_after_all(name: str, body: bytes) -> None:
    assert decoded(body, (name,), len(body)) == decode((name,), body, 1) == body


@pytest.mark.parametrize("name", ENCODERS)
def test_the_limit_is_exact(name: str) -> None:
    page = b"a page of some length, " * 500
    assert decoded(ENCODERS[name](page), (name,), len(page)) == page
    for size in (7, 100_000):
        with pytest.raises(TooLargeError, match="after decompression"):
            decode((name,), ENCODERS[name](page), size, len(page) - 1)


def test_a_body_without_codings_is_not_copied() -> None:
    page = b"page"
    assert decoded(page, (), 4) is page
    with pytest.raises(TooLargeError, match=r"larger than 3 bytes as sent \(limits.page_bytes\)"):
        decoded(page, (), 3)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_breaks_off_gives_what_came(name: str) -> None:
    page = random.Random(2).randbytes(3_000).hex().encode()
    part = decoded(ENCODERS[name](page)[:-12], (name,), LIMIT)
    assert part
    assert page.startswith(part)


@pytest.mark.parametrize(
    ("names", "data", "body"),
    [
        (("deflate",), bare_deflate(b"bare" * 100), b"bare" * 100),
        (("deflate",), b"<html>never deflated", b"<html>never deflated"),
        (("br",), b"<html>never brotli" * 3, b"<html>never brotli" * 3),
        (("gzip",), gzip.compress(b"page", mtime=0) + b"trailing junk", b"page"),
        (("gzip",), gzip.compress(b"page" * 1000, mtime=0)[:-20], None),
        (("gzip",), b"", b""),
        (("br",), b"", b""),
    ],
)
def test_odd_bodies(names: tuple[str, ...], data: bytes, body: bytes | None) -> None:
    found = decode(names, data)
    assert (b"page" * 1000).startswith(found) if body is None else found == body


WORDS = " ".join(random.Random(1).choices(["some", "words", "that", "compress"], k=20_000)).encode()


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_damaged_from_the_start_is_reported(name: str) -> None:
    data = bytearray(ENCODERS[name](WORDS))
    data[6:] = b"\xff" * (len(data) - 6)
    for size in (7, 100_000):
        with pytest.raises(BodyError, match="damaged compressed body"):
            decode((name,), bytes(data), size)


@pytest.mark.parametrize("size", [50, 700, 1_000_000])
@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_of_a_damaged_body_what_comes_before_the_damage_is_kept(name: str, size: int) -> None:
    page = random.Random(2).randbytes(150_000).hex().encode()
    data = bytearray(ENCODERS[name](page))
    half = len(data) // 2
    del data[half + 5_000 : half + 5_400]
    collector = Collector((name,), 1_000_000)
    for start in range(0, len(data), size):
        collector.feed(bytes(data[start : start + size]))
    collector.finish()
    assert collector.damaged.startswith("damaged compressed body: ")
    assert collector.encoded == bytes(data)
    kept = 130_000 if name == "zstd" else 149_000  # zstd gives whole blocks, of 128 kB at most
    assert collector.read()[:kept] == page[:kept]


def test_looking_for_the_damage_takes_no_longer_than_decoding() -> None:
    data = bytearray(ENCODERS["gzip"](random.Random(3).randbytes(4_000_000)))
    data[-40_000:-39_000] = b"\xff" * 1_000
    began = time.process_time()
    collector = Collector(("gzip",), 5_000_000)
    for start in range(0, len(data), 1_000):
        collector.feed(bytes(data[start : start + 1_000]))
    assert len(collector.read()) > 3_000_000
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "header",
    ["utf-8", "UTF-8", "text/html", "aws-chunked", "none", "identity", "", " ", ",", "compress", "pack200", "gzip;q=1",
     "\"", "deflated", "8bit", "binary", "chunked", "iso-8859-1, utf-8"],
)  # fmt: skip
def test_what_is_no_coding_says_nothing(header: str) -> None:
    assert codings(header) == ()
    assert decoded(b"\x1f\x8b<p>page", codings(header), 100) == b"\x1f\x8b<p>page"


@pytest.mark.parametrize("header", ["gzip, utf-8", "utf-8,gzip", "aws-chunked, GZIP", "'gzip'", "x-gzip"])
@pytest.mark.parametrize("body", [b"<p>never compressed</p>", b"Gr\xfc\xdfe von der See, nie komprimiert"])
def test_a_list_with_what_is_no_coding(header: str, body: bytes) -> None:
    assert decoded(body, codings(header), 100) == body
    assert decoded(gzip.compress(body), codings(header), 100) == body


def test_content_encoding_headers() -> None:
    assert codings("") == codings("identity") == codings(" none, ,") == ()
    assert codings("GZip , br") == ("gzip", "br")
    with pytest.raises(BodyError, match="more than 4 content codings"):
        codings("gzip," * 5)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_bombs_are_stopped_with_flat_memory(name: str) -> None:
    huge = bomb(name, 200_000_000)
    collector = Collector((name,), 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match=r"larger than 1000000 bytes after decompression \(limits.page_bytes\)"):
            collector.feed(huge)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_bombs_in_bombs_are_stopped() -> None:
    data = bomb("gzip", 100_000_000)
    for depth in (2, 3, 4):
        data = gzip.compress(data)
        began = time.process_time()
        with pytest.raises(TooLargeError):
            decode(("gzip",) * depth, data, 4096, 1_000_000)
        assert time.process_time() - began < 2


def test_a_hundred_thousand_members_take_no_longer_than_their_bytes() -> None:
    def seconds(count: int) -> float:
        body = gzip.compress(b"", mtime=0) * count + gzip.compress(b"the end")
        began = time.process_time()
        assert decoded(body, ("gzip",), 5_000_000) == b"the end"
        return time.process_time() - began

    assert seconds(100_000) < 3 * min(seconds(50_000) for _ in range(2)) + 0.1


def test_what_follows_the_last_member_is_dropped_in_pieces_of_any_size() -> None:
    body = gzip.compress(b"page") + b"x" * 70_000 + gzip.compress(b"no page")
    assert decoded(body, ("gzip",), 5_000_000) == b"page"
    for size in (1, 7, 70_024):
        collector = Collector(("gzip",), 5_000_000)
        for start in range(0, len(body), size):
            collector.feed(body[start : start + size])
        collector.finish()
        assert collector.read() == b"page"


def test_a_window_larger_than_browsers_allow_is_damage() -> None:
    packer = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27)
    ).compressobj()
    data = packer.compress(b"x" * 100_000) + packer.flush()
    with pytest.raises(BodyError, match="damaged compressed body"):
        decode(("zstd",), data)


def test_a_wrong_checksum_costs_nothing() -> None:
    data = bytearray(gzip.compress(WORDS, mtime=0))
    data[-8:] = b"\xff" * 8
    for size in (7, 1_000_000):
        assert decode(("gzip",), bytes(data), size, 1_000_000) == WORDS


def test_the_beginning_of_something_larger() -> None:
    collector = Collector(("gzip",), 10, slack=20)
    with pytest.raises(TooLargeError):
        collector.feed(gzip.compress(b"x" * 150))
    assert collector.full
    assert collector.decoded == b"x" * 10
