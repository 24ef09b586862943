"""The table that clew lab run and clew lab experiment print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from clew.cli.common import say
from clew.lab.comparison import Comparison, Spread, method
from clew.lab.conclusions import verdict
from clew.lab.differences import found, within
from clew.lab.knowledge import NOTE, anybody_asked, questions
from clew.lab.latex import figure3, p_value
from clew.lab.measures import recall_at
from clew.lab.results import Run
from clew.model import Bools, Doubles
from clew.text.shown import shown

WIDEST = 1_000
"""Columns that the table may take; it is not squeezed into the window."""

LEFT = ("task", "strategy", "judge")


def print_table(comparison: Comparison) -> None:
    """Print a row a task and method: medians of the repeats, and where there are some, their interval, their number and
    p against the best of the task; then the conclusion over all tasks."""
    repeated = any(run.repeat for run in comparison.runs)
    table = Table(title="Found of what could be found, by fetches (recall after 10, 25, 50 and 100 % of the budget)")
    tested = ("interval", "n", "p (Holm)") if repeated else ()
    asking = anybody_asked(comparison)
    asked = ("asked",) if asking else ()
    for name in (*LEFT, "area / oracle", *tested, *asked, "found", "of", "10 %", "25 %", "50 %", "100 %", "CPU-ms"):
        table.add_column(name, justify="left" if name in LEFT else "right", no_wrap=True)
    for task in comparison.tasks:
        for row in _rows(comparison, task, repeated, asking):
            table.add_row(*row)
        table.add_section()
    console = Console()
    needed = Measurement.get(console, console.options.update(max_width=WIDEST), table).maximum
    Console(width=max(console.width, needed)).print(table)
    if asking:
        say(NOTE)
    if repeated:
        say(verdict(comparison))


def _rows(comparison: Comparison, task: str, repeated: bool, asking: bool) -> Iterator[list[str | Text]]:
    ranked, tests = comparison.ranked(task), within(comparison, task)
    for name in dict.fromkeys(map(method, comparison.of(task))):
        runs = comparison.of(task, name)
        test = found(tests, ranked[0], name)
        tested = _tested(comparison.area(task, name), p_value(test.corrected) if test else "") if repeated else []
        area = figure3(comparison.area(task, name).median)
        asked = [questions(runs)] if asking else []
        yield [*map(_plain, (task, runs[0].strategy, runs[0].judge)), area, *tested, *asked, *_counts(runs)]
    blank = [""] * (3 * repeated + asking)
    for name, limits in comparison.limits.items():
        if len(limits.get(task, ())):
            area = figure3(comparison.limit(limits, task))
            yield [_plain(task), name, "", area, *blank, *_limit(comparison, limits[task], task)]


def _limit(comparison: Comparison, limits: Sequence[Bools], task: str) -> list[str]:
    """The counts of an oracle, or of the upper bound."""
    reachable = {run.repeat: run.reachable for run in comparison.of(task)}
    each = [(limits[repeat], most) for repeat, most in reachable.items()]
    recalls = np.array([recall_at(flags, most, comparison.budget(task)) for flags, most in each])
    totals = [float(flags.sum()) for flags, _ in each], [float(most) for _, most in each]
    return [*(f"{np.median(values):.0f}" for values in totals), *(_median(column) for column in recalls.T), ""]


def _tested(area: Spread, p: str) -> list[str]:
    return [f"{figure3(area.low)} to {figure3(area.high)}", str(area.repeats), p]


def _counts(runs: Sequence[Run]) -> list[str]:
    """What was found, of how many, within which part of the budget, and what it cost."""
    recalls = np.array([recall_at(run.found, run.reachable, run.budget) for run in runs])
    totals = [float(run.found.sum()) for run in runs], [float(run.reachable) for run in runs]
    return [
        *(f"{np.median(values):.0f}" for values in totals),
        *(_median(column) for column in recalls.T),
        f"{np.median([run.cpu_ms_per_page for run in runs]):.1f}",
    ]


def _median(values: Doubles) -> str:
    return f"{np.median(values):.2f}"


def _plain(name: str) -> Text:
    """A name as it stands: what looks like markup is none."""
    return Text(shown(name))
