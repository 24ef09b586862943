"""What another formula or threshold would make of the pages that were judged: counts, and which pages turn.

The scores of all judged pages are kept as columns, read once and then only as far as pages are new, so that an answer
takes a moment even with a million pages. They are those of the judge as it is: a formula that wants topics together may
train another one, whose scores differ a little.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from clew.crawl.interests import INTEREST, crawled_topics
from clew.crawl.verdicts import FINAL, NOINDEX
from clew.errors import FormulaError, InputError
from clew.model import OTHER, Bools, Doubles, Floats, Ints
from clew.project.folder import ProjectFolder
from clew.project.interestediting import interest_with
from clew.store.base import Store
from clew.topics.formula import unparse
from clew.topics.interest import Interest
from clew.topics.semantics import value

AT_ONCE = 20_000
"""Pages read at a time."""

SHOWN = 8
"""Pages of each kind that are shown."""

REJUDGED = ("judge adopted", "interest changed")
"""Kinds of decisions after which stored scores are others."""


@dataclass(frozen=True, slots=True)
class Columns:
    """All judged pages, in the order of their visits: ``numbers`` int64[n], ``topics`` int32[n], ``scores`` float32[n,
    topics], ``relevant`` bool[n], and ``never`` bool[n]: pages that are not relevant whatever their scores."""

    numbers: npt.NDArray[np.int64]
    topics: Ints
    scores: Floats
    relevant: Bools
    never: Bools


class ScoreCache:
    """The columns of one project's crawl. May be asked from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: object = None
        self._columns: Columns | None = None
        self._last = 0

    def behind(self, store: Store) -> int:
        """How many visits ``columns`` would have to read."""
        last = store.visits.next_number - 1
        return max(last - self._last, 0) if self._known == _standing(store) else last

    def columns(self, store: Store) -> Columns:
        """The columns as the store has them now."""
        known = _standing(store)
        with self._lock:
            old = self._columns if known == self._known else None
            new = _read(store, int(old.numbers[-1]) if old is not None and len(old.numbers) else 0)
            if old is not None and new is not None and len(old.numbers):
                new = _joined([old, new])
            self._columns = new or old or _empty()
            self._known, self._last = known, store.visits.next_number - 1
            return self._columns


def _standing(store: Store) -> object:
    """What changes when stored scores change."""
    saved = store.journal.saved(INTEREST)
    times = sum(row.decision.kind in REJUDGED for row in store.journal.decisions())
    return times, saved.state if saved is not None else b""


def _read(store: Store, after: int) -> Columns | None:
    """The pages above a visit; None when there are none."""
    parts: list[Columns] = []
    reasons = {number for number, why in store.visits.reasons(after) if why.startswith((*FINAL, NOINDEX))}
    barred = np.array(sorted(reasons), np.int64)
    while True:
        numbers, _, _, topics, _, _, scores, relevant = store.visits.judged(after, AT_ONCE)
        if not len(numbers):
            return _joined(parts) if parts else None
        parts.append(Columns(numbers, topics, scores, relevant, np.isin(numbers, barred)))
        after = int(numbers[-1])


def _joined(parts: Sequence[Columns]) -> Columns:
    return Columns(
        np.concatenate([one.numbers for one in parts]),
        np.concatenate([one.topics for one in parts]),
        np.concatenate([one.scores for one in parts]),
        np.concatenate([one.relevant for one in parts]),
        np.concatenate([one.never for one in parts]),
    )


def _empty() -> Columns:
    nothing = np.empty(0, np.bool_)
    return Columns(np.empty(0, np.int64), np.empty(0, np.int32), np.empty((0, 0), np.float32), nothing, nothing)


@dataclass(frozen=True, slots=True)
class TopicCount:
    """Relevant pages that belong to a topic most: ``now``, and if the formula were the other one. The path is "" for
    pages of no topic."""

    path: str
    now: int
    then: int


@dataclass(frozen=True, slots=True)
class Turned:
    """A page that would count, or would not any more; ``relevance`` then."""

    visit: int
    url: str
    title: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Preview:
    """``judged`` pages, ``now`` of them relevant, ``then`` under the other formula and threshold: ``more`` that are not
    now, ``fewer`` that are now. ``formula`` as it is understood; ``problem``: what is wrong with it, at the character
    ``start`` (from 0) where that is known; the counts are 0 then, as they are while the stored scores are still being
    read (``reading``): ask again."""

    formula: str = ""
    excluded: str = ""
    threshold: float = 0.0
    judged: int = 0
    now: int = 0
    then: int = 0
    more: int = 0
    fewer: int = 0
    topics: tuple[TopicCount, ...] = ()
    newly: tuple[Turned, ...] = ()
    no_longer: tuple[Turned, ...] = ()
    note: str = ""
    problem: str = ""
    start: int | None = None
    reading: bool = False


