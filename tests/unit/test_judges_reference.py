"""The reference corpus by hand, and whether the table that ships is sensible."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from math import log

import numpy as np
import pytest

from clew.errors import ConfigError, InputError
from clew.judges import background
from clew.judges.base import JudgeContext
from clew.judges.features import Features, pair_ids
from clew.judges.reference import STEP, Reference, pack, shares_for, shipped_languages, shipped_shares, unpack
from clew.model import Doubles
from clew.text.language import stop_words
from clew.text.terms import tokeniser
from support import page_of_terms as page
from support import uints

SMALL = Reference(uints(3, 5, 9), np.array([1.0, 4.0, 10.0]), 10.0)
"""Ten documents: term 3 in one of them, 5 in four, 9 in all."""


def test_idf_is_the_logarithm_of_n_over_f() -> None:
    assert SMALL.df_of(uints(9, 4, 3, 5)).tolist() == [10.0, 0.0, 1.0, 4.0]
    # log(10/10), unseen: log(10/1), log(10/1), log(10/4)
    assert SMALL.idf(uints(9, 4, 3, 5)).tolist() == pytest.approx([0.0, log(10), log(10), log(2.5)])


def test_with_add_one_an_unseen_word_is_rarer_than_one_seen_once() -> None:
    # log(11/11), log(11/1), log(11/2), log(11/5)
    assert SMALL.idf(uints(9, 4, 3, 5), add_one=True).tolist() == pytest.approx([0, log(11), log(5.5), log(2.2)])


def test_an_empty_corpus_divides_by_nothing() -> None:
    nothing = Reference.learned([])
    assert len(nothing) == 0 and nothing.documents == 0
    assert nothing.idf(uints(1, 2)).tolist() == [0.0, 0.0] == nothing.idf(uints(1, 2), add_one=True).tolist()


def test_a_table_is_learned_from_pages_that_count_a_term_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages {7}, {7, 8}, {8, 2}: 7 in two, 8 in two, 2 in one of three. Counting in between changes nothing."""
    pages = [page([7], [7, 7]), page([], [8, 7]), page([8], [2])]
    for buffer in (1_000, 1):
        monkeypatch.setattr("clew.judges.reference.BUFFER", buffer)
        learned = Reference.learned(pages)
        assert (learned.ids.tolist(), learned.df.tolist(), learned.documents) == ([2, 7, 8], [1, 2, 2], 3)
        assert not learned.pairs


def test_pairs_can_be_learned() -> None:
    learned = Reference.learned([page([7], [8]), page([], [7, 8, 7])], Features(pairs=True))
    assert learned.pairs
    both, turned = pair_ids(uints(7, 8)), pair_ids(uints(8, 7))
    assert learned.df_of(np.concatenate([both, turned, uints(7)])).tolist() == [2, 1, 2]


def test_a_document_of_the_other_table_counts_its_weight() -> None:
    """10 + 0.5·4 documents; 3: 1, 5: 4 + 0.5·2, 6: 0.5·4, 9: 10."""
    merged = SMALL.merged(Reference(uints(5, 6), np.array([2.0, 4.0]), 4.0), weight=0.5)
    assert (merged.ids.tolist(), merged.df.tolist(), merged.documents) == ([3, 5, 6, 9], [1, 5, 2, 10], 12)


def test_a_table_comes_back_from_its_bytes() -> None:
    again = Reference.from_bytes(Reference(SMALL.ids, SMALL.df, 10.0, pairs=True).to_bytes())
    assert (again.ids.tolist(), again.df.tolist()) == ([3, 5, 9], [1, 4, 10])
    assert (again.documents, again.pairs) == (10.0, True) and again.ids.dtype == np.uint32


