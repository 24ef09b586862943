"""What is kept of a run: its ledger fetch by fetch, from the store of its crawl, and how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.crawl.lastrun import last_estimate
from clew.crawl.running import CrawlResult
from clew.crawl.setup import Setup
from clew.judges.registry import JUDGES
from clew.lab.results import Run
from clew.lab.tasks import Task
from clew.lab.variants import Variant, full_settings
from clew.store.records import VisitRow
from clew.strategies.registry import STRATEGIES
from clew.version import __version__
from clew.web.simulated import parse_spec


@dataclass(frozen=True, slots=True)
class Who:
    """Which run it is."""

    strategy: Variant
    judge: Variant
    repeat: int
    drawn: bool


def recorded(task: Task, setup: Setup, result: CrawlResult, who: Who, most: int, seconds: float, cpu_s: float) -> Run:
    """The record of a crawl that ended; ``most``: relevant pages that can be reached."""
    rows = list(setup.store.visits.rows())
    precision, recall = called(task, rows)
    told = last_estimate(setup.store)
    return Run(
        task=task.name,
        strategy=who.strategy.name,
        judge=who.judge.name,
        repeat=who.repeat,
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
        seed=setup.settings.crawl.seed,
        web=parse_spec(task.web).spec if task.web.startswith("sim:") else task.web,
        strategy_settings=full_settings(who.strategy, STRATEGIES),
        judge_settings=full_settings(who.judge, JUDGES),
        version=__version__,
        drawn=who.drawn,
        starts=len(task.seeds),
        positive=len(task.positive),
        negative=len(task.negative),
        closed=task.closed,
        keywords=len(task.keywords),
        precision=precision,
        recall_of_called=recall,
        estimated_precision=told.precision if told else float("nan"),
        estimated_low=told.low if told else float("nan"),
        estimated_high=told.high if told else float("nan"),
    )


def called(task: Task, rows: Sequence[VisitRow]) -> tuple[float, float]:
    """Precision and recall of the judge's yes and no among the pages of a crawl, without examples and start pages."""
    known = {*task.seeds, *task.positive, *task.negative}
    new = [row for row in rows if row.judged and not row.duplicate_of and row.url not in known]
    right = sum(row.relevant and row.url in task.truth for row in new)
    said, true = sum(row.relevant for row in new), sum(row.url in task.truth for row in new)
    return right / said if said else float("nan"), right / true if true else float("nan")
