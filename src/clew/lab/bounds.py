"""A true upper bound: how many relevant pages any crawl can have after each number of fetches.

It holds for every crawl that comes to pages over links from the seeds, whatever it knows, and in whatever order. One
that is told of pages in another way (who links to a page, a search engine) may pass it. Let a crawl have fetched n
pages, m of them irrelevant, and let w(v) be the fewest irrelevant pages on a path from the seeds to v, both ends
included. Then it has at most

    n − m                                             relevant pages, since the others are not,
    C(m) = |{v relevant: w(v) ≤ m}|                   since it fetched a path to each of them,
    U(m) = |seeds' set| + the m largest u(p)          since each lies behind a seed or the last irrelevant page p on its
                                                      path, with relevant pages only between; u(p): relevant pages
                                                      unlocked by p (``clusters``) that no seed unlocks, w(p) ≤ m.

The bound is the largest min(n − m, C(m), U(m)) over m, and no more than what fits when a page d links from the seeds
is fetched after d others at the earliest.
"""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace

import numpy as np

from clew.lab.clusters import FAR, Clusters, Distances, links_of, union
from clew.lab.results import Graph
from clew.model import Bools, Ints


def upper_bound(graph: Graph, budget: int) -> Bools:
    """bool[budget] whose running sum bounds the relevant pages after 1, 2, ... fetches; each is a bound for itself, and
    no one crawl need reach all."""
    if budget < 1 or not len(graph.seeds):
        return np.zeros(max(budget, 0), np.bool_)
    most = np.minimum(_by_irrelevant(graph, budget), _by_distance(graph, budget))
    return np.diff(most, prepend=0) > 0


def _by_irrelevant(graph: Graph, budget: int) -> Ints:
    """int32[budget]: the largest min(n − m, C(m), U(m)) over m, for n = 1 ... budget."""
    distances = Distances(graph)
    distances.start(graph.seeds.tolist())
    near = np.bincount(distances.counts[graph.relevant & (distances.counts <= budget)], minlength=budget + 1)
    within = np.minimum(np.cumsum(near), _unlocked(graph, distances.counts, budget))  # H(m), m = 0 ... budget
    n = np.arange(1, budget + 1)
    m = np.searchsorted(within + np.arange(budget + 1), n)  # the least m with H(m) ≥ n − m
    most: Ints = np.maximum(n - m, np.where(m > 0, within[m - 1], 0)).astype(np.int32)
    return most


def _unlocked(graph: Graph, counts: Ints, budget: int) -> Ints:
    """U(m) for m = 0 ... budget."""
    clusters = Clusters(graph)
    seeds = union(clusters.unlocked(page) for page in set(graph.seeds.tolist()) if graph.relevant[page])
    pages = np.flatnonzero(~graph.relevant & (counts <= budget))
    order = pages[np.argsort(counts[pages], kind="stable")].tolist()
    taken: list[int] = []  # the m largest, the least first
    rest: list[int] = []  # the others, negative, the largest first
    total, place, most = seeds.bit_count(), 0, []
    for m in range(budget + 1):
        while place < len(order) and counts[order[place]] <= m:
            heappush(rest, -(clusters.unlocked(order[place]) & ~seeds).bit_count())
            place += 1
        if rest and m:
            total -= rest[0]
            heappush(taken, -heappop(rest))
        while rest and taken and -rest[0] > taken[0]:
            total -= rest[0] + taken[0]
            heappush(rest, -heapreplace(taken, -heappop(rest)))
        most.append(total)
    return np.array(most, np.int32)


def _by_distance(graph: Graph, budget: int) -> Ints:
    """int32[budget]: what fits when a page ``d`` links from the seeds has ``d`` fetches before it."""
    depth = _depths(graph)[graph.relevant]
    ready = np.bincount(depth[depth < budget], minlength=budget)
    most, waiting, found = np.zeros(budget, np.int32), 0, 0
    for place, new in enumerate(ready.tolist()):
        waiting += new
        found, waiting = (found + 1, waiting - 1) if waiting else (found, waiting)
        most[place] = found
    return most


def _depths(graph: Graph) -> Ints:
    """int32[n]: links from the seeds, FAR where there is no path."""
    depth = np.full(len(graph.relevant), FAR, np.int32)
    level = list(dict.fromkeys(graph.seeds.tolist()))
    links = 0
    while level:
        depth[level] = links
        links += 1
        further = np.unique(np.concatenate([links_of(graph, page) for page in level]))
        level = further[depth[further] == FAR].tolist()
    return depth
