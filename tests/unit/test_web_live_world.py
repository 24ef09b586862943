"""The live world against real servers: contract, redirects, failures, back-off, giving up."""

from __future__ import annotations

import asyncio
import ssl
import struct
import subprocess
from email.utils import formatdate
from pathlib import Path

import pytest
from web_live_site import Site, answer, make_world, sent, serving, settled, visiting

from clew import __version__
from clew.errors import InputError
from clew.model import Outcome, Request
from clew.web.clock import VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


async def test_a_page_comes_with_all_that_an_archive_wants(clock: VirtualClock) -> None:
    page = b"HTTP/1.1 200 OK\r\nX-B: 1\r\nx-a: caf\xe9\r\nX-B: 2\r\nContent-Length: 5\r\n\r\nhello"
    async with serving(clock, {"/": page}) as site, visiting(clock) as world:
        response = await settled(world, clock, site.url())
        head = site.log[-1][3]
    assert (response.outcome, response.status, response.body, response.reason) == (Outcome.OK, 200, b"hello", "")
    assert response.headers == (("X-B", "1"), ("x-a", "café"), ("X-B", "2"), ("Content-Length", "5"))
    assert response.encoded_body is None
    assert response.ip == "127.0.0.1"
    assert response.http_version == "HTTP/1.1"
    assert response.elapsed_s > 0
    assert response.fetched_at == 1_000_000_001.0  # robots.txt came first
    assert response.ready_at == 1_000_000_002.0
    assert response.requests == 1
    sent = "".join(f"{name}: {value}\r\n" for name, value in response.request_headers)
    assert head == f"GET / HTTP/1.1\r\n{sent}\r\n"
    assert dict(response.request_headers)["User-Agent"] == f"clew/{__version__} (+mailto:me@example.org)"
    assert dict(response.request_headers)["Accept-Encoding"] == "gzip, deflate, br, zstd"
    assert "Cookie" not in dict(response.request_headers)


async def test_a_connection_is_kept_and_cookies_are_not(clock: VirtualClock) -> None:
    pages = {"/1": answer(Set_Cookie="a=b"), "/2": answer()}
    async with serving(clock, pages) as site, visiting(clock) as world:
        for path in ("/1", "/2"):
            assert (await settled(world, clock, site.url(path))).outcome is Outcome.OK
        assert site.connections == 1
        assert not any("cookie" in head.lower() for *_, head in site.log)


async def test_idle_connections_are_few(clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.web.live.machine.IDLE_CONNECTIONS", 2)
    resolve = {f"h{i}.test": "127.0.0.1" for i in range(5)}
    async with serving(clock) as site, visiting(clock, resolve=resolve) as world:
        for host in resolve:
            assert (await settled(world, clock, site.url(host=host))).outcome is Outcome.OK
        assert site.connections == 2 + 3 * 2  # two hosts keep theirs; the others connect for robots.txt and page
        await asyncio.sleep(0.01)
        assert site.open_connections == 2


async def test_the_path_is_sent_as_it_stands(clock: VirtualClock) -> None:
    path = "/a%2Fb/%C3%A9;x=1?q=%252f&r=a+b"
    async with serving(clock, {path: answer()}) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url(path))).outcome is Outcome.OK


@pytest.mark.parametrize("contact", ["", "  "])
async def test_no_contact_no_crawl(contact: str, clock: VirtualClock) -> None:
    with pytest.raises(InputError, match=r"crawl\.contact"):
        await make_world(clock, contact=contact).open()


@pytest.mark.parametrize(
    ("agent", "contact"), [("clew", "a\r\nX: y"), ("", "me@example.org"), ("*", "a@b.c"), ("é", "a@b")]
)
async def test_what_would_break_the_header_is_refused(agent: str, contact: str, clock: VirtualClock) -> None:
    with pytest.raises(InputError, match=r"crawl\.user_agent"):
        await make_world(clock, contact=contact, user_agent=agent).open()


async def test_user_agent_with_version_and_url(clock: VirtualClock) -> None:
    settings = {"user_agent": "mybot/2.1", "contact": "https://example.org/bot"}
    async with serving(clock) as site, visiting(clock, **settings) as world:
        response = await settled(world, clock, site.url())
    assert dict(response.request_headers)["User-Agent"] == "mybot/2.1 (+https://example.org/bot)"


async def test_a_bad_fixed_address_is_reported(clock: VirtualClock) -> None:
    with pytest.raises(InputError, match=r"web.live.resolve: a.test = 'nowhere'"):
        await make_world(clock, resolve={"a.test": "nowhere"}).open()


@pytest.mark.parametrize("url", ["", "http://[", "ftp://a.test/", "javascript:1"])
async def test_what_is_no_web_address_is_refused(url: str, clock: VirtualClock) -> None:
    async with visiting(clock) as world:
        response = await world.fetch(Request(url))
    assert (response.outcome, response.requests) == (Outcome.REFUSED, 0)
    assert response.reason


