"""TF-IDF centroids (Bergmark and others 2002 section 2, read as it must be meant; Rocchio's negative part).

    w(d,t)  = tf(d,t) · idf(t),   normalised to length 1
    idf(t)  = log(1 + N / (1 + df(t)))
    r_k     = m_k / |m_k| − β · o_k / |o_k|,   normalised;  m_k: mean of k's examples, o_k: of all others
    s_k(d)  = Σ_t w(d,t) · r_k(t),   score of k = logistic curve of s_k

=========  ==============================================================
symbol     name
=========  ==============================================================
tf(d,t)    1 + log of the count of t in page d, or its damped weight
df(t), N   pages with t, among the examples and as many general pages
r_k        ``centroids`` column
β          ``NEGATIVE_WEIGHT``
=========  ==============================================================

A topic's examples include those of the topics below it.

Departures. Bergmark's centroid has no negative part; with negatives at hand it separates better. Both means are
scaled to length 1 first: the mean of many unlike pages is short, and would hardly count (measured on four
encyclopedia topics: .74 .80 .62 .92 against .68 .73 .56 .92). The document frequencies add general text
(judges/background.py), so that a handful of examples does not decide what is rare.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.judges.bags import Bag, Places
from clew.judges.base import JudgeContext
from clew.judges.reference import shares_for
from clew.judges.settings import VectorSettings
from clew.judges.trained import TrainedJudge
from clew.judges.vectors import Vectors
from clew.model import Doubles, Floats

NEGATIVE_WEIGHT = 0.5


class CentroidJudge(TrainedJudge):
    """Cosine to a topic's centroid less that of everything else, calibrated."""

    name = "centroid"

    class Settings(VectorSettings, frozen=True):
        """[judge.centroid]"""

    def __init__(self, context: JudgeContext, settings: Settings | None = None) -> None:
        settings = settings or self.Settings()
        super().__init__(context, background=settings.background, features=settings.page_features)
        self.shares = shares_for(settings.reference, context, self.name)
        self.vectors = Vectors(logarithmic=not settings.damped, heaviest=settings.heaviest)
        self.centroids = np.zeros((0, 0), np.float32)
        self._sums = np.zeros((2, 0, 0), np.float64)
        self._products = np.zeros((2, 2, 0), np.float64)

    def _train(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        self._learn_vocabulary(bags)
        self.vectors.learn(bags, self.vocabulary, self.languages, self.shares)
        sums = np.zeros((2, len(self.vocabulary), len(self.topics)))  # examples of each topic, all others
        sides = zip(self.tree.members(labels).T, self.tree.outsiders(labels).T, strict=True)
        for bag, both in zip(bags, sides, strict=True):
            places, counts = self.vocabulary.project(bag)
            weights = self.vectors.of(places, counts)
            for side, rows in enumerate(both):
                sums[side, places] += np.outer(weights, rows)
        self._sums = sums
        self._products = np.einsum("avk,bvk->abk", sums, sums)
        own, other = np.sqrt(np.maximum(self._products[[0, 1], [0, 1]], 1e-12))
        rows = sums[0] / own - NEGATIVE_WEIGHT * sums[1] / other
        self.centroids = (rows / np.maximum(np.linalg.norm(rows, axis=0), 1e-12)).astype(np.float32)

    def _held_out(self, bag: Bag, label: int) -> Doubles:
        """The page is taken out of the sums of its side; lengths and products follow without the whole vectors."""
        places, counts = self.vocabulary.project(bag)
        whole = self.vectors.of(places, counts)
        unseen = np.where(self._holders[places] > 1, whole, 0.0)  # what only this page holds would not be known
        overlap = float(np.linalg.norm(unseen))  # of both, once the second has length 1
        if not overlap:
            return np.full(len(self.topics), np.nan)
        sums = self._sums[:, places]
        own, other = np.einsum("avk,v->ak", sums, whole)
        taken, taken_other = (side[:, label].astype(np.float64) for side in (self.tree.below, self.tree.outside))
        products = self._products
        length = np.sqrt(np.maximum(products[0, 0] + taken * (1.0 - 2 * own), 1e-12))
        length_other = np.sqrt(np.maximum(products[1, 1] + taken_other * (1.0 - 2 * other), 1e-12))
        both = (products[0, 1] - taken * other - taken_other * own) / (length * length_other)
        near, near_other = np.einsum("avk,v->ak", sums, unseen / overlap)
        cosine = (near - taken * overlap) / length
        cosine_other = (near_other - taken_other * overlap) / length_other
        norm = np.sqrt(np.maximum(1.0 - 2 * NEGATIVE_WEIGHT * both + NEGATIVE_WEIGHT**2, 1e-12))
        return np.asarray((cosine - NEGATIVE_WEIGHT * cosine_other) / norm, np.float64)

    def _raw_at(self, places: Places, counts: Floats) -> Doubles:
        return np.asarray(self.vectors.of(places, counts) @ self.centroids[places], np.float64)

    def _weights(self, places: Places, counts: Floats, topic: int) -> Floats:
        return np.asarray(self.vectors.of(places, counts) * self.centroids[places, topic], np.float32)
