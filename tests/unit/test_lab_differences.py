"""Tests of pairs: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from clew.lab.comparison import Comparison
from clew.lab.differences import Difference, enough, found, holm, over_all, over_draws, over_webs, within
from clew.lab.results import Run

BUDGET = 4
"""An area is (4 + 1 − first find) / 4 pages; the oracle finds its one page at once, so areas are shares of 4."""


def run(first: int, strategy: str, repeat: int = 0, task: str = "t", web: str = "") -> Run:
    """A run that finds its one page with fetch ``first`` (1 to 4): area (5 − first) / 4 of the oracle's."""
    blank, numbers = np.zeros(BUDGET, np.float32), np.zeros(BUDGET, np.int32)
    return Run(
        task, strategy, "", repeat, BUDGET, 1, tuple(map(str, range(BUDGET))), np.arange(1, BUDGET + 1) == first,
        blank, blank, numbers, numbers, numbers, 1.0, 1.0, 0, 0, 0, "", repeat, web,
    )  # fmt: skip


def compared(*runs: Run) -> Comparison:
    tasks, repeats = {each.task for each in runs}, 1 + max(each.repeat for each in runs)
    best = (np.array([True, False, False, False]),) * repeats
    return Comparison(runs, dict.fromkeys(tasks, best), dict.fromkeys(tasks, best))


def test_holm_by_hand() -> None:
    # sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .04, none below a smaller one's
    assert holm([0.02, 0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.06, 0.04, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    # what was not tested does not count: two of three
    corrected = holm([0.02, float("nan"), 0.03])
    assert [corrected[0], corrected[2]] == pytest.approx([0.04, 0.04]) and np.isnan(corrected[1])
    assert holm([]) == []


def test_units_that_tell_all_pairs_apart() -> None:
    # 2 / 2⁶ = .031; three pairs: 6 / 2⁷ = .047; 28 pairs: 56 / 2¹¹ = .027, 56 / 2¹⁰ = .055
    assert [enough(pairs) for pairs in (1, 3, 28)] == [6, 7, 11]


def test_pairs_within_a_task_are_tested_over_repeats_and_corrected_for_all() -> None:
    # a − b is 1/4 or 2/4 in eight repeats, so p = 2 / 2⁸; c is worst: three pairs
    firsts = {"a": [1] * 8, "b": [2, 3] * 4, "c": [4] * 8}
    both = compared(*(run(first, name, i) for name in firsts for i, first in enumerate(firsts[name])))
    tests = within(both, "t")
    assert [(test.one, test.other, test.n) for test in tests] == [("a", "b", 8), ("a", "c", 8), ("b", "c", 8)]
    a_b, a_c, b_c = tests
    assert a_b.difference == pytest.approx(3 / 8) and (a_b.low, a_b.high) == pytest.approx((0.25, 0.5))
    assert a_b.p == pytest.approx(2 / 256)
    # a − c is 3/4 always: nothing varied, nothing tested; two pairs are left to correct for
    assert np.isnan(a_c.p) and np.isnan(a_c.corrected) and not a_c.is_real and a_c.test == "none: nothing varied"
    assert a_b.corrected == b_c.corrected == pytest.approx(2 * 2 / 256) and a_b.is_real
    turned = found(tests, "b", "a")
    assert turned is not None
    assert (turned.difference, turned.low, turned.high) == pytest.approx((-3 / 8, -0.5, -0.25))
    assert found(tests, "a", "d") is None


def test_differences_below_a_hundredth_are_none() -> None:
    tiny = Difference("a", "b", "repeats", 20, 0.009, 0.008, 0.0095, 0.001, 0.001, True)
    assert not tiny.is_real


def test_tasks_that_share_a_web_are_one_unit() -> None:
    """Twelve tasks on two webs: a is better on all. Over webs there are two units, over repeats one each."""
    runs = [
        run(first, name, 0, f"t{i}", f"web {i % 2}") for i in range(12) for name, first in (("a", 1), ("b", 2 + i % 2))
    ]
    (test,) = over_webs(compared(*runs))
    assert (test.n, test.units, test.p) == (2, "webs", 0.5)
    assert test.difference == pytest.approx((1 / 4 + 2 / 4) / 2)
    (test,) = over_draws(compared(*runs))
    assert (test.n, test.test) == (1, "none: one unit")
    assert [each[0].units for each in over_all(compared(*runs))] == ["webs"]


def test_over_repeats_a_unit_is_the_mean_over_tasks() -> None:
    # repeat 0: 1/4 and 3/4, repeat 1: 2/4 and 2/4 and repeat 2: 1/4 and 1/4
    firsts = {0: (2, 4), 1: (3, 3), 2: (2, 2)}
    runs = [run(1, "a", i, task, "web") for i in firsts for task in ("t", "u")]
    runs += [run(first, "b", i, task, "web") for i in firsts for task, first in zip("tu", firsts[i], strict=True)]
    (test,) = over_draws(compared(*runs))
    assert (test.n, test.difference, test.low, test.high) == (3, 0.5, 0.25, 0.5)


def test_repeats_on_webs_of_their_own_are_told_once() -> None:
    runs = [each for i in range(3) for each in (run(1, "a", i, web=f"w{i}"), run(2 + i, "b", i, web=f"w{i}"))]
    ((test,),) = over_all(compared(*runs))
    assert (test.units, test.n) == ("webs", 3)
