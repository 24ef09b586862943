"""What context graphs gain and cost: python -m benchmarks.effects_context_graph [--json] [--presets layers,flat]

On simulated webs of each preset, one a seed, context-graph and best-first crawl with the same judge,
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

from benchmarks import crawling
from benchmarks.crawling import finished, typed, with_table
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.running import remembered
from clew.lab.simulating import simulate
from clew.lab.tasks import Task, load
from clew.strategies.context_graph import ContextGraph
from clew.web.providers.inverted import Inverted
from clew.web.simulated import parse_spec

BASELINE, OURS = "best-first", ContextGraph.name
Tables = dict[str, dict[str, Any]]
"""The settings of either strategy."""

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
    task: Task, strategy: str, table: dict[str, Any], judge: str, links: Inverted, readers: Readers
) -> tuple[int, int]:
    """Targets that a crawl of the task finds, and pages it fetched because a strategy asked for them."""
    settings = with_table(settings_of(task, strategy, judge, 1), table)
    with remembered() as store:
        finished(bench(task, settings, store, readers, links))
        rows = [(row.url in task.relevant, row.kind == "backlink") for row in store.visits.rows()]
    return sum(target for target, _ in rows), sum(asked for _, asked in rows)


def webs(preset: str, tables: Tables, options: argparse.Namespace) -> Iterator[Row]:
    """One row a web."""
    for seed in range(options.first, options.first + options.seeds):
        with tempfile.TemporaryDirectory(prefix="clew-effects-") as folder:
            task = load(simulate(preset, options.pages, seed, Path(folder) / "task.toml", options.budget))
        links, readers = links_of(task), Readers()
        base, _ = found_by(task, BASELINE, tables[BASELINE], options.judge, links, readers)
        ours, asked = found_by(task, OURS, tables[OURS], options.judge, links, readers)
        yield Row(preset, seed, task.budget, base, ours, asked)


def areas(paths: Sequence[Path], judge: str, tables: Tables) -> Iterator[dict[str, Any]]:
    """For each task the area over the oracle of either strategy."""
    for task in map(load, paths):
        for _, found in crawling.areas(task, [judge], tables):
            yield {"task": task.name, **found}


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
    values = dict(pair.split("=", 1) for pair in options.set)
    tables: Tables = {BASELINE: {}, OURS: typed(values, ContextGraph.Settings)}
    if options.tasks:
        for line in areas(options.tasks, options.judge, tables):
            print(json.dumps(line) if options.json else "  ".join(f"{name} {value}" for name, value in line.items()))
        return
    for preset in options.presets.split(","):
        show(preset, webs(preset, tables, options), as_json=options.json)


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
