"""WARC files as a world: which URLs come out, which problems are named, and that an index is never stale."""

import os
import shutil
import time
import zlib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clew.errors import ArchiveError, UrlError
from clew.model import Outcome, Request
from clew.web.archive import ArchiveWorld

SHARED = Path(__file__).parents[2].parent / "shared"
HOSTILE = SHARED / "hostile" / "warc"


class FixedClock:
    virtual = True

    def now(self) -> float:
        return 1_000.0

    async def sleep_until(self, when: float) -> None:
        raise AssertionError("an archive never waits")


def canonical(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise UrlError(url, str(error)) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UrlError(url, "no web page")
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")


def without_utm(url: str) -> str:
    kept = [part for part in urlsplit(url).query.split("&") if not part.startswith("utm_")]
    return canonical(url).partition("?")[0] + ("?" + "&".join(kept) if kept != [""] and kept else "")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "clew"


def world(path: Path, **options) -> ArchiveWorld:
    return ArchiveWorld(path, clock=FixedClock(), **{"canonicalise": canonical, **options})


async def answers(path: Path, *urls: str, **options):
    served = world(path, **options)
    await served.open()
    try:
        return served, [await served.fetch(Request(url)) for url in urls]
    finally:
        await served.close()


def hostile(name: str, tmp_path: Path) -> Path:
    if not (HOSTILE / name).is_file():
        pytest.skip("no hostile WARC files here")
    return Path(shutil.copy(HOSTILE / name, tmp_path / name))


def member(data: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, 31)
    return stream.compress(data) + stream.flush()


def record(url: str, block: bytes, date: str = "2020-01-01T00:00:00Z", kind: str = "response", **fields: str) -> bytes:
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n{more}"
    head += f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    return member(head.encode() + block + b"\r\n\r\n")


def http(status: int, body: bytes = b"", *headers: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status} X", *headers, "")).encode() + body


def archive(tmp_path: Path, *records: bytes) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(records))
    return path


# -- files of other tools ---------------------------------------------------------------------------------

EXAMPLE = {
    "http://example.com?example=1": ("ok", 200, 1270),
    "http://www.iana.org/domains/example": ("redirect", 302, 201),
}
FOUND = {
    "at.warc.gz": {
        "http://www.archiveteam.org/": ("redirect", 301, 0),
        "http://www.archiveteam.org/index.php?title=Main_Page": ("ok", 200, 23985),
    },
    "bad_http_chunked_content.warc": {"http://www.archiveteam.org/index.php?title=AAAAAA": ("ok", 200, 3)},
    "dupes.warc.gz": {
        "http://example.com": ("ok", 200, 1270),
        "http://iana.org": ("redirect", 302, 0),
        "http://www.iana.org/_js/2013.1/iana.js": ("ok", 200, 0),
    },
    "example-bad.warc.gz.bad": EXAMPLE,
    "example-extra.warc": {"http://example.com?example=2": ("ok", 200, 1270)},
    "example-url-agnostic-orig.warc.gz": {"http://example.iana.org/": ("ok", 200, 1270)},
    "example-url-agnostic-revisit.warc.gz": {},
    "example-wget-1-14.warc.gz": {"http://example.com/": ("ok", 200, 1270)},
    "example-wpull.warc.gz": {"http://example.com/": ("ok", 200, 1270)},
    "example.warc": EXAMPLE,
    "example.warc.gz": EXAMPLE,
    "example2.warc.gz": {"http://example.com/": ("ok", 200, 1270)},
    "httpbin-resource.warc.gz": {"http://httpbin.org/anything/resource.json": ("ok", 200, 367)},
    "missing-status-text.warc": {"http://iana.org/bads": ("redirect", 302, 0)},
    "post-test.warc.gz": {
        "http://httpbin.org/post": ("ok", 200, 552),
        "http://httpbin.org/post?foo=bar": ("ok", 200, 551),
    },
}
NOT_HERE = "the page that this revisit of {} repeats is not in this file"
PROBLEMS = {
    "dupes.warc.gz": [
        (2678, NOT_HERE.format("http://www.iana.org/")),
        (4630, NOT_HERE.format("http://www.iana.org/_css/2013.1/screen.css")),
        (5658, NOT_HERE.format("http://www.iana.org/_js/2013.1/jquery.js")),
        (6684, NOT_HERE.format("http://www.iana.org/_css/2013.1/print.css")),
        (7709, NOT_HERE.format("http://www.iana.org/_img/2013.1/icann-logo.svg")),
        (8750, NOT_HERE.format("http://www.iana.org/_img/2013.1/iana-logo-homepage.png")),
        (9793, NOT_HERE.format("http://www.iana.org/_css/2013.1/fonts/OpenSans-Regular.ttf")),
        (10826, NOT_HERE.format("http://www.iana.org/_css/2013.1/fonts/OpenSans-Bold.ttf")),
    ],
    "example-extra.warc": [(3207, "no HTTP response for http://example.com?example=2")],
    "example-url-agnostic-revisit.warc.gz": [(355, NOT_HERE.format("http://test@example.com/"))],
    "example.warc": [(4764, "damaged (Invalid WARC header); went on at 4771")],
}


