"""What the apprentice saves: python -m benchmarks.effects_apprentice [--study NAME] [--json] [TASK ...]

Simulated webs, one a seed, whose link surroundings tell where links lead (``--web``), a topic of the second level, five
seeds, the naive-bayes judge. A fetch is lost when the page it brought is not about the topic by the truth of the
simulation, or when it brought none.

``online`` (APP-36, APP-39): best-first, and the apprentice, which is best-first for its first 100 instances, then is
trained and all waiting links are scored again. Lost in the fetches after ``--after``, of either, and what was saved.
``window`` (APP-40): the same for fixed windows d_max = 0, 1, 2, 3, 5 beside the chosen one, and for each the share of
links that the apprentice foretold rightly before it learned from them.
``overlap`` (APP-35, APP-37, APP-38): the baseline, an apprentice that was trained with the baseline's finished crawl
before its first page (``learn_from``), and the recall crawler, which besides follows only links to what the baseline
fetched (``only_from``). Pages fetched by the baseline, the apprentice, both; and what all three lost.
``training`` (APP-42): CPU seconds to learn from 100,000 instances (those of a best-first crawl, again and again), to
train, and for scoring 60 links (milliseconds a page).
With task files: the area under the found-curve over the oracle's, for best-first and the apprentice.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Table

from clew.lab.bench import BenchProject, SharedReader
from clew.lab.measures import area_over_oracle, loss
from clew.lab.running import Plan, run_task
from clew.lab.tasks import Task, load
from clew.model import Bools, Session
from clew.project.run import CrawlOptions, crawl
from clew.strategies.apprentice import Apprentice
from clew.strategies.apprentice.settings import ApprenticeSettings
from clew.strategies.base import View
from clew.strategies.registry import STRATEGIES
from clew.web.simulated import parse_spec

BASELINE, OURS = "best-first", Apprentice.name
WINDOWS = (0, 1, 2, 3, 5)
INSTANCES = 100_000
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Web:
    """A simulated web, the task on it, and which of its pages are about the topic."""

    seed: int
    task: Task
    about: Callable[[str], bool]

    @classmethod
    def made(cls, seed: int, options: argparse.Namespace) -> Web:
        spec = f"sim:pages={options.pages},seed={seed}{options.web}"
        web = parse_spec(spec)
        topic = web.topics(2)[0]
        task = Task(
            name=f"web {seed}",
            path=Path(),
            web=spec,
            closed=True,
            budget=options.budget,
            seeds=tuple(web.seeds(5, topic, 1)),
            positive=tuple(web.examples(10, topic)),
            negative=tuple(web.examples(30, topic, relevant=False)),
            relevant=frozenset(),
        )

        def about(url: str) -> bool:
            truth = web.truth(url)
            return truth is not None and truth.relevant_to(topic)

        return cls(seed, task, about)


@dataclass(frozen=True, slots=True, eq=False)
class Crawled:
    """What a crawl fetched, in order; whether each page was about the topic; and how often links were foretold."""

    urls: tuple[str, ...]
    found: Bools
    right: float

    def lost(self, after: int) -> int:
        """Fetches lost after so many (APP-8, by the truth)."""
        curve = loss(self.found)
        return round(float(curve[-1] - (curve[after - 1] if after else 0.0)))


@contextmanager
def changed(**settings: Any) -> Iterator[None]:
    """The apprentice of the registry under other settings."""

    class Changed(Apprentice):
        def __init__(self, given: ApprenticeSettings | None = None) -> None:
            both = {**msgspec.structs.asdict(given or ApprenticeSettings()), **settings}
            super().__init__(msgspec.convert(both, ApprenticeSettings, strict=False))

    STRATEGIES.add(OURS, Changed)
    try:
        yield
    finally:
        del STRATEGIES.added[OURS]


def crawled(folder: Path, web: Web, strategy: str, shared: dict[str, SharedReader], **settings: Any) -> Crawled:
    """Crawl a web in a new folder."""
    with changed(**settings):
        project = BenchProject.make(folder, web.task, strategy, "naive-bayes", 1, shared)
        crawl(project, CrawlOptions())
    store = project.open_store(read_only=True)
    try:
        urls = tuple(row.url for row in store.visits())
        decisions = [row.decision for row in store.decisions()]
    finally:
        store.close()
    return Crawled(urls, np.array([web.about(url) for url in urls], np.bool_), _foretold(decisions))


def _foretold(decisions: Sequence[Any]) -> float:
    """The share of links foretold rightly, over all trainings (APP-28)."""
    tested = right = 0.0
    for decision in decisions:
        for name, share in decision.facts.items():
            if name.startswith("right of ") and name.endswith(" all"):
                many = int(name.split()[2])
                tested, right = tested + many, right + many * float(share)
    return round(right / tested, 4) if tested else float("nan")


# -- the studies ------------------------------------------------------------------------------------------


def online(web: Web, options: argparse.Namespace, folder: Path) -> Row:
    """Lost after training by best-first and the apprentice."""
    shared: dict[str, SharedReader] = {}
    base = crawled(folder / "base", web, BASELINE, shared).lost(options.after)
    ours = crawled(folder / "ours", web, OURS, shared, **options.set)
    lost = ours.lost(options.after)
    return {"seed": web.seed, BASELINE: base, OURS: lost, "saved": _saved(base, lost), "right": ours.right}


def window(web: Web, options: argparse.Namespace, folder: Path) -> Row:
    """Saved, and foretold rightly, with each window."""
    shared: dict[str, SharedReader] = {}
    base = crawled(folder / "base", web, BASELINE, shared).lost(options.after)
    row: Row = {"seed": web.seed, BASELINE: base}
    widths: list[tuple[str, Row]] = [(str(width), {"d_max": width, "window": "fixed"}) for width in WINDOWS]
    for name, settings in [("chosen", {"window": "chosen"}), *widths]:
        ours = crawled(folder / name, web, OURS, shared, **{**options.set, **settings})
        row |= {f"saved {name}": _saved(base, ours.lost(options.after)), f"right {name}": ours.right}
    return row


def overlap(web: Web, options: argparse.Namespace, folder: Path) -> Row:
    """The baseline, the apprentice trained with its crawl, and the recall crawler."""
    shared: dict[str, SharedReader] = {}
    base = crawled(folder / "base", web, BASELINE, shared)
    ours = crawled(folder / "ours", web, OURS, shared, **{**options.set, "learn_from": "../base"})
    again = {**options.set, "learn_from": "../base", "only_from": "../base"}
    recall = crawled(folder / "recall", web, OURS, shared, **again)
    half = len(recall.urls) // 2
    return {
        "seed": web.seed,
        "baseline": len(set(base.urls)),
        "apprentice": len(set(ours.urls)),
        "both": len(set(base.urls) & set(ours.urls)),
        "lost by baseline": base.lost(0),
        "by apprentice": ours.lost(0),
        "saved": _saved(base.lost(0), ours.lost(0)),
        "recall crawler": len(set(recall.urls)),
        "outside": len(set(recall.urls) - set(base.urls)),
        "its first half lost": recall.lost(0) - recall.lost(half),
        "baseline's": base.lost(0) - base.lost(half),
    }


def training(web: Web, options: argparse.Namespace, folder: Path) -> Row:
    """What learning, training and scoring cost."""
    project = BenchProject.make(folder / "base", web.task, BASELINE, "naive-bayes", 1, {})
    crawl(project, CrawlOptions())
    store = project.open_store(read_only=True)
    try:
        visits = list(store.replay())
    finally:
        store.close()
    strategy = Apprentice(msgspec.convert(options.set, ApprenticeSettings, strict=False))
    strategy.begin(cast(View, SimpleNamespace(topics=(), decide=lambda _: None)))
    started = time.process_time()
    for visit in islice(cycle(visits), INSTANCES):
        strategy.learn(visit)
    learned = time.process_time()
    strategy.adapt(Session(1, 1, INSTANCES, INSTANCES, 1, INSTANCES, 1))
    trained = time.process_time()
    batches = [visit.links for visit in visits if visit.links is not None]
    strategy.score(batches[0])
    begun = time.process_time()
    for links in batches:
        strategy.score(links)
    spent = time.process_time() - begun
    return {
        "seed": web.seed,
        "learning s": round(learned - started, 2),
        "training s": round(trained - learned, 2),
        "ms for 60 links": round(60e3 * spent / sum(map(len, batches)), 3),
    }


def _saved(base: int, ours: int) -> float:
    return round(1.0 - ours / max(base, 1), 4)


STUDIES = {"online": online, "window": window, "overlap": overlap, "training": training}


def areas(paths: Sequence[Path], options: argparse.Namespace) -> Iterator[Row]:
    """For each task the area over the oracle."""
    for path in paths:
        with changed(**options.set):
            result = run_task(load(path), Plan((BASELINE, OURS), ("naive-bayes",), 1), {})
        found = {run.strategy: area_over_oracle(run.found, result.oracle, run.budget) for run in result.runs}
        yield {"task": result.task, **{name: round(value, 4) for name, value in found.items()}}


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row a web or task."""
    if options.tasks:
        yield from areas(options.tasks, options)
        return
    for seed in range(options.first, options.first + options.seeds):
        with tempfile.TemporaryDirectory(prefix="clew-effects-") as folder:
            yield STUDIES[options.study](Web.made(seed, options), options, Path(folder))


