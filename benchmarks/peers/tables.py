"""Tables of what Clew and its peers found: every run, and the areas of all crawlers by task, with their means."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from rich.table import Table

from clew.lab.measures import area_over_oracle, recall_at
from clew.lab.results import Run
from clew.lab.running import TaskResult


def who(run: Run) -> str:
    """The crawler of a run: Clew's with strategy and judge."""
    return f"clew {run.strategy} / {run.judge}" if run.judge else run.strategy


def details(results: Sequence[TaskResult]) -> Table:
    """A row a run."""
    table = Table(title="Found of what could be found, by fetches (recall after 10, 25, 50 and 100 % of the budget)")
    for name in ("task", "crawler and strategy"):
        table.add_column(name, no_wrap=True)
    for name in ("area / oracle", "10 %", "25 %", "50 %", "100 %", "found", "fetched", "absent", "CPU-ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        for run in result.runs:
            shares = [f"{share:.2f}" for share in recall_at(run.found, run.reachable, run.budget)]
            counts = (str(int(run.found.sum())), str(run.fetched), str(run.absent), f"{run.cpu_ms_per_page:.1f}")
            table.add_row(run.task, who(run), f"{_area(result, run):.3f}", *shares, *counts)
        table.add_section()
    return table


def areas(results: Sequence[TaskResult]) -> Table:
    """A row a task and a column a crawler: area over the greedy oracle's; last the means of those who ran on all."""
    crawlers = list(dict.fromkeys(who(run) for result in results for run in result.runs))
    table = Table(title="Area over the greedy oracle's")
    table.add_column("task", no_wrap=True)
    for name in crawlers:
        table.add_column(name.replace(" / ", "\n"), justify="right")
    for result in results:
        found = _areas(result)
        table.add_row(result.task, *(_cell(found.get(name)) for name in crawlers))
    table.add_section()
    mean = means(results)
    table.add_row("mean", *(_cell(mean.get(name)) for name in crawlers))
    return table


def means(results: Sequence[TaskResult]) -> dict[str, float]:
    """The mean area over the oracle's of each crawler that ran on all tasks."""
    columns = [_areas(result) for result in results]
    names = dict.fromkeys(name for column in columns for name in column)
    return {
        name: round(fmean(column[name] for column in columns), 6)
        for name in names
        if all(name in column for column in columns)
    }


def _areas(result: TaskResult) -> dict[str, float]:
    return {who(run): _area(result, run) for run in result.runs}


def _area(result: TaskResult, run: Run) -> float:
    return area_over_oracle(run.found, result.oracles[run.repeat], run.budget)


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
