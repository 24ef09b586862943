"""Figure 7 of Chakrabarti, Punera and Subramanyam 2002: does it help to know at which DOM offset a term stands?

    python -m benchmarks.effects_apprentice_offsets [--json] [--seeds N | TASK ...]
    python -m benchmarks.effects_apprentice_offsets --read ROWS.jsonl ... [--plot FILE.png]

A best-first crawl is made with naive-bayes, of each task or of simulated webs as in ``effects_apprentice``. Every link
(u, v) with u fetched before v is an instance, as in section 3.5. Naive Bayes with the paper's settings (``preset``) is
cross-validated for d_max = 0 to 8: once with features ⟨t, d⟩ (*offset*), once with the terms of the same window as one
bag (*text*). The five folds are of target pages v, since of a page that a crawl is to choose nothing is known yet;
with ``--folds pair`` they are of pairs, as in an ordinary cross-validation, where other links to v are learned from.
Shares of instances that are foretold rightly: of low, of high, and of all (the micro-average of Figure 6); and the
share of pairs of a high and a low instance that are put in the right order (0.5 is chance), since a frontier only uses
the order.

``--features`` names what is compared; besides *offset* and *text* there are those of section 3.8, beside ⟨t, d⟩:
*topic*, whether u is about the topic, and *siblings*, the relevance of pages fetched before v that are linked near.
``--gains`` adds the average information gain of the features at each offset, in millibits (Figure 8).
``--crawl`` adds what the crawls of two apprentices bring, with and without offsets: relevant pages by the truth.
``--plot`` draws the shares of all, simulated webs together; ``--read`` takes the rows from files of ``--json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table as Shown

from benchmarks.crawling import TELLING_LINKS, finished, told, typed, with_table
from benchmarks.effects_apprentice import Web
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.running import remembered
from clew.lab.tasks import Task, load
from clew.model import Bools, Outcome, Visit
from clew.strategies.apprentice.links import Extras, Known, features_of
from clew.strategies.apprentice.model import Model, Recipe, Smoothing, Table
from clew.strategies.apprentice.packing import TEXT, Packed, kinds, offsets_of
from clew.strategies.apprentice.settings import PAPER, ApprenticeSettings
from clew.strategies.apprentice.window import gains, ordered

FOLDS = 5
WIDEST = 8
WARMUP = 100
"""Instances before the first training in crawls (``--crawl``): the paper's 300 are most of so short a crawl."""
MADE = "made webs"
LOOKS = (("#D55E00", "s"), ("#0072B2", "o"), ("#009E73", "^"), ("#CC79A7", "D"))
Row = dict[str, Any]
Pair = tuple[Visit, int, Visit]
"""A page u, the index of its link to v, and v."""

TEXT_ONLY, OFFSET = "text", "offset"
EXTRA: dict[str, Row] = {"topic": {"topics": 1}, "siblings": {"siblings": True}}
FEATURES = (TEXT_ONLY, OFFSET, *EXTRA)


def read_of(visits: Sequence[Visit]) -> list[Visit]:
    """Those that brought a page that was read."""
    return [one for one in visits if one.response.outcome is Outcome.OK and one.judgement is not None]


def pairs_of(visits: Sequence[Visit]) -> list[Pair]:
    """Every link (u, v) between pages that were read, u fetched before v; in the order of v."""
    read = {one.link.key: one for one in read_of(visits)}
    wanted = np.array(list(read), np.uint64)
    found = []
    for page in visits:
        if page.links is None or page.response.outcome is not Outcome.OK:
            continue
        keys = page.links.links.keys
        for index in np.flatnonzero(np.isin(keys, wanted)).tolist():
            target = read[int(keys[index])]
            if page.number < target.number:
                found.append((page, index, target))
    return sorted(found, key=lambda pair: pair[2].number)


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """Instances with the features of some settings. ``targets``: the keys of their pages v."""

    settings: ApprenticeSettings
    features: list[Packed]
    high: Bools
    targets: list[int]

    @classmethod
    def of(cls, pairs: Sequence[Pair], read: Sequence[Visit], settings: ApprenticeSettings) -> Instances:
        """``read``: all pages that were read, in order; v knows those before it as siblings."""
        relevance = np.array([target.relevance for *_, target in pairs])
        cut = float(np.median(relevance)) if settings.buckets == "equal" else settings.cut
        extras, known, done = Extras(settings, ("wanted",)), Known(), 0
        features, targets = [], []
        for page, index, target in pairs:
            assert page.links is not None
            while settings.siblings and read[done].number < target.number:
                known[read[done].link.key] = read[done].relevance >= cut
                done += 1
            features.append(features_of(page.links, index, settings, extras, known))
            targets.append(int(page.links.links.keys[index]))
        return cls(settings, features, relevance >= cut, targets)

    def narrowed(self, d_max: int, offsets: bool) -> Instances:
        """The same with a narrower window, and all text at d = 0 without ``offsets``."""
        settings = msgspec.structs.replace(self.settings, d_max=d_max, offsets=offsets)
        return replace(self, settings=settings, features=[self._narrowed(one, d_max, offsets) for one in self.features])

    def _narrowed(self, features: Packed, d_max: int, offsets: bool) -> Packed:
        offset = offsets_of(features, self.settings.d_max)
        features, offset = features[np.abs(offset) <= d_max], offset[np.abs(offset) <= d_max]
        if not offsets:
            offset = np.where(kinds(features) == TEXT, 0, offset)
        return (features & ~np.uint64(0xFF)) | (offset + d_max).astype(np.uint64)

    def table(self, which: Bools) -> Table:
        """The counts of some of them."""
        return Table.empty().plus([self.features[i] for i in np.flatnonzero(which)], self.high[which].tolist())

    def odds(self, folds: str) -> npt.NDArray[np.float64]:
        """Log-odds of each by what the other folds teach."""
        fold = np.array(self.targets if folds == "target" else range(len(self.targets))) % FOLDS
        own = self.settings
        smoothing = Smoothing(own.smoothing, own.proportional)
        recipe = Recipe(own.d_max, smoothing, length=own.length, offsets=own.offsets)
        odds = np.zeros(len(self.targets))
        for number in range(FOLDS):
            model = Model.trained(self.table(fold != number), recipe)
            for i in np.flatnonzero(fold == number).tolist():
                odds[i] = model.odds(self.features[i])
        return odds


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
    given = {**PAPER, **options.set, "d_max": max(options.windows)}
    widest = {
        kind: Instances.of(pairs, read_of(visits), ApprenticeSettings(**{**given, **EXTRA.get(kind, {})}))
        for kind in {kind: kind if kind in EXTRA else OFFSET for kind in options.features}.values()
    }
    for d_max, kind, folds in product(options.windows, options.features, options.folds):
        instances = widest[kind if kind in EXTRA else OFFSET].narrowed(d_max, kind != TEXT_ONLY)
        high, odds = instances.high, instances.odds(folds)
        right = high == (odds >= 0)
        row = {
            "web": task.name,
            "instances": len(pairs),
            "high": int(high.sum()),
            "d_max": d_max,
            "features": kind,
            "folds": folds,
            "low right": _share(right[~high]),
            "high right": _share(right[high]),
            "all right": _share(right),
            "in order": round(float(ordered(high, odds[:, None])[0]), 4),
        }
        if options.gains:
            every = instances.table(np.ones(len(pairs), np.bool_))
            bits = gains(every, d_max).tolist() if kind != TEXT_ONLY else []
            row["millibits"] = " ".join(f"{1000 * one:.3f}" for one in bits)
        yield row | (_crawled(task, about, readers, instances.settings) if options.crawl else {})


