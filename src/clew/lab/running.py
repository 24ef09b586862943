"""Running strategies and judges on tasks: the crawl loop itself, over the task's web, against the task's truth."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

import numpy as np

from clew.config import Settings
from clew.crawl.running import CrawlResult, run, runner
from clew.crawl.setup import Setup
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.explore import explore
from clew.lab.measures import area_over_oracle
from clew.lab.oracle import greedy, one_step, reachable
from clew.lab.results import Graph, Run
from clew.lab.tasks import Task
from clew.model import Bools
from clew.store.base import Store
from clew.store.sqlite import SqliteStore
from clew.web.providers.inverted import Inverted


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare on each task."""

    strategies: tuple[str, ...]
    judges: tuple[str, ...]
    repeats: int
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """The runs on a task, and the found arrays of its oracles."""

    task: str
    runs: tuple[Run, ...]
    oracle: Bools
    one_step: Bools


def summary(result: TaskResult, run: Run) -> dict[str, str | int | float]:
    """A run of a task in a few figures, as ``clew lab run --json`` prints it."""
    return {
        "task": run.task,
        "strategy": run.strategy,
        "judge": run.judge,
        "repeat": run.repeat,
        "area_over_oracle": round(area_over_oracle(run.found, result.oracle, run.budget), 6),
        "recall": round(float(run.found.sum()) / max(run.reachable, 1), 6),
        "fetched": run.fetched,
        "found": int(run.found.sum()),
        "seconds": round(run.seconds, 3),
    }


def run_all(tasks: Sequence[Task], plan: Plan, jobs: int) -> Iterator[TaskResult]:
    """The results of all tasks, in their order. With several ``jobs``, tasks on one web go to one process, which reads
    the web once; figures do not depend on ``jobs``. Raises ClewError."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.web, []).append(task)
    if jobs < 2 or len(tasks) < 2:
        done = {task.path: result for group in groups.values() for task, result in _run_group(group, plan)}
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=context) as pool:
            futures = [pool.submit(_listed, part, plan) for part in _dealt(list(groups.values()), jobs)]
            done = {task.path: result for future in futures for task, result in future.result()}
    return (done[task.path] for task in tasks)


def _dealt(groups: list[list[Task]], jobs: int) -> list[list[Task]]:
    """Groups split until there is one a job."""
    while len(groups) < jobs:
        largest = max(groups, key=len)
        if len(largest) < 2:
            break
        groups.remove(largest)
        half = len(largest) // 2
        groups += [largest[:half], largest[half:]]
    return groups


def _listed(tasks: list[Task], plan: Plan) -> list[tuple[Task, TaskResult]]:
    return list(_run_group(tasks, plan))


def _run_group(tasks: list[Task], plan: Plan) -> Iterator[tuple[Task, TaskResult]]:
    readers = Readers()
    for task in tasks:
        yield task, run_task(task, plan, readers)


def run_task(task: Task, plan: Plan, readers: Readers) -> TaskResult:
    """All runs of one task, each from scratch. Repeat r crawls with the seed ``plan.seed + r``."""
    graph = _graph(task, settings_of(task, "breadth-first", plan.judges[0], plan.seed), readers)
    most = reachable(graph)
    rows = np.split(graph.targets, graph.starts[1:-1])
    links = Inverted.of(graph.urls, (row.tolist() for row in rows))
    runs = []
    for strategy, judge, repeat in product(plan.strategies, plan.judges, range(plan.repeats)):
        settings = settings_of(task, strategy, judge, plan.seed + repeat)
        with remembered() as store:
            runs.append(_run(task, bench(task, settings, store, readers, links), repeat, most))
    return TaskResult(task.name, tuple(runs), greedy(graph, task.budget), one_step(graph, task.budget))


@contextmanager
def remembered() -> Iterator[Store]:
    """A store in memory, open."""
    store = SqliteStore(None)
    store.open()
    try:
        yield store
    finally:
        store.close()


def _graph(task: Task, settings: Settings, readers: Readers) -> Graph:
    with remembered() as store:
        return asyncio.run(explore(task, bench(task, settings, store, readers, None)))


def _run(task: Task, setup: Setup, repeat: int, most: int) -> Run:
    started, cpu = time.monotonic(), time.process_time()
    result = crawled(setup)
    seconds, cpu_s = time.monotonic() - started, time.process_time() - cpu
    who = (setup.strategy_name, setup.judge_name, repeat)
    return _recorded(task, setup.store, result, who, most, seconds, cpu_s)


def crawled(setup: Setup) -> CrawlResult:
    """Run a crawl to its end, and close its world. The store stays open for whoever wants to read it."""

    async def whole() -> CrawlResult:
        try:
            return await run(setup)
        finally:
            await setup.world.close()

    with runner() as own:
        return own.run(whole())


def _recorded(
    task: Task, store: Store, result: CrawlResult, who: tuple[str, str, int], most: int, seconds: float, cpu_s: float
) -> Run:
    rows = list(store.visits.rows())
    return Run(
        task=task.name,
        strategy=who[0],
        judge=who[1],
        repeat=who[2],
        budget=task.budget,
        reachable=most,
        urls=tuple(row.url for row in rows),
        found=np.array([row.url in task.relevant for row in rows], np.bool_),
        judged=np.array([row.relevance if row.judged else np.nan for row in rows], np.float32),
        predicted=np.array([row.score for row in rows], np.float32),
        depth=np.array([row.depth for row in rows], np.int32),
        tunnel=np.array([rows[row.source - 1].tunnel if row.source else 0 for row in rows], np.int32),
        sources=np.array([row.source for row in rows], np.int32),
        seconds=seconds,
        cpu_ms_per_page=1000.0 * cpu_s / max(len(rows), 1),
        frontier=result.frontier,
        robots=result.robots_requests,
        absent=result.absent,
        stopped_by=result.stopped_by,
    )
