"""Running strategies and judges on tasks: the crawl loop itself, over the task's web, against the task's truth."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from math import isnan

from clew.config import Settings
from clew.crawl.running import CrawlResult, run, runner
from clew.crawl.setup import Setup
from clew.lab.asking import BOTH, FREE, NONE, Asked, counted
from clew.lab.bench import Readers, bench, check, settings_of
from clew.lab.bounds import upper_bound
from clew.lab.explore import back_links, explore, present_in
from clew.lab.lookahead import look_ahead
from clew.lab.measures import area_over_oracle
from clew.lab.oracle import greedy, one_step, reachable
from clew.lab.recording import Who, recorded
from clew.lab.resampling import drawn
from clew.lab.results import Graph, Run
from clew.lab.simulating import another
from clew.lab.tasks import Task
from clew.lab.variants import Variant, without_backlinks
from clew.model import Bools
from clew.store.base import Store
from clew.store.sqlite import SqliteStore
from clew.web.providers.base import BacklinkProvider


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare on each task. ``resample``: repeats after the first draw start pages, examples and the seeds of
    simulated webs anew; otherwise only the crawl's seed changes. ``backlinks``: what the question who links to a page
    costs, if the strategy's variant does not say; BOTH: nothing, and whoever asks has a second row without answers."""

    strategies: tuple[Variant, ...]
    judges: tuple[Variant, ...]
    repeats: int
    seed: int = 1
    resample: bool = True
    backlinks: str = BOTH

    def cost(self, strategy: Variant) -> str:
        """What questions cost a strategy: one of BACKLINKS."""
        return strategy.backlinks or (FREE if self.backlinks == BOTH else self.backlinks)

    def second(self, strategy: Variant) -> Variant | None:
        """The second row of a strategy that asked, without answers; None where the user said what questions cost, or
        named that row too."""
        other = without_backlinks(strategy)
        is_wanted = self.backlinks == BOTH and not strategy.backlinks
        return other if is_wanted and other.name not in {one.name for one in self.strategies} else None


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """The runs on a task, and the found arrays of its oracles and of the upper bound, one a repeat (results of earlier
    versions lack the last two)."""

    task: str
    runs: tuple[Run, ...]
    oracles: tuple[Bools, ...]
    one_step: tuple[Bools, ...]
    look_ahead: tuple[Bools, ...] = ()
    bound: tuple[Bools, ...] = ()


def summary(result: TaskResult, run: Run) -> dict[str, str | int | float | None]:
    """A run of a task in a few figures, as ``clew lab run --json`` prints it."""
    return {
        "task": run.task,
        "strategy": run.strategy,
        "judge": run.judge,
        "repeat": run.repeat,
        "seed": run.seed,
        "area_over_oracle": round(area_over_oracle(run.found, result.oracles[run.repeat], run.budget), 6),
        "recall": round(float(run.found.sum()) / max(run.reachable, 1), 6),
        "fetched": run.fetched,
        "found": int(run.found.sum()),
        "asked": run.asked,
        "precision": _known(run.precision),
        "recall_of_called": _known(run.recall_of_called),
        "estimated_precision": _known(run.estimated_precision),
        "estimated_low": _known(run.estimated_low),
        "estimated_high": _known(run.estimated_high),
        "seconds": round(run.seconds, 3),
    }


def _known(value: float) -> float | None:
    """For JSON, which has no NaN."""
    return None if isnan(value) else round(value, 6)


Unit = tuple[Task, int]
"""A task and the number of a repeat: what one process does at a time."""


def run_all(tasks: Sequence[Task], plan: Plan, jobs: int) -> Iterator[TaskResult]:
    """The results of all tasks, in their order. With several ``jobs``, repeats on one web go to one process, which
    reads the web once; figures do not depend on ``jobs``. Raises ClewError; before anything is run where a judge
    cannot tell what a task wants."""
    for task, judge in product(tasks, plan.judges):
        check(task, judge)
    units = [(task, repeat) for task in tasks for repeat in range(plan.repeats)]
    groups: dict[str, list[Unit]] = {}
    for task, repeat in units:
        own = f" {repeat}" if plan.resample and task.web.startswith("sim:") else ""  # each has a web of its own
        groups.setdefault(task.web + own, []).append((task, repeat))
    if jobs < 2 or len(units) < 2:
        done = [result for group in groups.values() for result in _run_group(group, plan)]
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(jobs, len(units)), mp_context=context) as pool:
            futures = [pool.submit(_run_group, part, plan) for part in _dealt(list(groups.values()), jobs)]
            done = [result for future in futures for result in future.result()]
    methods = _methods(done, plan)
    return (_joined(task, [result for result in done if result.task == task.name], methods) for task in tasks)


def _dealt(groups: list[list[Unit]], jobs: int) -> list[list[Unit]]:
    """Groups split until there is one a job."""
    while len(groups) < jobs:
        largest = max(groups, key=len)
        if len(largest) < 2:
            break
        groups.remove(largest)
        half = len(largest) // 2
        groups += [largest[:half], largest[half:]]
    return groups


def _run_group(units: list[Unit], plan: Plan) -> list[_Draw]:
    readers, graphs = Readers(), _Graphs(plan)
    return [_run_draw(task, repeat, plan, readers, graphs) for task, repeat in units]


def run_task(task: Task, plan: Plan, readers: Readers) -> TaskResult:
    """All runs of one task, each from scratch. Repeat r crawls with the seed ``plan.seed + r``; the first repeat is the
    task as it is written, later ones are drawn anew if the plan says so."""
    for judge in plan.judges:
        check(task, judge)
    graphs = _Graphs(plan)
    done = [_run_draw(task, repeat, plan, readers, graphs) for repeat in range(plan.repeats)]
    return _joined(task, done, _methods(done, plan))


