"""Judges' formulas against values worked out by hand."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.judges import background
from clew.judges.bags import Vocabulary
from clew.judges.base import JudgeContext
from clew.judges.hierarchy import Hierarchy
from clew.judges.keywords import KeywordsJudge, occurrences
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.judges.trained import TrainedJudge, judgement
from clew.model import OTHER, Example
from clew.text.terms import tokeniser
from support import html_page, text_page

COUNTS: Any = {"pairs": False, "lead": 0.0, "damped": False}
"""Settings under which features are plain counts of terms."""


def bayes(smoothing: float) -> NaiveBayesJudge:
    judge = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(smoothing=smoothing, **COUNTS))
    good, bad = text_page("apple apple pear"), text_page("pear pear plum plum")
    judge.fit([Example("g", 0, good), Example("b", OTHER, bad)])
    return judge


def test_naive_bayes_log_odds_with_laplace_smoothing() -> None:
    # vocabulary: apple, pear, plum. relevant: (2+1)/6, (1+1)/6, (0+1)/6; other: (0+1)/7, (2+1)/7, (2+1)/7
    # page "apple pear": mean of ln(3/6 : 1/7) and ln(2/6 : 3/7) = (ln 3.5 + ln 7/9) / 2
    raw = bayes(1.0)._raw(text_page("apple pear").term_counts())
    assert raw is not None
    assert raw[0] == pytest.approx((math.log(3.5) + math.log(7 / 9)) / 2, rel=1e-5)


def test_naive_bayes_does_not_depend_on_length() -> None:
    judge = bayes(1.0)
    short, long = text_page("apple pear"), text_page("apple pear " * 50)
    assert judge.judge([short])[0].scores[0] == pytest.approx(judge.judge([long])[0].scores[0], rel=1e-4)


def test_naive_bayes_held_out_score_forgets_the_page() -> None:
    # without its only page, class relevant is uniform over the three terms: pear has ln(1/3), and ln(3/7) in other;
    # apple is on no other page, so that a judge that had not seen this one would not know it
    judge = bayes(1.0)
    bag = text_page("apple apple pear").term_counts()
    assert judge._held_out(bag, 0)[0] == pytest.approx(math.log(1 / 3) - math.log(3 / 7), rel=1e-5)


def test_a_single_example_has_the_prior_of_general_text() -> None:
    """Pseudo-counts of the same sum as α each would have, laid out as in general text; of two examples α each."""
    for texts, single in ((["apple pear"], True), (["apple pear", "apple plum"], False)):
        judge = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(smoothing=0.5, **COUNTS))
        judge.fit([Example(text, 0, text_page(text)) for text in texts])
        general = judge.counts[-1] + 0.5
        prior = 0.5 * len(judge.vocabulary) * general / general.sum() if single else 0.5
        own = judge.counts[0] + prior
        np.testing.assert_allclose(np.exp(judge.logs[:, 0]), own / own.sum(), rtol=1e-4)
        np.testing.assert_allclose(np.exp(judge.logs[:, 1]), general / general.sum(), rtol=1e-4)
        assert judge.counts[-1].sum() > 100_000  # tokens of general text, and the pages that calibrate


def test_a_judgement_by_hand() -> None:
    """How far the deciding score is from a half: the winner's; where none wins, the highest."""
    tree = Hierarchy.of(("A", "A/x", "B"))
    for scores, topic, confidence in (
        ([0.9, 0.6, 0.1], 1, 0.2), ([0.9, 0.3, 0.1], 0, 0.8), ([0.2, 0.4, 0.3], OTHER, 0.2), ([0.5, 0.1, 0.1], 0, 0.0),
    ):  # fmt: skip
        found = judgement(tree, np.array(scores))
        assert (found.topic, found.scores.dtype) == (topic, np.float32)
        assert found.confidence == pytest.approx(confidence, abs=1e-6)


def test_general_pages_are_as_long_as_the_examples() -> None:
    """Forty, in turn as long as each example with text: 3 and 5 terms. Of pairs and terms a page has about half."""
    bags = [text_page(text).term_counts() for text in ("red apple pear", "", "red apple pear plum plum")]
    judge = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(**COUNTS))
    pages = TrainedJudge._background_pages(judge, bags)
    assert [int(page[1].sum()) for page in pages] == [3, 5] * 20
    assert [judge._length(bag) for bag in bags] == [3, 0, 5]
    weighed = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(pairs=True))
    led = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(pairs=False))
    page = text_page("red apple pear plum fig kiwi lime")
    assert weighed._length(weighed.features.bag(page)) == 13 // 2
    assert led._length(led.features.bag(page)) == 7


