"""From examples, keywords and crawled pages to a ``Model``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.judges import background
from clew.judges.auto.blending import KINDS, Blend, Views, of_crawl, of_general_text
from clew.judges.auto.kinds import KindWork
from clew.judges.auto.model import Model, Seen
from clew.judges.auto.rows import Columns, DenseRows, Rows, centroid, directions, unit
from clew.judges.bags import Bag, Vocabulary
from clew.judges.hierarchy import Hierarchy
from clew.judges.trained import CELLS
from clew.judges.vectors import GENERAL_PAGES
from clew.model import Bools, Doubles, TermIds, distinct

NEGATIVE = 0.5
"""β: weight of the examples against a topic."""

BACKGROUND = 0.25
"""The same of the crawled pages that are not relevant, where no example is against it."""

CRAWL_GENERAL = 50.0
"""Pages of general text that document frequencies of the crawl begin with."""

CENTRE_GENERAL = 200.0
"""The same of the mean of word vectors."""

PASSES = 3
"""How often it is worked out in turn which crawled pages stand out, and the statistics of the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """``examples`` n pages with ``labels`` (topics, or OTHER); those from ``real`` on are made of keywords, and are not
    held out. ``pages``: of the crawl (``crawled``), else of general text. ``general``: the mean word vector of general
    text, None without a model of meaning. ``steepness`` as in the settings."""

    tree: Hierarchy
    languages: tuple[str, ...]
    examples: Sequence[Seen]
    labels: Sequence[int]
    real: int
    pages: Sequence[Seen]
    crawled: bool
    general: Doubles | None
    steepness: float


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """One view: unit vectors of the examples and of the pages; ``background``: what is against topics without an
    example against them. ``known`` bool[n] and bool[p]: of which examples and pages it can tell anything."""

    examples: Rows
    pages: Rows
    background: Doubles | None
    known: tuple[Bools, Bools]


def learn(lesson: Lesson) -> tuple[Model, list[Blend]]:
    """A model, and the blend of each topic."""
    work = _Work(lesson)
    apart = np.zeros((len(lesson.pages), len(lesson.tree.parents)))
    for _ in range(PASSES - 1 if lesson.crawled else 0):
        apart = np.array([blend.apart for blend in work.blends(work.spaces(apart), apart)]).T
    return work.model(work.spaces(apart), apart)


