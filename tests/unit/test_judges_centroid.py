"""The centroid judge as Bergmark and others 2002 have it: raw cosines, no negative part, few examples, thin topics
discarded (TUN-2, TUN-5, TUN-8)."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from clew.errors import TrainingError
from clew.judges.base import JudgeContext
from clew.judges.centroid import CentroidJudge
from clew.model import OTHER, Bools, Doubles, Example
from support import text_page

TOPICS = ("sailing", "chess")
SAILING = ("boat sail wind", "boat sail mast", "boat keel wind", "sail rudder boat", "jib boat sail")
CHESS = ("knight bishop rook", "rook pawn queen", "queen knight castling")
OTHERS = ("tax budget boat", "pension ministry tax")
PAPER: Any = {"negative": 0.0, "calibrated": False, "pairs": False, "lead": 0.0, "damped": False}


def fitted(examples: int = 5, topics: tuple[str, ...] = TOPICS, **settings: Any) -> CentroidJudge:
    judge = CentroidJudge(JudgeContext(topics=topics), CentroidJudge.Settings(**{**PAPER, **settings}))
    taught = [(text, 0) for text in SAILING[:examples]]
    taught += [(text, 1) for text in CHESS] if len(topics) > 1 else []
    taught += [(text, OTHER) for text in OTHERS]
    judge.fit([Example(f"http://e.test/{i}", topic, text_page(text)) for i, (text, topic) in enumerate(taught)])
    return judge


def scores(judge: CentroidJudge, text: str) -> Doubles:
    return judge.judge([text_page(text)])[0].scores.astype(np.float64)


def cosine(judge: CentroidJudge, text: str, pages: tuple[str, ...]) -> float:
    """The cosine of a page with the mean of pages, from the judge's TF-IDF vectors alone."""

    def vector(page: str) -> Doubles:
        places, counts = judge.vocabulary.project(judge.features.bag(text_page(page)))
        found = np.zeros(len(judge.vocabulary))
        found[places] = judge.vectors.of(places, counts)
        return found

    mean = np.mean([vector(page) for page in pages], axis=0)
    return float(vector(text) @ mean / np.linalg.norm(mean))


@pytest.mark.parametrize("text", ["boat sail wind", "boat tax knight", "queen rook boat wind", "tax budget"])
def test_a_raw_score_is_the_cosine_with_the_mean_of_the_topics_pages(text: str) -> None:
    judge = fitted()
    expected = [cosine(judge, text, SAILING), cosine(judge, text, CHESS)]
    assert scores(judge, text) == pytest.approx(expected, abs=1e-6)
    assert scores(pickle.loads(pickle.dumps(judge)), text) == pytest.approx(expected, abs=1e-6)


def test_the_negative_part_and_the_calibration_are_settings() -> None:
    mixed = "boat tax budget"
    plain, negative, calibrated = fitted(), fitted(negative=0.5), fitted(calibrated=True)
    assert 0 < scores(negative, mixed)[0] < scores(plain, mixed)[0], "tax speaks against sailing"
    assert scores(negative, "tax pension ministry budget")[0] == 0.0, "no cosine is below 0"
    assert scores(calibrated, "boat sail wind")[0] > 0.5 > scores(calibrated, "tax budget pension")[0]
    assert scores(calibrated, mixed)[0] != pytest.approx(scores(plain, mixed)[0], abs=1e-3)


def test_a_page_belongs_to_the_nearest_topic_however_far_that_is() -> None:
    judge = fitted()
    (far,) = judge.judge([text_page("tax budget pension ministry knight")])
    assert 0 < far.scores[1] < 0.5
    assert (far.topic, far.confidence) == (1, pytest.approx(float(far.scores[1])))
    (unknown,) = judge.judge([text_page("zebra giraffe")])
    assert (unknown.topic, unknown.confidence, unknown.scores.tolist()) == (OTHER, 0.0, [0.0, 0.0])


def test_only_the_first_examples_make_the_centroid() -> None:
    two = _limited(2)
    assert scores(two, "boat sail wind")[0] == pytest.approx(cosine(two, "boat sail wind", SAILING[:2]), abs=1e-6)
    assert scores(two, "boat sail wind")[0] != pytest.approx(scores(_limited(0), "boat sail wind")[0], abs=1e-3)
    assert scores(two, "keel rudder jib")[0] == 0.0, "these stand in later examples only"


def _limited(most: int) -> CentroidJudge:
    judge = CentroidJudge(JudgeContext(topics=TOPICS), CentroidJudge.Settings(**PAPER, examples=most))
    taught = [(text, 0) for text in SAILING] + [(text, 1) for text in CHESS]
    judge.fit([Example(f"http://e.test/{i}", topic, text_page(text)) for i, (text, topic) in enumerate(taught)])
    return judge


