"""Distances of pages from the last nugget, with the figures of the checklist (TUN-17, TUN-23 to TUN-26)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.graph.paths import METRICS, depths, distances, expanded, nuggets, step, steps

CORRELATIONS = (0.0, 0.05, 0.153, 0.25, 0.35, 0.45, 0.49)


def duds_until_cutoff(metric: str, correlation: float, most: int = 200) -> int:
    """How many duds of one correlation follow a nugget until the distance reaches the cutoff of 20; 0: never."""
    distance = 0.0
    for count in range(1, most + 1):
        distance = step(correlation, distance, metric=metric)
        if distance >= 20:
            return count
    return 0


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("fixed", (20, 20, 20, 20, 20, 20, 20)),
        ("cumulative_max", (10, 10, 11, 12, 13, 15, 15)),  # TUN-23
        ("cumulative_plain", (10, 11, 12, 13, 15, 17, 18)),  # TUN-24
        ("as_printed", (0, 0, 0, 0, 0, 0, 0)),  # TUN-20: never beyond 1
    ],
)
def test_duds_until_the_cutoff(metric: str, expected: tuple[int, ...]) -> None:
    assert tuple(duds_until_cutoff(metric, c) for c in CORRELATIONS) == expected


def test_the_laxer_and_the_harshest_reading() -> None:
    # TUN-24: 20 to 24 duds, one to two duds.
    assert {duds_until_cutoff("cumulative_min", c) for c in CORRELATIONS} <= set(range(20, 25))
    assert {duds_until_cutoff("scaled", c) for c in CORRELATIONS} == {1, 2}


@pytest.mark.parametrize("metric", METRICS)
def test_a_nugget_has_distance_0_and_a_better_dud_is_no_farther(metric: str) -> None:
    assert step(0.5, 13.0, metric=metric) == 0.0
    ordered = steps(np.array([0.0, 0.2, 0.4]), np.full(3, 5.0), metric=metric)
    assert ordered[0] >= ordered[1] >= ordered[2] > 0


def test_one_step_of_each_reading() -> None:
    # c = 0.2, d_p = 10, C = 20: g = 0.8·e = 2.1746. With d_p = 0: g = 0.8.
    growth = 0.8 * math.e
    values = {metric: step(0.2, 10.0, metric=metric) for metric in METRICS}
    assert values == pytest.approx(
        {
            "fixed": 11,
            "cumulative_max": 10 + growth,
            "cumulative_plain": 10 + growth,
            "cumulative_min": 11,
            "scaled": 20,
            "as_printed": 1,
        }
    )
    values = {metric: step(0.2, 0.0, metric=metric) for metric in METRICS}
    assert values == pytest.approx(
        {
            "fixed": 1,
            "cumulative_max": 1,
            "cumulative_plain": 0.8,
            "cumulative_min": 0.8,
            "scaled": 16,
            "as_printed": 0.8,
        }
    )


def test_distances_run_down_the_tree_and_begin_anew_at_nuggets() -> None:
    # 0 (seed, a dud) -> 1 dud -> 2 dud -> 3 nugget -> 4 dud, and 1 -> 5 nugget; 6 is another seed.
    parents, correlation = np.array([-1, 0, 1, 2, 3, 1, -1]), np.array([0.1, 0.2, 0.3, 0.6, 0.1, 0.9, 0.0])
    assert distances(parents, correlation, metric="fixed").tolist() == [0, 1, 2, 0, 1, 0, 0]
    # Page 1: max(1, 0.8) = 1. Page 2: 1 + max(1, 0.7·e^0.1 = 0.774) = 2. Page 4: max(1, 0.9) = 1.
    assert distances(parents, correlation).tolist() == [0, 1, 2, 0, 1, 0, 0]
    # C = 2: page 2 is 1 + 0.7·e^1 away.
    assert distances(parents, correlation, cutoff=2)[2] == pytest.approx(1 + 0.7 * math.e)


@pytest.mark.parametrize("metric", METRICS)
def test_the_columns_agree_with_one_page_after_the_other(metric: str) -> None:
    rng = np.random.default_rng(3)
    parents = np.array([-1, *(int(rng.integers(max(0, i - 5), i)) for i in range(1, 300))])
    correlation = rng.random(300) * 0.55
    found: list[float] = []
    for parent, own in zip(parents.tolist(), correlation.tolist(), strict=True):
        found.append(0.0 if parent < 0 else step(own, found[parent], metric=metric))
    assert distances(parents, correlation, metric=metric) == pytest.approx(found)


def test_distances_beyond_the_cutoff_stay_finite() -> None:
    parents = np.arange(-1, 999)
    for metric in METRICS:
        assert np.all(np.isfinite(distances(parents, np.zeros(1000), metric=metric, cutoff=0)))
        assert np.all(np.isfinite(distances(parents, np.zeros(1000), metric=metric, cutoff=1)))


def test_what_is_expanded() -> None:
    assert expanded(0.0, True, 0.0)  # cutoff 0 means only nuggets
    assert not expanded(step(0.3, 0.0, metric="fixed", cutoff=0), False, 0.0)
    assert expanded(19.9, False, 20.0)
    assert not expanded(20.0, False, 20.0)  # Table 1: terminated from the cutoff on


def test_depths_and_trees_that_are_none() -> None:
    assert depths(np.array([-1, 0, 1, 2, 0, -1, 5])).tolist() == [0, 1, 2, 3, 1, 0, 1]
    assert depths(np.array([], np.int64)).tolist() == []
    assert distances(np.array([], np.int64), np.array([])).tolist() == []
    with pytest.raises(ValueError, match="earlier page"):
        depths(np.array([1, -1]))


def test_an_unknown_metric_is_refused_with_the_names() -> None:
    with pytest.raises(ConfigError, match="choose one of: fixed, cumulative_max"):
        step(0.1, 0.0, metric="euclid")


def test_one_step_takes_the_cutoff_it_is_given() -> None:
    assert step(0.2, 10.0, metric="scaled", cutoff=5.0) == 5.0  # g = 0.8·e² > 1, and C = 5
    assert step(0.5, 10.0, metric="scaled", cutoff=5.0, threshold=0.6) == 5.0  # no nugget at this threshold


def test_the_exponent_is_held_at_50() -> None:
    # C = 0: none before the first dud, 50 after one. C = 1: 2·30/1 would be 60.
    assert step(0.2, 0.0, metric="cumulative_plain", cutoff=0.0) == pytest.approx(0.8)
    assert step(0.2, 1.0, metric="cumulative_plain", cutoff=0.0) == pytest.approx(1 + 0.8 * math.exp(50))
    assert step(0.2, 30.0, metric="cumulative_plain", cutoff=1.0) == pytest.approx(30 + 0.8 * math.exp(50))
    assert step(0.2, 24.0, metric="cumulative_plain", cutoff=1.0) == pytest.approx(24 + 0.8 * math.exp(48))


def test_a_page_is_a_nugget_from_one_half_on() -> None:
    assert nuggets(np.array([0.499, 0.5, 0.501])).tolist() == [False, True, True]
    assert nuggets(np.array([0.499, 0.5, 0.501]), 0.501).tolist() == [False, False, True]
    parents, correlation = np.array([-1, 0, 0]), np.array([0.9, 0.499, 0.5])
    assert distances(parents, correlation).tolist() == [0, 1, 0]
    assert distances(parents, correlation, threshold=0.6).tolist() == [0, 1, 1]
    assert steps(correlation, np.full(3, 4.0)).tolist() == [0, 5, 0]


@pytest.mark.parametrize("wrong", [[0], [-2], [-1, 1], [-1, 2, 0]])
def test_parents_that_are_no_earlier_pages_are_refused(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="earlier page"):
        distances(np.array(wrong), np.zeros(len(wrong)))
