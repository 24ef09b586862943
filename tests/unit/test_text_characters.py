"""Characters: what the standard library takes the square of the length for, or refuses."""

from __future__ import annotations

import unicodedata

import pytest

from clew.text.characters import MAX_MARKS, nfc, unescape, well_formed
from clew.text.terms import tokeniser


@pytest.mark.parametrize("text", ["Ame\u0301lie", "가", "ẹ́", "plain", "a" + "\u0316\u0300" * 15])
def test_composed_as_everywhere(text: str) -> None:
    assert nfc(text) == unicodedata.normalize("NFC", text)
    assert nfc(text * 3000) == unicodedata.normalize("NFC", text * 3000)


def test_long_runs_of_marks_are_cut() -> None:
    text = "a" + "\u0300\u0316" * 5000 + "b"
    assert len(nfc(text)) <= MAX_MARKS + 2 and nfc(text).endswith("b")
    assert len(tokeniser("ru").ids("слово " + text)) == 1


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("&#" + "1" * 10_000 + ";x", "\ufffdx"),
        ("&#" + "0" * 10_000 + "65;", "A"),
        ("&#x" + "f" * 10_000 + ";", "\ufffd"),
        ("&#65;&#x42;&amp;&nosuch;", "AB&&nosuch;"),
        ("&#xD800;", "\ufffd"),
        ("&#12345678", "\ufffd"),
        ("&#", "&#"),
    ],
)
def test_character_references(text: str, plain: str) -> None:
    assert unescape(text) == plain


def test_lone_surrogates() -> None:
    assert well_formed("a\ud800b\udfff😀") == "a\ufffdb\ufffd😀"
