"""Responses to pages: evidence columns, robots, sniffing, hostile bodies, real pages."""

from __future__ import annotations

import base64
import hashlib
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import numpy as np
import pytest

from clew.model import Keys, LinkBatch, LinkKind, Links, Outcome, Page, Response, Source
from clew.text.reader import Reader, Unreadable, seed_links
from clew.text.tagnames import TagNames
from clew.text.terms import tokeniser

SHARED = Path(__file__).parents[2].parent / "shared"
URL = "http://site.test/dir/page.html"


def canonicalise(href: str, base: str) -> str | None:
    try:
        url = urldefrag(urljoin(base, href.strip())).url
        return url if urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname else None
    except ValueError:
        return None


def keys_of(urls: Sequence[str]) -> Keys:
    digests = [hashlib.blake2b(url.encode(), digest_size=8).digest() for url in urls]
    return np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64)


def host_of(url: str) -> str:
    return urlsplit(url).hostname or ""


def words_of(url: str) -> str:
    return re.sub(r"\W+|_", " ", urlsplit(url).path)


def no_forum(urls: Sequence[str]) -> list[bool]:
    return ["/forum/" not in url for url in urls]


READER = Reader(canonicalise, keys_of, host_of, words_of)


def response(body: bytes | str, content_type: str = "text/html; charset=utf-8", *headers: tuple[str, str]) -> Response:
    raw = body.encode() if isinstance(body, str) else body
    return Response(URL, Outcome.OK, 200, (("Content-Type", content_type), *headers), raw)


def read(body: bytes | str, content_type: str = "text/html; charset=utf-8", *headers: tuple[str, str]) -> Page:
    return READER.read(response(body, content_type, *headers))


def word_of(term: int) -> str:
    """The word of a term that the tests use."""
    return next(word for word in VOCABULARY if tokeniser("en").ids(word).tolist() == [term])


VOCABULARY = re.findall(
    r"\w+",
    "red green blue white black brown pink map alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo "
    "lima two big books area late",
)


def batch(page: Page) -> LinkBatch:
    n = len(page.links)
    source = Source(1, page.url, "site.test", 1.0, np.ones(1, np.float32), 0, 0, 0)
    zeros = np.zeros(n, np.float32)
    return LinkBatch(source, page.links, page.leaves, np.ones(n, np.bool_), np.zeros(n, np.int32), zeros, zeros)


def evidence(page: Page, d_max: int = 5) -> dict[str, list[tuple[str, int]]]:
    """⟨term, offset⟩ of each link, by the end of its URL."""
    links, terms, offsets = batch(page).offsets(d_max)
    found: dict[str, list[tuple[str, int]]] = {url.rsplit("/", 1)[-1]: [] for url in page.links.urls}
    for link, term, offset in zip(links.tolist(), terms.tolist(), offsets.tolist(), strict=True):
        found[page.links.urls[link].rsplit("/", 1)[-1]].append((word_of(term), offset))
    return found


# -- DOM offsets (APP-14 to APP-21) ---------------------------------------------------------------------------


def test_offsets_of_the_papers_figure_3():
    # leaves: 0 red (tt) · 1 green · [2 blue · 3 white (font) · 4 black] in the link · 5 brown (em) · 6 pink
    # l = 2, r = 4: left 0 - 2 = -2, 1 - 2 = -1; inside 0; right 5 - 4 = 1, 6 - 4 = 2
    page = read(
        "<html lang=en><ul><li><tt>red</tt><li>green<li><a href=v>blue<font>white</font>black</a>"
        "<li><em>brown</em><li>pink</ul>"
    )
    assert page.links.spans.tolist() == [[0, 2, 4]]
    assert evidence(page)["v"] == [
        ("red", -2), ("green", -1), ("blue", 0), ("white", 0), ("black", 0), ("brown", 1), ("pink", 2),
    ]  # fmt: skip


def test_leaves_without_text_keep_their_distance():
    # 0 red · 1 br · 2 empty td · 3 link "blue" · 4 img without text · 5 img "green map" · 6 black
    page = read(
        "<html lang=en>red<br><table><tr><td> </td><td><a href=v>blue</a></td></tr></table>"
        "<img><img alt='green map'>black"
    )
    assert evidence(page)["v"] == [("red", -3), ("blue", 0), ("green", 2), ("map", 2), ("black", 3)]


