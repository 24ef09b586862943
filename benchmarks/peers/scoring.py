"""A peer's ledger as a run of the lab: same truth, same oracle, same columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.peers.proxy import Ledger
from clew.lab.results import Graph, Run
from clew.lab.tasks import Task


@dataclass(frozen=True, slots=True)
class Measured:
    """How a peer's run went. ``cpu_s``: of all its processes, start-up included."""

    ledger: Ledger
    seconds: float
    cpu_s: float
    stopped_by: str


def run_of(task: Task, strategy: str, measured: Measured, graph: Graph, reachable: int) -> Run:
    """The run. ``judged`` and ``predicted`` are NaN, since no peer is asked what it thinks; ``sources`` names the first
    page fetched that links to a page, by the true graph; ``frontier`` counts pages linked to and not fetched."""
    urls = measured.ledger.urls
    sources, frontier = _sources(task, urls, graph)
    depth: list[int] = []
    for source in sources:
        depth.append(depth[source - 1] + 1 if source else 0)
    known: set[str] = set()
    found = []
    for url in urls:
        found.append(url in task.relevant and url not in known)
        known.add(url)
    unknown = np.full(len(urls), np.nan, np.float32)
    return Run(
        task=task.name,
        strategy=strategy,
        judge="",
        repeat=0,
        budget=task.budget,
        reachable=reachable,
        urls=tuple(urls),
        found=np.array(found, np.bool_),
        judged=unknown,
        predicted=unknown,
        depth=np.array(depth, np.int32),
        tunnel=np.zeros(len(urls), np.int32),
        sources=np.array(sources, np.int32),
        seconds=measured.seconds,
        cpu_ms_per_page=1000.0 * measured.cpu_s / max(len(urls), 1),
        frontier=frontier,
        robots=measured.ledger.robots,
        absent=measured.ledger.absent,
        stopped_by=measured.stopped_by,
    )


def _sources(task: Task, urls: list[str], graph: Graph) -> tuple[list[int], int]:
    """The visit (from 1; 0: a seed, or none known) whose page led to each fetch; and how many pages were left."""
    numbers = {url: number for number, url in enumerate(graph.urls)}
    first = dict.fromkeys(task.seeds, 0)
    sources = []
    for visit, url in enumerate(urls, 1):
        sources.append(first.setdefault(url, 0))
        if (number := numbers.get(url)) is not None:
            for target in graph.targets[graph.starts[number] : graph.starts[number + 1]].tolist():
                first.setdefault(graph.urls[target], visit)
    return sources, len(first.keys() - set(urls))
