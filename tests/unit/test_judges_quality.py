"""Estimates of how good a judge is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from clew.errors import TrainingError
from clew.judges.base import JudgeContext
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.judges.quality import TopicQuality, average_precision, deal, quality, reliability, warnings
from clew.model import OTHER, Example, Judgement, Page
from support import text_page


class ByTitle:
    """Scores are written in a page's title, and it refuses to learn without a page of topic 0."""

    name = "by-title"

    def __init__(self, topics: tuple[str, ...]) -> None:
        self.topics = topics
        self.learnt: set[str] = set()

    def fit(self, examples: Sequence[Example]) -> None:
        if not any(example.topic == 0 for example in examples):
            raise TrainingError("nothing to learn from")
        self.learnt = {example.page.title for example in examples}

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        return [self._judge(page) for page in pages]

    def explain(self, page: Page, limit: int = 12) -> list[tuple[str, float]]:
        return []

    def _judge(self, page: Page) -> Judgement:
        assert page.title not in self.learnt, "an example was judged by a judge that learnt from it"
        scores = np.array([float(word) for word in page.title.split()], np.float32)
        best = int(scores.argmax())
        return Judgement(scores, best if scores[best] >= 0.5 else OTHER, 0.0)


def example(topic: int, title: str, text: str = "text") -> Example:
    return Example(title, topic, text_page(text, title=title))


def test_precision_recall_and_counts_by_hand() -> None:
    # relevant: 0.9, 0.8, 0.3; others: 0.7, 0.2. Yes at 0.5: 0.9 0.8 0.7, of which two are right; three to be found
    given = [example(0, "0.9"), example(0, "0.8"), example(0, "0.3"), example(OTHER, "0.7"), example(OTHER, "0.2")]
    (found,) = quality(lambda: ByTitle(("relevant",)), given, folds=2, seed=3)
    assert (found.topic, found.positives, found.negatives) == ("relevant", 3, 2)
    assert (found.precision, found.recall) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert found.average_precision == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert [one.count for one in found.reliability] == [0, 0, 1, 1, 0, 0, 0, 1, 1, 1]
    assert found.reliability[3].share == 1.0
    assert found.reliability[7].mean_score == pytest.approx(0.7, rel=1e-6)
    assert math.isnan(found.reliability[0].share)


def test_average_precision_gives_ties_the_same_rank() -> None:
    assert average_precision(np.array([0.5, 0.5, 0.5]), np.array([True, False, False])) == pytest.approx(1 / 3)
    assert math.isnan(average_precision(np.array([0.5]), np.array([False])))


def test_a_score_of_one_falls_into_the_last_bin() -> None:
    bins = reliability(np.array([1.0, 0.0, 0.1]), np.array([True, False, True]))
    assert (bins[9].count, bins[0].count, bins[1].count) == (1, 1, 1)
    assert (bins[1].low, bins[1].high) == (0.1, 0.2)


def test_topics_are_dealt_evenly() -> None:
    labels = np.array([0] * 4 + [1] * 3 + [OTHER] * 5)
    fold = deal(labels, 4, seed=1)
    assert sorted(fold[:4].tolist()) == [0, 1, 2, 3]
    assert len(set(fold[4:7].tolist())) == 3
    assert sorted(np.bincount(fold).tolist()) == [3, 3, 3, 3]
    assert deal(labels, 4, seed=1).tolist() == fold.tolist()


def test_a_fold_with_the_only_example_is_left_out() -> None:
    given = [example(0, "0.9"), example(OTHER, "0.1"), example(OTHER, "0.2"), example(OTHER, "0.3")]
    (found,) = quality(lambda: ByTitle(("relevant",)), given, folds=4)
    assert (found.positives, found.negatives) == (0, 3)
    assert math.isnan(found.recall)


def test_too_few_examples_are_refused() -> None:
    with pytest.raises(TrainingError, match="give each topic at least two"):
        quality(lambda: ByTitle(("relevant",)), [example(0, "0.9")], folds=2)


def test_examples_below_a_topic_are_its_own() -> None:
    given = [example(1, "0.9 0.8"), example(1, "0.8 0.3"), example(0, "0.7 0.1"), example(OTHER, "0.1 0.0")]
    home, sailing = quality(lambda: ByTitle(("Home", "Home/Sailing")), [*given, example(0, "0.9 0.0")], folds=2)
    assert (home.positives, sailing.positives) == (4, 2)
    assert (home.recall, sailing.recall) == (1.0, 0.5)
    assert home.confused == sailing.confused == ()


