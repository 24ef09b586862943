"""What a report compares: the runs of some tasks, put in order by what they found against the oracle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from clew.errors import InputError
from clew.lab.measures import area_over_oracle, median_interval
from clew.lab.results import Run
from clew.model import Bools

BASELINE = "breadth-first"


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

    ``oracles`` and ``one_step``: by task, for each repeat bool[n], whether fetch i of the greedy oracle (of perfect
    one-step sight) brought a new relevant page; so ``look_ahead``, and ``bound``, whose running sum is the upper bound.
    Results of earlier versions lack the last two. A *method* is a strategy with its judge, written "strategy / judge".
    Raises InputError when there are no runs, or a run lacks its oracle.
    """

    runs: tuple[Run, ...]
    oracles: Mapping[str, Sequence[Bools]]
    one_step: Mapping[str, Sequence[Bools]]
    title: str = "Comparison of crawl strategies"
    look_ahead: Mapping[str, Sequence[Bools]] = field(default_factory=dict)
    bound: Mapping[str, Sequence[Bools]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.runs:
            raise InputError("there are no runs to report; run `clew lab run` first")
        lacking = [run.task for run in self.runs if run.repeat >= len(self.oracles.get(run.task, ()))]
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
        """Area over the oracle's of perfect one-step sight, the median of the repeats; NaN when it was not computed."""
        return self.limit(self.one_step, task)

    def limit(self, limits: Mapping[str, Sequence[Bools]], task: str) -> float:
        """Area over the oracle's of another oracle, or of the upper bound: the median of the repeats; NaN when it was
        not computed."""
        pairs = zip(limits.get(task, ()), self.oracles[task], strict=False)
        return Spread.of([area_over_oracle(found, oracle, self.budget(task)) for found, oracle in pairs]).median

    @property
    def limits(self) -> dict[str, Mapping[str, Sequence[Bools]]]:
        """By name, what was possible besides the greedy oracle, as far as any task has it."""
        each = {"one-step sight": self.one_step, "look-ahead": self.look_ahead, "upper bound": self.bound}
        return {name: found for name, found in each.items() if any(map(len, found.values()))}

    def budget(self, task: str) -> int:
        """Fetches allowed on the task."""
        return max(run.budget for run in self.of(task))

    def reachable(self, task: str) -> str:
        """How many relevant pages can be reached, in words: repeats with other start pages reach others."""
        counts = {run.reachable for run in self.of(task)}
        least, most = min(counts), max(counts)
        return f"{most:,}" if least == most else f"{least:,} to {most:,}"

    def ranked(self, task: str) -> tuple[str, ...]:
        """Methods that ran on the task, best first; of equals, the one better over all tasks."""
        ran = {method(run) for run in self.of(task)}
        names = [name for name in self.methods if name in ran]
        return tuple(sorted(names, key=lambda name: -_known(self.area(task, name).median)))

    def value(self, run: Run) -> float:
        """Area of a run over that of the oracle of its repeat; NaN where the oracle finds nothing."""
        return area_over_oracle(run.found, self.oracles[run.task][run.repeat], run.budget)

    def over_bound(self, run: Run) -> float:
        """Area of a run over that of the upper bound of its repeat; NaN where that is not known."""
        bounds = self.bound.get(run.task, ())
        return area_over_oracle(run.found, bounds[run.repeat], run.budget) if run.repeat < len(bounds) else np.nan

    @cached_property
    def values(self) -> dict[str, dict[tuple[str, int], float]]:
        """By method: the area over the oracle's by task and repeat."""
        found: dict[str, dict[tuple[str, int], float]] = {}
        for run in self.runs:
            found.setdefault(method(run), {})[run.task, run.repeat] = self.value(run)
        return found

    @cached_property
    def webs(self) -> dict[tuple[str, int], str]:
        """By task and repeat: the web. Runs that do not say theirs count as a web a task."""
        return {(run.task, run.repeat): run.web or run.task for run in self.runs}

    @cached_property
    def _areas(self) -> dict[tuple[str, str], Spread]:
        values: dict[tuple[str, str], list[float]] = {}
        for run in self.runs:
            values.setdefault((run.task, method(run)), []).append(self.value(run))
        return {place: Spread.of(areas) for place, areas in values.items()}


def method(run: Run) -> str:
    """The name of a run's strategy with its judge."""
    return f"{run.strategy} / {run.judge}" if run.judge else run.strategy


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
