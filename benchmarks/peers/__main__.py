"""Other crawlers on tasks of the lab, beside Clew's own strategies: same web, same ledger, same truth.

    python -m benchmarks.peers [TASK.toml ...] [--peers scrapy,crawl4ai] [--strategies clew] [--judges auto]
                               [--budget N] [--out results/] [--json FILE]

Without task files: ten of the family of tasks that is there to report on. See README.md here for what each peer is
given. With --out, ``clew lab report`` shows the runs in its plots.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from benchmarks.peers.running import PEERS, Peer, crawl, install
from benchmarks.peers.scoring import run_of
from benchmarks.peers.tables import areas, details, means
from benchmarks.peers.words import WORDS, keywords, topic_names
from clew.config import Settings
from clew.crawl.setup import Setup
from clew.errors import ClewError, InputError
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.explore import explore
from clew.lab.running import Plan, TaskResult, remembered, run_task, summary
from clew.lab.saved import save
from clew.lab.tasks import Task, load
from clew.lab.variants import judge_variants, strategy_variants
from clew.model import Outcome, Request
from clew.text.reader import Reader, Unreadable
from clew.urls.canonical import host, keys, url_words
from clew.web.base import World
from clew.web.registry import make as make_world

FAMILY = Path(__file__).resolve().parents[3] / "shared" / "webs" / "family" / "b"
TASKS = (
    "wiki-antiquity-far-5p20n", "wiki-films-far-1p20n", "wiki-politics-far-20p0n", "wiki-business-near-20p100n",
    "wiki-dinosaurs-near-1p0n", "wiki-plants-near-5p20n", "webkb-washington-course-5p20n",
    "webkb-wisconsin-faculty-5p0n", "manuals-data-analysis-far", "manuals-testing-far",
)  # fmt: skip
"""Picked by their names: both kinds of start, 1, 5 and 20 good examples, with and without bad ones."""

STRATEGIES = ",".join(dict.fromkeys(("breadth-first", "best-first", str(Settings().strategy["name"]))))
JUDGES = Settings().judge.name


def compare(
    task: Task, peers: Sequence[Peer], plan: Plan, readers: Readers, limit: int, minutes: float
) -> tuple[TaskResult, list[str]]:
    """Clew's own runs on a task and those of the peers, and what peers failed of. ``limit``: of keywords from examples;
    ``minutes``: for a peer, at most. Raises ClewError."""
    pythons = [install(peer) for peer in peers]
    ours = run_task(task, plan, readers)
    reachable = ours.runs[0].reachable
    theirs, failures = [], []
    with remembered() as store:
        setup = bench(task, settings_of(task, "breadth-first", "naive-bayes", 1), store, readers, None)
        graph = asyncio.run(explore(task, setup))
        words = asyncio.run(_keywords(task, setup, limit))
        print(f"{task.name}: keywords {' '.join(words)}", file=sys.stderr)
        for peer, python in zip(peers, pythons, strict=True):
            try:
                measured = asyncio.run(crawl(peer, python, task, setup, graph, words, minutes))
            except InputError as error:  # it fails by itself: the others' runs are not lost
                failures.append(f"{task.name}: {peer.strategy}: {error}")
                continue
            theirs.append(run_of(task, peer.strategy, measured, graph, reachable))
            print(f"{task.name}: {peer.strategy}, {measured.seconds:.0f} s", file=sys.stderr)
    return replace(ours, runs=(*ours.runs, *theirs)), failures


async def _keywords(task: Task, setup: Setup, limit: int) -> list[str]:
    """The keywords of a task, from its examples as the web has them."""
    world, _ = make_world(task.web, setup.settings)
    reader = Reader(setup.canonicalise, keys, host, url_words, keep_text=True)
    await world.open()
    try:
        positive = [await _text(world, reader, url) for url in task.positive]
        negative = [await _text(world, reader, url) for url in task.negative]
    finally:
        await world.close()
    return keywords(topic_names(task.path), positive, negative, limit)


async def _text(world: World, reader: Reader, url: str) -> str:
    """Title and text of an example, "" if it cannot be had."""
    response = await world.fetch(Request(url))
    if response.outcome is not Outcome.OK:
        return ""
    try:
        page = reader.read(response)
    except Unreadable:
        return ""
    return f"{page.title} {page.text}"


def _peers(text: str) -> list[Peer]:
    names = list(PEERS) if text == "all" else list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in PEERS:
            raise InputError(f"there is no peer {name!r}; choose from: all, {', '.join(PEERS)}")
    return [PEERS[name] for name in names]


def _tasks(paths: Sequence[Path], budget: int) -> list[Task]:
    """The tasks of files, or the ten; ``budget`` 0: their own. Raises InputError."""
    if not paths and not FAMILY.is_dir():
        raise InputError(f"{FAMILY} is missing, where the ten tasks are: name task files")
    tasks = [load(path) for path in paths or [FAMILY / f"{name}.toml" for name in TASKS]]
    return [replace(task, budget=budget) for task in tasks] if budget else tasks


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="*", metavar="TASK.toml")
    parser.add_argument("--peers", default="all", help=f"all, or some of {','.join(PEERS)}")
    parser.add_argument("--strategies", default=STRATEGIES, help="Clew's own, as in clew lab run")
    parser.add_argument("--judges", default=JUDGES)
    parser.add_argument("--budget", type=int, default=0, help="fetches; else each task's own")
    parser.add_argument("--words", type=int, default=WORDS, help="keywords from the examples, beside the topic's name")
    parser.add_argument("--minutes", type=float, default=20.0, help="for each peer and task, at most")
    parser.add_argument("--out", type=Path, help="save the runs here, for clew lab report")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, after every task")
    return parser.parse_args()


def main() -> int:
    """Run, print the tables, save. Exit code 1 where a peer failed, 2 for what the user can put right."""
    options = _options()
    results: list[TaskResult] = []
    failures: list[str] = []
    try:
        peers = _peers(options.peers)
        plan = Plan(strategy_variants(options.strategies), judge_variants(options.judges), 1)
        readers = Readers()
        for task in _tasks(options.tasks, options.budget):
            result, failed = compare(task, peers, plan, readers, options.words, options.minutes)
            results.append(result)
            failures += failed
            if options.out is not None:
                save(results[-1:], options.out)
            if options.json is not None:
                options.json.write_text(_json(results, failures), encoding="utf-8")
    except (ClewError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    console = Console(width=max(Console().width, 140))
    console.print(details(results))
    console.print(areas(results))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _json(results: Sequence[TaskResult], failures: Sequence[str]) -> str:
    runs = [summary(result, run) for result in results for run in result.runs]
    return json.dumps({"runs": runs, "means": means(results), "failures": list(failures)}, indent=1)


if __name__ == "__main__":
    raise SystemExit(main())
