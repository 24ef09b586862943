"""The fingerprints of the pages visited last, found by content, by text, and by nearness: flat columns in a ring.

Two SimHashes that differ in at most three bits agree in at least one of their four quarters, so a page is compared with
those that share a quarter with it (Manku and others 2007, section 3). What is found depends only on the pages of the
last ``room`` rows, so a table that was filled anew finds the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from clew.model import Fingerprint
from clew.store.records import PrintRow

_BUCKETS = 1 << 16
_LAST = _BUCKETS - 1
_QUARTERS = (0, 16, 32, 48)
_STEPS = 64
"""Pages of a bucket that are looked at, the latest."""


class _Chains:
    """Rows by bucket, the latest first. ``before``: the row that was added before in the same bucket, by place."""

    def __init__(self) -> None:
        self.latest = array("q", [-1]) * _BUCKETS
        self.before = array("q")

    def add(self, row: int, place: int, bucket: int) -> None:
        if place == len(self.before):
            self.before.append(-1)
        self.before[place] = self.latest[bucket]
        self.latest[bucket] = row

    def rows(self, bucket: int, oldest: int, room: int) -> Iterator[int]:
        """Rows of a bucket from ``oldest`` on."""
        row = self.latest[bucket]
        for _ in range(_STEPS):
            if row < oldest:
                return
            yield row
            row = self.before[row % room]


class PrintTable:
    """Fingerprints of pages, in the order of their visits; the last ``room`` of them are known."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._count = 0
        self._columns = tuple(array("Q") for _ in Fingerprint._fields)
        self._numbers, self._originals = array("q"), array("q")
        self._by_content, self._by_text = _Chains(), _Chains()
        self._by_quarter = tuple(_Chains() for _ in _QUARTERS)

    def add(self, row: PrintRow) -> None:
        """One more page."""
        place = self._count % self.room
        for column, value in zip(self._columns, row.fingerprint, strict=True):
            _put(column, place, value)
        _put(self._numbers, place, row.number)
        _put(self._originals, place, row.duplicate_of)
        prints = row.fingerprint
        self._by_content.add(self._count, place, prints.content & _LAST)
        self._by_text.add(self._count, place, prints.text & _LAST)
        for chains, quarter in zip(self._by_quarter, _QUARTERS, strict=True):
            chains.add(self._count, place, prints.near >> quarter & _LAST)
        self._count += 1

    @property
    def _oldest(self) -> int:
        return max(self._count - self.room, 0)

    def get(self, number: int) -> PrintRow | None:
        """The page of a visit, if it is known."""
        place = self._place(number)
        if place < 0:
            return None
        prints = Fingerprint(*(column[place] for column in self._columns))
        return PrintRow(number, prints, self._originals[place], False)

    def same_body(self, number: int, body: int) -> int:
        """The visit that a visit's page is or repeats, if that page has this body (0: it has not)."""
        place = self._place(number)
        return self._originals[place] or number if place >= 0 and self._columns[2][place] == body else 0

    def _place(self, number: int) -> int:
        """The place of a visit's page; -1 if it is not known."""
        low, high = self._oldest, self._count
        while low < high:
            middle = (low + high) // 2
            if self._numbers[middle % self.room] < number:
                low = middle + 1
            else:
                high = middle
        place = low % self.room
        return place if low < self._count and self._numbers[place] == number else -1

    def same(self, content: int) -> int:
        """The visit whose page has this content, the first one (0: none)."""
        return self._first(self._by_content, 0, content)

    def same_text(self, text: int) -> int:
        """The visit whose page has this text."""
        return self._first(self._by_text, 1, text)

    def _first(self, chains: _Chains, column: int, value: int) -> int:
        values = self._columns[column]
        for row in chains.rows(value & _LAST, self._oldest, self.room):
            if values[row % self.room] == value:
                return self._root(row)
        return 0

    def near(self, prints: Fingerprint, bits: int, terms: int) -> int:
        """The visit of a page of at least ``terms`` terms, with the same title or none, whose SimHash differs in at
        most ``bits`` bits; of several the latest with the fewest."""
        nears, titles, counts = self._columns[3], self._columns[4], self._columns[5]
        best, found = bits + 1, -1
        for chains, quarter in zip(self._by_quarter, _QUARTERS, strict=True):
            for row in chains.rows(prints.near >> quarter & _LAST, self._oldest, self.room):
                place = row % self.room
                apart = (nears[place] ^ prints.near).bit_count()
                titled = titles[place] and prints.title and titles[place] != prints.title
                if apart < best and counts[place] >= terms and not titled:
                    best, found = apart, row
        return self._root(found) if found >= 0 else 0

    def _root(self, row: int) -> int:
        """The visit that a row repeats; its own if it repeats none."""
        place = row % self.room
        return self._originals[place] or self._numbers[place]


def _put(column: array[int], place: int, value: int) -> None:
    if place == len(column):
        column.append(value)
    else:
        column[place] = value
