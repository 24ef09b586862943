"""The places of tags and what they begin with."""

from __future__ import annotations

import numpy as np
import pytest

from clew.text.tagnames import TagNames, among, code, codes


def test_names_are_the_first_four_letters_after_each_less_than_sign() -> None:
    names = TagNames("é<DIV class=x></div><b>1 < 2<strong/><h1></P >")
    assert names.at.tolist() == [2, 15, 21, 26, 29, 38, 42]  # bytes: é takes two
    assert names.names.tolist() == [*map(code, ("div", "div", "b", "", "stro", "h", "p"))]
    assert names.ends.tolist() == [False, True, False, False, False, False, True]
    assert len(names) == 7


@pytest.mark.parametrize("text", ["", "<", "</", "<a", "a<", "\ud800<x"])
def test_short_and_odd_texts(text: str) -> None:
    assert len(TagNames(text)) == text.count("<")


def test_what_a_page_may_have() -> None:
    names = TagNames("<p><SVG></title>")
    assert names.may_have("svg") and names.may_have("title") and names.may_have("p")
    assert not names.may_have("math") and not names.may_have("frameset")


def test_start_tags_are_counted_by_name() -> None:
    assert TagNames("<b></b><B x><body></i><br>").starts(codes(["b", "i"])) == 2


@pytest.mark.parametrize(
    ("text", "longest"), [("", 0), ("a > b", 0), ("<p>", 2), ("<p><a <b c>x", 7), ("<p>text<a href", 7), ("<é>", 3)]
)
def test_the_longest_stretch_without_a_closing_sign(text: str, longest: int) -> None:
    assert TagNames(text).longest() == longest


def test_codes_among_others() -> None:
    some = codes(["td", "p"])
    assert among(np.array([code("p"), code("td"), code("tr"), 0, 2**32 - 1], np.uint32), some).tolist() == [
        True, True, False, False, False,
    ]  # fmt: skip
