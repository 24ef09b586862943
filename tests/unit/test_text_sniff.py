"""What a response is, whatever its header says."""

from __future__ import annotations

import random

import pytest

from clew.text.sniff import essence_of, is_xml, kind_of

PAGE = b"<!doctype html><title>t</title><p>text"
SOUP = b"some text and <p>no more"


@pytest.mark.parametrize(
    ("content_type", "essence"),
    [
        ("text/html", "text/html"),
        (" Text/HTML ; charset=x", "text/html"),
        ("text/html;", "text/html"),
        ("text/html charset=utf-8", "text/html"),
        ("text/html, text/html", "text/html"),
        ("text/plain, text/html; charset=utf-8", "text/html"),  # the last counts (Fetch standard)
        ("text/html, */*", "text/html"),
        ("text/html, nonsense", "text/html"),
        ('text/plain; a=", text/html", image/png', "image/png"),
        ('"text/html"', "text/html"),
        ("application/xhtml+xml", "application/xhtml+xml"),
        ("html", ""),
        ("text/", ""),
        ("/html", ""),
        (";charset=utf-8", ""),
        ("\udcff/\x1b[31m", ""),
        ("", ""),
    ],
)
def test_content_types(content_type: str, essence: str) -> None:
    assert essence_of(content_type) == essence


def test_content_types_of_xml() -> None:
    assert is_xml("application/xhtml+xml; charset=x") and is_xml("TEXT/XML") and is_xml("application/rss+xml")
    assert not is_xml("text/html") and not is_xml("")


@pytest.mark.parametrize("content_type", ["html", "text/html charset=x", "text/html, text/html", "", "*/*"])
def test_pages_behind_odd_headers(content_type: str) -> None:
    assert kind_of(content_type, PAGE) == ("text/html", "")


def test_nuls_in_a_page_do_not_make_it_binary() -> None:
    # hostile case 24
    page = b"<title>a\0b</title>\0\0\0<p>x\0y\0\0<a href=/x>l</a>"
    assert kind_of("text/html", page) == ("text/html", "")
    rng = random.Random(1)
    for _ in range(50):
        kind, reason = kind_of("text/html", rng.randbytes(3000))
        assert kind == "" and "binary data" in reason


def test_reasons_hold_no_control_characters() -> None:
    """They are shown in terminals and written into exports."""
    reason = kind_of("image/png\x1b]0;x\x07\udcff", SOUP)[1]
    assert reason == "is image/png, not text"
