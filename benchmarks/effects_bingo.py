"""What archetypes gain: python -m benchmarks.effects_bingo [--json] [--judges svm,naive-bayes] [--webs 10] [TASK ...]

On simulated webs, one a seed, bingo starts from a few bookmarks for each of three sibling topics (they are
seeds and examples) and some pages about other things, and trains its judge again until two rounds were adopted.
Then two judges file the same pages, all that the crawl read but for those that either was trained on: the one trained
on the bookmarks alone, and the one after two rounds. Precision is the share of pages filed under a topic that are
about it, by the truth of the simulation; recall the share of pages about a topic that are filed under it; F1 their
harmonic mean. Harvest is the share of all fetched pages that are about any of the topics, with archetypes and with
none admitted. Admissions are those of all rounds, by source, and how many of them are about their topic.

With task files the same on their webs: there is one topic, the bookmarks are the task's examples, the crawl begins at
the task's start pages, and the truth is that of the task.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.crawling import finished, setup_in, typed
from clew.config import Settings, settings_from
from clew.crawl.setup import Setup
from clew.examples.examples import Examples
from clew.examples.visited import visited_page
from clew.judges.base import Judge
from clew.lab.bench import Readers, settings_of
from clew.lab.running import remembered
from clew.lab.tasks import load
from clew.model import Page, Session
from clew.store.base import Store
from clew.strategies.base import Pages, View
from clew.strategies.bingo import Bingo
from clew.strategies.bingo.archetypes import Choice, Ranked
from clew.strategies.bingo.retraining import Rounds, Topics
from clew.strategies.bingo.settings import BingoSettings
from clew.strategies.registry import STRATEGIES
from clew.web.simulated import SimulatedWeb, parse_spec

ROUNDS = 2
TOPICS = 3
OTHERS = 30
NO_ARCHETYPES = {"authorities": 0, "confident": 0}


@dataclass(frozen=True, slots=True)
class Row:
    """One web: precision, recall and F1 of the judge of the bookmarks (0) and of the one after ``rounds`` rounds, and
    precision after the first (1); ``archetypes`` then, and how many are about their topic; harvest without archetypes
    (0) and with, and with in each half of the crawl; how many were admitted as authorities and as surest in all rounds,
    and how many of each are about their topic."""

    judge: str
    web: str
    pages: int
    rounds: int
    archetypes: int
    right: int
    precision_0: float
    precision_1: float
    precision: float
    recall_0: float
    recall: float
    f1_0: float
    f1: float
    harvest_0: float | None
    harvest: float
    early: float
    late: float
    authorities: int
    authorities_right: int
    surest: int
    surest_right: int


class NotedRounds(Rounds):
    """Keeps what each round admitted."""

    def __init__(self, settings: BingoSettings) -> None:
        super().__init__(settings)
        self.noted: list[dict[int, Choice]] = []

    def _choices(self, view: View, pages: Pages, topics: Topics, found: dict[int, Ranked]) -> dict[int, Choice]:
        choices = super()._choices(view, pages, topics, found)
        self.noted.append(choices)
        return choices


class Watched(Bingo):
    """Notes the judge at the start and after each round that was adopted."""

    def __init__(self, settings: BingoSettings) -> None:
        super().__init__(settings)
        self._rounds = self.rounds = NotedRounds(settings)
        self.judges: list[Judge] = []
        self.archetypes: dict[int, tuple[int, ...]] = {}

    def begin(self, view: View) -> None:
        super().begin(view)
        self.judges = [view.judge]
        self.archetypes = {}

    def adapt(self, session: Session) -> bool:
        assert self._view is not None
        again = super().adapt(session)
        if self._view.judge is not self.judges[-1] and len(self.judges) <= ROUNDS:
            self.judges.append(self._view.judge)
            self.archetypes = dict(self._view.archetypes())
        return again


@dataclass(frozen=True, slots=True, eq=False)
class Web:
    """Where to crawl, and from what: ``about`` says whether the page of a URL is about the topic of a name."""

    name: str
    settings: Settings
    examples: Examples
    seeds: Sequence[str]
    about: Callable[[str, str], bool]


def simulated(seed: int, judge: str, options: argparse.Namespace) -> Web:
    """A simulated web with three sibling topics."""
    spec = f"sim:pages={options.pages},seed={seed}{options.web}"
    web = parse_spec(spec)
    paths = web.topics(2)[:TOPICS]
    names = {f"Topic{number}": path for number, path in enumerate(paths)}
    examples, seeds = wanted(web, paths, options.bookmarks)
    limits = {"session_pages": 50, "max_pages": options.budget or 600}
    tables: dict[str, Any] = {"name": judge}
    if options.features:
        tables[judge] = {"features": options.features}
    settings = settings_from({"project": {"web": spec}, "judge": tables, "crawl": limits})
    return Web(str(seed), settings, examples, seeds, lambda url, name: web.truth(url).relevant_to(names[name]))


def collected(path: Path, judge: str, options: argparse.Namespace) -> Web:
    """The web of a task."""
    task = load(path)
    task = replace(task, budget=options.budget or task.budget)
    examples = Examples(relevant=task.positive, irrelevant=task.negative)
    settings = settings_of(task, Bingo.name, judge, 1)
    return Web(task.name, settings, examples, task.seeds, lambda url, _: url in task.relevant)


def wanted(web: SimulatedWeb, paths: Sequence[str], bookmarks: int) -> tuple[Examples, list[str]]:
    """Examples of sibling topics, and the seeds."""
    topics = {f"Topic{number}": web.examples(bookmarks, path) for number, path in enumerate(paths)}
    away = [
        url for url in web.sample(50 * OTHERS, "others") if not any(web.truth(url).relevant_to(path) for path in paths)
    ]
    examples = Examples(topics=topics, irrelevant=list(dict.fromkeys(away[:OTHERS])))
    return examples, [url for urls in topics.values() for url in urls]


def read_pages(setup: Setup, without: set[int], examples: set[str]) -> dict[str, Page]:
    """All pages read by a crawl but for some visits and examples."""
    rows = [row for row in setup.store.visits.rows() if row.number not in without and row.url not in examples]
    pages = {row.url: visited_page(setup.store, row, setup.reader, setup.archive) for row in rows}
    return {url: page for url, page in pages.items() if page is not None}


def filed(judge: Judge, pages: dict[str, Page], web: Web, names: Sequence[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 over all topics."""
    right = under = about = 0
    for (url, _), judgement in zip(pages.items(), judge.judge(list(pages.values())), strict=True):
        truth = [web.about(url, name) for name in names]
        about += any(truth)
        if judgement.topic >= 0:
            under += 1
            right += truth[judgement.topic]
    precision, recall = right / max(under, 1), right / max(about, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def harvested(store: Store, web: Web, names: Sequence[str]) -> tuple[float, float, float]:
    """The share of fetched pages that are about a topic: of all, of the first half, of the second."""
    rows = [any(web.about(row.url, name) for name in names) for row in store.visits.rows()]
    half = len(rows) // 2
    whole, early, late = (sum(part) / max(len(part), 1) for part in (rows, rows[:half], rows[half:]))
    return whole, early, late


def measured(web: Web, options: argparse.Namespace) -> Row:
    """One web."""
    readers = Readers()
    ours, before = Watched(_settings(options.set)), _without(web, options, readers)
    with remembered() as store:
        setup = _setup(web, store, ours, readers)
        finished(setup)
        names = setup.interest.topics
        trained = {number: topic for topic, numbers in ours.archetypes.items() for number in numbers}
        known = {*web.seeds, *map(str, web.examples.relevant), *map(str, web.examples.irrelevant)}
        pages = read_pages(setup, set(trained), known)
        stages = ours.judges[0], ours.judges[min(1, len(ours.judges) - 1)], ours.judges[-1]
        first, second, last = (filed(one, pages, web, names) for one in stages)
        links = {number: topic for one in ours.rounds.noted for topic, its in one.items() for number in its.by_links}
        judge = {number: topic for one in ours.rounds.noted for topic, its in one.items() for number in its.by_judge}
        right = [_right(setup, those, web) for those in (trained, links, judge)]
        harvest, early, late = harvested(store, web, names)
    (precision_0, recall_0, f1_0), (precision, recall, f1) = first, last
    return Row(
        judge=web.settings.judge.name,
        web=web.name,
        pages=len(pages),
        rounds=len(ours.judges) - 1,
        archetypes=len(trained),
        right=right[0],
        precision_0=precision_0,
        precision_1=second[0],
        precision=precision,
        recall_0=recall_0,
        recall=recall,
        f1_0=f1_0,
        f1=f1,
        harvest_0=before,
        harvest=harvest,
        early=early,
        late=late,
        authorities=len(links),
        authorities_right=right[1],
        surest=len(judge),
        surest_right=right[2],
    )


def _without(web: Web, options: argparse.Namespace, readers: Readers) -> float | None:
    """The harvest of a crawl that admits no archetypes; None where it is not wanted."""
    if not options.baseline:
        return None
    with remembered() as store:
        setup = _setup(web, store, Watched(_settings({**options.set, **NO_ARCHETYPES})), readers)
        finished(setup)
        return harvested(store, web, setup.interest.topics)[0]


def _settings(values: dict[str, Any]) -> BingoSettings:
    found = STRATEGIES.settings(Bingo.name, values)
    assert isinstance(found, BingoSettings)
    return found


def _setup(web: Web, store: Store, strategy: Bingo, readers: Readers) -> Setup:
    reader = readers.of(web.settings)
    return setup_in(web.settings, web.examples, web.seeds, store, strategy=strategy, reader=reader)


def _right(setup: Setup, archetypes: dict[int, int], web: Web) -> int:
    """How many archetypes are about their topic."""
    rows = [(setup.store.visits.get(number), topic) for number, topic in archetypes.items()]
    return sum(row is not None and web.about(row.url, setup.interest.topics[topic]) for row, topic in rows)


def rows(judge: str, options: argparse.Namespace) -> Iterator[Row]:
    """One row a web; JSON lines as they come."""
    seeds = range(options.first, options.first + options.webs)
    made = (simulated(seed, judge, options) for seed in seeds)
    for web in (collected(path, judge, options) for path in options.tasks) if options.tasks else made:
        row = measured(web, options)
        if options.json:
            print(json.dumps(asdict(row)), flush=True)
        yield row


def medians(webs: Sequence[Row]) -> dict[str, Any]:
    """Medians over the webs, of the gain in precision too; sums of the admissions."""
    names = ["precision_0", "precision_1", "precision", "recall_0", "recall", "f1_0", "f1"]
    names += ["harvest_0", "harvest", "early", "late"]
    values = {name: [value for row in webs if (value := getattr(row, name)) is not None] for name in names}
    found = {name: round(statistics.median(its), 4) for name, its in values.items() if its}
    gains = [row.precision - row.precision_0 for row in webs]
    found |= {"gain": round(statistics.median(gains), 4), "better": sum(gain > 0 for gain in gains)}
    sums = ("archetypes", "right", "authorities", "authorities_right", "surest", "surest_right")
    return found | {name: sum(getattr(row, name) for row in webs) for name in sums}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="*", metavar="TASK")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--judges", default="svm,naive-bayes")
    parser.add_argument("--webs", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="the first web's seed")
    parser.add_argument("--pages", type=int, default=6_000)
    parser.add_argument("--web", default=",words=250,topic_words=0.1", help="parameters of the simulated webs")
    parser.add_argument("--budget", type=int, default=0, help="fetches (simulated webs: 600; tasks: as they say)")
    parser.add_argument("--no-baseline", dest="baseline", action="store_false", help="no crawl without archetypes")
    parser.add_argument("--bookmarks", type=int, default=3, help="for each topic")
    parser.add_argument("--features", type=int, default=0, help="best features that svm keeps (0: all)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="settings of bingo")
    options = parser.parse_args(arguments)
    judges = options.judges.split(",")
    options.set = typed(dict(pair.split("=", 1) for pair in options.set), BingoSettings)
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