def _crawled(task: Task, about: Callable[[str], bool], readers: Readers, own: ApprenticeSettings) -> Row:
    table = {**{name: getattr(own, name) for name in own.__struct_fields__}, "warmup": WARMUP}
    settings = with_table(settings_of(task, "apprentice", "naive-bayes", 1), table)
    with remembered() as store:
        finished(bench(task, settings, store, readers, None))
        return {"found": sum(about(row.url) for row in store.visits.rows())}


def _share(right: Bools) -> float:
    return round(float(right.mean()), 4) if len(right) else float("nan")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """The rows of all webs."""
    if options.read:
        for path in options.read:
            yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return
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


def plot(found: Sequence[Row], path: Path) -> None:
    """A panel a web, all simulated ones in one: shares of all by d_max, by kind of features."""
    from matplotlib.figure import Figure

    panels: dict[str, list[Row]] = {}
    for row in sorted(found, key=lambda row: row["folds"], reverse=True):
        name = MADE if row["web"].startswith("web ") else row["web"]
        panels.setdefault(f"{name}\nfolds of {row['folds']}s", []).append(row)
    columns = min(len(panels), 3)
    lines = -(-len(panels) // columns)
    figure = Figure(figsize=(3.2 * columns, 2.6 * lines + 0.4), layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False, sharex=True).flat
    for axes, (name, own) in zip(grid, panels.items(), strict=False):
        _panel(axes, name, own)
    for axes in list(grid)[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel("d_max", fontsize=10)
    figure.supylabel("instances foretold rightly, %", fontsize=10)
    figure.savefig(path, dpi=110)


def _panel(axes: Any, name: str, own: Sequence[Row]) -> None:
    webs = {row["web"] for row in own}
    for kind, (colour, mark) in zip(dict.fromkeys(row["features"] for row in own), LOOKS, strict=False):
        values: dict[int, list[float]] = {}
        for row in own:
            if row["features"] == kind:
                values.setdefault(row["d_max"], []).append(100 * row["all right"])
        axes.plot(
            list(values), list(map(np.mean, values.values())), color=colour, marker=mark, markersize=4, label=kind
        )
        if len(webs) > 1:
            low, high = list(map(min, values.values())), list(map(max, values.values()))
            axes.fill_between(list(values), low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set_title(f"{name}; mean and range of {len(webs)}" if len(webs) > 1 else name, fontsize=9)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


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
    parser.add_argument("--folds", default="target", help="what folds are made of: target, pair or target,pair")
    parser.add_argument("--features", default="text,offset", help=f"of {', '.join(FEATURES)}")
    parser.add_argument("--gains", action="store_true", help="also the information gain by offset")
    parser.add_argument("--read", type=Path, nargs="+", default=[], help="rows of earlier runs, instead of crawls")
    parser.add_argument("--plot", type=Path, help="a picture of the shares of all")
    parser.add_argument("--crawl", action="store_true", help="also crawl with either")
    parser.add_argument("--web", default=TELLING_LINKS, help="parameters of the simulated webs")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="settings beside the preset")
    options = parser.parse_args(arguments)
    options.set = typed(dict(pair.split("=", 1) for pair in options.set), ApprenticeSettings)
    options.folds = options.folds.split(",")
    options.features = options.features.split(",")
    options.windows = [int(one) for one in options.windows.split(",")]
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON lines."""
    options = _options(arguments)
    found = told(rows(options), options.json)
    if options.plot:
        plot(found, options.plot)
    if not options.json:
        table = Shown(*found[0])
        for row in found:
            table.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()))
        Console(width=160).print(table)


if __name__ == "__main__":
    main()
