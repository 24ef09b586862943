"""Queries, words and snippets of a search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.collection.query import Part, Query, parse
from clew.collection.snippets import snippet
from clew.collection.tokens import fold, places, tokens
from clew.errors import InputError


def words(*found: str, prefix: bool = False) -> Part:
    return Part(found, prefix)


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("tidal", [words("tidal")], []),
        ("Tidal  POWER", [words("tidal"), words("power")], []),
        ('tidal "power plant" -nuclear', [words("tidal"), words("power", "plant")], [words("nuclear")]),
        ('-"power plant" tidal', [words("tidal")], [words("power", "plant")]),
        ("turbin*", [words("turbin", prefix=True)], []),
        ('"wind turb*"', [words("wind", "turb", prefix=True)], []),
        ("tidal -turb*", [words("tidal")], [words("turb", prefix=True)]),
        ("e-mail don't", [words("e", "mail"), words("don", "t")], []),
        ("tidal & power +", [words("tidal"), words("power")], []),
        ("“power plant”", [words("power", "plant")], []),
        ('tidal"power plant"', [words("tidal"), words("power", "plant")], []),
        ("tidal tidal", [words("tidal")], []),
        ("Rügen", [words("rugen")], []),
        ("潮汐発電", [words("潮汐", "汐発", "発電")], []),
        ("潮", [words("潮", prefix=True)], []),
        ("body:x OR y", [words("body", "x"), words("or"), words("y")], []),
    ],
)
def test_a_query_is_read_as_it_is_written(text: str, wanted: list[Part], unwanted: list[Part]) -> None:
    assert parse(text) == Query(tuple(wanted), tuple(unwanted))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('tidal "power plant', "not closed"),
        ("-nuclear", "only says what must not occur"),
        ('-nuclear -"power plant"', "only says what must not occur"),
        ("", "holds no word"),
        ("&&& ...", "holds no word"),
        ('""', "holds no word"),
        ("tidal - nuclear", "nothing stands after a -"),
        ("tur*bine", "a * stands at the end"),
        ("*", "needs the beginning of a word"),
    ],
)
def test_a_query_that_makes_no_sense_says_what_to_write(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("*", r"\*")) as raised:
        parse(text)
    assert raised.value.exit_code == 2


@given(st.text(max_size=60))
def test_any_query_is_read_or_refused(text: str) -> None:
    try:
        found = parse(text)
    except InputError:
        return
    assert found.wanted
    assert all(part.words and all(part.words) for part in (*found.wanted, *found.unwanted))


@given(st.text(max_size=200))
def test_words_do_not_hold_what_an_index_parts_words_by(text: str) -> None:
    assert not [word for word in tokens(text) if word != "".join(word.split()) or not word]


@given(st.text(max_size=120))
def test_places_are_those_of_the_text(text: str) -> None:
    assert all(fold(text[start:end]) == word for start, end, word in places(text))


def test_accents_case_and_forms_do_not_matter() -> None:
    assert tokens("Rügen RÜGEN ｒｕｇｅｎ ru\u0308gen") == ["rugen"] * 4
    assert tokens("straße STRASSE") == ["strasse"] * 2
    assert tokens("हिन्दी") == ["हिन्दी"], "vowel signs belong to the word"
    assert tokens("한국어") == ["한국어"], "Hangul stays composed"
    assert tokens("שָׁלוֹם שלום") == ["שלום"] * 2
    assert tokens("snake_case") == ["snake", "case"]
    assert tokens("x" * 101 + " y") == ["y"]


def test_a_snippet_is_where_most_words_are() -> None:
    text = f"tidal here. {'filler text ' * 60}a tidal power plant, tidal again. {'more text ' * 60}"
    found = snippet(text, parse('tidal "power plant"'))
    assert "a tidal power plant" in found.text
    assert found.cut == (True, True)
    assert [found.text[start:end] for start, end in found.marks] == ["tidal", "power", "plant", "tidal"]


def test_a_snippet_marks_what_was_written_otherwise() -> None:
    found = snippet("The RÜGEN\nbridge and 潮汐発電 turbines", parse("rugen turb* 汐発電"))
    assert found.text == "The RÜGEN bridge and 潮汐発電 turbines"
    assert [found.text[start:end] for start, end in found.marks] == ["RÜGEN", "汐発電", "turbines"]
    assert found.cut == (False, False)


def test_a_snippet_without_the_words_is_the_beginning() -> None:
    assert snippet("one two three", parse("four")).text == "one two three"
    assert snippet("", parse("four")).text == ""


@given(st.text(max_size=600), st.sampled_from(["a", "a b*", '"a b"', "潮"]))
def test_snippets_of_any_text_hold_together(text: str, query: str) -> None:
    found = snippet(text, parse(query))
    assert all(0 <= start < end <= len(found.text) for start, end in found.marks)
    assert all(first[1] < second[0] for first, second in zip(found.marks, found.marks[1:], strict=False))
