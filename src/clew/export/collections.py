"""What a crawl of many collections gathered (Bergmark and others 2002 sections 2 and 4): the best of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.store.base import Store
from clew.store.records import VisitRow

SIZE = 50
"""Pages of a collection: the paper wants 25 to 50 and keeps 50."""


@dataclass(frozen=True, slots=True)
class Member:
    """A page or document of a collection, and its correlation with it: the judge's score."""

    row: VisitRow
    correlation: float


def collections(
    store: Store, rows: Iterable[VisitRow], topics: Sequence[int], k: int = SIZE, least: float = 0.0
) -> dict[int, list[Member]]:
    """The best ``k`` of ``rows`` in each collection: topic -> members, best first, the earlier of equals.

    A page belongs to the nearest of ``topics`` alone (Bergmark and others 2002, equation 1), a document that inherits
    to the collection of its page, with that page's correlation. What nobody judged is in none; ``least`` leaves out
    members of a lower correlation. A collection is the head of a ranking: its precision is that of its ranks.
    """
    found: dict[int, list[Member]] = {int(topic): [] for topic in topics}
    numbers, *_, scores, _ = store.visits.judged()
    places = {number: place for place, number in enumerate(numbers.tolist())}
    order = np.asarray(topics, np.intp)
    for row in rows:
        place = places.get(row.inherited_from or row.number)
        if place is None or not len(order):
            continue
        own = scores[place, order]
        nearest = int(own.argmax())
        if own[nearest] >= least:
            found[int(order[nearest])].append(Member(row, float(own[nearest])))
    return {topic: sorted(members, key=lambda one: -one.correlation)[:k] for topic, members in found.items()}