def test_tables_are_row_major():
    # row 1: 0 red · 1 green; row 2: 2 blue · 3 link "white"; row 3: 4 black · 5 brown
    page = read(
        "<html lang=en><table><tr><td>red<td>green<tr><td>blue<td><a href=v>white</a><tr><td>black<td>brown</table>"
    )
    assert evidence(page)["v"] == [
        ("red", -3), ("green", -2), ("blue", -1), ("white", 0), ("black", 1), ("brown", 2),
    ]  # fmt: skip


def test_two_anchors_to_one_url_are_one_link_with_the_union_of_evidence():
    # 0 red · 1 link v "green" · 2 blue · 3 link w "white" · 4 link v "black"
    page = read("<html lang=en>red<a href=v>green</a>blue<a href=w rel=nofollow>white</a><a href=v rel=ugc>black</a>")
    assert [url.rsplit("/", 1)[-1] for url in page.links.urls] == ["v", "w"]
    assert page.links.spans.tolist() == [[0, 1, 1], [0, 4, 4], [1, 3, 3]]
    assert page.links.anchors == ("green", "black", "white")
    assert page.links.nofollow.tolist() == [False, True]  # v is once linked without rel
    assert batch(page).anchor_text(0) == "green | black"
    assert sorted(evidence(page)["v"]) == sorted(
        zip(["red", "green", "blue", "white", "black"] * 2, [-1, 0, 1, 2, 3, -4, -3, -2, -1, 0], strict=True)
    )


def test_d_max_cuts_off():
    words = [
        "alpha",
        "bravo",
        "charlie",
        "delta",
        "echo",
        "foxtrot",
        "golf",
        "hotel",
        "india",
        "juliet",
        "kilo",
        "lima",
    ]
    body = "".join(f"<p>{word}" if i != 6 else f"<p><a href=v>{word}</a>" for i, word in enumerate(words))
    found = evidence(read(f"<html lang=en>{body}"), d_max=4)["v"]
    assert found == [(words[6 + d], d) for d in range(-4, 5)]


def test_offsets_agree_with_the_formula_on_a_real_layout():
    page = read((SECTIONS * 4), "text/html")
    ids, starts = page.leaves.ids, page.leaves.starts
    expected = []
    for link, first, last in page.links.spans.tolist():
        for leaf in range(len(page.leaves)):
            d = leaf - first if leaf < first else leaf - last if leaf > last else 0
            if last >= first and abs(d) <= 5:
                expected += [(link, term, d) for term in ids[starts[leaf] : starts[leaf + 1]].tolist()]
    got = list(zip(*(column.tolist() for column in batch(page).offsets(5)), strict=True))
    assert len(got) > 80 and sorted(got) == sorted(expected)


SECTIONS = """<div><h2>Cameras</h2><p>Some <b>old <i>cameras</i></b> and <a href=/lens>lenses <img alt=photo></a>,
<br>with <a href="/film?x=1"><span>film <em>rolls</em></span> cheap</a>.</p><ul><li><a href=/lens#top>again</a></li>
<li></li></ul><table><tr><td>price</td><td></td></tr></table></div>"""


# -- links ----------------------------------------------------------------------------------------------------


def test_columns_of_links():
    page = read(
        "<html lang=en><head><link rel=next href=/two></head><a href='http://other.test/Big_Books/'>Books</a>"
        "<a href=/two>again</a><iframe src=//frames.test/f></iframe><area href=/area alt=Area>"
        "<meta http-equiv=refresh content='9;url=/late'>"
    )
    links = page.links
    assert links.urls == (
        "http://site.test/two", "http://other.test/Big_Books/", "http://frames.test/f", "http://site.test/area",
        "http://site.test/late",
    )  # fmt: skip
    assert links.kinds == (LinkKind.HEAD, LinkKind.ANCHOR, LinkKind.FRAME, LinkKind.AREA, LinkKind.REFRESH)
    assert links.host_names == ("site.test", "other.test", "frames.test")
    assert links.host_index.tolist() == [0, 1, 2, 0, 0]
    assert links.keys.tolist() == keys_of(links.urls).tolist()
    # leaves: 0 "Books" · 1 "again" · 2 iframe · 3 area; links without a place have the span (0, -1)
    assert links.spans.tolist() == [[0, 0, -1], [0, 1, 1], [1, 0, 0], [2, 2, 2], [3, 3, 3], [4, 0, -1]]
    words = [word_of(int(term)) for term in links.url_term_ids]
    assert links.url_term_starts.tolist() == [0, 1, 3, 3, 4, 5] and words == ["two", "big", "books", "area", "late"]


