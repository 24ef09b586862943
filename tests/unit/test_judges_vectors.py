"""TF-IDF vectors by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from clew.judges.bags import Vocabulary
from clew.judges.vectors import Vectors
from clew.model import Doubles, TermIds
from clew.text.terms import tokeniser
from support import text_page


def test_only_the_heaviest_features_stay_in_a_reduced_vector() -> None:
    """Weights tf·idf: 3·1, 1·4, 2·1, 1·0.5; the two heaviest are 4 and 3, of length 5 (CFC-21)."""
    idf = np.array([1.0, 4.0, 1.0, 0.5])
    places, counts = np.arange(4), np.array([3.0, 1.0, 2.0, 1.0], np.float32)
    reduced = Vectors(logarithmic=False, heaviest=2, idf=idf).of(places, counts)
    assert reduced.tolist() == pytest.approx([0.6, 0.8, 0.0, 0.0])
    whole = Vectors(logarithmic=False, idf=idf).of(places, counts)
    assert np.count_nonzero(whole) == 4 and float(whole @ whole) == pytest.approx(1.0)
    assert Vectors(logarithmic=False, heaviest=9, idf=idf).of(places, counts).tolist() == whole.tolist()
    equal = Vectors(heaviest=40, idf=1.0 + np.arange(200) % 2).of(np.arange(200), np.ones(200, np.float32))
    assert np.flatnonzero(equal).tolist() == list(range(1, 80, 2)), "of equals the first stay"


def test_vectors_have_length_one_and_weigh_by_rareness() -> None:
    pages = [text_page("zyzzyva people"), text_page("people")]
    bags = [page.term_counts() for page in pages]
    vocabulary = Vocabulary.of(bags)
    vectors = Vectors()
    vectors.learn(bags, vocabulary, ["en"])
    places, counts = vocabulary.project(bags[0])
    found = dict(zip(vocabulary.ids[places].tolist(), vectors.of(places, counts).tolist(), strict=True))
    rare, common = (found[tokeniser("en").ids(word)[0]] for word in ("zyzzyva", "people"))
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
