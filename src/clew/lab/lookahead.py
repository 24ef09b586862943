"""A stronger oracle than the walk to the nearest target: it looks at what a path unlocks, not only at where it ends.

To choose pages so that most is found within a budget is orienteering on a directed graph with costs on pages, a Steiner
problem; the greedy choice by gain for each page spent is the usual heuristic for such covering problems (S. Khuller,
A. Moss, J. Naor, The budgeted maximum coverage problem, Information Processing Letters 70, 1999). No crawl can know so
much, and it is no upper bound (``bounds`` is).
"""

from __future__ import annotations

from collections import deque

import numpy as np

from clew.lab.clusters import FAR, Clusters, Distances, links_of
from clew.lab.results import Graph
from clew.model import Bools, Doubles, Ints


def look_ahead(graph: Graph, budget: int) -> Bools:
    """Most gain for each irrelevant page: bool[≤ budget]. It knows all links and all relevant pages.

    It takes relevant pages as soon as it has a link to them. When there is none, it looks at every irrelevant page p,
    d irrelevant pages away, and at the irrelevant pages that p links to. With the j best of these

        value(p) = max over j ≥ 0 of  (gain(p) + the j largest gains behind it) / (d + j)

    where the gain of a page is the number of unfetched relevant pages that it unlocks (behind p: that p does not; what
    two of them both unlock counts twice), and no more in all than the budget leaves room for. It fetches the path to
    the page of the highest value and looks again, until nothing is left to gain.
    """
    return graph.relevant[look_ahead_pages(graph, budget)]


def look_ahead_pages(graph: Graph, budget: int) -> Ints:
    """The order of ``look_ahead``."""
    search = _Search(graph, budget)
    search.fetch(list(dict.fromkeys(graph.seeds.tolist())))
    while len(search.order) < budget and (path := search.best()):
        for page in path:
            search.fetch([page])
    return np.array(search.order, np.int32)


class _Search:
    """What was fetched, and for each irrelevant page an upper bound of its value: gains only fall, so a value that was
    computed once stays a bound until the page comes nearer."""

    def __init__(self, graph: Graph, budget: int) -> None:
        self.graph, self.budget = graph, budget
        self.order: list[int] = []
        self.taken = np.zeros(len(graph.relevant), np.bool_)
        self.left = (1 << int(graph.relevant.sum())) - 1  # relevant pages still to be fetched, as bits
        self.clusters, self.distances = Clusters(graph), Distances(graph)
        self.sets: dict[int, int] = {}
        self.values: Doubles = np.full(len(graph.relevant), -1.0)

    def fetch(self, pages: list[int]) -> None:
        """Fetch pages, and all relevant pages that come within reach, as far as the budget goes."""
        new = [page for page in pages if not self.taken[page]]
        queue = deque(new)
        done = []
        self.taken[new] = True
        while queue and len(self.order) < self.budget:
            page = queue.popleft()
            self.order.append(page)
            done.append(page)
            if self.graph.relevant[page]:
                self.left &= ~(1 << int(self.clusters.bits[page]))
            links = links_of(self.graph, page)
            good = links[self.graph.relevant[links] & ~self.taken[links]]
            self.taken[good] = True
            queue.extend(good.tolist())
        self.values[done] = -1.0
        self._come_nearer(done)

    def _come_nearer(self, fetched: list[int]) -> None:
        """Values of pages that are nearer now: with d for d' the value grows by d/d' at most."""
        for page, before in self.distances.fetched(fetched).items():
            if self.graph.relevant[page] or self.taken[page]:
                continue
            if before == FAR:
                self.values[page], _ = self._value(page, 1)
            else:
                self.values[page] *= before / int(self.distances.counts[page])

    def best(self) -> list[int]:
        """The path to the page of the highest value, without what was fetched; empty when nothing can be gained."""
        bounds, highest, chosen = self.values.copy(), 0.0, -1
        while len(bounds) and bounds[page := int(bounds.argmax())] > highest:
            self.values[page], value = self._value(page, int(self.distances.counts[page]))
            bounds[page] = -1.0
            if value > highest:
                highest, chosen = value, page
        return self._path(chosen) if chosen >= 0 else []

    def _value(self, page: int, distance: int) -> tuple[float, float]:
        """The value of a page so far away, without and with what the budget leaves room for."""
        own = self._unlocked(page)
        links = links_of(self.graph, page)
        behind = links[~self.graph.relevant[links] & ~self.taken[links] & (self.distances.counts[links] > 1)]
        gains = [(self._unlocked(child) & ~own).bit_count() for child in behind.tolist() if child != page]
        total = own.bit_count() + np.cumsum([0, *sorted(gains, reverse=True)])
        cost = distance + np.arange(len(total))
        room = self.budget - len(self.order) - cost
        return float((total / cost).max()), float((np.minimum(total, room) / cost).max())

    def _unlocked(self, page: int) -> int:
        """The unfetched relevant pages that a page unlocks, as bits."""
        if page not in self.sets:
            self.sets[page] = self.clusters.unlocked(page)
        self.sets[page] &= self.left
        return self.sets[page]

    def _path(self, page: int) -> list[int]:
        """The irrelevant pages on the way to a page, which is the last."""
        path = []
        while page >= 0 and not self.taken[page]:
            if not self.graph.relevant[page]:
                path.append(page)
            page = int(self.distances.before[page])
        return path[::-1]