class _Work:
    """What a lesson needs again and again."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        bags = [bag for bag, _, _ in lesson.examples]
        ids, shares = background.document_shares(lesson.languages)
        topics = len(lesson.tree.parents)
        sampled = [bag for bag, _, _ in lesson.pages] if lesson.crawled else []
        crawled = _shared(sampled)
        self.vocabulary = _vocabulary(bags, crawled, ids, CELLS // (2 * topics + 2))
        self.shares = np.zeros(len(self.vocabulary))
        places, found = self.vocabulary.project((ids, shares.astype(np.float32)))
        self.shares[places] = found
        self.examples = Columns.of(bags, self.vocabulary, distinct(np.concatenate([crawled, ids])))
        self.pages = Columns.of([bag for bag, _, _ in lesson.pages], self.vocabulary)
        self.general_idf = np.log1p(GENERAL_PAGES / (1.0 + self.shares * GENERAL_PAGES))
        self.means = tuple(_stacked(side, lesson.general) for side in (lesson.examples, lesson.pages))
        labels = lesson.labels
        self.own, self.other = (
            side.astype(np.float64) for side in (lesson.tree.members(labels), lesson.tree.outsiders(labels))
        )
        marks, crawl_marks = ([one for _, _, one in side] for side in (lesson.examples, lesson.pages))
        self.kinds = KindWork(marks, crawl_marks, topics) if lesson.crawled else None
        self.idfs: list[Doubles] = []
        self.centre = np.zeros(0)

    def spaces(self, apart: Doubles) -> list[_Space]:
        """The views, with what crawled pages say: ``apart`` float64[p, k], how much they stand out by topic."""
        lesson, left = self.lesson, 1.0 - apart.max(axis=1, initial=0.0)
        self.idfs = [self.general_idf]
        if lesson.crawled:
            holders = self.pages.holders(left) + CRAWL_GENERAL * self.shares
            self.idfs.append(np.log1p((float(left.sum()) + CRAWL_GENERAL) / (1.0 + holders)))
        found, every = [], np.ones(len(self.vocabulary))
        for number, idf in enumerate(self.idfs):
            examples, pages = self.examples.scaled(idf), self.pages.scaled(idf)
            against = BACKGROUND * unit(pages.total(left)) if number else None
            found.append(_Space(examples, pages, against, (examples.dot(every) > 0, pages.dot(every) > 0)))
        if lesson.general is not None:
            self.centre = self._centre(left)
            sides = [DenseRows(directions(means, self.centre)) for means in self.means]
            known = (np.isfinite(self.means[0][:, 0]), np.isfinite(self.means[1][:, 0]))
            found.append(_Space(sides[0], sides[1], None, known))
        return found

    def _centre(self, left: Doubles) -> Doubles:
        general = self.lesson.general
        assert general is not None
        if not self.lesson.crawled:
            return general
        known = np.isfinite(self.means[1][:, 0])
        weights = left[known]
        total = weights @ self.means[1][known] + CENTRE_GENERAL * general
        return np.asarray(total / (float(weights.sum()) + CENTRE_GENERAL), np.float64)

    def blends(self, spaces: Sequence[_Space], apart: Doubles) -> list[Blend]:
        return [self._blend(spaces, topic, apart[:, topic], last=False)[0] for topic in range(len(self.own))]

    def _blend(
        self, spaces: Sequence[_Space], topic: int, apart: Doubles, *, last: bool = True
    ) -> tuple[Blend, list[Doubles]]:
        """The blend of a topic, and its centroid in each space."""
        lesson, own, other = self.lesson, self.own[topic], self.other[topic]
        n, p = len(own), len(apart)
        held, whole, pages = np.full((4, n), np.nan), np.full((4, n), np.nan), np.full((4, p), np.nan)
        alone = np.full(4, np.nan)
        centroids = []
        for view, space in zip(self._views(len(spaces)), spaces, strict=True):
            beta = NEGATIVE if view < 2 else 0.0
            found = centroid(space.examples, own, other, beta, space.background)
            held[view] = np.where(space.known[0], found.examples, np.nan)
            whole[view] = np.where(space.known[0], found.whole, np.nan)
            pages[view] = np.where(space.known[1], space.pages.dot(found.direction), np.nan)
            mine = space.known[0] & (own > 0)
            alone[view] = float(space.examples.dot(found.direction)[mine].mean()) if mine.any() else np.nan
            centroids.append(found.direction)
        if self.kinds is not None:
            kinds = self.kinds.scores(own)
            held[KINDS] = whole[KINDS] = kinds.examples
            pages[KINDS] = kinds.pages
        real = np.arange(n) < lesson.real
        views, mine, against = Views(held, pages, whole), (own > 0) & real, (other > 0) & real
        count = int((own > 0).sum())
        if lesson.crawled:
            return of_crawl(views, mine, against, count, apart, lesson.steepness, last), centroids
        mixed = bool(lesson.tree.mates[topic].any())
        return of_general_text(views, mine, against, alone, count, lesson.steepness, mixed), centroids

    def _views(self, spaces: int) -> list[int]:
        """Which view each space is: general words, the crawl's words, meaning."""
        words = list(range(len(self.idfs)))
        return words + [2] * (spaces - len(words))

    def model(self, spaces: Sequence[_Space], apart: Doubles) -> tuple[Model, list[Blend]]:
        made = [self._blend(spaces, topic, apart[:, topic]) for topic in range(len(self.own))]
        blends = [blend for blend, _ in made]
        views = self._views(len(spaces))
        words = [np.array([centroids[number] * idf for _, centroids in made]).T for number, idf in enumerate(self.idfs)]
        rows = [*(views if views[-1] == 2 else [*views, 2]), KINDS]
        scale = np.array([blend.scale[rows] for blend in blends]).T
        counts = bool(scale[-1].any())
        model = Model(
            self.vocabulary,
            np.ascontiguousarray(np.concatenate(words, axis=1), np.float32),  # row by row: pages take some of them
            np.ascontiguousarray(np.array([idf * idf for idf in self.idfs]).T, np.float32),
            np.array([centroids[-1] for _, centroids in made]).T if views[-1] == 2 else np.zeros((0, len(made))),
            self.centre,
            self.kinds.learned(self.own) if self.kinds is not None and counts else None,
            scale,
            np.array([blend.missing[rows] for blend in blends]).T,
            np.array([blend.shift for blend in blends]),
        )
        return model, blends


def _vocabulary(examples: Sequence[Bag], crawled: TermIds, general: TermIds, most: int) -> Vocabulary:
    """Features of the examples, of general text, and those of the crawl, the most frequent first; no more than
    ``most``."""
    own = distinct(_all_ids(examples))
    if len(own) > most:
        return Vocabulary.of(examples, most)
    kept = distinct(np.concatenate([own, crawled[: most - len(own)]]))
    whole = distinct(np.concatenate([kept, general]))
    return Vocabulary((whole if len(whole) <= most else kept).astype(np.uint32))


def _shared(pages: Sequence[Bag]) -> TermIds:
    """Features on two pages or more, those on the most pages first."""
    seen, holders = np.unique(_all_ids(pages), return_counts=True)
    shared, holders = seen[holders >= 2], holders[holders >= 2]
    return shared[np.argsort(-holders, kind="stable")]


def _all_ids(bags: Sequence[Bag]) -> TermIds:
    return np.concatenate([np.empty(0, np.uint32), *(ids for ids, _ in bags)])


def _stacked(pages: Sequence[Seen], general: Doubles | None) -> Doubles:
    """Mean word vectors as float64[n, d], NaN for pages without one."""
    if general is None:
        return np.full((len(pages), 1), np.nan)
    nothing = np.full(len(general), np.nan)
    return np.array([nothing if mean is None else mean for _, mean, _ in pages]).reshape(len(pages), len(general))
