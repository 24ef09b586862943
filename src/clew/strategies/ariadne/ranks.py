"""Indirect relevance as criteria (Ester and others 2001 sections 3.2 and 6): the hub rank of the page on which a link
stands, and the authority rank of the page to which it leads.

Between sessions hubs are computed (graph/hits.py) on the links to relevant pages, since a page with many links to
anything is no hub of the interest; and from the hubs the authorities, over all links seen:

    x_q = Σ_{(p,q)∈E, q relevant} y_p        y_p = Σ_{(p,q)∈E, q relevant} x_q        x_v = Σ_{(p,v)∈E} y_p for all v

Weights fall off too steeply to be multiplied with other criteria, so the rank counts: the share of the pages with a
weight above 0 that have no greater one; without a weight 0. A page that was visited since then has no rank yet, and
neither have pages to which only such ones link: they are worth ``neutral``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph.edges import LinkGraph
from clew.graph.hits import hits, matrices
from clew.model import Doubles, Floats, Keys, LinkBatch
from clew.strategies.base import Pages, View
from clew.urls.canonical import key

MOST = 100_000
"""Pages with a rank of either kind, at most: the best."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Keys uint64 in ascending order and ranks float32 of hubs and of authorities; ``last``: the last visit that was
    looked at."""

    hub_keys: Keys
    hub_ranks: Floats
    authority_keys: Keys
    authority_ranks: Floats
    last: int = 0

    @classmethod
    def none(cls) -> Ranks:
        """Before the first session."""
        nothing, no_ranks = np.empty(0, np.uint64), np.empty(0, np.float32)
        return cls(nothing, no_ranks, nothing, no_ranks)

    @classmethod
    def of(cls, graph: LinkGraph, pages: Pages) -> Ranks:
        """Of the pages visited and all they link to; node i of ``graph`` is page i."""
        relevant = np.zeros(len(graph), np.bool_)
        relevant[: len(pages)] = pages.relevant
        wanted = relevant[graph.targets]
        part = LinkGraph.of_edges(graph.keys, graph.hosts, graph.sources[wanted], graph.targets[wanted])
        for apart in (True, False):  # on a web of one host, links within a host are all there are
            hubs = hits(part, across_hosts=apart, host_weights=apart).hubs
            if hubs.any():
                break
        to_authorities, _ = matrices(graph, across_hosts=apart, host_weights=apart)
        last = int(pages.numbers.max(initial=0))
        return cls(*_ranked(graph.keys, hubs), *_ranked(graph.keys, to_authorities @ hubs), last)

    def hub(self, links: LinkBatch, neutral: float) -> Doubles:
        """float64[1]: the rank of the page on which links stand; ``neutral`` of one visited later."""
        page = np.array([key(links.source.url)], np.uint64)
        return _looked_up(self.hub_keys, self.hub_ranks, page, self._missing(links, neutral))

    def authority(self, links: LinkBatch, neutral: float) -> Doubles:
        """float64[n]: the rank of the pages to which links lead; ``neutral`` of those that only later pages link to."""
        missing = self._missing(links, neutral)
        return _looked_up(self.authority_keys, self.authority_ranks, links.links.keys, missing)

    def _missing(self, links: LinkBatch, neutral: float) -> float:
        return neutral if links.source.visit > self.last else 0.0

    def packed(self) -> list[bytes]:
        columns = (self.hub_keys, self.hub_ranks, self.authority_keys, self.authority_ranks)
        return [*(column.tobytes() for column in columns), str(self.last).encode()]

    @classmethod
    def unpacked(cls, packed: Sequence[bytes]) -> Ranks:
        hub_keys, authority_keys = (np.frombuffer(packed[place], np.uint64) for place in (0, 2))
        hub_ranks, authority_ranks = (np.frombuffer(packed[place], np.float32) for place in (1, 3))
        return cls(hub_keys, hub_ranks, authority_keys, authority_ranks, int(packed[4]))


def visited_graph(view: View, pages: Pages, *, inside: bool) -> LinkGraph:
    """The pages visited, node i the i-th of ``pages``, and their links: those among them (``inside``), or all."""
    places = {number: place for place, number in enumerate(pages.numbers.tolist())}
    keys: list[Keys] = [np.empty(0, np.uint64)] * len(pages)
    hosts = [np.empty(0, np.uint32)] * len(pages)
    for number, targets, names in view.link_rows():
        if (place := places.get(number)) is not None:
            wanted = np.isin(targets, pages.keys) if inside else np.ones(len(targets), np.bool_)
            keys[place], hosts[place] = targets[wanted], names[wanted]
    starts = np.cumsum([0, *map(len, keys)])
    found = np.concatenate([np.empty(0, np.uint64), *keys])
    names = np.concatenate([np.empty(0, np.uint32), *hosts])
    return LinkGraph.from_columns(pages.keys, pages.hosts.astype(np.int64), starts, found, names.astype(np.int64))


def _ranked(keys: Keys, weights: Doubles) -> tuple[Keys, Floats]:
    """The pages of weights above 0, and their ranks."""
    nodes = np.flatnonzero(weights > 0)
    found = weights[nodes]
    ranks = np.searchsorted(np.sort(found), found, "right") / max(len(found), 1)
    kept = np.argsort(-found, kind="stable")[:MOST]
    kept = kept[np.argsort(keys[nodes[kept]])]
    return keys[nodes[kept]], ranks[kept].astype(np.float32)


def _looked_up(keys: Keys, ranks: Floats, wanted: Keys, missing: float) -> Doubles:
    if not len(keys):
        return np.full(len(wanted), missing)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, ranks[place], missing).astype(np.float64)
