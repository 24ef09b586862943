"""Mirrors on disk as a world: wget's file names undone, and nothing served from outside the mirror."""

import asyncio
import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from clew.errors import ArchiveError, UrlError
from clew.model import Outcome, Request
from clew.web.folder import FolderWorld, content_type, sniffed, url_names


class FixedClock:
    virtual = True

    def now(self) -> float:
        return 1_000.0

    async def sleep_until(self, when: float) -> None:
        raise AssertionError("a folder never waits")


def canonical(url: str) -> str:
    """As browsers write URLs, near enough: what cannot stand is escaped, escapes of plain letters are not undone."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise UrlError(url, str(error)) from error
    if not parts.hostname or any(letter in parts.hostname for letter in " %<>"):
        raise UrlError(url, "no host")
    port = f":{parts.port}" if parts.port not in (None, 80 if parts.scheme == "http" else 443) else ""
    path = quote(parts.path or "/", safe="%/:@!$&'()*+,;=~[]|^`{}")
    return f"{parts.scheme}://{parts.hostname}{port}{path}" + (f"?{parts.query}" if parts.query else "")


def mirror(tmp_path: Path, *files: str) -> Path:
    root = tmp_path / "mirror"
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<html>{name}", encoding="utf-8")
    return root


async def opened(root: Path, **options) -> FolderWorld:
    world = FolderWorld(root, clock=FixedClock(), canonicalise=canonical, **options)
    await world.open()
    return world


async def body(world: FolderWorld, url: str) -> str:
    found = await world.fetch(Request(url))
    assert found.outcome is Outcome.OK, (url, found)
    return found.body.decode().removeprefix("<html>")


CASES = [
    ("h.example/index.html", "http://h.example/"),
    ("h.example/index.html", "http://h.example/index.html"),
    ("h.example/d/index.html", "https://h.example/d/"),
    ("h.example/d/index.htm", "http://h.example/d/"),
    ("h.example/d/page.html", "http://h.example/d/page.html"),
    ("h.example/page.html?x=1&y=2", "http://h.example/page.html?x=1&y=2"),
    ("h.example/page.html@x=1", "http://h.example/page.html?x=1"),
    ("h.example/page@x=1.html", "http://h.example/page?x=1"),
    ("h.example/show.php?x=1.html", "http://h.example/show.php?x=1"),
    ("h.example/d/index.html?x=1", "http://h.example/d/?x=1"),
    ("h.example/d/index.html?x=1", "http://h.example/d/index.html?x=1"),
    ("h.example/d/index.html?x=1.html", "http://h.example/d/?x=1"),
    ("h.example/article.html", "http://h.example/article"),
    ("h.example/to?u=a%2Fb", "http://h.example/to?u=a/b"),
    ("h.example/to?u=a%2Fb", "http://h.example/to?u=a%2Fb"),
    ("h.example/a b.html", "http://h.example/a%20b.html"),
    ("h.example/a%20b.html", "http://h.example/a%20b.html"),
    ("h.example/naïve.html", "http://h.example/na%C3%AFve.html"),
    ("h.example/100%.html", "http://h.example/100%25.html"),
    ("h.example/a#b.html", "http://h.example/a%23b.html"),
    ("h.example/user@home", "http://h.example/user@home"),
    ("h.example:8080/x.html", "http://h.example:8080/x.html"),
    ("h.example+8080/x.html", "http://h.example:8080/x.html"),
    ("192.0.2.7/x.html", "http://192.0.2.7/x.html"),
]


@pytest.mark.parametrize(("file", "url"), CASES)
async def test_names(tmp_path, file, url):
    world = await opened(mirror(tmp_path, file))
    assert await body(world, url) == file
    assert world.problems == []


async def test_a_literal_name_goes_before_a_guessed_one(tmp_path):
    world = await opened(mirror(tmp_path, "h/page", "h/page.html", "h/x?a=1", "h/x@a=1", "h/x@a=1.html"))
    assert await body(world, "http://h/page") == "h/page"
    assert await body(world, "http://h/page.html") == "h/page.html"
    assert await body(world, "http://h/x?a=1") == "h/x?a=1"
    assert await body(world, "http://h/x@a=1") == "h/x@a=1"


async def test_a_folder_redirects_to_its_form_with_a_slash(tmp_path):
    world = await opened(mirror(tmp_path, "h/d/e/index.html", "h/f/page.html", "h/g/index.html", "h/g.html"))
    found = await world.fetch(Request("https://h/d/e"))
    assert (found.outcome, found.location, found.requests) == (Outcome.REDIRECT, "https://h/d/e/", 1)
    assert (await world.fetch(Request("http://h/d"))).outcome is Outcome.ABSENT  # it has no page to redirect to
    assert (await world.fetch(Request("http://h/f/"))).outcome is Outcome.ABSENT
    assert await body(world, "http://h/g") == "h/g.html"
    assert await body(world, "http://h/d/e/") == "h/d/e/index.html"


async def test_pages_that_are_not_there(tmp_path):
    root = mirror(tmp_path, "h/index.html")
    urls = ("http://h/none", "http://other/", "http://[bad", "http://h:81/")
    world = await opened(root)
    assert {(f.outcome, f.requests) for f in [await world.fetch(Request(url)) for url in urls]} == {(Outcome.ABSENT, 0)}
    world = await opened(root, closed=False)
    found = [await world.fetch(Request(url)) for url in urls]
    assert {(f.outcome, f.status, f.requests, f.fetched_at) for f in found} == {(Outcome.FAILED, 404, 1, 1_000.0)}


async def test_nothing_outside_is_served(tmp_path):
    root = mirror(tmp_path, "h/index.html", "h/inside.html")
    (tmp_path / "secret.html").write_text("secret")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "x.html").write_text("secret")
    (root / "h" / "link.html").symlink_to(tmp_path / "secret.html")
    (root / "h" / "folder").symlink_to(tmp_path / "secrets")
    (root / "other.example").symlink_to(tmp_path / "secrets")
    (root / "h" / "good.html").symlink_to(root / "h" / "inside.html")
    os.mkfifo(root / "h" / "pipe.html")
    world = await opened(root)
    urls = ["link.html", "folder/x.html", "../../secret.html", "%2e%2e/%2e%2e/secret.html", "..%2F..%2Fsecret.html"]
    urls += ["pipe.html", "%00", "/etc/passwd", "..\\..\\secret.html"]
    for url in [f"http://h/{name}" for name in urls] + ["http://other.example/x.html", "http://../secret.html"]:
        found = await world.fetch(Request(url))
        assert (found.outcome, found.body) == (Outcome.ABSENT, b""), url
    assert await body(world, "http://h/good.html") == "h/inside.html"
    assert world.problems == [f"{root}/h/link.html leads out of the mirror; it is not served"]


async def test_a_file_that_is_swapped_for_a_link_later(tmp_path):
    root = mirror(tmp_path, "h/index.html", "h/a.html")
    (tmp_path / "secret.html").write_text("secret")
    world = await opened(root)
    (root / "h" / "index.html").unlink()
    (root / "h" / "index.html").symlink_to(tmp_path / "secret.html")
    (root / "h" / "a.html").unlink()
    found = [await world.fetch(Request(f"http://h/{name}")) for name in ("", "a.html")]
    assert [(f.outcome, f.body) for f in found] == [(Outcome.FAILED, b"")] * 2
    assert "leads out of the mirror" in found[0].reason
    assert "No such file" in found[1].reason


async def test_a_folder_without_hosts_is_refused(tmp_path):
    (tmp_path / "page.html").write_text("<p>hello")
    (tmp_path / "empty.example").mkdir()
    with pytest.raises(
        ArchiveError, match=r"holds no pages in host folders; a mirror looks like .*/www\.example\.org/"
    ):
        await opened(tmp_path)
    with pytest.raises(ArchiveError, match="cannot be read: No such file"):
        await opened(tmp_path / "none")


async def test_folders_that_are_no_hosts_are_named(tmp_path):
    root = mirror(tmp_path, "h.example/index.html", "not a host/index.html")
    world = await opened(root)
    assert world.problems == [f"{root}/not a host is not named like a host; its files are not served"]
    assert len(world) == len(url_names("index.html"))
    await world.close()
    await world.close()
    assert (await world.fetch(Request("http://h.example/"))).outcome is Outcome.ABSENT


async def test_names_that_are_not_utf8(tmp_path):
    root = mirror(tmp_path, "h.example/index.html")
    (root / "h.example" / "index.html").rename(os.fsdecode(os.fsencode(root) + b"/h.example/caf\xe9.html"))
    world = await opened(root)
    assert await body(world, "http://h.example/caf%E9.html") == "h.example/index.html"


async def test_size_limit(tmp_path):
    root = mirror(tmp_path, "h/index.html")
    (root / "h" / "big.html").write_bytes(b"x" * 1_001)
    world = await opened(root, page_bytes=1_000)
    assert (await world.fetch(Request("http://h/"))).outcome is Outcome.OK
    found = await world.fetch(Request("http://h/big.html"))
    assert (found.outcome, found.reason) == (Outcome.FAILED, "larger than 1000 bytes (limits.page_bytes)")


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("a.html", b"", "text/html"),
        ("a.HTM", b"plain", "text/html"),
        ("a.txt", b"<html>", "text/plain"),
        ("a.pdf", b"", "application/pdf"),
        ("a.html?x=1.pdf", b"", "text/html"),
        ("a.php", b"  <!DOCTYPE html><p>", "text/html"),
        ("a.php?x=1", b"\xef\xbb\xbf<!-- note --><HTML>", "text/html"),
        ("a", b"just words\n", "text/plain"),
        ("a", b"%PDF-1.4", "application/pdf"),
        ("a", b"\x89PNG\r\n", "image/png"),
        ("a.cgi", b"\x00\x01", "application/octet-stream"),
        ("a", b"", "text/plain"),
    ],
)
def test_content_types(name, body, kind):
    assert content_type(name, body) == kind


def test_sniffing_is_quick_on_hostile_text():
    assert sniffed(b"<!--" * 100_000) == "text/plain"
    assert sniffed((b"<!---->" + b" " * 50) * 10_000) == "text/plain"


def test_a_literal_name_comes_first():
    assert url_names("a@b.html")[0] == "a@b.html"
    assert url_names("index.html") == ["index.html", "index", ""]


SITE = {
    "/": (
        "text/html",
        '<a href="/d/">d</a> <a href="/q?x=1&y=a/b">q</a> <a href="/plain">p</a> <a href="/d/na%C3%AFve%20x">n</a>',
    ),
    "/d/": ("text/html", '<a href="page.html">page</a> <a href="/d/?n=2">2</a>'),
    "/d/?n=2": ("text/html", "second"),
    "/d/page.html": ("text/html", "<p>page"),
    "/q?x=1&y=a/b": ("text/html", "<p>query"),
    "/plain": ("text/html", "<p>no ending"),
    "/d/na%C3%AFve%20x": ("text/html", "<p>naive"),
}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, text = SITE.get(self.path, ("text/plain", ""))
        self.send_response(200 if text else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("options", [(), ("--adjust-extension",), ("--restrict-file-names=windows", "-E")])
async def test_a_mirror_by_wget_itself(tmp_path, options):
    wget = shutil.which("wget")
    if wget is None:
        pytest.skip("wget is not installed here")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    command = [wget, "-q", "-r", "-e", "robots=off", "--no-proxy", *options, f"{base}/"]
    try:
        await asyncio.to_thread(subprocess.run, command, cwd=tmp_path, check=True, timeout=300)
    finally:
        server.shutdown()
        server.server_close()
    world = await opened(tmp_path)
    for path, (_, text) in SITE.items():
        found = await world.fetch(Request(base + path))
        assert (found.outcome, found.body.decode()) == (Outcome.OK, text), (path, sorted(world._files))
