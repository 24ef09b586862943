"""Which pages of a crawl are relevant, by the scores of a judge: the base rate, and the best threshold.

Two normal distributions of scores, of relevant pages and of others, are fitted to the pages that were crawled; the
share of the first, the base rate π, is estimated with them (the prior correction of Saerens, Latinne and Decaestecker
2002: EM with the chances of the pages as they are, not as among the examples):

    E:  p_i = π·f₁(s_i) / (π·f₁(s_i) + (1−π)·f₀(s_i))
    M:  π = (Σp_i + a) / (n + a + b)
        μ₁ = (k·m + Σp_i·s_i) / (k + Σp_i), at least m less one standard error
        σ₁² = (h·v + Σp_i·(s_i − μ₁)²) / (h + Σp_i)

m is the mean score of the examples, each scored by a judge that did not know it, v the variance that is expected; they
count as k and h pages. f₀ has no prior, but a heavier tail: a share τ of it is three times as wide. What scores less
than the mean of the others is no relevant page, and above the mean of the relevant ones the chance does not fall.

The threshold t is where expected precision and recall are best together (F_β with β above 1: recall counts more):

    P(t) = Σ_{s_i ≥ t} p_i / |{s_i ≥ t}|,   R(t) = Σ_{s_i ≥ t} p_i / Σp_i
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.judges.base import Estimate
from clew.model import Bools, Doubles

ROUNDS = 60
TAIL = 0.01
WIDER = 3.0
EXAMPLE_PAGES = 20.0
"""k: so many crawled pages the mean of the examples counts."""

DRIFT = 1.0
"""Their mean is at most so many standard errors of the examples' mean below it: many pages near the topic would pull it
down to theirs."""

SPREAD_PAGES = 40.0
FIRST_HITS, FIRST_MISSES = 2.0, 18.0
"""a and b: before anything is crawled, one page in ten is thought relevant."""

WIDEST = 2.0
"""The standard deviation of relevant pages, at most, as a multiple of what is expected."""

NARROW = 0.6
"""EM begins with the others at the median of all pages, so much as wide as all."""

ENOUGH_AGAINST = 3
"""Examples that are not relevant from which on they tell where such pages lie."""

BETA = 2.0

DRAWS = 12
TAILS = 0.05
"""On either side of the interval."""

NEAR_MISSES = 0.8
"""By how much the mixture says too much, in standard deviations of a page's being relevant or not: it cannot tell pages
near the topic from those on it."""

BELOW, ABOVE = 1.6, 0.45
"""How far the interval reaches below and above what the mixture says, in the same, if drawing again moves nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """``chances`` float64[n] of the pages it was fitted to; ``base_rate`` π; means and standard deviations of the
    relevant pages (1) and of the others (0)."""

    chances: Doubles
    base_rate: float
    mean: float
    spread: float
    mean_other: float
    spread_other: float


def mixture(scores: Doubles, mean: float, spread: float, against: Doubles | None = None, examples: int = 0) -> Mixture:
    """Fit the two distributions to scores float64[n] of crawled pages, n > 0. ``mean`` and ``spread`` are expected of
    relevant ones, by so many ``examples``. ``against`` float64[c]: scores of examples that are not relevant, each left
    out; they count as pages of the crawl do. Where they are few, EM begins with most pages not relevant."""
    known = against if against is not None and len(against) >= ENOUGH_AGAINST else np.zeros(0)
    mean1, spread1, n = mean, spread, len(scores)
    begin = known if len(known) else scores
    mean0, spread0 = float(np.median(begin)), max((1.0 if len(known) else NARROW) * float(begin.std()), 1e-6)
    base = FIRST_HITS / (FIRST_HITS + FIRST_MISSES)
    lowest = mean - DRIFT * spread / examples**0.5 if examples > 1 else -np.inf
    order = np.argsort(scores, kind="stable")
    chances = np.zeros(n)
    for _ in range(ROUNDS):
        mine = base * _normal(scores, mean1, spread1)
        rest = (1.0 - base) * (
            (1.0 - TAIL) * _normal(scores, mean0, spread0) + TAIL * _normal(scores, mean0, WIDER * spread0)
        )
        raw = mine / np.maximum(mine + rest, 1e-300)
        rising = np.empty(n)
        rising[order] = np.maximum.accumulate(raw[order])
        chances = np.where(scores < mean0, 0.0, np.where(scores > mean1, rising, raw))
        total = float(chances.sum())
        base = (total + FIRST_HITS) / (n + FIRST_HITS + FIRST_MISSES)
        mean1 = max((mean * EXAMPLE_PAGES + float(chances @ scores)) / (EXAMPLE_PAGES + total), lowest)
        variance = spread**2 * SPREAD_PAGES + float(chances @ (scores - mean1) ** 2)
        spread1 = min(float(np.sqrt(variance / (SPREAD_PAGES + total))), WIDEST * spread)
        mean0, spread0 = moments(np.concatenate([scores, known]), np.concatenate([1.0 - chances, np.ones(len(known))]))
        spread0 = max(spread0, 0.1 * spread, 1e-6)
    return Mixture(chances, base, mean1, spread1, mean0, spread0)