@pytest.mark.parametrize("name", FOUND)
async def test_files_of_other_tools(name, tmp_path):
    path = hostile(name, tmp_path)
    served, found = await answers(path, *FOUND[name])
    shape = {one.url: (str(one.outcome), one.status, len(one.body)) for one in found}
    assert shape == FOUND[name]
    assert served.problems == [f"{path} offset {offset}: {what}" for offset, what in PROBLEMS.get(name, [])]
    assert all((one.fetched_at, one.elapsed_s, one.requests) == (1_000.0, 0.0, 1) for one in found)


async def test_every_page_of_a_real_crawl(tmp_path):
    path = hostile("iana.warc.gz", tmp_path)
    pages = ("http://www.iana.org/", "http://www.iana.org/dnssec", "https://www.iana.org/dnssec")
    served, found = await answers(path, *pages, "http://www.iana.org/_js/2013.1/jquery.js")
    assert served.problems == []
    assert [str(one.outcome) for one in found] == ["ok", "redirect", "ok", "ok"]
    assert found[1].location == "https://www.iana.org/dnssec"
    assert b"<title>" in found[0].body
    assert b"</html>" in found[0].body


@pytest.mark.parametrize("name", ["bad.arc", "example.arc", "example.arc.gz"])
async def test_arc_files_are_refused(name, tmp_path):
    with pytest.raises(ArchiveError, match="is an ARC file"):
        await world(hostile(name, tmp_path)).open()


@pytest.mark.parametrize(("name", "pages"), [("webkb", 8_214), ("wiki", 4_598)])
async def test_whole_webs(name, pages, tmp_path):
    path = SHARED / "webs" / f"{name}.warc.gz"
    if not path.is_file():
        pytest.skip("no web archives here")
    served = world(path)
    await served.open()
    try:
        assert len(served) == pages
        assert served.problems == []
    finally:
        await served.close()


# -- answers ------------------------------------------------------------------------------------------------


async def test_the_latest_good_capture_answers(tmp_path):
    url = "http://h.example/"
    path = archive(
        tmp_path,
        record(url, http(200, b"new"), "2021-06-01T00:00:00Z"),
        record(url, http(200, b"old"), "2021-05-01T00:00:00Z"),
        record(url, http(404, b"gone"), "2022-01-01T00:00:00Z"),
        record(url, http(302, b"", "Location: /x"), "2022-02-01T00:00:00Z"),
        record(url + "b", http(500), "2021-01-01T00:00:00Z"),
        record(url + "b", http(301, b"", "Location: /moved"), "2020-01-01T00:00:00Z"),
        record(url + "c", http(404), "2021-01-01T00:00:00Z"),
        record(url + "c", http(410), "2022-01-01T00:00:00Z"),
    )
    _, found = await answers(path, url, url + "b", url + "c")
    assert [(one.status, one.body) for one in found] == [(200, b"new"), (301, b""), (410, b"")]
    assert found[1].location == "http://h.example/moved"


async def test_revisits(tmp_path):
    first, digest = "2020-01-01T00:00:00Z", "sha1:AAAA"
    same = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
    unmodified = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"
    path = archive(
        tmp_path,
        record("http://h.example/a", http(200, b"body of a"), first, WARC_Payload_Digest=digest),
        record(
            "http://h.example/b", http(200, b"", "Age: 7"), "2021-01-01T00:00:00Z", "revisit",
            WARC_Profile=same, WARC_Refers_To_Target_URI="http://h.example/a", WARC_Refers_To_Date=first,
        ),
        record("http://h.example/c", http(200), "2021-01-01T00:00:00Z", "revisit", WARC_Profile=same,
               WARC_Payload_Digest=digest.lower()),
        record("http://h.example/a", http(304), "2021-01-01T00:00:00Z", "revisit", WARC_Profile=unmodified),
        record("http://h.example/d", http(200), "2021-01-01T00:00:00Z", "revisit", WARC_Profile=same,
               WARC_Payload_Digest="sha1:BBBB"),
    )  # fmt: skip
    served, found = await answers(path, *(f"http://h.example/{name}" for name in "abcd"))
    assert [one.body for one in found] == [b"body of a"] * 3 + [b""]
    assert found[1].header("age") == "7"
    assert [str(one.outcome) for one in found] == ["ok", "ok", "ok", "absent"]
    assert len(served.problems) == 1


