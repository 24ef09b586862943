"""Links in the headers Refresh and Link."""

from __future__ import annotations

import pytest

from clew.model import LinkKind, Outcome, Page, Response
from clew.text.headerlinks import header_links
from support import READER


def read(body: str, *headers: tuple[str, str]) -> Page:
    given = (("Content-Type", "text/html"), *headers)
    return READER.read(Response("http://site.test/dir/page", Outcome.OK, 200, given, body.encode()))


def test_a_refresh_header_is_a_link() -> None:
    # report 09
    page = read('<title>t</title><p>sailing yacht</p><a href="/next">n</a>', ("Refresh", "0; url=/target"))
    assert page.links.urls == ("http://site.test/target", "http://site.test/next")
    assert page.links.kinds == (LinkKind.REFRESH, LinkKind.ANCHOR)


@pytest.mark.parametrize("value", ["5;URL='t'", '0, url="t"', "0 t", " 3 ; t", ".0;t"])
def test_the_odd_forms_of_a_refresh_header(value: str) -> None:
    """The page's base does not apply: it is not known when the header is read."""
    assert read("<base href=/other/><p>text", ("refresh", value)).links.urls == ("http://site.test/dir/t",)


def test_an_empty_page_may_refresh() -> None:
    assert read("", ("Refresh", "0;/t")).links.urls == ("http://site.test/t",)
    assert len(read("", ("Refresh", "30")).links) == 0
    assert len(read("", ("Refresh", "0;url=javascript:x")).links) == 0


def test_link_headers() -> None:
    page = read(
        "<p>text",
        (
            "Link",
            '<two>; rel="next"; title="Page, two", </style.css>; rel=preload; as=style, <zero>; rel=prev nofollow',
        ),
        ("link", '<http://de.test/>; rel="alternate"; hreflang=de,</feed>; rel=alternate; type="application/rss+xml"'),
        ("Link", '</x>; rel=next; anchor="/other", <>; rel=next, <broken; rel=next'),
        ("Link", '</dir/the-page>; rel="canonical"'),
    )
    assert page.links.urls == ("http://site.test/dir/two", "http://site.test/dir/zero", "http://de.test/")
    assert page.links.anchors == ("Page, two", "", "")
    assert page.canonical == "http://site.test/dir/the-page"


def test_parameters_of_link_headers() -> None:
    anchors, canonicals = header_links([("LINK", '<a>;REL="\\"up\\" nofollow";rel=last , <b> ; title=x ; rel = first')])
    assert [(one.href, one.nofollow, one.text) for one in anchors] == [("b", False, "x")]
    assert canonicals == []
