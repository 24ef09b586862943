"""What a report compares: the runs of some tasks, put in order by what they found against the oracle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clew.errors import InputError
from clew.lab.measures import area_over_oracle, median_interval, paired_test
from clew.lab.results import Run
from clew.model import Bools

BASELINE = "breadth-first"

LEVEL = 0.01
"""Areas over the oracle's that differ by less are as good as equal, whatever the repeats say."""

ENOUGH = 6
"""Pairs with which a paired test can reach p < .05."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Median of the repeats and its interval (95 %; all repeats where fewer than six); NaN where there is none."""

    median: float
    low: float
    high: float
    repeats: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of some figures; NaN among them is left out."""
        interval = median_interval(values)
        return cls(interval.median, interval.low, interval.high, int((~np.isnan(values)).sum()))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs of one or several tasks, and what was possible on each.

    ``oracles`` and ``one_step``: by task, bool[n], whether fetch i of the greedy oracle (of perfect one-step sight)
    brought a new relevant page. A *method* is a strategy with its judge, written "strategy / judge".
    Raises InputError when there are no runs, or a task lacks its oracle.
    """

    runs: tuple[Run, ...]
    oracles: Mapping[str, Bools]
    one_step: Mapping[str, Bools]
    title: str = "Comparison of crawl strategies"

    def __post_init__(self) -> None:
        if not self.runs:
            raise InputError("there are no runs to report; run `clew lab run` first")
        lacking = [task for task in self.tasks if task not in self.oracles]
        if lacking:
            raise InputError(f"no oracle for task {lacking[0]!r}; run `clew lab run` for it again")

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Tasks in the order of their first run."""
        return _distinct(run.task for run in self.runs)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """All methods, best first: by the mean over tasks of the median area over the oracle's."""
        names = _distinct(method(run) for run in self.runs)
        return tuple(sorted(names, key=lambda name: -_known(self.mean(name))))

    def of(self, task: str, name: str = "") -> tuple[Run, ...]:
        """The repeats of a method on a task; of all methods without a name."""
        return tuple(run for run in self.runs if run.task == task and name in {"", method(run)})

    def area(self, task: str, name: str) -> Spread:
        """Area over the oracle's of the repeats of a method on a task."""
        return self._areas.get((task, name), Spread.of(()))

    def mean(self, name: str) -> float:
        """Mean over tasks of the median area over the oracle's; NaN without any."""
        medians = [self.area(task, name).median for task in self.tasks]
        known = [value for value in medians if not np.isnan(value)]
        return float(np.mean(known)) if known else np.nan

    def sight(self, task: str) -> float:
        """Area over the oracle's of perfect one-step sight; NaN when it was not computed."""
        if task not in self.one_step:
            return np.nan
        return area_over_oracle(self.one_step[task], self.oracles[task], self.budget(task))

    def budget(self, task: str) -> int:
        """Fetches allowed on the task."""
        return max(run.budget for run in self.of(task))

    def ranked(self, task: str) -> tuple[str, ...]:
        """Methods that ran on the task, best first; of equals, the one better over all tasks."""
        ran = {method(run) for run in self.of(task)}
        names = [name for name in self.methods if name in ran]
        return tuple(sorted(names, key=lambda name: -_known(self.area(task, name).median)))

    @cached_property
    def _areas(self) -> dict[tuple[str, str], Spread]:
        values: dict[tuple[str, str], list[float]] = {}
        for run in self.runs:
            value = area_over_oracle(run.found, self.oracles[run.task], run.budget)
            values.setdefault((run.task, method(run)), []).append(value)
        return {place: Spread.of(areas) for place, areas in values.items()}


def method(run: Run) -> str:
    """The name of a run's strategy with its judge."""
    return f"{run.strategy} / {run.judge}" if run.judge else run.strategy


def conclusion(comparison: Comparison, task: str) -> str:
    """One sentence a task: which method to take, how sure that is, and what is left to gain."""
    ranked = comparison.ranked(task)
    best = comparison.area(task, ranked[0])
    if np.isnan(best.median):
        return "The oracle finds nothing within the budget, so this task cannot tell methods apart."
    if not best.median:
        return (
            "No method found a relevant page within the budget; the seeds lie too far off or the budget is too small."
        )
    parts = [_who(comparison, task, ranked), _against_baseline(comparison, task, ranked), _room(comparison, task, best)]
    return "; ".join(part for part in parts if part) + "."


