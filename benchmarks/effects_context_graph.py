"""What context graphs gain and cost: python -m benchmarks.effects_context_graph [--json] [--presets layers,flat]

CFC-49 and CFC-52: on simulated webs of each preset, one a seed, context-graph and best-first crawl with the same judge,
seeds and budget. What back-crawling fetches is in the budget. The measure is targets found by context-graph over those
found by best-first (over 1 where it found none), and the median of that over the webs. ``--tasks`` takes task files
instead and gives the area under the found-curve over the oracle's. ``--set NAME=VALUE`` changes a setting.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from clew.lab.bench import BenchProject, SharedReader
from clew.lab.measures import area_over_oracle
from clew.lab.running import Plan, run_task
from clew.lab.simulating import simulate
from clew.lab.tasks import Task, load
from clew.project.run import CrawlOptions, crawl
from clew.strategies.context_graph import ContextGraph
from clew.strategies.registry import STRATEGIES
from clew.web.providers.inverted import Inverted
from clew.web.simulated import parse_spec

BASELINE, OURS = "best-first", ContextGraph.name
EXPECTED = {"layers": 1.5, "topical": 0.95, "flat": 0.95}
"""The least median of issue 5, by preset."""


@dataclass(frozen=True, slots=True)
class Row:
    """One web: targets found by either strategy, and fetches of context-graph for its graphs."""

    preset: str
    seed: int
    budget: int
    best_first: int
    context_graph: int
    back_crawled: int

    @property
    def ratio(self) -> float:
        """Targets for each target of best-first."""
        return self.context_graph / max(self.best_first, 1)


def links_of(task: Task) -> Inverted:
    """Who links to whom in a task's simulated web, in the end (through redirects)."""
    web = parse_spec(task.web)
    return Inverted.of(list(web.urls()), (row.tolist() for row in web.linked(*web.located(0, web.pages))))


def found_by(
    task: Task, strategy: str, judge: str, links: Inverted, shared: dict[str, SharedReader]
) -> tuple[int, int]:
    """Targets that a crawl of the task finds, and pages it fetched because a strategy asked for them."""
    with tempfile.TemporaryDirectory(prefix="clew-effects-") as folder:
        project = BenchProject.make(Path(folder) / "crawl", task, strategy, judge, 1, shared, links)
        crawl(project, CrawlOptions())
        store = project.open_store(read_only=True)
        try:
            rows = [(row.url in task.relevant, row.kind == "backlink") for row in store.visits()]
        finally:
            store.close()
    return sum(target for target, _ in rows), sum(asked for _, asked in rows)


def webs(preset: str, pages: int, seeds: Sequence[int], budget: int, judge: str) -> Iterator[Row]:
    """One row a web."""
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="clew-effects-") as folder:
            task = load(simulate(preset, pages, seed, Path(folder) / "task.toml", budget))
        links, shared = links_of(task), dict[str, SharedReader]()
        base, _ = found_by(task, BASELINE, judge, links, shared)
        ours, asked = found_by(task, OURS, judge, links, shared)
        yield Row(preset, seed, task.budget, base, ours, asked)


def areas(paths: Sequence[Path], judge: str) -> Iterator[dict[str, Any]]:
    """For each task the area over the oracle of either strategy."""
    for path in paths:
        result = run_task(load(path), Plan((BASELINE, OURS), (judge,), 1), {})
        found = {run.strategy: round(area_over_oracle(run.found, result.oracle, run.budget), 4) for run in result.runs}
        yield {"task": result.task, **found}


def changed(pairs: Sequence[str]) -> None:
    """Crawl with other settings of context-graph than the defaults."""
    values = dict(pair.split("=", 1) for pair in pairs)
    settings = msgspec.convert(values, ContextGraph.Settings, strict=False)
    STRATEGIES.add(OURS, lambda: ContextGraph(settings))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--presets", default="layers,topical,flat")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--budget", type=int, default=0, help="0: a twentieth of the pages")
    parser.add_argument("--seeds", type=int, default=10, help="webs of each preset")
    parser.add_argument("--first", type=int, default=1, help="the first web's seed")
    parser.add_argument("--judge", default="naive-bayes")
    parser.add_argument("--tasks", type=Path, nargs="*", default=[])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    changed(options.set)
    if options.tasks:
        for line in areas(options.tasks, options.judge):
            print(json.dumps(line) if options.json else "  ".join(f"{name} {value}" for name, value in line.items()))
        return
    seeds = range(options.first, options.first + options.seeds)
    for preset in options.presets.split(","):
        show(preset, webs(preset, options.pages, seeds, options.budget, options.judge), as_json=options.json)


def show(preset: str, found: Iterator[Row], *, as_json: bool) -> None:
    """The rows of a preset as they come, and their median."""
    ratios = []
    for row in found:
        ratios.append(row.ratio)
        line = asdict(row) | {"ratio": round(row.ratio, 3)}
        print(json.dumps(line) if as_json else "  ".join(f"{name} {value}" for name, value in line.items()))
        sys.stdout.flush()
    median, least = statistics.median(ratios), EXPECTED.get(preset)
    summary = {"preset": preset, "webs": len(ratios), "median": round(median, 3), "wanted": least}
    print(json.dumps(summary) if as_json else f"{preset}: median {median:.3f} of {len(ratios)} webs, wanted {least}")


if __name__ == "__main__":
    main()
