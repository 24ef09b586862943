"""The arithmetic of the apprentice: counts of features in two classes, and weights for scoring.

A count's key is ``feature << 1 | class`` (class 1 is *high*), the feature packed (``packing.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from clew.model import Doubles, Floats, LinkBatch
from clew.strategies.apprentice.packing import NONE, RANGE, TEXT, Counts, Packed, kinds, offsets_of, terms_of


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """How often each feature occurred in each class: sorted uint64 keys, int64 counts (n(u, τ) summed).

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

    def logs(self, counts: Counts, sizes: Counts, features: int) -> Doubles:
        """float64[2, n]: log θ of each class, from int64[2, n] counts of n features, the occurrences of all
        features in each class int64[2], and the number of all features |T|."""
        share = 2.0 * sizes / max(int(sizes.sum()), 1) if self.proportional else np.ones(2)
        added = np.maximum(self.alpha * share, 1e-9)
        logs = np.log(added[:, None] + counts) - np.log(added * max(features, 1) + sizes)[:, None]
        return np.asarray(logs, np.float64)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How weights are made of counts, and sums of weights: the widest window, pseudo-counts, ranges of the prior and
    the ``pseudo`` instances of each, the power of the number of terms (``length``), and whether text has offsets."""

    d_max: int
    smoothing: Smoothing
    ranges: int = 0
    pseudo: float = 0.0
    length: float = 0.0
    offsets: bool = True

    def priors(self, ranges: Counts, instances: Counts) -> Doubles:
        """float64[max(ranges, 1)]: log-odds of *high*, from int64[2, ranges] instances in each range, or from all.

        Each range has so many pseudo-instances of the baseline's belief: a page leads to relevant ones as often as it
        is relevant itself.
        """
        if not self.ranges:
            low, high = np.maximum(instances, 1e-9)
            return np.array([np.log(high) - np.log(low)])
        believed = (np.arange(self.ranges) + 0.5) / self.ranges
        odds = (ranges[1] + self.pseudo * believed) / (ranges[0] + self.pseudo * (1.0 - believed))
        return np.asarray(np.log(odds), np.float64)

    def by_range(self, features: Packed, counts: Counts) -> Counts:
        """int64[2, max(ranges, 1)]: instances of each class in each range."""
        own = kinds(features) == RANGE
        seen = np.zeros((2, max(self.ranges, 1)), np.int64)
        seen[:, terms_of(features[own])] = counts[:, own]
        return seen


def range_of(relevance: float, ranges: int) -> int:
    """The number of the range of equal width in which a relevance lies."""
    return min(int(relevance * ranges), ranges - 1)


@dataclass(eq=False)
class Model:
    """Two-class multinomial naive Bayes as weights.

    features uint64[T] and weights float64[T]: log θ_high,τ − log θ_low,τ · priors float64[ranges]: log Pr(high) −
    log Pr(low) for each range of the page's relevance, of which there may be one · ``width``: text further away does
    not count · rows uint64[V] (kind and term) and grid float32[V + 1, 2·width + 1]: the weights by row and offset;
    features that were never seen, and those of the last row, weigh 0.
    """

    features: Packed
    weights: Doubles
    priors: Doubles
    recipe: Recipe
    width: int

    @classmethod
    def trained(cls, table: Table, recipe: Recipe, width: int | None = None) -> Model:
        features, counts = table.features()
        priors = recipe.priors(recipe.by_range(features, counts), table.instances)
        plain = kinds(features) != RANGE
        features, counts = features[plain], counts[:, plain]
        logs = recipe.smoothing.logs(counts, counts.sum(axis=1), len(features))
        return cls(features, logs[1] - logs[0], priors, recipe, recipe.d_max if width is None else width)

    def prior(self, relevance: float) -> float:
        """The log-odds of *high* for a link of which no more is known than the relevance of its page."""
        return float(self.priors[range_of(relevance, len(self.priors))])

    @cached_property
    def rows(self) -> Packed:
        return np.unique(self.features >> np.uint64(8))

    @cached_property
    def grid(self) -> Floats:
        grid = np.zeros((len(self.rows) + 1, 2 * self.width + 1), np.float32)
        offset = offsets_of(self.features, self.recipe.d_max)
        near = np.abs(offset) <= self.width
        row = np.searchsorted(self.rows, self.features[near] >> np.uint64(8))
        grid[row, offset[near] + self.width] = self.weights[near]
        if not self.recipe.offsets:  # all text stands at d = 0, and weighs the same wherever it is found
            grid[:] = grid[:, self.width, None]
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

    def adds(self, features: Packed) -> Doubles:
        """float64[n]: what every feature of one link adds to x: its weight, over the length of the text at its offset;
        0 outside the window."""
        offset = offsets_of(features, self.recipe.d_max)
        text = kinds(features) == TEXT
        size = np.bincount(offset[text] + self.recipe.d_max, minlength=2 * self.recipe.d_max + 1)
        divisor = np.where(text, size[offset + self.recipe.d_max], 1) ** self.recipe.length
        return self.each(features) * (np.abs(offset) <= self.width) / divisor

    def odds(self, features: Packed) -> float:
        """x of one link from its features."""
        number = terms_of(features[kinds(features) == RANGE])
        return float(self.priors[number[0] if len(number) else 0] + self.adds(features).sum())

    def text(self, links: LinkBatch, first_only: bool) -> Doubles:
        """float64[n]: what the text around every link adds to x.

        Sums over each leaf are taken once for every offset, so the cost does not grow with links × window.
        """
        spans, leaves, width = links.links.spans, links.leaves, self.width
        if first_only:
            spans = spans[np.diff(spans[:, 0], prepend=-1) != 0]
        spans = spans[spans[:, 2] >= spans[:, 1]]
        if not len(spans) or not len(leaves) or not len(self.terms):
            return np.zeros(len(links))
        columns = np.arange(2 * width + 1)
        offset, last = columns - width, len(leaves) - 1
        place = np.where(offset < 0, spans[:, 1:2], spans[:, 2:3]) + offset
        inside = (place >= 0) & (place <= last)
        place = place.clip(0, last)
        sums, sizes = self._leaf_sums(leaves.ids, leaves.starts), np.diff(leaves.starts)
        found, many = np.where(inside, sums[place, columns], 0.0), np.where(inside, sizes[place], 0)
        below = np.concatenate([[0.0], np.cumsum(sums[:, width])])
        found[:, width] = below[spans[:, 2] + 1] - below[spans[:, 1]]
        many[:, width] = leaves.starts[spans[:, 2] + 1] - leaves.starts[spans[:, 1]]
        texts = columns if self.recipe.offsets else np.zeros_like(columns)  # of which text of the link each is a part
        cell, cells = (spans[:, :1] * len(columns) + texts).ravel(), len(links) * len(columns)
        total = np.asarray(np.bincount(cell, found.ravel(), cells), np.float64)
        if self.recipe.length:
            total = total / np.maximum(np.bincount(cell, many.ravel(), cells), 1.0) ** self.recipe.length
        return np.asarray(total.reshape(len(links), -1).sum(axis=1), np.float64)

    def _leaf_sums(self, ids: npt.NDArray[np.uint32], starts: npt.NDArray[np.int32]) -> Doubles:
        """float64[leaves, 2·width + 1]: Σ of the weights of each leaf's terms at every offset."""
        sums = np.zeros((len(starts) - 1, 2 * self.width + 1))
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
        distinct, which = np.unique(features, return_inverse=True)
        adds = np.bincount(which, self.adds(features), len(distinct))
        order = np.argsort(-np.abs(adds), kind="stable")[:count]
        return [(int(distinct[i]), float(adds[i])) for i in order if adds[i]]
