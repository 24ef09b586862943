"""Hubs and authorities (Kleinberg's HITS) as BINGO! computes them (Sizov and others 2002).

    x_p = Σ_{(q,p)∈E} w_a(q,p) · y_q        y_p = Σ_{(p,q)∈E} w_h(p,q) · x_q

=========  ==========================================================================
symbol     name
=========  ==========================================================================
x, y       ``authorities``, ``hubs``
E          links of the base set, those between pages of one host left out
w_a(q,p)   1/k when k pages of q's host link to p (Bharat and Henzinger 1998)
w_h(p,q)   1/l when p links to l pages of q's host
=========  ==========================================================================

Both vectors start uniform. An iteration computes x from y, then y from the new x, and divides each by its Euclidean
length. 30 iterations, without a test of convergence. Without host weights w_a = w_h = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from clew.graph.edges import LinkGraph
from clew.model import Doubles, Ints

ITERATIONS = 30
AUTHORITIES = 50
HUBS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """``authorities`` and ``hubs`` float64[n], each of Euclidean length 1 (all 0 when no link counts)."""

    authorities: Doubles
    hubs: Doubles

    def top_authorities(self, limit: int = AUTHORITIES) -> Ints:
        """The best authorities, best first; at most ``limit`` nodes, none of weight 0, the lower node first of two
        that are equal."""
        return _top(self.authorities, limit)

    def top_hubs(self, limit: int = HUBS) -> Ints:
        """The best hubs, as ``top_authorities``."""
        return _top(self.hubs, limit)


def hits(
    graph: LinkGraph, *, iterations: int = ITERATIONS, across_hosts: bool = True, host_weights: bool = True
) -> Hits:
    """Authority and hub weights of all pages of ``graph``.

    across_hosts: leave out links between pages of one host · host_weights: weigh links as Bharat and Henzinger do.
    """
    to_authorities, to_hubs = matrices(graph, across_hosts=across_hosts, host_weights=host_weights)
    start = 1 / np.sqrt(max(len(graph), 1))
    authorities, hubs = np.full(len(graph), start), np.full(len(graph), start)
    for _ in range(iterations):
        authorities = _unit(to_authorities @ hubs)
        hubs = _unit(to_hubs @ authorities)
    return Hits(authorities, hubs)


def matrices(graph: LinkGraph, *, across_hosts: bool = True, host_weights: bool = True) -> tuple[Any, Any]:
    """The sparse n x n matrices M_a, M_h of x = M_a·y and y = M_h·x."""
    sources, targets, size = graph.sources, graph.targets, len(graph)
    if across_hosts:
        kept = graph.hosts[sources] != graph.hosts[targets]
        sources, targets = sources[kept], targets[kept]
    authority = hub = np.ones(len(sources))
    if host_weights:
        authority = _shares(graph.hosts[sources], targets, size)
        hub = _shares(graph.hosts[targets], sources, size)
    shape = (size, size)
    return csr_array((authority, (targets, sources)), shape=shape), csr_array((hub, (sources, targets)), shape=shape)


def _shares(hosts: Ints, pages: Ints, size: int) -> Doubles:
    """float64[m]: one over the number of links that have the same host and page."""
    pairs = hosts.astype(np.int64) * size + pages
    order = np.argsort(pairs, kind="stable")
    starts = np.flatnonzero(np.diff(pairs[order], prepend=-1))
    counts = np.diff(starts, append=len(pairs))
    shares = np.empty(len(pairs))
    shares[order] = np.repeat(1.0 / counts, counts)
    return shares


def _unit(vector: npt.NDArray[np.float64]) -> Doubles:
    length = float(np.sqrt(np.square(vector).sum()))  # BLAS would wake all its threads for this
    return vector / length if length > 0 else vector


def _top(weights: Doubles, limit: int) -> Ints:
    order = np.argsort(-weights, kind="stable")[:limit]
    return order[weights[order] > 0].astype(np.int32)
