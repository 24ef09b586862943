"""Waiting links in words, and the best ones of a crawl that does not run, from its packed rows: what a frontier that is
rebuilt would say, without all of its links in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from clew.crawl.tiers import opened_rows, row_tiers
from clew.frontier.base import Lease
from clew.frontier.columns import ColumnFrontier
from clew.frontier.slots import Duplicates
from clew.model import Bools, Floats, Ints, Keys
from clew.store.base import Store
from clew.store.records import LinkRow
from clew.strategies.base import Strategy
from clew.urls.canonical import host

BULK: Final = 1 << 18
"""Links that are looked at together."""

CANDIDATES: Final = 20_000
"""URLs that are compared in full: those with the best single links."""

Bulk = tuple[list[LinkRow], Keys, Floats, Ints]
"""Rows, and of all their links: keys uint64[n], scores float32[n], tiers int32[n]."""


@dataclass(frozen=True, slots=True)
class WaitingLink:
    """A link that waits: the page on which it stands (``source_visit``: the number of its visit, 0 for links that stand
    on no visited page), the text of its anchor, and the parts of its score in words."""

    url: str
    host: str
    score: float
    tier: int
    source: str
    source_title: str
    source_visit: int
    anchor: str
    words: list[str]


def waiting_link(store: Store, strategy: Strategy, lease: Lease) -> WaitingLink:
    """A link in words. The strategy must have been restored."""
    batch = store.links.batch(lease.row)
    url, source = batch.links.urls[lease.index], batch.source
    row = store.visits.get(source.visit) if source.visit > 0 else None
    return WaitingLink(
        url=url,
        host=host(url),
        score=lease.score,
        tier=lease.tier,
        source=source.url,
        source_title=row.title if row is not None else "",
        source_visit=row.number if row is not None else 0,
        anchor=batch.anchor_text(lease.index),
        words=strategy.explain(batch, lease.index),
    )


def stored_best(
    store: Store, strategy: Strategy, duplicates: Duplicates, n: int, candidates: int = CANDIDATES
) -> list[Lease]:
    """The ``n`` best waiting links, best first, as a frontier gives them that keeps ``duplicates``, the rule for URLs
    with several links, or the strategy's own. The strategy must have been restored.

    Memory holds ``candidates`` URLs of a tier, those with the best single links, in tiers above 0 those seen first;
    only these are compared in full. Where more wait and the rule is not "best", one that is good by all its links
    together may be missed. A strategy without a rule of its own reads the rows once, others twice.
    """
    tiers = row_tiers(store, strategy, opened_rows(store, strategy))
    keys = _candidates(store, tiers, candidates)
    frontier = ColumnFrontier(strategy.combination or duplicates)
    for rows, found, _, _ in _bulks(store, tiers):
        starts = np.cumsum([0, *(len(row[1]) for row in rows)])
        wanted = np.flatnonzero(_among(keys, found))
        for which in np.unique(np.searchsorted(starts, wanted, side="right") - 1).tolist():
            row, own, hosts, scores = rows[which]
            places = np.flatnonzero(_among(keys, own))
            values, where = scores[places].astype(np.float64), places.astype(np.int32)
            frontier.add(own[places], hosts[places], values, row, where, tiers.get(row, 0))
    return frontier.best(n)


def _candidates(store: Store, tiers: Mapping[int, int], most: int) -> Keys:
    """Sorted keys of URLs that wait and may be among the best."""
    done, best = store.links.done_keys(), _Best(most)
    first: dict[int, Keys] = {}
    for _, keys, scores, tier in _bulks(store, tiers):
        for one in np.unique(tier[tier > 0]).tolist():
            held = first.get(one, np.empty(0, np.uint64))
            if len(held) < most:
                mine = keys[(tier == one) & ~np.isnan(scores)]
                first[one] = _in_order(np.concatenate([held, mine[~_among(done, mine)]]))[:most]
        mine = (tier == 0) & (scores > best.floor)
        waits = ~_among(done, keys[mine])
        best.add(keys[mine][waits], scores[mine][waits])
    return np.unique(np.concatenate([best.keys(), *first.values()]))


class _Best:
    """The URLs with the best single links, so many at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys, self._scores = np.empty(0, np.uint64), np.empty(0, np.float32)
        self.floor = -np.inf

    def add(self, keys: Keys, scores: Floats) -> None:
        """Links, none with a score of ``floor`` or less."""
        self._keys = np.concatenate([self._keys, keys])
        self._scores = np.concatenate([self._scores, scores])
        if len(self._keys) > 4 * self._most:
            self._cut()

    def _cut(self) -> None:
        order = np.argsort(-self._scores, kind="stable")
        keys, scores = self._keys[order], self._scores[order]
        kept = np.sort(np.unique(keys, return_index=True)[1])[: self._most]
        self._keys, self._scores = keys[kept], scores[kept]
        if len(kept) == self._most:
            self.floor = float(self._scores[-1])

    def keys(self) -> Keys:
        self._cut()
        return self._keys


def _bulks(store: Store, tiers: Mapping[int, int]) -> Iterator[Bulk]:
    rows: list[LinkRow] = []
    size = 0
    for row in store.links.rows():
        rows.append(row)
        size += len(row[1])
        if size >= BULK:
            yield _bulk(rows, tiers)
            rows, size = [], 0
    if rows:
        yield _bulk(rows, tiers)


def _bulk(rows: list[LinkRow], tiers: Mapping[int, int]) -> Bulk:
    sizes = [len(row[1]) for row in rows]
    tier = np.repeat(np.array([tiers.get(row[0], 0) for row in rows], np.int32), sizes)
    return rows, np.concatenate([row[1] for row in rows]), np.concatenate([row[3] for row in rows]), tier


def _among(known: Keys, keys: Keys) -> Bools:
    """Whether each key is among sorted ones."""
    if not len(known):
        return np.zeros(len(keys), np.bool_)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: Bools = known[places] == keys
    return found


def _in_order(keys: Keys) -> Keys:
    """Each key once, where it stands first."""
    return keys[np.sort(np.unique(keys, return_index=True)[1])]