@dataclass(frozen=True, slots=True, eq=False)
class _Draw:
    """What one repeat of a task gave."""

    task: str
    repeat: int
    runs: tuple[Run, ...]
    oracle: Bools
    one_step: Bools
    look_ahead: Bools
    bound: Bools


@dataclass(frozen=True, slots=True)
class _Method:
    """A row of each task. ``same``: the name of the strategy whose runs are those of this row where it did not ask."""

    strategy: str
    judge: str
    same: str

    def of(self, draw: _Draw) -> Run:
        """Its run of a draw."""
        runs = {(run.strategy, run.judge): run for run in draw.runs}
        own = runs.get((self.strategy, self.judge))
        return own or replace(runs[self.same, self.judge], strategy=self.strategy, backlinks=NONE)


def _methods(draws: Sequence[_Draw], plan: Plan) -> list[_Method]:
    """The rows in the order of strategies and judges. Who asked in any draw has its second row in all."""
    ran, methods = {run.strategy for draw in draws for run in draw.runs}, []
    for strategy, judge in product(plan.strategies, plan.judges):
        methods.append(_Method(strategy.name, judge.name, strategy.name))
        second = plan.second(strategy)
        if second is not None and second.name in ran:
            methods.append(_Method(second.name, judge.name, strategy.name))
    return methods


def _joined(task: Task, draws: Sequence[_Draw], methods: Sequence[_Method]) -> TaskResult:
    """The runs in the order of methods, then repeats."""
    ordered = sorted(draws, key=lambda draw: draw.repeat)
    runs = tuple(method.of(draw) for method in methods for draw in ordered)
    return TaskResult(
        task.name,
        runs,
        tuple(draw.oracle for draw in ordered),
        tuple(draw.one_step for draw in ordered),
        tuple(draw.look_ahead for draw in ordered),
        tuple(draw.bound for draw in ordered),
    )


class _Graphs:
    """The graph of the task at hand as it is written; repeats are drawn from it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._kept: tuple[Task, Graph] | None = None

    def of(self, task: Task, readers: Readers) -> Graph:
        """The graph of a task; that of the last one is remembered."""
        if self._kept is None or self._kept[0] != task:
            self._kept = task, _graph(task, self.settings(task), readers)
        return self._kept[1]

    def drawn(self, task: Task, repeat: int, readers: Readers) -> Task:
        """The task of a repeat."""
        if not repeat or not self._plan.resample:
            return task
        if (other := another(task, repeat)) is not None:
            return other
        settings = self.settings(task)

        def present(urls: Sequence[str]) -> list[str]:
            with remembered() as store:
                return asyncio.run(present_in(bench(task, settings, store, readers, None), urls))

        return drawn(task, self._plan.seed + repeat, self.of(task, readers), present)

    def settings(self, task: Task) -> Settings:
        """Of a crawl that looks at the web."""
        return settings_of(task, "breadth-first", self._plan.judges[0], self._plan.seed)


def _run_draw(task: Task, repeat: int, plan: Plan, readers: Readers, graphs: _Graphs) -> _Draw:
    own = _repeat(task, repeat, plan, readers, graphs)
    runs = []
    for strategy, judge in product(plan.strategies, plan.judges):
        runs.append(own.run(strategy, judge))
        second = plan.second(strategy)
        if second is not None and runs[-1].asked:
            runs.append(own.run(second, judge))
    limits = (limit(own.graph, own.task.budget) for limit in (greedy, one_step, look_ahead, upper_bound))
    return _Draw(task.name, repeat, tuple(runs), *limits)


def _repeat(task: Task, repeat: int, plan: Plan, readers: Readers, graphs: _Graphs) -> Repeat:
    own = graphs.drawn(task, repeat, readers)
    graph = graphs.of(task, readers) if own is task else _graph(own, graphs.settings(own), readers)
    return Repeat(own, repeat, plan, readers, graph, back_links(graph), reachable(graph))


class Repeats:
    """The repeats of tasks, for whoever wants each run by itself: one that fails does not end the others."""

    def __init__(self, plan: Plan, readers: Readers) -> None:
        self._plan, self._readers, self._graphs = plan, readers, _Graphs(plan)

    def of(self, task: Task, repeat: int) -> Repeat:
        """A repeat of a task, drawn as ``run_task`` draws it. Raises ClewError."""
        return _repeat(task, repeat, self._plan, self._readers, self._graphs)


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


@dataclass(frozen=True, slots=True)
class Repeat:
    """Runs methods on a draw of a task, ``task``; ``graph``: of its web; ``links``: who links to whom; ``most``:
    relevant pages within reach."""

    task: Task
    repeat: int
    plan: Plan
    readers: Readers
    graph: Graph
    links: BacklinkProvider
    most: int

    def run(self, strategy: Variant, judge: Variant) -> Run:
        """A crawl, from scratch."""
        settings = settings_of(self.task, strategy, judge, self.plan.seed + self.repeat)
        who = Who(strategy, judge, self.repeat, self.plan.resample and self.repeat > 0)
        with remembered() as store:
            asked = Asked(self.links, store, self.plan.cost(strategy))
            setup = bench(self.task, settings, store, self.readers, asked)
            started, cpu = time.monotonic(), time.process_time()
            result = crawled(setup)
            seconds, cpu_s = time.monotonic() - started, time.process_time() - cpu
            return counted(recorded(self.task, setup, result, who, self.most, seconds, cpu_s), asked)


def crawled(setup: Setup) -> CrawlResult:
    """Run a crawl to its end, and close its world. The store stays open for whoever wants to read it."""

    async def whole() -> CrawlResult:
        try:
            return await run(setup)
        finally:
            await setup.world.close()

    with runner() as own:
        return own.run(whole())
