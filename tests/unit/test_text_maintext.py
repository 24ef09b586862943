"""The main text of pages, their date and their author."""

from __future__ import annotations

import pytest

from clew.model import Outcome, Response
from clew.text.formats import Formats
from clew.text.maintext import MainText, main_text
from clew.text.pagetext import FULL, MAIN, NO_TEXT, NONE, PageText, page_text

PARAGRAPHS = "".join(
    f"<p>Tidal power plants number {n} turn the rise and the fall of the sea into electric power, twice a day.</p>"
    for n in range(8)
)
PAGE = f"""<!doctype html><html lang=en><head><title>Tides</title>
<meta name=author content="Ada  Tide"><meta property="article:published_time" content="2021-03-04T05:06:07Z"></head>
<body><nav><ul><li><a href=/>Home</a><li><a href=/shop>Our shop</a></ul></nav>
<article><h1>Tides</h1>{PARAGRAPHS}</article>
<footer><p>Copyright and imprint, cookies and privacy</p></footer></body></html>"""


def response(body: str | bytes, content_type: str = "text/html; charset=utf-8") -> Response:
    data = body.encode() if isinstance(body, str) else body
    return Response("http://h.test/a", Outcome.OK, 200, (("Content-Type", content_type),), data)


def test_menus_and_footers_are_left_out() -> None:
    found = main_text(PAGE)
    assert "Tidal power plants number 7" in found.text
    assert "Our shop" not in found.text
    assert "privacy" not in found.text


def test_date_and_author_are_those_the_page_says() -> None:
    assert (main_text(PAGE).date, main_text(PAGE).author) == ("2021-03-04", "Ada Tide")


@pytest.mark.parametrize(
    ("head", "author"),
    [
        ('<script type="application/ld+json">{"author": {"name": "Bo Sea"}}</script>', "Bo Sea"),
        ('<script type="application/ld+json">[{"@graph": [{"author": ["Bo Sea", "Cy"]}]}]</script>', "Bo Sea"),
        ('<script type="application/ld+json">{"author":</script>', ""),
        ("<script type='application/ld+json'>" + "[" * 100_000 + "</script>", ""),
        ('<script type="application/ld+json">{"author": 3, "@graph": 4}</script>', ""),
        ('<meta name="Author" content="https://example.org/bo">', ""),
        (f'<meta name="author" content="{"x" * 200}">', ""),
        ("<a rel='nofollow author' href=/bo>Bo <b>Sea</b></a>", "Bo Sea"),
    ],
)
def test_an_author_is_a_name(head: str, author: str) -> None:
    page = PAGE.replace('<meta name=author content="Ada  Tide">', head)
    assert main_text(page).author == author


def test_the_url_tells_a_date_where_the_page_does_not() -> None:
    page = PAGE.replace("2021-03-04T05:06:07Z", "")
    assert main_text(page).date == ""
    assert main_text(page, "http://h.test/2019/08/07/tides").date == "2019-08-07"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<",
        "\0\ud800",
        "<div>" * 50_000,
        "<p><font>" * 400 + "x",
        "<table><tr><td>" * 400 + "x",
        "<ul><li>a" * 5_000,
        "<?xml version='1.0' encoding='utf-16'?><html><p>x",
        "<html><!-- -- <p>x",
    ],
)
def test_a_hostile_page_is_no_crash(html: str) -> None:
    assert isinstance(main_text(html), MainText)


def test_a_page_too_large_has_a_full_text_alone() -> None:
    page = "<p>tidal power</p>" * 250_000
    assert main_text(page) == MainText()
    assert page_text(response(page), Formats(), main=True).kind == FULL


def test_a_page_has_its_main_text_or_else_its_full_one() -> None:
    main = page_text(response(PAGE), Formats(), main=True)
    assert (main.kind, main.date, main.author) == (MAIN, "2021-03-04", "Ada Tide")
    full = page_text(response(PAGE), Formats(), main=False)
    assert full.kind == FULL
    assert "Our shop" in full.text
    assert page_text(response("<title>x</title>"), Formats(), main=True).kind == NONE
    assert page_text(response("one\n\ntwo", "text/plain"), Formats(), main=True) == PageText("one\n\ntwo", FULL)
    assert page_text(response(b"\x89PNG\r\n\x1a\n\0\0", "image/png"), Formats(), main=True) == NO_TEXT


def test_xhtml_is_read_as_pages_are() -> None:
    page = PAGE.replace("<!doctype html>", '<?xml version="1.0"?>')
    assert page_text(response(page, "application/xhtml+xml"), Formats(), main=True).kind == MAIN