# -- redirects ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("c", "/dir/c"),
        ("/x y", "/x%20y"),
        ("?q=1", "/dir/b?q=1"),
        ("//b.test/z#top", "http://b.test/z"),
        ("https://www.example.org./é", "https://www.example.org./%C3%A9"),
    ],
)
async def test_redirect_is_absolute_and_not_followed(location: str, target: str, clock: VirtualClock) -> None:
    pages = {"/dir/b": answer(status="301 Moved", Location=location)}
    async with serving(clock, pages) as site, visiting(clock) as world:
        response = await settled(world, clock, site.url("/dir/b"))
        assert response.outcome is Outcome.REDIRECT
        assert response.location == (site.url(target) if target.startswith("/") else target)
        assert site.paths() == ["/robots.txt", "/dir/b"]


async def test_too_many_redirects_and_nonsense(clock: VirtualClock) -> None:
    pages = {
        "/loop": answer(status="302 Found", Location="/loop"),
        "/js": answer(status="302 Found", Location="javascript:alert(1)"),
        "/bad": answer(status="302 Found", Location="http://["),
        "/none": answer(status="302 Found"),
    }
    async with serving(clock, pages) as site, visiting(clock, limits={"redirects": 3}) as world:
        assert (await settled(world, clock, site.url("/loop"), hops=2)).outcome is Outcome.REDIRECT
        for path, hops, reason in [("/loop", 3, "more than 3 redirects"), ("/js", 0, "no web address"),
                                   ("/bad", 0, "no web address"), ("/none", 0, "HTTP 302")]:  # fmt: skip
            response = await settled(world, clock, site.url(path), hops=hops)
            assert (response.outcome, response.retry_at) == (Outcome.FAILED, None)
            assert reason in response.reason


# -- answers that are no page ---------------------------------------------------------------------------------


async def test_missing_pages_are_final_and_keep_their_body(clock: VirtualClock) -> None:
    pages = {"/410": answer(b"gone for good", "410 Gone", Content_Type="application/json")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        for path, status, body in [("/404", 404, b"gone"), ("/410", 410, b"gone for good")]:
            response = await settled(world, clock, site.url(path))
            assert (response.outcome, response.status, response.body) == (Outcome.FAILED, status, body)
            assert response.reason == f"HTTP {status}"
            assert response.retry_at is None


async def test_a_server_error_is_about_its_page(clock: VirtualClock) -> None:
    """The page is tried again later and later; the host goes on at its pace."""
    pages = {"/": answer(b"oops", "500 Oops")}
    async with serving(clock, pages) as site, visiting(clock) as world:
        waits = []
        for attempt in range(3):
            response = await settled(world, clock, site.url(), attempt=attempt)
            assert (response.outcome, response.status, response.body) == (Outcome.FAILED, 500, b"oops")
            assert response.retry_at is not None
            assert (response.ready_at, response.rests_until) == (response.fetched_at + 1.0, 0.0)
            waits.append(response.retry_at - response.fetched_at)
        assert waits == [10.0, 20.0, 40.0]
        assert site.paths() == ["/robots.txt", "/", "/", "/"]


async def test_page_after_page_with_server_errors_is_about_the_server(clock: VirtualClock) -> None:
    """From the third page on they cost the pages nothing, and the server is asked less and less often, until it answers
    one as it should."""
    pages = {f"/{n}": answer(status="502 Bad Gateway") for n in range(40)} | {"/good": answer()}
    async with serving(clock, pages) as site, visiting(clock, politeness={"give_up_after": 3}) as world:
        outcomes, pauses = [], []
        for path in list(pages)[:31]:
            response = await sent(world, clock, site.url(path))
            outcomes.append(response.outcome)
            pauses.append(max(response.rests_until, response.ready_at) - response.fetched_at)
            await clock.sleep_until(response.rests_until)
        assert outcomes == [Outcome.FAILED] * 2 + [Outcome.DEFERRED] * 29
        assert pauses[:4] == [1.0, 1.0, 1.5, 2.25]
        assert pauses[-1] == 10.0
        assert response.given_up  # ten times give_up_after
        assert (await settled(world, clock, site.url("/good"))).outcome is Outcome.OK
        assert (await settled(world, clock, site.url("/7"))).outcome is Outcome.FAILED


async def test_good_answers_forgive_errors(clock: VirtualClock) -> None:
    pages = {"/a": answer(status="500 Oops"), "/b": answer(status="500 Oops"), "/good": answer()}
    pages["/none"] = answer(status="404 No")
    async with serving(clock, pages) as site, visiting(clock, politeness={"give_up_after": 3}) as world:
        for path in ["/a", "/b", "/good", "/a", "/b", "/none", "/a", "/b"]:
            response = await settled(world, clock, site.url(path))
            assert response.outcome is not Outcome.DEFERRED
            assert response.rests_until == 0.0


@pytest.mark.parametrize("status", ["429 Slow down", "503 Busy"])
async def test_retry_after_is_obeyed(status: str, clock: VirtualClock) -> None:
    date = formatdate(clock.now() + 500, usegmt=True)
    pages = {
        "/number": answer(status=status, Retry_After="77"),
        "/date": answer(status=status, Retry_After=date),
        "/past": answer(status=status, Retry_After=formatdate(0, usegmt=True)),
        "/none": answer(status=status),
        "/nonsense": answer(status=status, Retry_After="soon"),
        "/good": answer(),
    }
    async with serving(clock, pages) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url("/good"))).outcome is Outcome.OK
        started = clock.now()
        expected = {"/number": 77.0, "/date": 500 - 2 - 77.0, "/past": 2.0, "/none": 16.0, "/nonsense": 32.0}
        for path, wait in expected.items():
            response = await world.fetch(Request(site.url(path)))
            assert (response.outcome, response.status) == (Outcome.DEFERRED, int(status[:3]))
            assert response.retry_at == response.ready_at == response.fetched_at + wait
            await clock.sleep_until(response.retry_at)
        assert clock.now() == started + 498 + 2 + 16 + 32
        early = await world.fetch(Request(site.url("/number")))
        assert early.outcome is Outcome.DEFERRED


