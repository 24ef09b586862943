"""A crawl that fetches nothing says so, and counts are in good English."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from clew.words import form, many, span
from support import clew, write_project

RELEVANT = {"good.html": "<p>page about pages"}, {"bad.html": "<p>something else entirely"}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<p>a page about pages"
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield int(server.server_address[1])
    server.shutdown()
    server.server_close()
    thread.join()


def settings(private: bool) -> str:
    return (
        '[crawl]\ncontact = "me@example.org"\nworkers = 0\n[politeness]\ndelay_s = 0.01\nmax_delay_s = 0.05\n'
        f"give_up_after = 2\nprobes = 1\n[web.live]\nallow_private = {str(private).lower()}\n"
    )


def test_refused_seeds_end_with_exit_code_1_and_their_reasons(tmp_path: Path, port: int) -> None:
    seeds = [f"http://127.0.0.1:{port}/", f"http://127.0.0.1:{port}/2"]
    project = write_project(tmp_path / "p", seeds, *RELEVANT, settings(private=False))
    done = clew("crawl", project, "--quiet", code=1)
    assert "clew: nothing was fetched:" in done.stderr
    for seed in seeds:
        assert f"{seed}: 127.0.0.1 is a loopback address (web.live.allow_private)" in done.stderr
    (project / "clew.toml").write_text(settings(private=True), encoding="utf-8")
    again = clew("crawl", project, "--quiet")
    assert "fetched 2 (2 now" in again.stdout
    assert "0 refused" in again.stdout


def test_silent_hosts_are_named_at_the_end(tmp_path: Path, port: int) -> None:
    with ThreadingHTTPServer(("127.0.8.1", 0), Handler) as gone:
        dead = f"http://127.0.8.1:{gone.server_address[1]}/"
    project = write_project(tmp_path / "p", [f"http://127.0.0.1:{port}/", dead], *RELEVANT, settings(private=True))
    done = clew("crawl", project, "--quiet")
    assert "1 host is not waited for; its 1 link is asked for again by the next run" in done.stdout
    assert "1 link waiting" in done.stdout
    assert "host given up after 3 failures in a row: cannot connect: Connection refused" in done.stderr
    alone = write_project(tmp_path / "q", [dead], *RELEVANT, settings(private=True))
    assert f"{dead}: host given up after 3 failures in a row: cannot connect" in clew("crawl", alone, code=1).stderr


def test_numbers_and_their_words() -> None:
    assert [many(n, "page") for n in (0, 1, 2, 1200)] == ["0 pages", "1 page", "2 pages", "1,200 pages"]
    assert [many(n, "match", "matches") for n in (1, 2)] == ["1 match", "2 matches"]
    assert [form(n, "is", "are") for n in (0, 1, 2)] == ["are", "is", "are"]
    assert [span(s) for s in (41.4, 200, 7_500)] == ["41 s", "3 min 20 s", "2 h 5 min"]
