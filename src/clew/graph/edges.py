"""The links that a crawl has seen, as a graph of pages: children, parents (back links), base sets.

Nodes are numbered from 0; ``keys`` says which URL a node is. A link counts once, however often it stands on a page,
and a page's links to itself do not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from clew.model import Ints, Keys

PREDECESSORS = 1_000
Nodes = npt.NDArray[np.int32] | npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LinkGraph:
    """n pages and m links between them.

    keys uint64[n]: URL keys, all different · hosts int32[n]: host index, from 0 · sources, targets int32[m]: links,
    sorted by source, then target, none twice and none from a page to itself (``of_edges`` sees to that).
    ``forward`` and ``backward`` are sparse matrices whose row i holds the children and the parents of node i.
    """

    keys: Keys
    hosts: Ints
    sources: Ints
    targets: Ints
    forward: Any = field(init=False, repr=False)
    backward: Any = field(init=False, repr=False)
    _order: npt.NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        size = len(self.keys)
        starts = np.zeros(size + 1, np.int32)
        np.cumsum(np.bincount(self.sources, minlength=size), out=starts[1:])
        marks = np.ones(len(self.targets), np.bool_)
        forward = csr_array((marks, self.targets, starts), shape=(size, size))
        object.__setattr__(self, "forward", forward)
        object.__setattr__(self, "backward", forward.T.tocsr())
        object.__setattr__(self, "_order", np.argsort(self.keys))

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of_edges(cls, keys: Keys, hosts: Ints, sources: Nodes, targets: Nodes) -> LinkGraph:
        """A graph from links in any order, with repetitions and links of pages to themselves."""
        size = max(len(keys), 1)
        codes = np.asarray(sources, np.int64) * size + targets
        codes = np.sort(codes[np.asarray(sources) != targets])  # many times as fast as np.unique (numpy 2.4)
        codes = codes[np.diff(codes, prepend=-1) > 0]
        return cls(
            np.asarray(keys, np.uint64),
            np.asarray(hosts, np.int32),
            (codes // size).astype(np.int32),
            (codes % size).astype(np.int32),
        )

    @classmethod
    def from_columns(cls, pages: Keys, page_hosts: Ints, starts: Nodes, targets: Keys, target_hosts: Ints) -> LinkGraph:
        """A graph of visited pages and all that they link to.

        pages uint64[v]: keys of visited pages in the order of their visits · page_hosts int[v] ·
        targets uint64[m], target_hosts int[m]: the links of page i are those from ``starts[i]`` to ``starts[i + 1]``.
        Nodes are numbered by first appearance: visited pages come first, in order (node i is pages[i] when none is
        named twice), then the other targets. Raises ValueError when the columns do not fit together.
        """
        if len(starts) != len(pages) + 1 or int(starts[-1]) != len(targets):
            raise ValueError(f"starts must hold {len(pages) + 1} numbers, the last of them {len(targets)}")
        both = np.concatenate([np.asarray(pages, np.uint64), np.asarray(targets, np.uint64)])
        keys, first, inverse = np.unique(both, return_index=True, return_inverse=True)
        order = np.argsort(first)
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        nodes = ranks[inverse]
        hosts = np.concatenate([page_hosts, target_hosts])[first[order]]
        sources = np.repeat(nodes[: len(pages)], np.diff(starts))
        return cls.of_edges(keys[order], hosts.astype(np.int32), sources, nodes[len(pages) :])

    def nodes_of(self, keys: Keys) -> Ints:
        """The nodes of URL keys, -1 where a key is not in the graph: int32[k]."""
        if not len(self):
            return np.full(len(keys), -1, np.int32)
        places = np.searchsorted(self.keys, keys, sorter=self._order)
        found = self._order[np.minimum(places, len(self) - 1)]
        return np.where(self.keys[found] == keys, found, -1).astype(np.int32)

    def children(self, node: int) -> Ints:
        """The nodes that ``node`` links to, ascending."""
        return _row(self.forward, node)

    def parents(self, node: int) -> Ints:
        """The nodes that link to ``node`` (its back links), ascending."""
        return _row(self.backward, node)

    def base_set(
        self,
        members: Nodes,
        rng: np.random.Generator,
        *,
        successors: bool = True,
        predecessors: int = PREDECESSORS,
    ) -> Ints:
        """``members``, all pages they link to, and a random sample of the pages that link to them: ascending.

        ``predecessors`` limits the sample, for all members together; pages that are in the set already do not count.
        """
        kept = np.zeros(len(self), np.bool_)
        kept[members] = True
        nodes = np.flatnonzero(kept)
        if successors:
            kept[self.forward[nodes].indices] = True
        before = np.zeros(len(self), np.bool_)
        before[self.backward[nodes].indices] = True
        found = np.flatnonzero(before & ~kept)
        if len(found) > predecessors:
            found = rng.choice(found, predecessors, replace=False)
        kept[found] = True
        return np.flatnonzero(kept).astype(np.int32)

    def subgraph(self, nodes: Nodes) -> LinkGraph:
        """The graph of ``nodes`` and the links among them. Its node i is ``nodes[i]`` here; no node may come twice."""
        nodes = np.asarray(nodes, np.int32)
        places = np.full(len(self), -1, np.int64)
        places[nodes] = np.arange(len(nodes))
        sources, targets = places[self.sources], places[self.targets]
        inside = (sources >= 0) & (targets >= 0)
        return LinkGraph.of_edges(self.keys[nodes], self.hosts[nodes], sources[inside], targets[inside])


def _row(matrix: Any, node: int) -> Ints:
    return np.asarray(matrix.indices[matrix.indptr[node] : matrix.indptr[node + 1]], np.int32)
