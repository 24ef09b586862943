"""Politeness, seen from the servers' side: a logging server on 20 loopback addresses."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from support import clew_json, write_project

HOSTS = [f"127.0.3.{n}" for n in range(1, 21)]
SLOW = HOSTS[0]
SLOW_DELAY_S = 10.0
DELAY_S = 0.25
PAGES_A_HOST = 400
TOLERANCE_S = 0.005
"""The server notes a request a little after the crawler sent it."""


class Asked(NamedTuple):
    start: float
    end: float
    host: str
    path: str


class LoggingServer:
    """Answers on every address at one port; each page links to pages on all hosts."""

    def __init__(self, slow: bool) -> None:
        self.log: list[Asked] = []
        self.slow = slow
        log, server = self.log, self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # an answer leaves in one piece

            def do_GET(self) -> None:
                start = time.monotonic()
                host = str(self.connection.getsockname()[0])
                body, status = server.answer(host, self.path)
                self.send_response(status)
                self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                answered = time.monotonic()  # before the bytes leave: the crawler cannot have them earlier
                self.wfile.write(body)
                self.wfile.flush()
                log.append(Asked(start, answered, host, self.path))

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.servers = [ThreadingHTTPServer((HOSTS[0], 0), Handler)]
        self.port = int(self.servers[0].server_address[1])
        self.servers += [ThreadingHTTPServer((host, self.port), Handler) for host in HOSTS[1:]]
        self.threads = [threading.Thread(target=server.serve_forever, args=(0.05,)) for server in self.servers]

    def answer(self, host: str, path: str) -> tuple[bytes, int]:
        if path == "/robots.txt":
            rules = f"Crawl-delay: {SLOW_DELAY_S:.0f}" if self.slow and host == SLOW else "Disallow: /closed/"
            return f"User-agent: *\n{rules}\n".encode(), 200
        rng = random.Random(f"{host}{path}")
        hosts = HOSTS if self.slow else HOSTS[1:]
        links = [
            f"<a href='http://{other}:{self.port}/{rng.randrange(PAGES_A_HOST)}.html'>page</a>" for other in hosts * 2
        ]
        return f"<html><body>{' '.join(links)} <a href='/closed/x.html'>closed</a></body></html>".encode(), 200

    def __enter__(self) -> LoggingServer:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()
        for thread in self.threads:
            thread.join()


def crawl(folder: Path, slow: bool, pages: int) -> tuple[list[Asked], dict[str, object]]:
    with LoggingServer(slow) as server:
        hosts = HOSTS if slow else HOSTS[1:]
        project = write_project(
            folder,
            [f"http://{host}:{server.port}/0.html" for host in hosts],
            {"good.html": "<p>page about pages"},
            {"bad.html": "<p>something else entirely"},
            '[strategy]\nname = "breadth-first"\n[crawl]\ncontact = "test@example.org"\n'
            f"[politeness]\ndelay_s = {DELAY_S}\nadaptive = 0.0\n[web.live]\nallow_private = true\n",
        )
        result = clew_json("crawl", project, "--max-pages", pages, "--quiet")
    return sorted(server.log), result


def by_host(log: list[Asked]) -> dict[str, list[Asked]]:
    groups: dict[str, list[Asked]] = defaultdict(list)
    for asked in log:
        groups[asked.host].append(asked)
    return groups


@pytest.fixture(scope="module")
def with_slow(tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    log, result = crawl(tmp_path_factory.mktemp("slow") / "p", slow=True, pages=800)
    assert result["fetched"] == 800
    return log


def test_no_host_is_asked_sooner_than_its_delay(with_slow: list[Asked]) -> None:
    for host, asked in by_host(with_slow).items():
        delay = SLOW_DELAY_S if host == SLOW else DELAY_S
        gaps = [after.start - before.end for before, after in pairwise(asked)]
        assert all(gap >= delay - TOLERANCE_S for gap in gaps), (host, min(gaps))


def test_robots_txt_comes_before_anything_else(with_slow: list[Asked]) -> None:
    for host, asked in by_host(with_slow).items():
        assert asked[0].path == "/robots.txt", host
        assert [one.path for one in asked].count("/robots.txt") == 1
    assert not [one for one in with_slow if one.path.startswith("/closed/")]


def test_all_hosts_are_visited_and_none_at_twice(with_slow: list[Asked]) -> None:
    groups = by_host(with_slow)
    assert set(groups) == set(HOSTS)
    for asked in groups.values():
        assert all(before.end <= after.start for before, after in pairwise(asked))


def test_a_slow_host_does_not_slow_the_others(with_slow: list[Asked], tmp_path: Path) -> None:
    without, _ = crawl(tmp_path / "p", slow=False, pages=760)

    def pages_per_s(log: list[Asked]) -> float:
        fast = [one for one in log if one.host != SLOW and one.path != "/robots.txt"]
        return len(fast) / (fast[-1].start - fast[0].start)

    assert pages_per_s(with_slow) >= 0.9 * pages_per_s(without)
