"""What the apprentice saves: python -m benchmarks.effects_apprentice [--study NAME] [--json] [TASK ...]

Simulated webs, one a seed, whose link surroundings tell where links lead (``--web``), a topic of the second level, five
seeds, the naive-bayes judge. A fetch is lost when the page it brought is not about the topic by the truth of the
simulation, or when it brought none.

``online``: best-first, and the apprentice, which is best-first for its first 100 instances, then is
trained and all waiting links are scored again. Lost in the fetches after ``--after``, of either, and what was saved.
``window``: the same for fixed windows d_max = 0, 1, 2, 3, 5 beside the chosen one, and for each the share of
links that the apprentice foretold rightly before it learned from them.
``overlap``: the baseline, an apprentice that was trained with the baseline's finished crawl
before its first page (``learn_from``), and the recall crawler, which besides follows only links to what the baseline
fetched (``only_from``). Pages fetched by the baseline, the apprentice, both; and what all three lost.
``presets``: best-first, and apprentices with the defaults, the paper's settings (trained from 100 instances on) and
the defaults without offsets, also on task files: lost in the fetches after ``--after``, and what was saved.
``training``: CPU seconds to learn from 100,000 instances (those of a best-first crawl, again and again), to
train, and for scoring 60 links (milliseconds a page).
With task files and another study: the area under the found-curve over the oracle's, for best-first and the apprentice.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import crawling
from benchmarks.crawling import TELLING_LINKS, finished, told, typed, with_table
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.measures import loss
from clew.lab.running import remembered
from clew.lab.tasks import Task, load
from clew.model import Bools, Session
from clew.store.base import Store
from clew.strategies.apprentice import Apprentice
from clew.strategies.apprentice.settings import ApprenticeSettings
from clew.strategies.base import View
from clew.strategies.registry import STRATEGIES
from clew.web.simulated import parse_spec

BASELINE, OURS = "best-first", Apprentice.name
WINDOWS = (0, 1, 2, 3, 5)
INSTANCES = 100_000
PRESETS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "paper": {"preset": "paper", "warmup": 100},
    "no offsets": {"offsets": False},
}
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Web:
    """A simulated web, the task on it, and which of its pages are about the topic."""

    seed: int
    task: Task
    about: Callable[[str], bool]

    @classmethod
    def of(cls, path: Path, options: argparse.Namespace) -> Web:
        """That of a task file."""
        task = replace(load(path), budget=options.budget)
        return cls(0, task, task.relevant.__contains__)

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
        """Fetches lost after so many (by the truth)."""
        curve = loss(self.found)
        return round(float(curve[-1] - (curve[after - 1] if after else 0.0)))


def crawled(web: Web, strategy: str, readers: Readers, earlier: Store | None = None, **table: Any) -> Crawled:
    """Crawl a web. ``table``: settings of the strategy; ``earlier``: the crawl that it may learn from."""
    with remembered() as store:
        return crawled_into(store, web, strategy, readers, earlier, **table)


def crawled_into(
    store: Store, web: Web, strategy: str, readers: Readers, earlier: Store | None = None, **table: Any
) -> Crawled:
    """The same, remembered in ``store``."""
    settings = with_table(settings_of(web.task, strategy, "naive-bayes", 1), table)
    setup = bench(web.task, settings, store, readers, None)
    finished(replace(setup, others=lambda _: earlier.visits.replay()) if earlier is not None else setup)
    urls = tuple(row.url for row in store.visits.rows())
    decisions = [row.decision for row in store.journal.decisions()]
    return Crawled(urls, np.array([web.about(url) for url in urls], np.bool_), _foretold(decisions))


def _foretold(decisions: Sequence[Any]) -> float:
    """The share of links foretold rightly, over all trainings."""
    tested = right = 0.0
    for decision in decisions:
        for name, share in decision.facts.items():
            if name.startswith("right of ") and name.endswith(" all"):
                many = int(name.split()[2])
                tested, right = tested + many, right + many * float(share)
    return round(right / tested, 4) if tested else float("nan")


# -- the studies ------------------------------------------------------------------------------------------


def online(web: Web, options: argparse.Namespace) -> Row:
    """Lost after training by best-first and the apprentice."""
    readers = Readers()
    base = crawled(web, BASELINE, readers).lost(options.after)
    ours = crawled(web, OURS, readers, **options.set)
    lost = ours.lost(options.after)
    return {"seed": web.seed, BASELINE: base, OURS: lost, "saved": _saved(base, lost), "right": ours.right}


def window(web: Web, options: argparse.Namespace) -> Row:
    """Saved, and foretold rightly, with each window."""
    readers = Readers()
    base = crawled(web, BASELINE, readers).lost(options.after)
    row: Row = {"seed": web.seed, BASELINE: base}
    widths: list[tuple[str, Row]] = [(str(width), {"d_max": width, "window": "fixed"}) for width in WINDOWS]
    for name, settings in [("chosen", {"window": "chosen"}), *widths]:
        ours = crawled(web, OURS, readers, **{**options.set, **settings})
        row |= {f"saved {name}": _saved(base, ours.lost(options.after)), f"right {name}": ours.right}
    return row


def overlap(web: Web, options: argparse.Namespace) -> Row:
    """The baseline, the apprentice trained with its crawl, and the recall crawler."""
    readers = Readers()
    with remembered() as kept:
        base = crawled_into(kept, web, BASELINE, readers)
        learning = {**options.set, "learn_from": "base"}
        ours = crawled(web, OURS, readers, kept, **learning)
        recall = crawled(web, OURS, readers, kept, **learning, only_from="base")
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


def presets(web: Web, options: argparse.Namespace) -> Row:
    """Lost after training with the defaults, the paper's settings, and without offsets."""
    readers = Readers()
    base = crawled(web, BASELINE, readers).lost(options.after)
    row: Row = {"seed": web.seed, "web": web.task.name, BASELINE: base}
    for name, settings in PRESETS.items():
        ours = crawled(web, OURS, readers, **{**settings, **options.set})
        lost = ours.lost(options.after)
        row |= {name: lost, f"saved, {name}": _saved(base, lost), f"right, {name}": ours.right}
    return row


def training(web: Web, options: argparse.Namespace) -> Row:
    """What learning, training and scoring cost."""
    with remembered() as store:
        crawled_into(store, web, BASELINE, Readers())
        visits = list(store.visits.replay())
    strategy = STRATEGIES.make(OURS, options.set)
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


STUDIES = {"online": online, "window": window, "overlap": overlap, "presets": presets, "training": training}


def areas(paths: Sequence[Path], options: argparse.Namespace) -> Iterator[Row]:
    """For each task the area over the oracle."""
    for task in map(load, paths):
        for _, found in crawling.areas(task, ["naive-bayes"], {BASELINE: {}, OURS: options.set}):
            yield {"task": task.name, **found}


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row a web or task."""
    if options.tasks and options.study == "presets":
        yield from (presets(Web.of(path, options), options) for path in options.tasks)
        return
    if options.tasks:
        yield from areas(options.tasks, options)
        return
    for seed in range(options.first, options.first + options.seeds):
        yield STUDIES[options.study](Web.made(seed, options), options)


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
    parser.add_argument("--web", default=TELLING_LINKS, help="parameters of the simulated webs")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="settings of the apprentice")
    options = parser.parse_args(arguments)
    options.set = typed(dict(pair.split("=", 1) for pair in options.set), ApprenticeSettings)
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON lines."""
    options = _options(arguments)
    found = told(rows(options), options.json)
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