@pytest.mark.parametrize(
    ("base", "href", "target"),
    [
        ("/forum/", "x", "http://site.test/forum/x"),
        ("myself.html", "?p=v", "http://site.test/dir/myself.html?p=v"),
        ("http://base.test/a/b", "c", "http://base.test/a/c"),
        ("javascript:x", "c", "http://site.test/dir/c"),
        ("", "c", "http://site.test/dir/c"),
        ("http://base.test/", "#top", "http://base.test/"),
    ],
)
def test_base(base: str, href: str, target: str):
    # hostile case 5
    page = read(f"<head><base href='{base}'></head><a href='{href}'>x</a>")
    assert page.links.urls == (target,)


def test_links_to_the_page_itself_are_dropped():
    page = read("<a href='#a'>1</a><a href=''>2</a><a href='page.html#b'>3</a><a href='page.html?q'>4</a>")
    assert page.links.urls == ("http://site.test/dir/page.html?q",)


def test_hrefs_that_are_no_urls_lose_only_themselves():
    # hostile case 7
    bad = ["http://[", "javascript:void(0)", "data:text/html,x", "mailto:a@b.test", "tel:1", "x" * 100_000, "http://"]
    page = read("<a href=/first>f</a>" + "".join(f'<a href="{href}">b</a>' for href in bad) + "<a href=/last>l</a>")
    assert page.links.urls[0] == "http://site.test/first" and page.links.urls[-1] == "http://site.test/last"
    assert all(len(url) > 100_000 for url in page.links.urls[1:-1])  # the stand-in canonicaliser has no limit


def test_scope_and_cap():
    reader = Reader(canonicalise, keys_of, host_of, words_of, links_per_page=3, scope=no_forum)
    body = "".join(f"<a href=/forum/{i}>out</a><a href=/in/{i}>in</a>" for i in range(10))
    page = reader.read(response(body))
    assert page.links.urls == tuple(f"http://site.test/in/{i}" for i in range(3))
    assert page.links.spans.tolist() == [[0, 1, 1], [1, 3, 3], [2, 5, 5]]
    assert len(page.leaves) == 20


def test_a_page_of_a_million_links_is_cut_to_the_first():
    # hostile case 25
    page = read("".join(f"<a href=/{i}>x</a>" for i in range(300_000)))
    assert len(page.links) == 2000 and page.links.urls[-1] == "http://site.test/1999"


@pytest.mark.parametrize(
    ("tags", "canonical"),
    [
        ("<link rel=canonical href=/x>", "http://site.test/x"),
        ("<base href=/deep/><link rel='x Canonical' href=y#z>", "http://site.test/deep/y"),
        ("<link rel=canonical href=/x><link rel=canonical href=/x>", "http://site.test/x"),
        ("<link rel=canonical href=/x><link rel=canonical href=/y>", ""),
        ("<link rel=canonical href='ftp://x.test/'>", ""),
        ("<link rel=canonical href='http://['>", ""),
        ("<link rel=canonical>", ""),
        (f"<link rel=canonical href={URL}>", URL),
    ],
)
def test_canonical(tags: str, canonical: str):
    assert read(f"<head>{tags}</head>").canonical == canonical


def test_seed_links():
    urls = ["http://a.test/x_y", "http://b.test/", "http://a.test/z"]
    links = seed_links(urls, keys_of(urls), [host_of(url) for url in urls], words_of, LinkKind.REDIRECT, "hint")
    assert links.urls == tuple(urls) and links.kinds == (LinkKind.REDIRECT,) * 3
    assert links.host_names == ("a.test", "b.test") and links.host_index.tolist() == [0, 1, 0]
    assert links.anchors == ("hint",) * 3
    assert links.spans.tolist() == [[0, 0, -1], [1, 0, -1], [2, 0, -1]]
    assert links.spans.dtype == np.int32 and links.keys.dtype == np.uint64
    none = seed_links([], keys_of([]), [], words_of)
    assert len(none) == 0 and none.spans.shape == (0, 3) and none.url_term_starts.tolist() == [0]


