"""Windowed relevance and bursts of context graphs: python -m benchmarks.effects_context_graph_windows [--json] [FILE]

Section 4 of Diligenti and others 2000, on the webs of an experiment file (``effects/context-graph-windows.toml``).
``focused`` there is the paper's own baseline: it downloads all children of a page, and expands the page that the
classifier of the targets likes best. For each method, medians over the repeats of

    found      relevant pages, by the truth
    relevance  mean over the crawl of the judge's mean relevance of the last fetches (Figure 5), a window of the lab
    above      share of fetches at which that is higher than it is for ``focused`` on the same web
    burst      most relevant pages among any 50 fetches in a row (Figure 6)
    asked      questions who links to a page

Fetches for the graphs count. ``clew lab experiment FILE`` draws the curves.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from clew.lab.experiment import load
from clew.lab.figures import window
from clew.lab.measures import sliding
from clew.lab.results import Run
from clew.lab.running import TaskResult, run_all
from clew.model import Doubles

FILE = Path(__file__).parent / "effects" / "context-graph-windows.toml"
FOCUSED = "focused"
BURST = 50
MEASURES = ("found", "relevance", "above", "burst", "asked")


@dataclass(frozen=True, slots=True)
class Row:
    """One run."""

    task: str
    strategy: str
    repeat: int
    found: int
    relevance: float
    above: float
    burst: int
    asked: int


def relevance_of(run: Run) -> Doubles:
    """The judge's mean relevance of the last fetches, at each fetch: float64[budget]. What brought nothing to judge
    counts as irrelevant, for it was paid; a crawl that stops early keeps its last value."""
    curve = np.zeros(run.budget)
    curve[: run.fetched] = sliding(np.nan_to_num(run.judged)[: run.budget], window(run.budget))
    curve[run.fetched :] = curve[run.fetched - 1] if run.fetched else 0.0
    return curve


def burst_of(run: Run) -> int:
    """Most relevant pages among ``BURST`` fetches in a row."""
    sums = np.concatenate([[0], np.cumsum(run.found)])
    return int((sums[BURST:] - sums[:-BURST]).max()) if len(sums) > BURST else int(sums[-1])


def rows_of(result: TaskResult) -> list[Row]:
    """The figures of all runs on a task."""
    base = {run.repeat: relevance_of(run) for run in result.runs if run.strategy == FOCUSED}
    found = []
    for run in result.runs:
        curve = relevance_of(run)
        above = float((curve > base[run.repeat]).mean()) if run.repeat in base else float("nan")
        figures = int(run.found.sum()), round(float(curve.mean()), 4), round(above, 3), burst_of(run), run.asked
        found.append(Row(run.task, run.strategy, run.repeat, *figures))
    return found


def show(rows: Sequence[Row], *, as_json: bool) -> None:
    """Medians over the repeats, and what was found on each web."""
    table = Table("web", "strategy", *MEASURES, "found on each")
    for task, strategy in dict.fromkeys((row.task, row.strategy) for row in rows):
        own = [row for row in rows if (row.task, row.strategy) == (task, strategy)]
        medians = {name: round(statistics.median([getattr(row, name) for row in own]), 3) for name in MEASURES}
        each = [row.found for row in own]
        if as_json:
            print(json.dumps({"task": task, "strategy": strategy, **medians, "each": each}))
        table.add_row(task, strategy, *map(str, medians.values()), ", ".join(map(str, each)))
    if not as_json:
        Console(width=150).print(table)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=FILE, help="an experiment file")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    study = load(options.file)
    for task in study.tasks:
        for result in run_all([task], study.plan, options.jobs):
            show(rows_of(result), as_json=options.json)


if __name__ == "__main__":
    main()
