"""What an adaptive cutoff saves: python -m benchmarks.effects_tunnelling [--json] [--webs 10] [--nuggets 100]

Crawls of simulated webs with long off-topic paths, one a seed, each stopped at the same number of pages judged
relevant (nuggets). The measure is the number of links that wait then, and the median of it over the webs: by the fixed
metric and the adaptive one at the same cutoff, in the paper's order (first found, first fetched), and by the fixed
metric at a smaller cutoff, as the adaptive one ends paths earlier in any case. The last two rows put the best page's
links first, with the adaptive metric and without any cutoff. ``ratio``: links waiting for each of the fixed metric, the
median over the webs. A crawl that ran out of links or budget before it had the nuggets is not equal and left out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.crawling import finished, with_table
from clew.config import StopSettings
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.running import remembered
from clew.lab.simulating import PRESETS, simulate
from clew.lab.tasks import Task, load

DEEP: dict[str, float] = {
    "tunnels": 0.8, "tunnel_length": 8, "out_degree": 8, "same_host": 0.8, "locality": 0.8, "words": 150,
    "pages_per_host": 40,
}  # fmt: skip
"""Few links a page and long paths, so that paths end at a cutoff at all."""

BASELINE = "fixed"
ENOUGH = "relevant_pages"
"""The rule that ends a crawl that has its nuggets."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A strategy, and its settings if it is tunnelling."""

    name: str
    order: str = ""
    metric: str = ""
    cutoff: float = 0.0

    @property
    def strategy(self) -> str:
        """The name of the strategy."""
        return "tunnelling" if self.order else "best-first"

    def settings(self) -> dict[str, Any]:
        """The strategy's settings."""
        return {"order": self.order, "metric": self.metric, "cutoff": self.cutoff} if self.order else {}


@dataclass(frozen=True, slots=True)
class Row:
    """One crawl: pages fetched, nuggets among them, targets found by the truth, and links that wait in the end."""

    seed: int
    variant: str
    fetches: int
    nuggets: int
    found: int
    frontier: int
    ended_by: str


def variants(cutoff: float, smaller: float) -> tuple[Variant, ...]:
    """What is compared, the baseline first."""
    return (
        Variant(BASELINE, "breadth-first", "fixed", cutoff),
        Variant("adaptive", "breadth-first", "cumulative_max", cutoff),
        Variant("fixed, smaller", "breadth-first", "fixed", smaller),
        Variant("adaptive, best page first", "correlation", "cumulative_max", cutoff),
        Variant("no cutoff, best page first"),
    )


def crawled(task: Task, seed: int, variant: Variant, options: argparse.Namespace, readers: Readers) -> Row:
    """One crawl until it has the nuggets."""
    settings = with_table(settings_of(task, variant.strategy, options.judge, 1), variant.settings())
    settings = msgspec.structs.replace(settings, stop=StopSettings(relevant_pages=options.nuggets))
    with remembered() as store:
        result = finished(bench(task, settings, store, readers, None))
        rows = [(row.relevant, row.url in task.relevant) for row in store.visits.rows()]
    nuggets, found = sum(nugget for nugget, _ in rows), sum(target for _, target in rows)
    return Row(seed, variant.name, len(rows), nuggets, found, result.frontier, str(result.stopped_by))


def webs(options: argparse.Namespace) -> Iterator[Row]:
    """All crawls, web by web."""
    PRESETS["deep"] = DEEP
    for seed in range(options.first, options.first + options.webs):
        readers = Readers()
        with tempfile.TemporaryDirectory(prefix="clew-effects-") as folder:
            task = load(simulate("deep", options.pages, seed, Path(folder) / "task.toml", options.pages // 2))
        for variant in variants(options.cutoff, options.smaller):
            yield crawled(task, seed, variant, options, readers)


def summary(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Medians of each variant over the webs on which it and the baseline came to the nuggets (``equal``); ``smaller``
    and ``larger``: webs of these on which its frontier was so against the baseline's."""
    base = {row.seed: row for row in rows if row.variant == BASELINE and row.ended_by == ENOUGH}
    for name in dict.fromkeys(row.variant for row in rows):
        every = [row for row in rows if row.variant == name]
        mine = [row for row in every if row.ended_by == ENOUGH and row.seed in base]
        line: dict[str, Any] = {"variant": name, "webs": len(every), "equal": len(mine)}
        if mine:
            ratios = [row.frontier / max(base[row.seed].frontier, 1) for row in mine]
            line |= {
                what: statistics.median(getattr(row, what) for row in mine) for what in ("fetches", "frontier", "found")
            }
            line |= {"ratio": round(statistics.median(ratios), 3)}
            line |= {"smaller": sum(ratio < 1 for ratio in ratios), "larger": sum(ratio > 1 for ratio in ratios)}
        yield line


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a crawl and the medians, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--webs", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="the first web's seed")
    parser.add_argument("--pages", type=int, default=6_000)
    parser.add_argument("--nuggets", type=int, default=100)
    parser.add_argument("--cutoff", type=float, default=6.0)
    parser.add_argument("--smaller", type=float, default=4.0, help="the smaller fixed cutoff")
    parser.add_argument("--judge", default="naive-bayes")
    options = parser.parse_args(arguments)
    rows = []
    for row in webs(options):
        rows.append(row)
        show(asdict(row), as_json=options.json)
    for line in summary(rows):
        show(line, as_json=options.json)


def show(line: dict[str, Any], *, as_json: bool) -> None:
    """One line."""
    print(json.dumps(line) if as_json else "  ".join(f"{name} {value}" for name, value in line.items()), flush=True)


if __name__ == "__main__":
    main()
