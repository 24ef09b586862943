"""The arithmetic of the apprentice: features of links, their counts in two classes, and weights for scoring.

A feature τ is packed in a uint64: ``kind << 40 | term << 8 | column``. A column is a DOM offset d as d + d_max;
features without an offset stand at d = 0. A count's key is ``feature << 1 | class`` (class 1 is *high*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.model import Doubles, Floats, LinkBatch

TEXT, PAGE, SIBLING, URL, RANGE = 0, 1, 2, 3, 4
"""Kinds of features: terms near a link, topics of its page, links beside it, words of its URL; and the range of its
page's relevance, which decides the prior and is none of T."""

Packed = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]
NONE: Packed = np.empty(0, np.uint64)


def pack(kind: int, terms: npt.NDArray[Any], columns: npt.NDArray[Any] | int) -> Packed:
    """uint64[n]: features of one kind."""
    high = np.uint64(kind << 40) | (terms.astype(np.uint64) << np.uint64(8))
    return high | np.asarray(columns).astype(np.uint64)


def unpack(feature: int, d_max: int) -> tuple[int, int, int]:
    """(kind, term, offset) of a feature."""
    return feature >> 40, (feature >> 8) & 0xFFFFFFFF, (feature & 0xFF) - d_max


def spans_of(links: LinkBatch, wanted: npt.NDArray[np.bool_], first_only: bool) -> LinkBatch:
    """The batch with the anchors of the ``wanted`` links alone, or the first anchor of each (APP-21)."""
    spans = links.links.spans
    keep = wanted[spans[:, 0]]
    if first_only:
        keep &= np.diff(spans[:, 0], prepend=-1) != 0
    return replace(links, links=replace(links.links, spans=spans[keep]))


def text_features(links: LinkBatch, index: int, d_max: int, first_only: bool) -> Packed:
    """The ⟨t, d⟩ of one link, an entry an occurrence (APP-18)."""
    wanted = np.zeros(len(links), np.bool_)
    wanted[index] = True
    _, terms, offsets = spans_of(links, wanted, first_only).offsets(d_max)
    return pack(TEXT, terms, offsets + d_max)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """How often each feature occurred in each class: sorted uint64 keys, int64 counts (n(u, τ) summed, APP-26).

    ``instances`` int64[2]: how many instances of low and high were counted.
    """

    keys: Packed
    counts: Counts
    instances: Counts

    @classmethod
    def empty(cls) -> Table:
        return cls(NONE, np.empty(0, np.int64), np.zeros(2, np.int64))

    def plus(self, features: Sequence[Packed], high: Sequence[bool]) -> Table:
        """With these instances counted as well."""
        if not features:
            return self
        keys = [(one << np.uint64(1)) | np.uint64(is_high) for one, is_high in zip(features, high, strict=True)]
        found, counts = np.unique(np.concatenate(keys), return_counts=True)
        instances = np.bincount(np.array(high, np.int64), minlength=2)
        return self.joined(Table(found, counts.astype(np.int64), instances))

    def joined(self, other: Table) -> Table:
        """The sum of two tables."""
        place = np.searchsorted(self.keys, other.keys)
        known = np.zeros(len(other.keys), np.bool_)
        inside = place < len(self.keys)
        known[inside] = self.keys[place[inside]] == other.keys[inside]
        counts = self.counts.copy()
        counts[place[known]] += other.counts[known]
        new = ~known
        return Table(
            np.insert(self.keys, place[new], other.keys[new]),
            np.insert(counts, place[new], other.counts[new]),
            self.instances + other.instances,
        )

    def features(self) -> tuple[Packed, Counts]:
        """Distinct features T, sorted, and their counts int64[2, |T|] in low and high."""
        features = self.keys >> np.uint64(1)
        first = np.flatnonzero(np.diff(features, prepend=np.uint64(2**64 - 1)) != 0)
        number = np.repeat(np.arange(len(first)), np.diff(first, append=len(features)))
        counts = np.zeros((2, len(first)), np.int64)
        counts[(self.keys & np.uint64(1)).astype(np.intp), number] = self.counts
        return features[first], counts

    def pruned(self, maximum: int) -> Table:
        """With the ``maximum`` most frequent features alone; of equals, those with the lower number."""
        features, counts = self.features()
        if len(features) <= maximum:
            return self
        kept = np.sort(features[np.argsort(-counts.sum(axis=0), kind="stable")[:maximum]])
        own = self.keys >> np.uint64(1)
        place = np.minimum(np.searchsorted(kept, own), len(kept) - 1)
        keep = kept[place] == own
        return Table(self.keys[keep], self.counts[keep], self.instances)

    def packed(self) -> list[bytes]:
        return [self.keys.tobytes(), self.counts.astype(np.uint32).tobytes(), self.instances.tobytes()]

    @classmethod
    def unpacked(cls, parts: Sequence[bytes]) -> Table:
        keys, counts, instances = parts
        return cls(
            np.frombuffer(keys, np.uint64),
            np.frombuffer(counts, np.uint32).astype(np.int64),
            np.frombuffer(instances, np.int64),
        )


