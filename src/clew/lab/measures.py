"""What the lab measures: of one run, of runs side by side, and of repeats.

Two kinds of arrays come in: ``found`` bool[n], whether each fetch of the ledger brought a relevant page that was not
brought before, by the truth; and ``judged`` float32[n], the judge's relevance, NaN where a fetch brought no page to
judge. R(n) is the found-curve, the sum of the first n entries of ``found``. Shares lie in [0, 1]; what cannot be said
(a share of nothing) is NaN. Sources are the papers by checklist number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from clew.lab.results import Run
from clew.model import Bools, Doubles, Floats, Ints

EXACT_PAIRS = 16
FLIPS = 1 << 14
"""The paired test tries all sign flips up to so many pairs that differ, and else so many at random."""


def area(found: Bools, budget: int) -> float:
    """The mean of R(n) for n = 1 ... budget, in pages. A run that stopped early keeps its last value."""
    if budget < 1:
        return float("nan")
    curve = np.cumsum(found[:budget], dtype=np.int64)
    left = budget - len(curve)
    return (float(curve.sum()) + (left * float(curve[-1]) if len(curve) else 0.0)) / budget


def area_over_oracle(found: Bools, oracle_found: Bools, budget: int) -> float:
    """The area as a share of an oracle's (NaN if it found nothing). It may pass 1: no oracle here is an upper bound."""
    possible = area(oracle_found, budget)
    return area(found, budget) / possible if possible > 0 else float("nan")


def recall_at(
    found: Bools, reachable: int, budget: int, shares: Sequence[float] = (0.1, 0.25, 0.5, 1.0)
) -> tuple[float, ...]:
    """The share of the reachable relevant pages that is found within each share of the budget (whole fetches)."""
    if reachable < 1:
        return (float("nan"),) * len(shares)
    return tuple([float(found[: int(share * budget + 1e-9)].sum()) / reachable for share in shares])


def harvest(found: Bools) -> Doubles:
    """The harvest rate after 1, 2, ... n fetches, R(n)/n: float64[n] (cumulative precision)."""
    return np.cumsum(found, dtype=np.float64) / np.arange(1, len(found) + 1)


def sliding(values: Floats | Doubles | Bools, window: int = 200) -> Doubles:
    """The mean of the last ``window`` fetches at each fetch: float64[n]; of fewer at the beginning.

    Fetches that brought nothing to judge (NaN) are left out of the mean; it is NaN where nothing is left.
    """
    numbers = np.asarray(values, np.float64)
    return _shares(_windowed(np.nan_to_num(numbers), window), _windowed(~np.isnan(numbers), window))


def loss(judged: Floats | Doubles | Bools) -> Doubles:
    """Σ_{i≤n} (1 − Pr(c*|v_i)) after n = 1, 2, ... fetches, in pages: float64[n] (divided by n it is the loss
    rate). Pr is the judge's relevance, or the truth if ``found`` is given.

    Departure: the paper sums over pages; we count a fetch that brought nothing to judge as a page lost.
    """
    return np.cumsum(1.0 - np.nan_to_num(np.asarray(judged, np.float64)))


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """``fetched`` and ``found`` int32[deepest + 1]: fetches and relevant pages at each link distance from the seeds."""

    fetched: Ints
    found: Ints

    @property
    def precision(self) -> Doubles:
        """The share of relevant pages at each distance, float64; NaN where nothing was fetched."""
        return _shares(self.found, self.fetched)


def distances(depth: Ints, found: Bools) -> Distances:
    """The histogram of link distances of the relevant pages, and of all fetches beside it."""
    size = int(depth.max()) + 1 if len(depth) else 0
    return Distances(_counts(depth, size), _counts(depth[found], size))


def overlap(runs: Sequence[Run]) -> Doubles:
    """Jaccard coefficients float64[k, k] of the relevant pages that runs found; NaN if neither found any."""
    sets = [{url for url, good in zip(run.urls, run.found.tolist(), strict=True) if good} for run in runs]
    both = [[len(one & two) for two in sets] for one in sets]
    return _shares(both, [[len(one | two) for two in sets] for one in sets])


@dataclass(frozen=True, slots=True)
class PredictionAccuracy:
    """How well links' scores foretold the truth. ``auc``: the chance that a relevant page's link scored higher than an
    irrelevant one's; ``relevant`` and ``irrelevant``: the share of each class on its side of ``median``, the median
    score. What ties counts half, in all three. ``links``: how many had a score."""

    auc: float
    relevant: float
    irrelevant: float
    median: float
    links: int


