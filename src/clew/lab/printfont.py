"""The font of plots for print: the Latin part of matplotlib's own, which a PDF embeds in a third of the time."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

ORIGINAL, OURS = "DejaVu Sans", "DejaVu Sans Latin"
LATIN = frozenset((0x0A, *range(0x20, 0x250), *range(0x2000, 0x2300)))
"""Code points: line ends; Latin letters; punctuation, arrows and mathematical signs."""

FAMILY, FULL_NAME, POSTSCRIPT_NAME, TYPOGRAPHIC_FAMILY = 1, 4, 6, 16


def family(figure: Any) -> str:
    """The family to print a figure with: the whole one where a text has other letters than Latin ones."""
    from matplotlib.text import Text

    texts = (text.get_text() for text in figure.findobj(Text))
    return _made() if all(LATIN.issuperset(map(ord, text)) for text in texts) else ORIGINAL


@cache
def _made() -> str:
    """Make the font, once a process, and tell matplotlib of it."""
    from fontTools import subset
    from matplotlib import font_manager

    options = subset.Options(layout_features=[], notdef_outline=True, glyph_names=True)
    options.drop_tables += ["GDEF", "GPOS", "GSUB", "MATH", "FFTM", "PfEd", "BDF"]
    folder = tempfile.TemporaryDirectory()  # matplotlib reads the file with every plot
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "latin.ttf"
    with subset.load_font(font_manager.findfont(ORIGINAL), options) as font:
        font.recalcTimestamp = False  # the same bytes whenever it is made
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=sorted(LATIN))
        subsetter.subset(font)
        names = dict.fromkeys((FAMILY, FULL_NAME, TYPOGRAPHIC_FAMILY), OURS) | {POSTSCRIPT_NAME: OURS.replace(" ", "")}
        for record in font["name"].names:
            record.string = names.get(record.nameID, record.string)
        font.save(path)
    font_manager.fontManager.addfont(path)
    return OURS
