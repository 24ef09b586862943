"""Queries of links in the charset of their page (URL standard, query state; Encoding standard, encoders)."""

from __future__ import annotations

import pytest

from clew.config import Settings
from clew.crawl.reading import canonicaliser_of, reader_of, scope_of
from clew.model import Outcome, Response

SETTINGS = Settings()
READER = reader_of(SETTINGS, canonicaliser_of(SETTINGS), scope_of(SETTINGS))


def links(body: bytes, content_type: str = "text/html") -> tuple[str, ...]:
    page = READER.read(Response("http://a.test/d/", Outcome.OK, 200, (("Content-Type", content_type),), body))
    return tuple(url.removeprefix("http://a.test") for url in page.links.urls)


def link(href: str, codec: str, label: str = "") -> str:
    """The one link of a page in a charset, which the header declares."""
    body = f'<title>page</title><p><a href="{href}">x</a>'.encode(codec)
    return links(body, f"text/html; charset={label or codec}")[0]


def test_report_12() -> None:
    body = '<meta charset=windows-1251><a href="/s?q=яхта">x</a><a href="/яхта">y</a>'.encode("cp1251")
    assert links(body) == ("/s?q=%FF%F5%F2%E0", "/%D1%8F%D1%85%D1%82%D0%B0")


@pytest.mark.parametrize(
    ("codec", "text", "query"),
    [
        ("windows-1251", "яхта", "%FF%F5%F2%E0"),
        ("koi8-r", "яхта", "%D1%C8%D4%C1"),
        ("iso-8859-1", "bötchen", "b%F6tchen"),
        ("iso-8859-2", "říčka", "%F8%ED%E8ka"),
        ("gbk", "中文", "%D6%D0%CE%C4"),
        ("gb2312", "中文", "%D6%D0%CE%C4"),
        ("gb18030", "中文😀", "%D6%D0%CE%C4%949%FC6"),
        ("shift_jis", "ヨット表", "%83%88%83b%83g%95\\"),  # second bytes of ASCII stay as they are
        ("euc-jp", "ヨット", "%A5%E8%A5%C3%A5%C8"),
        ("euc-jp", "あ〜", "%A4%A2%A1%C1"),
        ("iso-2022-jp", "aヨb", "a%1B$B%h%1B(Bb"),
        ("euc-kr", "요트", "%BF%E4%C6%AE"),
        ("big5", "帆船", "%A6|%B2%EE"),
        ("utf-8", "яхта", "%D1%8F%D1%85%D1%82%D0%B0"),
        ("utf-16", "яхта", "%D1%8F%D1%85%D1%82%D0%B0"),
    ],
)
def test_charsets(codec: str, text: str, query: str) -> None:
    assert link(f"/s?q={text}", codec) == f"/s?q={query}"


@pytest.mark.parametrize(
    ("label", "text", "query"),
    [
        ("windows-1251", "é", "%26%23233%3B"),  # what the charset lacks
        ("windows-1251", "&amp;é&amp;x=я", "&%26%23233%3B&x=%FF"),
        ("windows-1252", "€", "%80"),
        ("iso-8859-1", "€", "%80"),  # as everywhere, this label means windows-1252
        ("windows-1252", "&#x81;", "%81"),
        ("gbk", "€😀", "%80%26%23128512%3B"),
        ("gb2312", "😀", "%26%23128512%3B"),
        ("gb18030", "€😀", "%A2%E3%949%FC6"),
        ("shift_jis", "¥‾−①纊ⅰ", "\\~%81|%87@%FA\\%FA@"),
        ("euc-jp", "¥−①ｱ纊丂", "\\%A1%DD%AD%A1%8E%B1%F9%A1%26%2319970%3B"),
        ("iso-2022-jp", "a¥b\\ｱ€", "a%1B(J\\b%1B(B\\%1B$B%%22%1B(B%26%238364%3B"),
        ("iso-2022-jp", "ヨ'", "%1B$B%h%1B(B%27"),
        ("big5", "𠀀", "%26%23131072%3B"),
        ("iso-2022-kr", "é", "%C3%A9"),  # no charset for browsers
        ("utf-16", "é", "%C3%A9"),
        ("utf-7", "é", "%C3%A9"),
        ("no-such-charset", "é", "%C3%A9"),
    ],
)
def test_a_page_of_ascii_that_declares_a_charset(label: str, text: str, query: str) -> None:
    """Links written with character references."""
    written = "".join(one if one < "\x80" else f"&#{ord(one)};" for one in text)
    body = f'<p><a href="/s?q={written}">x</a>'.encode()
    assert links(body, f"text/html; charset={label}") == (f"/s?q={query}",)
    assert links(f'<meta charset="{label}">'.encode() + body) == (f"/s?q={query}",)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("?q=я", "/d/?q=%FF"),
        ("x?я#я", "/d/x?%FF"),
        ("#?я", ""),
        ("x#я?я", "/d/x"),
        ("я?a=1#я", "/d/%D1%8F?a=1"),
        ("//b.test/я?я", "http://b.test/%D1%8F?%FF"),
        ("http://яхта.example/?я", "http://xn--80a9ai3b.example/?%FF"),
        ("x?%D1%8F&я", "/d/x?%D1%8F&%FF"),
        ("x?я я'&quot;", "/d/x?%FF%20%FF%27%22"),
        ("x?я?я", "/d/x?%FF?%FF"),
        ("x?я\nя", "/d/x?%FF%FF"),
    ],
)
def test_only_the_query_is_in_the_charset_of_the_page(href: str, url: str) -> None:
    found = links(f'<a href="{href}">x</a><p>яхта'.encode("cp1251"), "text/html; charset=windows-1251")
    assert found == ((url,) if url else ())


def test_links_of_all_kinds() -> None:
    body = (
        '<meta charset=windows-1251><link rel=canonical href="/c?я"><link rel=next href="/n?я"><area href="/a?я">'
        '<iframe src="/f?я"></iframe><meta http-equiv=refresh content="0;url=/r?я">'
    ).encode("cp1251")
    headers = (("Content-Type", "text/html"), ("Refresh", "0;url=/h?я"))
    page = READER.read(Response("http://a.test/", Outcome.OK, 200, headers, body))
    assert [url.removeprefix("http://a.test") for url in page.links.urls] == [
        "/h?%FF", "/n?%FF", "/a?%FF", "/f?%FF", "/r?%FF",
    ]  # fmt: skip
    assert page.canonical == "http://a.test/c?%FF"


def test_the_bytes_stay_what_they_are() -> None:
    """A URL with another charset's bytes in it is canonical: read again from a page in UTF-8, it is the same."""
    canonicalise = canonicaliser_of(SETTINGS)
    for codec, text in (("cp1251", "яхта"), ("shift_jis", "ヨット表"), ("big5", "帆船"), ("iso-2022-jp", "ヨあア")):
        url = f"http://a.test{link(f'/s?q={text}', codec)}"
        assert canonicalise(url, "") == url
        assert link(url, "utf-8") == url.removeprefix("http://a.test")
