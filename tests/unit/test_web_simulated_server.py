"""The demo server: the simulated web over real HTTP on loopback."""

from __future__ import annotations

import gzip
import re
import socket
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clew.errors import ClewError
from clew.web.simulated import SimParameters, SimulatedWeb, demo_web
from clew.web.simulated.server import GRAVE, DemoServer

ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4")


@pytest.fixture(scope="module")
def server() -> Iterator[DemoServer]:
    with DemoServer(demo_web(1).web, ADDRESSES) as server:
        yield server


def ask(server: DemoServer, url: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    parts = urlsplit(url)
    connection = HTTPConnection(server.resolve()[parts.hostname or ""], server.port, timeout=10)
    try:
        path = parts.path + ("?" + parts.query if parts.query else "")
        connection.request("GET", path, headers={"Host": parts.netloc, **headers})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def test_served_pages_are_the_computed_ones(server: DemoServer) -> None:
    for url in server.web.sample(12):
        assert f":{server.port}/" in url
        response, body = ask(server, url)
        page = server.web.page(url)
        assert page is not None
        assert (response.status, body) == (200, page.html.encode())
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"


def test_pages_are_compressed_for_those_who_accept_it(server: DemoServer) -> None:
    url = server.web.sample(1)[0]
    plain, packed = ask(server, url), ask(server, url, **{"Accept-Encoding": "gzip, deflate"})
    assert packed[0].headers["Content-Encoding"] == "gzip" and plain[0].headers["Content-Encoding"] is None
    assert gzip.decompress(packed[1]) == plain[1] and len(packed[1]) < len(plain[1])


def test_redirects_and_missing_pages(server: DemoServer) -> None:
    root = f"http://{server.web.host_name(3)}:{server.port}"
    response, _ = ask(server, f"{root}/go/b/5")
    assert (response.status, response.headers["Location"]) == (301, f"{root}/go/a/5")
    assert ask(server, f"{root}/nothing/here-5.html")[0].status == 404
    assert ask(server, f"{root}/?a=b")[0].status == 404


def test_robots_differ_from_host_to_host(server: DemoServer) -> None:
    found = []
    for number in range(server.web.hosts):
        response, body = ask(server, f"http://{server.web.host_name(number)}:{server.port}/robots.txt")
        text = server.web.robots(server.web.host_name(number))
        assert (response.status, body.decode()) == ((404, "") if text is None else (200, text))
        found.append(text)
    assert None in found
    for line in ("Crawl-delay: 0.2", r"Disallow: /\w+/", r"Disallow:\n"):
        assert any(text and re.search(line, text) for text in found)


def test_hosts_are_spread_over_the_addresses(server: DemoServer) -> None:
    names = server.resolve()
    used = {names[server.web.host_name(number)] for number in range(server.web.hosts)}
    assert used == set(ADDRESSES)
    assert names["*.gone.sim.test"] == names["*.sim.test"] == GRAVE
    with pytest.raises(OSError), socket.create_connection((GRAVE, server.port), timeout=5):
        pass


def test_large_webs_are_resolved_by_patterns() -> None:
    names = DemoServer(SimulatedWeb(10_000_000, 1), ADDRESSES).resolve()
    assert names == {"*.gone.sim.test": GRAVE, "*.sim.test": ADDRESSES[0]}


def test_log_tells_who_asked_what(tmp_path: Path) -> None:
    web = SimulatedWeb(1_000, 2, SimParameters(branching=2, depth=2))
    file = tmp_path / "access.tsv"
    with DemoServer(web, ADDRESSES[:2], log_file=file) as server:
        ask(server, f"http://h1.sim.test:{server.port}/")
        ask(server, f"http://h1.sim.test:{server.port}/robots.txt")
        ask(server, f"http://h2.sim.test:{server.port}/none")
        rows = [(entry.address, entry.host, entry.path, entry.status) for entry in server.log]
    assert rows[0] == ("127.0.0.3", "h1.sim.test", "/", 200)
    assert rows[2] == ("127.0.0.2", "h2.sim.test", "/none", 404)
    lines = file.read_text().splitlines()
    assert [line.split("\t")[1:4] for line in lines] == [list(row[:3]) for row in rows]


def test_port_is_freed_and_a_taken_one_refused() -> None:
    web = SimulatedWeb(1_000, 2, SimParameters(branching=2, depth=2))
    server = DemoServer(web, ADDRESSES)
    server.start()
    with pytest.raises(ClewError, match="already runs"):
        server.start()
    with pytest.raises(ClewError, match=r"cannot listen on 127\.0\.0\.2"):
        DemoServer(web, ADDRESSES, port=server.port).start()
    server.stop()
    server.stop()
    with DemoServer(web, ADDRESSES, port=server.port) as again:
        assert ask(again, f"http://h0.sim.test:{again.port}/")[0].status == 200
