"""What Bergmark and others 2002 measure, of results of the lab: python -m benchmarks.replications_tunnelling FOLDER
or, of crawls of tasks with the paper's judge: python -m benchmarks.replications_tunnelling --tasks TASK.toml ...

FOLDER holds results of an experiment file with the strategy ``tunnelling(preset=paper)``
(benchmarks/replications/tunnelling.toml). For each task and judge the crawls of that strategy are taken together, by
the judge's relevance as the correlation c, and read with two thresholds: the paper's 0.5, and the one that makes as
many pages nuggets as were in the paper (12,285 of 696,944, Table 3), for cosines depend on how terms are weighted:

    share        nuggets among the pages, starts left out; and the mean of c (Table 2)
    paths        complete paths, their commonest length, both ends counted, and the deepest level with a nugget (5.1)
    parents      chance of a nugget below the best tenth of duds over that of any page (Table 3)
    below        rank correlation of c of a nugget's child with the duds from there to the next nugget (Table 4)
    history      chance of a nugget below a dud of c >= threshold/2 whose own parent is such a page too, over that of
                 one whose parent is not; and the same below other duds (Figure 1)
    1 - c        mean over duds, and duds in a row until the distance reaches 20, at c of 5, 50, 95 % of the duds
    by distance  rank correlation of c with the distance from the last nugget (Figure 2)
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from benchmarks.crawling import finished
from clew.graph.path_statistics import path_statistics, to_next_nugget
from clew.graph.paths import CUTOFF, FIXED, THRESHOLD, distances, nuggets, step
from clew.judges.registry import JUDGES
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.results import Run
from clew.lab.running import remembered
from clew.lab.saved import load
from clew.lab.tasks import Task
from clew.lab.tasks import load as load_task
from clew.lab.variants import variant
from clew.model import Bools, Doubles
from clew.strategies.registry import STRATEGIES

STRATEGY = "tunnelling(preset=paper)"
JUDGE = "centroid(negative=0.0, calibrated=false, examples=7, least_examples=4, pairs=false, lead=0, damped=false)"
SHARE = 12_285 / 696_944
"""Pages of .5 and more among all of Table 3."""
BEST_DUDS = 0.9
Ints = npt.NDArray[np.int64]


def forest(runs: Sequence[Run]) -> tuple[Ints, Doubles]:
    """The crawls one after the other: the parent of each page, -1 for start pages, and its correlation."""
    parents, before = [], 0
    for run in runs:
        own = run.sources.astype(np.int64) - 1
        parents.append(np.where(own >= 0, own + before, -1))
        before += len(own)
    return np.concatenate(parents), np.nan_to_num(np.concatenate([run.judged for run in runs]).astype(np.float64))


def crawl(task: Task) -> tuple[Ints, Doubles]:
    """The same of one crawl of a task by the paper's strategy and judge."""
    strategy, judge = variant(STRATEGY, STRATEGIES), variant(JUDGE, JUDGES)
    with remembered() as store:
        finished(bench(task, settings_of(task, strategy, judge, 1), store, Readers(), None))
        rows = list(store.visits.rows())
    parents = np.array([row.source - 1 for row in rows], np.int64)
    return parents, np.nan_to_num(np.array([row.relevance for row in rows], np.float64))


def as_many_nuggets(parents: Ints, own: Doubles, share: float = SHARE) -> float:
    """The threshold that this share of the pages, starts left out, reaches."""
    return float(np.quantile(own[parents >= 0], 1 - share))


def duds_until(correlation: float, cutoff: float = CUTOFF) -> int:
    """Duds of one correlation in a row until the adaptive distance reaches the cutoff."""
    distance, count = 0.0, 0
    while distance < cutoff:
        distance, count = step(correlation, distance, threshold=1.01, cutoff=cutoff), count + 1
    return count