async def test_a_burst_of_429_slows_a_host_down_and_no_more(clock: VirtualClock) -> None:
    """Report 17: eight answers 429 without Retry-After, then 200 for everything."""
    pages = {f"/{n}": answer() for n in range(20)}
    async with serving(clock, {"/": answer(status="429 Slow down")}) as site, visiting(clock) as world:
        for _ in range(8):
            response = await sent(world, clock, site.url())
            assert (response.outcome, response.given_up) == (Outcome.DEFERRED, False)
        assert clock.now() - 1_000_000_000.0 < 600
        site.pages.update(pages)
        for path in pages:
            assert (await settled(world, clock, site.url(path))).outcome is Outcome.OK
        assert world.delay("a.test") == 1.0


async def test_waits_never_exceed_their_limit(clock: VirtualClock) -> None:
    settings = {"max_delay_s": 5.0}
    async with serving(clock, {"/": answer(status="503 Busy")}) as site, visiting(clock, politeness=settings) as world:
        waits = []
        for _ in range(4):
            response = await sent(world, clock, site.url())
            waits.append(response.ready_at - response.fetched_at)
    assert waits == [2.0, 4.0, 5.0, 5.0]


# -- broken connections ---------------------------------------------------------------------------------------


async def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset instead of an end."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SOL_SOCKET, SO_LINGER
    writer.transport.abort()


async def _silence(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def _hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()


def _text(raw: bytes) -> object:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()
        writer.close()

    return write


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (_reset, "connection broke before an answer came: "),
        (_hang_up, "connection broke before an answer came"),
        (_silence, "no answer within 0.3 s (limits.page_s)"),
        (_text(b"SSH-2.0-OpenSSH_9.2\r\n"), "not valid HTTP"),
        (_text(b"HTTPX/1.1 200 OK\r\n\r\n"), "not valid HTTP"),
        (_text(b"\x16\x03\x01\x02\x00" * 50), "not valid HTTP"),
        (_text(b"HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n??"), "HTTP 101"),
        (_text(b"HTTP/1.1 999 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), "HTTP 999"),
    ],
)
async def test_broken_answers_fail_with_a_reason_and_are_tried_again(
    page: object, reason: str, clock: VirtualClock
) -> None:
    settings = {"politeness": {"give_up_after": 2, "probes": 0}, "limits": {"page_s": 0.3}}
    pages: dict[str, object] = {
        "/bad": page,
        "/worse": page,
        "/robots.txt": answer(status="404 No", Connection="close"),
    }
    async with serving(clock, pages) as site, visiting(clock, **settings) as world:  # type: ignore[arg-type]
        first = await settled(world, clock, site.url("/bad"))
        assert (first.outcome, first.requests) == (Outcome.FAILED, 1)
        assert first.reason.startswith(reason)
        assert site.paths() == ["/robots.txt", "/bad"]  # aiohttp must not send it twice by itself
        if first.status >= 500 or 0 < first.status < 200:
            assert (first.retry_at, first.rests_until) == (first.fetched_at + 10.0, 0.0)
            return
        assert first.rests_until == pytest.approx(first.fetched_at + 10.0)
        assert first.retry_at == pytest.approx(first.fetched_at + 15.0)  # after another page
        await clock.sleep_until(first.rests_until)
        second = await world.fetch(Request(site.url("/worse")))
        assert (second.outcome, second.given_up) == (Outcome.DEFERRED, True)  # two pages: it is the host's fault
        resting = await world.fetch(Request(site.url("/")))
        assert (resting.outcome, resting.requests) == (Outcome.DEFERRED, 0)
        assert resting.reason.startswith("host given up after 2 failures in a row: " + reason)
        await clock.sleep_until(resting.rests_until)
        assert (await world.fetch(Request(site.url("/")))).outcome is Outcome.OK


async def test_chunks_are_put_together(clock: VirtualClock) -> None:
    async with serving(clock, {"/": CHUNKED}) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url())).body == b"hello"


