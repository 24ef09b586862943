"""Calibration: curves against values worked out by hand, and against a library's logistic regression."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from clew.judges import calibration
from clew.judges.calibration import SURE, Calibration, Calibrations, fit, fit_single


def log_odds(curve: Calibration, score: float) -> float:
    p = float(curve(np.array([score]))[0])
    return math.log(p / (1 - p))


def test_a_curve_by_hand() -> None:
    """Log odds 2 · (s − 3) / 4; beyond ±60 it is flat, so that nothing overflows."""
    curve = Calibration(slope=2.0, centre=3.0, scale=4.0)
    assert [log_odds(curve, score) for score in (3.0, 5.0, -1.0)] == pytest.approx([0.0, 1.0, -2.0])
    ends = curve(np.array([-1e9, 1e9]))
    assert ends[0] == pytest.approx(math.exp(-60.0)) and ends[1] == 1.0


def test_curves_of_several_topics_are_those_of_each() -> None:
    curves = [Calibration(2.0, 3.0, 4.0), Calibration(1.0, -1.0, 0.5), Calibration()]
    scores = np.array([5.0, -2.0, 0.25])
    found = Calibrations(curves)(scores)
    assert found == pytest.approx([1 / (1 + math.exp(-z)) for z in (1.0, -2.0, 1.0)])
    ends = Calibrations(curves)(np.array([-1e9, 1e9, -1e9]))
    assert ends == pytest.approx([math.exp(-60.0), 1.0, math.exp(-60.0)])


def test_it_is_half_at_the_centre_and_rises() -> None:
    curve = fit([-2.0, -1.5, -1.0, 1.0, 1.5, 2.0], [False, False, False, True, True, True])
    low, middle, high = curve(np.array([-1.5, 0.0, 1.5]))
    assert low < 0.1 < 0.4 < middle < 0.6 < 0.9 < high


def test_it_is_the_logistic_regression_of_a_library() -> None:
    """Classes of 12 and 40 scores that overlap; scores over their deviation, both classes weighing the same."""
    rng = np.random.default_rng(4)
    scores = np.concatenate([rng.normal(6.0, 2.0, 12), rng.normal(4.0, 1.5, 40)])
    truth = np.arange(52) < 12
    curve = fit(scores, truth)
    other = LogisticRegression(C=calibration.STRENGTH, class_weight="balanced", tol=1e-10)
    other.fit(((scores - scores.mean()) / scores.std())[:, None], truth)
    slope, shift = float(other.coef_[0, 0]), float(other.intercept_[0])
    for score in (2.0, 5.0, 8.0):
        expected = slope * (score - scores.mean()) / scores.std() + shift
        assert log_odds(curve, score) == pytest.approx(expected, abs=1e-4)


def test_one_example_a_class_takes_the_midpoint() -> None:
    """And the slope of a curve that was not fitted, 4, over the scores' deviation, 2."""
    for scores, truth in (([0.0, 4.0], [False, True]), ([0.0, 4.0, 4.0], [False, True, True])):
        curve = fit(scores, truth)
        assert curve(np.array([2.0]))[0] == pytest.approx(0.5)
        assert log_odds(curve, 4.0) == pytest.approx(4.0 * 2.0 / np.std(scores))


def test_of_one_class_alone_the_mean_is_the_centre() -> None:
    for positive in (True, False):
        curve = fit([1.0, 2.0, 6.0], [positive] * 3)
        assert (curve.centre, curve.scale) == (3.0, pytest.approx(np.std([1.0, 2.0, 6.0])))
    assert fit([2.0], [True]) == Calibration(centre=2.0, scale=1.0)
    assert fit([], []) == Calibration()


def test_two_scores_of_each_class_are_fitted() -> None:
    """Where a class has one, the midpoint of the means would be the centre: 2.0 of these, and 2.5 with the fifth."""
    scores, truth = [0.0, 1.0, 3.0, 4.0], [False, False, True, True]
    assert fit(scores, truth).centre == pytest.approx(2.0)
    uneven = fit([0.0, 1.9, 3.0, 4.0], truth)
    assert uneven.centre != pytest.approx((0.95 + 3.5) / 2, abs=1e-3)


def test_it_never_turns_a_judge_upside_down() -> None:
    """Held-back scores that do not separate: a flat curve around the midpoint of the means, 1.5 and −2.5."""
    curve = fit([1.0, 2.0, -1.0, -4.0], [False, False, True, True])
    assert (curve.slope, curve.centre) == (0.1, pytest.approx(-0.5))
    assert curve.scale == pytest.approx(np.std([1.0, 2.0, -1.0, -4.0]))


@pytest.mark.parametrize("mirrored", [False, True])
def test_no_curve_is_surer_than_a_few_examples_allow(mirrored: bool) -> None:
    """Log odds at the mean of the class that is farther from the centre are ±SURE; the other is less sure."""
    scores = np.array([0.0, 0.001] * 100 + [1.0, 1.001] * 100 + [1.5] * 100)
    truth = np.arange(500) >= 200
    if mirrored:
        scores, truth = -scores, ~truth
    curve = fit(scores, truth)
    odds = sorted(abs(log_odds(curve, float(scores[truth == side].mean()))) for side in (True, False))
    assert odds[1] == pytest.approx(SURE)
    assert 1.0 < odds[0] < SURE


def test_a_single_example_by_hand() -> None:
    """A fifth of the way from the others' mean, 0, to the example's score, 10; without others, from 1 below it."""
    curve = fit_single(10.0, np.array([-1.0, 1.0]), 0.2)
    assert log_odds(curve, 2.0) == pytest.approx(0.0)
    assert log_odds(curve, 0.0) == pytest.approx(-SURE)
    assert fit_single(1.0, np.array([3.0]), 0.2)(np.array([1.0]))[0] == pytest.approx(0.5)
    assert fit_single(1.0, np.array([3.0]), 0.2).slope == 0.1
    alone = fit_single(10.0, np.empty(0), 0.2)
    assert (alone.centre, log_odds(alone, 9.0)) == (pytest.approx(9.2), pytest.approx(-SURE))
