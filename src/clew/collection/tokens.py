"""Words as they are searched: without case and accents; scripts that part no words, two characters at a time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

MOST_CHARS = 100
"""What is longer is no word anybody looks for."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana and Han."""

_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670"
"""Accents, and the vowel signs of Hebrew and Arabic that writers mostly leave out."""

_WORD = re.compile(
    f"[^\\W_{_UNSPACED}][^\\W_{_UNSPACED}{_MARKS}\u0900-\u0dff]*(?:[{_MARKS}\u0900-\u0dff]+[^\\W_{_UNSPACED}]*)*|[{_UNSPACED}]+"
)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_DROPPED = re.compile(f"[{_MARKS}]")
_FIRST_UNSPACED = re.compile(f"[{_UNSPACED}]")


def fold(text: str) -> str:
    """Text without case, accents and forms that only look different (Unicode NFKC and case folding)."""
    if text.isascii():
        return text.lower()
    bare = _DROPPED.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", bare)


def tokens(text: str) -> list[str]:
    """The words of a text, in order."""
    folded = fold(text)
    if folded.isascii():
        return [word for word in _ASCII_WORD.findall(folded) if len(word) <= MOST_CHARS]
    return [token for word in _WORD.findall(folded) for _, _, token in _pieces(word) if len(token) <= MOST_CHARS]


def places(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, token) of each word where it stands in the text."""
    for found in _WORD.finditer(text):
        for start, end, piece in _pieces(found[0]):
            yield found.start() + start, found.start() + end, fold(piece)


def _pieces(word: str) -> Iterator[tuple[int, int, str]]:
    """A word; or, of a script that parts no words, every two neighbours."""
    if len(word) < 2 or not _FIRST_UNSPACED.match(word):
        yield 0, len(word), word
        return
    for start in range(len(word) - 1):
        yield start, start + 2, word[start : start + 2]


def unspaced(text: str) -> bool:
    """Whether the text begins in a script that parts no words."""
    return bool(_FIRST_UNSPACED.match(text))
