"""Features and selection of features against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from clew.judges import selection
from clew.judges.bags import Vocabulary
from clew.judges.features import PLAIN, Features, pair_ids
from clew.text.terms import term_id, tokeniser
from support import html_page, text_page


def weights(features: Features, text: str, title: str = "") -> dict[int, float]:
    ids, values = features.bag(text_page(text, title=title))
    return dict(zip(ids.tolist(), values.tolist(), strict=True))


def ids(text: str) -> list[int]:
    return tokeniser("en").ids(text).tolist()


def test_plain_features_are_counts() -> None:
    apple, pear = ids("apple pear")
    assert PLAIN.plain
    assert weights(PLAIN, "apple pear apple") == {apple: 2.0, pear: 1.0}


def test_a_bag_is_plain_where_nothing_is_asked_for() -> None:
    assert [one.plain for one in (Features(pairs=True), Features(lead=1.0), Features(damped=True))] == [False] * 3
    assert Features(heaviest=3).plain


def test_a_shuffled_page_has_the_same_terms_and_as_many_pairs() -> None:
    counts = np.array([3, 5, 9], np.uint32), np.array([1.0, 2.0, 4.0], np.float32)
    rng = np.random.default_rng(1)
    assert PLAIN.shuffled(counts, rng) is counts
    found, weights = Features(pairs=True).shuffled(counts, rng)
    terms = np.isin(found, counts[0])
    assert (found[terms].tolist(), weights[terms].tolist()) == ([3, 5, 9], [1.0, 2.0, 4.0])
    assert weights[~terms].sum() == 6


def test_the_weights_of_long_pages_go_on() -> None:
    """Positions beyond those whose weights are kept: L/(L + i) of 9,000 places."""
    terms = np.arange(9_000, dtype=np.uint32)
    found, weights = Features(lead=100.0).of_terms(terms)
    assert found.tolist() == terms.tolist()
    assert weights == pytest.approx(100.0 / (100.0 + np.arange(9_000)))


def test_a_term_weighs_less_the_later_it_stands() -> None:
    # positions 0, 1, 2 with L = 2: 2/2, 2/3, 2/4
    apple, pear = ids("apple pear")
    found = weights(Features(lead=2.0), "pear apple", title="apple")
    assert found[apple] == pytest.approx(1.0 + 0.5)
    assert found[pear] == pytest.approx(2 / 3)


def test_damped_weights_are_square_roots_of_sums() -> None:
    (apple,) = ids("apple")
    assert weights(Features(damped=True), "apple apple apple apple")[apple] == pytest.approx(2.0)


@pytest.mark.parametrize("at_once", [0, 4, 1_000])
@pytest.mark.parametrize(
    "features", [PLAIN, Features(lead=2.0), Features(pairs=True), Features(pairs=True, lead=3.0, damped=True)]
)
def test_pages_looked_up_together_are_as_their_bags(
    features: Features, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.judges.features.AT_ONCE", at_once)
    monkeypatch.setattr("clew.judges.features.KEPT", 3)  # the longer pages have more positions than are kept
    texts = ["red apple red apple pear", "", "plum", "quince red pear", "red red red red red apple", "apple"]
    pages = [text_page(text, title="pear") for text in texts] + [html_page("<p></p>")]
    vocabulary = Vocabulary.of([features.bag(page) for page in pages[:2]])
    found = list(features.known(pages, vocabulary))
    assert len(found) == len(pages)
    for page, (places, counts) in zip(pages, found, strict=True):
        expected, weights = vocabulary.project(features.bag(page))
        assert places.tolist() == expected.tolist()
        assert counts.tobytes() == weights.tobytes()


def test_pairs_are_ordered_neighbours() -> None:
    found = weights(Features(pairs=True), "red apple red apple")
    red, apple = ids("red apple")
    forth, back = pair_ids(np.array([red, apple, red], np.uint32)).tolist()
    assert forth != back
    assert found == {red: 2.0, apple: 2.0, forth: 2.0, back: 1.0}


def test_a_page_of_one_term_or_none_has_no_pairs() -> None:
    assert weights(Features(pairs=True, lead=9.0), "apple") == {ids("apple")[0]: 1.0}
    assert weights(Features(pairs=True, lead=9.0), "") == {}


def test_features_are_named_by_their_words() -> None:
    page = text_page("red apple")
    features = Features(pairs=True)
    pair = int(pair_ids(tokeniser("en").ids("red apple"))[0])
    assert features.name(page, pair) == "red apple"
    assert features.name(page, term_id("appl")) == "apple"
    assert features.name(html_page("<p></p>"), 0xABC) == "#00000abc"


def test_mutual_information_is_the_pointwise_cell() -> None:
    # 4 pages, 2 of the topic; the feature is on both of these and on one rival: P = 2/4, P[X] = 3/4, P[V] = 1/2
    found = selection.mutual_information(np.array([2.0, 0.0]), np.array([1.0, 2.0]), 2, 2)
    assert found[0] == pytest.approx(0.5 * math.log(0.5 / (0.75 * 0.5)))
    assert found[1] == 0.0


def test_mutual_information_of_classes_of_different_sizes() -> None:
    """2 pages of the topic, 6 rivals: P[V] = 1/4. Feature 0 on both and on 1 rival: P[X] = 3/8, P[X ∧ V] = 1/4. 1 on
    one page of the topic and all rivals, P[X] = 7/8: it speaks against the topic. 2 on half of either side: nothing."""
    found = selection.mutual_information(np.array([2.0, 1.0, 1.0]), np.array([1.0, 6.0, 3.0]), 2, 6)
    expected = [0.25 * math.log(0.25 / (3 / 8 * 0.25)), 0.125 * math.log(0.125 / (7 / 8 * 0.25)), 0.0]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found[0] > 0 > found[1]


def test_features_are_chosen_by_the_topics_own_share() -> None:
    """One page of the topic, four rivals: column 0 on all pages, 1 on the topic's and one rival's, 2 on the topic's
    alone, 3 on three rivals. With the sides taken for each other, or for equally large, others would be chosen."""
    rows = [[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 0, 1], [1, 0, 0, 0]]
    matrix, truth = csr_matrix(np.array(rows, np.float64)), np.array([True] + [False] * 4)
    chosen = [selection.best(matrix, truth, count, "mutual-information").tolist() for count in (1, 2, 3)]
    assert chosen == [[2], [1, 2], [0, 1, 2]]
    against = [selection.best(matrix, ~truth, count, "mutual-information").tolist() for count in (1, 2)]
    assert against == [[3], [0, 3]]


def test_of_equally_good_features_the_first_are_chosen() -> None:
    """Every other one is on both pages of the topic, the others on one of them."""
    columns = np.vstack([np.ones(200), np.arange(200) % 2, np.zeros((2, 200))])
    for measure in selection.MEASURES:
        found = selection.best(csr_matrix(columns), np.array([True, True, False, False]), 40, measure)
        assert found.tolist() == list(range(1, 80, 2))


def test_chi_squared_by_hand() -> None:
    # a b c d = 2 1 0 1: 4 · (2·1 − 1·0)² / (3 · 1 · 2 · 2) = 16/12
    assert selection.chi_squared(np.array([2.0]), np.array([1.0]), 2, 2)[0] == pytest.approx(16 / 12)
    assert selection.chi_squared(np.array([2.0]), np.array([2.0]), 2, 2)[0] == 0.0
    # 2 1 0 3: 6 · (2·3 − 1·0)² / (3 · 3 · 2 · 4) = 3; 1 1 1 3: 6 · (1·3 − 1·1)² / (2 · 4 · 2 · 4) = 0.375
    assert selection.chi_squared(np.array([2.0, 1.0]), np.array([1.0, 1.0]), 2, 4) == pytest.approx([3.0, 0.375])


@pytest.mark.parametrize(("measure", "kept"), [("mutual-information", [0, 1]), ("chi-squared", [0, 2])])
def test_chi_squared_keeps_what_speaks_against_a_topic(measure: str, kept: list[int]) -> None:
    # column 0 on both pages of the topic; 1 on one of them; 2 on both rivals; 3 on no page
    matrix = csr_matrix(np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]], np.float64))
    found = selection.best(matrix, np.array([True, True, False, False]), 2, measure)
    assert found.tolist() == kept


def test_a_vocabulary_with_a_limit_keeps_what_most_pages_hold() -> None:
    bags = [(np.array(ids, np.uint32), np.ones(len(ids), np.float32)) for ids in ([1, 5, 9], [5, 9, 12], [5, 13])]
    assert Vocabulary.of(bags, most=2).ids.tolist() == [5, 9]
    assert Vocabulary.of(bags).ids.tolist() == [1, 5, 9, 12, 13]
    many, odd = np.arange(200, dtype=np.uint32), np.arange(1, 200, 2, dtype=np.uint32)
    bags = [(ids, np.ones(len(ids), np.float32)) for ids in (many, odd)]
    assert Vocabulary.of(bags, most=40).ids.tolist() == odd[:40].tolist()  # of equals the first
