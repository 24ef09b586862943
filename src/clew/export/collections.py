"""What a crawl of many collections gathered (Bergmark and others 2002 sections 2 and 4): the best of each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from clew.export.choosing import Choice
from clew.export.collection import ALL
from clew.export.ranking import Indexes, Ranking
from clew.model import Doubles
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
    store: Store, interest: Interest, k: int = SIZE, least: float = 0.0, choice: Choice = ALL
) -> dict[str, list[Member]]:
    """The best ``k`` relevant pages and documents in each collection: its name -> members, best first; of equals those
    of higher relevance, then the earlier.

    Collections are the alternatives of ``interest``: the topics of "A or B", the one collection of "A and B". A page
    belongs to the nearest alone (Bergmark and others 2002, equation 1), a document that inherits to the collection of
    its page, with that page's correlation. What nobody judged is in none; ``least`` leaves out members of a lower
    correlation, ``choice`` says how many of a host there may be, and whether hosts take turns. A collection is the head
    of a ranking: its precision is that of its ranks.
    """
    names = [unparse(one, interest.topics) for one in interest.alternatives]
    ranking = Ranking(store)
    if not len(ranking):
        return {name: [] for name in names}
    values = interest.values(ranking.scores[ranking.judged])
    nearest, own = values.argmax(axis=1), values.max(axis=1)
    nearest[(ranking.judged < 0) | (own < least)] = -1
    return {name: _best(ranking, np.flatnonzero(nearest == place), own, k, choice) for place, name in enumerate(names)}


def _best(ranking: Ranking, members: Indexes, own: Doubles, k: int, choice: Choice) -> list[Member]:
    ordered = members[np.argsort(-own[members], kind="stable")]
    items = choice.of_hosts(ranking.items(ordered, own), lambda one: one.host, lambda one: one.relevance)
    best = list(islice(items, k))
    return [Member(row, one.relevance) for row, one in zip(ranking.rows(best), best, strict=True)]