def test_warns_of_thin_topics_and_of_topics_taken_for_each_other() -> None:
    given = [example(0, f"0.{i} 0.9", f"apple{i}") for i in range(1, 4)] + [
        example(1, f"0.1 0.{i}5", f"pear{i}") for i in range(5, 10)
    ]
    found = quality(lambda: ByTitle(("A", "B")), given, folds=3)
    assert found[0].confused == (("B", 1.0),)
    assert found[1].confused == ()
    said = warnings(found, given)
    assert said[0] == "topic A has 3 examples: give it at least 5, better twenty"
    assert said[1].startswith("topics A and B overlap: 100% of the examples of one are taken for the other")
    assert len(said) == 2


def test_a_score_of_a_half_is_a_yes() -> None:
    given = [example(0, "0.5"), example(0, "0.9"), example(OTHER, "0.50"), example(OTHER, "0.4")]
    (found,) = quality(lambda: ByTitle(("relevant",)), given, folds=2)
    assert (found.precision, found.recall) == (pytest.approx(2 / 3), 1.0)
    given = [example(0, "0.3"), example(0, "0.4"), example(OTHER, "0.2")]
    (found,) = quality(lambda: ByTitle(("relevant",)), given, folds=2)
    assert math.isnan(found.precision) and found.recall == 0.0


def test_shares_of_examples_that_go_to_other_topics() -> None:
    """Of four examples of A one goes to B, one to B/x, which is B too, and one to none."""
    titles = ("0.9 0.1 0.1", "0.1 0.9 0.1", "0.1 0.1 0.9", "0.1 0.1 0.1")
    given = [*(example(0, title) for title in titles), example(1, "0.1 0.8 0.1"), example(2, "0.1 0.7 0.8")]
    given += [example(1, "0.1 0.85 0.1"), example(2, "0.1 0.75 0.85")]
    found = quality(lambda: ByTitle(("A", "B", "B/x")), given, folds=4)
    assert [one.confused for one in found] == [(("B", 0.5), ("B/x", 0.25)), (), ()]


def said_of(counts: Sequence[int], confused: float = 0.0, topics: tuple[str, ...] = ("A", "B")) -> list[str]:
    """Warnings of two topics with so many examples, of words of their own; ``confused``: the share of the first's that
    go to the second."""
    given = [example(k, str(n), f"word{k}{n} kind{k}") for k, count in enumerate(counts) for n in range(count)]
    blank = [TopicQuality(topic, 5, 5, 1.0, 1.0, 1.0, ()) for topic in topics]
    blank[0] = replace(blank[0], confused=((topics[1], confused),))
    return warnings(blank, given)


def test_from_which_numbers_on_it_warns() -> None:
    """Fewer than five examples; from three tenths on that go to another topic, but for topics one below the other."""
    assert said_of((5, 5)) == said_of((5, 5), 0.29) == []
    thin = said_of((1, 4))
    assert thin == [
        "topic A has 1 example: give it at least 5, better twenty",
        "topic B has 4 examples: give it at least 5, better twenty",
    ]
    overlap = "topics A and B overlap: 30% of the examples of one are taken for the other; merge or sharpen them"
    assert said_of((5, 5), 0.3) == [overlap]
    assert said_of((5, 5), 0.9, ("A", "A/B")) == []


def test_warns_of_topics_that_use_the_same_words() -> None:
    words = ["sail mast harbour", "mast anchor harbour", "sail anchor wind", "wind mast sail", "harbour wind anchor"]
    given = [Example(f"{k}{i}", k, text_page(text)) for k in (0, 1) for i, text in enumerate(words)]
    given += [Example(f"o{i}", OTHER, text_page(f"bread oven flour{i} butter")) for i in range(10)]
    blank = [TopicQuality(topic, 5, 5, 1.0, 1.0, 1.0, ()) for topic in ("Boats", "Ships")]
    (said,) = warnings(blank, given)
    assert said == "topics Boats and Ships overlap: their pages use the same words (cosine 1.00)"
    half = [f"{text.split()[0]} {text.split()[1]} sheep{n} cattle" for n, text in enumerate(words)]
    near = [one if one.topic != 1 else Example(one.url, 1, text_page(half[n % 5])) for n, one in enumerate(given)]
    assert warnings(blank, near) == [], "of a cosine of 0.6"
    apart = [one if one.topic != 1 else Example(one.url, 1, text_page(f"tax bank {one.url}")) for one in given]
    assert warnings(blank, apart) == []


def test_a_real_judge_is_estimated_to_be_good_where_it_is() -> None:
    good = [f"sailing boats in harbour {word}" for word in ("one", "two", "three", "island", "wind", "mast")]
    bad = [f"parliament budget and taxes {word}" for word in ("one", "two", "three", "pension", "vote", "law")]
    given = [Example(text, 0, text_page(text)) for text in good] + [Example(t, OTHER, text_page(t)) for t in bad]
    (found,) = quality(lambda: NaiveBayesJudge(JudgeContext()), given)
    assert (found.precision, found.recall, found.average_precision) == (1.0, 1.0, 1.0)
