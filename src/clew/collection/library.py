"""The texts of one crawl: kept, brought up to date with it, and searched.

``search/`` in the project's folder holds kept texts and index. Both follow from database and archive, and are made
again when they are gone, damaged, of another version or of another crawl. A search first adds the pages that were
visited since the last one; so a crawl does no work for it, and one that runs can be searched.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from itertools import islice, takewhile
from pathlib import Path

import numpy as np

from clew.collection.index import Index, Limits
from clew.collection.making import Maker, Making
from clew.collection.query import Query
from clew.collection.snippets import Snippet, snippet
from clew.collection.texts import TextRow, Texts, without_text
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.store.sqlite.lock import Lock
from clew.text.formats import Formats
from clew.text.pagetext import PageText

FOLDER = "search"
TEXTS = "texts.db"

DAY_S = 86_400.0

CANDIDATES = 1_000
"""Of so many pages, those with the highest BM25, the best are found by relevance too."""

MORE = 8
"""So many times more are looked at when filters leave too few."""

KEPT_AT_ONCE = 500
INDEXED_AT_ONCE = 20_000
"""Pages after which they can be found, while many are added."""

REFRESH_S = 10.0
"""A reader that stays longer on one state of the database keeps a running crawl from tidying it up."""

Progress = Callable[[int, int], None]
"""Told how many pages of how many are done."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found. ``score``: BM25 × (1 + relevance); ``row`` and ``text``: all that is known of it."""

    row: VisitRow
    text: TextRow
    score: float
    bm25: float
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first. ``pages``: how many were searched, of which ``textless`` have no text kept;
    ``behind``: so many more were visited and are not searched yet; ``seconds``: the search alone."""

    hits: tuple[Hit, ...] = ()
    pages: int = 0
    textless: int = 0
    behind: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Filter:
    """Which pages a search may give: relevant ones, unless ``everything``; of these ``topics`` (None: of all); and
    what the index can tell (``limits``)."""

    everything: bool = False
    topics: frozenset[int] | None = None
    limits: Limits = field(default_factory=Limits)

    def lets(self, topic: int | None, relevant: bool) -> bool:
        """Whether a page that was judged so may be given."""
        return (self.everything or relevant) and (
            self.topics is None or (-1 if topic is None else topic) in self.topics
        )


@dataclass(frozen=True, slots=True)
class Library:
    """Where the texts of a crawl are: the folder ``search``, the archive, how pages are read, and the crawl's number in
    its project."""

    folder: Path
    archive: Path
    formats: Formats
    crawl: int = 1

    # -- texts --------------------------------------------------------------------------------------------

    def texts(self, rows: Iterator[VisitRow], *, main: bool, expected: int = 0) -> Iterator[tuple[VisitRow, PageText]]:
        """Visits in their order with their texts: kept ones where main texts are asked for, else from the archive.
        Several processes work where more than a few are ``expected``; memory stays bounded."""
        making = Making(Maker(self.archive, self.formats, main), expected)
        if not main:
            yield from making.texts(rows)
            return
        with closing(Texts(self.folder / TEXTS, self.crawl, read_only=True)) as kept:
            if not kept.last:
                yield from making.texts(rows)
                return
            yield from _kept_or_made(kept, making, rows)

    # -- the index ----------------------------------------------------------------------------------------

    def update(self, store: Store, progress: Progress | None = None) -> int:
        """Add what was visited since the last time; returns how many pages. What was done before an interruption
        stays done. Raises ProjectError while another process does the same, StoreError when it cannot be kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = Lock(self.folder / TEXTS)
        lock.take()
        try:
            with closing(Texts(self.folder / TEXTS, self.crawl)) as texts:
                self._check(store, texts)
                count = self._keep(store, texts, progress)
                self._index(texts)
                return count
        finally:
            lock.free()

    def _check(self, store: Store, texts: Texts) -> None:
        """A power cut may undo visits, whose numbers other pages got: then everything is made again."""
        last = texts.last
        if not last:
            Index(self.folder, mend=True).remove()
            return
        visit, kept = store.visits.get(last), texts.many([last])[last]
        if visit is None or (kept.url and visit.url and visit.url != kept.url):
            texts.clear()
            Index(self.folder, mend=True).remove()

    def _keep(self, store: Store, texts: Texts, progress: Progress | None) -> int:
        """Texts of the pages that have none yet."""
        after, last = texts.seen, store.visits.next_number - 1
        rows = takewhile(lambda row: row.number <= last, _fresh(store, store.visits.rows(after=after)))
        pages = (row for row in rows if row.judged and row.url)
        waiting: list[TextRow] = []
        count = 0
        for row, text in Making(Maker(self.archive, self.formats), last - after).texts(pages):
            waiting.append(_text_row(row, text))
            count += 1
            if len(waiting) == KEPT_AT_ONCE:
                texts.add(waiting, row.number)
                waiting.clear()
            if not count % INDEXED_AT_ONCE:
                self._index(texts)
            if progress is not None:
                progress(row.number - after, last - after)
        texts.add(waiting, last)
        return count

    def _index(self, texts: Texts) -> None:
        """Texts that are kept and not in the index yet."""
        index = Index(self.folder, mend=True)
        if index.last > texts.last:
            index.remove()
            index = Index(self.folder, mend=True)
        rows = (row for row in texts.rows(index.last) if row.kind)
        while index.add(islice(rows, INDEXED_AT_ONCE)):
            index.commit()

    def search(self, store: Store, query: Query, which: Filter, most: int = 10, after: int = 0) -> Found:
        """The ``most`` best pages that answer a query, after the first ``after``. Only what ``update`` added is found;
        relevance and topics are the crawl's own, as they are now. Raises StoreError."""
        began = time.perf_counter()
        with closing(Texts(self.folder / TEXTS, self.crawl, read_only=True)) as texts:
            counts, behind = texts.counts(), max(store.visits.next_number - 1 - texts.seen, 0)
            if not counts:
                return Found(behind=behind)
            ranked = _ranked(store, Index(self.folder), query, which, after + most)[after : after + most]
            rows = {row.number: row for row in store.visits.many([number for number, _, _ in ranked])}
            kept = texts.many([number for number, _, _ in ranked])
            hits = [
                Hit(rows[number], kept[number], score, bm25, snippet(kept[number].text, query))
                for number, score, bm25 in ranked
                if number in rows and number in kept and rows[number].url == kept[number].url
            ]
        seconds = time.perf_counter() - began
        return Found(tuple(hits), sum(counts.values()), without_text(counts), behind, seconds)

    def erase(self, matches: Callable[[str], bool]) -> int:
        """Erase the texts of URLs that match; the index is made anew by the next search. Returns how many."""
        path = self.folder / TEXTS
        if not path.is_file():
            shutil.rmtree(self.folder, ignore_errors=True)
            return 0
        lock = Lock(path)
        lock.take()
        try:
            with closing(Texts(path, self.crawl)) as texts:
                count = texts.erase(matches)
            if count:
                Index(self.folder, mend=True).remove()
            return count
        finally:
            lock.free()


