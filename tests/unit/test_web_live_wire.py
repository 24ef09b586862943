"""Answers that the standards forbid and browsers show: the bytes of fault reports and their siblings, on the wire."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable, Sequence

import pytest
from text_bodies import ENCODERS
from web_live_site import Handler, Site, answer, serving, settled, visiting

from clew.model import Outcome, Response
from clew.text.reader import Reader
from clew.urls.canonical import canonical, host, keys, url_words
from clew.web.clock import VirtualClock

PAGE = b'<title>t</title><p>sailing yacht</p><a href="/next">n</a>'
OK = b"HTTP/1.1 200 OK\r\n"
HTML = OK + b"Content-Type: text/html\r\n"
LENGTH = b"Content-Length: 57\r\n"
WHOLE = HTML + LENGTH + b"\r\n" + PAGE
CHUNKED = b"Transfer-Encoding: chunked\r\n"
ONE_CHUNK = b"39\r\n" + PAGE + b"\r\n"


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


def closing(*parts: bytes, pause_s: float = 0.02) -> Handler:
    """Sends the parts one by one and closes."""

    async def write(writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause_s if len(parts) > 1 else 0)
        writer.close()

    return write


async def fetched(page: Handler, clock: VirtualClock, limits: dict[str, object] | None = None) -> tuple[Response, Site]:
    """What comes of a page of a host that is given up at its first strike, and is asked for another page after."""
    settings = {"politeness": {"give_up_after": 1}, "limits": limits}
    async with serving(clock, {"/page": page}) as site, visiting(clock, **settings) as world:
        response = await settled(world, clock, site.url("/page"))
        after = await settled(world, clock, site.url("/"))
        assert (after.outcome, after.body) == (Outcome.OK, b"<p>hello</p>"), after.reason
    assert site.paths() == ["/robots.txt", "/page", "/"]
    return response, site


def assert_shown(response: Response, body: bytes = PAGE) -> None:
    assert (response.outcome, response.status, response.body) == (Outcome.OK, 200, body), response.reason
    assert (response.retry_at, response.truncated) == (None, "")


# -- report 03: codings -----------------------------------------------------------------------------------------

NO_CODINGS = [
    b"UTF-8",
    b"utf-8",
    b"text/html",
    b"aws-chunked",
    b"none",
    b"identity",
    b"",
    b"gzip, utf-8",
    b"\xff",
    b'"',
]


@pytest.mark.parametrize("name", [*NO_CODINGS, b"x-gzip", b"gzip", b"deflate", b"br", b"zstd", b"br, gzip"])
async def test_a_plain_body_under_any_coding_is_shown(name: bytes, clock: VirtualClock) -> None:
    page = HTML + b"Content-Encoding: " + name + b"\r\n" + LENGTH + b"\r\n" + PAGE
    assert_shown((await fetched(page, clock))[0])


@pytest.mark.parametrize("name", NO_CODINGS)
async def test_robots_txt_under_a_coding_that_is_none_is_obeyed(name: bytes, clock: VirtualClock) -> None:
    rules = b"User-agent: *\nDisallow: /x"
    robots = OK + b"Content-Type: text/plain\r\nContent-Encoding: " + name + b"\r\nContent-Length: 26\r\n\r\n" + rules
    async with serving(clock, {"/robots.txt": robots, "/y": answer()}) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url("/y"))).outcome is Outcome.OK
        refused = await settled(world, clock, site.url("/x"))
        assert (refused.outcome, refused.reason) == (Outcome.REFUSED, "robots.txt disallows it")


@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
@pytest.mark.parametrize("damage", ["cut", "hurt"])
async def test_of_damaged_compression_what_decodes_is_shown(name: str, damage: str, clock: VirtualClock) -> None:
    page = b"<title>t</title>" + b"".join(b"<p>%d</p>" % (number * number) for number in range(20_000))
    data = ENCODERS[name](page)
    sent = data[: len(data) // 2] if damage == "cut" else data[: len(data) // 2] + data[len(data) // 2 + 900 :]
    response, _ = await fetched(answer(sent, Content_Encoding=name), clock)
    assert (response.outcome, response.retry_at, response.truncated) == (Outcome.OK, None, "")
    assert len(response.body) > 10_000
    assert response.body[:10_000] == page[:10_000]
    assert response.encoded_body == sent
    assert response.reason.startswith("damaged compressed body" if damage == "hurt" else "")


async def test_what_cannot_be_decoded_at_all_is_kept_as_sent(clock: VirtualClock) -> None:
    sent = b"\x1f\x8b\x08" + b"\xff" * 60
    response, _ = await fetched(answer(sent, Content_Encoding="gzip"), clock)
    assert (response.outcome, response.body, response.encoded_body) == (Outcome.FAILED, b"", sent)
    assert (response.retry_at, response.truncated) == (None, "")


async def test_compression_as_transfer_coding_is_undone(clock: VirtualClock) -> None:
    data = gzip.compress(PAGE)
    page = HTML + b"Transfer-Encoding: gzip, chunked\r\n\r\n%x\r\n" % len(data) + data + b"\r\n0\r\n\r\n"
    assert_shown((await fetched(page, clock))[0])


# -- report 04: framing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        b"Content-Length: 20\r\n" + CHUNKED,
        CHUNKED + b"Content-Length: 20\r\n",
        b"Content-Length: 20\r\nContent-Length: 30\r\n" + CHUNKED,
        b"Transfer-Encoding: Chunked\r\n",
        b"transfer-encoding:chunked\r\n",
        b"Transfer-Encoding: identity, chunked\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked;q=1\r\n",
        b"Transfer-Encoding : chunked\r\n",
    ],
)
async def test_chunks_count_whatever_the_length(lines: bytes, clock: VirtualClock) -> None:
    response, site = await fetched(HTML + lines + b"\r\n" + ONE_CHUNK + b"0\r\n\r\n", clock)
    assert_shown(response)
    assert site.connections == 1


@pytest.mark.parametrize(
    ("lines", "connections"),
    [
        (LENGTH * 2, 1),
        (LENGTH * 3, 1),
        (b"Content-Length: 57, 57\r\n", 1),
        (b"Content-Length: 57,57\r\nContent-Length: 057\r\n", 1),
        (b"Content-Length : 57\r\n", 1),
        (b"Transfer-Encoding: identity\r\n" + LENGTH, 1),
        (b"Transfer-Encoding: chunked\r\n" + LENGTH, 2),  # it is not chunked at all
        (b"Content-Length:\r\n" + LENGTH, 1),
    ],
)
async def test_equal_lengths_are_one(lines: bytes, connections: int, clock: VirtualClock) -> None:
    response, site = await fetched(HTML + lines + b"\r\n" + PAGE, clock)
    assert_shown(response)
    assert site.connections == connections


@pytest.mark.parametrize(
    "lines",
    [b"", b"Content-Length: -5\r\n", b"Content-Length: abc\r\n", b"Content-Length: 57.0\r\n",
     b"Content-Length: +57\r\n", b"Transfer-Encoding: nonsense\r\n", b"Transfer-Encoding: chunked\r\n",
     b"Transfer-Encoding:\r\n"],
)  # fmt: skip
async def test_a_body_without_a_length_ends_with_its_connection(lines: bytes, clock: VirtualClock) -> None:
    for parts in ([HTML + lines + b"\r\n" + PAGE], [HTML + lines + b"\r\n", PAGE[:2], PAGE[2:20], PAGE[20:]]):
        assert_shown((await fetched(closing(*parts), clock))[0])


@pytest.mark.parametrize("lines", [LENGTH + b"Content-Length: 20\r\n", b"Content-Length: 57, 20\r\n"])
async def test_different_lengths_lose_the_page_only(lines: bytes, clock: VirtualClock) -> None:
    response, site = await fetched(HTML + lines + b"\r\n" + PAGE, clock)
    assert (response.outcome, response.status, response.body) == (Outcome.FAILED, 200, b"")
    assert response.reason == "different Content-Lengths: 57, 20"
    assert response.retry_at is None
    assert site.connections == 2  # nobody can say where the next answer would begin


# -- report 05: lengths that are wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("close", [b"Connection: close\r\n", b""])
async def test_a_short_length_gives_that_many_bytes(close: bytes, clock: VirtualClock) -> None:
    response, site = await fetched(HTML + b"Content-Length: 20\r\n" + close + b"\r\n" + PAGE, clock)
    assert_shown(response, PAGE[:20])
    assert site.connections == 2


BROKEN_OFF = [
    (b"Content-Length: 59\r\n\r\n" + PAGE, "connection closed after 57 of 59 bytes"),
    (b"Content-Length: 5000\r\n\r\n" + PAGE, "connection closed after 57 of 5000 bytes"),
    (CHUNKED + b"\r\n" + ONE_CHUNK, "connection closed before the last chunk"),
    (CHUNKED + b"\r\n" + ONE_CHUNK + b"1", "connection closed before the last chunk"),
    (CHUNKED + b"\r\n" + b"ff\r\n" + PAGE, "connection closed before the last chunk"),
    (CHUNKED + b"\r\n" + ONE_CHUNK + b"ZZ\r\nboom\r\n0\r\n\r\n", "a broken chunk"),
    (CHUNKED + b"\r\n" + ONE_CHUNK + b"\r\n", "a broken chunk"),
    (CHUNKED + b"\r\n" + ONE_CHUNK + b"x" * 20_000, "a broken chunk"),
    (CHUNKED + b"\r\n" + ONE_CHUNK + b"-5\r\n", "a broken chunk"),
]


@pytest.mark.parametrize(("rest", "why"), BROKEN_OFF)
async def test_what_came_of_a_body_that_breaks_off_is_read(rest: bytes, why: str, clock: VirtualClock) -> None:
    for parts in ([HTML + rest], [HTML + rest[:-9], rest[-9:]], [HTML, rest]):
        response, _ = await fetched(closing(*parts), clock)
        assert (response.outcome, response.status, response.body) == (Outcome.OK, 200, PAGE)
        assert (response.truncated, response.reason) == ("disconnect", f"broke off: {why}")
        assert response.retry_at is None
    page = Reader(canonical, keys, host, url_words).read(response)
    assert (page.title, page.links.urls) == ("t", (site_url(response, "/next"),))


def site_url(response: Response, path: str) -> str:
    return response.url.replace("/page", path)


async def test_a_body_that_is_reset_keeps_what_came(clock: VirtualClock) -> None:
    async def reset(writer: asyncio.StreamWriter) -> None:
        writer.write(HTML + b"\r\n" + PAGE)
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.transport.abort()

    response, _ = await fetched(reset, clock)
    assert (response.outcome, response.body) == (Outcome.OK, PAGE)


@pytest.mark.parametrize("rest", [b"Content-Length: 59\r\n\r\n", CHUNKED + b"\r\n", CHUNKED + b"\r\n3"])
async def test_when_nothing_came_it_is_tried_again(rest: bytes, clock: VirtualClock) -> None:
    response, _ = await fetched(closing(HTML + rest), clock)
    assert (response.outcome, response.status, response.truncated) == (Outcome.FAILED, 200, "disconnect")
    assert response.reason.startswith("connection broke inside the page: connection closed")
    assert response.retry_at is not None


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
@pytest.mark.parametrize("close", ["close", ""])
async def test_answers_that_have_no_body_have_none(status: str, close: str, clock: VirtualClock) -> None:
    response, site = await fetched(answer(PAGE, status, Connection=close), clock)
    assert (response.status, response.body, response.truncated) == (int(status[:3]), b"", "")
    assert response.outcome is (Outcome.OK if status.startswith("204") else Outcome.FAILED)
    assert response.retry_at is None
    assert site.connections == 2  # what came after the head is not taken for the next answer


async def test_what_comes_after_an_answer_is_no_answer(clock: VirtualClock) -> None:
    async def late(writer: asyncio.StreamWriter) -> None:
        writer.write(WHOLE)
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")

    async with serving(clock, {"/page": late}) as site, visiting(clock) as world:
        assert_shown(await settled(world, clock, site.url("/page")))
        await asyncio.sleep(0.1)
        assert (await settled(world, clock, site.url("/"))).body == b"<p>hello</p>"
        assert site.connections == 2


async def test_a_body_that_takes_too_long_is_read_as_far_as_it_came(clock: VirtualClock) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(HTML + b"Content-Length: 100000\r\n\r\n" + PAGE)
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    response, _ = await fetched(drip, clock, {"page_s": 0.3})
    assert (response.outcome, response.body.rstrip(), response.truncated) == (Outcome.OK, PAGE, "time")
    assert response.reason == "not complete after 0.3 s (limits.page_s)"
    assert response.retry_at is None


async def test_of_a_body_that_is_too_large_the_beginning_is_kept_and_not_read(clock: VirtualClock) -> None:
    for page in (
        closing(HTML + b"\r\n" + b"x" * 5_000),
        HTML + CHUNKED + b"\r\n1388\r\n" + b"x" * 5_000 + b"\r\n0\r\n\r\n",
    ):
        response, _ = await fetched(page, clock, {"page_bytes": 1_000})
        assert (response.outcome, response.status, response.body) == (Outcome.FAILED, 200, b"")
        assert (response.truncated, response.encoded_body, response.retry_at) == ("length", b"x" * 1_000, None)
    response, _ = await fetched(answer(b"x" * 5_000), clock, {"page_bytes": 1_000})
    assert (response.outcome, response.truncated, response.encoded_body) == (Outcome.FAILED, "length", None)


@pytest.mark.parametrize(
    ("robots", "known"),
    [
        (b"Content-Length: 28\r\n\r\nUser-agent: *\nDisallow: /x", True),
        (CHUNKED + b"\r\n1a\r\nUser-agent: *\nDisallow: /x", True),
        (b"Content-Length: 2000\r\n\r\nUser-agent: *\nDisallow: /x", False),
        (CHUNKED + b"\r\nff\r\nUser-agent: *\nDisallow: /x", False),
    ],
)
async def test_robots_txt_that_lacks_much_is_not_trusted(robots: bytes, known: bool, clock: VirtualClock) -> None:
    async with (
        serving(clock, {"/robots.txt": closing(OK + robots), "/y": answer()}) as site,
        visiting(clock, politeness={"give_up_after": 1}) as world,
    ):
        response = await settled(world, clock, site.url("/y"))
        assert (response.outcome is Outcome.OK) is known
        closed = await settled(world, clock, site.url("/x"))
        assert closed.outcome is not Outcome.OK
        assert (closed.reason == "robots.txt disallows it") is known


# -- report 06: header lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b": x\r\n",
        b"ThisHasNoColon\r\n",
        b"X-Power : a\r\n",
        b"X Y: a\r\n",
        b"X\x00Y: a\x00b\r\n",
        b"X-Nul: \x00\r\n",
        b"n\xe4me: a\r\n",
        b"n\xc3\xa4me: \xc3\xa4\r\n",
        b"(x): a\r\n",
        b"X@Y: a\r\n",
        b"<html>: a\r\n",
        b"X-Cr: a\rb\r\n",
        b"X\rCr: a\r\n",
        b"X-Fold: a\r\n b\r\n\tc\r\n",
        b"  leading: a\r\n",
        b"No colon\r\n folded\r\n",
        b"X-Lf: a\n",
        b":\r\n",
        b":\n:\n:\n",
        b"\x01\x02\x7f: \x01\x02\x7f\r\n",
        b"\xff\xfe\r\n",
        b"X:" + b"y" * 10_000 + b"\r\n",
        b"Set-Cookie: a=b; path=/\r\n" * 200,
        b"a:\r\n" * 20_000,
        b"HTTP/1.1 200 OK\r\n",
    ],
)
async def test_bad_header_lines_are_skipped(line: bytes, clock: VirtualClock) -> None:
    for head in (OK + line + HTML[len(OK) :] + LENGTH, HTML + line + LENGTH, HTML + LENGTH + line):
        page = head + b"\r\n" + PAGE
        response, _ = await fetched(page, clock)
        assert_shown(response)
        assert response.header("content-type").startswith("text/html")
        assert response.head == head + b"\r\n"


@pytest.mark.parametrize(
    "page",
    [
        WHOLE.replace(b"\r\n", b"\n"),
        WHOLE.replace(b"\r\n", b"\r\r\n"),
        b"\r\n\r\n" + WHOLE,
        b"\n" + WHOLE,
        b"junk" + WHOLE,
        WHOLE.replace(b" OK", b""),
        WHOLE.replace(b" OK", b" "),
        WHOLE.replace(b" 200 OK", b"  200   OK"),
        WHOLE.replace(b" 200 OK", b"\t200\tOK"),
        WHOLE.replace(b"200 OK", b"200OK"),
        WHOLE.replace(b" OK", b" \xfcberaus gut \x00"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP/1.0"),
        WHOLE.replace(b"HTTP/1.1", b"http/1.1"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP/1.2"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP/2"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP/2.0"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP"),
        WHOLE.replace(b"HTTP/1.1", b"ICY"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP/"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP/1.1:"),
        WHOLE.replace(b"HTTP/1.1", b"HTTP-1.1"),
        WHOLE.replace(b" 200 OK", b""),
        WHOLE.replace(b" 200 OK", b" OK"),
        WHOLE.replace(b" 200 OK", b" "),
        b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE,
        b"HTTP/1.1 102 Processing\r\n\r\n" * 5 + WHOLE,
        b"HTTP/1.1 103 Early Hints\r\nLink: </s.css>; rel=preload\r\nContent-Length: 3\r\n\r\n" + WHOLE,
        b"HTTP/1.0 199 x\r\n\r\n" + WHOLE,
    ],
)
async def test_odd_heads(page: bytes, clock: VirtualClock) -> None:
    assert_shown((await fetched(page, clock))[0])
    for size in (1, 7):
        pieces = [page[start : start + size] for start in range(0, len(page), size)]
        assert_shown((await fetched(closing(*pieces, pause_s=0.0), clock))[0])


async def test_a_head_that_lacks_its_end(clock: VirtualClock) -> None:
    moved = closing(b"HTTP/1.1 301 Moved\r\nLocation: /there\r\nX: y")
    response, _ = await fetched(moved, clock)
    assert (response.outcome, response.location) == (Outcome.REDIRECT, site_url(response, "/there"))


async def test_floods_of_headers_are_stopped(clock: VirtualClock) -> None:
    sent = 0

    async def flood(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(OK)
        while sent < 100_000_000:
            writer.write(b"X-Flood: yes\r\n" * 1_000)
            await writer.drain()
            sent += 14_000

    async def hints(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 100)
            await writer.drain()
            await asyncio.sleep(0)

    async def long(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"X: ")
        while True:
            writer.write(b"y" * 500)
            await writer.drain()
            await asyncio.sleep(0)

    for page, reason in (
        (flood, "the headers are longer than 8000 bytes (limits.header_bytes)"),
        (long, "a header is longer than 2000 bytes (limits.header_bytes)"),
        (hints, "more than 20 interim answers"),
    ):
        response, _ = await fetched(page, clock, {"header_bytes": 2_000})
        assert (response.outcome, response.retry_at, response.reason) == (Outcome.FAILED, None, reason)
    assert sent < 20_000_000


@pytest.mark.parametrize("content_type", [
    "text/html", "TEXT/HTML; charset=x", "text/html;", "text/html ; a=b", "image/png, text/html", "text/html, ,",
    "text/html, */*", "text/html, html", "html", "*/*", "", "text", "/", "text/", ";charset=utf-8", "unknown/unknown",
    "application/unknown", "text/html; charset=\"utf-8, image/png", "text/html charset=utf-8", "image", "x y/z",
])  # fmt: skip
async def test_content_types_that_name_a_page_or_nothing(content_type: str, clock: VirtualClock) -> None:
    page = OK + f"Content-Type: {content_type}\r\n".encode() + LENGTH + b"\r\n" + PAGE
    assert_shown((await fetched(page, clock))[0])


@pytest.mark.parametrize("content_type", ["image/png", "text/html, image/png", "Application/PDF;a=b", "text/css, */*"])
async def test_content_types_that_name_something_else(content_type: str, clock: VirtualClock) -> None:
    page = OK + f"Content-Type: {content_type}\r\n".encode() + LENGTH + b"\r\n" + PAGE
    response, _ = await fetched(page, clock)
    assert (response.outcome, response.reason[-32:]) == (Outcome.FAILED, " not wanted (limits.content_types)"[-32:])


# -- report 10: bytes of headers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"/ziel/jos\xe9-x", "/ziel/jos%E9-x"),
        (b"/ziel/jos\xc3\xa9-x", "/ziel/jos%C3%A9-x"),
        (b"/a?q=\xcf\xf0\xe8", "/a?q=%CF%F0%E8"),
        (b"/%e9\xe9#\xe9", "/%e9%E9"),
        (b"\xe9", "/%E9"),
    ],
)
async def test_a_redirect_asks_for_the_bytes_as_sent(location: bytes, target: str, clock: VirtualClock) -> None:
    page = b"HTTP/1.1 301 Moved\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"
    response, _ = await fetched(page, clock)
    assert response.outcome is Outcome.REDIRECT
    assert response.location == site_url(response, target)
    assert b"\r\nLocation: " + location + b"\r\n" in response.head


async def test_a_redirect_to_a_host_in_unicode(clock: VirtualClock) -> None:
    page = "HTTP/1.1 301 Moved\r\nLocation: http://b\u00fccher.test/\u00fc\r\nContent-Length: 0\r\n\r\n".encode()
    assert (await fetched(page, clock))[0].location == "http://xn--bcher-kva.test/%C3%BC"


# -- report 20: kept connections --------------------------------------------------------------------------------


class Closes:
    """Answers the first request on a connection, and ends it at the second without an answer."""

    def __init__(self, end: Callable[[asyncio.StreamWriter], None]) -> None:
        self.requests = self.answered = 0
        self.end = end
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for number in range(2):
                head = await reader.readuntil(b"\r\n\r\n")
                self.requests += 1
                if number == 0:
                    self.answered += 1
                    status = b"404 No" if b"/robots.txt" in head else b"200 OK"
                    writer.write(WHOLE.replace(b"200 OK", status + b"\r\nConnection: keep-alive"))
                    await writer.drain()
            self.end(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


ENDS: Sequence[Callable[[asyncio.StreamWriter], None]] = (
    lambda writer: writer.close(),
    lambda writer: writer.transport.abort(),
    lambda writer: writer.write(b"HTTP/1.1 408 Request Time-out\r\nConnection: close\r\n\r\n"),
)


@pytest.mark.parametrize("end", ENDS)
async def test_a_kept_connection_that_closes_costs_nothing(
    end: Callable[[asyncio.StreamWriter], None], clock: VirtualClock
) -> None:
    site = Closes(end)
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, visiting(clock, politeness={"give_up_after": 1}) as world:
        for number in range(4):
            began = clock.now()
            response = await settled(world, clock, f"http://a.test:{port}/{number}")
            assert_shown(response)
            assert response.requests == 1
            assert clock.now() - began <= 2.0  # the pauses of robots.txt and page, and no back-off
    assert site.answered == 5
    assert site.requests == 9  # each request but the first is sent twice, once over the kept connection


async def test_a_new_connection_that_closes_is_not_tried_at_once(clock: VirtualClock) -> None:
    pages = {"/robots.txt": answer(status="404 No", Connection="close"), "/page": closing(b"")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        response = await settled(world, clock, site.url("/page"))
        assert response.outcome is Outcome.FAILED
        assert response.retry_at is not None
        assert response.retry_at > response.fetched_at + 5.0
        assert site.paths() == ["/robots.txt", "/page"]


async def test_a_kept_connection_that_closes_inside_an_answer_is_no_such_case(clock: VirtualClock) -> None:
    async with serving(clock, {"/page": closing(b"HTTP/1.1 2")}) as site, visiting(clock) as world:
        response = await settled(world, clock, site.url("/page"))
        assert response.outcome is Outcome.FAILED
        assert site.paths() == ["/robots.txt", "/page"]


def test_the_page_of_the_reports_is_57_bytes() -> None:
    assert len(PAGE) == 57 == 0x39