async def test_pages_that_are_not_there(tmp_path):
    path = archive(tmp_path, record("http://h.example/", http(200, b"x")))
    urls = ("http://h.example/none", "http://[bad", "ftp://h.example/")
    _, closed = await answers(path, *urls)
    assert {(one.outcome, one.status, one.requests) for one in closed} == {(Outcome.ABSENT, 0, 0)}
    _, opened = await answers(path, *urls, closed=False)
    assert {(one.outcome, one.status, one.requests) for one in opened} == {(Outcome.FAILED, 404, 1)}


async def test_bodies_are_bounded(tmp_path):
    big = record("http://h.example/", http(200, b"x" * 2_000))
    bomb = record("http://h.example/b", http(200, member(b"x" * 10_000_000), "Content-Encoding: gzip"))
    huge = record("http://h.example/h", http(200, b"x" * 2_000_000))
    _, found = await answers(
        archive(tmp_path, big, bomb, huge), *(f"http://h.example/{n}" for n in ("", "b", "h")), page_bytes=1_000
    )
    assert {one.outcome for one in found} == {Outcome.FAILED}
    assert all("larger than 1000 bytes" in one.reason for one in found)


async def test_urls_that_are_none_are_named(tmp_path):
    path = archive(tmp_path, record("http:///nohost", http(200)), record("http://h.example/", http(200, b"x")))
    served, found = await answers(path, "http://h.example/")
    assert found[0].outcome is Outcome.OK
    assert served.problems == [f"{path} offset 0: not a URL that can be crawled: 'http:///nohost': no web page"]


