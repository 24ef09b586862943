"""Pages in the syntax of XML."""

from __future__ import annotations

import time

import pytest

from clew.model import Outcome, Page, Response
from clew.text.xhtml import as_html
from support import READER

XHTML = "application/xhtml+xml"


def read(body: str, content_type: str = XHTML, codec: str = "utf-8") -> Page:
    head = (("Content-Type", content_type),)
    return READER.read(Response("http://a.test/", Outcome.OK, 200, head, body.encode(codec)))


def paths(page: Page) -> list[str]:
    return [url.removeprefix("http://a.test") for url in page.links.urls]


def test_report_13() -> None:
    page = read(
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>sailing</p>'
        '<a href="/2">y</a></body></html>'
    )
    assert (page.title, len(page.leaves), paths(page)) == ("", 2, ["/2"])


@pytest.mark.parametrize("tag", ["title", "script", "style", "textarea", "noscript", "iframe", "template", "select"])
@pytest.mark.parametrize("given", ["/", " /", ' src="x"/', " title='a > b / c' />", "\n\n/"])
def test_elements_may_be_empty(tag: str, given: str) -> None:
    page = read(f"<html><head/><body><{tag}{given}><p>sailing</p><a href='/2'>y</a></body></html>")
    assert paths(page)[-1:] == ["/2"] and page.links.anchors[-1] == "y"


@pytest.mark.parametrize("content_type", [XHTML, "Application/XHTML+XML; charset=utf-8", "text/xml", "application/xml"])
def test_content_types_of_xml(content_type: str) -> None:
    assert paths(read("<html><script src='x'/><a href='/2'>y</a></html>", content_type)) == ["/2"]


def test_as_html_the_same_page_is_what_browsers_make_of_it() -> None:
    page = read("<html><script src='x'/><a href='/2'>y</a></html>", "text/html")
    assert paths(page) == []


@pytest.mark.parametrize(
    "body",
    [
        "<html><title/><p>AT&T<a href='/2'>y</a>",  # a bare ampersand, missing ends
        "<html><title/><p>a < b</p><b><i></b></i><a href='/2'>y</a></html>",
        "<html><title/><p>&nbsp;&nosuch;</p><a href='/2'>y</a></html></html>",
        "<html><title/><p class=x checked>z</p><a href=/2>y</a>",
        "<html><title/><a href='/2'>y</a><!-- never closed",
        "<html><title/><a href='/2'>y</a><![CDATA[ never closed",
        "<html><title/><a href='/2'>y</a><?never closed",
        "<!DOCTYPE html [ never closed <html><title/><a href='/2'>y</a>",
        "junk <html><title/><a href='/2'>y</a>",
    ],
)
def test_what_is_not_well_formed_is_read_as_far_as_it_goes(body: str) -> None:
    assert paths(read(body)) == ["/2"]


def test_cdata_sections_are_text() -> None:
    page = read(
        "<html><title><![CDATA[A & B <c>]]></title><script><![CDATA[ if (a<b) write('</script>') ]]></script>"
        "<p><![CDATA[<a href='/no'>]]></p><a href='/2'>y</a></html>"
    )
    assert page.title == "A & B <c>" and paths(page) == ["/2"]


def test_names_with_prefixes() -> None:
    page = read(
        '<h:html xmlns:h="http://www.w3.org/1999/xhtml" xmlns:o="urn:other"><h:head><h:title>T</h:title></h:head>'
        '<h:body><o:a href="/no">n</o:a><h:p>sailing<h:br/><h:a href="/2">y</h:a></h:p></h:body></h:html>'
    )
    assert page.title == "T" and paths(page) == ["/2"] and page.links.anchors == ("y",)


def test_ends_of_void_elements_add_nothing() -> None:
    assert len(read("<html><body>a<br></br>b<img src='x'></img></body></html>").leaves) == 4


def test_instructions_and_declarations_are_no_text() -> None:
    page = read(
        '<?xml version="1.0" encoding="windows-1251"?><?style a > b?>'
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x" [<!ENTITY a "b">\n] ><html><p>яхта</p></html>',
        codec="windows-1251",
    )
    assert page.charset == "windows-1251" and len(page.leaves) == 1


def test_entities_are_not_expanded() -> None:
    """Neither a billion laughs nor files."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    body = f"<!DOCTYPE html [<!ENTITY l0 'ha'>{laughs}<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
    began = time.process_time()
    page = read(f"{body}<html><title>&l11;&f;</title><p>text</p></html>")
    assert page.title == "&l11;&f;" and time.process_time() - began < 2


def test_html_is_left_as_it_is() -> None:
    text = "<html><p class='a'>b<br/>c &amp; d</p><!-- <x/> --></html>"
    assert as_html(text) is text or as_html(text) == text
