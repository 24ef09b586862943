"""Stored HTTP messages by anyone, and bodies freed of their encodings within a limit."""

import gzip
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.codings import TooLargeError
from clew.text.httpmessage import MessageError, decode_content, parse_response, status_of, without_chunks
from clew.text.sniff import essence_of


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
        (b"HTTP/1.1\r\n\r\nbody", 200, b"body"),
        (b"HTTP/1.1 OK\r\nA: b\r\n\r\nbody", 200, b"body"),
        (b"HTTP/1.1: 404 Gone\r\n\r\nbody", 404, b"body"),
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
    "block", [b"", b"HTTPX/1.1 200 OK\r\n\r\n", b"<html>", b"HTTP is\r\n\r\n", b"HTTP/1.1 2000 OK", b"HTTP/1.1 -1"]
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


def test_bodies_are_freed_of_all_their_codings():
    body = b"<html>" + b"a page of some length, " * 500
    twice = gzip.compress(zlib.compress(body))
    assert decode_content((("content-encoding", "DEFLATE, gzip"),), twice, 50_000) == body
    assert decode_content((("Content-Encoding", "deflate"), ("Content-encoding", "gzip")), twice, 50_000) == body
    assert decode_content((("Content-Encoding", "gzip, gzip"),), body, 50_000) == body  # the archiver had decoded it
    assert decode_content((), body, 50_000) is body
    with pytest.raises(TooLargeError, match="larger than 100 bytes"):
        decode_content((("Content-Encoding", "deflate, gzip"),), twice, 100)
    assert decode_content((("Content-Encoding", "pack200"),), b"x", 10) == b"x"


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_refused(block):
    for start in (b"", b"HTTP/1.1 200 OK\r\n"):
        try:
            message = parse_response(start + block)
        except MessageError:
            continue
        assert without_chunks(CHUNKED, message.body) is not None


# -- time ---------------------------------------------------------------------------------------------------

HEADS = {
    "blank": b"\r\n",
    "carriage returns": b"\r",
    "line feeds": b"\n",
    "spaces": b" ",
    "folds": b"\n x",
    "colons": b":",
    "names": b"a:\n",
    "quotes": b'"',
    "interim": b"HTTP/1.1 100\r\n\r\n",
    "nulls": b"\0",
    "chunks": b"1\r\nx\r\n",
    "zeros": b"0",
    "semicolons": b";",
}


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"HTTP/1.1 200 ",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nA: b",
        b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_no_head_takes_more_than_linear_time(before, name):
    block = before + HEADS[name] * (400_000 // len(HEADS[name]))
    began = time.process_time()
    try:
        message = parse_response(block)
        without_chunks(message.headers, message.body)
    except MessageError:
        pass
    essence_of(block.decode("latin-1"))
    assert time.process_time() - began < 5
