"""Context graphs: who leads to a target in how many steps (section 3.1 of Diligenti and others 2000).

A graph belongs to one target, its layer 0. Layer i + 1 are the pages that link to pages of layer i, without those of
smaller layers of the graph. A page that links to two pages of layer i stands in layer i + 1 twice, so
a layer is a bag of nodes: here, for each URL, the graphs in whose layer it stands, as often as it stands there. The
merged graph has the layers of all graphs together.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

Layer = dict[str, list[int]]
"""URL -> the numbers of the graphs in whose layer it stands, once a node."""

Ask = Callable[[str], Awaitable[Sequence[str]]]
"""Who links to a URL."""


@dataclass(slots=True)
class Graphs:
    """The merged graph: ``layers[i]`` is layer i; ``count``, how many graphs there are."""

    depth: int
    layers: list[Layer] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.layers += [{} for _ in range(self.depth + 1 - len(self.layers))]

    async def grow(
        self, targets: Iterable[str], ask: Ask, rng: np.random.Generator, layer_cap: int, merged_cap: int = 0
    ) -> list[str]:
        """Add the graphs of new targets; returns the pages of layers 1 and up that no layer had before.

        A layer of a graph keeps ``layer_cap`` nodes and all graphs together ``merged_cap`` new pages a layer (0: all),
        drawn at random.
        """
        known = set().union(*self.layers)
        front: Layer = {}
        for url in dict.fromkeys(targets):
            if url not in self.layers[0]:
                front[url] = [self.count]
                self.count += 1
        smaller = {graph: {url} for url, graphs in front.items() for graph in graphs}
        _merge(self.layers[0], front)
        fresh: list[str] = []
        for depth in range(1, self.depth + 1):
            front = _sampled(await _parents(front, smaller, ask), rng, layer_cap, merged_cap)
            for url, graphs in front.items():
                for graph in graphs:
                    smaller[graph].add(url)
            _merge(self.layers[depth], front)
            fresh += front
        return [url for url in dict.fromkeys(fresh) if url not in known and url not in self.layers[0]]

    def places(self, allow_conflict: bool = False) -> dict[str, dict[int, int]]:
        """URL -> layer -> nodes. Where graphs disagree the nearest layer counts, or all of them."""
        found: dict[str, dict[int, int]] = {}
        for number, layer in enumerate(self.layers):
            for url, graphs in layer.items():
                if allow_conflict or url not in found:
                    found.setdefault(url, {})[number] = len(graphs)
        return found


async def _parents(front: Layer, smaller: Mapping[int, set[str]], ask: Ask) -> Layer:
    """The next layer: one node for each link to a node of the last."""
    found: Layer = {}
    for url, graphs in front.items():
        for parent in await ask(url):
            for graph in graphs:
                if parent not in smaller[graph]:
                    found.setdefault(parent, []).append(graph)
    return found


def _sampled(layer: Layer, rng: np.random.Generator, layer_cap: int, merged_cap: int) -> Layer:
    """At most ``layer_cap`` nodes a graph, then at most ``merged_cap`` pages; what stays keeps its order."""
    nodes = [(url, graph) for url, graphs in layer.items() for graph in graphs]
    numbers = np.array([graph for _, graph in nodes], np.int64)
    kept = np.ones(len(nodes), np.bool_)
    for graph in np.unique(numbers).tolist():
        own = np.flatnonzero(numbers == graph)
        if len(own) > layer_cap:
            kept[own] = False
            kept[rng.choice(own, layer_cap, replace=False)] = True
    found: Layer = {}
    for (url, graph), stays in zip(nodes, kept.tolist(), strict=True):
        if stays:
            found.setdefault(url, []).append(graph)
    if 0 < merged_cap < len(found):
        urls = list(found)
        chosen = np.sort(rng.choice(len(urls), merged_cap, replace=False)).tolist()
        found = {urls[place]: found[urls[place]] for place in chosen}
    return found


def _merge(layer: Layer, more: Layer) -> None:
    for url, graphs in more.items():
        layer.setdefault(url, []).extend(graphs)
