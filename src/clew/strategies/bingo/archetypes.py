"""Hubs and archetypes of a topic (Sizov and others 2002): link analysis, and which pages may train the judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from clew.graph.edges import LinkGraph
from clew.graph.hits import Hits, hits
from clew.model import Bools, Doubles, Ints, Keys
from clew.strategies.base import Pages
from clew.strategies.bingo.settings import BingoSettings

NOT_VISITED = "not visited"
NOT_OF_TOPIC = "not classified into the topic"
TRAINED_ON = "an example already"
NOT_SURER = "not surer than the training pages"
TOO_MANY = "more than a round may add"
NO_LONGER = "no longer classified into the topic"


@dataclass(frozen=True, slots=True)
class Ranked:
    """Visit numbers, best first, of a topic's top ``hubs`` and ``authorities``; 0 for an authority not visited."""

    hubs: tuple[int, ...] = ()
    authorities: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Visit numbers: ``kept`` of the archetypes before, ``admitted`` now, ``refused`` by reason. ``bar``: the
    confidence that an archetype had to exceed."""

    kept: tuple[int, ...]
    admitted: tuple[int, ...]
    bar: float
    refused: dict[str, list[int]] = field(default_factory=dict)

    @property
    def archetypes(self) -> tuple[int, ...]:
        return self.kept + self.admitted


def graph_of(pages: Pages, rows: Iterable[tuple[int, Keys, npt.NDArray[np.uint32]]]) -> LinkGraph:
    """The pages that were judged and all that they link to; node i is page i. Links of redirects are left out."""
    places = {number: place for place, number in enumerate(pages.numbers.tolist())}
    links: list[Keys] = [np.empty(0, np.uint64)] * len(pages)
    hosts: list[npt.NDArray[np.uint32]] = [np.empty(0, np.uint32)] * len(pages)
    for number, keys, names in rows:
        if number in places:
            links[places[number]], hosts[places[number]] = keys, names
    starts = np.zeros(len(pages) + 1, np.int64)
    np.cumsum([len(row) for row in links], out=starts[1:])
    targets = np.concatenate([np.empty(0, np.uint64), *links])
    target_hosts = np.concatenate([np.empty(0, np.uint32), *hosts]).astype(np.int32)
    return LinkGraph.from_columns(pages.keys, pages.hosts.astype(np.int32), starts, targets, target_hosts)


def ranked(graph: LinkGraph, pages: Pages, members: Bools, rng: np.random.Generator, settings: BingoSettings) -> Ranked:
    """Hubs and authorities around the pages of a topic, ``members`` bool[pages]."""
    nodes = graph.nodes_of(pages.keys[members])
    base = graph.base_set(nodes, rng, predecessors=settings.predecessors)
    part = graph.subgraph(base)
    found = _analysed(part, settings, settings.across_hosts, settings.host_weights)
    if settings.across_hosts and not found.authorities.any():  # a web of one host, where one vote a host says nothing
        found = _analysed(part, settings, across_hosts=False, host_weights=False)
    numbers = dict(zip(pages.keys.tolist(), pages.numbers.tolist(), strict=True))

    def visits(top: Ints) -> tuple[int, ...]:
        return tuple(numbers.get(key, 0) for key in part.keys[top].tolist())

    return Ranked(
        tuple(number for number in visits(found.top_hubs(settings.hubs)) if number),
        visits(found.top_authorities(settings.authorities)),
    )


def _analysed(graph: LinkGraph, settings: BingoSettings, across_hosts: bool, host_weights: bool) -> Hits:
    return hits(graph, iterations=settings.iterations, across_hosts=across_hosts, host_weights=host_weights)


def bar(confidences: Sequence[float], settings: BingoSettings) -> float:
    """What an archetype's confidence must exceed, given those of the topic's training pages."""
    if settings.drift_guard == "off" or not len(confidences):
        return -np.inf
    return float(np.min(confidences) if settings.drift_guard == "least" else np.mean(confidences))


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The pages classified into a topic, as columns: ``numbers`` int64[n] of visits, ``confidence`` float64[n],
    ``examples`` bool[n]: pages that are examples."""

    numbers: npt.NDArray[np.int64]
    confidence: Doubles
    examples: Bools

    def surest(self, limit: int) -> list[int]:
        order = np.argsort(-self.confidence, kind="stable")[:limit]
        return self.numbers[order].tolist()  # type: ignore[no-any-return]


def choose(
    found: Candidates, authorities: Sequence[int], previous: Sequence[int], least: float, settings: BingoSettings
) -> Choice:
    """The archetypes of a topic: authorities and its surest pages that are surer than ``least``, the surest first, and
    in one round at most min{N_auth, N_conf}."""
    rows = {number: place for place, number in enumerate(found.numbers.tolist())}
    before = () if settings.archetypes == "replace" else tuple(previous)
    kept = tuple(number for number in before if number in rows)
    refused: dict[str, list[int]] = {}
    fit = []
    for number in dict.fromkeys([*authorities, *found.surest(settings.confident)]):
        reason = _reason(number, rows, found, least)
        if reason:
            refused.setdefault(reason, []).append(number)
        elif number not in kept:
            fit.append(number)
    fit.sort(key=lambda number: (-found.confidence[rows[number]], number))
    most = min(size for size in (settings.authorities, settings.confident) if size) if fit else 0
    lost = {NO_LONGER: [number for number in before if number not in rows], TOO_MANY: fit[most:]}
    refused |= {reason: numbers for reason, numbers in lost.items() if numbers}
    return Choice(kept, tuple(fit[:most]), least, refused)


def _reason(number: int, rows: dict[int, int], found: Candidates, least: float) -> str:
    """Why a page may not be an archetype; "" when it may."""
    if not number:
        return NOT_VISITED
    if number not in rows:
        return NOT_OF_TOPIC
    if found.examples[rows[number]]:
        return TRAINED_ON
    return "" if found.confidence[rows[number]] > least else NOT_SURER
