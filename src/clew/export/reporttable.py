"""The table of pages in a PDF: a row a page, never broken, with the heads again on each sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from clew.export.paper import MARGIN, SMALL, TABLE, Paper
from clew.export.printedtext import printable
from clew.export.reportdata import ReportPage
from clew.words import digits

COLUMNS = (9.0, 22.0, 30.0, 103.0, 16.0)
"""Widths in mm: place, measure, topic, page, links from the seeds; together the width of the text."""

LEFTS = tuple(MARGIN + sum(COLUMNS[:place]) for place in range(len(COLUMNS)))
NUMBERS = (0, 1, 4)
"""The columns that are set to the right."""

PADDING = 1.2
INNER = 2.0
"""mm between a column's text and the next column."""

MOST_TITLE, MOST_URL, MOST_TOPIC = 240, 200, 120
_WEB = re.compile("https?://", re.IGNORECASE)
_KEPT = "!#$%&'()*+,/:;=?@[]~"


def table(paper: Paper, pages: Sequence[ReportPage], measure: str) -> None:
    """A row a page; ``measure`` is what their relevance is called."""
    paper.gap(1)
    _heads(paper, measure)
    for place, page in enumerate(pages, 1):
        _row(paper, place, page, measure)


def link_of(url: str) -> str:
    """Where a page's title leads, in ASCII; "" unless it lies on the web."""
    return quote(url, safe=_KEPT, errors="replace") if _WEB.match(url) else ""


def _heads(paper: Paper, measure: str) -> None:
    heads = [
        paper.lines(name, SMALL, width - INNER, bold=True)
        for name, width in zip(("#", measure, "topic", "page", "links from seeds"), COLUMNS, strict=True)
    ]
    height = max(map(len, heads)) * SMALL.line + 2 * PADDING
    top = paper.room(height + 15)
    for place, lines in enumerate(heads):
        above = top + height - PADDING - len(lines) * SMALL.line
        paper.put(lines, SMALL, LEFTS[place], above, bold=True, soft=True, right_at=_right(place))
    paper.rule(top + height)
    paper.down_to(top + height)


def _right(place: int) -> float | None:
    return LEFTS[place] + COLUMNS[place] - INNER if place in NUMBERS else None


def _row(paper: Paper, place: int, page: ReportPage, measure: str) -> None:
    title = printable(page.title or page.url, MOST_TITLE) + (" (document)" if page.inherited else "")
    width = COLUMNS[3] - INNER
    titles = paper.lines(title, TABLE, width)
    urls = paper.lines(printable(page.url, MOST_URL), SMALL, width)
    topics = paper.lines(printable(page.topic, MOST_TOPIC), TABLE, COLUMNS[2] - INNER)
    height = max(len(titles) * TABLE.line + len(urls) * SMALL.line, len(topics) * TABLE.line) + 2 * PADDING
    if not paper.has_room(height):
        paper.new_page()
        _heads(paper, measure)
    top = paper.room(height)
    cells = {0: [f"{place}"], 1: [digits(page.relevance)], 2: topics, 4: [f"{page.depth}"]}
    for column, lines in cells.items():
        paper.put(lines, TABLE, LEFTS[column], top + PADDING, right_at=_right(column))
    link = link_of(page.url)
    paper.put(titles, TABLE, LEFTS[3], top + PADDING, link=link)
    paper.put(urls, SMALL, LEFTS[3], top + PADDING + len(titles) * TABLE.line, soft=True)
    paper.rule(top + height)
    paper.down_to(top + height)
