"""What Diligenti and others 2000 measure, of results of the lab: python -m benchmarks.replications_context_graph FOLDER

FOLDER holds results of an experiment file with a strategy that is called ``focused``: the paper's standard focused
crawler, which fetches all children of a page and expands the one that the judge finds likeliest
(benchmarks/replications/context-graph.toml). For each task and method, medians over the repeats with the least and the
most:

    found      relevant pages, by the truth
    x focused  found, for each page that ``focused`` found on the same web (for 1 where it found none)
    wins       webs on which it found more than ``focused``, and fewer
    window     the judge's mean relevance of the last 200 fetches, mean over the crawl (Figure 5)
    above      share of fetches at which that is above the one of ``focused`` on the same web
    graphs     fetches to which no link led, start pages left out: pages that were asked for, questions where they cost
    burst      most relevant pages among any 50 fetches in a row (Figure 6)
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from clew.lab.measures import sliding
from clew.lab.results import Run
from clew.lab.saved import load
from clew.model import Doubles

BASELINE = "focused"
WINDOW, BURST = 200, 50
Row = dict[str, float]


def windowed(run: Run, window: int = WINDOW) -> Doubles:
    """The judge's mean relevance of the last fetches after each: float64[budget]. A fetch that brought nothing to
    judge was paid, and counts 0; a crawl that stopped early keeps its last value."""
    curve = sliding(np.nan_to_num(run.judged[: run.budget]), window)
    last = curve[-1] if len(curve) else 0.0
    return np.concatenate([curve, np.full(run.budget - len(curve), last)])


def burst(run: Run, width: int = BURST) -> int:
    """The most relevant pages among ``width`` fetches in a row."""
    sums = np.concatenate([[0], np.cumsum(run.found)])
    return int((sums[width:] - sums[:-width]).max()) if len(sums) > width else int(sums[-1])


def asked_for(run: Run) -> int:
    """Fetches to which no link led: pages of the graphs or parents of targets, and questions where they cost."""
    return max(int((run.sources == 0).sum()) - run.starts, 0)


def row_of(run: Run, base: Run) -> Row:
    """The figures of a run beside the baseline's on the same web."""
    found, theirs = int(run.found.sum()), int(base.found.sum())
    ours, curve = windowed(run), windowed(base)
    return {
        "found": found,
        "x focused": found / max(theirs, 1),
        "wins": (found > theirs) - (found < theirs),
        "window": float(ours.mean()),
        "above": float((ours > curve).mean()),
        "graphs": asked_for(run),
        "burst": burst(run),
    }


def summary(rows: Sequence[Row]) -> dict[str, str]:
    """Median, least and most of each figure."""
    line = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        if name == "wins":
            line[name] = f"{values.count(1)}-{values.count(-1)}"
        else:
            digits = 0 if name in ("found", "graphs", "burst") else 2
            three = statistics.median(values), min(values), max(values)
            middle, least, most = (f"{value:.{digits}f}" for value in three)
            line[name] = f"{middle} ({least}-{most})"
    return line


def rows(runs: Sequence[Run]) -> dict[str, list[Row]]:
    """The rows of each method of one task, in pairs with the baseline of the same judge and repeat."""
    bases = {(run.judge, run.repeat): run for run in runs if run.strategy == BASELINE}
    found: dict[str, list[Row]] = {}
    for run in runs:
        if base := bases.get((run.judge, run.repeat)):
            found.setdefault(f"{run.strategy} {run.judge}", []).append(row_of(run, base))
    return found


def show(task: str, found: dict[str, list[Row]]) -> None:
    """A table of the methods of a task."""
    lines = [(name, str(len(each)), *summary(each).values()) for name, each in found.items()]
    table = Table("method", "n", *next(iter(found.values()))[0], title=task)
    for line in lines:
        table.add_row(*line)
    Console(width=150).print(table)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table a task, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true", help="one line a run")
    options = parser.parse_args(arguments)
    for result in load(options.folder):
        found = rows(result.runs)
        if not found:
            raise SystemExit(f"{options.folder}: {result.task} was not run with {BASELINE}")
        if not options.json:
            show(result.task, found)
            continue
        for name, each in found.items():
            for row in each:
                print(json.dumps({"task": result.task, "method": name, **row}))


if __name__ == "__main__":
    main()
