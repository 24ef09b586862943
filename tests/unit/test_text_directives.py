"""Robots directives of headers and meta elements."""

from __future__ import annotations

import pytest

from clew.text.directives import directives

NOW = 1_900_000_000.0  # March 2030
LATER, BEFORE = "Wed, 25 Jun 2031 15:00:00 GMT", "Tue, 25 Jun 2024 15:00:00 GMT"


def wishes(*headers: str, robots: str = "", agent: str = "clew") -> str:
    """What is forbidden, in letters: i for noindex, f for nofollow."""
    metas = [("robots", robots)] if robots else []
    found = directives([("X-Robots-Tag", value) for value in headers], metas, agent, NOW)
    return "i" * ("noindex" in found) + "f" * ("nofollow" in found)


@pytest.mark.parametrize(
    ("value", "forbidden"),
    [
        (f"unavailable_after: {LATER}, noindex, nofollow", "if"),  # report 11
        (f"noindex, unavailable_after: {LATER}, nofollow", "if"),
        (f"unavailable_after: {LATER}", ""),
        (f"unavailable_after: {BEFORE}", "i"),
        ("unavailable_after: 25 Jun 2031 15:00:00 PST, nofollow", "f"),
        ("unavailable_after: Wednesday, 25-Jun-31 15:00:00 GMT, nofollow", "f"),
        ("unavailable_after: Wednesday, June 25, 2031 15:00:00 GMT, nofollow", "f"),
        ("unavailable_after: 2031-06-25T15:00:00+00:00, nofollow", "f"),
        ("unavailable_after: 2024-06-25T15:00:00+00:00", "i"),
        ("unavailable_after: 2024-06-25", "i"),
        ("unavailable_after: never, nofollow", "f"),
        (f"other: unavailable_after: {BEFORE}, noindex", ""),
        (f"clew: unavailable_after: {BEFORE}, nofollow", "if"),
        (f"other: noindex, clew: unavailable_after: {LATER}, nofollow", "f"),
        (f"unavailable_after: {LATER}, other: noindex, nofollow", ""),
        ("max-snippet:0, max-image-preview: none, nofollow", "f"),
        ("max-image-preview:none", ""),
        ("other: max-snippet: 5, noindex", ""),
        ("max-something: 3, noindex", "i"),  # a directive of tomorrow, not a robot
        ("tdm-reservation: 1, nofollow", "f"),
        ("X-Robots-Tag: noindex", "i"),
        ('"noindex, nofollow"', "if"),
        ("'noindex'", "i"),
        ("noindex|nofollow", "if"),
        ("noindex:", "i"),
        ("noindex: true", "i"),
        ("noindex=1, nofollow", "if"),
        ("max-snippet: 20, max-video-preview:-1, noindex", "i"),
        ("none", "if"),
        ("NOINDEX", "i"),
        ("noindex nofollow", "if"),
        ("noindex; nofollow", "if"),
        ("noindex,,nofollow,", "if"),
        ("other: noindex, nofollow", ""),
        ("Clew: noindex", "i"),
        ("*: noindex", "i"),
        ("other : nofollow", ""),
        ("other: nofollow, clew: noindex", "i"),
        ("noindex, other: nofollow", "i"),
        ("all, index, follow", ""),
        ("", ""),
    ],
)
def test_headers(value: str, forbidden: str) -> None:
    assert wishes(value) == forbidden


def test_several_headers_are_read_one_by_one() -> None:
    assert wishes("other: noindex", "nofollow") == "f"
    assert wishes("nofollow", f"unavailable_after: {LATER}", "other: none", "noindex") == "if"


@pytest.mark.parametrize(
    ("value", "forbidden"),
    [
        (f"unavailable_after: {LATER}, noindex, nofollow", "if"),
        (f"nofollow, unavailable_after: {BEFORE}", "if"),
        ("noindex nofollow", "if"),
        ("noindex;nofollow", "if"),
        ("NONE", "if"),
        ("index, follow, max-image-preview:large", ""),
    ],
)
def test_meta_elements(value: str, forbidden: str) -> None:
    assert wishes(robots=value) == forbidden


def test_a_meta_element_may_name_the_robot() -> None:
    metas = [("clew", "noindex"), ("other", "nofollow"), ("description", "none")]
    assert directives([], metas, "clew", NOW) == {"noindex"}