@pytest.mark.parametrize("broken", ["cut", "text", "unsorted"])
def test_a_damaged_table_is_named(broken: str) -> None:
    raw = SMALL.to_bytes()
    unsorted = Reference(uints(5, 3), np.ones(2), 3.0).to_bytes()
    given = {"cut": raw[: len(raw) // 2], "text": b"terms", "unsorted": unsorted}[broken]
    with pytest.raises(InputError, match=r"^models/df\.npz: .*learn it again"):
        Reference.from_bytes(given, "models/df.npz")


def test_shares_of_documents() -> None:
    """1, 4 and 10 of ten; of as many documents with the same shares; of none."""
    ids, shares = SMALL.shares(["de"])
    assert (ids.tolist(), shares.tolist()) == ([3, 5, 9], [0.1, 0.4, 1.0])
    twice = SMALL.scaled(20.0)
    assert (twice.df.tolist(), twice.documents) == ([2.0, 8.0, 20.0], 20.0)
    assert Reference(uints(3), np.zeros(1), 0.0).shares([])[1].tolist() == [0.0]
    assert shipped_shares(["de"])[1].tolist() == Reference.shipped(["de"]).shares([])[1].tolist()


def test_pairs_are_known_where_both_tables_counted_them() -> None:
    for one, other in ((True, True), (True, False), (False, True)):
        first, second = (Reference(SMALL.ids, SMALL.df, 10.0, pairs) for pairs in (one, other))
        assert first.merged(second).pairs is (one and other)
        assert first.scaled(5.0).pairs is one


def test_where_a_judge_takes_the_rarity_of_words_from() -> None:
    context = JudgeContext()
    assert shares_for("words", context, "svm") is background.document_shares
    assert shares_for("table", context, "svm") is shipped_shares
    with pytest.raises(ConfigError, match=r'^\[judge.svm\] reference: it is "crawl", but nothing was learned yet'):
        shares_for("crawl", context, "svm")
    assert shares_for("crawl", replace(context, corpus=lambda: SMALL.shares), "svm")([])[0].tolist() == [3, 5, 9]


@pytest.mark.parametrize(
    "table",
    [
        Reference(np.array([3, 5], np.int64), np.ones(2), 3.0),  # type: ignore[arg-type]
        Reference(uints(3, 5), np.ones(2, np.float32), 3.0),  # type: ignore[arg-type]
        Reference(uints(3, 5), np.ones(3), 3.0),
        Reference(uints(3, 3), np.ones(2), 3.0),
        Reference(np.array([[3]], np.uint32), np.ones((1, 1)), 3.0),
    ],
    ids=["ids", "frequencies", "lengths", "twice", "shape"],
)
def test_columns_that_do_not_fit_are_damage(table: Reference) -> None:
    with pytest.raises(InputError, match="the reference table is damaged"):
        Reference.from_bytes(table.to_bytes())
    assert Reference.from_bytes(Reference(uints(3), np.ones(1), 3.0).to_bytes()).ids.tolist() == [3]


def test_packed_frequencies_are_within_their_byte() -> None:
    """Powers 0 to 255 of 1.05: from 1 to a quarter of a million."""
    df = np.array([0.2, 1.0, 1e9])
    found = unpack(pack({"en": Reference(uints(1, 2, 3), df, 1e9)}))["en"].df
    assert found.tolist() == pytest.approx([1.0, 1.0, STEP**255])


def test_packed_tables_keep_ids_exactly_and_frequencies_nearly() -> None:
    tables = {"xx": SMALL, "aa": Reference(uints(1, 0xFFFFFFFE), np.array([3.0, 70_000.0]), 80_000.0)}
    raw = pack(tables)
    again = unpack(raw)
    assert raw == pack(dict(reversed(tables.items()))) and sorted(again) == ["aa", "xx"]
    for name, table in tables.items():
        assert again[name].ids.tolist() == table.ids.tolist() and again[name].documents == table.documents
        assert again[name].df.tolist() == pytest.approx(table.df.tolist(), rel=STEP**0.5 - 1 + 1e-9)


# -- the table that ships ---------------------------------------------------------------------------------

LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt", "ru")
"""Languages that must be there; there are more."""

WORDS = {  # common, rare
    "de": ("Jahr", "Segelboot"),
    "en": ("year", "sailing"),
    "es": ("año", "velero"),
    "fr": ("année", "voilier"),
    "it": ("anno", "vela"),
    "nl": ("jaar", "zeilboot"),
    "pt": ("ano", "veleiro"),
    "ru": ("год", "парусник"),
}


def df(language: str, *words: str) -> Doubles:
    ids = np.concatenate([tokeniser(language).ids(word) for word in words])
    assert len(ids) == len(words)
    return Reference.shipped([language]).df_of(ids)


def test_the_table_ships_and_is_small() -> None:
    raw = files("clew.judges").joinpath("data/reference.npz").read_bytes()
    assert 200_000 < len(raw) <= 2_100_000
    assert set(LANGUAGES) <= set(shipped_languages())


def test_every_shipped_table_is_plausible() -> None:
    for language in shipped_languages():
        table = Reference.shipped([language])
        assert 1_500 <= table.documents <= 100_000, language
        assert 3_000 <= len(table) <= 30_000, language
        assert (table.ids[1:] > table.ids[:-1]).all()
        assert 1.9 < table.df.min() < 50 and table.df.max() <= table.documents, language
        # Zipf: most terms are rare
        assert np.median(table.df) < 0.02 * table.documents, language


@pytest.mark.parametrize("language", LANGUAGES)
def test_common_words_stand_in_more_documents_than_rare_ones(language: str) -> None:
    common, rare = df(language, *WORDS[language])
    assert common > 5 * max(rare, 1)
    assert common > 0.005 * Reference.shipped([language]).documents


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_words_are_no_terms_of_the_table(language: str) -> None:
    tokens = tokeniser(language)
    assert not any(len(tokens.ids(word)) for word in stop_words(language))
    assert len(stop_words(language)) > 20


def test_languages_are_pooled_with_the_same_weight() -> None:
    """f of a German word in the pool of two: its share of German documents, of half of all documents."""
    german, english = Reference.shipped(["de"]), Reference.shipped(["en"])
    pool = Reference.shipped(["en", "de"])
    assert pool.documents == german.documents + english.documents
    word = tokeniser("de").ids("Jahr")
    shares = german.df_of(word) / german.documents + english.df_of(word) / english.documents
    assert pool.df_of(word).tolist() == pytest.approx((shares / 2 * pool.documents).tolist())
    assert pool.ids.tolist() == Reference.shipped(["de", "en", "de"]).ids.tolist()


def test_without_a_table_a_language_is_taken_from_word_frequencies() -> None:
    assert "mk" not in shipped_languages()
    ids, shares = background.document_shares(["mk"])
    table = Reference.shipped(["mk"])
    assert table.documents == 10_000 and table.ids.tolist() == ids.tolist()
    assert table.df.tolist() == pytest.approx((shares * 10_000).tolist())


def test_no_language_means_english() -> None:
    assert Reference.shipped([]).ids.tolist() == Reference.shipped(["en"]).ids.tolist()
