"""Repeats of a task on a collected web: start pages and examples drawn anew, alike to those that the task gives.

Each example is replaced by a page of its stratum: the pages of its group in the label file that have (or lack) a wanted
label as it does; pages without a label count as one group that lacks it. A start page that is an example goes with it.
Any other is replaced by a page as many links before the nearest relevant one, of its group, from which at least
ENOUGH of the relevant pages can be reached that could be reached from it; where TRIES pages drawn at random do not do,
it stays. The pages of the task are in their own strata, so a draw may hold some of them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from zlib import crc32

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from clew.errors import InputError
from clew.lab.ledgers import OPEN
from clew.lab.results import Graph
from clew.lab.tasks import Task
from clew.model import Bools, Doubles

ENOUGH = 0.9
TRIES = 100

Present = Callable[[Sequence[str]], list[str]]
"""Those of some URLs that the web answers with a page that can be read."""


def drawn(task: Task, seed: int, graph: Graph, present: Present) -> Task:
    """The task with start pages and examples drawn by ``seed``; ``graph``: of the task as written.

    Raises InputError when no relevant page is left to find.
    """
    rng = np.random.default_rng([seed, crc32(task.name.removesuffix(OPEN).encode())])  # alike for both ledgers
    strata = _Strata(task, graph)
    given = (*task.positive, *task.negative)
    swapped = _swapped(given, strata, rng, present)
    positive, negative = (tuple(swapped[url] for url in urls) for urls in (task.positive, task.negative))
    seeds = _seeds(task, graph, strata, swapped, rng)
    relevant = task.truth - {*seeds, *positive, *negative}
    if not relevant:
        raise InputError(f"{task.path}: all relevant pages are examples of the draw with seed {seed}")
    return replace(task, seeds=seeds, positive=positive, negative=negative, relevant=relevant)


class _Strata:
    """Pages by what a replacement must share with the page that it replaces."""

    def __init__(self, task: Task, graph: Graph) -> None:
        self._task, self._graph = task, graph

    def of(self, url: str) -> tuple[bool, str]:
        """Whether a page has a wanted label, and its group."""
        return self._task.labelled.get(url, (url in self._task.truth, ""))

    @cached_property
    def pages(self) -> dict[tuple[bool, str], list[str]]:
        """All pages of each stratum, sorted."""
        found: dict[tuple[bool, str], list[str]] = {}
        for url in sorted({*self._task.labelled, *self._graph.urls, *self._task.truth}):
            found.setdefault(self.of(url), []).append(url)
        return found


def _swapped(given: Sequence[str], strata: _Strata, rng: np.random.Generator, present: Present) -> dict[str, str]:
    """For each example the one that stands for it. One that has no stratum in the web stays."""
    swapped: dict[str, str] = {}
    for kind in dict.fromkeys(map(strata.of, given)):
        own = [url for url in dict.fromkeys(given) if strata.of(url) == kind]
        pool = strata.pages.get(kind, [])
        found = _some(len(own), [pool[place] for place in rng.permutation(len(pool)).tolist()], present)
        swapped |= dict(zip(own, [*found, *own[len(found) :]], strict=True))
    return swapped


def _some(n: int, pages: Sequence[str], present: Present) -> list[str]:
    """The first n pages that the web has."""
    found: list[str] = []
    for start in range(0, len(pages), max(n, 1)):
        if len(found) >= n:
            break
        found += present(pages[start : start + n])
    return found[:n]


def _seeds(
    task: Task, graph: Graph, strata: _Strata, swapped: dict[str, str], rng: np.random.Generator
) -> tuple[str, ...]:
    reach = _Reach(graph, task.truth)
    taken = set(swapped.values())
    seeds = []
    for url in task.seeds:
        new = swapped[url] if url in swapped else reach.alike(url, strata.of, taken, rng)
        taken.add(new)
        seeds.append(new)
    return tuple(dict.fromkeys(seeds))


class _Reach:
    """Which relevant pages can be reached from where, over how many links."""

    def __init__(self, graph: Graph, truth: Iterable[str]) -> None:
        n = len(graph.urls)
        self.urls = graph.urls
        self.places = {url: place for place, url in enumerate(graph.urls)}
        self.links = csr_matrix((np.ones(len(graph.targets), np.int8), graph.targets, graph.starts), (n, n))
        wanted = set(truth)
        self.relevant: Bools = np.array([url in wanted for url in graph.urls], np.bool_)

    @cached_property
    def distances(self) -> Doubles:
        """float64[n]: links from each page to the nearest relevant one, infinite where there is none."""
        sources = np.flatnonzero(self.relevant)
        if not len(sources):
            return np.full(len(self.urls), np.inf)
        found: Doubles = dijkstra(self.links.T, indices=sources, unweighted=True, min_only=True)
        return found

    def count(self, place: int) -> int:
        """Relevant pages that can be reached from a page."""
        return int(self.relevant[breadth_first_order(self.links, place, return_predecessors=False)].sum())

    def alike(self, url: str, kind: Callable[[str], object], taken: set[str], rng: np.random.Generator) -> str:
        """A page that stands for a start page; the page itself where none does."""
        own = self.places.get(url)
        if own is None:
            return url
        wanted, need = kind(url), ENOUGH * self.count(own)
        pool = np.flatnonzero(self.distances == self.distances[own])
        tries = 0
        for place in rng.permutation(pool).tolist():
            page: str = self.urls[place]
            if page in taken or kind(page) != wanted:
                continue
            if self.count(place) >= need:
                return page
            tries += 1
            if tries == TRIES:
                break
        return url
