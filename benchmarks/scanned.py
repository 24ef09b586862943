"""Every scan of text from outside, by name: what it is given, and how it is called."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from clew.config import Settings
from clew.crawl.reading import canonicaliser_of, reader_of, scope_of
from clew.errors import ClewError
from clew.model import Outcome, Response
from clew.text import charset, codings, dates, feeds, html, httpmessage, marking, shown, sitemaps, sniff, taming
from clew.text.characters import nfc, unescape, well_formed
from clew.text.directives import directives
from clew.text.headerlinks import header_links
from clew.text.language import language
from clew.text.queries import Queries
from clew.text.reader import Unreadable
from clew.text.refresh import refresh_target
from clew.text.terms import tokeniser
from clew.text.warcrecords import WarcFile
from clew.text.xhtml import as_html
from clew.topics import bookmarks, dmoz, formula, opml, topicsfile
from clew.topics.entry import Entry
from clew.topics.tree import TopicTree
from clew.urls.canonical import url_words
from clew.web import folder
from clew.web.live import answer, politeness, robotsfile
from clew.web.providers import mediawiki

Call = Callable[[Any], object]

FOLDER = Path(tempfile.gettempdir())
SETTINGS = Settings()
CANONICALISE = canonicaliser_of(SETTINGS)
SCOPE = scope_of(SETTINGS)
READER = reader_of(SETTINGS, CANONICALISE, SCOPE)
READER_OF_TEXT = reader_of(SETTINGS, CANONICALISE, SCOPE, keep_text=True)
TREE = TopicTree.of([Entry(("a",)), Entry(("b",))])


CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
EVERYBODY = "user-agent: *\n"


@dataclass(frozen=True, slots=True)
class Scan:
    """``run`` is timed; ``prepare`` makes what it is given of a text of up to ``longest`` characters."""

    name: str
    run: Call
    prepare: Call = str
    longest: int = 1 << 16


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _read(content_type: str, reader: Any = READER) -> Call:
    def read(body: bytes) -> object:
        headers = (("Content-Type", content_type),)
        with suppress(Unreadable):
            return reader.read(Response("http://a.test/b/c?d", Outcome.OK, 200, headers, body))
        return None

    return read


def _tolerant(run: Call) -> Call:
    """Refusals of bad input are answers, too."""

    def call(given: Any) -> object:
        with suppress(ClewError, ValueError):
            return run(given)
        return None

    return call


def _all(run: Callable[[Any], Iterable[object]]) -> Call:
    return _tolerant(lambda given: sum(1 for _ in run(given)))


def _file(first: str = "") -> Call:
    """Writes the text to a file; its path."""
    path = FOLDER / f"clew-scanned-{os.getpid()}"

    def write(text: str) -> Path:
        path.write_bytes(_raw(first + text))
        return path

    return write


def _warc(path: Path) -> object:
    with WarcFile(path) as file:
        return sum(1 for _ in file.scan())


def _answer(raw: bytes) -> object:
    reader = answer.Answer(16_384)
    return [reader.feed(raw[at : at + 16_384]) for at in range(0, len(raw), 16_384)]


SCANS = (
    Scan("read html", _read("text/html"), _raw),
    Scan("read html, text kept", _read("text/html", READER_OF_TEXT), _raw),
    Scan("read xhtml", _read("application/xhtml+xml"), _raw),
    Scan("read plain text", _read("text/plain"), _raw),
    Scan("read unlabelled", _read(""), _raw),
    Scan("tame html", taming.tame),
    Scan("parse html, walking", html.parse),
    Scan("parse html, marking", lambda text: marking.parse(text, 20_000), taming.tame),
    Scan("xml as html", as_html),
    Scan("srcdoc", html.parse, lambda text: f'<iframe srcdoc="{escape(text)}">'),
    Scan("charset", lambda body: charset.decode(body, "text/html"), _raw),
    Scan("charset declared", charset.declared, _raw),
    Scan("charset of a header", lambda value: charset.decode(b"\xff", value)),
    Scan("kind", lambda body: sniff.kind_of("", body), _raw),
    Scan("content type", sniff.essence_of),
    Scan("refresh", refresh_target),
    Scan("refresh with a number", refresh_target, lambda text: f"0;{text}"),
    Scan("robots directives", lambda value: directives([("X-Robots-Tag", value)], [], "clew", 1e9)),
    Scan("robots meta", lambda value: directives([], [("robots", value)], "clew", 1e9)),
    Scan("link header", lambda value: header_links([("Link", value)])),
    Scan("query in a charset", Queries(b"\xff", "text/html;charset=gbk", "gb18030"), "?я".__add__),
    Scan("terms, English", tokeniser("en").ids),
    Scan("terms, Russian", tokeniser("ru").ids),
    Scan("terms, Chinese", tokeniser("zh").ids),
    Scan("terms, no language", tokeniser("").ids),
    Scan("language", lambda text: language("en", text)),
    Scan("language of a tag", lambda text: language(text, "")),
    Scan("normal form", nfc),
    Scan("character references", unescape),
    Scan("well-formed text", well_formed),
    Scan("shown text", shown.shown),
    Scan("shown lines", shown.shown_lines),
    Scan("table cell", shown.cell),
    Scan("file name", shown.file_name),
    Scan("date", dates.timestamp),
    Scan("feed", feeds.parse, _raw),
    Scan("feed, opened", feeds.parse, lambda text: _raw(f"<rss><channel><item>{text}")),
    Scan("sitemap", _tolerant(sitemaps.parse), _raw),
    Scan("sitemap, opened", _tolerant(sitemaps.parse), lambda text: _raw(f"<urlset><url><loc>{text}")),
    Scan("http answer, archived", _tolerant(httpmessage.parse_response), _raw),
    Scan("http head, archived", _tolerant(httpmessage.parse_response), lambda t: _raw(f"HTTP/1.1 200 OK\r\nA: b{t}")),
    Scan("http chunks, archived", lambda b: httpmessage.without_chunks((("Transfer-Encoding", "chunked"),), b), _raw),
    Scan("http status line", httpmessage.status_of, _raw),
    Scan("http answer, live", _tolerant(_answer), _raw),
    Scan(
        "http chunks, live",
        _tolerant(_answer),
        lambda t: _raw(f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{t}"),
    ),
    Scan("codings", codings.codings),
    Scan("retry-after", lambda value: politeness.retry_after(value, 1e9)),
    Scan("warc file", _tolerant(_warc), _file()),
    Scan("warc record", _tolerant(_warc), _file("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\n")),
    Scan("canonical URL", lambda href: CANONICALISE(href, "http://a.test/b/c?d")),
    Scan("canonical URL, absolute", lambda path: CANONICALISE(f"http://a.test/{path}", "")),
    Scan("why no URL", lambda href: CANONICALISE.why_not(href, "http://a.test/b")),
    Scan("words of a URL", lambda path: url_words(f"http://a.test/{path}")),
    Scan("scope", lambda path: SCOPE.accepts([f"http://a.test/{path}"])),
    Scan("robots.txt", lambda body: robotsfile.rules_text(body, "clew"), _raw),
    Scan(
        "robots.txt, rules",
        robotsfile.Rules.of_text,
        lambda t: robotsfile.rules_text(_raw(f"user-agent: *\n{t}"), "clew"),
    ),
    Scan("robots.txt, a URL", robotsfile.Rules.of_text("D/*a*a*a*a*a*b*a*/*.*$").allows, lambda text: f"/{text}"),
    Scan("robots.txt, sitemaps", robotsfile.sitemaps, _raw),
    Scan("bookmarks", _all(bookmarks.read_bookmarks), _file("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT>")),
    Scan("OPML", _all(opml.read_opml), _file("<opml><body>")),
    Scan("Open Directory", _all(dmoz.read_dmoz), _file('<Topic r:id="Top/A">')),
    Scan("formula", _tolerant(lambda text: formula.parse(text, TREE)), longest=4096),  # the user's own text
    Scan("topics file", _tolerant(topicsfile.read_topics), _file("topics:\n")),
    Scan("file of a mirror", folder.sniffed, _raw),
    Scan("name of a mirror's file", folder.url_names),
    Scan("snippet of a wiki", lambda text: unescape(mediawiki._TAG.sub("", text))),
)
