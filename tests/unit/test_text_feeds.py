"""Feeds as sites serve them: titles as anchors, summaries beside them, dates, in every form and half broken."""

from __future__ import annotations

import math

import pytest

from clew.model import LinkKind
from clew.text import feeds
from clew.text.dates import timestamp

RSS = (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour news</title><link>http://a.test/</link>'
    "<description>All about boats</description><language>en-GB</language>"
    "<item><title>Regatta off Rügen</title><link>http://a.test/1</link><description>Many sails</description>"
    "<pubDate>Sun, 01 Nov 2026 09:00:00 GMT</pubDate></item>"
    "<item><title>Storm</title><link>http://a.test/2</link></item></channel></rss>"
)
RDF = (
    '<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d"><channel><title>Harbour news</title>'
    "</channel><item><title>Regatta off Rügen</title><link>http://a.test/1</link>"
    "<description>Many sails</description><dc:date>2026-11-01T09:00:00Z</dc:date></item>"
    "<item><title>Storm</title><link>http://a.test/2</link></item></rdf:RDF>"
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Harbour news</title>'
    '<entry><title>Regatta off Rügen</title><link rel="edit" href="/no"/><link href="http://a.test/1"/>'
    "<summary>Many sails</summary><updated>2026-11-01T10:00:00+01:00</updated></entry>"
    '<entry><title type="html">&lt;b&gt;Storm&lt;/b&gt;</title><link rel="alternate" href="http://a.test/2"/></entry></feed>'
)
JSON = (
    '{"version": "https://jsonfeed.org/version/1.1", "title": "Harbour news", "items": ['
    '{"id": "1", "url": "http://a.test/1", "title": "Regatta off Rügen", "content_html": "<p>Many sails</p>",'
    ' "date_published": "2026-11-01T09:00:00Z"}, {"id": "http://a.test/2", "title": "Storm"}]}'
)
DATE = 1793523600.0


def read(text: str | bytes) -> feeds.Document:
    return feeds.parse(text.encode() if isinstance(text, str) else text)[0]


@pytest.mark.parametrize("text", [RSS, RDF, ATOM, JSON], ids=["rss", "rdf", "atom", "json"])
@pytest.mark.parametrize("form", ["plain", "bom", "utf-16", "comment", "spaces"])
def test_every_kind_of_feed_gives_links_titles_summaries_and_dates(text: str, form: str) -> None:
    forms = {
        "plain": text.encode(),
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "utf-16": text.encode("utf-16"),
        "comment": b"<!-- <html> a > b --><?xml-stylesheet href='x'?>" + text.partition("?>")[2].encode()
        if "?>" in text
        else (b"" if text is JSON else b"<!-- <html> -->") + text.encode(),
        "spaces": b"\n\n  " + text.encode(),
    }
    assert feeds.is_feed(forms[form])
    document = read(forms[form])
    assert document.title == "Harbour news"
    assert [(anchor.kind, anchor.href, anchor.text) for anchor in document.anchors] == [
        (LinkKind.ENTRY, "http://a.test/1", "Regatta off Rügen"),
        (LinkKind.ENTRY, "http://a.test/2", "Storm"),
    ]
    assert document.anchors[0].date == DATE
    assert math.isnan(document.anchors[1].date)
    for anchor in document.anchors:
        assert document.leaves[anchor.first : anchor.last + 1] == [anchor.text]
    assert document.leaves[document.anchors[0].first + 1] == "Many sails"


def test_entities_of_html_and_markup_in_titles_are_read() -> None:
    document = read(
        '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://my.netscape.com/rss-0.91.dtd">'
        '<rss version="0.91"><channel><title>Caf&eacute;&nbsp;news</title><item>'
        "<title>R&D &amp;amp; &lt;b>sea&lt;/b></title><link>http://a.test/?a=1&b=2</link>"
        "<description><![CDATA[<p>one<br>two &amp; three]]></description></item>"
    )
    assert document.title == "Café news"
    assert [(anchor.href, anchor.text) for anchor in document.anchors] == [("http://a.test/?a=1&b=2", "R&D & sea")]
    assert document.leaves[1] == "one two & three"


def test_unescaped_html_in_a_summary_loses_no_entry() -> None:
    document = read(
        "<rss><channel><item><title>1</title><description>a <br> b <p> c</description><link>/1</link></item>"
        "<item><title>2</title><link>/2</link></item></channel></rss>"
    )
    assert [anchor.href for anchor in document.anchors][-1] == "/2"


def test_guids_lead_somewhere_only_when_they_are_links() -> None:
    document = read(
        "<rss><channel><item><guid>http://a.test/g</guid></item><item><guid isPermaLink='false'>http://a.test/no</guid>"
        "</item><item><guid>tag:x</guid></item><item><link>http://a.test/l</link><guid>http://a.test/no</guid></item>"
    )
    assert [anchor.href for anchor in document.anchors] == ["http://a.test/g", "http://a.test/l"]


def test_relative_links_are_under_their_bases_and_further_pages_are_feeds() -> None:
    document = read(
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.test/b/"><title>T</title>'
        '<link rel="self" href="self"/><link rel="next" href="?page=2"/>'
        '<entry xml:base="c/"><title>t</title><link href="d"/></entry></feed>'
    )
    assert [(anchor.kind, anchor.href) for anchor in document.anchors] == [
        (LinkKind.FEED, "http://a.test/b/?page=2"),
        (LinkKind.ENTRY, "http://a.test/b/c/d"),
    ]


@pytest.mark.parametrize("cut", range(40, len(RSS), 37))
def test_a_feed_cut_anywhere_gives_whole_links_only(cut: int) -> None:
    assert {anchor.href for anchor in read(RSS[:cut]).anchors} <= {"http://a.test/1", "http://a.test/2"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><rss></rss>",
        b"{}",
        b'{"version": "1"}',
        b"rss",
        b"<",
        b"<!-- <rss> ",
        b"<svg></svg>",
        b"[1]",
        b"<?",
    ],
)
def test_other_things_are_no_feeds(body: bytes) -> None:
    assert not feeds.is_feed(body)


@pytest.mark.parametrize("text", ['{"version": "https://jsonfeed.org/version/1"', '{"items": 3}', "[" * 100_000, "{"])
def test_json_that_is_none_gives_an_empty_document(text: str) -> None:
    assert read(text).anchors == []


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-01", 1793491200.0),
        ("2026-11", 1793491200.0),
        ("2026", 1767225600.0),
        ("2026-11-01T10:00+01:00", DATE),
        ("2026-11-01 09:00:00.5Z", DATE),
        ("2026-11-01T09:00:60", DATE + 59),
        ("Sun, 01 Nov 2026 09:00:00 GMT", DATE),
        ("1 Nov 26 10:00 +0100", DATE),
    ],
)
def test_dates(text: str, seconds: float) -> None:
    assert timestamp(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "2026-13-01", "0000-00-00", "9" * 1000, "99999-01-01", "2026-11-01T99:00"]
)
def test_no_dates(text: str) -> None:
    assert math.isnan(timestamp(text))