def medians(found: Sequence[Row]) -> Row:
    """The median of every column of numbers."""
    names = [name for name, value in found[0].items() if isinstance(value, int | float) and name != "seed"]
    return {"seed": "median", **{name: round(statistics.median(row[name] for row in found), 4) for name in names}}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="*")
    parser.add_argument("--json", action="store_true", help="a line a web as it comes, and the medians")
    parser.add_argument("--study", choices=tuple(STUDIES), default="online")
    parser.add_argument("--seeds", type=int, default=10, help="how many webs")
    parser.add_argument("--first", type=int, default=1, help="the first web's seed")
    parser.add_argument("--budget", type=int, default=800)
    parser.add_argument("--after", type=int, default=200, help="losses count after so many fetches")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument(
        "--web",
        default=",locality=0.4,context_informative=0.9,anchor_informative=0.9",
        help="parameters of the simulated webs",
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="settings of the apprentice")
    options = parser.parse_args(arguments)
    options.set = dict(pair.split("=", 1) for pair in options.set)
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON lines."""
    options = _options(arguments)
    found = []
    for row in rows(options):
        found.append(row)
        if options.json:
            print(json.dumps(row), flush=True)
    if not options.tasks:
        found.append(medians(found))
        if options.json:
            print(json.dumps(found[-1]))
    if not options.json:
        show(found)


def show(found: Sequence[Row]) -> None:
    """Print a table."""
    table = Table(*found[0])
    for row in found:
        table.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
