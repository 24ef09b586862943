"""The reduced vectors of papers/1 section 3.2, by hand."""

from __future__ import annotations

import pickle
from math import log

import numpy as np
import pytest

from clew.judges.features import pair_ids
from clew.judges.reduced import HEAVIEST, ReducedVocabulary
from clew.judges.reference import Reference
from support import page_of_terms as page
from support import uints

HUNDRED = Reference(uints(1, 2, 3, 4), np.array([50.0, 10.0, 1.0, 100.0]), 100.0)
"""A hundred documents: 1 in half of them, 2 in ten, 3 in one, 4 in all, 5 and what follows in none."""

SEEDS = [page([1], [2, 2, 4]), page([], [2, 3, 5])]
"""Their master document holds 1 once, 2 three times, 3, 4 and 5 once."""


def test_the_vocabulary_is_that_of_the_master_document() -> None:
    """4 stands in every document of the corpus: log(100/100) = 0, so it tells nothing and is left out."""
    vocabulary = ReducedVocabulary.of(SEEDS, HUNDRED)
    assert vocabulary.ids.tolist() == [1, 2, 3, 5] and len(vocabulary) == 4
    assert vocabulary.idf.tolist() == pytest.approx([log(2), log(10), log(100), log(100)])


def test_the_heaviest_phrases_of_the_master_document_stay() -> None:
    """v: 1: 1/3·log 2 = .23, 2: 3/3·log 10 = 2.30, 3 and 5: 1/3·log 100 = 1.54 each; of equals the lower id stays."""
    assert ReducedVocabulary.of(SEEDS, HUNDRED, max_vocab=1).ids.tolist() == [2]
    assert ReducedVocabulary.of(SEEDS, HUNDRED, max_vocab=2).ids.tolist() == [2, 3]
    assert ReducedVocabulary.of(SEEDS, HUNDRED, max_vocab=3).ids.tolist() == [2, 3, 5]
    assert ReducedVocabulary.of(SEEDS, HUNDRED, max_vocab=9).ids.tolist() == [1, 2, 3, 5]


def test_a_page_becomes_equation_1() -> None:
    """The page holds 9 four times (not in V, but f^d_max), 2 three times, 1 twice, 3 once.

    v(1) = 2/4·log 2, v(2) = 3/4·log 10, v(3) = 1/4·log 100.
    """
    vector = ReducedVocabulary.of(SEEDS, HUNDRED).vector(page([9, 2], [9, 9, 9, 1, 2, 2, 3, 1]))
    assert vector.ids.tolist() == [1, 2, 3]
    assert vector.counts.tolist() == [2, 3, 1]
    assert vector.weights.tolist() == pytest.approx([log(2) / 2, 0.75 * log(10), log(100) / 4])


def test_only_the_heaviest_components_stay() -> None:
    """As above: .35, 1.73, 1.15: without 1. A bag says the same without the counts."""
    vocabulary = ReducedVocabulary.of(SEEDS, HUNDRED, keep=2)
    given = page([9, 2], [9, 9, 9, 1, 2, 2, 3, 1])
    vector, (ids, weights) = vocabulary.vector(given), vocabulary.reduce(given)
    assert vector.ids.tolist() == [2, 3] == ids.tolist() and vector.counts.tolist() == [3, 1]
    assert weights.tolist() == vector.weights.tolist() == pytest.approx([0.75 * log(10), log(100) / 4])


def test_forty_components_stay_as_in_the_paper() -> None:
    """Ids 10 to 69, all unseen by the corpus; the first ten stand twice, of the others (equal) the lowest ids stay."""
    terms = [*range(10, 70), *range(10, 20)]
    vocabulary = ReducedVocabulary.of([page([], terms)], HUNDRED)
    assert len(vocabulary) == 60 and HEAVIEST == 40
    assert vocabulary.reduce(page([], terms[::-1]))[0].tolist() == list(range(10, 50))
    assert len(ReducedVocabulary.of([page([], terms)], HUNDRED, keep=0).reduce(page([], terms))[0]) == 60
    many, first = page([], [*range(10, 210), *range(11, 210, 2)]), list(range(11, 91, 2))  # odd ones stand twice
    assert ReducedVocabulary.of([many], HUNDRED).reduce(many)[0].tolist() == first
    assert ReducedVocabulary.of([many], HUNDRED, max_vocab=40).ids.tolist() == first


