"""Every scan of text from outside takes time linear in the text, whatever is never closed in it.

The table of scans and the inputs are those of ``benchmarks.scans``, which shows how each grows, with all inputs."""

from __future__ import annotations

import re

import pytest
from benchmarks import scans
from benchmarks.scanned import SCANS, Scan
from benchmarks.scans import INPUTS, MOST, growth

LONGEST = 1 << 14
"""A scan that looks back at every character of so many is slow enough to be found."""

TELLING = (
    "<x", "<!-- ", "<!---->", "<script>", "<![CDATA[", "<a href=", "<a href=/x>", "&#", " ", "\\r", "(", "%", "a.",
    "a=", "/", "<li><ul>", "<svg><a href=/x>", "a quote in a tag", "a script of ends", "a status line of CR",
    "a host of ideographs", "comments before text", "a comment of dashes", "a AND ", "jsessionid=",
)  # fmt: skip
"""Inputs that found something once, or are like them."""


@pytest.mark.parametrize("scan", SCANS, ids=lambda scan: scan.name)
def test_twice_the_input_takes_about_twice_the_time(scan: Scan) -> None:
    assert set(TELLING) <= set(INPUTS)
    suspects = [name for name in TELLING if growth(scan, name, LONGEST).ratio > MOST]
    again = [growth(scan, name, LONGEST) for name in suspects]  # on a busy machine one measurement is none
    assert [(row.input, row.size, row.once_s, row.twice_s) for row in again if row.ratio > MOST] == []


@pytest.mark.parametrize(
    ("pattern", "name"), [(r"<[^>]*>", "<x"), (r"\s*$", " "), (r"(?:<!--.*?-->\s*)*<html", "<!---->")]
)
def test_a_scan_that_looks_back_is_found(pattern: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The measure itself can fail: patterns as they once were, quadratic and exponential."""
    monkeypatch.setattr(scans, "PATIENCE_S", 1.0)
    careless = re.compile(pattern)
    scan = Scan("careless", lambda text: careless.sub("", text + "x"))
    assert any(growth(scan, name, 4 * LONGEST).ratio > MOST for _ in range(3))  # on a busy machine one is none