def _kept_or_made(kept: Texts, making: Making, rows: Iterator[VisitRow]) -> Iterator[tuple[VisitRow, PageText]]:
    """Groups of visits: kept texts, and the others made."""
    group: list[VisitRow] = []

    def done() -> Iterator[tuple[VisitRow, PageText]]:
        found = kept.many([row.number for row in group])
        stale = [row for row in group if row.number not in found or found[row.number].url != row.url]
        made = {row.number: text for row, text in Making(making.maker).texts(stale)}
        yield from ((row, made[row.number] if row.number in made else found[row.number].page) for row in group)

    for row in rows:
        group.append(row)
        if len(group) == KEPT_AT_ONCE // 2:
            yield from done()
            group.clear()
    yield from done()


def _fresh(store: Store, rows: Iterator[VisitRow]) -> Iterator[VisitRow]:
    """The same rows; the store moves on to what was committed meanwhile, now and then."""
    moved = time.monotonic()
    for row in rows:
        yield row
        if time.monotonic() - moved > REFRESH_S:
            store.refresh()
            moved = time.monotonic()


def _text_row(row: VisitRow, text: PageText) -> TextRow:
    day = day_of(date.fromisoformat(text.date)) if text.date else int(row.fetched_at // DAY_S)
    return TextRow(
        row.number, row.url, row.title, row.host, row.language, day, text.date, text.author, text.kind, text.text
    )


def day_of(day: date) -> int:
    """Days since 1970."""
    return day.toordinal() - date(1970, 1, 1).toordinal()


def _ranked(store: Store, index: Index, query: Query, which: Filter, most: int) -> list[tuple[int, float, float]]:
    """(visit, score, BM25) of the best pages, best first; equals in the order of fetching."""
    size = CANDIDATES
    while True:
        numbers, scores = index.find(query, which.limits, size)
        order = np.argsort(numbers, kind="stable")
        bm25 = dict(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))
        found = [
            (number, bm25[number] * (1.0 + relevance), bm25[number])
            for number, topic, relevance, relevant in store.visits.standing(list(bm25))
            if which.lets(topic, relevant)
        ]
        if len(found) >= most or len(numbers) < size:
            return sorted(found, key=lambda one: (-one[1], one[0]))[:most]
        size *= MORE
