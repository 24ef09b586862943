"""Sheets of A4 that are filled from the top down, with fpdf2: text of any script, boxes, rules, plots, page numbers.

fpdf2 has no shaping engine here, so lines are made by ``printedtext``. What the font (DejaVu Sans, which comes with
matplotlib) lacks is printed as its box; the character itself stays behind it, to be copied and searched for."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clew.export.printedtext import joined, printable, seen
from clew.export.printedtext import lines as broken
from clew.version import __version__

if TYPE_CHECKING:
    from fpdf import FPDF
    from fpdf.fonts import CoreFont
    from fpdf.fonts import TTFFont as TrueType

MARGIN = 15.0
FOOT = 18.0
"""mm at the foot of a sheet that are the page number's."""

INK, SOFT, LINE, CARD, LINK = "#1d2129", "#555e6b", "#d8dce2", "#f6f7f9", "#00538a"
FAMILY = "clew"
LANGUAGE = "en"
TOTAL = "\x02pages"
"""Stands for the number of pages until it is known. Outside text never holds a control character: it is ``shown``."""

_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


@dataclass(frozen=True, slots=True)
class Type:
    """A size of type in points, and the height of its lines in mm."""

    points: float
    line: float


TITLE, HEADING, BODY = Type(18, 8.5), Type(12, 6.0), Type(9, 4.5)
TABLE, SMALL = Type(8, 4.0), Type(6.5, 3.2)


class Paper:
    """A document that is being written; lengths are mm from the upper left corner."""

    ink = INK
    family = FAMILY

    def __init__(self, title: str, written: datetime) -> None:
        self._pdf = _document(title, written)
        self.width = self._pdf.epw
        self._y = 0.0
        self.new_page()

    def new_page(self) -> None:
        """Go on at the top of another sheet."""
        self._pdf.add_page()
        self._y = MARGIN

    def has_room(self, height: float) -> bool:
        """Whether so much fits on this sheet."""
        return self._y + height <= self._pdf.h - FOOT

    def room(self, height: float) -> float:
        """Where something of this height begins: here, or at the top of another sheet."""
        if not self.has_room(height) and self._y > MARGIN:
            self.new_page()
        return self._y

    def down_to(self, y: float) -> None:
        """What comes next begins there."""
        self._y = y

    def gap(self, height: float) -> None:
        """Leave so much free."""
        self._y += height

    def lines(self, text: str, size: Type, width: float, bold: bool = False) -> list[str]:
        """Text from outside in lines that fit, each as it is seen."""
        plain = printable(text)
        self._choose(plain, size, bold)
        return broken(plain, partial(self._wide, size, bold), width)

    def put(
        self,
        lines: Sequence[str],
        size: Type,
        left: float,
        top: float,
        *,
        bold: bool = False,
        soft: bool = False,
        right_at: float | None = None,
        link: str = "",
    ) -> None:
        """Print finished lines below each other, from ``left`` on or up to ``right_at``, as links if need be."""
        self._pdf.set_text_color(LINK if link else SOFT if soft else INK)
        for place, line in enumerate(lines):
            self._choose(line, size, bold)
            width = self._pdf.get_string_width(line)
            x, y = left if right_at is None else right_at - width, top + place * size.line
            self._pdf.text(x, y + size.line * 0.76, line)
            if link:
                self._pdf.link(x, y, width, size.line, link)

    def paragraph(self, text: str, size: Type, *, bold: bool = False, soft: bool = False) -> None:
        """Text over the whole width, kept together."""
        lines = self.lines(text, size, self.width, bold)
        top = self.room(len(lines) * size.line)
        self.put(lines, size, MARGIN, top, bold=bold, soft=soft)
        self._y = top + len(lines) * size.line

    def heading(self, text: str, level: int = 1) -> None:
        """A heading, never alone at the foot of a sheet, and its entry in the outline."""
        size = HEADING if level == 1 else BODY
        self._y += 4 if self._y > MARGIN else 0
        self.room(40)
        self.outline(text, level)
        self.paragraph(text, size, bold=True)

    def outline(self, text: str, level: int = 0) -> None:
        """Let the outline lead here."""
        self._pdf.set_y(self._y)
        self._pdf.start_section(printable(text, 100), level, strict=False)

    def box(self, left: float, top: float, width: float, height: float, colour: str) -> None:
        """A filled box with a thin edge."""
        self._pdf.set_fill_color(colour)
        self._pdf.set_draw_color(LINE)
        self._pdf.set_line_width(0.2)
        self._pdf.rect(left, top, width, height, style="DF", round_corners=True, corner_radius=1.2)

    def rule(self, y: float) -> None:
        """A thin line over the whole width."""
        self._pdf.set_draw_color(LINE)
        self._pdf.set_line_width(0.2)
        self._pdf.line(MARGIN, y, MARGIN + self.width, y)

    def height_of(self, svg: str, width: float) -> float:
        """How high a drawing is that is so wide."""
        found = _SIZE.search(svg)
        return width * float(found[2]) / float(found[1]) if found else width / 2

    def draw(self, svg: str, left: float, top: float, width: float, says: str) -> None:
        """Put a drawing there; ``says``: for those who cannot see it."""
        self._choose(svg, BODY, bold=False)
        self._pdf.image(io.BytesIO(svg.encode()), left, top, width, alt_text=printable(says))

    def finished(self) -> bytes:
        """The document."""
        return bytes(self._pdf.output())

    def _wide(self, size: Type, bold: bool, text: str) -> float:
        self._choose(text, size, bold)
        return self._pdf.get_string_width(text)

    def _choose(self, text: str, size: Type, bold: bool) -> None:
        """Choose the font, and let it have a box for each character of the text that it lacks."""
        self._pdf.set_font(FAMILY, "B" if bold else "", size.points)
        add_boxes(self._pdf.fonts[f"{FAMILY}{'B' if bold else ''}"], text)


