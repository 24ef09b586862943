"""The lab's measures, worked out by hand on two crawls of a web of 12 pages.

0 → 3 1 2      3 → 6 5      6  → 9          9  → 10*        relevant: 5* 7* 8* 10* 11*
1 → 4 0        4 → 7*       7* →            10* →           seed: 0
2 → 5*         5* → 8*      8* → 6          11* → 0         nothing links to 11

breadth-first   0  3  1  2  6  5* 4  9  8* 7* 10*     found-curve 0 0 0 0 0 1 1 1 2 3 4
greedy          0  2  5* 8* 1  4  7* 6  9  10*        found-curve 0 0 1 2 2 2 3 3 3 4
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from clew.lab.measures import (
    area,
    area_over_oracle,
    distances,
    harvest,
    loss,
    median_interval,
    overlap,
    paired_test,
    prediction_accuracy,
    recall_at,
    sliding,
)
from clew.lab.results import Run

BREADTH = [0, 3, 1, 2, 6, 5, 4, 9, 8, 7, 10]
GREEDY = [0, 2, 5, 8, 1, 4, 7, 6, 9, 10]
RELEVANT = [5, 7, 8, 10, 11]
DEPTH = np.array([0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4], np.int32)
BREADTH_FOUND, GREEDY_FOUND = np.isin(BREADTH, RELEVANT), np.isin(GREEDY, RELEVANT)
NAN = float("nan")
NOTHING = np.zeros(0, np.bool_)


def run_of(pages: list[int], found: list[bool]) -> Run:
    none, zeros = np.full(len(pages), np.nan, np.float32), np.zeros(len(pages), np.int32)
    urls = tuple(f"http://a.test/{page}" for page in pages)
    truth = np.array(found, np.bool_)
    return Run("t", "s", "j", 0, 12, 4, urls, truth, none, none, zeros, zeros, zeros, 0.0, 0.0, 0, 0, 0, "")


def test_area_is_the_mean_of_the_found_curve() -> None:
    assert area(BREADTH_FOUND, 10) == pytest.approx((0 + 0 + 0 + 0 + 0 + 1 + 1 + 1 + 2 + 3) / 10)
    assert area(GREEDY_FOUND, 4) == pytest.approx((0 + 0 + 1 + 2) / 4)


def test_one_fetch_is_a_budget() -> None:
    assert area(np.array([True, True]), 1) == 1
    assert recall_at(np.array([True, False]), 1, 1) == (0, 0, 0, 1)


def test_a_run_that_stops_early_keeps_its_last_value() -> None:
    assert area(GREEDY_FOUND, 12) == pytest.approx((20 + 4 + 4) / 12)
    assert area(NOTHING, 12) == 0
    assert math.isnan(area(BREADTH_FOUND, 0))


def test_area_over_oracle() -> None:
    assert area_over_oracle(BREADTH_FOUND, GREEDY_FOUND, 10) == pytest.approx(8 / 20)
    assert area_over_oracle(BREADTH_FOUND, GREEDY_FOUND, 12) == pytest.approx(16 / 28)
    assert area_over_oracle(GREEDY_FOUND, GREEDY_FOUND, 12) == 1
    late = np.array([False, False, False, True])  # an area of ¼ of a page
    assert area_over_oracle(late, late, 4) == 1
    assert math.isnan(area_over_oracle(BREADTH_FOUND, NOTHING, 12))


def test_recall_at_shares_of_the_budget() -> None:
    # 10 % of 12 fetches are 1 whole fetch, 25 % are 3, 50 % are 6
    assert recall_at(BREADTH_FOUND, 4, 12) == (0, 0, 1 / 4, 1)
    assert recall_at(GREEDY_FOUND, 4, 12) == (0, 1 / 4, 2 / 4, 1)
    assert recall_at(GREEDY_FOUND, 4, 10, (0.3, 0.7)) == (1 / 4, 3 / 4)  # 0.7 · 10 is 7, whatever its rounding
    assert all(math.isnan(share) for share in recall_at(NOTHING, 0, 12))
    assert recall_at(np.ones(100, np.bool_), 100, 100) == (0.1, 0.25, 0.5, 1)


def test_harvest_after_each_fetch() -> None:
    assert harvest(GREEDY_FOUND).tolist() == pytest.approx(
        [0, 0, 1 / 3, 2 / 4, 2 / 5, 2 / 6, 3 / 7, 3 / 8, 3 / 9, 4 / 10]
    )
    assert len(harvest(NOTHING)) == 0


def test_sliding_window() -> None:
    assert sliding(GREEDY_FOUND, 4).tolist() == pytest.approx(
        [0, 0, 1 / 3, 2 / 4, 2 / 4, 2 / 4, 2 / 4, 1 / 4, 1 / 4, 0.5]
    )
    assert sliding(GREEDY_FOUND)[-1] == pytest.approx(4 / 10)
    assert len(sliding(NOTHING)) == 0


def test_sliding_leaves_out_what_was_not_judged() -> None:
    values = np.array([NAN, 0.5, 1.0, NAN, NAN, 0.25], np.float32)
    assert sliding(values, 2).tolist() == pytest.approx([NAN, 0.5, 0.75, 1.0, NAN, 0.25], nan_ok=True)


def test_sliding_takes_200_fetches_by_default() -> None:
    values = np.concatenate([np.ones(100), np.zeros(200)])
    assert sliding(values)[[99, 199, 249, 299]].tolist() == pytest.approx([1, 0.5, 0.25, 0])


def test_loss_adds_up_what_was_not_relevant() -> None:
    assert loss(np.array([0.25, 1.0, NAN, 0.5], np.float32)).tolist() == pytest.approx([0.75, 0.75, 1.75, 2.25])
    assert loss(GREEDY_FOUND).tolist() == [1, 2, 2, 2, 3, 4, 4, 5, 6, 6]


def test_distances() -> None:
    measured = distances(DEPTH, BREADTH_FOUND)
    assert measured.fetched.tolist() == [1, 3, 3, 3, 1]
    assert measured.found.tolist() == [0, 0, 1, 2, 1]  # 5 at two links, 8 and 7 at three, 10 at four
    assert measured.precision.tolist() == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])
    assert len(distances(np.zeros(0, np.int32), NOTHING).found) == 0
    near = distances(np.array([0, 1, 2, 2], np.int32), np.array([False, True, False, False]))
    assert (near.fetched.tolist(), near.found.tolist()) == ([1, 1, 2], [0, 1, 0])


def test_overlap_of_what_was_found() -> None:
    # after six fetches breadth-first found 5; greedy 5 and 8 after four, all four at the end
    first, second = run_of(BREADTH[:6], BREADTH_FOUND[:6].tolist()), run_of(GREEDY[:4], GREEDY_FOUND[:4].tolist())
    whole, none = run_of(GREEDY, GREEDY_FOUND.tolist()), run_of([0, 3], [False, False])
    assert overlap([first, second, whole]).tolist() == [[1, 1 / 2, 1 / 4], [1 / 2, 1, 1 / 2], [1 / 4, 1 / 2, 1]]
    assert overlap([first, none])[0, 1] == 0
    assert math.isnan(overlap([none])[0, 0])


def test_prediction_accuracy() -> None:
    # relevant .9 .5 .4, irrelevant .7 .5 .1: .9 wins 3, .5 wins 1½, .4 wins 1 of 3 each; the median is .5
    predicted = np.array([0.9, NAN, 0.5, 0.4, 0.7, 0.5, 0.1], np.float32)
    measured = prediction_accuracy(predicted, np.array([1, 1, 1, 1, 0, 0, 0], np.bool_))
    assert measured.auc == pytest.approx(5.5 / 9)
    assert measured.median == pytest.approx(0.5)
    assert measured.relevant == pytest.approx((1 + 0.5 + 0) / 3)
    assert measured.irrelevant == pytest.approx((0 + 0.5 + 1) / 3)
    assert measured.links == 6


def test_each_class_has_its_own_side_of_the_median() -> None:
    # median .7: both relevant ones lie above, .3 and .5 below, and .7 counts half
    measured = prediction_accuracy(np.array([0.9, 0.8, 0.3, 0.5, 0.7]), np.array([1, 1, 0, 0, 0], np.bool_))
    assert measured.relevant == 1
    assert measured.irrelevant == pytest.approx((1 + 1 + 0.5) / 3)
    assert measured.auc == 1


def test_predictions_that_say_nothing() -> None:
    same = prediction_accuracy(np.zeros(11, np.float32), BREADTH_FOUND)
    assert (same.auc, same.relevant, same.irrelevant) == (0.5, 0.5, 0.5)
    nothing = prediction_accuracy(np.full(11, np.nan), BREADTH_FOUND)
    assert nothing.links == 0
    assert math.isnan(nothing.auc) and math.isnan(nothing.relevant) and math.isnan(nothing.median)
    one_class = prediction_accuracy(np.arange(3.0), np.ones(3, np.bool_))
    assert math.isnan(one_class.auc) and math.isnan(one_class.irrelevant)


def test_breadth_first_predicts_by_nearness() -> None:
    # score −depth: 5 ties with 6 and 4 and loses to 0 3 1 2, beats 9; 8 and 7 tie with 9 only; 10 loses to all
    measured = prediction_accuracy(-DEPTH.astype(np.float64), BREADTH_FOUND)
    assert measured.auc == pytest.approx((1 + 2 * 0.5 + 0.5 + 0.5 + 0) / (4 * 7))


@pytest.mark.parametrize(
    ("count", "low", "high", "coverage"),
    [
        (1, 1, 1, 0.0),
        (3, 1, 3, 0.75),
        (5, 1, 5, 0.9375),
        (6, 1, 6, 1 - 2 / 64),
        (8, 1, 8, 1 - 2 / 256),  # the second and the seventh would cover 1 − 2 · 9/256 = .93
        (9, 2, 8, 1 - 2 * 10 / 512),
        (20, 6, 15, 1 - 2 * 21_700 / 2**20),
    ],
)
def test_median_interval_by_order_statistics(count: int, low: int, high: int, coverage: float) -> None:
    values = np.random.default_rng(count).permutation(np.arange(1.0, count + 1))
    measured = median_interval([*values.tolist(), NAN])
    assert (measured.median, measured.low, measured.high) == ((count + 1) / 2, low, high)
    assert measured.coverage == pytest.approx(coverage)


def test_median_interval_of_nothing() -> None:
    nothing = median_interval([NAN])
    assert math.isnan(nothing.median) and math.isnan(nothing.low) and math.isnan(nothing.high)
    assert nothing.coverage == 0


def test_median_interval_takes_the_narrowest_pair_that_reaches_the_level() -> None:
    # Of 8 values x_(2) to x_(7) cover 1 − 2 · 9/256, not more; of 4, x_(2) to x_(3) cover 1 − 2 · 5/16 = .375.
    exactly = median_interval(np.arange(1.0, 9), 1 - 18 / 256)
    assert (exactly.low, exactly.high, exactly.coverage) == (2, 7, 1 - 18 / 256)
    assert (median_interval([1, 2, 3, 4], 0.3).low, median_interval([1, 2, 3, 4], 0.3).high) == (2, 3)
    assert (median_interval([1, 2, 3, 4], 0.4).low, median_interval([1, 2, 3, 4], 0.4).high) == (1, 4)
    assert (median_interval([1, 2, 3, 4, 5], 0.0).low, median_interval([1, 2, 3, 4, 5], 0.0).high) == (3, 3)


def test_median_interval_at_another_level() -> None:
    # x_(8) to x_(13) cover 1 − 2 · 137 980 / 2²⁰ = .74; x_(9) to x_(12) only .497
    measured = median_interval(np.arange(1.0, 21), 0.5)
    assert (measured.low, measured.high) == (8, 13)
    assert measured.coverage == pytest.approx(1 - 2 * 137_980 / 2**20)


def test_paired_test_tries_all_flips_of_few_pairs() -> None:
    # of the 8 signed sums of 1, 2 and 4 only ±7 are as large; of 1, 2 and −4 ±1: all but none are as large
    assert paired_test([2, 4, 8], [1, 2, 4]).p == pytest.approx(2 / 8)
    assert paired_test([2, 4, 0], [1, 2, 4]).p == 1
    assert paired_test([3, 3, 3, 0], [1, 1, 1, 1]).p == pytest.approx(4 / 16)  # 2 2 2 −1: ±7 and ±5
    measured = paired_test([5, 3, NAN, 1], [5, 1, 1, 0])
    assert (measured.pairs, measured.exact) == (2, True)
    assert measured.difference == pytest.approx((0 + 2 + 1) / 3)
    assert measured.p == pytest.approx(2 / 4)


def test_paired_test_without_differences_finds_none() -> None:
    assert paired_test([1, 2], [1, 2]).p == 1
    assert paired_test([], []).p == 1


def test_paired_test_draws_flips_for_many_pairs() -> None:
    # 18 of 20 in one direction by 1: P(|sum| ≥ 16) = 2 · (1 + 20 + 190) / 2²⁰
    a = np.array([1.0] * 18 + [-1.0] * 2)
    measured = paired_test(a, np.zeros(20))
    assert not measured.exact
    assert measured.p == pytest.approx(2 * 211 / 2**20, abs=0.0006)
    assert measured == paired_test(a, np.zeros(20))
    # 12 of 20: 2 · P(Binomial ≥ 12) = .5034
    assert paired_test([1.0] * 12 + [-1.0] * 8, np.zeros(20)).p == pytest.approx(0.5034, abs=0.015)


def test_six_pairs_are_the_fewest_that_can_be_significant() -> None:
    assert paired_test(np.ones(5), np.zeros(5)).p == pytest.approx(2 / 32)
    assert paired_test(np.ones(6), np.zeros(6)).p == pytest.approx(2 / 64)


def test_all_flips_of_16_pairs_are_tried_and_2_to_the_14_of_17() -> None:
    # Of all the flips only two are as large as 16 of 16; of those drawn for 40 pairs the first alone, as it was seen.
    sixteen = paired_test(np.ones(16), np.zeros(16))
    assert (sixteen.exact, sixteen.pairs, sixteen.p) == (True, 16, 2 / 2**16)
    assert not paired_test(np.ones(17), np.zeros(17)).exact
    assert paired_test(np.ones(40), np.zeros(40)).p == 1 / 2**14


def test_the_seed_decides_which_flips_are_drawn() -> None:
    a = np.array([1.0] * 14 + [-1.0] * 6)
    found = {seed: paired_test(a, np.zeros(20), seed).p for seed in range(1, 9)}
    assert paired_test(a, np.zeros(20)).p == found[1] == paired_test(a, np.zeros(20), seed=1).p
    assert len(set(found.values())) > 4


@pytest.mark.parametrize("unit", [1e-12, 0.1, 1e12])
def test_the_unit_of_what_is_compared_does_not_matter(unit: float) -> None:
    assert paired_test(np.array([1, 2, 4]) * unit, np.zeros(3)).p == 2 / 8
    assert paired_test(np.array([1, 2, -3]) * unit, np.zeros(3)).p == 1
