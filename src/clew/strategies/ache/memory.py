"""The fetched links that are learned from, and how they are put into classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import msgspec

from clew.model import LISTS, SEEDS, LinkKind, Outcome, Visit
from clew.strategies.ache.neighbourhood import Neighbourhood, neighbourhood, packed, unpacked
from clew.strategies.ache.settings import AcheSettings

UNTAUGHT = frozenset((*SEEDS, LinkKind.BACKLINK, *LISTS))
"""Links whose pages teach nothing: they stand on no page, or lead to none."""

LEVELS = 3
T = TypeVar("T")


class Fetched(NamedTuple):
    """A link that was fetched, and the visit of the page on which it stands."""

    parent: int
    link: Neighbourhood


class Memory:
    """The latest links that were fetched, by visit: ``relevant`` and ``others``, at most ``samples`` of each.

    ``moved``: of redirects, the visits of the pages with the links that led to them. ``pages``: how many pages came
    since the last training.
    """

    def __init__(self, settings: AcheSettings) -> None:
        self.settings = settings
        self.relevant: dict[int, Fetched] = {}
        self.others: dict[int, Fetched] = {}
        self.moved: dict[int, int] = {}
        self.pages = 0

    def take(self, visit: Visit) -> None:
        """Remember a visit. One without a page, and one that failed, led to nothing relevant."""
        link, outcome = visit.link, visit.response.outcome
        parent = link.batch.source.visit
        parent = self.moved.get(parent, parent)
        if outcome is Outcome.REDIRECT:
            self._keep(self.moved, visit.number, parent)
            return
        self.pages += outcome is Outcome.OK
        if parent > 0 and link.kind not in UNTAUGHT:
            words = neighbourhood(link.batch, link.index, self.settings.around, self.settings.anchors == "first")
            self._keep(self.relevant if visit.relevant else self.others, visit.number, Fetched(parent, words))

    def _keep(self, table: dict[int, T], number: int, value: T) -> None:
        table[number] = value
        if len(table) > self.settings.samples:
            del table[next(iter(table))]

    def classes(self) -> list[list[Neighbourhood]]:
        """Links by class, the best class first, none with more than ``samples``.

        Binary: links to relevant pages, and as many others, spread evenly over the crawl. Levels: links to relevant
        pages; links to the pages from which these were reached, and one step further back, if not relevant themselves.
        """
        good = [one.link for one in self.relevant.values()]
        if self.settings.learning != "levels":
            return [good, spread([one.link for one in self.others.values()], len(good))]
        found: list[list[Neighbourhood]] = [good, *([] for _ in range(1, LEVELS))]
        for one in self.relevant.values():
            parent = one.parent
            for level in range(1, LEVELS):
                before = self.others.get(parent)
                if before is not None:
                    found[level].append(before.link)
                before = before or self.relevant.get(parent)
                if before is None:
                    break
                parent = before.parent
        return [spread(links, self.settings.samples) for links in found]

    def state(self) -> msgspec.Raw:
        """Everything, as one value of MessagePack."""
        tables = []
        for table in (self.relevant, self.others):
            parents = [one.parent for one in table.values()]
            tables.append((list(table), parents, *packed([one.link for one in table.values()])))
        return msgspec.Raw(msgspec.msgpack.encode((tables, list(self.moved.items()), self.pages)))

    def restore(self, state: msgspec.Raw) -> None:
        """Take up what ``state`` gave."""
        table = tuple[list[int], list[int], list[str], list[bytes]]
        form = tuple[tuple[table, table], list[tuple[int, int]], int]
        tables, moved, self.pages = msgspec.msgpack.decode(state, type=form)
        self.relevant, self.others = (
            dict(zip(numbers, map(Fetched, parents, unpacked(urls, columns)), strict=True))
            for numbers, parents, urls, columns in tables
        )
        self.moved = dict(moved)


def spread(rows: Sequence[T], most: int) -> list[T]:
    """At most so many rows, spread evenly."""
    if len(rows) <= most:
        return list(rows)
    return [rows[place * len(rows) // most] for place in range(most)]
