"""Loss in saved results of the lab, as Chakrabarti, Punera and Subramanyam 2002 report it (Figures 4, 5, 13 and 14).

    python -m benchmarks.replication_apprentice RESULTS [--after 150] [--json]

RESULTS: a folder that ``clew lab experiment`` or ``clew lab run --out`` wrote, with best-first among its strategies. A
fetch is lost when it brings no relevant page (by the truth). Of each task and strategy, medians of the repeats with
their least and most:

``lost``: the share of all fetches · ``saved``: lost fewer than best-first of the same repeat, as a share of its losses
· ``before``, ``after``: the loss rate in the first ``--after`` fetches and the others · ``harvest``: the mean relevance
by the judge · ``clear``: the share of judged pages with a relevance below .1 or above .9, which is large where the
relevance is bimodal · ``better``: repeats that lost fewer than best-first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from clew.lab.readings import loss_rate
from clew.lab.results import Run
from clew.lab.running import TaskResult
from clew.lab.saved import load

BASELINE = "best-first"
Row = dict[str, Any]


def rows(result: TaskResult, after: int) -> Iterator[Row]:
    """A row a strategy."""
    base = {run.repeat: run for run in result.runs if run.strategy == BASELINE}
    for name in dict.fromkeys(run.strategy for run in result.runs):
        own = [run for run in result.runs if run.strategy == name]
        yield {
            "task": result.task,
            "strategy": name,
            "n": len(own),
            "lost": _spread([loss_rate(run.found) for run in own]),
            "saved": _spread([saved(run, base[run.repeat]) for run in own]),
            "better": sum(saved(run, base[run.repeat]) > 0 for run in own),
            "before": _spread([loss_rate(run.found[:after]) for run in own]),
            "after": _spread([loss_rate(run.found[after:]) for run in own]),
            "harvest": _spread([1.0 - loss_rate(run.judged) for run in own]),
            "clear": _spread([clear(run) for run in own]),
        }


def saved(run: Run, base: Run) -> float:
    """The share of the baseline's losses that a run saved; NaN where the baseline lost nothing."""
    lost = int((~base.found).sum())
    return 1.0 - int((~run.found).sum()) / lost if lost else float("nan")


def clear(run: Run) -> float:
    """The share of judged pages whose relevance is near 0 or 1."""
    known = run.judged[~np.isnan(run.judged)]
    return float(((known < 0.1) | (known > 0.9)).mean()) if len(known) else float("nan")


def _spread(values: Sequence[float]) -> list[float]:
    """Median, least and most."""
    return [round(float(one), 4) for one in (np.nanmedian(values), np.nanmin(values), np.nanmax(values))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--after", type=int, default=150)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    found = [row for result in load(options.results) for row in rows(result, options.after)]
    if options.json:
        print("\n".join(map(json.dumps, found)))
        return
    table = Table(*found[0])
    for row in found:
        table.add_row(*(_shown(value) for value in row.values()))
    Console(width=200).print(table)


def _shown(value: Any) -> str:
    return "{:.3f} ({:.3f} to {:.3f})".format(*value) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    main()
