"""Words looked up by the thousand: the same answers as a dictionary gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.text import forms
from clew.text.forms import LONGEST, FormTable, words_in

PAD = b" " * 8


def places(raw: bytes) -> tuple[np.ndarray, np.ndarray]:
    return words_in(np.frombuffer(raw, np.uint8))


def words(raw: bytes) -> list[bytes]:
    starts, lengths = places(raw)
    return [raw[start : start + length] for start, length in zip(starts, lengths, strict=True)]


class Asked:
    """Numbers words in the order in which it is asked about them; a word with a + in it is several."""

    def __init__(self) -> None:
        self.known: dict[bytes, int] = {}
        self.times = 0

    def __call__(self, word: bytes) -> int | None:
        self.times += 1
        return None if b"+" in word else self.known.setdefault(word, len(self.known) + 1)


def look_up(table: FormTable, *texts: str) -> list[int] | None:
    raw = " ".join(texts).encode() + PAD
    found = table.ids(raw, *places(raw))
    return None if found is None else found.tolist()


def test_words_stand_between_white_space_and_control_characters():
    assert words(b"one two\x00three\n" + PAD) == [b"one", b"two", b"three"]
    assert words(b"  x " + PAD) == [b"x"]
    assert words(PAD) == []


def test_a_word_is_asked_about_once_in_the_order_of_the_text():
    asked = Asked()
    table = FormTable(asked)
    assert look_up(table, "zeta alpha zeta middle") == [1, 2, 1, 3]
    assert look_up(table, "alpha beta") == [2, 4]
    assert asked.times == 4


def test_words_are_told_apart_at_every_length():
    table = FormTable(Asked())
    texts = ["a" * size for size in range(1, 70)] + ["a" * size + "b" for size in range(1, 70)]
    assert look_up(table, *texts) == list(range(1, len(texts) + 1))
    assert look_up(table, *texts) == list(range(1, len(texts) + 1))


def test_long_words_are_never_remembered():
    asked = Asked()
    table = FormTable(asked)
    look_up(table, "x" * LONGEST, "x" * (LONGEST + 1))
    look_up(table, "x" * LONGEST, "x" * (LONGEST + 1))
    assert asked.times == 3
    assert table.count == 1


def test_what_is_several_terms_is_asked_about_again_and_the_rest_is_kept():
    asked = Asked()
    table = FormTable(asked)
    assert look_up(table, "one a+b") is None
    assert look_up(table, "one") == [1]
    assert asked.times == 2
    assert look_up(table, "a+b") is None
    assert asked.times == 3


def test_a_table_starts_afresh_when_it_is_full(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(forms, "FORMS", 100)
    asked = Asked()
    table = FormTable(asked)
    for start in range(0, 1_000, 10):
        assert look_up(table, *(f"word{i}" for i in range(start, start + 10))) == list(range(start + 1, start + 11))
        assert table.count <= 100
    assert look_up(table, "word5") == [6]  # it was forgotten, and is asked about again
    assert asked.times == 1_001


def test_a_table_grows_with_its_words():
    table = FormTable(Asked())
    many = [f"w{i:x}" for i in range(20_000)]
    assert look_up(table, *many) == list(range(1, 20_001))
    assert look_up(table, *many[::-1]) == list(range(20_000, 0, -1))
    assert len(table._keys) == 1 << 17  # four slots a word, up to the next power of two


@settings(max_examples=200, deadline=None)
@example([["babbbcbcacccbccbcaca"], ["bbacacb", "a"]])  # the second of the new words is missed before the first
@given(st.lists(st.lists(st.text("abc", min_size=1, max_size=20), max_size=30), max_size=5))
def test_the_same_as_a_dictionary(batches: list[list[str]]):
    table, known = FormTable(Asked()), Asked()
    for batch in batches:
        assert look_up(table, *batch) == [known(word.encode()) for word in batch]