def preview(
    project: ProjectFolder, store: Store | None, cache: ScoreCache | None, formula: str, threshold: float | None = None
) -> Preview:
    """What a formula and a threshold (None: that of the settings) would make of the judged pages. A formula that cannot
    be read is told as the ``problem``. Without a store nothing was judged yet; without a cache the scores are still
    being read."""
    try:
        interest = interest_with(project, formula, threshold)
    except FormulaError as error:
        return Preview(problem=error.reason, start=error.start)
    except InputError as error:
        return Preview(problem=str(error))
    said = Preview(
        formula=unparse(interest.formula, interest.topics),
        excluded="" if interest.excluded is None else unparse(interest.excluded, interest.topics),
        threshold=interest.threshold,
    )
    if store is None:
        return replace(said, note="nothing was crawled yet: there are no pages to try it on")
    if cache is None:
        return replace(said, reading=True, note="the scores of all pages are being read")
    return _counted(said, interest, store, cache.columns(store))


def _counted(said: Preview, interest: Interest, store: Store, columns: Columns) -> Preview:
    scores, note = _by_topics(interest.topics, crawled_topics(store, interest.topics), columns.scores)
    if not interest.threshold:
        return replace(said, note="a threshold of 0 is measured on the start pages when the crawl goes on")
    relevance = value(interest.formula, scores, interest.semantics)
    then = (relevance >= interest.threshold) & ~columns.never
    if interest.excluded is not None:
        then &= value(interest.excluded, scores, interest.semantics) < interest.exclude_from
    more, fewer = then & ~columns.relevant, columns.relevant & ~then
    return replace(
        said,
        judged=len(then),
        now=int(columns.relevant.sum()),
        then=int(then.sum()),
        more=int(more.sum()),
        fewer=int(fewer.sum()),
        topics=_topic_counts(interest.topics, store, columns, then),
        newly=_turned(store, columns, more, relevance, best=True),
        no_longer=_turned(store, columns, fewer, relevance, best=False),
        note=note,
    )


def _by_topics(topics: Sequence[str], crawled: Sequence[str], scores: Floats) -> tuple[Floats, str]:
    """Scores in the order of the project's topics; those of topics that no page was judged by are 0."""
    if tuple(topics) == tuple(crawled) or not len(scores):
        return (scores if len(scores) else np.empty((0, len(topics)), np.float32)), ""
    places = {path: place for place, path in enumerate(crawled)}
    found = np.zeros((len(scores), len(topics)), np.float32)
    for topic, path in enumerate(topics):
        if path in places:
            found[:, topic] = scores[:, places[path]]
    return found, "the tree of topics changed: the next run judges all pages anew, and these counts change with it"


def _topic_counts(topics: Sequence[str], store: Store, columns: Columns, then: Bools) -> tuple[TopicCount, ...]:
    crawled = crawled_topics(store, topics)
    size = len(crawled) + 1
    now_, then_ = (np.bincount(columns.topics[mask] + 1, minlength=size) for mask in (columns.relevant, then))
    names = ("", *crawled)
    return tuple(TopicCount(names[i], int(now_[i]), int(then_[i])) for i in (*range(1, size), 0) if now_[i] or then_[i])


def _turned(store: Store, columns: Columns, which: Bools, relevance: Doubles, *, best: bool) -> tuple[Turned, ...]:
    """The clearest of the pages that turn: the most relevant of those that come, the least of those that go."""
    places = np.flatnonzero(which)
    order = np.argsort(-relevance[places] if best else relevance[places], kind="stable")[:SHOWN]
    chosen = {int(columns.numbers[place]): float(relevance[place]) for place in places[order]}
    rows = store.visits.many(list(chosen))
    return tuple(Turned(row.number, row.url, row.title, round(chosen[row.number], 6)) for row in rows)


def relevant_by_topic(store: Store, cache: ScoreCache, topics: Sequence[str]) -> dict[str, int]:
    """How many relevant pages belong to each topic most, by path."""
    columns, crawled = cache.columns(store), crawled_topics(store, topics)
    counts = np.bincount(columns.topics[columns.relevant] + 1, minlength=len(crawled) + 1)
    return {path: int(counts[place + 1]) for place, path in enumerate(crawled)}


def surest(store: Store, cache: ScoreCache, topic: int, most: int) -> list[int]:
    """The visits, at most so many, of the relevant pages of a topic of which the judge is surest."""
    columns = cache.columns(store)
    places = np.flatnonzero(columns.relevant & (columns.topics == topic))
    if topic == OTHER or not len(places):
        return []
    scores = columns.scores[places, topic]
    part = np.argpartition(-scores, min(most, len(scores)) - 1)[:most]
    order = part[np.argsort(-scores[part], kind="stable")]
    return [int(number) for number in columns.numbers[places[order]]]