def prediction_accuracy(predicted: Floats | Doubles, relevant: Bools) -> PredictionAccuracy:
    """Scores of links when they were taken, NaN for none, against the truth about their pages."""
    known = ~np.isnan(predicted)
    scores, truth = np.asarray(predicted[known], np.float64), relevant[known]
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[group]  # from 1; what ties shares its mean rank
    good, poor = int(truth.sum()), int((~truth).sum())
    wins = float(ranks[truth].sum()) - good * (good + 1) / 2
    median = float(np.median(scores)) if len(scores) else float("nan")
    sides = np.where(scores == median, 0.5, (scores > median).astype(np.float64))
    return PredictionAccuracy(
        auc=wins / (good * poor) if good and poor else float("nan"),
        relevant=float(sides[truth].mean()) if good else float("nan"),
        irrelevant=1.0 - float(sides[~truth].mean()) if poor else float("nan"),
        median=median,
        links=len(scores),
    )


@dataclass(frozen=True, slots=True)
class Interval:
    """A median and an interval that covers the true one with a chance of at least ``coverage``, whatever the
    distribution. Few values cannot cover more: 3 reach .75, 5 .94, and 6 are the first to reach .95."""

    median: float
    low: float
    high: float
    coverage: float


def median_interval(values: Sequence[float] | Doubles, level: float = 0.95) -> Interval:
    """The narrowest pair of order statistics x_(k), x_(n+1−k) whose coverage 1 − 2·P(Binomial(n, ½) < k) reaches
    ``level``; all the range if none does. NaN values are left out. It is exact, so it needs no random numbers."""
    known = np.sort(np.asarray(values, np.float64))
    known = known[~np.isnan(known)]
    if not (count := len(known)):
        return Interval(float("nan"), float("nan"), float("nan"), 0.0)
    chosen, coverage, below = 0, 0.0, 0.0
    for k in range((count + 1) // 2):
        below += comb(count, k) / 2**count
        if k and 1.0 - 2.0 * below < level:
            break
        chosen, coverage = k, 1.0 - 2.0 * below
    return Interval(float(np.median(known)), float(known[chosen]), float(known[-1 - chosen]), coverage)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """``difference``: mean of a − b; ``p``: two-sided chance of one as large if neither were better; ``pairs`` that
    differ; ``exact``: all sign flips were tried. With n pairs p is never below 2/2ⁿ: 6 are needed for p < .05."""

    difference: float
    p: float
    pairs: int
    exact: bool


def paired_test(a: Sequence[float] | Doubles, b: Sequence[float] | Doubles, seed: int = 1) -> PairedTest:
    """The sign-flip permutation test of paired values, such as two strategies' figures on the same tasks and repeats.

    Exact up to ``EXACT_PAIRS`` pairs that differ, else from ``FLIPS`` random flips. Pairs with a NaN are left out.
    """
    differences = np.asarray(a, np.float64) - np.asarray(b, np.float64)
    differences = differences[~np.isnan(differences)]
    moved = differences[differences != 0]
    mean = float(differences.mean()) if len(differences) else float("nan")
    if exact := len(moved) <= EXACT_PAIRS:
        bits = np.arange(1 << len(moved))[:, None] >> np.arange(len(moved)) & 1
    else:
        bits = np.random.default_rng([seed, 0xF11B]).integers(0, 2, (FLIPS, len(moved)), np.int8)
        bits[0] = 0  # what was seen is one of the flips
    sums = np.abs((1.0 - 2.0 * bits) @ moved)
    extreme = sums >= abs(float(moved.sum())) - 1e-9 * float(np.abs(moved).sum())
    return PairedTest(mean, float(extreme.mean()), len(moved), exact)


def _windowed(values: Doubles | Bools, window: int) -> Doubles:
    """The sum of the last ``window`` values at each place."""
    total = np.cumsum(values, dtype=np.float64)
    total[window:] -= total[:-window].copy()
    return total


def _counts(values: Ints, size: int) -> Ints:
    return np.bincount(values, minlength=size).astype(np.int32, copy=False)


def _shares(part: npt.ArrayLike, whole: npt.ArrayLike) -> Doubles:
    """part / whole, element by element; NaN where the whole is 0."""
    parts, wholes = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    return np.where(wholes > 0, parts / np.maximum(wholes, 1.0), np.nan)
