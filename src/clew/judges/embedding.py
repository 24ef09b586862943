"""Similarity in meaning: pages as means of word vectors, by the cosine to a topic's centroid.

After the centroids of Bergmark and others 2002.

    e(d)     = Σ_w n(d,w) · v(w) / Σ_w n(d,w),     x(d) = e(d) / |e(d)|
    r_k      = m_k / |m_k| − β · o_k / |o_k|, normalised;  m_k: mean x of k's examples, o_k: of all others
    s_k(d)   = x(d) · r_k,     score of k = logistic curve of s_k
    what w adds to s_k:  n(d,w) · v(w) · r_k / (|e(d)| · Σ_w' n(d,w'))

=========  ===============================================================
symbol     name
=========  ===============================================================
n(d,w)     weight of word w on page d (judges/features.py), not damped
v(w)       sum of the model's vectors of the pieces of w
β          ``NEGATIVE_WEIGHT``
=========  ===============================================================

The model is a static one: a vector for each piece of a word, whatever stands beside it. So a page costs little more
than looking its words up, and what each word adds is exact. Stop words are left out.

Tried on encyclopedia topics, and no better: damped counts, stop words kept, words that are frequent in general
text weighing less, the mean of general text taken off, β of 0.25 to 1.

Pages must carry their visible text: the model knows words, not stems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np

from clew.judges.bags import Bag, Places, Vocabulary
from clew.judges.base import JudgeContext
from clew.judges.features import Features
from clew.judges.settings import TrainedSettings
from clew.judges.trained import BACKGROUND_PAGES, TrainedJudge
from clew.judges.wordvectors import WordVectors, general_words, word_vectors
from clew.model import Doubles, Floats, Page
from clew.section import doc
from clew.text.language import stop_words

NEGATIVE_WEIGHT = 0.5
WORDS = re.compile(r"[^\W_]+")
MAX_WORDS = 2_000
"""Words of a page that are looked at: the later ones tell little, and cost the most."""

NOTHING: Bag = (np.empty(0, np.uint32), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class Embedded(Features):
    """Pages as dense bags: ids are the dimensions of the model in ``folder`` ("": the packaged one), weights those of
    e(d). A page without a known word is empty."""

    folder: str = ""

    @property
    def vectors(self) -> WordVectors:
        """The model, loaded once in a process."""
        return word_vectors(self.folder)

    def bag(self, page: Page) -> Bag:
        return self.mean(*self.words(page))

    def known(self, pages: Sequence[Page], vocabulary: Vocabulary) -> Iterator[tuple[Places, Floats]]:
        return (vocabulary.project(self.bag(page)) for page in pages)

    def mean(self, words: Sequence[str], weights: Floats) -> Bag:
        """e of words with their weights float32[t]."""
        if not words:
            return NOTHING
        vectors = self.vectors.of(words)
        known = vectors.any(axis=1)
        if not known.any():
            return NOTHING
        mean = weights[known] @ vectors[known] / weights[known].sum()
        return np.arange(len(mean), dtype=np.uint32), mean.astype(np.float32)

    def words(self, page: Page) -> tuple[list[str], Floats]:
        """The distinct words of a page, in lower case, and their weights float32[t]."""
        stops = stop_words(page.language) if page.language else frozenset()
        found = islice(WORDS.finditer(f"{page.title} {page.text}".lower()), MAX_WORDS)
        kept = [word for one in found if (word := one[0]) not in stops]
        places: dict[str, int] = {}
        index = [places.setdefault(word, len(places)) for word in kept]
        each = self.lead / (self.lead + np.arange(len(kept))) if self.lead else np.ones(len(kept))
        sums = np.bincount(index, each, len(places)) if kept else np.zeros(0)
        return list(places), (np.sqrt(sums) if self.damped else sums).astype(np.float32)


class EmbeddingJudge(TrainedJudge):
    """Cosine of a page's embedding to a topic's centroid less that of everything else, calibrated."""

    name = "embedding"
    features: Embedded
    needs_text = True
    single_share = 0.35  # all texts of a language are alike in meaning, more than in words
    can_vote = False

    class Settings(TrainedSettings, frozen=True):
        """[judge.embedding]"""

        lead: Annotated[
            float,
            doc("The position on a page that weighs half as much as its first word (0: all weigh the same).", ge=0),
        ] = 200.0
        model: Annotated[str, doc("Folder of the model (empty: the one that clew[embedding] installs).")] = ""

    def __init__(self, context: JudgeContext, settings: Settings | None = None) -> None:
        settings = settings or self.Settings()
        folder = str(context.folder / Path(settings.model).expanduser()) if settings.model else ""
        word_vectors(folder)  # a missing library or model is found before anything is fetched
        features = Embedded(lead=settings.lead, folder=folder)
        super().__init__(context, background=settings.background, features=features)
        self.centroids = np.zeros((0, 0), np.float64)
        self._sums = np.zeros((2, 0, 0), np.float64)

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        words, added = self.parts(page, topic)
        order = [i for i in np.argsort(-np.abs(added), kind="stable")[:limit] if added[i]]
        return [(words[i], float(added[i])) for i in order]

    def parts(self, page: Page, topic: int) -> tuple[list[str], Doubles]:
        """The words of a page, and what each adds to the raw score of a topic: float64[t]; 0 where it is unknown."""
        words, weights = self.features.words(page)
        ids, mean = self.features.mean(words, weights)
        if not len(ids):
            return [], np.zeros(0)
        vectors = self.features.vectors.of(words).astype(np.float64)
        known = np.where(vectors.any(axis=1), weights.astype(np.float64), 0.0)
        length = max(float(np.linalg.norm(mean)), 1e-12)
        return words, known / known.sum() * (vectors @ self.centroids[:, topic]) / length

    def _train(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        dimensions = self.features.vectors.dimensions
        self.vocabulary = Vocabulary(np.arange(dimensions, dtype=np.uint32))
        sums = np.zeros((2, len(self.topics), dimensions))  # examples of each topic, all others
        sides = zip(self.tree.members(labels).T, self.tree.outsiders(labels).T, strict=True)
        for bag, both in zip(bags, sides, strict=True):
            if not len(bag[0]):
                continue
            x = _direction(bag[1])
            for side, rows in enumerate(both):
                sums[side, rows] += x
        self._sums = sums
        self.centroids = _centroids(sums).T

    def _held_out(self, bag: Bag, label: int) -> Doubles:
        """The page is taken out of the sums of its side. NaN for a topic of which it is the only example."""
        if not len(bag[0]):
            return np.full(len(self.topics), np.nan)
        x = _direction(bag[1])
        taken = np.array([self.tree.below[:, label], self.tree.outside[:, label]], np.float64)
        left = self._sums - taken[:, :, None] * x
        raw = np.asarray(_centroids(left) @ x, np.float64)
        raw[np.linalg.norm(left[0], axis=1) < 1e-9] = np.nan
        return raw

    def _raw_at(self, places: Places, counts: Floats) -> Doubles:
        return np.asarray(_direction(counts) @ self.centroids, np.float64)

    def _background_pages(self, bags: Sequence[Bag]) -> list[Bag]:
        """Random pages of general text of 200 words, in the languages of the examples."""
        rng = np.random.default_rng([self.seed, 0xBAC6])
        words, shares = general_words(self.languages)
        pages = []
        for counts in rng.multinomial(200, shares, BACKGROUND_PAGES):
            seen = np.flatnonzero(counts)
            pages.append(self.features.mean([words[i] for i in seen], counts[seen].astype(np.float32)))
        return pages


def _direction(mean: Floats) -> Doubles:
    """x of e, float64[dimensions]."""
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), np.float64)


def _centroids(sums: Doubles) -> Doubles:
    """r of sums float64[2, k, dimensions]: float64[k, dimensions]."""
    own, other = sums / np.maximum(np.linalg.norm(sums, axis=2, keepdims=True), 1e-12)
    rows = own - NEGATIVE_WEIGHT * other
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float64)