@pytest.mark.parametrize("calibrated", [False, True])
def test_a_topic_of_too_few_examples_is_discarded(calibrated: bool) -> None:
    judge = fitted(calibrated=calibrated, least_examples=4)
    (found,) = judge.judge([text_page("queen knight rook pawn")])
    assert found.scores[1] == 0.0
    assert found.topic == OTHER
    assert fitted(calibrated=calibrated, least_examples=3).judge([text_page("queen knight rook")])[0].topic == 1
    assert scores(judge, "boat sail wind")[0] > 0.5
    with pytest.raises(TrainingError, match=r"no topic has 6 examples with text \(judge.centroid.least_examples\)"):
        fitted(least_examples=6)


def test_a_topic_without_any_page_is_an_error_unless_thin_topics_are_discarded() -> None:
    topics = (*TOPICS, "empty")
    with pytest.raises(TrainingError, match="no example page with text for topic 'empty'"):
        fitted(topics=topics)
    assert scores(fitted(topics=topics, least_examples=1), "boat sail wind")[2] == 0.0


def test_examples_of_topics_below_count() -> None:
    # three pages of chess and five of sailing, both below sport: sport stays, chess goes
    topics = ("sport", "sport/sailing", "sport/chess")
    judge = CentroidJudge(JudgeContext(topics=topics), CentroidJudge.Settings(**PAPER, least_examples=4))
    taught = [(text, 1) for text in SAILING] + [(text, 2) for text in CHESS] + [(text, OTHER) for text in OTHERS]
    judge.fit([Example(f"http://e.test/{i}", topic, text_page(text)) for i, (text, topic) in enumerate(taught)])
    (found,) = judge.judge([text_page("queen knight rook pawn")])
    assert found.scores[2] == 0.0
    assert found.scores[0] > 0.0
    assert found.topic == 0


def test_what_is_not_trained_on_is_scored_too() -> None:
    # an ensemble asks for the score of each page as if it had not been trained on
    judge = CentroidJudge(JudgeContext(topics=TOPICS), CentroidJudge.Settings(**PAPER, examples=2))
    pages = [*SAILING, *CHESS, *OTHERS]
    bags = [judge.features.bag(text_page(text)) for text in pages]
    labels = [0] * len(SAILING) + [1] * len(CHESS) + [OTHER] * len(OTHERS)
    found = judge.fit_bags(bags, labels, {"en"})
    assert found.shape == (len(pages), 2)
    assert found[4] == pytest.approx(scores(judge, SAILING[4]), abs=1e-6)
    assert found[0, 0] < scores(judge, SAILING[0])[0], "left out, it is not its own example"


@pytest.mark.parametrize("negative", [0.0, 0.5])
def test_held_out_scores_of_centroids_are_those_of_the_other_pages(negative: float) -> None:
    """Every page in turn: centroids of the others, from the same vectors; features that only it holds are unknown."""
    topics = ("home", "home/sailing", "home/taxes", "chess")
    context = JudgeContext(topics, together=[(1, 3)])
    judge = CentroidJudge(context, CentroidJudge.Settings(negative=negative))
    given = [(text, label) for label, texts in ((1, SAILING), (2, OTHERS), (3, CHESS)) for text in texts]
    given += [("boat tax house", 0), ("sail weather rain", OTHER), ("weather rain tax", OTHER)]
    bags, labels = [judge.features.bag(text_page(text)) for text, _ in given], [label for _, label in given]
    judge.fit_bags(bags, labels, {"en"})
    rows = np.zeros((len(bags), len(judge.vocabulary)))
    for row, bag in zip(rows, bags, strict=True):
        places, counts = judge.vocabulary.project(bag)
        row[places] = judge.vectors.of(places, counts)
    members, outsiders = judge.tree.members(labels), judge.tree.outsiders(labels)

    def centroid(topic: int, among: Bools) -> Doubles:
        own, rest = ((side[topic] & among) @ rows for side in (members, outsiders))
        found = own / np.linalg.norm(own) - negative * rest / np.linalg.norm(rest)
        return np.asarray(found / np.linalg.norm(found), np.float64)

    whole = np.ones(len(bags), np.bool_)
    for topic in range(len(topics)):
        assert judge.centroids[:, topic] == pytest.approx(centroid(topic, whole), abs=1e-5)
    for left_out, label in enumerate(labels):
        others = np.arange(len(bags)) != left_out
        seen = np.where((rows[others] > 0).any(axis=0), rows[left_out], 0.0)
        found = judge._held_out(bags[left_out], label)
        for topic in range(len(topics)):
            expected = centroid(topic, others) @ seen / np.linalg.norm(seen) if seen.any() else np.nan
            assert found[topic] == pytest.approx(expected, abs=1e-5, nan_ok=True)


def test_a_page_of_which_nothing_is_on_another_has_no_held_out_score() -> None:
    judge = CentroidJudge(JudgeContext(), CentroidJudge.Settings(pairs=False))
    bags = [judge.features.bag(text_page(text)) for text in ("yacht regatta", "yacht wind", "zebra", "tax budget")]
    judge.fit_bags(bags, [0, 0, 0, OTHER], {"en"})
    assert [bool(np.isnan(judge._held_out(bag, 0))[0]) for bag in bags[:3]] == [False, False, True]