def estimate(
    whole: Mixture, scores: Doubles, at: float, held: Doubles, against: Doubles, expected: float, spread: float
) -> Estimate:
    """The precision of what scores ``at`` or more among ``scores`` float64[n], with an interval. ``whole`` was fitted
    to them; pages and examples are drawn again, with replacement, ``DRAWS`` times, and the distributions fitted anew.
    What the mixture says is lowered by what it said too much in crawls whose truth is known. ``held`` and ``against``:
    scores of the examples, left out. Of fewer than two, ``expected`` may as well lie ``spread`` higher or lower."""
    rng = np.random.default_rng(len(scores))
    found = []
    for _ in range(DRAWS):
        pages, others = (rng.choice(side, len(side)) if len(side) else side for side in (scores, against))
        mean = float(rng.choice(held, len(held)).mean()) if len(held) > 1 else expected + spread * rng.normal()
        found.append(_share(mixture(pages, mean, spread, others, len(held)).chances, pages >= at))
    precision = _share(whole.chances, scores >= at)
    known = np.array([one for one in found if np.isfinite(one)] or [np.nan])
    deviation = float(np.sqrt(max(precision * (1.0 - precision), 0.0)))
    ends = np.quantile(known, [TAILS, 1.0 - TAILS]) - precision
    low = precision - float(np.hypot(min(ends[0], 0.0), BELOW * deviation))
    high = precision + float(np.hypot(max(ends[1], 0.0), ABOVE * deviation))
    told = precision - NEAR_MISSES * deviation
    return Estimate(max(told, 0.0) if np.isfinite(told) else told, max(low, 0.0), min(high, 1.0), whole.base_rate)


def _share(chances: Doubles, called: Bools) -> float:
    return float(chances[called].mean()) if called.any() else float("nan")


def moments(values: Doubles, weights: Doubles) -> tuple[float, float]:
    """Mean and standard deviation of values float64[n], weighted by float64[n]."""
    total = max(float(weights.sum()), 1e-9)
    mean = float(weights @ values) / total
    return mean, float(np.sqrt(weights @ (values - mean) ** 2 / total))


def threshold(scores: Doubles, chances: Doubles, beta: float = BETA) -> float:
    """Where expected F_β is best; half way between two pages. ``scores`` and ``chances`` float64[n], n > 0."""
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(chances[order])
    called = np.arange(1, len(order) + 1)
    value = (1.0 + beta**2) * hits / (called + beta**2 * max(float(hits[-1]), 1e-12))
    value[:-1][ranked[:-1] == ranked[1:]] = -1.0  # equal scores cannot be parted
    best = int(value.argmax())
    return float(ranked[best] + ranked[min(best + 1, len(ranked) - 1)]) / 2.0


def _normal(scores: Doubles, mean: float, spread: float) -> Doubles:
    z = (scores - mean) / spread
    return np.asarray(np.exp(-0.5 * z * z) / (spread * np.sqrt(2.0 * np.pi)), np.float64)
