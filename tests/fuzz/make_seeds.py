"""Writes the seeds that we made ourselves:  python tests/fuzz/make_seeds.py  (what a fuzzer found is added by hand)."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

HERE = Path(__file__).parent / "seeds"

ATOM = b"""<?xml version='1.0' encoding='utf-8'?><feed xmlns='http://www.w3.org/2005/Atom'><title>f</title>
<entry><title>one</title><link href='/e1'/><updated>2026-11-28T10:00:00Z</updated></entry></feed>"""
SITEMAP = b"""<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
<url><loc><![CDATA[http://a.test/x?a=1&b=2]]></loc><lastmod>2026-11-01</lastmod></url></urlset>"""
PAGE = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Boats &amp; more</title><base href=/b/>
<meta name=robots content="noindex, nofollow"><link rel=canonical href=/c><meta http-equiv=refresh content="3;url=/r">
</head><body><p>Sailing <a href="x?q=é#f" rel="ugc nofollow">boats</a><img alt=mast src=m><map><area href=/a></map>
<svg><a xlink:href=/s><text>s</text></a></svg><iframe srcdoc="&lt;a href=/i>"></iframe><template><a href=/t></template>
<table><tr><td>1<td><a href='//b.test:81/'>2</a></table><script>var a="<a href=/no>"</script><textarea><a></textarea>"""

READER = {
    "page": b"\x00" + PAGE.encode(),
    "utf16": b"\x05" + PAGE.encode("utf-16"),
    "shift-jis": b"\x06" + "<title>日本語</title><a href='/検索?q=港'>船の港</a>".encode("shift_jis"),
    "cp1251": b"\x07" + "<p>Парусные суда <a href='/с?q=яхта'>яхты</a>".encode("cp1251"),
    "bom-against-header": b"\x07" + b"\xef\xbb\xbf" + "<p>яхты".encode(),
    "xhtml": b"\x03<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head>"
    b"<body><script src='x'/><p>text<a href='/l'>l</a></p></body></html>",
    "plain": b"\x04one\r\n\r\ntwo\0three\n \n http://a.test/",
    "unclosed": b"\x00" + b"<x <!-- <script> <b <a href=' </ <? <style <textarea><svg><![CDATA[" * 9,
    "nested": b"\x00" + b"<div><b><i><a href=/x>" * 200,
    "table-in-form": b"\x00<form><table><form><tr><a href=1><td><a href=2><select><option><a href=3><math><mi><p>",
    "atom": b"\x0b" + ATOM,
    "sitemap": b"\x0c" + SITEMAP,
    "rss": b"\x0a<rss version='2.0'><channel><title>r</title><item><title>i</title><link>http://a.test/i</link>"
    b"<pubDate>Sat, 28 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>",
    "pdf": b"\x0d%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
    "x-robots-date": b"\x00unavailable_after: 25 Jun 2031 15:00:00 GMT, noindex, nofollow",
    "entities": b"\x00<a href='/&#0;&#xd800;&#x10ffff9;&copy=1&nbsp;'>&#55296;&#x1F600;&bogus;</a>",
}


def _record(kind: bytes, block: bytes, more: bytes = b"") -> bytes:
    return (
        b"WARC/1.1\r\nWARC-Type: " + kind + b"\r\nWARC-Target-URI: http://a.test/\r\n"
        b"WARC-Date: 2026-11-28T10:00:00Z\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n" + more
        + b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n"
    )  # fmt: skip


ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=1\r\nhello\r\n0\r\nTrailer: 1\r\n\r\n"
RECORDS = (
    _record(b"warcinfo", b"software: x\r\n")
    + _record(b"response", ANSWER, b"Content-Type: application/http;msgtype=response\r\n")
    + _record(b"resource", b"plain", b"Content-Type: text/plain\r\n")
    + _record(b"revisit", ANSWER[:-5], b"WARC-Profile: x/identical-payload-digest\r\n")
)
WARC = {
    "plain": RECORDS,
    "members": b"".join(gzip.compress(part, mtime=0) for part in (RECORDS[:300], RECORDS[300:])),
    "one-member": gzip.compress(RECORDS, mtime=0),
    "torn": gzip.compress(RECORDS, mtime=0)[:-30],
    "lying-length": RECORDS.replace(b"Content-Length: 85", b"Content-Length: 9999"),
    "bare-newlines": RECORDS.replace(b"\r\n", b"\n"),
    "arc": b"filedesc://x.arc 0.0.0.0 20261128 text/plain 9\n",
    "interim": _record(b"response", b"HTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n" + ANSWER),
}

HTTP = {
    "plain": ANSWER,
    "chunked": CHUNKED,
    "gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello" * 99, mtime=0),
    "deflate": b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n" + zlib.compress(b"hello" * 99),
    "unknown-coding": b"HTTP/1.1 200 OK\r\nContent-Encoding: utf-8\r\nContent-Length: 5\r\n\r\nhello",
    "both-lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    "twice": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "too-short": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello",
    "too-long": b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nhello",
    "no-last-chunk": CHUNKED[:-20],
    "204-with-body": b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
    "bad-lines": b"HTTP/1.1 200 OK\r\nno colon\r\n: empty\r\nspace : x\r\nContent-Type: text/html\r\n\r\nhello",
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: /jos\xe9?\xff\r\n\r\n",
    "loop": b"HTTP/1.1 301\r\nLocation: http://[\r\nContent-Length: -1\r\n\r\n",
    "interim": b"HTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ANSWER,
    "http-0.9": b"<html><p>hello",
    "http-2": b"HTTP/2 200\r\nx: y\r\n\r\n",
    "refresh": b"HTTP/1.0 200 OK\nRefresh: 0;url=/t\nRetry-After: 99999999999999999999\nSet-Cookie: \xff\n\nhello",
    "folded": b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\tc\r\nContent-Length: 5\r\n\r\nhello",
    "429": b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: Sat, 28 Nov 9999 10:00:00 GMT\r\n\r\n",
}

OPML = b"""<?xml version="1.0"?><opml version="2.0"><body><outline text="Boats"><outline text="S" type="rss"
xmlUrl="http://a.test/f" htmlUrl="http://a.test/" category="/a,b" created="Sat, 28 Nov 2026 10:00:00 GMT"/></outline>
</body></opml>"""
RDF = b"""<RDF xmlns:d="x"><Topic r:id="Top/A/B"><catid>1</catid><link r:resource="http://a.test/"/></Topic>
<ExternalPage about="http://a.test/"><d:Title>T&amp;t</d:Title><d:Description>D <b>d</b></d:Description>
<topic>Top/A/B</topic></ExternalPage></RDF>"""
BOOKMARKS = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3 ADD_DATE="1">Boats</H3><DL><p>
<DT><A HREF="http://a.test/?a=1&amp;b" ADD_DATE="1700000000" TAGS="a,b">S</A><DD>about <a href=x>it</a></DL></DL>"""
TOPICS = (
    "Science:\n  description: d\n  keywords: {a: 1, b: .inf}\n  topics:\n    Astronomy:\n      seeds: [http://a.test/]"
)

IMPORTERS = {
    "bookmarks": b"\x00" + BOOKMARKS,
    "dmoz": b"\x01" + RDF,
    "dmoz-gzip": b"\x01" + gzip.compress(RDF, mtime=0),
    "opml": b"\x02" + OPML,
    "opml-entity": b"\x02<!DOCTYPE opml [<!ENTITY a 'b'>]><opml>&a;</opml>",
    "topics": b"\x03" + TOPICS.encode(),
    "topics-alias": b"\x03a: &x {topics: {b: *x}}",
    "settings": b"\x04[crawl]\nmax_pages = 10\n[judge]\nname = 'svm'\nalpha = 1\n[scope]\nhosts = ['*.a.test']\n",
    "formula": b'\x05(Astronomy or "Ball games") and not Sailing',
    "robots": b"\x06\xef\xbb\xbfUser-agent: 5emeRue\rDisallow: /\r\rUser-agent: *\rDisallow: /a*$\rCrawl-delay: 1e9\r",
    "unclosed": b"\x00<!-- <dl><dt><a href=\" <dl <h3 <a = = ' &#",
}


def main() -> None:
    """Write every seed as a file."""
    for name, made in (("reader", READER), ("warc", WARC), ("http", HTTP), ("importers", IMPORTERS)):
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        for seed, data in made.items():
            (folder / seed).write_bytes(data)


if __name__ == "__main__":
    main()
