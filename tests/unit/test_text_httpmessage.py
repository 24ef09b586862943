"""Stored HTTP messages by anyone, and bodies freed of their encodings within a limit."""

import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from clew.text.httpmessage import MessageError, TooLargeError, decode_content, parse_response, status_of, without_chunks


def gzipped(data: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, 31)
    return stream.compress(data) + stream.flush()


def bare(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


CODINGS = {
    "gzip": gzipped,
    "x-gzip": gzipped,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
PAGE = b"<html><p>" + b"a page of some length, " * 500


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r\r\n"])
def test_a_message_with_any_line_ends(end):
    block = end.join(
        [b"HTTP/1.1 404 Not  Found", b"A: b", b"folded: one", b"\t two", b"broken", b": x", b"A:c", b"", b"body"]
    )
    message = parse_response(block)
    assert (message.version, message.status, message.phrase, message.body) == ("HTTP/1.1", 404, "Not  Found", b"body")
    assert message.header("a") == "b"
    assert message.header("FOLDED") == "one two"
    assert message.headers == (("A", "b"), ("folded", "one two"), ("A", "c"))


@pytest.mark.parametrize(
    ("block", "status", "body"),
    [
        (b"HTTP/1.0 302 \r\nLocation: /x\r\n\r\n", 302, b""),
        (b"HTTP/1.0 302\r\n\r\nbody", 302, b"body"),
        (b"HTTP/1.1 200 OK", 200, b""),
        (b"HTTP/1.1 200 OK\r\n\r\n\r\nbody", 200, b"\r\nbody"),
        (b"HTTP/2 200\r\nA: b\r\n\r\nbody", 200, b"body"),
        (b"HTTP/1.1 200 OK\r\nA: \xe4\r\n\r\n", 200, b""),
    ],
)
def test_sparse_messages(block, status, body):
    message = parse_response(block)
    assert (message.status, message.body) == (status, body)


@pytest.mark.parametrize(
    "block", [b"", b"HTTPX/1.1 200 OK\r\n\r\n", b"<html>", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 2000 OK"]
)
def test_what_is_no_message(block):
    assert status_of(block) == 0
    with pytest.raises(MessageError, match="no HTTP status line"):
        parse_response(block)


CHUNKED = (("transfer-encoding", "Chunked"),)


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        (b"3\r\nabc\r\n0\r\n\r\n", b"abc"),
        (b"3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", b"abc0123456789"),
        (b"3\nabc\n2\nde\n0\n\n", b"abcde"),
        (b"0\r\n\r\n", b""),
        (b"5\r\nabc", b"abc"),  # broken off
        (b"3\r\nabc\r\nzz\r\nmore", b"abc"),  # broken
        (b"<html>chunks already removed", b"<html>chunks already removed"),
        (b"fffffffffffffff\r\nabc", b"abc"),
        (b"", b""),
    ],
)
def test_chunks(body, plain):
    assert without_chunks(CHUNKED, body) == plain
    assert without_chunks((), body) == body


@pytest.mark.parametrize("name", CODINGS)
def test_every_coding(name):
    headers = (("content-encoding", name.upper()),)
    assert decode_content(headers, CODINGS[name](PAGE), len(PAGE)) == PAGE
    assert decode_content(headers, PAGE, len(PAGE)) == PAGE  # the archiver had decoded it
    assert decode_content(headers, b"", 10) == b""


def test_bare_deflate_and_several_codings_and_members():
    assert decode_content((("Content-Encoding", "deflate"),), bare(PAGE), 50_000) == PAGE
    assert decode_content((("Content-Encoding", "deflate, gzip"),), gzipped(zlib.compress(PAGE)), 50_000) == PAGE
    assert (
        decode_content((("Content-Encoding", "gzip"),), gzipped(b"one") + gzipped(b"two") + b"junk", 50_000)
        == b"onetwo"
    )


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_body_that_breaks_off_gives_what_came(name):
    part = decode_content((("Content-Encoding", name),), CODINGS[name](PAGE)[:-12], 50_000)
    assert part
    assert PAGE.startswith(part)


@pytest.mark.parametrize("name", CODINGS)
def test_bombs_stop_at_the_limit(name):
    bomb = CODINGS[name](b"\0" * 60_000_000)
    tracemalloc.start()
    with pytest.raises(TooLargeError, match="larger than 100000 bytes"):
        decode_content((("Content-Encoding", name),), bomb, 100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


def test_the_limit_is_exact():
    for name, encode in CODINGS.items():
        assert decode_content((("Content-Encoding", name),), encode(PAGE), len(PAGE)) == PAGE
        with pytest.raises(TooLargeError):
            decode_content((("Content-Encoding", name),), encode(PAGE), len(PAGE) - 1)


def test_an_unknown_coding():
    with pytest.raises(MessageError, match="unknown Content-Encoding 'pack200'"):
        decode_content((("Content-Encoding", "pack200"),), b"x", 10)


@given(st.sampled_from(list(CODINGS)), st.binary(max_size=300), st.integers(0, 60), st.binary(max_size=5))
def test_damage_never_raises_anything_else(name, body, at, damage):
    encoded = CODINGS[name](body)
    hurt = encoded[:at] + damage + encoded[at + len(damage) :]
    try:
        assert len(decode_content((("Content-Encoding", name),), hurt, 10_000)) <= 10_000
    except MessageError as error:
        assert str(error)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_refused(block):
    for start in (b"", b"HTTP/1.1 200 OK\r\n"):
        try:
            message = parse_response(start + block)
        except MessageError:
            continue
        assert without_chunks(CHUNKED, message.body) is not None
