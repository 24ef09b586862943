"""How far from a link its text tells where it leads: the window is chosen by held-out instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.model import Bools, Doubles
from clew.strategies.apprentice.model import Recipe, Table
from clew.strategies.apprentice.packing import RANGE, TEXT, Counts, Packed, kinds, offsets_of, terms_of

FOLDS = 5

Instance = tuple[bool, Packed]
"""Whether it is high, and its features."""


@dataclass(frozen=True, slots=True, eq=False)
class _Flat:
    """Features of many instances in one array: ``rows`` says whose, ``place`` where in the table's features (known)."""

    high: Bools
    rows: npt.NDArray[np.intp]
    features: Packed
    place: npt.NDArray[np.intp]
    known: Bools

    @classmethod
    def of(cls, instances: Sequence[Instance], among: Packed) -> _Flat:
        rows = np.repeat(np.arange(len(instances)), [len(features) for _, features in instances])
        features = np.concatenate([features for _, features in instances])
        place = np.minimum(np.searchsorted(among, features), len(among) - 1)
        high = np.array([is_high for is_high, _ in instances], np.bool_)
        return cls(high, rows, features, place, among[place] == features)

    def counts(self, which: Bools, features: int) -> Counts:
        """int64[2, features]: how often each feature occurs in some of the instances."""
        own = self.known & which[self.rows]
        cells = self.high[self.rows[own]] * features + self.place[own]
        return np.bincount(cells, minlength=2 * features).reshape(2, features)

    def odds(self, weights: Doubles, recipe: Recipe) -> Doubles:
        """float64[instances, d_max + 1]: what the features add to x with each window; weights float64[features]."""
        offset, text = offsets_of(self.features, recipe.d_max), kinds(self.features) == TEXT
        columns, n = 2 * recipe.d_max + 1, len(self.high)
        cells = self.rows * columns + offset + recipe.d_max
        sums = np.asarray(np.bincount(cells[text], weights[text], n * columns), np.float64)
        sums = sums / np.maximum(np.bincount(cells[text], minlength=n * columns), 1.0) ** recipe.length
        by_offset = sums.reshape(n, columns)
        rings = by_offset[:, recipe.d_max :].copy()
        rings[:, 1:] += by_offset[:, : recipe.d_max][:, ::-1]
        rings[:, 0] += np.bincount(self.rows[~text], weights[~text], n)
        return np.asarray(np.cumsum(rings, axis=1), np.float64)


def held_out_order(table: Table, instances: Sequence[Instance], recipe: Recipe) -> Doubles:
    """float64[d_max + 1]: with each window, 0 to d_max, the share of pairs of a high and a low instance that x puts in
    the right order, ties counting half (0.5 is chance, and what is said when either class is missing).

    Every instance is foretold by the counts of ``table``, which holds it, without those of its fold (instance i is of
    fold i mod FOLDS). T is that of the table.
    """
    features, counts = table.features()
    plain = kinds(features) != RANGE
    flat = _Flat.of(instances, features)
    ranges = flat.features[kinds(flat.features) == RANGE]
    number = terms_of(ranges) if len(ranges) else np.zeros(len(instances), np.intp)
    odds = np.zeros((len(instances), recipe.d_max + 1))
    for fold in range(FOLDS):
        tested = np.arange(len(instances)) % FOLDS == fold
        rest = np.maximum(counts - flat.counts(tested, len(features)), 0)
        logs = recipe.smoothing.logs(rest[:, flat.place], rest[:, plain].sum(axis=1), int(plain.sum()))
        counted = flat.known & plain[flat.place] & (rest[:, flat.place].sum(axis=0) > 0)
        left = table.instances - np.bincount(flat.high[tested], minlength=2)
        priors = recipe.priors(recipe.by_range(features, rest), left)
        found = flat.odds(np.where(counted, logs[1] - logs[0], 0.0), recipe) + priors[number][:, None]
        odds[tested] = found[tested]
    return ordered(flat.high, odds)


def ordered(high: Bools, odds: Doubles) -> Doubles:
    """float64[columns]: the share of (high, low) pairs in the right order, by rank sums."""
    many = int(high.sum())
    pairs = many * (len(high) - many)
    if not pairs:
        return np.full(odds.shape[1], 0.5)
    ranks = np.array([_ranks(column)[high].sum() for column in odds.T])
    return np.asarray((ranks - many * (many + 1) / 2) / pairs, np.float64)


def _ranks(values: Doubles) -> Doubles:
    """float64[n]: places in ascending order from 1, the mean place for ties (scipy.stats takes a second to import)."""
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right") + 1) / 2


def gains(table: Table, d_max: int) -> Doubles:
    """float64[2·d_max + 1]: the average information gain of text features at each offset, in bits.

    The gain of τ is the mutual information between the class of an occurrence and whether it is one of τ.
    """
    features, counts = table.features()
    text = kinds(features) == TEXT
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
