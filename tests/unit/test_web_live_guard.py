"""The address guard: no link, name or redirect leads a crawler into private networks."""

from __future__ import annotations

import socket

import pytest
from web_live_site import answer, serving, settled, visiting

from clew.config import LiveSettings
from clew.model import Outcome, Request
from clew.web.clock import VirtualClock
from clew.web.live.addresses import AddressBook, CheckedResolver, guarded_socket
from clew.web.live.guard import why_closed

CLOSED = {
    "127.0.0.1": "loopback", "127.255.0.9": "loopback", "::1": "loopback",
    "0.0.0.0": "unspecified", "::": "unspecified", "0.1.2.3": "private",
    "10.0.0.1": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private",
    "fc00::1": "private", "fd12:3456::1": "private", "fec0::1": "private", "64:ff9b:1::808:808": "private",
    "169.254.0.5": "link-local", "fe80::1": "link-local", "fe80::1%2": "link-local",
    "169.254.169.254": "metadata", "fd00:ec2::254": "metadata", "100.100.100.200": "metadata",
    "168.63.129.16": "metadata",
    "224.0.0.1": "multicast", "239.1.2.3": "multicast", "ff02::1": "multicast",
    "240.0.0.1": "private", "255.255.255.255": "private", "100.64.0.1": "not a public", "192.0.2.1": "private",
    "198.18.0.1": "private", "2001:db8::1": "private", "::7f00:1": "reserved",
    "::ffff:127.0.0.1": "loopback", "::ffff:10.1.1.1": "private", "::ffff:169.254.169.254": "metadata",
    "2002:7f00:1::": "loopback", "2002:c0a8:101::1": "private",
    "64:ff9b::7f00:1": "loopback", "64:ff9b::a9fe:a9fe": "metadata",
    "nonsense": "no IP address", "": "no IP address",
}  # fmt: skip
OPEN = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]


@pytest.mark.parametrize(("address", "kind"), CLOSED.items())
def test_closed(address: str, kind: str) -> None:
    assert kind in why_closed(address)


@pytest.mark.parametrize("address", OPEN)
def test_open(address: str) -> None:
    assert why_closed(address) == ""


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000_000.0)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::1]", "[::ffff:7f00:1]", "169.254.169.254",
     "0xA9FEA9FE", "[fd00:ec2::254]", "0", "localhost", "LOCALHOST.", "inside.test", "deep.wild.test"],
)  # fmt: skip
async def test_private_hosts_are_refused_and_nothing_is_sent(host: str, clock: VirtualClock) -> None:
    resolve = {"inside.test": "127.0.0.1", "*.wild.test": "::ffff:127.0.0.1"}
    async with serving(clock) as site, visiting(clock, allow_private=False, resolve=resolve) as world:
        response = await world.fetch(Request(site.url(host=host)))
        assert (response.outcome, response.requests, response.robots_requests) == (Outcome.REFUSED, 0, 0)
        assert "web.live.allow_private" in response.reason
        assert site.connections == 0


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


async def test_mixed_answers_lose_their_private_addresses(clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    book = AddressBook(LiveSettings(), 5.0, clock)
    answers = [["10.0.0.1", "2606:4700::1", "8.8.8.8"], ["10.0.0.1"]]

    async def resolve(*_: object) -> list[dict[str, str]]:
        return [{"host": host} for host in answers.pop(0)]

    monkeypatch.setattr(book._dns, "resolve", resolve)
    assert (await book.lookup("x.test")).addresses == ("8.8.8.8", "2606:4700::1")
    assert (await book.lookup("x.test")).addresses == ("8.8.8.8", "2606:4700::1")
    clock.advance(LiveSettings().dns_fresh_s)
    rebound = await book.lookup("x.test")
    assert rebound.addresses == ()
    assert "10.0.0.1 is a private address" in rebound.reason


async def test_failures_of_name_servers_are_temporary_and_kept_shortly(
    clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = AddressBook(LiveSettings(), 5.0, clock)
    asked = []

    async def resolve(host: str, *_: object) -> list[dict[str, str]]:
        asked.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(book._dns, "resolve", resolve)
    for wait in (0.0, 1.0, 40.0):
        clock.advance(wait)
        lookup = await book.lookup("x.test")
        assert lookup.temporary
        assert lookup.reason == "the address of x.test cannot be looked up: Temporary failure in name resolution"
    assert len(asked) == 2


async def test_a_host_without_name_servers_is_given_up(clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(*_: object) -> list[dict[str, str]]:
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    async with visiting(clock, politeness={"give_up_after": 3}) as world:
        monkeypatch.setattr(world._book._dns, "resolve", resolve)  # type: ignore[union-attr]
        started = clock.now()
        response = await settled(world, clock, "http://x.test/")
        assert response.outcome is Outcome.REFUSED
        assert "host given up after 3 failures in a row: the address of x.test" in response.reason
        assert clock.now() >= started + 30


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
    book = AddressBook(LiveSettings(resolve=table, allow_private=True), 5.0, clock)
    assert (await book.lookup(host)).addresses == (address,)


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
            assert response.outcome is Outcome.REFUSED
            assert "it redirects to inside.test: 127.0.0.2 is a loopback address" in response.reason
            assert set(site.paths()) == {"/robots.txt"}
            assert inside.connections == 0
