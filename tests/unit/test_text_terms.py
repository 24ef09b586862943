"""Terms and languages."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest
import Stemmer
import wordfreq
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.text import terms
from clew.text.language import frequency_bins, language, stop_words
from clew.text.terms import DROPPED, Tokeniser, name, term_id, tokeniser


def ids_of(language: str, words: list[str]) -> list[int]:
    """What the ids of words must be."""
    algorithm = terms._STEMMERS.get(language)
    stem = Stemmer.Stemmer(algorithm).stemWord if algorithm else str
    return [term_id(stem(word)) for word in words]


def ids(language: str, text: str) -> list[int]:
    return Tokeniser(language).ids(text).tolist()


def test_term_ids_are_the_same_everywhere():
    # blake2b, 4 bytes, little-endian: stored crawls depend on it
    assert term_id("crawl") == int.from_bytes(hashlib.blake2b(b"crawl", digest_size=4).digest(), "little")
    assert term_id("crawl") == _in_another_process("crawl")
    assert 0 < term_id("") < DROPPED


def _in_another_process(stem: str) -> int:
    code = f"from clew.text.terms import term_id; print(term_id({stem!r}))"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("en", "crawling", "Crawls"),
        ("de", "Häuser", "häusern"),
        ("fr", "chercheur", "chercheurs"),
        ("es", "bibliotecas", "biblioteca"),
        ("it", "biblioteche", "biblioteca"),
        ("pt", "bibliotecas", "biblioteca"),
        ("nl", "boeken", "boek"),
        ("ru", "книги", "книга"),
        ("sv", "böckerna", "böckernas"),
        ("da", "bøgerne", "bøgernes"),
        ("no", "bøkene", "bøkenes"),
        ("fi", "kirjasto", "kirjastossa"),
        ("ar", "كتاب", "الكتاب"),
        ("tr", "ISLAK", "ıslak"),
        ("el", "βιβλία", "βιβλίων"),
    ],
)
def test_forms_of_a_word_are_one_term(code: str, one: str, other: str):
    terms = Tokeniser(code)
    assert len(terms.ids(one)) == 1
    assert terms.ids(one).tolist() == terms.ids(other).tolist()


@pytest.mark.parametrize("code", ["en", "de", "fr", "es", "it", "pt", "nl", "ru", "sv", "da", "no", "fi", "ar", "el"])
def test_every_language_has_stop_words_that_are_common(code: str):
    assert 20 <= len(stop_words(code)) <= 80


def test_lists_are_those_of_the_library():
    for code in ("en", "de", "el", "ru", "nb"):
        assert frequency_bins(code) == wordfreq.get_frequency_list(code, "small")
    assert frequency_bins("xx") == []


def test_stop_words_are_left_out_and_content_is_not():
    text = "The research of the computer and its fire"
    assert ids("en", text) == ids_of("en", ["research", "computer", "its", "fire"])


def test_what_counts_as_a_term():
    words = ["1999", "3rd", "x2", "foo", "bar", "don", "mail"]
    assert ids("en", "a I x 7 1999 12345 3rd x2 foo_bar don't e-mail") == ids_of("en", words)
    assert ids("", "x" * 41 + " " + "y" * 40) == ids_of("", ["y" * 40])


def test_diacritics_stay_and_are_composed():
    assert Tokeniser("fr").ids("cafe\u0301").tolist() == Tokeniser("fr").ids("café").tolist()
    assert Tokeniser("").ids("café").tolist() != Tokeniser("").ids("cafe").tolist()


def test_invisible_characters_do_not_part_words():
    assert Tokeniser("de").ids("Compu\u00adter").tolist() == Tokeniser("de").ids("Computer").tolist()


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("zh", "信息检索", ["信息", "息检", "检索"]),
        ("en", "see 信息检索 now", ["see", "信息", "息检", "检索", "now"]),
        ("ja", "東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("ko", "검색", ["검색"]),
        ("zh", "中", ["中"]),
        ("", "Python入門", ["python", "入門"]),
        ("th", "ไทย", ["ไท", "ทย"]),
        ("hi", "हिन्दी विकिपीडिया", ["हिन्दी", "विकिपीडिया"]),
        ("", "हिन्दी", ["हिन्दी"]),
        ("en", "α→β gamma—delta “quoted” e.g.\u00a0x9", ["gamma", "delta", "quoted", "x9"]),
    ],
)
def test_scripts(code: str, text: str, expected: list[str]):
    assert ids(code, text) == ids_of(code, expected)


def test_rows_are_the_texts_one_by_one():
    texts = ["The quick brown fox", "", "of the", "jumps 信息检索", "nul\x00inside", "dog"]
    found, starts = Tokeniser("en").rows(texts)
    assert starts.dtype == np.int32 and found.dtype == np.uint32 and len(starts) == len(texts) + 1
    for place, text in enumerate(texts):
        assert found[starts[place] : starts[place + 1]].tolist() == ids("en", text)
    empty = Tokeniser("en").rows([])
    assert len(empty[0]) == 0 and empty[1].tolist() == [0]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=6), st.sampled_from(["en", "tr", "", "hi", "el"]))
def test_the_quick_way_and_the_thorough_way_agree(texts: list[str], code: str):
    terms_of = Tokeniser(code)
    joined = "\x00".join(text.replace("\x00", " ") for text in texts)
    one = terms_of._quick(joined)
    if one is not None:
        other = terms._split(Tokeniser(code)._thorough(joined))
        assert one[0].tolist() == other[0].tolist() and one[1].tolist() == other[1].tolist()


def test_only_what_is_no_letter_is_blanked_out_in_utf_8():
    for point in range(0x80, 0x3000):
        if terms._BETWEEN.fullmatch(chr(point).encode()):
            assert not chr(point).isalnum(), hex(point)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(terms, "FORMS", 100)
    small = Tokeniser("zh")  # cut up by the book
    before = small.ids("crawler").tolist()
    for i in range(1000):
        small.ids(f"word{i}x")
    assert len(small._lexicon) <= 102
    assert small.ids("crawler").tolist() == before


def test_names_are_words_that_were_seen():
    numbers = tokeniser("en").ids("Zymurgists zymurgist")
    assert len(set(numbers.tolist())) == 1
    assert name(int(numbers[0])) == "zymurgists"
    assert name(12345) == ""


GERMAN = "Das ist ein deutscher Text über die Forschung und ihre Ergebnisse, der nicht englisch sein kann. " * 3
RUSSIAN = "Это русский текст о поиске информации в сети, и он не может быть английским. " * 3
ENGLISH = "This is a text about the search for information on the web, and it is in English. " * 3
CHINESE = "这是关于网络信息检索的中文文本，不可能是英文。" * 5
JAPANESE = "これはウェブの情報検索についての日本語の文章です。英語ではありません。" * 3


@pytest.mark.parametrize(
    ("attribute", "text", "expected"),
    [
        ("en", ENGLISH, "en"),
        ("en-GB", ENGLISH, "en"),
        ("EN_us", "", "en"),
        ("de-AT", "kurz", "de"),
        ("nb", "", "no"),
        ("nn-NO", "", "no"),
        ("deu", "", "de"),
        ("x-default", "", ""),
        ("", "", ""),
        ("", "ok 12", ""),
        ("", ENGLISH, "en"),
        ("", GERMAN, "de"),
        ("", RUSSIAN, "ru"),
        ("", CHINESE, "zh"),
        ("", JAPANESE, "ja"),
        ("en", RUSSIAN, "ru"),  # a template's default
        ("en", GERMAN, "de"),
        ("en", CHINESE, "zh"),
        ("zh", CHINESE, "zh"),
        ("ja", JAPANESE, "ja"),
        ("ru", RUSSIAN, "ru"),
        ("", "0123 4567 " * 50, ""),
        ("en", "Camera | Lens | Tripod | Bag | Filter | Flash | Battery | Card " * 5, "en"),  # a list of words
    ],
)
def test_language(attribute: str, text: str, expected: str):
    assert language(attribute, text) == expected


def test_the_language_detector_is_loaded_only_when_needed():
    code = (
        "import sys; from clew.text.terms import language\n"
        f"assert language('en', {ENGLISH!r}) == 'en'\n"
        "assert not any(name.startswith('py3langid') for name in sys.modules)\n"
        f"assert language('', {ENGLISH!r}) == 'en'\n"
        "assert any(name.startswith('py3langid') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