# -- robots ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tags", "headers", "noindex", "nofollow"),
    [
        ("", [], False, False),
        ("<meta name=robots content='NOINDEX, follow'>", [], True, False),
        ("<meta name=Robots content=none>", [], True, True),
        ("<meta name=clew content=nofollow>", [], False, True),
        ("<meta name=otherbot content=none>", [], False, False),
        ("<meta name=robots content='index'><meta name=robots content='nofollow noindex'>", [], True, True),
        ("", ["noindex"], True, False),
        ("", ["otherbot: noindex, nofollow"], False, False),
        ("", ["otherbot: noindex, clew: nofollow"], False, True),
        ("", ["Clew: none"], True, True),
        ("", ["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], False, True),
        ("", ["max-snippet: 20", "NoIndex"], True, False),
    ],
)
def test_robots_directives(tags: str, headers: list[str], noindex: bool, nofollow: bool):
    page = read(f"<head>{tags}</head>", "text/html", *(("X-Robots-Tag", value) for value in headers))
    assert (page.noindex, page.nofollow) == (noindex, nofollow)


# -- what is text ---------------------------------------------------------------------------------------------


def test_an_empty_body_is_a_page_without_text():
    for body in (b"", b" \n ", b"\xef\xbb\xbf", b"<!-- -->"):
        page = read(body)
        assert (len(page.leaves), len(page.links), page.text, page.title) == (0, 0, "", "")
        assert page.leaves.starts.tolist() == [0] and page.links.url_term_starts.tolist() == [0]


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "application/octet-stream", "PDF"),
        (b"%PDF-1.7\n", "text/html", "PDF"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "text/html", "PNG"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "text/html; charset=utf-8", "JPEG"),
        (b"GIF89a\x01\x00", "", "GIF"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "text/html", "WebP"),
        (b"PK\x03\x04\x14\x00", "application/msword", "ZIP"),
        (b"\x00\x00\x00\x18ftypmp42", "text/plain", "MP4"),
        (bytes(range(256)) * 20, "text/html", "binary"),
        (b'{"a": 1}', "application/json", "application/json"),
        (b"<svg></svg>", "image/svg+xml", "image/svg"),
        (b"whatever", "video/mp4", "video/mp4"),
    ],
)
def test_what_is_no_text_is_refused_with_a_reason(body: bytes, content_type: str, reason: str):
    # hostile case 26
    with pytest.raises(Unreadable, match=reason) as caught:
        read(body, content_type)
    assert reason in caught.value.reason
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


PAGE = "<!-- saved --><!DOCTYPE html><title>T</title><p>Body <a href=x>link</a>"


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", "", "text/html", "text/xml"])
def test_html_under_any_label_is_read_as_html(content_type: str):
    page = read(PAGE, content_type)
    assert page.title == "T" and len(page.links) == 1 and page.content_type == "text/html"


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("First line\nsecond line\n\n \t\nNext <a href=x>no link</a>\r\n\r\nLast", 3),
        ("RIFF raff: FWS and ID3 are names", 1),
        ("x < y and <p> is a tag", 1),
    ],
)
def test_plain_text_has_a_leaf_a_paragraph_and_no_links(text: str, paragraphs: int):
    page = read(text, "text/plain; charset=utf-8")
    assert len(page.leaves) == paragraphs and len(page.links) == 0 and page.content_type == "text/plain"
    assert page.title == ""


def test_utf_16_without_a_mark_is_text():
    body = "<html lang=en><title>Title</title><p>Some ordinary text about cameras and lenses</p></html>"
    page = read(body.encode("utf-16-le"), "text/html; charset=utf-16")
    assert page.title == "Title" and "cameras" in page.text


def test_nul_in_the_middle():
    # hostile case 24
    page = read(b"<title>T</title><p>before \x00 after <a href=x>li\x00nk</a>")
    assert page.text == "before after link" and page.links.anchors == ("link",)


def test_bom_against_the_header():
    # hostile case 23
    page = read(b"\xef\xbb\xbf<p>caf\xc3\xa9", "text/html; charset=windows-1252")
    assert (page.text, page.charset) == ("café", "utf-8")


def test_200_000_nested_elements():
    # hostile case 25
    page = read("<div>" * 200_000 + "deep <a href=x>link</a>")
    assert page.text == "deep link" and len(page.links) == 1


def test_a_single_line_of_30_mb():
    # hostile case 25
    page = read(b"<p>" + b"word " * 6_000_000 + b"<p>end")
    assert len(page.leaves) == 2
    assert page.leaves.starts[1] == 400_000  # two million characters of it are taken up
    assert page.leaves.starts[2] == 400_000


