"""Every scan of text from outside takes time linear in the text, whatever is never closed in it.

The table of scans and the inputs are those of ``benchmarks.scans``, which shows the growth of each."""

from __future__ import annotations

import re

import pytest
from benchmarks.scanned import SCANS, Scan
from benchmarks.scans import INPUTS, MOST, growth

LONGEST = 1 << 14
"""A scan that looks back at every character takes seconds for as many."""


@pytest.mark.parametrize("scan", SCANS, ids=lambda scan: scan.name)
def test_twice_the_input_takes_about_twice_the_time(scan: Scan) -> None:
    found = [growth(scan, name, LONGEST) for name in INPUTS]
    assert [(row.input, row.size, row.once_s, row.twice_s) for row in found if row.ratio > MOST] == []


@pytest.mark.parametrize(
    ("pattern", "name"), [(r"<[^>]*>", "<x"), (r"\s*$", " "), (r"(?:<!--.*?-->\s*)*<html", "<!---->")]
)
def test_a_scan_that_looks_back_is_found(pattern: str, name: str) -> None:
    """The measure itself can fail: patterns as they once were, quadratic and exponential."""
    careless = re.compile(pattern)
    row = growth(Scan("careless", lambda text: careless.sub("", text + "x")), name, LONGEST)
    assert row.ratio > MOST
