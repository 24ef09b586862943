"""What is known of the pages on which links stand: how relevant they are, and how well their links paid off so far.

All of it is whole numbers, 4096 for 1, and follows from the visits alone: a table that is made again from the store
equals one that grew with the crawl.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ONE = 4096
"""Relevance 1."""

PSEUDO = 2
"""So many links of every page are taken to have been as relevant as all pages so far."""

FIRST_MEAN, FIRST_PAGES = 205, 20
"""The mean relevance before anything was fetched, .05, weighs as much as so many pages."""

NONE = -1
"""Stands for the relevance of a visit that gave no page."""

ROOM = 64

Rows = npt.NDArray[np.int64]


def whole(relevance: float) -> int:
    """A relevance as a whole number."""
    return int(np.float32(relevance) * np.float32(ONE) + np.float32(0.5))


class Credit:
    """Per visit u: ``relevance`` r(u) · ``prior`` m(u), the mean relevance of all pages up to then · ``fetched`` f(u)
    and ``paid`` s(u), how many of its links were fetched and what these pages were worth in all.

    h(u) = (s(u) + 2·m(u)) / (f(u) + 2). ``discount`` γ: a page is worth its relevance, or γ times the worth of a page
    that was reached by one of its links, if that is more.
    """

    def __init__(self, discount: float = 0.0) -> None:
        self.discount = int(discount * ONE)
        self.count = 0
        self.pages, self.total = FIRST_PAGES, FIRST_PAGES * FIRST_MEAN
        self._columns = np.zeros((6, ROOM), np.int64)
        self.judged = np.zeros(ROOM, np.bool_)
        self._view()

    @classmethod
    def of(cls, sources: npt.ArrayLike, relevances: npt.ArrayLike, discount: float = 0.0) -> Credit:
        """The table of visits 1 to n: packed rows of their links int[n], each of an earlier visit, and relevances
        int[n] (``NONE`` without a page). The same as if they had been added one by one."""
        table, found = cls(discount), np.asarray(relevances, np.int64)
        table._columns = np.zeros((6, len(found) + ROOM), np.int64)
        table.judged = np.zeros(len(found) + ROOM, np.bool_)
        table._view()
        table._add_all(np.asarray(sources, np.int64), found)
        return table

    def _add_all(self, sources: npt.NDArray[np.int64], relevances: npt.NDArray[np.int64]) -> None:
        """All visits, to an empty table."""
        judged = relevances != NONE
        worth, every = np.where(judged, relevances, 0), slice(1, len(judged) + 1)
        pages, totals = self.pages + np.cumsum(judged), self.total + np.cumsum(worth)
        self.count = len(judged)
        self.source[every], self.judged[every], self.prior[every] = sources, judged, totals // pages
        self.relevance[every] = self.worth[every] = worth
        self.pages, self.total = self.pages + int(judged.sum()), self.total + int(worth.sum())
        self._stand_in(np.flatnonzero(~judged) + 1)
        self._pay_all(np.flatnonzero(judged) + 1)

    def _stand_in(self, moved: Rows) -> None:
        """Visits that gave no page stand for the page above them."""
        above = self.source[moved]
        while (on := (above > 0) & ~self.judged[np.maximum(above, 0)]).any():
            above[on] = self.source[above[on]]
        self.relevance[moved] = self.relevances(above)

    def _pay_all(self, pages: Rows) -> None:
        """What ``_pay`` does for each of the pages. The order does not matter: what a row was paid is in the end the
        worth of the pages of its links, however that grew."""
        more, first = self.worth[pages], 1
        while len(pages):
            below, rows = self._pay_up(pages, more, first)
            before = self.worth.copy() if self.discount else self.worth
            np.maximum.at(self.worth, rows, self.discount * self.worth[below] // ONE)
            pages, first = np.flatnonzero(self.worth > before), 0
            more = self.worth[pages] - before[pages]

    def _pay_up(self, pages: Rows, more: Rows, first: int) -> tuple[Rows, Rows]:
        """Pay the rows above pages up to the next one with a page; returns pages that have such a row, and the row."""
        found = [(pages[:0], pages[:0])]
        rows = self.source[pages]
        while (on := rows > 0).any():
            pages, more, rows = pages[on], more[on], rows[on]
            np.add.at(self.fetched, rows, first)
            np.add.at(self.paid, rows, more)
            end = self.judged[rows]
            found.append((pages[end], rows[end]))
            pages, more, rows = pages[~end], more[~end], self.source[rows[~end]]
        return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])

    def _view(self) -> None:
        self.source, self.relevance, self.worth, self.prior, self.fetched, self.paid = self._columns

    @property
    def mean(self) -> int:
        """The mean relevance of all pages so far."""
        return self.total // self.pages

    def rates(self, rows: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """h of packed rows, int64[n]; of seeds (rows up to 0) one half."""
        at = np.maximum(rows, 0)
        found = (self.paid[at] + PSEUDO * self.prior[at]) // (self.fetched[at] + PSEUDO)
        return np.where(rows > 0, found, ONE // 2)

    def relevances(self, rows: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """r of packed rows, int64[n]; seeds are wanted."""
        return np.where(rows > 0, self.relevance[np.maximum(rows, 0)], ONE)

    def add(self, number: int, source: int, relevance: int) -> list[tuple[int, int]]:
        """The visit of this number, by a link of packed row ``source``.

        Returns which rows' links paid off otherwise than before, and by how much h(u) changed.
        """
        if number >= len(self.judged):
            self._grow(number)
        self.count = number
        self.source[number] = source
        if relevance == NONE:  # a redirect stands for the page on which its link stood
            self.relevance[number] = self.relevance[source] if source > 0 else ONE
            self.prior[number] = self.mean
            return []
        self.pages += 1
        self.total += relevance
        self.judged[number] = True
        self.relevance[number] = self.worth[number] = relevance
        self.prior[number] = self.mean
        return self._pay(number, source, relevance)

    def _pay(self, page: int, row: int, more: int) -> list[tuple[int, int]]:
        """Credit the page on which the link to ``page`` stood and, by the discount, those on the way to it."""
        changes, first = [], 1
        while row > 0:
            before = self._rate(row)
            self.fetched[row] += first
            self.paid[row] += more
            changes.append((row, self._rate(row) - before))
            if self.judged.item(row):
                passed = self.discount * self.worth.item(page) // ONE
                more = passed - self.worth.item(row)
                if more <= 0:
                    break
                self.worth[row] = passed
                page, first = row, 0
            row = self.source.item(row)
        return changes

    def _rate(self, row: int) -> int:
        return int((self.paid.item(row) + PSEUDO * self.prior.item(row)) // (self.fetched.item(row) + PSEUDO))

    def _grow(self, number: int) -> None:
        more = number // 2 + ROOM
        self._columns = np.pad(self._columns, ((0, 0), (0, more)))
        self.judged = np.pad(self.judged, (0, more))
        self._view()
