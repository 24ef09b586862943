"""Tables over a family: figures of methods (strategy|judge) on tasks, from the rows of their runs.

On a task a method has one figure, the mean of its repeats. Intervals are percentile bootstraps of the mean over tasks
(90 %, seeded), the test is the lab's sign-flip test of paired differences with Holm's correction, a unit a task. Tasks
that share a web are not independent, so both say what holds for topics of these webs, not for other webs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, median

import numpy as np
from scipy.stats import bootstrap

from benchmarks.family.rows import AFTER, Row
from clew.lab.differences import difference, holm
from clew.lab.latex import figure3, p_value

LEVEL = 0.9
RESAMPLES = 2_000
CLOSE = 0.02
"""So far behind the first on a task is as good as first."""
REFERENCE = "best-first"
OURS = "clew|auto"

Place = tuple[str, int]
"""A task and the budget it was run with."""


@dataclass(frozen=True, slots=True)
class Table:
    """A title, headings and rows of texts."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Results:
    """The rows of all runs."""

    rows: tuple[Row, ...]

    @cached_property
    def by_place(self) -> dict[str, dict[Place, list[Row]]]:
        """By method and task: its repeats that have an area. Methods with the best mean over their tasks come first."""
        found: dict[str, dict[Place, list[Row]]] = {}
        for row in self.rows:
            if row.area_over_oracle is not None:
                found.setdefault(row.method, {}).setdefault((row.task, row.budget), []).append(row)
        means = {name: fmean(_area(rows) for rows in places.values()) for name, places in found.items()}
        return {name: found[name] for name in sorted(found, key=lambda name: -means[name])}

    @cached_property
    def areas(self) -> dict[str, dict[Place, float]]:
        """By method and task: area over the oracle's."""
        return {name: {place: _area(rows) for place, rows in places.items()} for name, places in self.by_place.items()}

    @cached_property
    def tasks(self) -> dict[Place, Row]:
        """All tasks in the order of their webs, each with one of its rows."""
        found = {place: rows[0] for places in self.by_place.values() for place, rows in places.items()}
        return dict(sorted(found.items(), key=lambda item: (group(item[1]), item[0])))

    @property
    def groups(self) -> tuple[str, ...]:
        """Webs and kinds of start."""
        return tuple(dict.fromkeys(map(group, self.tasks.values())))

    def grouped(self, name: str, of: Callable[[Row], object]) -> dict[object, list[float]]:
        """The areas of a method, by what a task is put under."""
        found: dict[object, list[float]] = {}
        for place, value in self.areas[name].items():
            found.setdefault(of(self.tasks[place]), []).append(value)
        return found


def tables(results: Results, of: str = "", each: bool = False) -> Iterator[Table]:
    """All tables; ``of``: the method that is tested against all others (empty: clew|auto if it ran); ``each``: the
    areas of every task too."""
    yield by_web(results)
    yield standing(results)
    yield losses(results)
    if (tested := against(results, of or _first(results))).rows:
        yield tested
    yield by_examples(results)
    yield by_fetches(results)
    if (judged := judging(results)).rows:
        yield judged
    if each:
        yield by_task(results)


def group(row: Row) -> str:
    """A task's web and kind of start."""
    return f"{row.web} {row.start}".strip()


def by_web(results: Results) -> Table:
    """Mean area over the oracle's, with its interval."""
    counts = Counter(map(group, results.tasks.values()))
    head = ("method", "tasks", "all", *(f"{name} ({counts[name]})" for name in results.groups))
    rows = []
    for name, areas in results.areas.items():
        own = results.grouped(name, group)
        cells = (_with_interval(own.get(one, [])) for one in results.groups)
        rows.append((name, str(len(areas)), _with_interval(list(areas.values())), *cells))
    return Table("Mean area over the greedy oracle's (90 % interval, bootstrap over tasks)", head, tuple(rows))


def standing(results: Results) -> Table:
    """How often a method is first, and how far it falls behind best-first where it does worst."""
    best = _best(results)
    rows = []
    for name, areas in results.areas.items():
        first = sum(value >= best[place] for place, value in areas.items())
        close = sum(value >= best[place] - CLOSE for place, value in areas.items())
        worst, where = _worst(results, name)
        cpu = fmean(row.cpu_ms_per_page for runs in results.by_place[name].values() for row in runs)
        rows.append((name, str(len(areas)), str(first), str(close), worst, where, f"{cpu:.1f}"))
    head = ("method", "tasks", "first", f"within {CLOSE}", f"worst to {REFERENCE}", "on", "CPU-ms a page")
    return Table("Standing, task by task", head, tuple(rows))


def losses(results: Results) -> Table:
    """The median over tasks of what was lost."""
    webs = tuple(dict.fromkeys(row.web for row in results.tasks.values()))
    rows = []
    for name, areas in results.areas.items():
        own = results.grouped(name, lambda row: row.web)
        cells = (_short(1 - median(own[web])) if web in own else "–" for web in webs)
        rows.append((name, _short(1 - median(areas.values())), *cells))
    return Table("Median loss: 1 - area over the oracle's", ("method", "all", *webs), tuple(rows))


