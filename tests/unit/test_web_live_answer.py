"""The reader of answers alone: pieces of any size give what the whole gives, and no piece costs more than another."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.text.httpframing import MOST_CHUNKS, Dechunker
from clew.text.httpmessage import MessageError
from clew.web.live.answer import Answer, HeadTooLargeError

PARTS = [
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 103 Hints\r\n", b"HTTP/1.1 204\r\n", b"ICY 200\n", b"\r\n", b"\n", b"\r",
    b"Content-Length: 5\r\n", b"Content-Length: 6\r\n", b"Content-Length: x\n", b"Transfer-Encoding: chunked\r\n",
    b": x\r\n", b" folded\r\n", b"5\r\nhello\r\n", b"hello", b"0\r\n", b"zz", b"\0", b"Connection: close\r\n",
    b"HTTP/1.0 200\r\n", b"3;x=y\nabc", b"\xff\xfe",
]  # fmt: skip
Seen = tuple[object, ...]


def seen(pieces: list[bytes], clean: bool) -> Seen:
    """What comes of an answer: its head, body and end, or the error."""
    answer, body = Answer(200), b""
    try:
        for piece in pieces:
            body += answer.feed(piece)
        answer.end(clean)
    except MessageError as error:
        return (type(error).__name__,)
    head = answer.head and (answer.head.status, answer.head.fields, answer.head.raw)
    return head, body, answer.over, answer.broke, answer.conflict, answer.keep and not answer.surplus


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=14), st.integers(1, 9), st.booleans())
def test_an_answer_in_pieces_is_the_answer(parts: list[bytes], size: int, clean: bool) -> None:
    data = b"".join(parts)
    assert seen([data[start : start + size] for start in range(0, len(data), size)], clean) == seen([data], clean)


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=300), st.sampled_from([b"", *PARTS, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"])
)
def test_any_bytes_are_an_answer_or_refused(data: bytes, start: bytes) -> None:
    assert seen([start + data], True)


@pytest.mark.parametrize("piece", [b"X: y\r\n", b"y", b"\r", b"X: y\r\n folded\r\n", b"\r\n", b" "])
@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_a_head_that_drips_stays_cheap_and_bounded(start: bytes, piece: bytes) -> None:
    answer = Answer(65_536)
    began = time.process_time()
    with pytest.raises(MessageError):
        answer.feed(start)
        for _ in range(300_000):
            answer.feed(piece)
            if answer.head is not None:
                raise MessageError("it has ended")
    assert time.process_time() - began < 10


def test_lines_and_heads_may_be_as_long_as_the_limit() -> None:
    status, line = b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 196 + b"\r\n"
    for lines in (line, line * 3):
        answer = Answer(200)
        answer.feed(status + lines + b"\r\n")
        assert answer.head is not None
    for lines in (line.replace(b"y\r", b"yy\r"), line * 4):
        with pytest.raises(HeadTooLargeError):
            Answer(200).feed(status + lines + b"\r\n")


def test_chunks_without_end_are_no_body() -> None:
    chunks = Dechunker()
    body = b"".join(chunks.feed(b"1\r\nx\r\n" * 1_000) for _ in range(MOST_CHUNKS // 1_000 + 5))
    assert (chunks.over, chunks.complete, len(body)) == (True, False, MOST_CHUNKS)


def test_trailers_are_bounded() -> None:
    chunks = Dechunker()
    assert chunks.feed(b"1\r\nx\r\n0\r\n") == b"x"
    for _ in range(10_000):
        chunks.feed(b"X-Trailer: y\r\n")
    assert (chunks.over, chunks.complete) == (True, True)
