"""Which differences between methods are real: tests of all pairs, corrected for their number.

Methods meet on the same draws: repeat r of a task has the same start pages, examples and web for all. So pairs are
tested by their differences in area over the oracle's, one a *unit*:

* within a task, a unit is a repeat;
* over tasks, on the webs at hand, a unit is a repeat: the mean over tasks of its differences;
* over webs, a unit is a web: the mean of all differences on it, since tasks that share a web are not independent.

The test is the sign-flip test of ``measures.paired_test``; with n units p is never below 2/2ⁿ. P values of all pairs
are corrected together (S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
Statistics 6, 1979). The interval is that of the median of the units' differences (95 %). Where all units say the same
to the last digit nothing varied, so nothing is tested: such an interval of width zero is no evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from clew.lab.comparison import Comparison
from clew.lab.measures import median_interval, paired_test

LEVEL = 0.01
"""Areas over the oracle's that differ by less are as good as equal, whatever a test says."""

ALPHA = 0.05

EQUAL = 1e-9
"""Differences that vary by less do not vary."""

Units = Callable[[tuple[str, int]], object]
"""The unit that a repeat of a task belongs to, by task and repeat."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better ``one`` is than ``other`` on ``n`` units (``units``: repeats or webs).

    ``difference``: median of the units' differences in area over the oracle's; ``low``, ``high``: its interval ·
    ``p`` of the sign-flip test and ``corrected`` by Holm, NaN where nothing could be tested · ``exact``: all flips were
    tried."""

    one: str
    other: str
    units: str
    n: int
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    exact: bool

    @property
    def is_real(self) -> bool:
        """Whether the methods can be told apart."""
        return self.corrected < ALPHA and abs(self.difference) >= LEVEL

    @property
    def test(self) -> str:
        """What was tested, in words."""
        if np.isnan(self.p):
            return "none: one unit" if self.n < 2 else "none: nothing varied"
        return f"sign flip, {'exact' if self.exact else 'sampled'}, Holm"


def within(comparison: Comparison, task: str) -> tuple[Difference, ...]:
    """All pairs of methods on a task, the better ranked first; units are repeats."""
    return _pairs(comparison, comparison.ranked(task), (task,), "repeats", lambda place: place[1])


def over_draws(comparison: Comparison) -> tuple[Difference, ...]:
    """All pairs over all tasks, on the webs at hand; units are repeats."""
    return _pairs(comparison, comparison.methods, comparison.tasks, "repeats", lambda place: place[1])


def over_webs(comparison: Comparison) -> tuple[Difference, ...]:
    """All pairs over all tasks; units are webs."""
    return _pairs(comparison, comparison.methods, comparison.tasks, "webs", lambda place: comparison.webs[place])


def over_all(comparison: Comparison) -> tuple[tuple[Difference, ...], ...]:
    """All pairs over all tasks, by repeats and by webs, as far as there are several of them. Where each repeat is a web
    of its own both would be the same; then by webs only."""
    by_draws, by_webs = over_draws(comparison), over_webs(comparison)
    if [(test.n, test.difference) for test in by_draws] == [(test.n, test.difference) for test in by_webs]:
        by_draws = ()
    return tuple(tests for tests in (by_draws, by_webs) if any(test.n > 1 for test in tests))


def overall(comparison: Comparison) -> tuple[Difference, ...]:
    """All pairs over all tasks: by webs where there are enough of them to tell all pairs apart, else by repeats; empty
    where neither is repeated."""
    each = over_all(comparison)
    if not each:
        return ()
    by_webs = each[-1]
    return by_webs if any(test.n >= enough(len(by_webs)) for test in by_webs) else each[0]


def enough(pairs: int) -> int:
    """The fewest units with which all of so many pairs can be told apart: 2/2ⁿ · pairs < .05."""
    return int(np.floor(np.log2(2 * max(pairs, 1) / ALPHA))) + 1


def found(differences: Sequence[Difference], one: str, other: str) -> Difference | None:
    """The comparison of two methods, seen from the first."""
    for each in differences:
        if (each.one, each.other) == (one, other):
            return each
        if (each.one, each.other) == (other, one):
            return replace(each, one=one, other=other, difference=-each.difference, low=-each.high, high=-each.low)
    return None


def holm(p: Sequence[float]) -> list[float]:
    """P values corrected for their number: the k-th smallest of m times m − k + 1, never below a smaller one's; NaN
    stays, and does not count."""
    values = np.asarray(p, np.float64)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    corrected = np.full(len(values), np.nan)
    scaled = values[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return corrected.tolist()


def _pairs(
    comparison: Comparison, names: Sequence[str], tasks: Sequence[str], units: str, unit_of: Units
) -> tuple[Difference, ...]:
    tested = [
        difference(one, other, units, _by_unit(comparison, one, other, tasks, unit_of))
        for one, other in combinations(names, 2)
    ]
    corrected = holm([each.p for each in tested])
    return tuple(replace(each, corrected=p) for each, p in zip(tested, corrected, strict=True))


def _by_unit(comparison: Comparison, one: str, other: str, tasks: Sequence[str], unit_of: Units) -> list[float]:
    """The mean difference of each unit: of those repeats of tasks that both ran."""
    ours, theirs = comparison.values[one], comparison.values[other]
    units: dict[object, list[float]] = {}
    for place in sorted(ours.keys() & theirs.keys()):
        if place[0] in tasks and not np.isnan(ours[place] - theirs[place]):
            units.setdefault(unit_of(place), []).append(ours[place] - theirs[place])
    return [float(np.mean(values)) for values in units.values()]


def difference(one: str, other: str, units: str, values: Sequence[float]) -> Difference:
    """What the differences of the units say, one - other each; ``corrected`` is p as it is, until all are corrected."""
    interval = median_interval(values)
    varied = len(values) > 1 and max(values) - min(values) > EQUAL
    test = paired_test(values, [0.0] * len(values))
    p = test.p if varied else float("nan")
    return Difference(one, other, units, len(values), interval.median, interval.low, interval.high, p, p, test.exact)
