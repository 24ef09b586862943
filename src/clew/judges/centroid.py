"""TF-IDF centroids (Bergmark and others 2002 section 2, read as it must be meant; Rocchio's negative part).

    w(d,t)  = tf(d,t) · idf(t),   normalised to length 1
    idf(t)  = log(1 + N / (1 + df(t)))
    r_k     = m_k / |m_k| − β · o_k / |o_k|,   normalised;  m_k: mean of k's examples, o_k: of all others
    s_k(d)  = Σ_t w(d,t) · r_k(t),   score of k = logistic curve of s_k, or s_k itself

=========  ==============================================================
symbol     name
=========  ==============================================================
tf(d,t)    1 + log of the count of t in page d, or its damped weight
df(t), N   pages with t, among the examples and as many general pages
r_k        ``centroids`` column
β          ``Settings.negative``
=========  ==============================================================

A topic's examples include those of the topics below it.

Departures. Bergmark's centroid has no negative part (``negative = 0``); with negatives at hand it separates better.
Both means are scaled to length 1 first: the mean of many unlike pages is short, and would hardly count (measured on
four encyclopedia topics: .74 .80 .62 .92 against .68 .73 .56 .92). Her score is the cosine (``calibrated = false``), of
centroids of 4 to 7 pages (``examples``, ``least_examples``). The document frequencies add general text
(judges/background.py), so that a handful of examples does not decide what is rare; hers are of the other topics' pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from clew.errors import TrainingError
from clew.judges.bags import Bag, Places
from clew.judges.base import JudgeContext
from clew.judges.reference import shares_for
from clew.judges.settings import VectorSettings
from clew.judges.trained import TrainedJudge
from clew.judges.vectors import Vectors
from clew.model import OTHER, Doubles, Floats, Judgement
from clew.section import doc


class CentroidJudge(TrainedJudge):
    """Cosine to a topic's centroid less that of everything else, calibrated."""

    name = "centroid"

    class Settings(VectorSettings, frozen=True):
        """[judge.centroid]"""

        negative: Annotated[
            float, doc("Weight of the negative part, the centroid of all other examples (the paper: 0).", ge=0, le=1)
        ] = 0.5
        calibrated: Annotated[
            bool, doc("Scores are calibrated: 0.5 is as likely right as wrong; false: raw cosines (the paper).")
        ] = True
        examples: Annotated[
            int, doc("Examples of a topic that make its centroid, the first ones (0: all; the paper: 7).", ge=0)
        ] = 0
        least_examples: Annotated[
            int, doc("A topic of fewer examples is discarded: no page belongs to it (the paper: 4).", ge=0)
        ] = 0

    def __init__(self, context: JudgeContext, settings: Settings | None = None) -> None:
        settings = settings or self.Settings()
        super().__init__(context, background=settings.background, features=settings.page_features)
        self.negative, self.calibrated = settings.negative, settings.calibrated
        self.most, self.least = settings.examples, settings.least_examples
        self.kept = np.ones(len(context.topics), np.bool_)
        self.shares = shares_for(settings.reference, context, self.name)
        self.vectors = Vectors(logarithmic=not settings.damped, heaviest=settings.heaviest)
        self.centroids = np.zeros((0, 0), np.float32)
        self._sums = np.zeros((2, 0, 0), np.float64)
        self._products = np.zeros((2, 2, 0), np.float64)

    def fit_bags(self, bags: Sequence[Bag], labels: Sequence[int], languages: set[str]) -> Doubles:
        """As for every judge; examples beyond the first of each topic, and those of topics that have too few, are not
        trained on."""
        taught = self._taught(labels)
        found = super().fit_bags([bags[i] for i in taught], [labels[i] for i in taught], languages)
        scores = np.zeros((len(bags), len(self.topics)))
        scores[taught] = found
        for index in set(range(len(bags))).difference(taught):
            raw = self._raw(bags[index])
            if raw is not None:
                scores[index] = self._scores(raw)
        return scores

    def _taught(self, labels: Sequence[int]) -> list[int]:
        """Which examples are trained on; notes which topics are kept."""
        counts = self.tree.members(labels).sum(axis=1)
        self.kept = counts >= self.least
        seen: Counter[int] = Counter()
        places = []
        for place, label in enumerate(labels):
            if label != OTHER and (not self.kept[self.tree.below[:, label]].any() or 0 < self.most <= seen[label]):
                continue
            seen[label] += 1
            places.append(place)
        return places

    def _check(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        if not self.least:
            super()._check(bags, labels)
        elif not self.kept.any() or not any(len(ids) for ids, _ in bags):
            raise TrainingError(
                f"no topic has {self.least} examples with text (judge.centroid.least_examples): give more, or ask for "
                "fewer"
            )

    def _judged(self, places: Places, counts: Floats) -> Judgement:
        """With raw cosines a page belongs to the nearest topic however far that is, and the cosine says how surely."""
        if self.calibrated:
            found = super()._judged(places, counts)
            return replace(found, scores=np.where(self.kept, found.scores, np.float32(0.0)))
        cosines = self.scores_at(places, counts)
        scores = np.zeros(len(self.topics)) if cosines is None else cosines
        topic = self.tree.winner(scores, least=float(np.finfo(np.float32).tiny))
        return Judgement(scores.astype(np.float32), topic, float(scores[topic]) if topic != OTHER else 0.0)

    def _probabilities(self, raw: Doubles) -> Doubles:
        found = super()._probabilities(raw) if self.calibrated else np.clip(np.nan_to_num(raw), 0.0, 1.0)
        return np.asarray(np.where(self.kept, found, 0.0), np.float64)

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
        rows = sums[0] / own - self.negative * sums[1] / other
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
        norm = np.sqrt(np.maximum(1.0 - 2 * self.negative * both + self.negative**2, 1e-12))
        return np.asarray((cosine - self.negative * cosine_other) / norm, np.float64)

    def _raw_at(self, places: Places, counts: Floats) -> Doubles:
        return np.asarray(self.vectors.of(places, counts) @ self.centroids[places], np.float64)

    def _weights(self, places: Places, counts: Floats, topic: int) -> Floats:
        return np.asarray(self.vectors.of(places, counts) * self.centroids[places, topic], np.float32)