def level(one: Spread, other: Spread) -> bool:
    """Whether two methods cannot be told apart: medians within .01, or intervals that overlap."""
    if abs(one.median - other.median) < LEVEL:
        return True
    return min(one.repeats, other.repeats) > 1 and one.low <= other.high and other.low <= one.high


def _who(comparison: Comparison, task: str, ranked: Sequence[str]) -> str:
    best = comparison.area(task, ranked[0])
    figure = f"{short(best.median)} of the oracle's area"
    if best.repeats > 1:
        figure += f" (median of {best.repeats}, {short(best.low)} to {short(best.high)})"
    equals = [name for name in ranked[1:] if level(best, comparison.area(task, name))]
    if not equals:
        return f"Take {ranked[0]}: {figure}" + _clear(comparison, task, ranked)
    if len(equals) > 3:
        equals = [*equals[:2], f"{len(equals) - 2} more"]
    return f"{ranked[0]} is ahead with {figure}, but cannot be told apart from {listed(equals)}"


def _clear(comparison: Comparison, task: str, ranked: Sequence[str]) -> str:
    if len(ranked) < 2:
        return ""
    best, second = (comparison.area(task, name) for name in ranked[:2])
    if min(best.repeats, second.repeats) > 1:
        return ", clear of the others"
    return f", {short(best.median - second.median)} before {ranked[1]} in one run each"


def _against_baseline(comparison: Comparison, task: str, ranked: Sequence[str]) -> str:
    base = next((name for name in ranked if name.split(" / ")[0] == BASELINE), None)
    if base is None:
        return ""
    if base == ranked[0]:
        return "no focus pays here, as nothing does better than breadth-first"
    best, plain = comparison.area(task, ranked[0]), comparison.area(task, base)
    if level(best, plain):
        return "focus hardly pays here, as breadth-first does as well"
    return (
        f"that is {best.median / plain.median:.1f} times breadth-first's {short(plain.median)}" if plain.median else ""
    )


def _room(comparison: Comparison, task: str, best: Spread) -> str:
    sight = comparison.sight(task)
    if np.isnan(sight):
        return ""
    room = sight - best.median
    if room < 0.02:
        return f"perfect one-step sight ({short(sight)}) would do no better, so only planning over several links can"
    return f"perfect one-step sight would reach {short(sight)}, so better link scores can still gain {short(room)}"


def verdict(comparison: Comparison) -> str:
    """The sentence over all tasks."""
    best, tasks = comparison.methods[0], comparison.tasks
    mean = comparison.mean(best)
    if len(tasks) == 1:
        return f"{best} did best on the one task compared, with {short(mean)} of the oracle's area."
    wins = sum(comparison.ranked(task)[0] == best for task in tasks)
    return (
        f"{best} did best over all: {short(mean)} of the oracle's area in the mean, and first on {wins} of "
        f"{len(tasks)} tasks{_lead(comparison)}."
    )


def _lead(comparison: Comparison) -> str:
    """Whether the lead over the second is real: a paired test of the medians over tasks."""
    if len(comparison.methods) < 2:
        return ""
    best, second = comparison.methods[:2]
    ours, theirs = ([comparison.area(task, name).median for task in comparison.tasks] for name in (best, second))
    test = paired_test(ours, theirs)
    lead = f"its lead over {second} ({short(comparison.mean(second))})"
    if test.pairs < ENOUGH:
        return f"; {test.pairs} tasks that differ are too few to say whether {lead} is real"
    return f"; {lead} is {'real' if test.p < 0.05 else 'within chance'} (paired test over tasks, p = {test.p:.3f})"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them: a, b and c."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def short(value: float) -> str:
    """A fraction as readers expect it in tables: .62, 1.00; a dash for NaN."""
    return "–" if np.isnan(value) else f"{value:.2f}".removeprefix("0")


def _known(value: float) -> float:
    return -1.0 if np.isnan(value) else value


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
