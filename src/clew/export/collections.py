"""What a crawl of many collections gathered (Bergmark and others 2002 sections 2 and 4): the best of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from clew.export.choosing import Choice
from clew.export.collection import ALL
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.topics.formula import unparse
from clew.topics.interest import Interest

SIZE = 50
"""Pages of a collection: the paper wants 25 to 50 and keeps 50."""


@dataclass(frozen=True, slots=True)
class Member:
    """A page or document of a collection, and its correlation with it: the value of what is wanted there."""

    row: VisitRow
    correlation: float


def collections(
    store: Store,
    rows: Iterable[VisitRow],
    interest: Interest,
    k: int = SIZE,
    least: float = 0.0,
    choice: Choice = ALL,
) -> dict[str, list[Member]]:
    """The best ``k`` of ``rows`` in each collection: its name -> members, best first, the earlier of equals.

    Collections are the alternatives of ``interest``: the topics of "A or B", the one collection of "A and B". A page
    belongs to the nearest alone (Bergmark and others 2002, equation 1), a document that inherits to the collection of
    its page, with that page's correlation. What nobody judged is in none; ``least`` leaves out members of a lower
    correlation, ``choice`` says how many of a host there may be, and whether hosts take turns. A collection is the head
    of a ranking: its precision is that of its ranks.
    """
    names = [unparse(one, interest.topics) for one in interest.alternatives]
    found: dict[str, list[Member]] = {name: [] for name in names}
    numbers, *_, scores, _ = store.visits.judged()
    places = {number: place for place, number in enumerate(numbers.tolist())}
    values = interest.values(scores) if len(numbers) else np.empty((0, len(names)))
    nearest = values.argmax(axis=1)
    for row in rows:
        place = places.get(row.inherited_from or row.number)
        if place is not None and (own := float(values[place, nearest[place]])) >= least:
            found[names[nearest[place]]].append(Member(row, own))
    return {name: list(islice(_best(members, choice), k)) for name, members in found.items()}


def _best(members: Iterable[Member], choice: Choice) -> Iterable[Member]:
    ranked = sorted(members, key=lambda one: -one.correlation)
    return choice.of_hosts(ranked, lambda one: one.row.host, lambda one: one.correlation)