async def test_nobody_listens(clock: VirtualClock) -> None:
    async with serving(clock) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK
        url = site.url("/later")
    await asyncio.sleep(0.01)
    async with visiting(clock) as world:
        response = await settled(world, clock, url)
    assert (response.outcome, response.requests, response.robots_requests) == (Outcome.DEFERRED, 0, 0)
    assert response.reason == "host given up after 11 failures in a row: cannot connect: Connection refused"
    assert response.given_up


async def test_a_page_of_a_host_that_has_gone(clock: VirtualClock) -> None:
    async with visiting(clock) as world:
        async with serving(clock) as site:
            await settled(world, clock, site.url())
            url = site.url("/later")
        await asyncio.sleep(0.01)
        response = await settled(world, clock, url)
    assert (response.outcome, response.requests, response.given_up) == (Outcome.DEFERRED, 0, True)


async def test_what_is_no_host_name(clock: VirtualClock) -> None:
    async with visiting(clock) as world:
        for host in ("a" * 70 + ".test", "a..b"):  # refused by the resolver itself, before any name server is asked
            response = await world.fetch(Request(f"http://{host}/"))
            assert (response.outcome, response.requests) == (Outcome.REFUSED, 0)
            assert response.reason.endswith("is no host name")


# -- TLS ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
         "2", "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test", "-keyout", key, "-out", cert],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    return cert, context


async def test_a_bad_certificate_closes_the_host(certificate: tuple[Path, ssl.SSLContext], clock: VirtualClock) -> None:
    async with serving(clock, tls=certificate[1]) as site, visiting(clock) as world:
        first = await world.fetch(Request(site.url(scheme="https")))
        assert (first.outcome, first.retry_at) == (Outcome.DEFERRED, clock.now() + 10.0)
        last = await settled(world, clock, site.url(scheme="https"))
        assert (last.outcome, last.given_up, site.log) == (Outcome.DEFERRED, True, [])
        assert "bad certificate: self-signed certificate (web.live.verify_tls)" in last.reason


async def test_certificates_are_checked_against_the_name(
    certificate: tuple[Path, ssl.SSLContext], clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    async with serving(clock, tls=certificate[1]) as site, visiting(clock) as world:
        assert (await settled(world, clock, site.url(scheme="https"))).body == b"<p>hello</p>"
        other = await settled(world, clock, site.url(host="b.test", scheme="https"))
        assert (other.outcome, other.given_up) == (Outcome.DEFERRED, True)
        assert "bad certificate" in other.reason


async def test_certificates_may_go_unchecked(certificate: tuple[Path, ssl.SSLContext], clock: VirtualClock) -> None:
    async with serving(clock, tls=certificate[1]) as site, visiting(clock, verify_tls=False) as world:
        assert (await settled(world, clock, site.url(scheme="https"))).outcome is Outcome.OK


async def test_plain_http_where_tls_is_spoken(clock: VirtualClock) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server, visiting(clock) as world:
        port = server.sockets[0].getsockname()[1]
        response = await settled(world, clock, f"https://a.test:{port}/")
    assert (response.outcome, response.given_up) == (Outcome.DEFERRED, True)
    assert "TLS failed" in response.reason


# -- being stopped --------------------------------------------------------------------------------------------


async def test_cancelled_fetches_give_their_places_back(clock: VirtualClock) -> None:
    asked = asyncio.Event()

    async def never(writer: asyncio.StreamWriter) -> None:
        asked.set()
        await asyncio.sleep(60)

    async with serving(clock, {"/slow": never}) as site, visiting(clock) as world:
        await settled(world, clock, site.url())
        task = asyncio.ensure_future(world.fetch(Request(site.url("/slow"))))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        early = await world.fetch(Request(site.url()))
        assert (early.outcome, early.retry_at) == (Outcome.DEFERRED, clock.now() + 1.0)
        assert (await settled(world, clock, site.url())).outcome is Outcome.OK


def test_site_writes_headers() -> None:
    assert answer(b"x", X_Y="1").endswith(b"X-Y: 1\r\n\r\nx")
    assert Site(VirtualClock(), {}).url("/p") == "http://a.test:0/p"
