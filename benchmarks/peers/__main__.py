"""Other crawlers on tasks of the lab, beside Clew's own strategies: same web, same ledger, same truth.

    python -m benchmarks.peers TASK.toml ... [--peers scrapy,crawl4ai] [--out results/] [--json]

See README.md here for what each peer is given. With --out, ``clew lab report`` shows the runs in its plots.
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
from rich.table import Table

from benchmarks.peers.running import PEERS, Peer, crawl, install
from benchmarks.peers.scoring import run_of
from benchmarks.peers.words import WORDS, keywords, topic_names
from clew.crawl.setup import Setup
from clew.errors import ClewError, InputError
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.explore import explore
from clew.lab.measures import area_over_oracle, recall_at
from clew.lab.running import Plan, TaskResult, remembered, run_task, summary
from clew.lab.saved import save
from clew.lab.tasks import Task, load
from clew.lab.variants import judge_variants, strategy_variants
from clew.model import Outcome, Request
from clew.text.reader import Reader, Unreadable
from clew.urls.canonical import host, keys, url_words
from clew.web.base import World
from clew.web.registry import make as make_world

OURS = Plan(strategy_variants("breadth-first,best-first"), judge_variants("naive-bayes"), 1)


def compare(task: Task, peers: Sequence[Peer], limit: int, minutes: float) -> TaskResult:
    """Clew's own runs on a task and those of the peers. ``limit``: of keywords from examples. Raises ClewError."""
    pythons = [install(peer) for peer in peers]
    readers = Readers()
    ours = run_task(task, OURS, readers)
    reachable = ours.runs[0].reachable
    settings = settings_of(task, "breadth-first", "naive-bayes", 1)
    with remembered() as store:
        setup = bench(task, settings, store, readers, None)
        graph = asyncio.run(explore(task, setup))
        words = asyncio.run(_keywords(task, setup, limit))
        print(f"{task.name}: keywords {' '.join(words)}", file=sys.stderr)
        theirs = []
        for peer, python in zip(peers, pythons, strict=True):
            measured = asyncio.run(crawl(peer, python, task, setup, graph, words, minutes))
            theirs.append(run_of(task, peer.strategy, measured, graph, reachable))
            print(f"{task.name}: {peer.strategy}, {measured.seconds:.0f} s", file=sys.stderr)
    return replace(ours, runs=(*ours.runs, *theirs))


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


def _table(results: Sequence[TaskResult]) -> Table:
    table = Table(title="Found of what could be found, by fetches (recall after 10, 25, 50 and 100 % of the budget)")
    for name in ("task", "crawler and strategy"):
        table.add_column(name, no_wrap=True)
    for name in ("area / oracle", "10 %", "25 %", "50 %", "100 %", "found", "fetched", "absent", "CPU-ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        for run in result.runs:
            area = area_over_oracle(run.found, result.oracles[run.repeat], run.budget)
            shares = [f"{share:.2f}" for share in recall_at(run.found, run.reachable, run.budget)]
            who = f"clew {run.strategy} / {run.judge}" if run.judge else run.strategy
            counts = (str(int(run.found.sum())), str(run.fetched), str(run.absent), f"{run.cpu_ms_per_page:.1f}")
            table.add_row(run.task, who, f"{area:.3f}", *shares, *counts)
        table.add_section()
    return table


def _peers(text: str) -> list[Peer]:
    names = list(PEERS) if text == "all" else list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in PEERS:
            raise InputError(f"there is no peer {name!r}; choose from: all, {', '.join(PEERS)}")
    return [PEERS[name] for name in names]


def main() -> int:
    """Run, print the table, save; with --json one line of JSON last. Exit code 2 for what the user can put right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="+", metavar="TASK.toml")
    parser.add_argument("--peers", default="all", help=f"all, or some of {','.join(PEERS)}")
    parser.add_argument("--words", type=int, default=WORDS, help="keywords from the examples, beside the topic's name")
    parser.add_argument("--minutes", type=float, default=20.0, help="for each peer and task, at most")
    parser.add_argument("--out", type=Path, help="save the runs here, for clew lab report")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        peers = _peers(options.peers)
        results = []
        for task in [load(path) for path in options.tasks]:
            results.append(compare(task, peers, options.words, options.minutes))
            if options.out is not None:
                save(results[-1:], options.out)
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    Console(width=max(Console().width, 140)).print(_table(results))
    if options.json:
        print(json.dumps([summary(result, run) for result in results for run in result.runs]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
