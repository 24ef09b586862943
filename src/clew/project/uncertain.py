"""Which pages a user should label: those of which the judge is least sure, from many hosts, and a random sample of
those that it calls relevant."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from clew.crawl.lastrun import last_run
from clew.examples.labels import LABELS, read_labels
from clew.project.project import Project
from clew.project.sampling import draw
from clew.store.base import Store

PER_HOST = 3
"""Candidates of a host, at most, unless there are too few others: pages of a host are alike and teach little more."""

NEAR = "near the threshold: teaches the judge"
DRAWN = "drawn at random: measures the precision"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A visited page that is worth a verdict, and what for. ``number``: that of its visit."""

    url: str
    title: str
    relevance: float
    why: str = NEAR
    number: int = 0


def uncertain(project: Project, store: Store, n: int) -> list[Candidate]:
    """Up to ``n`` unlabelled pages: half of them drawn at random among those that were called relevant (they narrow the
    estimate of precision, ``sampling``), the others those whose relevance is nearest to the threshold. All of them in
    the order of their distance from it."""
    threshold = last_run(store, project.settings).threshold
    random = [Candidate(row.url, row.title, row.relevance, DRAWN, row.number) for row in draw(project, store, n // 2)]
    labelled = {label.line for label in read_labels(project.path / LABELS)}
    near = _near(store, threshold, n - len(random), labelled.union(one.url for one in random))
    return sorted(near + random, key=lambda one: abs(one.relevance - threshold))


def _near(store: Store, threshold: float, n: int, known: Set[str]) -> list[Candidate]:
    """The ``n`` judged pages nearest to the threshold, but for those that are known."""
    numbers = store.visits.near(threshold, 10 * n + len(known))
    near = [row for row in store.visits.many(numbers) if row.url not in known][: 10 * n]
    taken: dict[str, int] = {}
    first: list[Candidate] = []
    rest: list[Candidate] = []
    for row in near:
        taken[row.host] = taken.get(row.host, 0) + 1
        one = Candidate(row.url, row.title, row.relevance, number=row.number)
        (first if taken[row.host] <= PER_HOST else rest).append(one)
    return (first + rest)[:n]
