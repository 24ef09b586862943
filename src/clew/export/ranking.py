"""The relevant pages and the documents that inherit from them as columns: what to rank a million of them by, without
reading their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.model import Doubles
from clew.store.base import Store
from clew.store.inherited import inherited
from clew.store.records import VisitRow

GROUP = 256
"""Rows that are read together."""

Indexes = npt.NDArray[np.int64]


class Ranked(NamedTuple):
    """A page or document in a ranking: its place among all of them, and what it is chosen by."""

    place: int
    host: str
    relevance: float
    topic: int | None


class Ranking:
    """All relevant pages and documents, best first, equals in the order of fetching, documents last. Columns:
    ``relevance`` float64[n]; ``judged`` int64[n]: the place among all judged pages (``visits.judged``) of the page, or
    of the one that a document inherits from, -1 where that was not judged; ``scores`` [judged pages, topics]."""

    def __init__(self, store: Store) -> None:
        self._store = store
        numbers, _, hosts, topics, _, relevance, self.scores, relevant = store.visits.judged()
        kept = np.flatnonzero(relevant)
        self._documents = list(inherited(store, relevant=True))
        fetched = np.array([row.number or inf for row in self._documents])
        parents = np.array([row.inherited_from for row in self._documents], np.int64)
        inherits = np.array([row.relevance for row in self._documents], np.float32)  # as exact as that of their pages
        values = np.concatenate([relevance[kept], inherits]).astype(np.float64)
        order = np.lexsort((np.concatenate([numbers[kept], fetched]), -values))
        self.relevance: Doubles = values[order]
        self.judged: Indexes = np.concatenate([kept, _places(numbers, parents)])[order]
        self._numbers = np.concatenate([numbers[kept], -1 - np.arange(len(parents))])[order]
        self._hosts, self._topics = hosts, topics

    def __len__(self) -> int:
        return len(self.relevance)

    def items(self, which: Indexes | None = None, values: Doubles | None = None) -> Iterator[Ranked]:
        """These of them, in the order of ``which`` (None: all); ``values`` [n] stand for their relevance."""
        values = self.relevance if values is None else values
        for place in range(len(self)) if which is None else which.tolist():
            document = self._document(place)
            if document is not None:
                yield Ranked(place, document.host, float(values[place]), document.topic)
                continue
            page = int(self.judged[place])
            host = self._store.hosts.name(int(self._hosts[page]))
            yield Ranked(place, host, float(values[place]), int(self._topics[page]))

    def rows(self, items: Iterable[Ranked]) -> Iterator[VisitRow]:
        """The visits and documents of items, in their order; some are read at a time."""
        items = iter(items)
        while group := [one.place for one in islice(items, GROUP)]:
            numbers = [int(number) for number in self._numbers[group] if number >= 0]
            found = {row.number: row for row in self._store.visits.many(numbers)}
            for place in group:
                yield self._document(place) or found[int(self._numbers[place])]

    def _document(self, place: int) -> VisitRow | None:
        number = int(self._numbers[place])
        return self._documents[-1 - number] if number < 0 else None


def _places(numbers: Indexes, wanted: Indexes) -> Indexes:
    """Where ``wanted`` stand in ``numbers``, which rise; -1 where they do not."""
    if not len(numbers):
        return np.full(len(wanted), -1, np.int64)
    places = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.where(numbers[places] == wanted, places, -1)
