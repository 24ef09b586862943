"""What archetypes gain: python -m benchmarks.effects_bingo [--json] [--judges svm,naive-bayes] [--webs 10] [TASK ...]

BNG-45: on simulated webs, one a seed, bingo starts from a few bookmarks for each of three sibling topics (they are
seeds and examples, BNG-2) and some pages about other things, and trains its judge again until two rounds were adopted.
Then two judges file the same pages, all that the crawl read but for those that either was trained on: the one trained
on the bookmarks alone, and the one after two rounds. Precision is the share of pages filed under a topic that are
about it, by the truth of the simulation; recall the share of pages about a topic that are filed under it; F1 their
harmonic mean. Harvest is the share of all fetched pages that are about any of the topics, with archetypes and with
none admitted. ``tasks``: the area under the found-curve over that of the oracle, bingo against best-first.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from rich.console import Console
from rich.table import Table

from clew import Project
from clew.examples.visited import visited_page
from clew.judges.base import Judge
from clew.lab.measures import area_over_oracle
from clew.lab.running import Plan, run_task
from clew.lab.tasks import load
from clew.model import Page, Session
from clew.project.run import CrawlOptions, crawl
from clew.strategies.base import View
from clew.strategies.bingo import Bingo
from clew.strategies.bingo.settings import BingoSettings
from clew.strategies.registry import STRATEGIES
from clew.web.simulated import SimulatedWeb, parse_spec

ROUNDS = 2
TOPICS = 3
OTHERS = 30
SETTINGS = """\
[project]
web = "{spec}"
[judge]
name = "{judge}"
[strategy]
name = "bingo"
[crawl]
contact = "lab@localhost"
session_pages = 50
workers = 0
max_pages = {budget}
[store]
archive = false
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One web: precision, recall and F1 of the judge of the bookmarks (0) and of the one after ``rounds`` rounds;
    ``archetypes`` in the end, and how many are about their topic; harvest without archetypes (0) and with."""

    judge: str
    seed: int
    pages: int
    rounds: int
    archetypes: int
    right: int
    precision_0: float
    precision: float
    recall_0: float
    recall: float
    f1_0: float
    f1: float
    harvest_0: float
    harvest: float


class Watched(Bingo):
    """Notes the judge at the start and after each round that was adopted."""

    judges: ClassVar[list[Judge]] = []
    archetypes: ClassVar[dict[int, tuple[int, ...]]] = {}
    changed: ClassVar[dict[str, Any]] = {}

    def __init__(self, settings: BingoSettings | None = None) -> None:
        values = msgspec.structs.asdict(settings or BingoSettings()) | self.changed
        super().__init__(msgspec.convert(values, BingoSettings, strict=False))

    def begin(self, view: View) -> None:
        super().begin(view)
        self.judges[:] = [view.judge]
        self.archetypes.clear()

    def adapt(self, session: Session) -> bool:
        assert self._view is not None
        again = super().adapt(session)
        if self._view.judge is not self.judges[-1] and len(self.judges) <= ROUNDS:
            self.judges.append(self._view.judge)
            self.archetypes.clear()
            self.archetypes.update(self._view.archetypes())
        return again


def made(
    folder: Path, web: SimulatedWeb, spec: str, judge: str, bookmarks: int, budget: int
) -> tuple[Project, list[str]]:
    """A project of three sibling topics, and their paths in the web."""
    paths = web.topics(2)[:TOPICS]
    folder.mkdir()
    lines, seeds = [], []
    for number, path in enumerate(paths):
        urls = web.examples(bookmarks, path)
        lines.append(f"Topic{number}:\n  examples: {json.dumps(urls)}\n")
        seeds += urls
    away = [
        url for url in web.sample(50 * OTHERS, "others") if not any(web.truth(url).relevant_to(path) for path in paths)
    ]
    (folder / "topics.yaml").write_text("".join(lines), encoding="utf-8")
    (folder / "seeds.txt").write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")
    (folder / "irrelevant.txt").write_text(
        "".join(f"{url}\n" for url in dict.fromkeys(away[:OTHERS])), encoding="utf-8"
    )
    (folder / "clew.toml").write_text(SETTINGS.format(spec=spec, judge=judge, budget=budget), encoding="utf-8")
    return Project(folder), list(paths)


def read_pages(project: Project, without: set[int], examples: set[str]) -> dict[str, Page]:
    """All pages read by a crawl but for some visits and examples."""
    store = project.open_store(read_only=True)
    try:
        rows = [row for row in store.visits() if row.number not in without and row.url not in examples]
        pages = {row.url: visited_page(store, row, project.reader, project.archive) for row in rows}
        return {url: page for url, page in pages.items() if page is not None}
    finally:
        store.close()


def filed(judge: Judge, pages: dict[str, Page], web: SimulatedWeb, paths: Sequence[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 over all topics."""
    names = [path.replace("Topic", "") for path in judge.topics]
    right = under = about = 0
    for (url, _), judgement in zip(pages.items(), judge.judge(list(pages.values())), strict=True):
        truth = [web.truth(url).relevant_to(path) for path in paths]
        about += any(truth)
        if judgement.topic >= 0:
            under += 1
            right += truth[int(names[judgement.topic])]
    precision, recall = right / max(under, 1), right / max(about, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def harvested(project: Project, web: SimulatedWeb, paths: Sequence[str]) -> float:
    """The share of fetched pages that are about a topic."""
    store = project.open_store(read_only=True)
    try:
        rows = [any(web.truth(row.url).relevant_to(path) for path in paths) for row in store.visits()]
    finally:
        store.close()
    return sum(rows) / max(len(rows), 1)


def measured(seed: int, judge: str, options: argparse.Namespace) -> Row:
    """One web."""
    spec = f"sim:pages={options.pages},seed={seed}{options.web}"
    web = parse_spec(spec)
    chosen = dict(pair.split("=", 1) for pair in options.set)
    with tempfile.TemporaryDirectory(prefix="clew-effects-") as folder:
        plain, paths = made(Path(folder) / "plain", web, spec, judge, options.bookmarks, options.budget)
        Watched.changed = {**chosen, "authorities": 0, "confident": 0}
        crawl(plain, CrawlOptions())
        before = harvested(plain, web, paths)
        ours, _ = made(Path(folder) / "ours", web, spec, judge, options.bookmarks, options.budget)
        Watched.changed = chosen
        crawl(ours, CrawlOptions())
        trained = {number: topic for topic, numbers in Watched.archetypes.items() for number in numbers}
        examples = set((ours.path / "seeds.txt").read_text(encoding="utf-8").split())
        pages = read_pages(ours, set(trained), examples)
        first, last = (filed(one, pages, web, paths) for one in (Watched.judges[0], Watched.judges[-1]))
        right, harvest = _right(ours, trained, web, paths), harvested(ours, web, paths)
    (precision_0, recall_0, f1_0), (precision, recall, f1) = first, last
    return Row(
        judge=judge,
        seed=seed,
        pages=len(pages),
        rounds=len(Watched.judges) - 1,
        archetypes=len(trained),
        right=right,
        precision_0=precision_0,
        precision=precision,
        recall_0=recall_0,
        recall=recall,
        f1_0=f1_0,
        f1=f1,
        harvest_0=before,
        harvest=harvest,
    )


def _right(project: Project, trained: dict[int, int], web: SimulatedWeb, paths: Sequence[str]) -> int:
    """How many archetypes are about their topic."""
    store = project.open_store(read_only=True)
    try:
        rows = [(store.visit(number), topic) for number, topic in trained.items()]
    finally:
        store.close()
    names = project.interest.topics
    return sum(
        row is not None and web.truth(row.url).relevant_to(paths[int(names[topic].replace("Topic", ""))])
        for row, topic in rows
    )


def areas(paths: Sequence[Path], judges: Sequence[str]) -> Iterator[dict[str, Any]]:
    """For each task and judge the area over the oracle."""
    for path in paths:
        result = run_task(load(path), Plan(("best-first", Bingo.name), tuple(judges), 1), {})
        for judge in judges:
            found = {run.strategy: round(area_over_oracle(run.found, result.oracle, run.budget), 4)
                     for run in result.runs if run.judge == judge}  # fmt: skip
            yield {"task": result.task, "judge": judge, **found}


def rows(judge: str, options: argparse.Namespace) -> Iterator[Row]:
    """One row a web; JSON lines as they come."""
    for seed in range(options.first, options.first + options.webs):
        row = measured(seed, judge, options)
        if options.json:
            print(json.dumps(asdict(row)), flush=True)
        yield row


def medians(webs: Sequence[Row]) -> dict[str, Any]:
    """Medians over the webs, and of the gain in precision."""
    names = ("precision_0", "precision", "recall_0", "recall", "f1_0", "f1", "harvest_0", "harvest")
    found = {name: round(statistics.median(getattr(row, name) for row in webs), 4) for name in names}
    gains = [row.precision - row.precision_0 for row in webs]
    return found | {"gain": round(statistics.median(gains), 4), "better": sum(gain > 0 for gain in gains)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="*")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--judges", default="svm,naive-bayes")
    parser.add_argument("--webs", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="the first web's seed")
    parser.add_argument("--pages", type=int, default=6_000)
    parser.add_argument("--web", default=",words=250,topic_words=0.1", help="parameters of the simulated webs")
    parser.add_argument("--budget", type=int, default=600)
    parser.add_argument("--bookmarks", type=int, default=3, help="for each topic")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="settings of bingo")
    options = parser.parse_args(arguments)
    judges = options.judges.split(",")
    STRATEGIES.add(Bingo.name, Watched)
    Watched.changed = dict(pair.split("=", 1) for pair in options.set)
    if options.tasks:
        for line in areas(options.tasks, judges):
            print(json.dumps(line) if options.json else "  ".join(f"{name} {value}" for name, value in line.items()))
        return
    found = {judge: list(rows(judge, options)) for judge in judges}
    if options.json:
        print(json.dumps({judge: medians(webs) for judge, webs in found.items()}))
        return
    show(found)


def show(found: dict[str, list[Row]]) -> None:
    """A table of webs and their medians."""
    columns = list(Row.__dataclass_fields__)
    table = Table(*columns)
    for webs in found.values():
        for row in webs:
            table.add_row(
                *(f"{value:.3f}" if isinstance(value, float) else str(value) for value in asdict(row).values())
            )
    console = Console(width=160)
    console.print(table)
    for judge, webs in found.items():
        console.print(judge, medians(webs))


if __name__ == "__main__":
    main()