def against(results: Results, of: str) -> Table:
    """A method against each other one, on the tasks that both ran."""
    found = []
    for other in results.areas:
        ours, theirs = results.areas.get(of, {}), results.areas[other]
        values = [ours[place] - theirs[place] for place in results.tasks if place in ours and place in theirs]
        if other != of and values:
            found.append((fmean(values), sum(v > 0 for v in values), difference(of, other, "tasks", values)))
    corrected = holm([test.p for _, _, test in found])
    rows = []
    for (mean, won, test), p in zip(found, corrected, strict=True):
        shown = replace(test, corrected=p)
        interval = f"{_signed(test.low)} to {_signed(test.high)}"
        told = "yes" if shown.is_real else "no"
        figures = (_signed(mean), _signed(test.difference), interval, p_value(test.p), p_value(p), told)
        rows.append((test.other, str(test.n), str(won), *figures))
    head = ("against", "tasks", "better on", "mean", "median", "95 % of the median", "p", "p (Holm)", "told apart")
    return Table(f"{of} against each other method: paired differences, sign-flip test over tasks", head, tuple(rows))


def by_examples(results: Results) -> Table:
    """Mean areas by number of good examples. The tasks of one number are not those of another."""
    counts = Counter(row.positive for row in results.tasks.values())
    numbers = sorted(counts)
    rows = []
    for name in results.areas:
        own = results.grouped(name, lambda row: row.positive)
        rows.append((name, *(_with_interval(own.get(number, [])) for number in numbers)))
    head = ("method", *(f"{number} good ({counts[number]} tasks)" for number in numbers))
    return Table("Learning curve: mean area by number of good examples", head, tuple(rows))


def by_fetches(results: Results) -> Table:
    """The share of the relevant pages within reach that was found after so many fetches."""
    counts = {n: sum(str(n) in row.found_after for row in results.tasks.values()) for n in AFTER}
    numbers = [n for n in AFTER if counts[n]]
    rows = [(name, *(_short(_share_after(results, name, n)) for n in numbers)) for name in results.by_place]
    head = ("method", *(f"{n:,} fetches ({counts[n]} tasks)" for n in numbers))
    return Table("Learning curve: mean share of the relevant pages found", head, tuple(rows))


def judging(results: Results) -> Table:
    """How right the judge was about what was fetched; no rows where no run says so."""
    webs = tuple(dict.fromkeys(row.web for row in results.tasks.values()))
    rows = []
    for name, places in results.by_place.items():
        runs = [row for own in places.values() for row in own]
        cells = [_judged(runs), *(_judged([row for row in runs if row.web == web]) for web in webs)]
        if any(cell != _NO_JUDGING for cell in cells):
            rows.append((name, *(figure for cell in cells for figure in cell)))
    names = [f"{web}\n{figure}" for web in ("all", *webs) for figure in ("precision", "recall", "off by")]
    title = "Pages called relevant: precision, recall, and how far the crawl's own estimate of precision was off (mean)"
    return Table(title, ("method", *names), tuple(rows))


def by_task(results: Results) -> Table:
    """The area of every method on every task."""
    rows = []
    for place, row in results.tasks.items():
        name = row.task if Counter(task for task, _ in results.tasks)[row.task] == 1 else f"{row.task} ({row.budget})"
        rows.append((name, *(_short(areas.get(place, np.nan)) for areas in results.areas.values())))
    return Table("Area over the greedy oracle's", ("task", *results.areas), tuple(rows))


_NO_JUDGING = ("–", "–", "–")


def _judged(runs: Sequence[Row]) -> tuple[str, str, str]:
    off = [
        abs(row.estimated_precision - row.precision)
        for row in runs
        if row.estimated_precision is not None and row.precision is not None
    ]
    precision, recall = (row.precision for row in runs), (row.recall_of_called for row in runs)
    return _short(_mean(precision)), _short(_mean(recall)), _short(_mean(off))


def _first(results: Results) -> str:
    """clew|auto if it ran, else the best row of clew, else the best of all."""
    ours = [name for name in results.areas if name.partition("|")[0] == "clew"]
    return OURS if OURS in ours else (ours or list(results.areas))[0]


def _best(results: Results) -> dict[Place, float]:
    """The highest area on each task."""
    return {place: max(areas.get(place, -np.inf) for areas in results.areas.values()) for place in results.tasks}


def _worst(results: Results, name: str) -> tuple[str, str]:
    """The least difference to best-first with the same judge (else with the judge that does best), and its task."""
    judges = [f"{REFERENCE}|{name.partition('|')[2]}", *(n for n in results.areas if n.startswith(f"{REFERENCE}|"))]
    theirs: Mapping[Place, float] = next((results.areas[n] for n in judges if n in results.areas), {})
    behind = {place: value - theirs[place] for place, value in results.areas[name].items() if place in theirs}
    if not behind:
        return "–", "–"
    place = min(behind, key=lambda place: behind[place])
    return _signed(behind[place]), place[0]


def _share_after(results: Results, name: str, n: int) -> float:
    return _mean(
        fmean(row.found_after[str(n)] / max(row.reachable, 1) for row in rows)
        for rows in results.by_place[name].values()
        if all(str(n) in row.found_after for row in rows)
    )


def _area(rows: Iterable[Row]) -> float:
    return fmean(row.area_over_oracle for row in rows if row.area_over_oracle is not None)


def _mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return fmean(known) if known else np.nan


def _with_interval(values: Sequence[float]) -> str:
    """Mean and interval, the mean alone of a single task."""
    if len(values) < 2 or max(values) == min(values):
        return _short(_mean(values))
    found = bootstrap((values,), np.mean, confidence_level=LEVEL, n_resamples=RESAMPLES, method="percentile", rng=1)
    interval = found.confidence_interval
    return f"{_short(_mean(values))} ({_short(interval.low)}–{_short(interval.high)})"


def _short(value: float) -> str:
    """A share with three decimals, a dash for what cannot be said."""
    return "–" if np.isnan(value) else figure3(value)


def _signed(value: float) -> str:
    """A difference with three decimals and its sign."""
    return "–" if np.isnan(value) else f"{'+' if value >= 0 else '−'}{figure3(abs(value))}"
