"""Multinomial naive Bayes over topics and *other* (Chakrabarti and others 2002 section 2.1).

    Pr(t|c) = (α + Σ_{d∈D_c} n(d,t)) / (α·|T| + Σ_{d∈D_c} Σ_{t'∈T} n(d,t'))
    L_c(d)  = Σ_t n(d,t) · log Pr(t|c) / Σ_t n(d,t)
    s_k(d)  = max_{c∈exi(k)} L_c(d) − max_{c∉exi(k)} L_c(d),   score of k = logistic curve of s_k

=========  ===========================================================
symbol     name
=========  ===========================================================
c, D_c     topic with examples of its own (or OTHER), and those examples
exi(k)     topic k and all topics below it
t, T       feature, vocabulary of all examples: ``vocabulary``
n(d,t)     weight of t in page d (its count, unless ``features`` says otherwise): a bag
α          ``smoothing``
=========  ===========================================================

The classes are the leaves of the topic tree; an inner topic that has examples of its own stands for one more
leaf, its *Other* child. The score of an inner topic comes from its best leaf: with posteriors of whole pages, sum
and maximum are the same but for pages on the border, and the maximum keeps to means a token.

Departures. (1) The paper's posterior multiplies every token of the page, so it saturates near 0 and 1 and
depends on length; we take the mean log-likelihood a token and a logistic curve fitted to
leave-one-out scores. (2) α defaults to 0.1, not 1: with few examples Laplace's 1 drowns the rare terms that
tell topics apart (measured on four encyclopedia topics: average precision .81 .80 .59 .85 against
.79 .79 .58 .82). (3) Without negatives, general text is the other class. (4) n(d,t) is a weight of
judges/features.py: with pairs of terms, the page's beginning and square roots .77 .84 .62 .93.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from clew.judges import background
from clew.judges.bags import Bag, Places
from clew.judges.base import JudgeContext
from clew.judges.settings import FeatureSettings
from clew.judges.trained import TrainedJudge
from clew.model import Doubles, Floats, Ints
from clew.section import doc

BACKGROUND_TOKENS = 100_000.0


class NaiveBayesJudge(TrainedJudge):
    """Multinomial naive Bayes, length-normalised and calibrated.

    ``logs`` float32[V, k + 1] and ``counts`` float64[k + 1, V]: columns and rows by topic, the last is OTHER.
    ``_sides`` float64[2, k, k + 1]: 0 for classes inside and outside of a topic, −∞ for all others.
    """

    name = "naive-bayes"

    class Settings(FeatureSettings, frozen=True):
        """[judge.naive-bayes]"""

        smoothing: Annotated[
            float, doc("Pseudo-count of every term in each class (the textbook formula has 1).", gt=0)
        ] = 0.1

    def __init__(self, context: JudgeContext, settings: Settings | None = None) -> None:
        settings = settings or self.Settings()
        super().__init__(context, background=settings.background, features=settings.page_features)
        self.smoothing = settings.smoothing
        self.logs = np.zeros((0, 0), np.float32)
        self.classes = np.zeros(0, np.bool_)
        self._sides = np.zeros((2, 0, 0), np.float64)
        self.counts = np.zeros((0, 0), np.float64)
        self._general: Bag | None = None

    def _background_pages(self, bags: Sequence[Bag]) -> list[Bag]:
        """General text is known exactly here: its expected counts join the other class, pages calibrate."""
        self._general = background.expected_counts(self.languages, BACKGROUND_TOKENS)
        return super()._background_pages(bags)

    def _train(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        extra = [self._general] if self._general is not None else []
        self._learn_vocabulary([*bags, *extra])
        rows = []
        for topic in (*range(len(self.topics)), -1):
            members = [bag for bag, label in zip(bags, labels, strict=True) if label == topic]
            rows.append(self.vocabulary.totals(members + (extra if topic == -1 else [])))
        self.counts = np.array(rows)
        self.classes = self.counts.sum(axis=1) > 0
        sides = np.array([self.tree.below, self.tree.outside]) & self.classes
        self._sides = np.where(sides, 0.0, -np.inf)
        smooth = self.counts + self._prior(labels)
        logs = np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True))
        self.logs = np.ascontiguousarray(logs.T, np.float32)

    def _prior(self, labels: Sequence[int]) -> Doubles:
        """What every term counts in each class before any page: float64[k + 1, V].

        It is α; but for a topic with a single example, where general text is known, the same sum is laid out as that
        text has it. One page is so little beside it that else all its rare words would speak for the topic.
        """
        prior = np.full(self.counts.shape, self.smoothing)
        if self._general is not None:
            general = self.counts[-1] + self.smoothing
            single = [topic for topic in range(len(self.topics)) if list(labels).count(topic) == 1]
            prior[single] = general * (self.smoothing * len(self.vocabulary) / general.sum())
        return prior

    def _count_holders(self, bags: Sequence[Bag]) -> Ints:
        extra = [self._general] if self._general is not None else []
        self._general = None
        return super()._count_holders([*bags, *extra])

    def _held_out(self, bag: Bag, label: int) -> Doubles:
        """The page's own counts are taken out of its class first (leave one out)."""
        places, counts = self._project_held_out(bag)
        if not len(places):
            return np.full(len(self.topics), np.nan)
        logs = self.logs[places].astype(np.float64)
        left = np.maximum(self.counts[label, places] - counts, 0.0)
        own = float(self.vocabulary.project(bag)[1].sum())
        total = max(self.counts[label].sum() - own, 0.0) + self.smoothing * len(self.vocabulary)
        logs[:, label] = np.log(left + self.smoothing) - np.log(total)
        return self._margins(counts @ logs, counts)

    def _raw_at(self, places: Places, counts: Floats) -> Doubles:
        return self._margins(counts @ self.logs.take(places, axis=0), counts)

    def _margins(self, sums: Floats | Doubles, counts: Floats) -> Doubles:
        """s_k for every topic: float64[k], from sums of log-likelihoods [k + 1] and weights [d]."""
        means = np.asarray(sums, np.float64) / max(float(counts.sum()), 1e-9)
        if len(means) == 2 and self.classes.all():  # one topic and OTHER
            return means[:1] - means[1:]
        inside, outside = (means + self._sides).max(axis=2)
        return np.asarray(inside - outside, np.float64)

    def _weights(self, places: Places, counts: Floats, topic: int) -> Floats:
        """Weights against the class that comes closest to the topic on this page."""
        logs = self.logs[places]
        sums = np.where(self.classes, counts @ logs, -np.inf)
        below, outside = self.tree.below[topic], self.tree.outside[topic]
        best, rival = np.where(below, sums, -np.inf).argmax(), np.where(outside, sums, -np.inf).argmax()
        weights = (logs[:, best] - logs[:, rival]) * counts / max(float(counts.sum()), 1e-9)
        return np.asarray(weights, np.float32)
