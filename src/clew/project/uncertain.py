"""Which pages a user should label: those of which the judge is least sure, from many hosts."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from clew.crawl.lastrun import last_run
from clew.examples.labels import LABELS, read_labels
from clew.project.project import Project
from clew.store.base import Store

PER_HOST = 3
"""Candidates of a host, at most, unless there are too few others: pages of a host are alike and teach little more."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A visited page that is worth a verdict."""

    url: str
    title: str
    relevance: float


def uncertain(project: Project, store: Store, n: int) -> list[Candidate]:
    """The ``n`` judged pages whose relevance is nearest to the threshold, unlabelled ones only, nearest first."""
    labelled = {label.line for label in read_labels(project.path / LABELS)}
    threshold = last_run(store, project.settings).threshold
    rows = (row for row in store.visits.rows() if row.judged and row.url not in labelled)
    near = heapq.nsmallest(10 * n, rows, key=lambda row: (abs(row.relevance - threshold), row.number))
    taken: dict[str, int] = {}
    first: list[Candidate] = []
    rest: list[Candidate] = []
    for row in near:
        taken[row.host] = taken.get(row.host, 0) + 1
        (first if taken[row.host] <= PER_HOST else rest).append(Candidate(row.url, row.title, row.relevance))
    chosen = (first + rest)[:n]
    return sorted(chosen, key=lambda one: abs(one.relevance - threshold))
