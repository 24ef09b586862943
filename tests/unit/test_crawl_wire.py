"""A crawl of a site whose answers are all odd: every page comes in once, and the archive holds the bytes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from clew import Crawl
from clew.store.warc import iterate

PAGE = b'<title>t</title><p>sailing yacht</p><a href="/next">n</a>'
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
LENGTH = b"Content-Length: 57\r\n"
AS_SENT = {
    "/coding": HTML + b"Content-Encoding: UTF-8\r\n" + LENGTH + b"\r\n" + PAGE,
    "/twice": HTML + LENGTH * 2 + b"\r\n" + PAGE,
    "/no-colon": HTML + b"ThisHasNoColon\r\n: x\r\nX-Power : a\r\nx: caf\xe9 \x00\r\n" + LENGTH + b"\r\n" + PAGE,
    "/lines": (HTML + LENGTH + b"\r\n").replace(b"\r\n", b"\n") + PAGE,
    "/long": HTML + b"Content-Length: 59\r\nConnection: close\r\n\r\n" + PAGE,
    "/moved": b"HTTP/1.1 301 Moved\r\nLocation: /ziel/jos\xe9-x\r\nContent-Length: 0\r\n\r\n",
    "/ziel/jos%E9-x": HTML + LENGTH + b"\r\n" + PAGE,
    "/next": HTML + LENGTH + b"\r\n" + PAGE,
}
REFRAMED = {
    "/both": HTML + b"Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n39\r\n" + PAGE + b"\r\n0\r\n\r\n",
    "/early": b"HTTP/1.1 103 Early Hints\r\n\r\n" + HTML + LENGTH + b"\r\n" + PAGE,
    "/cut": HTML + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n39\r\n" + PAGE + b"\r\n",
}
WORDS = dict(
    zip(
        (*AS_SENT, *REFRAMED),
        b"brigs canoe ferry galea hulks ketch kayak liner praam skiff yawls".split(),
        strict=True,
    )
)
AS_SENT = {path: answer.replace(b"yacht", WORDS[path]) for path, answer in AS_SENT.items()}
REFRAMED = {path: answer.replace(b"yacht", WORDS[path]) for path, answer in REFRAMED.items()}
LINKS = b"".join(b'<p>sailing <a href="%s">x</a>' % path.encode() for path in (*AS_SENT, *REFRAMED))
ANSWERS = {"/": HTML + b"Content-Length: %d\r\n\r\n" % len(LINKS) + LINKS, **AS_SENT, **REFRAMED}
MISSING = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"


class Site:
    """Serves ANSWERS; closes every connection at its second request, without an answer."""

    def __init__(self) -> None:
        self.answered: list[str] = []
        self.closed = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with closing(connection), suppress(OSError):
            path = self._asked(connection)
            if path:
                self.answered.append(path)
                answer = ANSWERS.get(path, MISSING)
                connection.sendall(answer)
                if b"Connection: close" not in answer and self._asked(connection):
                    self.closed += 1

    def _asked(self, connection: socket.socket) -> str:
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65_536)
            if not data:
                return ""
            head += data
        return head.split(b" ")[1].decode()


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.socket.close()


def test_a_crawl_of_odd_answers(site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="clew")
    settings = {
        "crawl": {"contact": "me@example.org", "workers": 0},
        "politeness": {"delay_s": 0.0, "adaptive": 0.0, "give_up_after": 1},
        "web": {"live": {"allow_private": True}},
        "interest": {"keywords": {"sailing": 1.0}},
        "judge": {"name": "keywords"},
        "traps": {"soft_404": 0},  # the pages are much the same
    }
    crawl = Crawl([f"{site.url}/"], world="live", strategy="breadth-first", settings=settings, folder=tmp_path)
    result = crawl.run_sync(max_pages=len(ANSWERS))
    assert sorted(site.answered) == sorted([*ANSWERS, "/robots.txt"])
    assert site.closed > 5
    assert (result.fetched, result.failed) == (len(ANSWERS), 0)
    assert {page.url for page in crawl.pages()} == {site.url + path for path in ANSWERS if path != "/moved"}
    assert "broke off: connection closed after 57 of 59 bytes" in caplog.text
    folder = next(tmp_path.rglob("*.warc.gz")).parent
    stored = {one.response.url.removeprefix(site.url): one.response for one in iterate(folder)}
    assert {path: found.truncated for path, found in stored.items() if found.truncated} == {
        "/long": "disconnect",
        "/cut": "disconnect",
    }
    for path, sent in AS_SENT.items():
        assert stored[path].head + stored[path].body == sent
    for path in REFRAMED:
        assert stored[path].body == PAGE.replace(b"yacht", WORDS[path])
    with next(folder.glob("*.warc.gz")).open("rb") as file:
        digests = [
            (record.content_stream().read(), record.digest_checker.passed)[1]
            for record in ArchiveIterator(file, check_digests="raise")
        ]
    assert False not in digests
