"""Hubs and archetypes of a topic (Sizov and others 2002): link analysis, and which pages may train the judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import ceil

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
BY_USER = "refused by the user"
TOO_MANY = "more than a round may add"
NO_LONGER = "no longer classified into the topic"


@dataclass(frozen=True, slots=True)
class Ranked:
    """Visit numbers, best first, of a topic's top ``hubs`` and of all its ``authorities``; 0 for one not visited."""

    hubs: tuple[int, ...] = ()
    authorities: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Visit numbers: ``kept`` of the archetypes before; admitted now, ``by_links`` as authorities and ``by_judge`` as
    the surest pages; ``refused`` by reason. ``bar``: the confidence that an archetype had to exceed."""

    kept: tuple[int, ...]
    by_links: tuple[int, ...]
    by_judge: tuple[int, ...]
    bar: float
    refused: dict[str, list[int]] = field(default_factory=dict)

    @property
    def admitted(self) -> tuple[int, ...]:
        return self.by_links + self.by_judge

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


def most_hubs(pages: int, topics: int, settings: BingoSettings) -> int:
    """Hubs of one topic, at most: all ``topics`` together have no more than a share of the pages read."""
    return min(settings.hubs, ceil(settings.hub_share * pages / topics))


def ranked(
    graph: LinkGraph, pages: Pages, members: Bools, rng: np.random.Generator, settings: BingoSettings, topics: int = 1
) -> Ranked:
    """Hubs and authorities around the pages of one of ``topics`` topics, ``members`` bool[pages]."""
    nodes = graph.nodes_of(pages.keys[members])
    base = graph.base_set(nodes, rng, predecessors=settings.predecessors)
    part = graph.subgraph(base)
    found = _analysed(part, settings, settings.across_hosts, settings.host_weights)
    if settings.across_hosts and not found.authorities.any():  # a web of one host, where one vote a host says nothing
        found = _analysed(part, settings, across_hosts=False, host_weights=False)
    numbers = dict(zip(pages.keys.tolist(), pages.numbers.tolist(), strict=True))

    def visits(top: Ints) -> tuple[int, ...]:
        return tuple(numbers.get(key, 0) for key in part.keys[top].tolist())

    hubs = found.top_hubs(most_hubs(len(pages), topics, settings))
    return Ranked(visits(hubs), visits(found.top_authorities(len(part))))


def _analysed(graph: LinkGraph, settings: BingoSettings, across_hosts: bool, host_weights: bool) -> Hits:
    return hits(graph, iterations=settings.iterations, across_hosts=across_hosts, host_weights=host_weights)


def bar(confidences: Sequence[float], settings: BingoSettings) -> float:
    """What an archetype's confidence must exceed, given those of the topic's training pages."""
    if settings.drift_guard == "off" or not len(confidences):
        return -np.inf
    return float(np.min(confidences) if settings.drift_guard == "least" else np.mean(confidences))


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The pages classified into a topic, as columns: ``numbers`` int64[n] of visits, ``confidence`` float64[n] of a
    judge that was not trained on them, ``examples`` bool[n]: pages that are examples or labelled, ``barred`` bool[n]:
    pages that the user wants no archetypes made of."""

    numbers: npt.NDArray[np.int64]
    confidence: Doubles
    examples: Bools
    barred: Bools

    def surest(self) -> list[int]:
        order = np.argsort(-self.confidence, kind="stable")
        return self.numbers[order].tolist()  # type: ignore[no-any-return]


def choose(
    found: Candidates, authorities: Sequence[int], previous: Sequence[int], least: float, settings: BingoSettings
) -> Choice:
    """The archetypes of a topic. Candidates are the N_auth best ``authorities`` and the N_conf surest pages, of those
    that may be one: of the topic, neither trained on nor kept already, surer than ``least``. ``dealt`` admits some."""
    rows = {number: place for place, number in enumerate(found.numbers.tolist())}
    before = () if settings.archetypes == "replace" else tuple(previous)
    kept = tuple(number for number in before if number in rows and not found.barred[rows[number]])
    taken, seen = set(kept), dict[int, str]()
    unvisited: list[int] = []

    def allowed(ranking: Iterable[int]) -> Iterator[int]:
        """Those of a ranking that may be archetypes; notes why others may not."""
        for number in ranking:
            if not number:
                unvisited.append(number)
            elif number not in taken and not seen.setdefault(number, _reason(number, rows, found, least)):
                yield number

    by_links = list(islice(allowed(authorities), settings.authorities))
    by_judge = list(islice(allowed(found.surest()), settings.confident))
    links, judge = dealt(by_links, by_judge, settings)
    refused = {NOT_VISITED: unvisited}
    seen |= {number: BY_USER for number in before if number in rows and number not in taken}
    for reason in (NOT_OF_TOPIC, BY_USER, TRAINED_ON, NOT_SURER):
        refused[reason] = [number for number, why in seen.items() if why == reason]
    refused[NO_LONGER] = [number for number in before if number not in rows]
    refused[TOO_MANY] = [number for number in dict.fromkeys(by_links + by_judge) if number not in {*links, *judge}]
    return Choice(kept, links, judge, least, {reason: numbers for reason, numbers in refused.items() if numbers})


def dealt(
    by_links: Sequence[int], by_judge: Sequence[int], settings: BingoSettings
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The archetypes of one round, best first of each source: ``authority_share`` of them authorities and the rest the
    surest. A page that is both counts as an authority; where one source has too few, the other fills up."""
    most = min((size for size in (settings.authorities, settings.confident) if size), default=0)
    share = round(settings.authority_share * most)
    links = list(by_links[:share])
    judge = [number for number in by_judge if number not in set(links)][: most - len(links)]
    rest = (number for number in by_links[share:] if number not in set(judge))
    return (*links, *islice(rest, most - len(links) - len(judge))), tuple(judge)


def _reason(number: int, rows: dict[int, int], found: Candidates, least: float) -> str:
    """Why a visited page may not be an archetype; "" when it may."""
    if number not in rows:
        return NOT_OF_TOPIC
    if found.barred[rows[number]]:
        return BY_USER
    if found.examples[rows[number]]:
        return TRAINED_ON
    return "" if found.confidence[rows[number]] > least else NOT_SURER
