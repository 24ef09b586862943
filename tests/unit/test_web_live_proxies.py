"""Proxies, by real ones on loopback: which URLs go through them, what they are told, and that the guard holds."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import subprocess
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from proxy_servers import proxying
from web_live_site import answer, make_world, serving, settled, visiting

from clew.config import LiveSettings, PolitenessSettings
from clew.errors import ConfigError
from clew.model import Outcome, Request, Response
from clew.web.clock import VirtualClock
from clew.web.live import LiveWorld
from clew.web.live.line import Line
from clew.web.live.proxies import Exceptions, Proxies
from clew.web.live.silence import Servers
from clew.web.live.targets import take_apart
from support import clew_json, exported, write_project

PUBLIC = {"a.test": "192.0.46.9", "b.test": "192.0.46.10"}
"""Addresses that nobody asks for: the proxies of these tests reach 127.0.0.1 whatever they are told."""


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=a.test",
               "-keyout", str(folder / "key"), "-out", str(folder / "cert")]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return folder


# -- what goes through which ----------------------------------------------------------------------------------


def chosen(url: str, environment: dict[str, str] | None = None, **live: object) -> str:
    proxies = Proxies(LiveSettings(allow_private=True, **live), environment or {})  # type: ignore[arg-type]
    found = proxies.of(take_apart(url))
    return found.name if found is not None else ""


def test_settings_and_environment() -> None:
    names = {"http_proxy": "p:1", "https_proxy": "http://q:2/", "ALL_PROXY": "socks5://r:3", "NO_PROXY": "x.test"}
    assert chosen("http://a.test/") == ""
    assert chosen("http://a.test/", names) == "http://p:1"
    assert chosen("https://a.test/", names) == "http://q:2"
    assert chosen("http://a.test/", {"all_proxy": "r"}) == "http://r:80"
    assert chosen("https://a.test/", {"ALL_PROXY": "socks://r"}) == "socks5://r:1080"
    assert chosen("http://a.test/", {"HTTP_PROXY": "p", "http_proxy": "q"}) == "http://q:80"
    assert chosen("http://a.test/", {"HTTP_PROXY": "p"}) == "http://p:80"
    assert chosen("http://a.test/", {"HTTP_PROXY": "p", "REQUEST_METHOD": "GET"}) == ""
    assert chosen("http://www.x.test/", names) == ""
    assert chosen("http://a.test/", names, proxy="") == ""
    assert chosen("http://a.test/", names, proxy="socks5h://[::1]:9") == "socks5h://[::1]:9"
    assert chosen("https://x.test/", names, proxy="http://s") == ""
    assert chosen("https://a.test/", names, proxy="http://s", https_proxy="http://t") == "http://t:80"
    assert chosen("http://a.test/", names, proxy="http://s", no_proxy=("a.test",)) == ""


EXCEPTIONS = {
    "example.org": (["example.org", "www.example.org", "EXAMPLE.org."], ["badexample.org", "org", "example.org.test"]),
    ".example.org": (["example.org", "a.b.example.org"], ["badexample.org"]),
    "*.example.org": (["example.org", "www.example.org"], ["badexample.org"]),
    "example.org:8080": (["example.org:8080", "www.example.org:8080"], ["example.org", "example.org:80"]),
    "*": (["a.test", "127.0.0.1", "[::1]"], []),
    "127.0.0.1": (["127.0.0.1"], ["127.0.0.2", "localhost"]),
    "10.0.0.0/8": (["10.1.2.3"], ["11.0.0.1", "a.test"]),
    "10.0.0.1/8": (["10.1.2.3"], ["11.0.0.1"]),
    "10.0.0.0/8:81": (["10.1.2.3:81"], ["10.1.2.3"]),
    "[::1]": (["[::1]"], ["[::2]"]),
    "[fd00::]/8": (["[fd12::1]"], ["[fe80::1]"]),
    "[::1]:81": (["[::1]:81"], ["[::1]"]),
    "": ([], ["a.test"]),
    "a.test:x": ([], ["a.test"]),
}


@pytest.mark.parametrize("entry", EXCEPTIONS)
def test_no_proxy(entry: str) -> None:
    exceptions = Exceptions([entry])
    inside, outside = EXCEPTIONS[entry]
    for hosts, expected in ((inside, True), (outside, False)):
        targets = [take_apart(f"http://{host}/") for host in hosts]
        assert [exceptions.take_in(target.host, target.port) for target in targets] == [expected] * len(hosts)


def test_credentials_are_read_and_never_named() -> None:
    (proxy,) = Proxies(LiveSettings(proxy="http://me:p%40ss@wo:rd@proxy.test:3128"), {}).all()
    assert (proxy.host, proxy.port, proxy.user, proxy.password) == ("proxy.test", 3128, "me", "p@ss@wo:rd")
    assert proxy.name == "http://proxy.test:3128"


@pytest.mark.parametrize(
    "url", ["ftp://p:1", "https://me:secret@p", "http://me:secret@p:x", "http://", "me:secret@", "p q"]
)
def test_what_is_no_proxy_is_told(url: str) -> None:
    with pytest.raises(ConfigError, match=r"web\.live\.proxy = .* is no proxy .*write http://HOST:PORT") as told:
        Proxies(LiveSettings(proxy=url), {})
    assert "secret" not in str(told.value) or "://" not in url
    with pytest.raises(ConfigError, match=r"ALL_PROXY = "):
        Proxies(LiveSettings(), {"ALL_PROXY": url})


def through(clock: VirtualClock, kind: str, port: int, **settings: object) -> AbstractAsyncContextManager[LiveWorld]:
    """A world behind a proxy; ``kind``: its scheme, or all that stands before the host."""
    start = kind if "://" in kind else f"{kind}://"
    return visiting(clock, proxy=f"{start}127.0.0.1:{port}", **{"resolve": PUBLIC, **settings})


async def fetched(world: LiveWorld, clock: VirtualClock, url: str) -> Response:
    """The first answer for which more was done than an address looked up."""
    response = await world.fetch(Request(url))
    while "was looked up first" in response.reason:
        await clock.sleep_until(response.retry_at or 0.0)
        response = await world.fetch(Request(url))
    return response


# -- through them ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("credentials", ["", "me:s3cr:t"])
@pytest.mark.parametrize("kind", ["http", "socks5", "socks5h"])
async def test_pages_come_through_a_proxy(kind: str, credentials: str, clock: VirtualClock) -> None:
    """An HTTP proxy and a socks5h one are told the name, a socks5 one the address that was looked up here."""
    at = f"{credentials}@" if credentials else ""
    async with serving(clock, {"/x?y=%2F": answer(b"<p>far")}) as site, proxying(kind[:4], credentials) as proxy:
        place = f"{kind}://{at}127.0.0.1:{proxy.port}"
        async with visiting(
            clock, proxy=place, no_proxy=("c.test",), resolve=PUBLIC | {"c.test": "127.0.0.1"}
        ) as world:
            response = await settled(world, clock, site.url("/x?y=%2F"))
            assert (response.outcome, response.body) == (Outcome.OK, b"<p>far"), response.reason
            assert response.ip == ("192.0.46.9" if kind == "socks5" else "")
            assert not any("proxy" in name.lower() for name, _ in response.request_headers)
            asked = list(proxy.asked)
            expected = {
                "http": site.url("/robots.txt"),
                "socks5": f"192.0.46.9:{site.port}",
                "socks5h": f"a.test:{site.port}",
            }
            assert asked[0] == expected[kind]
            if kind == "http":
                assert asked[-1] == site.url("/x?y=%2F")
            assert (await settled(world, clock, site.url(host="c.test"))).outcome is Outcome.OK
            assert proxy.asked == asked  # that one went directly
    assert not any("proxy-authorization" in head.lower() for *_, head in site.log)


@pytest.mark.parametrize("kind", ["http", "socks5", "socks5h"])
async def test_tls_goes_through_a_tunnel(kind: str, certificate: Path, clock: VirtualClock) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate / "cert", certificate / "key")
    async with serving(clock, {"/x": answer(b"<p>far")}, tls=tls) as site, proxying(kind[:4], "me:secret") as proxy:
        settings = {"https_proxy": f"{kind}://me:secret@127.0.0.1:{proxy.port}", "verify_tls": False, "resolve": PUBLIC}
        async with visiting(clock, **settings) as world:
            response = await settled(world, clock, site.url("/x", scheme="https"))
            assert (response.outcome, response.body) == (Outcome.OK, b"<p>far"), response.reason
            place = f"{'192.0.46.9' if kind == 'socks5' else 'a.test'}:{site.port}"
            assert proxy.asked[0] == (f"CONNECT {place}" if kind == "http" else place)
    assert not any("secret" in head or "proxy" in head.lower() for *_, head in site.log)


async def test_a_certificate_is_checked_through_a_tunnel(certificate: Path, clock: VirtualClock) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate / "cert", certificate / "key")
    for kind in ("http", "socks5"):
        async with (
            serving(clock, tls=tls) as site,
            proxying(kind[:4]) as proxy,
            through(clock, kind, proxy.port) as world,
        ):
            response = await fetched(world, clock, site.url(scheme="https"))
            assert "bad certificate" in response.reason


@pytest.mark.parametrize("kind", ["http", "socks5", "socks5h"])
async def test_the_guard_holds_with_a_proxy(kind: str, clock: VirtualClock) -> None:
    """Closed addresses, and names that lead to them, are refused before the proxy hears of them; a page that redirects
    to one was fetched through the proxy, whose own address is no obstacle."""
    pages = {"/away": answer(status="302 Found", Location="http://127.0.0.1/")}
    table = PUBLIC | {"inside.test": "10.0.0.1"}
    trusted = kind == "socks5h"
    async with serving(clock, pages) as site, proxying(kind[:4]) as proxy:
        settings = {"proxy": f"{kind}://127.0.0.1:{proxy.port}", "proxy_resolves": trusted, "resolve": table}
        async with visiting(clock, allow_private=False, **settings) as world:
            hosts = ["127.0.0.1", "0x7f.1", "[::1]", "localhost", "x.localhost", "169.254.169.254", "[::ffff:7f00:1]"]
            for host in [*hosts, *([] if trusted else ["inside.test"])]:
                response = await world.fetch(Request(site.url(host=host)))
                assert response.outcome is Outcome.REFUSED
                assert "web.live.allow_private" in response.reason
            assert proxy.asked == []
            response = await settled(world, clock, site.url("/away"))
            assert (response.outcome, response.location) == (Outcome.REDIRECT, "http://127.0.0.1/")
            asked = len(proxy.asked)
            assert (await world.fetch(Request(response.location))).outcome is Outcome.REFUSED
            assert len(proxy.asked) == asked > 0


async def test_a_proxy_that_looks_names_up_must_be_trusted(clock: VirtualClock) -> None:
    world = make_world(clock, allow_private=False, proxy="socks5h://127.0.0.1:1")
    with pytest.raises(
        ConfigError, match=r"socks5h://127\.0\.0\.1:1 looks names up itself, .*web\.live\.proxy_resolves"
    ):
        await world.open()
    async with serving(clock) as site, proxying("http") as proxy:
        settings = {"proxy": f"http://127.0.0.1:{proxy.port}", "allow_private": False, "resolve": {}}
        async with visiting(clock, proxy_resolves=True, **settings) as world:
            assert (await settled(world, clock, site.url(host="no-such-name.test"))).outcome is Outcome.OK
        proxy.asked.clear()
        async with visiting(clock, proxy_resolves=False, **settings) as world:
            assert (await world.fetch(Request(site.url(host="127.0.0.1")))).outcome is Outcome.REFUSED
            assert proxy.asked == []


@pytest.mark.parametrize("kind", ["http", "socks"])
async def test_a_proxy_with_other_credentials_opens_no_site(kind: str, clock: VirtualClock) -> None:
    """HTTP 407 in place of robots.txt does not mean that there is none."""
    scheme = "http" if kind == "http" else "socks5"
    async with (
        serving(clock) as site,
        proxying(kind, "me:right") as proxy,
        through(clock, f"{scheme}://me:wrong@", proxy.port) as world,
    ):
        response = await fetched(world, clock, site.url())
        assert response.outcome is Outcome.DEFERRED
        assert "proxy" in response.reason
        assert "wrong" not in response.reason
        assert site.log == []


@pytest.mark.parametrize(
    ("kind", "refuses", "words"), [("http", 502, "says: 502"), ("socks5", 5, "refused"), ("socks5", 4, "nreachable")]
)
async def test_what_a_proxy_cannot_reach_speaks_against_the_host(
    kind: str, refuses: int, words: str, clock: VirtualClock
) -> None:
    async with proxying(kind[:4], refuses=refuses) as proxy, through(clock, kind, proxy.port) as world:
        response = await fetched(world, clock, "https://a.test/")
        assert response.outcome is Outcome.DEFERRED
        assert words in response.reason


async def test_a_crawl_goes_through_the_proxy_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: VirtualClock
) -> None:
    page = answer(b"<html lang=en><p>sailing boats <a href=http://b.test:{port}/>b</a>")
    async with serving(clock, {"/": page}) as site, proxying("http", "me:secret") as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:secret@127.0.0.1:{proxy.port}")
        project = write_project(
            tmp_path / "p",
            [site.url()],
            settings='[crawl]\ncontact = "me@example.org"\n[judge]\nname = "keywords"\n[interest.keywords]\n'
            'sailing = 1\n[politeness]\ndelay_s = 0.0\nadaptive = 0.0\n[web.live.resolve]\n"*.test" = "192.0.46.9"\n',
        )
        assert (await asyncio.to_thread(clew_json, "crawl", project, "--workers", "0", "--quiet"))["fetched"] == 1
        assert len(exported(project)) == 1
        assert proxy.asked == [site.url("/robots.txt"), site.url()]
    for file in project.rglob("*"):
        if file.is_file() and file.suffix != ".gz":
            assert b"secret" not in file.read_bytes(), file
    archive = next((project / "archive").glob("*.warc.gz"))
    text = gzip.decompress(archive.read_bytes())
    assert b"sailing" in text
    assert b"roxy-Authorization" not in text


async def test_a_proxy_that_is_down_is_a_dead_line_and_no_host_is_blamed(clock: VirtualClock) -> None:
    async with serving(clock) as site:
        async with proxying("http") as gone:
            port = gone.port
        async with through(clock, "http", port) as world:
            for host in ("a.test", "b.test"):
                response = await fetched(world, clock, site.url(host=host))
                assert response.outcome is Outcome.DEFERRED
                assert not response.given_up
                for _ in range(50):
                    await asyncio.sleep(0.01)
            assert world.outage is not None
            assert world.outage.reason == f"the proxy 127.0.0.1:{port} cannot be reached: Connection refused"
            async with proxying("http", port=port) as proxy:
                for host in ("a.test", "b.test"):
                    assert (await settled(world, clock, site.url(host=host))).outcome is Outcome.OK
                assert len(proxy.asked) == 4
            assert world.outage is None


async def test_what_is_down_is_named(clock: VirtualClock) -> None:
    """A proxy where it is one; else nothing more is known than that nothing answers."""
    async with proxying("http") as gone:
        place = "127.0.0.1", gone.port
    for suspected, reason in (("", "nothing answers"), ("the proxy is gone", "the proxy is gone")):
        line = Line(clock, 1.0)
        line.depends_on(place)
        servers = Servers(PolitenessSettings())
        if suspected:
            line.suspect(clock.now(), suspected)
        else:
            for host in ("a.test", "b.test", "a.test"):
                line.failed(servers.of(f"http://{host}"), clock.now())
        for _ in range(200):
            if line.outage is not None:
                break
            await asyncio.sleep(0.01)
        assert line.outage is not None
        assert line.outage.reason == reason
        await line.close()
