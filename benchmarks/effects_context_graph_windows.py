"""Windowed relevance and bursts of context graphs: python -m benchmarks.effects_context_graph_windows [--json] [FILE]

Section 4 of Diligenti and others 2000, on the webs of an experiment file (``effects/context-graph-windows.toml``).
``focused`` there is the paper's own baseline: it downloads all children of a page, and expands the page that the
classifier of the targets likes best. For each method and web, and medians over the webs:

    found      relevant pages, by the truth
    relevance  mean over the crawl of the judge's mean relevance of the last fetches (Figure 5), a window of the lab
    above      share of fetches at which that is higher than it is for ``focused`` on the same web
    burst      most relevant pages among any 50 fetches in a row (Figure 6)
    asked      questions who links to a page, which cost nothing here

Fetches for the graphs count. ``clew lab experiment FILE`` runs the same crawls, with oracles, and draws the curves.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.crawling import finished
from benchmarks.effects_context_graph import links_of
from clew.lab.asking import Asked
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.experiment import load
from clew.lab.figures import window
from clew.lab.measures import sliding
from clew.lab.running import Plan, remembered
from clew.lab.simulating import another
from clew.lab.tasks import Task
from clew.lab.variants import Variant
from clew.model import Bools, Doubles
from clew.web.providers.inverted import Inverted

FILE = Path(__file__).parent / "effects" / "context-graph-windows.toml"
FOCUSED = "focused"
BURST = 50
MEASURES = ("found", "relevance", "above", "burst", "asked")


@dataclass(frozen=True, slots=True, eq=False)
class Crawled:
    """One crawl: ``found`` bool[n], whether a fetch brought a relevant page; ``curve`` float64[budget] as
    ``relevance_of`` gives it; ``asked`` questions."""

    found: Bools
    curve: Doubles
    asked: int


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one crawl."""

    web: str
    strategy: str
    found: int
    relevance: float
    above: float
    burst: int
    asked: int


def relevance_of(judged: Doubles, budget: int) -> Doubles:
    """The judge's mean relevance of the last fetches, at each fetch: float64[budget]. What brought nothing to judge
    (NaN) counts as irrelevant, for it was paid; a crawl that stops early keeps its last value."""
    curve = np.zeros(budget)
    size = len(judged[:budget])
    curve[:size] = sliding(np.nan_to_num(judged[:budget]), window(budget))
    curve[size:] = curve[size - 1] if size else 0.0
    return curve


def burst_of(found: Bools) -> int:
    """Most relevant pages among ``BURST`` fetches in a row."""
    sums = np.concatenate([[0], np.cumsum(found)])
    return int((sums[BURST:] - sums[:-BURST]).max()) if len(sums) > BURST else int(sums[-1])


def crawl(task: Task, strategy: Variant, plan: Plan, links: Inverted, readers: Readers) -> Crawled:
    """One crawl of a task."""
    with remembered() as store:
        asked = Asked(links, store, plan.cost(strategy))
        finished(bench(task, settings_of(task, strategy, plan.judges[0], plan.seed), store, readers, asked))
        rows = list(store.visits.rows())
    judged = np.array([row.relevance if row.judged else np.nan for row in rows], np.float64)
    found = np.array([row.url in task.relevant for row in rows], np.bool_)
    return Crawled(found, relevance_of(judged, task.budget), len(asked.before))


def rows_of(web: str, crawls: dict[str, Crawled]) -> Iterator[Row]:
    """The figures of all crawls of a web, by strategy."""
    base = crawls[FOCUSED].curve
    for strategy, one in crawls.items():
        mean, above = float(one.curve.mean()), float((one.curve > base).mean())
        found, burst = int(one.found.sum()), burst_of(one.found)
        yield Row(web, strategy, found, round(mean, 4), round(above, 3), burst, one.asked)


def webs(task: Task, plan: Plan) -> Iterator[Row]:
    """The rows of a task and its repeats, each on a web of its own, as they come."""
    for repeat in range(plan.repeats):
        own = (another(task, repeat) or task) if repeat else task
        links, readers = links_of(own), Readers()
        crawls = {one.name: crawl(own, one, plan, links, readers) for one in plan.strategies}
        yield from rows_of(f"{task.name} {repeat}", crawls)


def show(name: str, figures: dict[str, object], *, as_json: bool) -> None:
    """A line."""
    text = json.dumps(figures) if as_json else "  ".join(f"{key} {value}" for key, value in figures.items())
    print(name, text, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a crawl, and the medians of each task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=FILE, help="an experiment file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    study = load(options.file)
    for task in study.tasks:
        rows = []
        for row in webs(task, study.plan):
            rows.append(row)
            show("web", asdict(row), as_json=options.json)
        for strategy in dict.fromkeys(row.strategy for row in rows):
            own = [row for row in rows if row.strategy == strategy]
            medians = {name: round(statistics.median([getattr(row, name) for row in own]), 3) for name in MEASURES}
            show("median", {"task": task.name, "strategy": strategy, **medians}, as_json=options.json)


if __name__ == "__main__":
    main()