@dataclass(frozen=True, slots=True)
class Smoothing:
    """``alpha`` pseudo-counts of every feature in each class, or 2·alpha of every feature, shared by the classes in
    proportion to their sizes."""

    alpha: float
    proportional: bool = False

    def logs(self, counts: Counts) -> Doubles:
        """float64[2, T]: log θ of each class (APP-26), from int64[2, T] counts."""
        sizes = counts.sum(axis=1, keepdims=True)
        share = 2.0 * sizes / max(sizes.sum(), 1) if self.proportional else np.ones((2, 1))
        added = np.maximum(self.alpha * share, 1e-9)
        logs = np.log(added + counts) - np.log(added * max(counts.shape[1], 1) + sizes)
        return np.asarray(logs, np.float64)


def range_of(relevance: float, ranges: int) -> int:
    """The number of the range of equal width in which a relevance lies."""
    return min(int(relevance * ranges), ranges - 1)


def _priors(table: Table, ranges: int, pseudo: float) -> Doubles:
    """float64[max(ranges, 1)]: log-odds of *high*, each range with so many ``pseudo`` instances of the baseline's
    belief that a page leads to relevant ones as often as it is relevant itself."""
    if not ranges:
        low, high = table.instances
        return np.array([np.log(high) - np.log(low)])
    features, counts = table.features()
    own = (features >> np.uint64(40)) == RANGE
    seen = np.zeros((2, ranges))
    seen[:, ((features[own] >> np.uint64(8)) & np.uint64(0xFFFFFFFF)).astype(np.intp)] = counts[:, own]
    believed = (np.arange(ranges) + 0.5) / ranges
    odds = (seen[1] + pseudo * believed) / (seen[0] + pseudo * (1.0 - believed))
    return np.asarray(np.log(odds), np.float64)


