"""Figure 7 of Chakrabarti, Punera and Subramanyam 2002: does it help to know at which DOM offset a term stands?

    python -m benchmarks.effects_apprentice_offsets [--json] [--seeds N | TASK ...]

A best-first crawl is made with naive-bayes, of each task or of simulated webs as in ``effects_apprentice``. Every link
(u, v) with u fetched before v is an instance, as in section 3.5. Naive Bayes with the paper's settings (``preset``) is
cross-validated for d_max = 0 to 8: once with features ⟨t, d⟩ (*offset*), once with the terms of the same window as one
bag (*text*). The five folds are of target pages v, since of a page that a crawl is to choose nothing is known yet;
with ``--folds pair`` of pairs, as in an ordinary cross-validation, where other links to v are learned from. Shares of
instances that are foretold rightly: of low, of high, and of all (the micro-average of Figure 6); and the share of
pairs of a high and a low instance that are put in the right order (0.5 is chance), since a frontier only uses the
order.

``--crawl`` adds what the crawls of two apprentices bring, with and without offsets: relevant pages by the truth.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table as Shown

from benchmarks.crawling import finished, typed, with_table
from benchmarks.effects_apprentice import Web
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.running import remembered
from clew.lab.tasks import Task, load
from clew.model import Bools, Outcome, Visit
from clew.strategies.apprentice.links import Extras, features_of
from clew.strategies.apprentice.model import Model, Recipe, Smoothing, Table
from clew.strategies.apprentice.packing import Packed
from clew.strategies.apprentice.settings import PAPER, ApprenticeSettings
from clew.strategies.apprentice.window import ordered

FOLDS = 5
WIDEST = 8
Row = dict[str, Any]
Pair = tuple[Visit, int, float]
"""A page u, the index of its link to v, and the relevance of v."""


def pairs_of(visits: Sequence[Visit]) -> list[Pair]:
    """Every link (u, v) between pages that were read, u fetched before v."""
    read = {one.link.key: one for one in visits if one.response.outcome is Outcome.OK and one.judgement is not None}
    wanted = np.array(list(read), np.uint64)
    found = []
    for page in visits:
        if page.links is None or page.response.outcome is not Outcome.OK:
            continue
        keys = page.links.links.keys
        for index in np.flatnonzero(np.isin(keys, wanted)).tolist():
            target = read[int(keys[index])]
            if page.number < target.number:
                found.append((page, index, target.relevance))
    return found


def validated(
    pairs: Sequence[Pair], d_max: int, offsets: bool, folds: str, given: Row
) -> tuple[Bools, npt.NDArray[np.float64]]:
    """Whether each instance is high, bool[n], and its log-odds by what the other folds teach, float64[n]."""
    settings = ApprenticeSettings(**{**PAPER, **given, "d_max": d_max, "offsets": offsets})
    extras = Extras(settings, ())
    features: list[Packed] = []
    for page, index, _ in pairs:
        assert page.links is not None
        features.append(features_of(page.links, index, settings, extras, {}))
    relevance = np.array([one for _, _, one in pairs])
    high = relevance >= (float(np.median(relevance)) if settings.buckets == "equal" else settings.cut)
    targets = [int(page.links.links.keys[index]) for page, index, _ in pairs if page.links is not None]
    fold = np.array(targets if folds == "target" else range(len(pairs))) % FOLDS
    recipe = Recipe(
        d_max, Smoothing(settings.smoothing, settings.proportional), length=settings.length, offsets=offsets
    )
    odds = np.zeros(len(pairs))
    for number in range(FOLDS):
        taught = np.flatnonzero(fold != number).tolist()
        table = Table.empty().plus([features[i] for i in taught], high[taught].tolist())
        model = Model.trained(table, recipe)
        for i in np.flatnonzero(fold == number).tolist():
            odds[i] = model.odds(features[i])
    return high, odds


def study(task: Task, about: Callable[[str], bool], options: argparse.Namespace) -> Iterator[Row]:
    """A row for each window and encoding."""
    readers = Readers()
    with remembered() as store:
        finished(bench(task, settings_of(task, "best-first", "naive-bayes", 1), store, readers, None))
        visits = list(store.visits.replay())
    pairs = pairs_of(visits)
    if len(pairs) > options.most:
        some = np.random.default_rng(1).choice(len(pairs), options.most, replace=False)
        pairs = [pairs[i] for i in np.sort(some).tolist()]
    for d_max in options.windows:
        for offsets in (False, True):
            high, odds = validated(pairs, d_max, offsets, options.folds, options.set)
            right = high == (odds >= 0)
            yield {
                "web": task.name,
                "instances": len(pairs),
                "high": int(high.sum()),
                "d_max": d_max,
                "features": "offset" if offsets else "text",
                "low right": _share(right[~high]),
                "high right": _share(right[high]),
                "all right": _share(right),
                "in order": round(float(ordered(high, odds[:, None])[0]), 4),
                **(_crawled(task, about, readers, d_max, offsets, options) if options.crawl else {}),
            }


def _crawled(
    task: Task, about: Callable[[str], bool], readers: Readers, d_max: int, offsets: bool, options: argparse.Namespace
) -> Row:
    table = {"preset": "paper", "warmup": 100, **options.set, "d_max": d_max, "offsets": offsets}
    settings = with_table(settings_of(task, "apprentice", "naive-bayes", 1), table)
    with remembered() as store:
        finished(bench(task, settings, store, readers, None))
        return {"found": sum(about(row.url) for row in store.visits.rows())}


def _share(right: Bools) -> float:
    return round(float(right.mean()), 4) if len(right) else float("nan")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """The rows of all webs."""
    for path in options.tasks:
        task = load(path)
        if options.budget:
            task = replace(task, budget=options.budget)
        yield from study(task, task.relevant.__contains__, options)
    if not options.tasks:
        options.budget = options.budget or 800
        for seed in range(options.first, options.first + options.seeds):
            web = Web.made(seed, options)
            yield from study(web.task, web.about, options)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="*")
    parser.add_argument("--json", action="store_true", help="a line a row as it comes")
    parser.add_argument("--seeds", type=int, default=3, help="how many simulated webs, without tasks")
    parser.add_argument("--first", type=int, default=1, help="the first web's seed")
    parser.add_argument("--budget", type=int, default=0, help="fetches; 0: the task's, or 800")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--most", type=int, default=4_000, help="instances, at most; more are sampled")
    parser.add_argument("--windows", default=",".join(map(str, range(WIDEST + 1))), help="values of d_max")
    parser.add_argument("--folds", choices=("target", "pair"), default="target", help="what folds are made of")
    parser.add_argument("--crawl", action="store_true", help="also crawl with either")
    parser.add_argument(
        "--web",
        default=",locality=0.4,context_informative=0.9,anchor_informative=0.9",
        help="parameters of the simulated webs",
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="settings beside the preset")
    options = parser.parse_args(arguments)
    options.set = typed(dict(pair.split("=", 1) for pair in options.set), ApprenticeSettings)
    options.windows = [int(one) for one in options.windows.split(",")]
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON lines."""
    options = _options(arguments)
    found = []
    for row in rows(options):
        found.append(row)
        if options.json:
            print(json.dumps(row), flush=True)
    if not options.json:
        table = Shown(*found[0])
        for row in found:
            table.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()))
        Console(width=160).print(table)


if __name__ == "__main__":
    main()
