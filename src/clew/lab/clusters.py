"""What a page unlocks: the relevant pages behind it that can be fetched without one more irrelevant page.

One who knows the truth takes a relevant page as soon as there is a link to it: to fetch it earlier never leaves less
found after any number of fetches. So planning is about irrelevant pages alone, and each counts for what it unlocks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import reduce
from graphlib import TopologicalSorter
from operator import or_

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from clew.lab.results import Graph
from clew.model import Ints

FAR = np.iinfo(np.int32).max


class Clusters:
    """By page: the relevant pages that can be reached from it over relevant pages only, the page itself included if it
    is relevant, as bits of an integer (relevant page k, in the order of their numbers, is bit k)."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.bits = np.cumsum(graph.relevant) - 1
        self._parts, self._sets = _closures(graph, np.flatnonzero(graph.relevant))

    def unlocked(self, page: int) -> int:
        """The set of a page, as bits."""
        if self.graph.relevant[page]:
            return self._sets[int(self._parts[self.bits[page]])]
        links = links_of(self.graph, page)
        targets = self.bits[links[self.graph.relevant[links]]]
        return union(self._sets[part] for part in set(self._parts[targets].tolist()))


def union(sets: Iterable[int]) -> int:
    """All bits of some sets."""
    return reduce(or_, sets, 0)


def _closures(graph: Graph, good: npt.NDArray[np.intp]) -> tuple[Ints, list[int]]:
    """The strong component of each relevant page among them, and what can be reached from each component."""
    n = len(graph.relevant)
    links = csr_matrix((np.ones(len(graph.targets), np.int8), graph.targets, graph.starts), (n, n))[good][:, good]
    count, parts = connected_components(links, directed=True, connection="strong")
    sets = [0] * count
    for bit, part in enumerate(parts.tolist()):
        sets[part] |= 1 << bit
    further: dict[int, set[int]] = {part: set() for part in range(count)}
    sources, targets = links.nonzero()
    for source, target in zip(parts[sources].tolist(), parts[targets].tolist(), strict=True):
        if source != target:
            further[source].add(target)
    for part in TopologicalSorter(further).static_order():
        sets[part] |= union(sets[target] for target in further[part])
    return parts, sets


class Distances:
    """By page, how many irrelevant pages at least must be fetched to have it, itself included: ``counts`` int32[n], FAR
    where it cannot be reached; ``before`` int32[n]: the page before it on such a path, −1 for those fetched."""

    def __init__(self, graph: Graph) -> None:
        self.counts = np.full(len(graph.relevant), FAR, np.int32)
        self.before = np.full(len(graph.relevant), -1, np.int32)
        self._cost = (~graph.relevant).tolist()
        self._graph = graph

    def start(self, seeds: Iterable[int]) -> None:
        """Count from seeds that are still to be fetched."""
        seeds = list(dict.fromkeys(seeds))
        for page in seeds:
            self.counts[page] = self._cost[page]
        self._go_on(sorted(seeds, key=lambda page: self._cost[page]))

    def fetched(self, pages: Iterable[int]) -> dict[int, int]:
        """Pages were fetched; gives the counts before of those that are nearer now."""
        new = list(pages)
        for page in new:
            self.counts[page], self.before[page] = 0, -1
        return self._go_on(new)

    def _go_on(self, pages: Iterable[int]) -> dict[int, int]:
        """Breadth-first with links of cost 0 and 1: what costs nothing goes first."""
        counts, before, cost = self.counts, self.before, self._cost
        was: dict[int, int] = {}
        queue = deque((page, int(counts[page])) for page in pages)
        while queue:
            page, count = queue.popleft()
            if count != counts[page]:
                continue
            for target in links_of(self._graph, page).tolist():
                further = count + cost[target]
                if further < counts[target]:
                    was.setdefault(target, int(counts[target]))
                    counts[target], before[target] = further, page
                    (queue.append if cost[target] else queue.appendleft)((target, further))
        return was


def links_of(graph: Graph, page: int) -> Ints:
    """The pages that a page links to."""
    return graph.targets[graph.starts[page] : graph.starts[page + 1]]
