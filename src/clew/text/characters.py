"""Character-level work on text from outside, safe where the standard library is not."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

MAX_MARKS = 30
"""Combining marks that may follow each other (UAX 15, stream-safe text); the rest of a longer run is dropped."""

_SHORT = 2_000
"""Characters that are normalised as they are, whatever they are."""

_NON_STARTERS = 0x1F000
"""No combining mark that is reordered lies beyond."""

_ZEROS = re.compile(r"&#0++(?=[0-9])")
_HUGE = re.compile(r"&#[0-9]{8,}+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def nfc(text: str) -> str:
    """Text composed (NFC). Python sorts a run of combining marks in the square of its length: long runs are cut."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _mark_run().sub(r"\1", text) if len(text) > _SHORT else text)


def unescape(text: str) -> str:
    """Text with its HTML character references replaced; numbers of any length are read, and mean U+FFFD."""
    return html.unescape(_HUGE.sub("&#99999999", _ZEROS.sub("&#", text)) if "&#" in text else text)


def well_formed(text: str) -> str:
    """Text that can be written in UTF-8: lone surrogates become U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


@lru_cache(maxsize=1)
def _mark_run() -> re.Pattern[str]:
    """As many combining marks as are kept, and more."""
    marks: list[list[int]] = []
    for point in range(0x300, _NON_STARTERS):
        if unicodedata.combining(chr(point)):
            if marks and marks[-1][1] == point - 1:
                marks[-1][1] = point
            else:
                marks.append([point, point])
    ranges = "".join(f"{chr(first)}-{chr(last)}" for first, last in marks)
    return re.compile(f"([{ranges}]{{{MAX_MARKS}}})[{ranges}]++")
