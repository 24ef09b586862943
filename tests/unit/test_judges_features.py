"""Features, selection of features and vectors against values worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from clew.judges import selection
from clew.judges.bags import Vocabulary
from clew.judges.features import PLAIN, Features, pair_ids
from clew.judges.vectors import Vectors
from clew.model import Doubles, TermIds
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


def test_chi_squared_by_hand() -> None:
    # a b c d = 2 1 0 1: 4 · (2·1 − 1·0)² / (3 · 1 · 2 · 2) = 16/12
    assert selection.chi_squared(np.array([2.0]), np.array([1.0]), 2, 2)[0] == pytest.approx(16 / 12)
    assert selection.chi_squared(np.array([2.0]), np.array([2.0]), 2, 2)[0] == 0.0


@pytest.mark.parametrize(("measure", "kept"), [("mutual-information", [0, 1]), ("chi-squared", [0, 2])])
def test_chi_squared_keeps_what_speaks_against_a_topic(measure: str, kept: list[int]) -> None:
    # column 0 on both pages of the topic; 1 on one of them; 2 on both rivals; 3 on no page
    matrix = csr_matrix(np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]], np.float64))
    found = selection.best(matrix, np.array([True, True, False, False]), 2, measure)
    assert found.tolist() == kept


def test_vectors_have_length_one_and_weigh_by_rareness() -> None:
    pages = [text_page("zyzzyva people"), text_page("people")]
    bags = [page.term_counts() for page in pages]
    vocabulary = Vocabulary.of(bags)
    vectors = Vectors()
    vectors.learn(bags, vocabulary, ["en"])
    places, counts = vocabulary.project(bags[0])
    found = dict(zip(vocabulary.ids[places].tolist(), vectors.of(places, counts).tolist(), strict=True))
    rare, common = (found[ids(word)[0]] for word in ("zyzzyva", "people"))
    assert rare > 3 * common
    assert rare**2 + common**2 == pytest.approx(1.0, rel=1e-5)
    assert vectors.idf[vocabulary.project(bags[0])[0]].max() == pytest.approx(math.log1p(1002 / 2))


def test_rareness_by_hand() -> None:
    """Two examples and a thousand general pages: 5 in one of the first and 30 % of the others, 9 in both and none."""
    bags = [(np.array(terms, np.uint32), np.ones(len(terms), np.float32)) for terms in ([5, 9], [9])]
    vectors, asked = Vectors(), []

    def shares(languages: Sequence[str]) -> tuple[TermIds, Doubles]:
        asked.append(list(languages))
        return np.array([5, 7], np.uint32), np.array([0.3, 0.9])

    vectors.learn(bags, Vocabulary.of(bags), ["de"], shares)
    assert vectors.idf == pytest.approx([math.log1p(1002 / 302), math.log1p(1002 / 3)], rel=1e-6)
    assert asked == [["de"]]


def test_logarithmic_weights_of_counts() -> None:
    """1 + log of the count, and of less than one as of one; then to length 1."""
    places, counts = np.arange(3), np.array([1.0, math.e, 0.25], np.float32)
    found = Vectors(idf=np.array([1.0, 2.0, 3.0])).of(places, counts)
    assert found == pytest.approx(np.array([1.0, 4.0, 3.0]) / math.sqrt(26), rel=1e-6)


def test_a_vocabulary_with_a_limit_keeps_what_most_pages_hold() -> None:
    bags = [(np.array(ids, np.uint32), np.ones(len(ids), np.float32)) for ids in ([1, 5, 9], [5, 9, 12], [5, 13])]
    assert Vocabulary.of(bags, most=2).ids.tolist() == [5, 9]
    assert Vocabulary.of(bags).ids.tolist() == [1, 5, 9, 12, 13]
