"""Sitemaps as sites serve them: case 20 and its kin."""

from __future__ import annotations

import gzip
import math
import time
from itertools import repeat

import pytest

from clew.model import LinkKind
from clew.text import sitemaps
from clew.text.sitemaps import MAX_URLS

XML = (
    b'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>"
)
BOTH = ["http://a.test/1", "http://a.test/2"]


def urls(body: bytes, content_type: str = "") -> list[str]:
    return [entry.url for entry in sitemaps.read(body, content_type)]


@pytest.mark.parametrize(
    "body",
    [
        XML,
        gzip.compress(XML, mtime=0),  # case 20: whatever its name says
        gzip.compress(gzip.compress(XML, mtime=0), mtime=0),
        gzip.compress(XML[:100], mtime=0) + gzip.compress(XML[100:], mtime=0),
        b"\xef\xbb\xbf" + XML,
        b"\r\n\xef\xbb\xbf  " + XML,
        XML.decode().encode("utf-16"),
        XML.replace(b"/0.9", b"/0.84").replace(b"sitemaps.org", b"example.com"),
        XML.replace(b' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"', b""),
        XML.replace(b"<loc>", b"<loc><![CDATA[ ").replace(b"</loc>", b"\n]]></loc>"),  # case 20
        XML.replace(b"<loc>", b"<loc>\n   ").replace(b"</loc>", b"\n</loc>"),
        XML.replace(b"urlset", b"URLSET").replace(b"loc>", b"LOC>").replace(b"url>", b"Url>"),
        XML.replace(b"<url>", b"")
        .replace(b"urlset", b"x")
        .replace(b"</x>", b"</urlset>")
        .replace(b"<loc>", b"<url><loc>"),
        b"http://a.test/1\nhttp://a.test/2\n",
        b"\xef\xbb\xbfhttp://a.test/1\r\n\r\n# no URL\rhttp://a.test/2",
        "http://a.test/1\nhttp://a.test/2".encode("utf-16"),
        gzip.compress(b"http://a.test/1\nhttp://a.test/2", mtime=0),
    ],
)
def test_every_form_gives_its_urls(body: bytes) -> None:
    assert urls(body) == BOTH


def test_gzip_that_breaks_off_gives_what_came() -> None:
    many = b"<urlset>" + b"".join(b"<url><loc>http://a.test/%d</loc></url>" % n for n in range(5_000)) + b"</urlset>"
    packed = gzip.compress(many)
    got = urls(packed[: len(packed) // 2])
    assert 1_000 < len(got) < 5_000
    assert got == [f"http://a.test/{n}" for n in range(len(got))]
    damaged = bytearray(packed)
    damaged[len(packed) // 2 : len(packed) // 2 + 50] = b"\xff" * 50
    assert len(urls(bytes(damaged))) > 100


def test_gzip_in_many_members_is_read_as_far_as_they_go() -> None:
    parts = XML[:20], XML[20:70], XML[70:]
    body = b"".join(map(gzip.compress, parts)) + gzip.compress(b"", mtime=0) * 100_000
    began = time.process_time()
    assert urls(body + b"not gzip") == urls(XML)
    assert time.process_time() - began < 2  # 0.1 s; 12 s when each member copies what lies behind it


def test_a_bomb_ends_at_the_limit_of_the_protocol() -> None:
    bomb = gzip.compress(bytes(55 << 20), 1)
    assert len(sitemaps.unpacked(bomb)) == sitemaps.MAX_BYTES
    layers = gzip.compress(bomb)
    assert len(sitemaps.unpacked(layers)) == sitemaps.MAX_BYTES


def test_what_stands_behind_the_fifty_thousandth_url_is_not_read() -> None:
    body = b"<urlset>" + b"".join(repeat(b"<url><loc>http://a.test/1</loc></url>", MAX_URLS + 10)) + b"</urlset>"
    assert len(urls(body)) == MAX_URLS
    assert len(urls(b"http://a.test/1\n" * (MAX_URLS + 10))) == MAX_URLS


def test_evidence_comes_out_and_the_newest_come_first() -> None:
    body = b"""<urlset xmlns:news="n" xmlns:image="i">
    <url><loc>/old</loc><lastmod>2019-01-01</lastmod></url>
    <url><loc>/plain</loc><priority>0.9</priority></url>
    <url><loc>/low</loc><priority>nan</priority><lastmod>yesterday</lastmod></url>
    <url><loc>/new</loc><lastmod>2026-11-01T10:00:00+01:00</lastmod><changefreq>daily</changefreq>
      <news:news><news:title>Regatta off R&#xfc;gen</news:title></news:news>
      <image:image><image:loc>/picture.jpg</image:loc><image:caption>Boats</image:caption></image:image></url>
    </urlset>"""
    document = sitemaps.parse(body, "", lambda url: f"words of {url}")
    assert document is not None
    assert [anchor.href for anchor in document.anchors] == ["/new", "/old", "/plain", "/low"]
    assert document.leaves == ["Regatta off Rügen Boats", "words of /old", "words of /plain", "words of /low"]
    assert document.anchors[0].date == 1793523600.0
    assert document.anchors[1].date == 1546300800.0
    assert math.isnan(document.anchors[3].date)
    assert [(anchor.first, anchor.last) for anchor in document.anchors] == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_an_index_names_sitemaps() -> None:
    document = sitemaps.parse(
        b"<sitemapindex><sitemap><loc>a.xml</loc></sitemap><sitemap><loc>b.xml.gz</loc></sitemap></sitemapindex>"
    )
    assert document is not None
    assert [(anchor.kind, anchor.href) for anchor in document.anchors] == [
        (LinkKind.SITEMAP, "a.xml"),
        (LinkKind.SITEMAP, "b.xml.gz"),
    ]


@pytest.mark.parametrize("body", [b"", b"<html><p>not found</html>", b"not found", b"\x89PNG\r\n\x1a\n", b"{}"])
def test_what_is_none_is_told_from_an_empty_one(body: bytes) -> None:
    assert sitemaps.parse(body) is None
    empty = sitemaps.parse(b"<urlset></urlset>")
    assert empty is not None
    assert empty.anchors == []
