"""Bytes and texts of all kinds through everything that reads what others wrote: nothing raises but its own errors.

The functions are those that the harnesses in ``tests/fuzz`` drive for hours; here each gets some hundred inputs put
together from pieces that mean something to it, and every seed that is kept.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fuzz import make_seeds, targets

SEEDS = Path(__file__).parents[1] / "fuzz" / "seeds"
KEPT = sorted(path for path in SEEDS.glob("*/*") if path.is_file())

few = settings(max_examples=150, derandomize=True)
many = settings(max_examples=400, derandomize=True)


def mixed(*pieces: str | bytes, most: int = 30) -> st.SearchStrategy[bytes]:
    """Pieces in any order, with any bytes between them."""
    known = st.sampled_from([piece.encode() if isinstance(piece, str) else piece for piece in pieces])
    return st.lists(known | st.binary(max_size=6), max_size=most).map(b"".join)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_seed_that_is_kept(path: Path) -> None:
    targets.TARGETS[path.parent.name](path.read_bytes())


def test_there_are_seeds_for_every_harness() -> None:
    assert {path.parent.name for path in KEPT} == set(targets.TARGETS)
    for name, made in (("reader", make_seeds.READER), ("http", make_seeds.HTTP)):
        assert all((SEEDS / name / seed).read_bytes() == data for seed, data in made.items()), "run make_seeds.py"


# -- what browsers read -------------------------------------------------------------------------------------

URLS = mixed(
    "http", "https", "ftp", "javascript", ":", "/", "//", "\\", "?", "#", "@", "[", "]", "[::1]", "[v1.x]", "%", "%2",
    "%2f", "%25", "%zz", "%00", "..", ".", "%2e", "a.test", "EXAMPLE.", "xn--", "xn--a", "ß", "日本",
    "\u200b", "\ud7ff",
    "0x7f.1", ":80", ":99999", "&", "=", ";jsessionid=1", "utm_a=1", "\t", "\n", "\r", "\0", " ", "+", "é", "~", "^",
    "|",
)  # fmt: skip


@many
@given(URLS)
@example(b"http://a.test/\xed\xa0\x80?\xed\xb0\x80")
@example(b"http://a.test:080/%%32%35\nhttp://[::1]/")
def test_urls(data: bytes) -> None:
    targets.url(data)


PIECES = mixed(
    "<p>", "</p>", "<a href=/x>", "<a href='", "<a href=\"/y\">", "</a>", "<div>", "<b>", "<i>", "</b>", "<table>",
    "<tr>", "<td>", "<svg>", "<a xlink:href=/s>", "<math>", "<template>", "<iframe srcdoc='<a href=/i>'>",
    "<frameset>", "<frame src=/f>", "<map><area href=/m>", "<script>", "</script>", "<style>", "<textarea>", "<title>",
    "<!--", "-->", "<![CDATA[", "]]>", "<?x", "<base href=//b.test/>", "<base href=':'>", "<meta charset=utf-7>",
    "<meta charset='utf-16'>", "<meta http-equiv=refresh content='0;url=/r'>", "<meta name=robots content='none'>",
    "<link rel=canonical href='/c'>", "<img alt='x' src=y>", "<noscript>", "&#0;", "&#xd800;", "&amp", "&copy=",
    "&#x110000;", "\0", "\x0b", "\x85", "\xa0", "\ufeff", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    "日本語", "яхта", "مركب", "word another word ", "<html lang=ja>", "<body>", "<select><option>",
    "<a rel='nofollow ugc' href=/n>", "<?xml version='1.0' encoding='x'?>", "<title/>", "<script src='x'/>",
    "<rss><channel><item><link>http://a.test/i</link></item>", "<urlset><url><loc>http://a.test/l</loc></url>",
    "<feed><entry><link href=/e />", "%PDF-1.4", "PK\x03\x04", b"\x1f\x8b\x08",
)  # fmt: skip


@many
@given(st.integers(0, 255), PIECES)
def test_pages(kind: int, data: bytes) -> None:
    targets.reader(bytes([kind]) + data)


ROBOTS = mixed(
    "User-agent: *\n", "User-agent: clew\r", "user agent clew\n", "Disallow: /\n", "Disallow: /a*b$\n", "Disallow:\n",
    "Allow: /%", "Allow: /%zz\n", "Crawl-delay: 1e999\n", "Crawl-delay: nan\n", "Crawl-delay: -1\n",
    "Request-rate: 1/0\n", "Request-rate: 9/1s 0-9\n", "Visit-time: x\n", "Sitemap: /s\n", "# c\n", "\r", "\n", "\0",
    b"\xff\xfe", b"\xef\xbb\xbf", "é", "*", "$", "Disallow: /" + "*" * 50 + "\n",
)  # fmt: skip


@few
@given(ROBOTS)
def test_robots(data: bytes) -> None:
    targets.robots(data)


# -- HTTP and archives --------------------------------------------------------------------------------------

HEADS = mixed(
    "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200\n", "HTTP/1.1 301 Moved\r\n", "HTTP/1.1 103 Hints\r\n\r\n",
    "HTTP/1.1 204 No\r\n", "HTTP/2 200\r\n", "HTTP/1.1 429 Slow\r\n", "HTTP/1.1 999 ?\r\n", "Content-Length: 5\r\n",
    "Content-Length: -1\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Content-Encoding: gzip\r\n",
    "Content-Encoding: br\r\n", "Content-Encoding: utf-8\r\n", "Content-Type: text/html\r\n", "Location: /x\r\n",
    b"Location: http://\xff/\r\n", "Refresh: 0;url=/\r\n", "Retry-After: 1e9\r\n", "Connection: close\r\n",
    "Set-Cookie: a=b\r\n", "no colon\r\n", ": x\r\n", " folded\r\n", "space : x\r\n", "\r\n", "\r\n\r\n", "\n\n",
    "5\r\nhello\r\n", "0\r\n\r\n", "ffffffffffffffff\r\n", "5;x\r\n", "<p>hello", b"\x1f\x8b\x08\x00",
    b"\xcb\x48\xcd\xc9", "\0", b"\xe9",
)  # fmt: skip


@many
@given(HEADS)
@example(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
def test_messages(data: bytes) -> None:
    targets.message(data)


@few
@given(HEADS.map(b"HTTP/1.1 200 OK\r\n".__add__) | HEADS)
def test_answers_of_a_server(data: bytes) -> None:
    """Over loopback: the fetch ends with a response, never with an exception."""
    targets.http(data)


RECORDS = mixed(
    "WARC/1.1\r\n", "WARC/1.0\n", "WARC-Type: response\r\n", "WARC-Type: revisit\r\n",
    "WARC-Target-URI: http://a.test/\r\n", "WARC-Date: 2026-11-28T10:00:00Z\r\n", "WARC-Date: x\r\n",
    "Content-Length: 0\r\n", "Content-Length: 43\r\n", "Content-Length: 99999\r\n", "Content-Length: -5\r\n",
    "Content-Type: application/http\r\n", "\r\n", "\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
    make_seeds.RECORDS[:290], make_seeds.WARC["members"][:150], make_seeds.WARC["one-member"], b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18",
)  # fmt: skip


@few
@given(RECORDS | RECORDS.map(b"WARC/1.1\r\n".__add__))
def test_archives(data: bytes) -> None:
    targets.warc(data)


# -- what users give ----------------------------------------------------------------------------------------

MARKS = mixed(
    "<DL><p>", "</DL>", "<DT>", "<DD>", "<H3>", "</H3>", "<A HREF=\"http://a.test/\"",
    " ADD_DATE=\"9999999999999999\"", " TAGS=\",,a b\"", ">", "</A>", "<!--", "-->",
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>", "&amp;", "&#xd800;", "text", "10/Oct/2000:13:55:36 +0300", "<RDF>",
    "<Topic r:id=\"Top/A\">", "</Topic>", "<ExternalPage about=\"http://a.test/\">", "<d:Title>", "</d:Title>",
    "<topic>Top/A</topic>", "<link r:resource='http://a.test/'/>", "<?xml version='1.0' encoding='utf-16'?>",
    "<?xml version='1.0' encoding='idna'?>", "<opml>", "<outline text='x'", " htmlUrl='http://a.test/'",
    " created='Sat, 28 Nov 99999 10:00:00 GMT'", "/>", "</outline>", "<!ENTITY a 'b'>", "A:", "  description: d\n",
    "  keywords: {a: 1}\n", "  seeds: [", "http://a.test/", "]", "\n", "- ", "&a", "*a", "!!python/object:x", "? ",
    "|\n", "%YAML 9\n---",
)  # fmt: skip


@many
@given(st.integers(0, 3), MARKS)
def test_importers(which: int, data: bytes) -> None:
    targets.importers(bytes([which]) + data)


SETTINGS = mixed(
    "[crawl]\n", "[judge]\n", "[judge.svm]\n", "[scope]\n", "[web.live.resolve]\n", "[interest]\n", "[[crawl]]\n",
    "max_pages = ", "1", "-1", "1e400", "nan", "true", "'x'", "\"\\ud800\"", "[", "]", "{", "}", "=", "\n", "name = ",
    "hosts = ['*.a.test']\n", "formula = ", "delay_s = inf\n", "1979-05-27", "a.b.c = 1\n", "é", "9" * 5_000,
)  # fmt: skip


@few
@given(SETTINGS)
def test_settings(data: bytes) -> None:
    targets.settings(data)


FORMULAS = mixed(
    "Astronomy", "Science/Astronomy", "Sailing", "\"Ball games\"", "Ball games", "'Sport", "“Sport”", "«Sport»", "ANY",
    " and ", " or ", " not ", "(", ")", "∧", "∨", "¬", "&", "|", "!", "\\", "\"", " ", "\t", "\ud7ff", "and", "é", "*",
    "-",
)  # fmt: skip


@many
@given(FORMULAS)
@example(b"(" * 5_000)
@example(b"not " * 5_000 + b"Sailing")
def test_formulas(data: bytes) -> None:
    targets.wanted(data)