def figures(parents: Ints, own: Doubles, threshold: float) -> dict[str, Any]:
    """The figures of the module's head for one forest and threshold; NaN where there is nothing to take them of."""
    paths = path_statistics(parents, own, threshold=threshold)
    found, good = parents >= 0, nuggets(own, threshold)
    dud = own[found & ~good]
    levels = distances(parents, own, metric=FIXED, threshold=threshold)[parents[found]] + 1
    high, low = history(parents, good, own, threshold)
    until = [duds_until(float(np.quantile(dud, share))) for share in (0.05, 0.5, 0.95)] if len(dud) else []
    return {
        "pages": int(found.sum()), "threshold": threshold, "share": float(good[found].mean()),
        "mean c": paths.mean_correlation, "paths": paths.lengths.completed, "mode": paths.lengths.mode,
        "deepest": int(levels[good[found]].max(initial=0)), "parents": better_parents(parents, good, own),
        "below": below_nuggets(parents, good, own), "history, high": high, "history, low": low,
        "1 - c": float(1 - dud.mean()), "until": until, "by distance": fading(parents, own, threshold),
    }  # fmt: skip


def better_parents(parents: Ints, good: Bools, own: Doubles) -> float:
    """How many times likelier a nugget is below the best tenth of duds than anywhere."""
    child = np.flatnonzero(parents >= 0)
    duds = parents[child][~good[parents[child]]]
    best = own[parents[child]] >= np.quantile(own[np.unique(duds)], BEST_DUDS)
    return _over(good[child][best & ~good[parents[child]]], good[child])


def below_nuggets(parents: Ints, good: Bools, own: Doubles) -> float:
    """Rank correlation of the score of a nugget's child with the duds from it to the nearest nugget below."""
    ahead = to_next_nugget(parents, good)
    child = np.flatnonzero((parents >= 0) & np.isfinite(ahead))
    child = child[good[parents[child]]]
    return _rank(own[child], ahead[child])


def history(parents: Ints, good: Bools, own: Doubles, threshold: float) -> tuple[float, float]:
    """How many times likelier a nugget is where the grandparent has half the threshold at least: below duds that have
    so much too, and below those that have not."""
    child = np.flatnonzero(parents >= 0)
    child = child[(parents[parents[child]] >= 0) & ~good[parents[child]]]
    near = own[parents[child]] >= threshold / 2
    before = own[parents[parents[child]]] >= threshold / 2
    high, low = (_over(good[child[half & before]], good[child[half & ~before]]) for half in (near, ~near))
    return high, low


def fading(parents: Ints, own: Doubles, threshold: float) -> float:
    """Rank correlation of c with the adaptive distance of the page before, which the page had no part in."""
    apart = distances(parents, own, threshold=threshold)
    child = np.flatnonzero(parents >= 0)
    return _rank(own[child], apart[parents[child]])


def _over(some: Bools, others: Bools) -> float:
    chance = float(others.mean()) if len(others) else 0.0
    return float(some.mean()) / chance if len(some) and chance else float("nan")


def _rank(one: Doubles, other: Doubles) -> float:
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(spearmanr(one, other).statistic)


def both(parents: Ints, own: Doubles) -> Iterator[dict[str, Any]]:
    """The figures with either threshold."""
    for threshold in (THRESHOLD, as_many_nuggets(parents, own)):
        yield figures(parents, own, threshold)


def lines(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """The figures of each judge."""
    for judge in dict.fromkeys(run.judge for run in runs):
        own = [run for run in runs if run.judge == judge and run.strategy == STRATEGY]
        if not own:
            raise SystemExit(f"{runs[0].task} was not run with {STRATEGY}")
        for line in both(*forest(own)):
            yield {"judge": judge, "crawls": len(own), **line}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--tasks", type=Path, nargs="+", default=[])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if options.folder is None and not options.tasks:
        parser.error("name a folder with results of the lab, or --tasks")
    for result in load(options.folder) if options.folder else ():
        for line in lines(result.runs):
            show({"task": result.task, **line}, as_json=options.json)
    for task in map(load_task, options.tasks):
        for line in both(*crawl(task)):
            show({"task": task.name, "judge": "the paper's", **line}, as_json=options.json)


def show(line: dict[str, Any], *, as_json: bool) -> None:
    """One line."""
    parts = (f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}" for name, value in line.items())
    print(json.dumps(line) if as_json else "  ".join(parts), flush=True)


if __name__ == "__main__":
    main()
