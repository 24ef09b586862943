"""A crawl's report as a PDF on A4: the same as the HTML page, with vector plots, page numbers and an outline."""

from __future__ import annotations

from datetime import datetime

from clew.export import readings
from clew.export.paper import BODY, CARD, HEADING, MARGIN, SMALL, TITLE, Paper
from clew.export.plots import printed
from clew.export.printedtext import printable
from clew.export.readings import Section
from clew.export.reportdata import ReportData
from clew.export.reporttable import table

PLOT_WIDTH = 118.0
"""mm; the plot's own width is 142, so that its text of 10 points is printed with 8."""

PLOT_GAP = 4.0
FACTS_A_ROW = 4


def pdf(data: ReportData) -> bytes:
    """The whole document. ``data.written``: ISO 8601."""
    paper = Paper(f"{printable(data.name)} – Clew report", datetime.fromisoformat(data.written))
    paper.outline(data.name)
    paper.paragraph(data.name, TITLE, bold=True)
    paper.paragraph(readings.verdict(data), BODY, soft=True)
    paper.gap(3)
    _facts(paper, data)
    sections = readings.sections(data)
    for section in sections:
        _plot(paper, section)
    if not sections:
        paper.paragraph(readings.NOTHING, BODY, soft=True)
    _tables(paper, data)
    paper.gap(4)
    paper.paragraph(f"Written by Clew on {data.written}.", SMALL, soft=True)
    return paper.finished()


def _facts(paper: Paper, data: ReportData) -> None:
    """Cards of equal width, some in a row; each row as high as its longest fact needs."""
    gap, facts = 3.0, list(data.facts.items())
    width = (paper.width - gap * (FACTS_A_ROW - 1)) / FACTS_A_ROW
    for first in range(0, len(facts), FACTS_A_ROW):
        row = [
            (paper.lines(name, SMALL, width - 5), paper.lines(value, BODY, width - 5, bold=True))
            for name, value in facts[first : first + FACTS_A_ROW]
        ]
        height = max(len(names) * SMALL.line + len(values) * BODY.line for names, values in row) + 3
        top = paper.room(height)
        for place, (names, values) in enumerate(row):
            left = MARGIN + place * (width + gap)
            paper.box(left, top, width, height, CARD)
            paper.put(names, SMALL, left + 2.5, top + 1.5, soft=True)
            paper.put(values, BODY, left + 2.5, top + 1.5 + len(names) * SMALL.line, bold=True)
        paper.down_to(top + height + gap)
    paper.gap(3)


def _plot(paper: Paper, section: Section) -> None:
    """The title and what the plot says on the left, the plot on the right."""
    svg = printed(section.svg, paper.ink, paper.family)
    height = paper.height_of(svg, PLOT_WIDTH)
    beside = paper.width - PLOT_WIDTH - 5
    title, says = paper.lines(section.title, HEADING, beside, bold=True), paper.lines(section.says, BODY, beside)
    top = paper.room(max(height, len(title) * HEADING.line + len(says) * BODY.line))
    paper.outline(section.title, level=1)
    paper.put(title, HEADING, MARGIN, top + 1, bold=True)
    paper.put(says, BODY, MARGIN, top + 2 + len(title) * HEADING.line, soft=True)
    paper.draw(svg, MARGIN + paper.width - PLOT_WIDTH, top, PLOT_WIDTH, f"{section.title}: {section.says}")
    paper.down_to(top + height + PLOT_GAP)


def _tables(paper: Paper, data: ReportData) -> None:
    """The best pages, and a table a collection where there are several."""
    paper.heading("Best pages")
    paper.paragraph(readings.best(data.best, data.choice), BODY, soft=True)
    if data.best:
        table(paper, data.best, "relevance")
    if len(data.collections) < 2:
        return
    paper.heading("Collections")
    paper.paragraph(readings.COLLECTIONS, BODY, soft=True)
    for one in data.collections:
        paper.heading(readings.collection(one), level=2)
        if one.pages:
            table(paper, one.pages, "correlation")