def test_scores_are_returned_of_the_examples_alone() -> None:
    """Not of general pages that join them; the seed draws these."""
    bags = [text_page(text).term_counts() for text in ("apple pear", "apple plum")]
    found = []
    for seed, general in ((1, False), (1, True), (2, False)):
        settings = NaiveBayesJudge.Settings(background=general, **COUNTS)
        judge = NaiveBayesJudge(JudgeContext(seed=seed), settings)
        found.append(judge.fit_bags(bags, [0, 0], {"en"}))
        assert found[-1].shape == (2, 1)
    assert found[0].tolist() == found[1].tolist() != found[2].tolist()
    joined = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(background=True, **COUNTS))
    apart = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(**COUNTS))
    for judge in (joined, apart):
        judge.fit_bags(bags, [0, OTHER], {"en"})
    assert len(joined.vocabulary) > len(apart.vocabulary) == 3


def test_a_judge_keeps_no_more_features_than_it_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight numbers for two classes: four features."""
    monkeypatch.setattr("clew.judges.trained.CELLS", 8)
    judge = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(**COUNTS))
    judge.fit([Example("g", 0, text_page("apple pear plum")), Example("b", OTHER, text_page("fig kiwi lime apple"))])
    assert len(judge.vocabulary) == 4
    assert text_page("apple").leaves.ids[0] in judge.vocabulary.ids


def test_a_copy_has_what_judging_needs_and_no_more() -> None:
    judge = bayes(1.0)
    copy = pickle.loads(pickle.dumps(judge))
    assert not hasattr(copy, "counts") and hasattr(judge, "counts")
    assert not hasattr(copy, "_holders")
    assert copy.judge([text_page("apple")])[0].scores.tolist() == judge.judge([text_page("apple")])[0].scores.tolist()
    (unknown,) = copy.judge([text_page("zebra")])
    assert (unknown.scores.tolist(), unknown.topic, unknown.confidence) == ([0.25], OTHER, 0.0)


def test_what_weighs_most_is_explained_first() -> None:
    """Of apple, pear and plum; the curve does not matter."""
    judge, page = bayes(1.0), text_page("apple pear plum plum")
    found = judge.explain(page)
    weights = [math.log(3.5) / 4, math.log(7 / 9) / 4, 2 * math.log(7 / 18) / 4]
    assert sorted(weight for _, weight in found) == pytest.approx(sorted(weights), rel=1e-5)
    assert [abs(weight) for _, weight in found] == sorted(map(abs, weights), reverse=True) or found[0][0] == "plum"
    assert judge.explain(page, limit=2) == found[:2] and len(found) == 3


def test_naive_bayes_held_out_scores_of_a_tree_are_those_of_counts_without_the_page() -> None:
    """Every page in turn: counts of its class without it, over the vocabulary of all, of terms that others hold too."""
    texts = [
        ("red apple pear", 1),
        ("apple plum", 1),
        ("pear plum plum fig", 2),
        ("fig red", 0),
        ("kiwi fig pear", OTHER),
    ]
    topics = ("A", "A/x", "B")
    judge = NaiveBayesJudge(JudgeContext(topics), NaiveBayesJudge.Settings(smoothing=0.5, **COUNTS))
    pages = [text_page(text).term_counts() for text, _ in texts]
    judge.fit_bags(pages, [label for _, label in texts], {"en"})
    inside, outside = {0: (0, 1), 1: (1,), 2: (2,)}, {0: (2, OTHER), 1: (0, 2, OTHER), 2: (0, 1, OTHER)}
    for left_out, (_, label) in enumerate(texts):
        counts = {k: np.zeros(len(judge.vocabulary)) for k in (0, 1, 2, OTHER)}
        seen = np.zeros(len(judge.vocabulary))
        for number, (_, topic) in enumerate(texts):
            places, weights = judge.vocabulary.project(pages[number])
            if number != left_out:
                counts[topic][places] += weights
                seen[places] += 1
        places, weights = judge.vocabulary.project(pages[left_out])
        known, weights = places[seen[places] > 0], weights[seen[places] > 0]
        logs = {
            k: np.log((row + 0.5) / (row + 0.5).sum())[known] @ weights / weights.sum() for k, row in counts.items()
        }
        expected = [max(logs[c] for c in inside[k]) - max(logs[c] for c in outside[k]) for k in range(3)]
        assert judge._held_out(pages[left_out], label) == pytest.approx(expected, abs=1e-6)


def test_keyword_score_by_hand() -> None:
    # 5 terms on the page (fewer than 300), sail twice, rügen once: (1 - e^-2 + 1 - e^-1) / 2
    judge = KeywordsJudge(JudgeContext(keywords={"sailing": 1.0, "rügen": 1.0}))
    page = text_page("sailing boats, sailing Rügen harbour")
    expected = (1 - math.exp(-2) + 1 - math.exp(-1)) / 2
    assert judge.judge([page])[0].scores[0] == pytest.approx(expected, rel=1e-6)


def test_a_keyword_counts_less_on_a_page_of_more_than_300_terms() -> None:
    """600 terms with those of the title, so half: 1 - e^(-2/2). With 300 in all each counts whole."""
    judge = KeywordsJudge(JudgeContext(keywords={"sailing": 1.0}))
    for words, expected in ((600, 1 - math.exp(-1)), (300, 1 - math.exp(-2)), (301, 1 - math.exp(-2 * 300 / 301))):
        page = text_page("sailing " + "harbour " * (words - 3), title="sailing boats")
        assert judge.judge([page])[0].scores[0] == pytest.approx(expected, rel=1e-6)


def test_keywords_are_explained_heaviest_first() -> None:
    judge = KeywordsJudge(JudgeContext(keywords={"sailing": 1.0, "hotel": -2.0, "rügen": 3.0, "knots": 1.0}))
    page = text_page("sailing to a hotel on Rügen")
    once = 1 - math.exp(-1)
    found = judge.explain(page)
    assert [word for word, _ in found] == ["rügen", "hotel", "sailing"]
    assert [part for _, part in found] == pytest.approx([3 / 5 * once, -2 / 5 * once, once / 5])
    assert judge.explain(page, limit=2) == found[:2]
    assert judge.judge([text_page("hotel")])[0].scores[0] == 0.0  # no score is below 0
    assert judge.judge([page])[0].scores[0] == pytest.approx(2 / 5 * once)


def test_a_topic_of_keywords_that_only_speak_against_it_scores_nothing() -> None:
    judge = KeywordsJudge(JudgeContext(("a", "b", "c"), {"sailing": 1.0}, {"b": {"hotel": -1.0}}))
    page = text_page("sailing hotels")
    assert judge.judge([page])[0].scores.tolist() == pytest.approx([1 - math.exp(-1), 0.0, 0.0])
    assert judge.explain(page, topic=1) == judge.explain(page, topic=2) == []


def test_keywords_that_are_regular_expressions_ask_for_text() -> None:
    for words, reads in (({"boat": 1.0}, False), ({"/boats?/": 1.0}, True), ({"//": 1.0}, False), ({"/a": 1.0}, False)):
        assert KeywordsJudge.reads_text(JudgeContext(keywords=words)) is reads
        topics = JudgeContext(("a", "b"), {"x": 1.0}, {"b": words})
        assert KeywordsJudge.reads_text(topics) is reads


def test_a_negative_keyword_speaks_against() -> None:
    page = text_page("sailing hotels")
    with_hotel = KeywordsJudge(JudgeContext(keywords={"sailing": 1.0, "hotel": -1.0})).judge([page])[0]
    without = KeywordsJudge(JudgeContext(keywords={"sailing": 1.0})).judge([page])[0]
    assert with_hotel.scores[0] < without.scores[0]


def test_a_phrase_counts_only_word_after_word_within_a_leaf() -> None:
    phrase = tokeniser("en").ids("call for papers")
    assert len(phrase) == 2  # "for" is a stop word
    assert occurrences(text_page("Call for papers: the call for papers is open"), phrase) == 2
    assert occurrences(html_page("<html lang=en><p>call</p><p>papers</p>"), phrase) == 0
    assert occurrences(text_page("papers call"), phrase) == 0
    assert occurrences(text_page("call"), phrase) == 0
    assert occurrences(text_page("call papers call paper now"), phrase) == 2
    assert occurrences(html_page("<html lang=en><p>call papers</p><p>papers</p><p>call papers</p>"), phrase) == 2
    assert occurrences(text_page("call papers"), phrase[:0]) == 0


def test_a_phrase_in_the_title_counts() -> None:
    phrase = tokeniser("en").ids("context graph")
    assert occurrences(text_page("nothing", title="Context Graphs"), phrase) == 1


def test_vocabulary_projects_known_terms_only() -> None:
    vocabulary = Vocabulary(np.array([2, 5, 9], np.uint32))
    places, counts = vocabulary.project((np.array([1, 5, 9, 12], np.uint32), np.array([1, 2, 3, 4], np.float32)))
    assert places.tolist() == [1, 2]
    assert counts.tolist() == [2, 3]


def test_a_vocabulary_finds_ids_in_any_order() -> None:
    # three ids that begin with the same bits, the smallest and the largest there are, and neighbours that are unknown
    last = 2**32 - 1
    vocabulary = Vocabulary(np.array([0, 7, 8, 9, last], np.uint32))
    for one in (vocabulary, pickle.loads(pickle.dumps(vocabulary))):
        indices, places = one.find(np.array([last, 10, 9, 1, 9, 0, 8, 6, last - 1, 7], np.uint32))
        assert indices.tolist() == [0, 2, 4, 5, 6, 9]
        assert places.tolist() == [4, 3, 3, 0, 2, 1]
    indices, _ = Vocabulary(np.array([0, 7], np.uint32)).find(np.array([last, 8], np.uint32))
    assert not len(indices)
    assert not len(Vocabulary(np.empty(0, np.uint32)).find(np.array([0, 7], np.uint32))[0])


def test_a_vocabulary_of_many_ids_finds_each_of_them() -> None:
    rng = np.random.default_rng(1)
    ids = np.unique(rng.integers(0, 2**32, 5_000, dtype=np.uint32))
    vocabulary = Vocabulary(ids[::2])
    indices, places = vocabulary.find(ids)
    assert indices.tolist() == list(range(0, len(ids), 2))
    assert places.tolist() == list(range(len(vocabulary)))


def test_ids_that_all_begin_alike_are_found() -> None:
    vocabulary = Vocabulary(np.arange(1, 200, 2, dtype=np.uint32))
    indices, places = vocabulary.find(np.arange(210, dtype=np.uint32))
    assert indices.tolist() == list(range(1, 200, 2))
    assert places.tolist() == list(range(100))


def test_weights_of_places_add_up() -> None:
    vocabulary = Vocabulary(np.array([2, 5, 9], np.uint32))
    distinct, sums = vocabulary.sums(np.array([2, 0, 2, 2], np.int32), np.array([0.5, 3.0, 1.0, 0.25]))
    assert distinct.tolist() == [0, 2]
    assert sums.tolist() == [3.0, 1.75]
    assert not len(vocabulary.sums(np.empty(0, np.int32), np.empty(0))[0])


def test_naive_bayes_without_a_word_of_anything_else_is_sure() -> None:
    judge = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(**COUNTS))
    judge._train([text_page("apple pear").term_counts(), text_page("").term_counts()], [0, OTHER])
    raw = judge._raw(text_page("apple").term_counts())
    assert raw is not None
    assert raw.tolist() == [math.inf]


def test_general_text_sums_to_one_and_ranks_common_words_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # counted, not taken from an earlier run
    ids, shares = background.frequencies.__wrapped__("en")
    assert shares.sum() == pytest.approx(1.0)
    share = dict(zip(ids.tolist(), shares.tolist(), strict=True))
    common, rare = (int(tokeniser("en").ids(word)[0]) for word in ("people", "pheasant"))
    assert share[common] > 100 * share[rare]


def test_general_text_of_two_languages_weighs_the_same() -> None:
    (german, of_german), (english, of_english) = (background.frequencies(code) for code in ("de", "en"))
    ids, shares = background.mixture(["en", "de", "de"])
    assert ids.tolist() == sorted({*german.tolist(), *english.tolist()})
    assert shares.sum() == pytest.approx(1.0)
    both = np.intersect1d(german, english)[:50]
    for term in (*both.tolist(), int(german[7]), int(english[7])):
        expected = of_german[german == term].sum() / 2 + of_english[english == term].sum() / 2
        assert shares[ids == term] == pytest.approx(expected)
    assert background.mixture([])[0].tolist() == english.tolist()


def test_pages_of_general_text() -> None:
    """What so many terms hold on average, in how many pages of 200 terms each is, and pages drawn."""
    ids, shares = background.mixture(["en"])
    found, counts = background.expected_counts(["en"], 500.0)
    assert found.tolist() == ids.tolist() and counts.sum() == pytest.approx(500.0, rel=1e-4)
    assert counts == pytest.approx(500.0 * shares, rel=1e-5)
    assert background.document_shares(["en"])[1] == pytest.approx(1 - (1 - shares) ** 200)
    assert background.document_shares(["en"], 3.0)[1] == pytest.approx(1 - (1 - shares) ** 3)
    pages = background.sample_pages(["en"], [7, 0, 300], np.random.default_rng(1))
    assert [page[1].sum() for page in pages] == [7, 1, 300]
    assert all((page[1] > 0).all() and (np.diff(page[0].astype(np.int64)) > 0).all() for page in pages)


def test_a_language_without_frequencies_falls_back_on_english() -> None:
    assert background.frequencies("xx")[0].tolist() == background.frequencies("en")[0].tolist()