async def test_a_file_that_breaks_after_it_was_indexed(tmp_path):
    path = archive(tmp_path, *(record(f"http://h.example/{n}", http(200, os.urandom(3_000))) for n in range(3)))
    served = world(path)
    await served.open()
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = b"\0" * (len(data) - len(data) // 2)
    path.write_bytes(data)
    found = [await served.fetch(Request(f"http://h.example/{n}")) for n in range(3)]
    await served.close()
    assert [one.outcome for one in found] == [Outcome.OK, Outcome.FAILED, Outcome.FAILED]
    assert f"{path} offset" in found[2].reason
    assert (await served.fetch(Request("http://h.example/0"))).reason.endswith("is not open")
    await served.close()


# -- the index ------------------------------------------------------------------------------------------------


def index_of(path: Path) -> Path:
    return path.with_name(path.name + ".clewidx")


async def test_the_index_is_kept_and_used(tmp_path):
    path = archive(tmp_path, record("http://h.example/", http(200, b"x")))
    await answers(path)
    before = index_of(path).stat()
    _, found = await answers(path, "http://h.example/")
    assert found[0].outcome is Outcome.OK
    after = index_of(path).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.warc.gz", "a.warc.gz.clewidx"]


async def test_the_index_follows_the_file(tmp_path):
    path = archive(tmp_path, record("http://h.example/", http(200, b"old")))
    await answers(path)
    archive(tmp_path, record("http://h.example/", http(200, b"new")), record("http://h.example/b", http(200, b"x")))
    _, found = await answers(path, "http://h.example/", "http://h.example/b")
    assert [one.body for one in found] == [b"new", b"x"]
    same_size = path.read_bytes()
    path.write_bytes(same_size)
    os.utime(path, ns=(time.time_ns(), time.time_ns() + 10**9))
    inode = index_of(path).stat().st_ino
    await answers(path)
    assert index_of(path).stat().st_ino != inode


async def test_the_index_follows_the_way_urls_are_written(tmp_path):
    url = "http://h.example/p?id=1&utm_source=mail"
    path = archive(
        tmp_path, *(record(f"http://h.example/{n}", http(200)) for n in range(40)), record(url, http(200, b"x"))
    )
    _, found = await answers(path, url)
    assert found[0].outcome is Outcome.OK
    _, found = await answers(path, "http://h.example/p?id=1", canonicalise=without_utm)
    assert found[0].outcome is Outcome.OK


@pytest.mark.parametrize("junk", [b"", b"not an index", b"SQLite format 3\0" + b"junk" * 100])
async def test_a_damaged_index_is_built_anew(tmp_path, junk):
    path = archive(tmp_path, record("http://h.example/", http(200, b"x")))
    await answers(path)
    index_of(path).write_bytes(junk)
    _, found = await answers(path, "http://h.example/")
    assert found[0].outcome is Outcome.OK
    assert index_of(path).stat().st_size > 4_000


async def test_a_folder_that_is_read_only_is_left_alone(tmp_path, cache):
    folder = tmp_path / "readonly"
    folder.mkdir()
    path = archive(folder, record("http://h.example/", http(200, b"x")))
    folder.chmod(0o555)
    try:
        for _ in range(2):
            _, found = await answers(path, "http://h.example/")
            assert found[0].outcome is Outcome.OK
        assert [file.name for file in folder.iterdir()] == ["a.warc.gz"]
        assert len(list(cache.iterdir())) == 1
        cache.chmod(0o555)
        path.chmod(0o644)
        os.utime(path, (1, 1))
        _, found = await answers(path, "http://h.example/")  # nothing can be written: in memory
        assert found[0].outcome is Outcome.OK
    finally:
        folder.chmod(0o755)
        cache.chmod(0o755)


async def test_urls_are_clews_canonical_ones_by_default(tmp_path):
    path = archive(tmp_path, record("HTTP://H.Example:80/a/../b", http(200, b"x")))
    served = ArchiveWorld(path, clock=FixedClock())
    await served.open()
    found = await served.fetch(Request("http://h.example/b"))
    await served.close()
    assert found.outcome is Outcome.OK


# -- what servers sent --------------------------------------------------------------------------------------

PAGE = b'<title>t</title><p>sailing yacht</p><a href="/next">n</a>'
WHOLE = http(200, PAGE, "Content-Type: text/html", "Content-Length: 57")
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"


@pytest.mark.parametrize(
    "block",
    [
        http(200, PAGE, "Content-Encoding: UTF-8"),
        http(200, PAGE, "Content-Encoding: text/html"),
        http(200, PAGE, "Content-Encoding: aws-chunked, gzip"),
        http(200, PAGE, "Content-Encoding: none"),
        http(200, b"39\r\n" + PAGE + b"\r\n0\r\n\r\n", "Content-Length: 20", "Transfer-Encoding: chunked"),
        http(200, b"39\r\n" + PAGE, "Transfer-Encoding: chunked"),
        http(200, PAGE, "ThisHasNoColon", ": x", "X-Power : a", "X\0Y: a\0"),
        b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE,
        EARLY * 3 + WHOLE,
        b"HTTP/1.1 100\r\n\r\n" + EARLY + WHOLE,
        b"\r\n" + WHOLE,
        WHOLE.replace(b"HTTP/1.1", b"ICY"),
        WHOLE.replace(b"HTTP/1.1 200 X", b"HTTP/1.0  200"),
    ],
)
async def test_what_browsers_take_is_taken_from_archives(tmp_path, block):
    path = archive(
        tmp_path, record("http://a.test/", block), record("http://a.test/", http(404), "2021-01-01T00:00:00Z")
    )
    _, [found] = await answers(path, "http://a.test/")
    assert (found.outcome, found.status, found.body) == (Outcome.OK, 200, PAGE)


async def test_damaged_compression_gives_what_decodes(tmp_path):
    page = b"".join(b"<p>%d</p>" % (number * number) for number in range(20_000))
    data = zlib.compress(page)
    path = archive(
        tmp_path,
        record("http://a.test/cut", http(200, data[: len(data) // 2], "Content-Encoding: deflate")),
        record("http://a.test/hurt", http(200, data[:40_000] + data[41_000:], "Content-Encoding: deflate")),
    )
    for found in (await answers(path, "http://a.test/cut", "http://a.test/hurt"))[1]:
        assert found.outcome is Outcome.OK
        assert found.body[:30_000] == page[:30_000]


@pytest.mark.parametrize(("sent", "asked"), [(b"\xe9", "%E9"), (b"\xc3\xa9", "%C3%A9"), (b"?a=\xcf", "?a=%CF")])
async def test_redirects_of_archives_keep_their_bytes(tmp_path, sent, asked):
    block = b"HTTP/1.1 301 Moved\r\nLocation: /ziel/jos" + sent + b"\r\n\r\n"
    _, [found] = await answers(archive(tmp_path, record("http://a.test/", block)), "http://a.test/")
    assert (found.outcome, found.location) == (Outcome.REDIRECT, f"http://a.test/ziel/jos{asked}")
