"""Tables of what Clew and its peers found: every run, and the areas of all crawlers by task, with their means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from rich.table import Table

from clew.lab.measures import area_over_oracle, recall_at
from clew.lab.results import Run
from clew.lab.running import TaskResult
from clew.lab.tasks import Task


def who(run: Run) -> str:
    """The crawler of a run: Clew's with strategy and judge."""
    return f"clew {run.strategy} / {run.judge}" if run.judge else run.strategy


def details(results: Sequence[TaskResult]) -> Table:
    """A row a run."""
    table = Table(title="Found of what could be found, by fetches (recall after 10, 25, 50 and 100 % of the budget)")
    for name in ("task", "crawler and strategy"):
        table.add_column(name, no_wrap=True)
    for name in ("area / oracle", "10 %", "25 %", "50 %", "100 %", "found", "fetched", "absent", "ended by"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        for run in result.runs:
            shares = [f"{share:.2f}" for share in recall_at(run.found, run.reachable, run.budget)]
            counts = (str(int(run.found.sum())), str(run.fetched), str(run.absent), run.stopped_by)
            table.add_row(run.task, who(run), f"{_area(result, run):.3f}", *shares, *counts)
        table.add_section()
    return table


def areas(results: Sequence[TaskResult], webs: Mapping[str, str]) -> Table:
    """Area over the greedy oracle's. ``webs``: the web of each task."""
    return _table("Area over the greedy oracle's", results, webs, _area, "{:.3f}", "{:.3f}")


def counts(results: Sequence[TaskResult], webs: Mapping[str, str]) -> Table:
    """Relevant pages found within the budget, and how many there were to find."""
    title = "Relevant pages found within the budget"
    return _table(title, results, webs, lambda _, run: float(run.found.sum()), "{:.0f}", "{:.1f}", with_reachable=True)


def costs(results: Sequence[TaskResult], webs: Mapping[str, str]) -> Table:
    """CPU-seconds a page fetched."""
    title = "CPU-s a page (peers: with start-up and HTTP)"
    return _table(title, results, webs, lambda _, run: run.cpu_ms_per_page / 1000, "{:.4f}", "{:.4f}")


def web_of(task: Task) -> str:
    """The name of a task's web: that of its file, without endings."""
    return Path(task.web.partition(":")[2]).name.split(".")[0]


def _table(
    title: str,
    results: Sequence[TaskResult],
    webs: Mapping[str, str],
    value: Callable[[TaskResult, Run], float],
    form: str,
    form_of_mean: str,
    *,
    with_reachable: bool = False,
) -> Table:
    """A row a task and a column a crawler; last the means by web, and over all tasks, of those who ran on all."""
    rows = [{who(run): value(result, run) for run in result.runs} for result in results]
    crawlers = list(dict.fromkeys(name for row in rows for name in row))
    table = Table(title=title)
    table.add_column("task", no_wrap=True)
    if with_reachable:
        table.add_column("in\nreach", justify="right")
    for name in crawlers:
        table.add_column(name.replace(" / ", " ").replace(" ", "\n"), justify="right", no_wrap=True)

    def add(name: str, reach: float, row: Mapping[str, float], form: str) -> None:
        cells = (form.format(row[crawler]) if crawler in row else "–" for crawler in crawlers)
        table.add_row(name, *([form.format(reach)] if with_reachable else []), *cells)

    reach = [float(result.runs[0].reachable) for result in results]
    for result, most, row in zip(results, reach, rows, strict=True):
        add(result.task, most, row, form)
    table.add_section()
    own = [webs[result.task] for result in results]
    names = list(dict.fromkeys(own))
    for web in names if len(names) > 1 else ():
        places = [place for place, name in enumerate(own) if name == web]
        part = [rows[place] for place in places]
        add(f"mean of {len(part)}, {web}", fmean(reach[place] for place in places), _means(part), form_of_mean)
    if rows:
        add("mean", fmean(reach), _means(rows), form_of_mean)
    return table


def means(results: Sequence[TaskResult]) -> dict[str, float]:
    """The mean area over the oracle's of each crawler that ran on all tasks."""
    found = _means([{who(run): _area(result, run) for run in result.runs} for result in results])
    return {name: round(mean, 6) for name, mean in found.items()}


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each column that all rows have."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: fmean(row[name] for row in rows) for name in names if all(name in row for row in rows)}


def _area(result: TaskResult, run: Run) -> float:
    return area_over_oracle(run.found, result.oracles[run.repeat], run.budget)
