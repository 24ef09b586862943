"""Communities: pages that link more among themselves than to others (Flake, Lawrence, Giles 2000).

Links count without direction, two pages that link to each other as one link. A community is a set of pages each of
which has more links inside the set than out of it. Which pages exist is up to the graph: in that of a crawl, links to
pages not yet visited lead out of every set of visited pages; ``graph.subgraph(visited)`` leaves them out.

* ``largest_community`` is exact: the union of two communities is one, so there is a largest one within any set. A page
  without enough links inside the set has none too many in any part of it, so taking such pages away, again and again,
  leaves just that largest community. It costs O(n + m) array work, and one round of array operations for each layer
  taken away.
* ``community`` is the paper's: the cut between seeds and the rest of their neighbourhood. It costs one maximum flow on
  at most ``limit`` pages and the links among them (scipy's Dinic). It finds a community only when fewer links lead out
  of it than out of the seeds alone; else the seeds are all it returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_flow

from clew.graph.edges import LinkGraph, Nodes
from clew.model import Bools, Ints

LIMIT = 5_000
REACH = 2


def is_community(graph: LinkGraph, members: Nodes) -> bool:
    """Whether each of ``members`` has more links to members than to other pages; no set without pages is one."""
    inside = np.zeros(len(graph), np.int64)
    inside[members] = 1
    links = undirected(graph)
    within, every = (links @ inside)[members], np.diff(links.indptr)[members]
    return bool(len(members)) and bool(np.all(2 * within > every))


def largest_community(graph: LinkGraph, within: Bools) -> Ints:
    """The largest connected community among the pages that ``within`` bool[n] marks, ascending; empty when there is
    none. Of two that are equally large, the one with the lowest page."""
    links = undirected(graph)
    inside = np.asarray(within, np.bool_).copy()
    every = np.diff(links.indptr)
    count = np.asarray(links @ inside.astype(np.int64))
    weak = np.flatnonzero(inside & (2 * count <= every))
    while len(weak):
        inside[weak] = False
        touched, lost = np.unique(links[weak].indices, return_counts=True)
        count[touched] -= lost
        weak = touched[inside[touched] & (2 * count[touched] <= every[touched])]
    left = np.flatnonzero(inside).astype(np.int32)
    if not len(left):
        return left
    _, parts = connected_components(links[left][:, left], directed=False)
    _, first, sizes = np.unique(parts, return_index=True, return_counts=True)
    best = min(range(len(sizes)), key=lambda part: (-sizes[part], first[part]))
    return np.asarray(left[parts == best], np.int32)


def contains_community(graph: LinkGraph, relevant: Bools, size: int) -> bool:
    """Whether the relevant pages (bool[n]) contain a connected community of at least ``size`` pages: Ariadne's test for
    the end of a crawl. Exact; the cost is that of ``largest_community``."""
    if int(np.count_nonzero(relevant)) < size:
        return False
    return len(largest_community(graph, relevant)) >= size


def community(graph: LinkGraph, seeds: Nodes, *, capacity: int = 0, reach: int = REACH, limit: int = LIMIT) -> Ints:
    """The pages on the seeds' side of a minimum cut, seeds among them, ascending (Flake et al. section 3).

    A source feeds every seed without bound, each link carries ``capacity`` both ways, and every other page passes 1 on
    to a sink; pages outside the neighbourhood belong to the sink. The cut may be around the seeds alone, or around
    everything.

    capacity: 0 takes the number of seeds, but at least 2; more makes larger communities · reach: pages up to so many
    links away from the seeds are the neighbourhood · limit: at most so many pages (and all seeds), those nearer to the
    seeds first, then those with more links to the layer before, then the lower ones.
    """
    seeds = np.unique(np.asarray(seeds, np.int32))
    if not len(seeds):
        return seeds
    links = undirected(graph)
    nodes = _neighbourhood(links, seeds, reach, limit)
    near = links[nodes][:, nodes].tocoo()
    size, source, sink = len(nodes), len(nodes), len(nodes) + 1
    most = np.iinfo(np.int32).max // (size + 2)
    width = min(capacity or max(2, len(seeds)), most)
    leaving = np.diff(links.indptr)[nodes] - np.bincount(near.row, minlength=size)
    drain = np.minimum(1 + width * leaving.astype(np.int64), most)
    seeded = np.isin(nodes, seeds)
    fed, others = np.flatnonzero(seeded), np.flatnonzero(~seeded)
    flow = [
        (near.row, near.col, np.full(len(near.row), width)),
        (np.full(len(fed), source), fed, np.full(len(fed), drain.sum() + 1)),
        (others, np.full(len(others), sink), drain[others]),
    ]
    tails, heads, amounts = (np.concatenate(column).astype(np.int32) for column in zip(*flow, strict=True))
    room = csr_array((amounts, (tails, heads)), shape=(size + 2, size + 2))
    residual = room - maximum_flow(room, source, sink).flow
    residual.eliminate_zeros()
    reached = breadth_first_order(residual, source, return_predecessors=False)
    return np.asarray(np.sort(nodes[reached[reached < size]]), np.int32)


def undirected(graph: LinkGraph) -> Any:
    """The links without direction as a sparse symmetric matrix of ones: int64[n, n]."""
    both = (graph.forward + graph.backward).tocsr()
    return csr_array((np.ones(both.nnz, np.int64), both.indices, both.indptr), shape=both.shape)


def _neighbourhood(links: Any, seeds: Ints, reach: int, limit: int) -> Ints:
    """The pages up to ``reach`` links around the seeds, at most ``limit`` (and all seeds), ascending."""
    taken = np.zeros(links.shape[0], np.bool_)
    taken[seeds] = True
    layer = seeds
    for _ in range(reach):
        found, count = np.unique(links[layer].indices, return_counts=True)
        fresh = ~taken[found]
        found, count = found[fresh], count[fresh]
        space = max(limit - int(taken.sum()), 0)
        layer = found[np.lexsort((found, -count))[:space]]
        if not len(layer):
            break
        taken[layer] = True
    return np.flatnonzero(taken).astype(np.int32)