def add_boxes(font: CoreFont | TrueType, text: str) -> None:
    """Let the font's sign for what it lacks (glyph 0) stand for the characters of a text that it lacks: fpdf2 leaves
    such characters out, and says so in its log."""
    from fpdf.fonts import TTFFont

    if not isinstance(font, TTFFont):  # those that every viewer has; none of them is used here
        return
    for code in map(ord, set(text)):
        if code not in font.glyph_ids:
            font.glyph_ids[code], font.cmap[code] = 0, ".notdef"
            font.cw[code] = round(font.desc.missing_width)


def _document(title: str, written: datetime) -> FPDF:
    """An empty document with its fonts, what it is called, and a page number at the foot of each sheet."""
    import matplotlib as mpl
    from fpdf import FPDF
    from fpdf.prefs import ViewerPreferences

    class Numbered(FPDF):
        def footer(self) -> None:
            self.set_font(FAMILY, "", SMALL.points)
            self.set_text_color(SOFT)
            self.text(MARGIN, self.h - FOOT / 2, name)
            self.set_xy(self.w - MARGIN - self.get_string_width(f"{self.page_no()} / 10"), self.h - FOOT / 2 - 2.7)
            self.cell(0, 4, f"{self.page_no()} / {TOTAL}")

    name = seen(joined(printable(title, 90)))
    pdf = Numbered(format="A4")
    fonts = Path(mpl.get_data_path()) / "fonts" / "ttf"
    pdf.add_font(FAMILY, "", fonts / "DejaVuSans.ttf")
    pdf.add_font(FAMILY, "B", fonts / "DejaVuSans-Bold.ttf")
    add_boxes(pdf.fonts[FAMILY], name)
    pdf.set_margin(MARGIN)
    pdf.c_margin = 0
    pdf.set_auto_page_break(False)
    pdf.alias_nb_pages(TOTAL)
    pdf.set_title(title)
    pdf.set_lang(LANGUAGE)
    pdf.set_creator(f"Clew {__version__}")
    pdf.set_creation_date(written)
    pdf.viewer_preferences = ViewerPreferences(display_doc_title=True)
    return pdf
