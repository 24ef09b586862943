"""TF-IDF centroids (papers/5 section 2, TUN-8 in its corrected reading; Rocchio's negative part).

    w(d,t)  = (1 + log n(d,t)) · idf(t),   normalised to length 1
    idf(t)  = log(1 + N / (1 + df(t)))
    r_c     = mean of c's examples − β · mean of all other examples, normalised
    s_c(d)  = Σ_t w(d,t) · r_c(t),   relevance to c = logistic curve of s_c

=========  ==============================================================
symbol     name
=========  ==============================================================
n(d,t)     count of t in page d: a bag
df(t), N   pages with t, among the examples and as many general pages
r_c        ``centroids`` row
β          ``NEGATIVE_WEIGHT``
=========  ==============================================================

Departures. Bergmark's centroid has no negative part; with negatives at hand it separates better. The document
frequencies add general text (judges/background.py), so that a handful of examples does not decide what is rare.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.judges import background
from clew.judges.bags import Bag, Vocabulary
from clew.judges.trained import TrainedJudge
from clew.model import Doubles, Floats

NEGATIVE_WEIGHT = 0.5
GENERAL_PAGES = 1_000.0


class CentroidJudge(TrainedJudge):
    """Cosine to a topic's centroid less that of everything else, calibrated."""

    name = "centroid"

    def __init__(self, topics: tuple[str, ...], *, background: bool = False, seed: int = 1) -> None:
        super().__init__(topics, background=background, seed=seed)
        self.vocabulary = Vocabulary(np.empty(0, np.uint32))
        self.idf = np.zeros(0, np.float64)
        self.sums = np.zeros((0, 0), np.float64)
        self.sizes = np.zeros(0, np.float64)
        self.centroids = np.zeros((0, 0), np.float64)

    def _train(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        self.vocabulary = Vocabulary.of(bags)
        self.idf = self._inverse_frequencies(bags)
        groups = (*range(len(self.topics)), -1)
        self.sums = np.zeros((len(groups), len(self.vocabulary)))
        self.sizes = np.zeros(len(groups))
        for bag, label in zip(bags, labels, strict=True):
            places, weights = self._vector(bag)
            self.sums[label, places] += weights  # label -1 is the last row
            self.sizes[label] += 1
        self.centroids = self._centroids(self.sums, self.sizes)

    def _inverse_frequencies(self, bags: Sequence[Bag]) -> Doubles:
        seen = np.zeros(len(self.vocabulary))
        for bag in bags:
            seen[self.vocabulary.project(bag)[0]] += 1
        ids, shares = background.document_shares(self.languages)
        places, general = self.vocabulary.project((ids, shares.astype(np.float32)))
        seen[places] += general * GENERAL_PAGES
        return np.asarray(np.log1p((len(bags) + GENERAL_PAGES) / (1.0 + seen)), np.float64)

    def _vector(self, bag: Bag) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], Doubles]:
        places, counts = self.vocabulary.project(bag)
        weights = (1.0 + np.log(counts.astype(np.float64))) * self.idf[places]
        return places, weights / max(float(np.sqrt(weights @ weights)), 1e-12)

    def _centroids(self, sums: Doubles, sizes: Doubles) -> Doubles:
        """r_c of every topic: float64[k, V]."""
        k = len(self.topics)
        rest = (sums.sum(axis=0) - sums[:k]) / np.maximum(sizes.sum() - sizes[:k], 1.0)[:, None]
        rows = sums[:k] / np.maximum(sizes[:k], 1.0)[:, None] - NEGATIVE_WEIGHT * rest
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float64)

    def _held_out(self, bag: Bag, label: int) -> Doubles:
        places, weights = self._vector(bag)
        sums, sizes = self.sums.copy(), self.sizes.copy()
        sums[label, places] -= weights
        sizes[label] -= 1
        return np.asarray(self._centroids(sums, sizes)[:, places] @ weights, np.float64)

    def _raw(self, bag: Bag) -> Doubles | None:
        places, weights = self._vector(bag)
        return np.asarray(self.centroids[:, places] @ weights, np.float64) if len(places) else None

    def _weights(self, bag: Bag) -> Bag:
        places, weights = self._vector(bag)
        parts: Floats = (weights * self.centroids[0, places]).astype(np.float32)
        return self.vocabulary.ids[places], parts