# -- languages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word", "code"),
    [
        ("Это страница о фотоаппаратах и объективах, и на ней много русского текста. " * 3, "фотоаппарат", "ru"),
        ("这是关于照相机和镜头的网页，上面有很多中文文本。" * 5, "照相机", "zh"),
        ("هذه صفحة عن الكاميرات والعدسات وفيها الكثير من النص العربي. " * 3, "الكاميرات", "ar"),
    ],
)
def test_pages_in_other_scripts_have_terms(text: str, word: str, code: str):
    # hostile case 35
    page = read(f"<html lang={code}><p>{text}")
    assert page.language == code
    wanted = tokeniser(code).ids(word)
    assert len(wanted) and np.isin(wanted, page.leaves.ids).all()
    assert read(f"<html lang=en><p>{text}").language == code  # a template's default is no evidence


def test_anchors_and_urls_are_stemmed_in_the_language_of_the_page():
    page = read("<html lang=de><title>Häuser</title><p>Ein Haus und <a href=/haeuser/Haus>die Häuser</a> der Stadt</p>")
    haus = tokeniser("de").ids("Haus")[0]
    assert page.title_ids.tolist() == tokeniser("de").ids("Häuser").tolist()
    assert haus in page.links.url_term_ids
    ids, counts = page.term_counts()
    assert counts[ids == tokeniser("de").ids("Häuser")[0]].sum() >= 2


# -- repeatability --------------------------------------------------------------------------------------------


def fingerprint(page: Page) -> list[object]:
    links: Links = page.links
    columns = (page.title_ids, page.leaves.ids, page.leaves.starts, links.keys, links.host_index, links.nofollow)
    more = (links.url_term_ids, links.url_term_starts, links.spans)
    texts = (page.url, page.title, page.language, page.charset, page.text, page.canonical, page.digest, links.urls)
    return [*((c.dtype.str, c.tolist()) for c in (*columns, *more)), *texts, links.anchors, links.kinds]


def test_the_same_response_gives_the_same_page_also_from_a_pickled_reader():
    first = read(SECTIONS)
    again = pickle.loads(pickle.dumps(READER)).read(response(SECTIONS))
    assert fingerprint(first) == fingerprint(again)
    assert fingerprint(pickle.loads(pickle.dumps(first))) == fingerprint(first)


def test_digest_is_that_of_warc():
    assert read(b"hello").digest == base64.b32encode(hashlib.sha1(b"hello").digest()).decode()


def test_real_pages():
    path = SHARED / "webs" / "wiki.warc.gz"
    if not path.is_file():
        pytest.skip("the wiki archive is not on this machine")
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    pages = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            headers = tuple((record.http_headers or {}).items())
            answer = Response(record.headers["WARC-Target-URI"], Outcome.OK, 200, headers, record.reader.read())
            pages.append(READER.read(answer))
            if len(pages) == 200:
                break
    assert all(page.title and page.language == "en" and page.charset == "utf-8" for page in pages)
    assert all(100 < len(page.leaves.ids) < 20_000 for page in pages)
    assert 5 < np.median([len(page.links) for page in pages]) < 100
    for page in pages:
        spans = page.links.spans
        assert (spans[:, 1] <= spans[:, 2]).all() and spans.max(initial=0) < max(len(page.leaves), len(spans) + 1)
        assert (np.diff(page.leaves.starts) >= 0).all() and page.leaves.starts[-1] == len(page.leaves.ids)
        assert (np.diff(spans[:, 0]) >= 0).all() and len(set(page.links.urls)) == len(page.links)
    links, _, offsets = batch(pages[0]).offsets(5)
    assert set(links.tolist()) == set(range(len(pages[0].links))) and abs(offsets).max() <= 5


@pytest.mark.parametrize("tag", ["noscript", "svg", "template"])
def test_a_tag_that_comes_about_when_others_are_left_out_is_one_in_both_ways_of_reading(tag: str) -> None:
    """What is left out stands between the < and the name: formatting that is never closed."""
    fonts = "".join(f"<font id={number}>" for number in range(100))
    body = f"{fonts}{'<p>x' * 2_100}<<font id=a>{tag}><a href=/in>y</a>"
    quick = Reader(canonicalise, keys_of, host_of, words_of, keep_text=False)
    one, other = (reader.read(response(body)) for reader in (READER, quick))
    assert one.links.urls == other.links.urls and one.links.anchors == other.links.anchors
    assert one.fingerprint == other.fingerprint


def test_a_page_without_tags_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    before = TagNames.__init__
    monkeypatch.setattr(TagNames, "__init__", lambda self, text: (looked.append(text), before(self, text))[1])
    Reader(canonicalise, keys_of, host_of, words_of, keep_text=False).read(response("no tags"))
    assert looked == ["no tags"]
