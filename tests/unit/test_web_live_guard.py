"""The address guard: no link, name or redirect leads a crawler into private networks."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from dns_server import naming
from web_live_site import answer, serving, settled, visiting

from clew.config import LiveSettings, PolitenessSettings
from clew.errors import UrlError, shown
from clew.model import Outcome, Request
from clew.web.clock import VirtualClock
from clew.web.live.addresses import AddressBook, CheckedResolver, guarded_socket
from clew.web.live.guard import why_closed

CLOSED = {
    "loopback": "127.0.0.1 127.255.0.9 ::1 ::7f00:1 ::ffff:127.0.0.1 2002:7f00:1:: 64:ff9b::7f00:1 ::ffff:0:7f00:1"
    " 2a00::5efe:7f00:1",
    "unspecified": "0.0.0.0 :: ::ffff:0:0",
    "broadcast": "255.255.255.255",
    "link-local": "169.254.0.5 fe80::1 fe80::1%2 febf::1",
    "multicast": "224.0.0.1 239.1.2.3 ff02::1",
    "private": "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12:3456::1 fec0::1 64:ff9b:1::808:808 0.1.2.3"
    " ::ffff:10.1.1.1 2002:c0a8:101::1 2a00::200:5efe:a01:101",
    "CGNAT": "100.64.0.1 100.127.255.255",
    "documentation": "192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 2001:db8::1 3fff::1",
    "reserved": "240.0.0.1 192.0.0.1 192.88.99.1 2001:0:808:808::f7f7:f7f7 2001:1ff::1 100::1 5f00::1"
    " 4000::1 1::1 a000::1 ::808:808",
    "metadata": "169.254.169.254 fd00:ec2::254 100.100.100.200 168.63.129.16 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe"
    " 192.0.0.192 169.254.170.2 fe80::a9fe:a9fe%eth0 fd20:ce::254",
    "no IP address": "nonsense 127.1 0x7f000001 127.0.0.01 [::1]",
}
OPEN = [
    "1.1.1.1", "93.184.216.34", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
    "128.0.0.1", "169.253.1.1", "172.15.255.255", "172.32.0.1", "192.167.1.1", "192.169.1.1", "198.17.1.1",
    "198.20.0.1", "223.255.255.255", "192.0.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808",
    "2002:808:808::1", "2001:200::1", "2a00::5efe:808:808",
]  # fmt: skip


@pytest.mark.parametrize("kind", CLOSED)
def test_closed(kind: str) -> None:
    for address in CLOSED[kind].split():
        assert kind in why_closed(address), address


def test_nothing_is_open_by_no_name() -> None:
    assert "no IP address" in why_closed("")


@pytest.mark.parametrize("address", OPEN)
def test_open(address: str) -> None:
    assert why_closed(address) == ""


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


async def test_the_socket_itself_is_guarded() -> None:
    info = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))
    with pytest.raises(PermissionError, match="loopback"):
        guarded_socket(False)(info)
    guarded_socket(True)(info).close()


async def test_only_chosen_addresses_are_connected_to(clock: VirtualClock) -> None:
    """DNS rebinding: the client asks our resolver, which knows what was checked and nothing else."""
    resolver = CheckedResolver()
    with pytest.raises(OSError, match="no address was chosen for localhost"):
        await resolver.resolve("localhost", 80)
    resolver.chosen["x.test"] = "::1"
    (found,) = await resolver.resolve("x.test.", 80)
    assert (found["host"], found["port"], found["family"]) == ("::1", 80, socket.AF_INET6)


@asynccontextmanager
async def book_of(settings: LiveSettings, clock: VirtualClock, timeout_s: float = 5.0) -> AsyncIterator[AddressBook]:
    book = AddressBook(settings, PolitenessSettings(), timeout_s, clock)
    try:
        yield book
    finally:
        await book.close()


async def test_mixed_answers_lose_their_private_addresses(clock: VirtualClock) -> None:
    answers = [["10.0.0.1", "8.8.8.8", "1.1.1.1"], ["10.0.0.1"]]

    async with naming(lambda _: answers[0]) as names:
        settings = LiveSettings(nameservers=(names.address,))
        async with book_of(settings, clock) as book:
            assert set((await book.lookup("x.test")).addresses) == {"8.8.8.8", "1.1.1.1"}
            answers.pop(0)
            assert set((await book.lookup("x.test")).addresses) == {"8.8.8.8", "1.1.1.1"}
            clock.advance(settings.dns_fresh_s)
            rebound = await book.lookup("x.test")
            assert rebound.addresses == ()
            assert "10.0.0.1 is a private address" in rebound.reason


@pytest.mark.parametrize(
    ("table", "host", "address"),
    [
        ({"A.test": "1.2.3.4"}, "a.test", "1.2.3.4"),
        ({"*.test": "1.2.3.4"}, "x.y.test", "1.2.3.4"),
        ({"*.test": "1.2.3.4", "*.y.test": "1.2.3.5", "x.y.test": "1.2.3.6"}, "x.y.test", "1.2.3.6"),
        ({"*.test": "1.2.3.4", "*.y.test": "1.2.3.5"}, "x.y.test", "1.2.3.5"),
    ],
)
async def test_fixed_addresses(table: dict[str, str], host: str, address: str, clock: VirtualClock) -> None:
    async with book_of(LiveSettings(resolve=table, allow_private=True), clock) as book:
        assert (await book.lookup(host)).addresses == (address,)


async def test_localhost_is_this_machine_whatever_name_servers_say(clock: VirtualClock) -> None:
    settings = LiveSettings(allow_private=True, resolve={"x.localhost": "127.0.0.9"})
    async with book_of(settings, clock) as book, book_of(LiveSettings(), clock) as guarded:
        for host in ("localhost", "LOCALHOST.", "a.b.localhost"):
            assert (await book.lookup(host)).addresses == ("127.0.0.1", "::1")
        assert (await book.lookup("x.localhost")).addresses == ("127.0.0.9",)
        assert "127.0.0.1 is a loopback address" in (await guarded.lookup("localhost")).reason


async def test_ports_of_other_servers_are_refused_unless_allowed(clock: VirtualClock) -> None:
    resolve = {"a.test": "127.0.0.1"}
    async with visiting(clock, resolve=resolve, limits={"connect_s": 0.5}) as world:
        assert "connect" in (await settled(world, clock, "http://a.test:25/")).reason
    async with visiting(clock, allow_private=False, resolve={"a.test": "192.0.46.9"}) as world:
        reason = (await world.fetch(Request("http://a.test:25/"))).reason
        assert reason == "port 25 is not for web servers (web.live.allow_private)"


async def test_credentials_are_neither_sent_nor_kept(clock: VirtualClock) -> None:
    pages = {
        "/from": answer(status="302 Found", Location="//me:secret@a.test/x"),
        "/bad": answer(status="302 Found", Location="ftp://me:secret@a.test/"),
    }
    async with serving(clock, pages) as site, visiting(clock) as world:
        url = site.url().replace("//", "//me:secret@")
        assert (await settled(world, clock, url)).outcome is Outcome.OK
        assert (await settled(world, clock, site.url("/from"))).location == "http://a.test/x"
        bad = await settled(world, clock, site.url("/bad"))
        assert bad.reason == "redirects to what is no web address: 'ftp://a.test/'"
    assert not any("secret" in head or "authorization" in head.lower() for *_, head in site.log)


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("http://me:secret@a.test/x@y", "http://a.test/x@y"),
        (" HTTPS:me@a.test/", " HTTPS:a.test/"),
        ("//me@you@a.test", "//a.test"),
        ("ftp://me:se/cret@a.test", "ftp://me:se/cret@a.test"),
        ("mailto:me@a.test", "mailto:me@a.test"),
        ("/x?a=//b@c", "/x?a=//b@c"),
        ("http://" + 100_000 * "a", ("http://" + 100_000 * "a")[:200]),
    ],
)
def test_messages_show_no_credentials(url: str, seen: str) -> None:
    assert shown(url) == seen
    assert repr(seen) in str(UrlError(url, "no"))


async def test_robots_txt_may_not_lead_inside(clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A public site redirects its robots.txt to a private address: nothing is sent there, and the site is closed."""
    async with serving(clock) as inside:
        pages = {"/robots.txt": answer(status="302 Found", Location=inside.url(host="inside.test"))}
        resolve = {"a.test": "127.0.0.1", "inside.test": "127.0.0.2"}
        async with serving(clock, pages) as site, visiting(clock, resolve=resolve) as world:
            book = world._book
            assert book is not None

            def checked(addresses: tuple[str, ...]) -> object:  # 127.0.0.1 plays the public address here
                from clew.web.live.addresses import Lookup

                bad = "127.0.0.2" in addresses
                return Lookup((), "127.0.0.2 is a loopback address") if bad else Lookup(addresses)

            monkeypatch.setattr(book, "_checked", checked)
            response = await settled(world, clock, site.url())
            assert (response.outcome, response.given_up) == (Outcome.DEFERRED, True)
            assert "it redirects to inside.test: 127.0.0.2 is a loopback address" in response.reason
            assert set(site.paths()) == {"/robots.txt"}
            assert inside.connections == 0
