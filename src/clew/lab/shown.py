"""Saved results as plain values, for a browser to show and compare: numbers, texts and lists, JSON-able as they are.

What cannot be said (NaN in the lab) is None. Names of tasks and methods stand as they were given: whoever shows them
escapes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from clew.lab.comparison import Comparison, Spread, method
from clew.lab.conclusions import conclusion, verdict
from clew.lab.differences import Difference, over_all, within
from clew.lab.measured import MEASURES
from clew.lab.results import Run
from clew.lab.saved import load_comparison
from clew.model import Bools

POINTS = 200
"""Points of a curve, at most."""

ALL_TASKS = ""
"""In place of a task: tested over all of them."""


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """What a measure is called and says; see ``Measure``."""

    name: str
    title: str
    better: str
    says: str


@dataclass(frozen=True, slots=True)
class ShownTask:
    """A task. ``limits``: area over the greedy oracle's of what else was possible, by name · ``ranked``: methods that
    ran on it, best first · ``reachable``: in words · ``webs``: of its repeats, each once."""

    name: str
    budget: int
    reachable: str
    runs: int
    repeats: int
    webs: list[str]
    limits: dict[str, float | None]
    ranked: list[str]
    says: str


@dataclass(frozen=True, slots=True)
class ShownMethod:
    """A strategy with its judge. ``mean``: over tasks, of the median area over the oracle's · settings as JSON."""

    name: str
    strategy: str
    judge: str
    strategy_settings: str
    judge_settings: str
    mean: float | None


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A measure of a method on a task: median of so many repeats, and its interval (95 %; the least and the most of
    fewer than six)."""

    task: str
    method: str
    measure: str
    median: float | None
    low: float | None
    high: float | None
    repeats: int


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """A pair of methods, tested on a task, or over all (``ALL_TASKS``); see ``clew.lab.differences.Difference``."""

    task: str
    one: str
    other: str
    units: str
    n: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    test: str
    told_apart: bool


@dataclass(frozen=True, slots=True)
class ShownCurve:
    """Relevant pages ``found`` after so many were ``fetched``, at most ``POINTS`` points. ``method``: of a run, or the
    name of what was possible; then ``is_limit``."""

    task: str
    method: str
    repeat: int
    is_limit: bool
    fetched: list[int]
    found: list[int]


@dataclass(frozen=True, slots=True)
class Results:
    """All that is shown of a folder of results; methods and strategies best first."""

    title: str
    says: str
    tasks: list[ShownTask]
    methods: list[ShownMethod]
    strategies: list[str]
    judges: list[str]
    measures: list[ShownMeasure]
    values: list[ShownValue]
    differences: list[ShownDifference]
    curves: list[ShownCurve]


def results(folder: Path) -> Results:
    """The results in a folder. Raises InputError where there are none, or that cannot be read."""
    return results_of(load_comparison(folder))


def results_of(comparison: Comparison) -> Results:
    """The same of a comparison in memory."""
    methods = [_method(comparison, name) for name in comparison.methods]
    return Results(
        title=comparison.title,
        says=verdict(comparison),
        tasks=[_task(comparison, task) for task in comparison.tasks],
        methods=methods,
        strategies=list(dict.fromkeys(one.strategy for one in methods)),
        judges=list(dict.fromkeys(one.judge for one in methods)),
        measures=[ShownMeasure(one.name, one.title, one.better, one.says) for one in MEASURES],
        values=list(_values(comparison)),
        differences=list(_differences(comparison)),
        curves=[*_limit_curves(comparison), *map(_run_curve, comparison.runs)],
    )


def _task(comparison: Comparison, task: str) -> ShownTask:
    runs = comparison.of(task)
    return ShownTask(
        name=task,
        budget=comparison.budget(task),
        reachable=comparison.reachable(task),
        runs=len(runs),
        repeats=len({run.repeat for run in runs}),
        webs=list(dict.fromkeys(run.web for run in runs if run.web)),
        limits={name: known(comparison.limit(limit, task)) for name, limit in comparison.limits.items()},
        ranked=list(comparison.ranked(task)),
        says=conclusion(comparison, task),
    )


def _method(comparison: Comparison, name: str) -> ShownMethod:
    run = next(run for run in comparison.runs if method(run) == name)
    settings = (run.strategy_settings, run.judge_settings)
    return ShownMethod(name, run.strategy, run.judge, *settings, known(comparison.mean(name)))


def _values(comparison: Comparison) -> Iterator[ShownValue]:
    for task in comparison.tasks:
        for name in comparison.ranked(task):
            runs = comparison.of(task, name)
            for measure in MEASURES:
                spread = Spread.of([measure.of(comparison, run) for run in runs])
                ends = (known(spread.median), known(spread.low), known(spread.high))
                yield ShownValue(task, name, measure.name, *ends, spread.repeats)


def _differences(comparison: Comparison) -> Iterator[ShownDifference]:
    """All pairs: over all tasks, by repeats and by webs as far as there are several; then on each task."""
    tests = [(ALL_TASKS, test) for tests in over_all(comparison) for test in tests]
    tests += [(task, test) for task in comparison.tasks for test in within(comparison, task)]
    return (_difference(task, test) for task, test in tests)


def _difference(task: str, test: Difference) -> ShownDifference:
    return ShownDifference(
        task=task,
        one=test.one,
        other=test.other,
        units=test.units,
        n=test.n,
        difference=known(test.difference),
        low=known(test.low),
        high=known(test.high),
        p=known(test.p),
        p_holm=known(test.corrected),
        test=test.test,
        told_apart=bool(test.is_real),
    )


def _limit_curves(comparison: Comparison) -> Iterator[ShownCurve]:
    for task in comparison.tasks:
        budget = comparison.budget(task)
        for name, limit in {"greedy oracle": comparison.oracles, **comparison.limits}.items():
            for repeat, found in enumerate(limit.get(task, ())):
                yield ShownCurve(task, name, repeat, True, *thinned(found[:budget]))


def _run_curve(run: Run) -> ShownCurve:
    return ShownCurve(run.task, method(run), run.repeat, False, *thinned(run.found))


def thinned(found: Bools, points: int = POINTS) -> tuple[list[int], list[int]]:
    """A found-curve at evenly spaced fetches, the first (0) and the last among them: fetches, and found by then."""
    at = np.unique(np.linspace(0, len(found), min(points, len(found) + 1)).round().astype(np.int64))
    curve = np.concatenate([[0], np.cumsum(found, dtype=np.int64)])
    return at.tolist(), curve[at].tolist()


def known(value: float) -> float | None:
    """Six digits behind the point; None for what cannot be said."""
    return round(float(value), 6) if isfinite(value) else None
