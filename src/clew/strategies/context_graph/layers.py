"""The layer classifiers of Diligenti and others 2000 section 3.2: naive Bayes over reduced TF-IDF vectors.

    P(w|c_j) = (1 + Σ_{d∈D_j} N(w,d)) / (|V| + Σ_{d∈D_j} Σ_s N(w_s,d))                equation (4)
    j*       = argmax_j P(c_j) Π_k P(w_k|c_j)                                        equation (3)
    ℓ_j(d)   = Σ_k log P(w_k|c_j) / number of features of d, or the plain sum (raw)
    other if ℓ_j*(d) < threshold_j*, or if no phrase of V is on the page

A phrase counts as often as it occurs, N(w,d), or once; w_k are the features that stay in the reduced vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import numpy.typing as npt

from clew.judges.reduced import ReducedVocabulary
from clew.model import Doubles, TermIds

OTHER = -1
"""The layer of a page that fits none."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A training page: its terms in reading order, its layer, and how many nodes it is."""

    terms: TermIds
    layer: int
    nodes: int = 1


@dataclass(frozen=True, slots=True)
class Form:
    """How features count: see the module's text; ``equal``: all layers are as probable, else by their nodes."""

    occurrences: bool = True
    raw: bool = False
    equal: bool = True
    quantile: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class LayerModel:
    """N + 1 classifiers. ``logs`` float64[V, N + 1]: log P(w|c_j); ``priors`` float64[N + 1], log P(c_j), -inf for
    layers without pages; ``thresholds`` float64[N + 1]; ``sizes``: pages a layer."""

    vocabulary: ReducedVocabulary
    logs: Doubles
    priors: Doubles
    thresholds: Doubles
    sizes: tuple[int, ...]
    form: Form

    @classmethod
    def train(cls, vocabulary: ReducedVocabulary, samples: Sequence[Sample], layers: int, form: Form) -> LayerModel:
        """From pages whose layers are known."""
        totals, nodes = np.zeros((len(vocabulary), layers)), np.zeros(layers)
        for one in samples:
            places, counts = _features(vocabulary, one.terms, form)
            totals[places, one.layer] += counts * one.nodes
            nodes[one.layer] += one.nodes
        logs = np.log(1.0 + totals) - np.log(max(len(vocabulary), 1) + totals.sum(axis=0))
        there = nodes > 0
        priors = np.full(layers, -np.inf)
        priors[there] = -np.log(there.sum()) if form.equal else np.log(nodes[there] / nodes.sum())
        sizes = tuple(sum(one.layer == layer for one in samples) for layer in range(layers))
        blank = cls(vocabulary, logs, priors, np.full(layers, -np.inf), sizes, form)
        return replace(blank, thresholds=blank._own_likelihoods(samples))

    def _own_likelihoods(self, samples: Sequence[Sample]) -> Doubles:
        """float64[N + 1]: the quantile of a layer's own pages' likelihoods (0: the least)."""
        own: list[list[float]] = [[] for _ in self.sizes]
        for one in samples:
            found = self.likelihoods(one.terms)
            if found is not None:
                own[one.layer].append(float(found[one.layer]))
        return np.array([np.quantile(row, self.form.quantile) if row else np.inf for row in own])

    def likelihoods(self, terms: TermIds) -> Doubles | None:
        """ℓ_j of a page, float64[N + 1]; None when no phrase of the vocabulary is on it."""
        places, counts = _features(self.vocabulary, terms, self.form)
        if not len(places):
            return None
        sums = counts @ self.logs[places]
        return np.asarray(sums if self.form.raw else sums / counts.sum(), np.float64)

    def place(self, terms: TermIds, first: int = 0) -> tuple[int, float]:
        """The layer of a page, not below ``first``, or OTHER; and its likelihood there (-inf without features)."""
        places, counts = _features(self.vocabulary, terms, self.form)
        if not len(places) or first >= len(self.sizes):
            return OTHER, -np.inf
        sums = counts @ self.logs[places]
        winner = int((sums + self.priors)[first:].argmax()) + first
        likelihood = float(sums[winner] if self.form.raw else sums[winner] / counts.sum())
        fits = likelihood >= self.thresholds[winner] and self.priors[winner] > -np.inf
        return (winner if fits else OTHER), likelihood

    def to_bytes(self) -> bytes:
        """For a saved state; exact."""
        words = self.vocabulary
        arrays = [column.tobytes() for column in (words.ids, words.idf, self.logs, self.priors, self.thresholds)]
        form = self.form
        flags = (form.occurrences, form.raw, form.equal, form.quantile)
        return msgspec.msgpack.encode((arrays, self.sizes, words.keep, words.pairs, flags))

    @classmethod
    def from_bytes(cls, raw: bytes) -> LayerModel:
        """What ``to_bytes`` gave."""
        kind = tuple[list[bytes], tuple[int, ...], int, bool, tuple[bool, bool, bool, float]]
        arrays, sizes, keep, pairs, flags = msgspec.msgpack.decode(raw, type=kind)
        ids = np.frombuffer(arrays[0], np.uint32).copy()
        idf, logs, priors, thresholds = (np.frombuffer(column, np.float64).copy() for column in arrays[1:])
        words = ReducedVocabulary(ids, idf, keep, pairs)
        return cls(words, logs.reshape(len(ids), len(sizes)), priors, thresholds, sizes, Form(*flags))


def squashed(value: float) -> float:
    """A log-likelihood as a number in (0, 1) of the same order."""
    return min(1.0 / (1.0 + max(-value, 0.0)), TOP_OF_QUEUE)


TOP_OF_QUEUE = 0.999
"""The most within a queue, so that queues do not touch."""


def _features(vocabulary: ReducedVocabulary, terms: TermIds, form: Form) -> tuple[npt.NDArray[np.intp], Doubles]:
    """Places in the vocabulary and counts of the phrases that stay of a page."""
    vector = vocabulary.of_terms(terms)
    counts = vector.counts.astype(np.float64) if form.occurrences else np.ones(len(vector.ids))
    return np.searchsorted(vocabulary.ids, vector.ids), counts