@dataclass(eq=False)
class Model:
    """Two-class multinomial naive Bayes as weights (APP-26).

    features uint64[T] and weights float64[T]: log θ_high,τ − log θ_low,τ · priors float64[ranges]: log Pr(high) −
    log Pr(low) for each range of the page's relevance, of which there may be one · rows uint64[V] (kind and term) and
    grid float32[V + 1, 2·d_max + 1]: the weights by row and column; features that were never seen, and those of the
    last row, weigh 0.
    """

    features: Packed
    weights: Doubles
    priors: Doubles
    d_max: int

    @classmethod
    def trained(cls, table: Table, d_max: int, smoothing: Smoothing, ranges: int = 0, pseudo: float = 0.0) -> Model:
        features, counts = table.features()
        priors = _priors(table, ranges, pseudo)
        plain = (features >> np.uint64(40)) != RANGE
        features, counts = features[plain], counts[:, plain]
        logs = smoothing.logs(counts)
        return cls(features, logs[1] - logs[0], priors, d_max)

    def prior(self, relevance: float) -> float:
        """The log-odds of *high* for a link of which no more is known than the relevance of its page."""
        return float(self.priors[range_of(relevance, len(self.priors))])

    def prior_of(self, features: Packed) -> float:
        """The same from the features of a link."""
        number = features[(features >> np.uint64(40)) == RANGE]
        return float(self.priors[(int(number[0]) >> 8) & 0xFFFFFFFF if len(number) else 0])

    @cached_property
    def rows(self) -> Packed:
        return np.unique(self.features >> np.uint64(8))

    @cached_property
    def grid(self) -> Floats:
        grid = np.zeros((len(self.rows) + 1, 2 * self.d_max + 1), np.float32)
        row = np.searchsorted(self.rows, self.features >> np.uint64(8))
        grid[row, (self.features & np.uint64(0xFF)).astype(np.intp)] = self.weights
        return grid

    @cached_property
    def terms(self) -> npt.NDArray[np.uint32]:
        """The rows of kind TEXT, which come first, by term."""
        return self.rows[: np.searchsorted(self.rows, np.uint64(1 << 32))].astype(np.uint32)

    def sums(self, features: Packed) -> float:
        """Σ_τ n(u, τ)·weight of some features."""
        return float(self.each(features).sum())

    def each(self, features: Packed) -> Doubles:
        """float64[n]: the weight of every feature, 0 where it is unknown."""
        if not len(self.features):
            return np.zeros(len(features))
        place = np.minimum(np.searchsorted(self.features, features), len(self.features) - 1)
        return np.where(self.features[place] == features, self.weights[place], 0.0)

    def text(self, links: LinkBatch, first_only: bool) -> tuple[Doubles, Doubles]:
        """float64[n] twice: Σ n(u, τ)·weight over the text features of every link, and how many there are.

        Sums over each leaf are taken once for every offset, so the cost does not grow with links × window.
        """
        spans, leaves, d_max = links.links.spans, links.leaves, self.d_max
        if first_only:
            spans = spans[np.diff(spans[:, 0], prepend=-1) != 0]
        spans = spans[spans[:, 2] >= spans[:, 1]]
        total, size = np.zeros(len(links)), np.zeros(len(links))
        if not len(spans) or not len(leaves) or not len(self.terms):
            return total, size
        sums = self._leaf_sums(leaves.ids, leaves.starts)
        below = np.concatenate([[0.0], np.cumsum(sums[:, d_max])])
        link, low, high = spans[:, 0], spans[:, 1], spans[:, 2]
        own = below[high + 1] - below[low]
        steps = np.arange(1, d_max + 1)
        left, right = low[:, None] - steps, high[:, None] + steps
        before = np.where(left >= 0, sums[np.maximum(left, 0), d_max - steps], 0.0)
        last = len(leaves) - 1
        after = np.where(right <= last, sums[np.minimum(right, last), d_max + steps], 0.0)
        total += np.bincount(link, own + before.sum(axis=1) + after.sum(axis=1), len(links))
        reach = leaves.starts[np.minimum(high + d_max, last) + 1] - leaves.starts[np.maximum(low - d_max, 0)]
        size += np.bincount(link, reach, len(links))
        return total, size

    def _leaf_sums(self, ids: npt.NDArray[np.uint32], starts: npt.NDArray[np.int32]) -> Doubles:
        """float64[leaves, 2·d_max + 1]: Σ of the weights of each leaf's terms at every offset."""
        sums = np.zeros((len(starts) - 1, 2 * self.d_max + 1))
        held = np.flatnonzero(np.diff(starts))
        if len(held):
            sums[held] = np.add.reduceat(self.grid[self._lookup(ids)], starts[held], axis=0, dtype=np.float64)
        return sums

    def _lookup(self, ids: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
        place = np.searchsorted(self.terms, ids)
        place[place == len(self.terms)] = 0
        place[self.terms[place] != ids] = len(self.rows)
        return place

    def strongest(self, features: Packed, count: int) -> list[tuple[int, float]]:
        """The features of a link that weigh most, and what each adds."""
        distinct, times = np.unique(features, return_counts=True)
        adds = self.each(distinct) * times
        order = np.argsort(-np.abs(adds), kind="stable")[:count]
        return [(int(distinct[i]), float(adds[i])) for i in order if adds[i]]


def gains(table: Table, d_max: int) -> Doubles:
    """float64[2·d_max + 1]: the average information gain of text features at each offset, in bits (APP-41).

    The gain of τ is the mutual information between the class of an occurrence and whether it is one of τ.
    """
    features, counts = table.features()
    text = (features >> np.uint64(40)) == TEXT
    columns = (features[text] & np.uint64(0xFF)).astype(np.intp)
    joint = counts[:, text].astype(np.float64)
    totals = joint.sum(axis=1, keepdims=True)
    whole = totals.sum()
    gain = np.zeros(joint.shape[1])
    for cell, one, two in (
        (joint, joint.sum(axis=0), totals),
        (totals - joint, whole - joint.sum(axis=0), totals),
    ):
        with np.errstate(divide="ignore", invalid="ignore"):
            gain += np.nan_to_num(cell / whole * np.log2(cell * whole / (one * two)), neginf=0.0).sum(axis=0)
    many = np.bincount(columns, minlength=2 * d_max + 1)
    return np.bincount(columns, gain, 2 * d_max + 1) / np.maximum(many, 1)
