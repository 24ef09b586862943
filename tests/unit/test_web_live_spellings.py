"""Closed addresses in every spelling: each ends in a refusal with a reason, and nothing is connected to.

Python's audit events tell of every connection that this process begins and every name that it looks up, whichever
library does it; beside them a server on loopback counts who comes. With ``web.live.allow_private`` the same URLs reach
that server, so it is the guard that keeps them away.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from web_live_site import Site, serving, settled, visiting

from clew.model import Outcome, Request
from clew.web.clock import VirtualClock
from clew.web.live import LiveWorld

HERE = {
    "dotted": "http://127.0.0.1:{port}/",
    "https": "https://127.0.0.1:{port}/",
    "decimal": "http://2130706433:{port}/",
    "hex": "http://0x7f000001:{port}/",
    "hex-capitals": "http://0X7F000001:{port}/",
    "hex-parts": "http://0x7f.0x0.0x0.0x1:{port}/",
    "hex-leading-zeros": "http://0x00000000000007f.1:{port}/",
    "octal": "http://017700000001:{port}/",
    "octal-parts": "http://0177.0.0.01:{port}/",
    "octal-leading-zeros": "http://000000177.0.0.1:{port}/",
    "mixed": "http://0x7f.0.0.01:{port}/",
    "mixed-last": "http://127.0.0.0x1:{port}/",
    "two-parts": "http://127.1:{port}/",
    "three-parts": "http://127.0.1:{port}/",
    "two-parts-hex": "http://0x7f.1:{port}/",
    "trailing-dot": "http://127.0.0.1.:{port}/",
    "full-width-digits": "http://\uff11\uff12\uff17.0.0.1:{port}/",
    "full-width-dots": "http://127\uff0e0\uff0e0\uff0e1:{port}/",
    "ideographic-dots": "http://127\u30020\u30020\u30021:{port}/",
    "circled": "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:{port}/",
    "superscript": "http://\u00b9\u00b2\u2077.0.0.1:{port}/",
    "mathematical": "http://\U0001d7cf\U0001d7d0\U0001d7d5.0.0.1:{port}/",
    "soft-hyphen": "http://127.0.0\u00ad.1:{port}/",
    "zero-width": "http://127.0.0.\u200b1:{port}/",
    "percent": "http://%31%32%37.0.0.1:{port}/",
    "percent-dots": "http://127%2e0%2E0%2e1:{port}/",
    "percent-full-width": "http://%EF%BC%91%32%37.0.0.1:{port}/",
    "user": "http://good@127.0.0.1:{port}/",
    "user-and-password": "http://www.example.org:80@127.0.0.1:{port}/",
    "user-at": "http://a@b@127.0.0.1:{port}/",
    "user-escaped-slash": "http://www.example.org%2f@127.0.0.1:{port}/",
    "backslash-before-at": "http://127.0.0.1:{port}\\@www.example.org/",
    "backslashes": "http:\\\\127.0.0.1:{port}\\",
    "one-slash": "http:/127.0.0.1:{port}/",
    "no-slash": "http:127.0.0.1:{port}/",
    "many-slashes": "http://///127.0.0.1:{port}/",
    "tab": "http://127.\t0.0.1:{port}/",
    "newline": "ht\ntp://127.0.0.1:{port}/",
    "spaces-around": "  http://127.0.0.1:{port}/ ",
    "fragment": "http://127.0.0.1:{port}#@www.example.org/",
    "query": "http://127.0.0.1:{port}?@www.example.org/",
    "port-leading-zeros": "http://127.0.0.1:0{port}/",
    "ipv6-mapped": "http://[::ffff:127.0.0.1]:{port}/",
    "ipv6-mapped-hex": "http://[::ffff:7f00:1]:{port}/",
    "ipv6-mapped-long": "http://[0:0:0:0:0:ffff:7f00:0001]:{port}/",
    "localhost": "http://localhost:{port}/",
    "localhost-capitals": "http://LocalHost:{port}/",
    "localhost-dot": "http://localhost.:{port}/",
    "localhost-circled": "http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3:{port}/",
    "localhost-full-width": "http://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54:{port}/",
    "localhost-long-s": "http://localho\u017ft:{port}/",
    "localhost-soft-hyphen": "http://local\u00adhost:{port}/",
    "localhost-percent": "http://%6c%6fcalhost:{port}/",
    "under-localhost": "http://a.b.localhost:{port}/",
    "under-localhost-dot": "http://www.localhost.:{port}/",
    "name-in-table": "http://inside.test:{port}/",
    "name-in-table-wild": "http://a.b.wild.test:{port}/",
    "name-in-table-mapped": "http://mapped.test:{port}/",
}
"""Spellings of 127.0.0.1."""

ELSEWHERE = {
    "ipv6": "http://[::1]/",
    "ipv6-long": "http://[0:0:0:0:0:0:0:1]/",
    "ipv6-zeros": "http://[0000::0001]/",
    "ipv6-compatible": "http://[::127.0.0.1]/",
    "ipv6-translated": "http://[::ffff:0:127.0.0.1]/",
    "ipv6-6to4": "http://[2002:7f00:1::]/",
    "ipv6-6to4-private": "http://[2002:c0a8:0101::1]/",
    "ipv6-nat64": "http://[64:ff9b::7f00:1]/",
    "ipv6-nat64-metadata": "http://[64:ff9b::169.254.169.254]/",
    "ipv6-nat64-local": "http://[64:ff9b:1::808:808]/",
    "ipv6-teredo": "http://[2001:0:808:808:0:0:80ff:fffe]/",
    "ipv6-isatap": "http://[2a00:1450::5efe:127.0.0.1]/",
    "ipv6-isatap-universal": "http://[2a00:1450::200:5efe:10.0.0.1]/",
    "ipv6-zone": "http://[fe80::1%25eth0]/",
    "ipv6-zone-bare": "http://[fe80::1%eth0]/",
    "ipv6-unspecified": "http://[::]/",
    "ipv6-link-local": "http://[fe80::1]/",
    "ipv6-site-local": "http://[fec0::1]/",
    "ipv6-private": "http://[fd00::1]/",
    "ipv6-multicast": "http://[ff02::1]/",
    "ipv6-all-nodes": "http://[ff05::1:3]/",
    "ipv6-documentation": "http://[2001:db8::1]/",
    "ipv6-discard": "http://[100::1]/",
    "ipv6-not-unicast": "http://[4000::1]/",
    "unspecified": "http://0.0.0.0/",
    "unspecified-short": "http://0/",
    "unspecified-hex": "http://0x0/",
    "unspecified-octal": "http://00/",
    "this-network": "http://0.1.2.3/",
    "loopback-other": "http://127.255.255.254/",
    "loopback-other-decimal": "http://2147483646/",
    "private-10": "http://10.0.0.1/",
    "private-10-short": "http://10.1/",
    "private-10-decimal": "http://167772161/",
    "private-172": "http://172.16.0.1/",
    "private-172-last": "http://172.31.255.255/",
    "private-192": "http://192.168.1.1/",
    "private-192-octal": "http://0300.0250.1.1/",
    "private-192-hex": "http://0xc0a80101/",
    "cgnat": "http://100.64.0.1/",
    "cgnat-last": "http://100.127.255.255/",
    "link-local": "http://169.254.1.1/",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "metadata-decimal": "http://2852039166/",
    "metadata-hex": "http://0xA9FEA9FE/",
    "metadata-octal": "http://0251.0376.0251.0376/",
    "metadata-mapped": "http://[::ffff:a9fe:a9fe]/",
    "metadata-ipv6": "http://[fd00:ec2::254]/",
    "metadata-alibaba": "http://100.100.100.200/",
    "metadata-azure": "http://168.63.129.16/",
    "metadata-oracle": "http://192.0.0.192/",
    "metadata-containers": "http://169.254.170.2/",
    "protocol-assignments": "http://192.0.0.1/",
    "6to4-relay": "http://192.88.99.1/",
    "benchmarks": "http://198.18.0.1/",
    "documentation-1": "http://192.0.2.1/",
    "documentation-2": "http://198.51.100.7/",
    "documentation-3": "http://203.0.113.7/",
    "multicast": "http://224.0.0.1/",
    "multicast-last": "http://239.255.255.250:1900/",
    "reserved": "http://240.0.0.1/",
    "broadcast": "http://255.255.255.255/",
    "broadcast-decimal": "http://4294967295/",
    "trailing-dots": "http://127.0.0.1..:{port}/",
    "beyond-32-bits": "http://4294967296/",
    "beyond-a-byte": "http://127.0.0.256/",
    "five-parts": "http://127.0.0.0.1/",
    "bad-octal": "http://127.0.0.08/",
    "port-of-mail": "http://192.0.46.9:25/",
    "port-of-shells": "http://192.0.46.9:22/",
    "port-of-mail-robots": "https://192.0.46.9:587/robots.txt",
}  # fmt: skip
"""Other closed addresses, what is no address, and ports of other servers; 192.0.46.9 is public."""

LOG: list[tuple[str, Any]] = []


@contextmanager
def watched() -> Iterator[list[tuple[str, Any]]]:
    """What this process connects to and looks up meanwhile."""
    if not hasattr(sys, "_clew_test_hook"):
        sys.addaudithook(lambda event, args: LOG.append((event, args)) if event in EVENTS else None)
        sys._clew_test_hook = True  # type: ignore[attr-defined]  # hooks cannot be taken away
    LOG.clear()
    yield LOG


EVENTS = {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}
TABLE = {"inside.test": "127.0.0.1", "*.wild.test": "127.0.0.1", "mapped.test": "::ffff:127.0.0.1"}


@dataclass(slots=True)
class Ground:
    """A server at 127.0.0.1 and two worlds, one with the guard and one without."""

    clock: VirtualClock
    site: Site
    guarded: LiveWorld
    open: LiveWorld


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ground() -> AsyncIterator[Ground]:
    clock = VirtualClock(1_000_000_000.0)
    async with (
        serving(clock) as site,
        visiting(clock, allow_private=False, resolve=TABLE) as guarded,
        visiting(clock, resolve=TABLE) as world,
    ):
        yield Ground(clock, site, guarded, world)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("spelling", [*HERE, *ELSEWHERE])
async def test_refused_with_a_reason_and_without_a_connection(spelling: str, ground: Ground) -> None:
    url, before = (HERE | ELSEWHERE)[spelling].format(port=ground.site.port), ground.site.connections
    with watched() as events:
        response = await ground.guarded.fetch(Request(url))
    assert events == []
    assert ground.site.connections == before
    assert (response.outcome, response.requests, response.robots_requests) == (Outcome.REFUSED, 0, 0)
    assert "web.live.allow_private" in response.reason or "not a URL that can be fetched" in response.reason


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("spelling", [one for one in HERE if one != "https"])
async def test_without_the_guard_it_would_have_been_reached(spelling: str, ground: Ground) -> None:
    before = len(ground.site.log)
    response = await settled(ground.open, ground.clock, HERE[spelling].format(port=ground.site.port))
    assert response.status, response.reason
    assert len(ground.site.log) > before


@pytest.mark.asyncio(loop_scope="module")
async def test_the_watch_sees_connections_and_look_ups(ground: Ground) -> None:
    with watched() as events:
        async with visiting(ground.clock, resolve={}) as world:
            await settled(world, ground.clock, ground.site.url(host="127.0.0.1"))
    assert ("socket.connect", ("127.0.0.1", ground.site.port)) in [(event, args[1]) for event, args in events]


def test_there_are_more_than_a_hundred() -> None:
    assert len(HERE) + len(ELSEWHERE) > 100


def test_the_page_of_promises_lists_them() -> None:
    text = (Path(__file__).parents[2] / "docs" / "robustness.md").read_text(encoding="utf-8")
    for url in (HERE | ELSEWHERE).values():
        assert f"`{printable(url)}`" in text, url


def printable(url: str) -> str:
    """A spelling as it stands in the docs, with a port; what cannot be seen is escaped."""
    text = url.format(port=8080)
    return "".join(one if one.isprintable() and one != "`" else one.encode("unicode_escape").decode() for one in text)
