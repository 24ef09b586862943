"""The pages around a visited one, by links: those that lead there, those it leads to; and the hubs and authorities of a
topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.errors import StoreError
from clew.graph.edges import LinkGraph
from clew.graph.hits import hits
from clew.model import Ints
from clew.project.finding import topics_below
from clew.project.folder import ProjectFolder
from clew.store.base import Store
from clew.store.records import LinkRow, Selection, VisitRow

SHOWN = 50
"""Neighbours of a page in one direction, at most."""

LOOKED_UP = 2_000
"""Links of a page that are looked up among the visits."""

MEMBERS = 3_000
"""Pages of a topic, the best, whose links are looked at for hubs and authorities."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page beside another; ``number`` 0 and no relevance where it was not visited, ``relevance`` None where it was
    not judged. ``anchor``: what the link reads."""

    url: str
    number: int = 0
    title: str = ""
    relevance: float | None = None
    relevant: bool = False
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page: visited pages that they lead to, best first; how many ``visited`` ones there are in all, and
    how many ``waiting`` links that were not followed."""

    pages: tuple[Neighbour, ...] = ()
    visited: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hub or authority. ``weight``: relative to the best, which has 1; ``links``: of the pages looked at so many link
    to an authority; a hub links to so many."""

    page: Neighbour
    weight: float
    links: int


@dataclass(frozen=True, slots=True)
class Rankings:
    """The ``authorities`` and ``hubs`` of a topic, best first, by the links of its ``looked_at`` best of ``pages``
    pages."""

    authorities: tuple[Ranked, ...]
    hubs: tuple[Ranked, ...]
    looked_at: int
    pages: int


def leads_to(store: Store, number: int) -> Links:
    """Where the links of a visit lead."""
    try:
        links = store.links.batch(number)
    except StoreError:  # no page, or one whose links are not to be followed
        return Links()
    found: dict[int, Neighbour] = {}
    for index, key in enumerate(links.links.keys[:LOOKED_UP].tolist()):
        row = store.visits.by_key(key) if key not in found else None
        if row is not None and row.number != number:
            found[key] = _neighbour(row, links.anchor_text(index))
    best = sorted(found.values(), key=lambda one: (-(one.relevance or 0.0), one.number))
    return Links(tuple(best[:SHOWN]), len(found), len(set(links.links.keys.tolist())) - len(found))


def linked_from(store: Store, key: int, most: int = SHOWN) -> tuple[tuple[Neighbour, ...], bool]:
    """Visited pages that link to a URL, the first ``most`` found, and whether there are more. Looks through the
    links of all pages: seconds for a million pages where few link there."""
    places = list(store.links.find(key, most + 1))
    first: dict[int, int] = {}
    for row, index, _ in places:
        first.setdefault(row, index)
    rows = {row.number: row for row in store.visits.many([row for row in first if row > 0])}
    found = [
        _neighbour(rows[row], store.links.batch(row).anchor_text(index))
        for row, index in list(first.items())[:most]
        if row in rows
    ]
    return tuple(found), len(first) > most


def rankings(project: ProjectFolder, store: Store, topic: str = "", most: int = 10) -> Rankings:
    """Hubs and authorities (Kleinberg's HITS, links weighed by hosts) among the best relevant pages of a topic and what
    they link to; of all topics where none is named. Raises InputError for a topic that there is not."""
    topics = topics_below(project.interest.topics, topic) if topic.strip() else None
    which = Selection(True, topics)
    members = list(store.visits.many(store.visits.listed(which, limit=MEMBERS)))
    links = {row[0]: row for row in store.links.some([one.number for one in members])}
    graph = _graph(store, members, links)
    found = hits(graph)
    to_authority, from_hub = np.diff(graph.backward.indptr), np.diff(graph.forward.indptr)
    return Rankings(
        _ranked(store, graph, members, found.top_authorities(most), found.authorities, to_authority),
        _ranked(store, graph, members, found.top_hubs(most), found.hubs, from_hub),
        len(members),
        store.visits.count(which),
    )


def _graph(store: Store, members: Sequence[VisitRow], links: dict[int, LinkRow]) -> LinkGraph:
    none = np.empty(0, np.uint64), np.empty(0, np.uint32)
    rows = [links[one.number][1:3] if one.number in links else none for one in members]
    starts = np.zeros(len(members) + 1, np.int64)
    np.cumsum([len(keys) for keys, _ in rows], out=starts[1:])
    targets = np.concatenate([none[0], *(keys for keys, _ in rows)])
    hosts = np.concatenate([none[1], *(names for _, names in rows)]).astype(np.int32)
    own = store.hosts.ids([one.host for one in members]).astype(np.int32)
    return LinkGraph.from_columns(np.array([one.key for one in members], np.uint64), own, starts, targets, hosts)


def _ranked(
    store: Store, graph: LinkGraph, members: Sequence[VisitRow], nodes: Ints, weights: Iterable[float], links: Ints
) -> tuple[Ranked, ...]:
    values = np.asarray(weights)
    best = float(values[nodes[0]]) if len(nodes) else 1.0
    return tuple(
        Ranked(_page(store, graph, members, int(node)), float(values[node]) / best, int(links[node])) for node in nodes
    )


def _page(store: Store, graph: LinkGraph, members: Sequence[VisitRow], node: int) -> Neighbour:
    """The page of a node: a member, another visited page, or what a member's link says of it."""
    if node < len(members):
        return _neighbour(members[node])
    key = int(graph.keys[node])
    row = store.visits.by_key(key)
    if row is not None:
        return _neighbour(row)
    batch = store.links.batch(members[int(graph.parents(node)[0])].number)
    index = batch.links.keys.tolist().index(key)
    return Neighbour(batch.links.urls[index], anchor=batch.anchor_text(index))


def _neighbour(row: VisitRow, anchor: str = "") -> Neighbour:
    relevance = row.relevance if row.judged else None
    return Neighbour(row.url, row.number, row.title, relevance, row.relevant, " ".join(anchor.split())[:300])
