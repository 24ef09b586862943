"""Clew and its peers on one task, run by run: each run is kept when it ends, and what is kept is not run again."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.peers.running import Peer, crawl, release
from benchmarks.peers.scoring import Measured, run_of
from benchmarks.peers.words import keywords, topic_names
from clew.crawl.setup import Setup
from clew.errors import InputError
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.bounds import upper_bound
from clew.lab.lookahead import look_ahead
from clew.lab.oracle import greedy, one_step
from clew.lab.results import Run
from clew.lab.running import Plan, Repeat, Repeats, TaskResult, remembered
from clew.lab.tasks import Task
from clew.model import Bools, Outcome, Request
from clew.text.reader import Reader, Unreadable
from clew.text.shown import file_name
from clew.urls.canonical import host, keys, url_words
from clew.web.base import World
from clew.web.registry import make as make_world

KEPT = "kept"

Method = tuple[str, str]
"""Strategy and judge; a peer's strategy and its release."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What to run, and where to keep it. ``pythons``: those of the peers' environments; ``words``: keywords from
    examples, at most; ``minutes``: for one run of a peer; ``until``: time (as of ``time.time``) after which no run
    starts."""

    peers: tuple[Peer, ...]
    pythons: tuple[Path, ...]
    plan: Plan
    out: Path
    words: int
    minutes: float
    until: float

    def methods(self) -> list[Method]:
        """The rows of each task, in order."""
        ours = product(self.plan.strategies, self.plan.judges)
        theirs = [(peer.strategy, release(peer)) for peer in self.peers]
        return [*((strategy.name, judge.name) for strategy, judge in ours), *theirs]


@dataclass(slots=True, eq=False)
class Kept:
    """What is there of a task. ``of``: what its runs depend on; ``limits``: found by the oracles, as a TaskResult has
    them."""

    of: str
    limits: tuple[Bools, ...] = ()
    runs: dict[Method, Run] = field(default_factory=dict)
    failures: dict[Method, str] = field(default_factory=dict)

    def result(self, task: Task, methods: Sequence[Method]) -> TaskResult | None:
        """The runs of some methods, in their order; None where there is none."""
        runs = tuple(self.runs[method] for method in methods if method in self.runs)
        return TaskResult(task.name, runs, *((limit,) for limit in self.limits)) if runs else None


def kept(comparison: Comparison, task: Task) -> Kept:
    """What is kept of a task; empty where there is nothing, or where the task or its keywords were others."""
    sets = task.seeds, task.positive, task.negative, sorted(task.relevant)
    of = repr((task.budget, task.closed, *sets, comparison.words))
    try:
        found = pickle.loads(_file(comparison, task).read_bytes())
    except FileNotFoundError:
        return Kept(of)
    return found if isinstance(found, Kept) and found.of == of else Kept(of)


def missing(comparison: Comparison, task: Task) -> list[Method]:
    """The runs of a task that are not kept."""
    there = kept(comparison, task).runs
    return [method for method in comparison.methods() if method not in there]


def compare(comparison: Comparison, tasks: Sequence[Task]) -> None:
    """Run what is missing of tasks on one web, until the time is over. Raises ClewError; what a peer failed of is
    kept."""
    repeats = Repeats(comparison.plan, Readers())
    for task in tasks:
        if missing(comparison, task) and time.time() < comparison.until:
            _compare(comparison, task, repeats.of(task, 0))


def _compare(comparison: Comparison, task: Task, own: Repeat) -> None:
    there = kept(comparison, task)
    there.limits = tuple(limit(own.graph, task.budget) for limit in (greedy, one_step, look_ahead, upper_bound))
    for method, run in _runs(comparison, task, own):
        if method in there.runs:
            continue
        if time.time() >= comparison.until:
            return
        there.failures.pop(method, None)
        try:
            there.runs[method] = run()
            print(f"{task.name}: {method[0]}, {there.runs[method].seconds:.0f} s", file=sys.stderr, flush=True)
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        except InputError as error:  # it fails by itself: the others' runs are not lost
            there.failures[method] = str(error)
        _keep(there, _file(comparison, task))


def _runs(comparison: Comparison, task: Task, own: Repeat) -> Iterator[tuple[Method, Callable[[], Run]]]:
    """Each method with what runs it. Clew's own read every page anew, so that what a page costs can be told."""
    for strategy, judge in product(comparison.plan.strategies, comparison.plan.judges):
        fresh = replace(own, readers=Readers())
        yield (strategy.name, judge.name), partial(fresh.run, strategy, judge)
    if not comparison.peers:
        return
    with remembered() as store:
        setup = bench(task, settings_of(task, "breadth-first", "naive-bayes", 1), store, own.readers, None)
        words = asyncio.run(_keywords(task, setup, comparison.words))
        print(f"{task.name}: keywords {' '.join(words)}", file=sys.stderr, flush=True)
        for peer, python in zip(comparison.peers, comparison.pythons, strict=True):
            crawled = partial(crawl, peer, python, task, setup, own.graph, words, comparison.minutes)
            yield (peer.strategy, release(peer)), partial(_peer_run, peer, crawled, task, own)


def _peer_run(peer: Peer, crawled: Callable[[], Coroutine[Any, Any, Measured]], task: Task, own: Repeat) -> Run:
    measured = asyncio.run(crawled())
    return replace(run_of(task, peer.strategy, measured, own.graph, own.most), version=release(peer))


def _file(comparison: Comparison, task: Task) -> Path:
    return comparison.out / KEPT / f"{file_name(task.name)}.{task.budget}.pickle"


def _keep(there: Kept, file: Path) -> None:
    """Write at once or not at all: a command may be stopped at any time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.write_bytes(pickle.dumps(there))
    os.replace(new, file)


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
