"""What was possible on a task: reference orders over its true link graph, each with what it may know.

The best order is a Steiner problem and NP-hard even for one who knows everything (Gouriten, Maniu and Senellart 2014),
so all of these are named references and none is an upper bound: a crawl may beat each (``bounds`` has a true bound,
``lookahead`` a stronger order). Every order starts with the seeds, in their order, and fetches each page once; a fetch
of a redirect counts like any other. ``*_pages`` give the page numbers in the order of fetching, int32[≤ budget]; the
functions without that ending whether each fetch brought a relevant page.

=================  ============================  =======================================
order              knows of links                knows of relevance
=================  ============================  =======================================
``greedy``         the whole graph               of every page
``one_step``       those on fetched pages        of the pages that they lead to
``look_ahead``     the whole graph               of every page (``lookahead``)
``breadth_first``  those on fetched pages        nothing
``random_order``   those on fetched pages        nothing
=================  ============================  =======================================
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from clew.lab.results import Graph
from clew.model import Bools, Ints


def greedy(graph: Graph, budget: int) -> Bools:
    """Greedy nearest target: bool[≤ budget]. It knows all links and all relevant pages.

    Again and again it walks the shortest path over unfetched pages from anything fetched to the nearest relevant page
    that is left, and fetches the pages on the way. Of targets as near as each other it takes the lowest page number,
    and so for the page before it on the path. It ends when no relevant page is left that it can reach.
    """
    return graph.relevant[greedy_pages(graph, budget)]


def one_step(graph: Graph, budget: int) -> Bools:
    """Perfect one-step sight: bool[≤ budget]. It knows of each link on a fetched page whether it leads to a relevant
    page, and nothing beyond. It is no bound: who foresees what lies behind irrelevant pages can find more.

    It takes the relevant page that has waited longest. If none waits, it takes irrelevant ones: in turns by what others
    of the same source led to, and the one that has waited longest. A source is a page that links were first seen on,
    with f irrelevant pages fetched from it that showed r new relevant pages; the best has the highest
    (r + m) / (f + 1), m being the mean of new relevant pages for each irrelevant page fetched so far (of equals the
    first fetched).
    """
    return graph.relevant[one_step_pages(graph, budget)]


def breadth_first(graph: Graph, budget: int) -> Bools:
    """Pages in the order in which links to them were first seen: bool[≤ budget]. It knows nothing of relevance."""
    return graph.relevant[breadth_first_pages(graph, budget)]


def random_order(graph: Graph, budget: int, seed: int) -> Bools:
    """Any waiting page with equal chances, after the seeds: bool[≤ budget]. It knows nothing of relevance."""
    return graph.relevant[random_pages(graph, budget, seed)]


def reachable(graph: Graph) -> int:
    """How many relevant pages can be reached from the seeds over links."""
    return int(graph.relevant[breadth_first_pages(graph, len(graph.relevant))].sum())


def greedy_pages(graph: Graph, budget: int) -> Ints:
    """The order of ``greedy``."""
    search = _Search(graph)
    order = _seeds(graph, budget)
    for page in order:
        search.fetch(page)
    while len(order) < budget and (path := search.path()):
        for page in path[: budget - len(order)]:
            search.fetch(page)
            order.append(page)
    return np.array(order, np.int32)


def one_step_pages(graph: Graph, budget: int) -> Ints:
    """The order of ``one_step``."""
    sight = _Sight(graph)
    return _crawl(graph, budget, sight.waiting, sight.following())


def breadth_first_pages(graph: Graph, budget: int) -> Ints:
    """The order of ``breadth_first``."""
    queue: deque[int] = deque()

    def following() -> Iterator[int]:
        while queue:
            yield queue.popleft()

    return _crawl(graph, budget, queue.extend, following())


def random_pages(graph: Graph, budget: int, seed: int) -> Ints:
    """The order of ``random_order``."""
    rng = np.random.default_rng([seed, 0x0DDE])
    pool: list[int] = []

    def following() -> Iterator[int]:
        while pool:
            place = int(rng.random() * len(pool))
            pool[place], pool[-1] = pool[-1], pool[place]
            yield pool.pop()

    return _crawl(graph, budget, pool.extend, following())


class _Sight:
    """What one-step sight knows: relevant pages that wait, irrelevant ones by source, and what each source led to."""

    def __init__(self, graph: Graph) -> None:
        self._relevant = graph.relevant.tolist()
        self._good: deque[int] = deque()
        self._poor: list[deque[int]] = []  # by source, in the order of fetching
        self._new = np.zeros(64)  # r, f by source
        self._fetched = np.zeros(64)
        self._at = -1  # source of the irrelevant page that was taken last; −1 for none
        self._emptied = 0  # sources before this one have no page left
        self._turns = 0

    def waiting(self, found: list[int]) -> None:
        """A fetch made pages known: it is a source now, and counts for its own."""
        good = [page for page in found if self._relevant[page]]
        if self._at >= 0:
            self._new[self._at] += len(good)
            self._fetched[self._at] += 1
        self._good += good
        self._poor.append(deque(page for page in found if not self._relevant[page]))
        if len(self._poor) > len(self._new):
            self._new, self._fetched = (np.pad(row, (0, len(row))) for row in (self._new, self._fetched))

    def following(self) -> Iterator[int]:
        """The pages to fetch."""
        while True:
            self._at = -1 if self._good else self._source()
            if self._good:
                yield self._good.popleft()
            elif self._at >= 0:
                yield self._poor[self._at].popleft()
            else:
                return

    def _source(self) -> int:
        """Where the next irrelevant page is taken from, in turns; −1 when none waits."""
        self._turns += 1
        if self._turns % 2:
            return self._best()
        while self._emptied < len(self._poor) and not self._poor[self._emptied]:
            self._emptied += 1
        return self._emptied if self._emptied < len(self._poor) else -1

    def _best(self) -> int:
        """The source whose irrelevant pages promise most; −1 when none waits."""
        n = len(self._poor)
        new, fetched = self._new[:n], self._fetched[:n]
        mean = new.sum() / max(fetched.sum(), 1.0)
        promise = np.where([len(row) > 0 for row in self._poor], (new + mean) / (fetched + 1.0), -1.0)
        best = int(promise.argmax()) if n else -1
        return best if best >= 0 and self._poor[best] else -1


def _crawl(graph: Graph, budget: int, waiting: Callable[[list[int]], None], following: Iterator[int]) -> Ints:
    """Fetch the seeds, then what ``following`` says. ``waiting`` is told the pages that each fetch made known."""
    known = set(_seeds(graph, len(graph.relevant)))
    order: list[int] = []

    def fetch(page: int) -> None:
        order.append(page)
        new = [target for target in _links(graph, page).tolist() if target not in known]
        known.update(new)
        waiting(new)

    for page in _seeds(graph, budget):
        fetch(page)
    while len(order) < budget and (page := next(following, -1)) >= 0:
        fetch(page)
    return np.array(order, np.int32)


def _seeds(graph: Graph, budget: int) -> list[int]:
    """The seeds, each once, as far as the budget goes."""
    return list(dict.fromkeys(graph.seeds.tolist()))[: max(budget, 0)]


def _links(graph: Graph, page: int) -> Ints:
    return graph.targets[graph.starts[page] : graph.starts[page + 1]]


class _Search:
    """The fetched pages, what waits around them, and the shortest path to the nearest target.

    Targets that wait are at hand in a heap, and so are those one link further. When there are none, a breadth-first
    search from the pages that wait goes on until the first level with a target in it.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.fetched = np.zeros(len(graph.relevant), np.bool_)
        self.waits = np.zeros(len(graph.relevant), np.bool_)
        self.near: list[int] = []
        self.next: list[int] = []
        self.order = np.argsort(graph.targets, kind="stable")  # links by target: for the way back
        self.ends = np.searchsorted(graph.targets[self.order], np.arange(len(graph.relevant) + 1))

    def fetch(self, page: int) -> None:
        """Take a page from those that wait, and let its links wait."""
        self.fetched[page], self.waits[page] = True, False
        links = _links(self.graph, page)
        new = links[~(self.fetched[links] | self.waits[links])]
        self.waits[new] = True
        for target in new[self.graph.relevant[new]].tolist():
            heappush(self.near, target)
        further = self._targets(new)
        for target in further[self.graph.relevant[further]].tolist():
            if not (self.fetched[target] or self.waits[target]):
                heappush(self.next, target)

    def path(self) -> list[int]:
        """The unfetched pages up to the nearest target, which is the last; empty if none can be reached."""
        while self.near:
            if self.waits[page := heappop(self.near)]:
                return [page]
        while self.next:
            page = heappop(self.next)
            if not (self.fetched[page] or self.waits[page]):
                return [self._before(page, self.waits), page]
        seen = self.fetched | self.waits
        levels = [self.waits]
        while len(pages := np.flatnonzero(levels[-1])):
            level = np.zeros(len(seen), np.bool_)
            level[self._targets(pages)] = True
            level &= ~seen
            if len(found := np.flatnonzero(level & self.graph.relevant)):
                return self._back(levels, int(found[0]))
            seen |= level
            levels.append(level)
        return []

    def _targets(self, pages: npt.NDArray[np.intp] | Ints) -> Ints:
        """Where all links of several pages lead, page by page."""
        starts, counts = self.graph.starts[pages], self.graph.starts[pages + 1] - self.graph.starts[pages]
        places = np.arange(counts.sum()) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        targets: Ints = self.graph.targets[places]
        return targets

    def _back(self, levels: list[Bools], target: int) -> list[int]:
        """The path to a page one link beyond the last level, from a page of the first."""
        path = [target]
        for level in reversed(levels):
            path.append(self._before(path[-1], level))
        return path[::-1]

    def _before(self, page: int, level: Bools) -> int:
        """The lowest page of a level that links to a page."""
        links = self.order[self.ends[page] : self.ends[page + 1]]
        above = np.searchsorted(self.graph.starts, links, side="right") - 1
        return int(above[level[above]].min())