def test_an_unseen_word_can_count_as_rarer_than_one_seen_once() -> None:
    """log(101/(1 + f)): 1: 101/51, 2: 101/11, 3: 101/2, 5: 101/1; without, 3 and 5 are the same."""
    vocabulary = ReducedVocabulary.of(SEEDS, HUNDRED, add_one=True)
    assert vocabulary.idf.tolist() == pytest.approx([log(101 / 51), log(101 / 11), log(101 / 2), log(101)])


def test_pairs_weigh_as_their_rarer_term_unless_they_were_counted() -> None:
    """Pair 1 2: min(50, 10) = 10 of 100 documents, though it may be in fewer; 2 9: min(10, 0), so it counts as one."""
    seeds = [page([1], [2, 9])]
    one, other = pair_ids(uints(1, 2, 9)).tolist()
    vocabulary = ReducedVocabulary.of(seeds, HUNDRED, pairs=True)
    assert sorted(vocabulary.ids.tolist()) == sorted([1, 2, 9, one, other])
    idf = dict(zip(vocabulary.ids.tolist(), vocabulary.idf.tolist(), strict=True))
    assert (idf[one], idf[other]) == pytest.approx((log(10), log(100)))
    ids = np.sort(uints(1, 2, one))
    df = np.array([{1: 50.0, 2: 10.0, one: 4.0}[term] for term in ids.tolist()])
    counted = ReducedVocabulary.of(seeds, Reference(ids, df, 100.0, pairs=True), pairs=True)
    assert dict(zip(counted.ids.tolist(), counted.idf.tolist(), strict=True))[one] == pytest.approx(log(25))


def test_a_pair_weighs_as_the_rarer_of_its_own_terms() -> None:
    """3 1 2: f of 3 1 is min(1, 50), of 1 2 min(50, 10), whatever stands before."""
    vocabulary = ReducedVocabulary.of([page([], [3, 1, 2])], HUNDRED, pairs=True)
    idf = dict(zip(vocabulary.ids.tolist(), vocabulary.idf.tolist(), strict=True))
    assert [idf[pair] for pair in pair_ids(uints(3, 1, 2)).tolist()] == pytest.approx([log(100), log(10)])


def test_of_texts_it_is_that_of_their_terms_unless_pairs_are_asked_for() -> None:
    assert ReducedVocabulary.of_texts([uints(1, 2)], HUNDRED).ids.tolist() == [1, 2]
    assert len(ReducedVocabulary.of_texts([uints(1, 2)], HUNDRED, pairs=True)) == 3


def test_pairs_do_not_reach_from_one_page_to_the_next() -> None:
    vocabulary = ReducedVocabulary.of([page([], [1, 2]), page([], [3])], HUNDRED, pairs=True)
    assert pair_ids(uints(1, 2))[0] in vocabulary.ids and pair_ids(uints(2, 3))[0] not in vocabulary.ids


def test_the_commonest_phrase_may_be_a_pair() -> None:
    """2 9 2 9: terms twice each, pair 2 9 twice, 9 2 once; v(9 2) = 1/2·log 100."""
    given = page([], [2, 9, 2, 9])
    vector = ReducedVocabulary.of([given], HUNDRED, pairs=True).vector(given)
    assert vector.weights[vector.ids == pair_ids(uints(9, 2))[0]].tolist() == pytest.approx([log(100) / 2])


def test_nothing_in_gives_nothing_out() -> None:
    empty = page([], [])
    for vocabulary in (ReducedVocabulary.of([], HUNDRED), ReducedVocabulary.of([empty], HUNDRED, pairs=True)):
        assert len(vocabulary) == 0 and len(vocabulary.reduce(SEEDS[0])[0]) == 0
    vector = ReducedVocabulary.of(SEEDS, HUNDRED).vector(empty)
    assert (len(vector.ids), len(vector.counts), len(vector.weights)) == (0, 0, 0)
    assert len(ReducedVocabulary.of(SEEDS, HUNDRED).reduce(page([], [8, 9]))[0]) == 0


def test_a_vocabulary_survives_pickling() -> None:
    again = pickle.loads(pickle.dumps(ReducedVocabulary.of(SEEDS, HUNDRED, keep=2, pairs=True)))
    assert again.keep == 2 and again.pairs and again.ids.tolist()
