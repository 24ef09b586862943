"""One topic's blend of the judge's views, and its threshold.

The views are blended as standard scores, b = Σ_m a_m · z_m. What a should be depends on the topic. Five examples or
more are asked: each is scored by a judge that does not know it, and of the blends of a grid that one is taken by which
they rank highest among the crawled pages (the mean logarithm of their ranks), less a penalty for leaving the blend that
did best on other topics. Fewer examples prove nothing, and get that one: meaning counts more the fewer there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from clew.judges.auto.chances import Mixture, estimate, mixture, moments, threshold
from clew.judges.base import Estimate
from clew.model import Bools, Doubles

CRAWL_SHARE = 0.5
"""Of words, how much those of the crawl count beside those of general text."""

MEANING_ONE = 0.6
MEANING_FALL = 0.4
"""Meaning counts ``MEANING_ONE`` beside words where there is one example, and n^−``MEANING_FALL`` of that with n."""

GRID = tuple(product((0.0, 0.25, 0.5), (0.0, 0.15, 0.3, 0.6, 1.0), (0.0, 0.25, 0.5, 1.0, 2.0)))
"""Blends that are tried: the crawl's share of words, meaning, and the kind of page."""

KINDS = 3
"""Which view tells kinds of pages."""

KIND_USUAL = 0.25
"""Kinds count so much where the examples are too few to tell."""

KIND_COST = 0.8
"""Kinds count the more the higher examples rank by it, that much higher for each standard deviation of it: kinds of a
site's pages are alike, and rank examples high though most pages of that kind are not relevant."""

PENALTY = 0.8
ENOUGH = 5
"""Examples that can choose."""

EXPECTED, SPREAD = 1.5, 0.8
"""Where relevant pages lie, in standard deviations of the others, if there is no second example to tell; and how far
apart they lie."""

ONLY_SHARES = (0.24, 0.24, 0.6, 0.0)
"""Of the way from general text to a topic's only example, so far other pages of its kind come: by view."""

CENTRE = 0.85
"""Before the crawl, the threshold on the way from general text to a relevant page: real pages have more in common."""

MIXED = 0.5**0.5
"""The score of a page that is half about a topic and half about another, as a share of a page's that is all about it:
the cosine of a sum of two vectors at right angles to each of them."""

FARTHEST = 0.95
APART, APART_SLOPE = 2.5, 1.5
"""A page stands out that scores so many standard deviations above the others, and how sharply: it is taken out of the
statistics of pages that are not relevant."""

MOST = 0.5
"""A share of crawled pages above the examples from which on most pages are relevant."""

LEAST_WAY = 0.5
"""The threshold is so many standard deviations above the mean of other pages, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """The scores of one topic by each of m views: ``examples`` float64[m, n], each as if it had not been one, and
    ``pages`` float64[m, p]. NaN where a view cannot tell. ``whole`` float64[m, n]: the examples with the features that
    they alone have, too: by these a blend is chosen (by the others pages rank .014 lower in average precision)."""

    examples: Doubles
    pages: Doubles
    whole: Doubles

    def standard(self, weights: Doubles) -> tuple[Views, Doubles, Doubles]:
        """The same as standard scores, with the means float64[m] and standard deviations among ``pages``, weighted by
        float64[p]. What a view cannot tell is 0 then, the mean."""
        means, spreads = np.array([_moments(row, weights) for row in self.pages]).T
        sides = (self.examples, self.pages, self.whole)
        return Views(*(np.nan_to_num((side - means[:, None]) / spreads[:, None]) for side in sides)), means, spreads


@dataclass(frozen=True, slots=True, eq=False)
class Blend:
    """Log odds of a page: Σ_m scale[m] · (score − missing[m]) + shift; ``missing`` is the score of a page of which a
    view can tell nothing. ``apart`` float64[p]: how much each of the pages stands out, and does not count among the
    others. ``gain``: by how much held-out examples rank higher than with general words and meaning alone, in the
    logarithm; NaN where there are too few to tell. ``estimate``: of the precision, in the last round; None
    where the mixture does not fit, and the threshold is another one."""

    scale: Doubles
    missing: Doubles
    shift: float
    apart: Doubles
    gain: float = float("nan")
    found: Mixture | None = None
    estimate: Estimate | None = None


def ranking(examples: Doubles, pages: Doubles, weights: Doubles) -> float:
    """How high scores float64[n] rank among those of pages float64[p]: the mean of −log of the share above them."""
    above = weights @ (pages[:, None] >= examples[None, :])
    return float(np.mean(-np.log((above + 0.5) / (weights.sum() + 1.0))))


def blended(examples: int) -> tuple[float, float, float]:
    """The crawl's share of words, meaning and kind that did best in the mean with so many examples."""
    return CRAWL_SHARE, MEANING_ONE * max(examples, 1) ** -MEANING_FALL, KIND_USUAL


def weights_of(crawl: float, meaning: float, kind: float = 0.0) -> Doubles:
    """a of the four views: general words, the crawl's words, meaning, kind."""
    return np.array([1.0 - crawl, crawl, meaning, kind])


def choose(standard: Views, own: Bools, weights: Doubles, count: int) -> tuple[Doubles, float]:
    """a, and the gain. ``own`` bool[n]: which examples are the topic's and can be held out; ``count``: its examples."""
    usual = blended(count)
    if own.sum() < ENOUGH:
        return weights_of(*usual), float("nan")
    examples, pages = standard.whole[:, own], standard.pages

    def value(blend: Doubles) -> float:
        return ranking(blend @ examples, blend @ pages, weights)

    def penalised(blend: tuple[float, float, float]) -> float:
        away = (blend[0] - usual[0]) ** 2 + (blend[1] - usual[1]) ** 2
        return value(weights_of(*blend)) - PENALTY * away - KIND_COST * blend[2]

    best = weights_of(*max(((*usual[:2], 0.0), *GRID), key=penalised))
    return best, value(best) - value(weights_of(0.0, usual[1]))


def of_crawl(
    views: Views, own: Bools, other: Bools, count: int, apart: Doubles, steepness: float, last: bool = True
) -> Blend:
    """The blend of a topic by crawled pages; the usual one unless this is the ``last`` round.

    ``own`` and ``other`` bool[n]: its examples that were held out, and those against it; ``count``: how many it has;
    ``apart`` float64[p]: how much the pages stood out so far; ``steepness``: log odds from the mean of other pages to
    the threshold."""
    left = 1.0 - apart
    standard, means, spreads = views.standard(left)
    own, other = (side & np.isfinite(views.examples[:2]).all(axis=0) for side in (own, other))
    blend, gain = choose(standard, own, left, count) if last else (weights_of(*blended(count)), float("nan"))
    pages = np.asarray(blend @ standard.pages, np.float64)
    mean, spread = _moments(pages, left)
    scores = (pages - mean) / spread
    held, against = ((blend @ standard.examples[:, side] - mean) / spread for side in (own, other))
    expected = float(held.mean()) if len(held) else EXPECTED
    found = mixture(scores, expected, SPREAD, against, len(held))
    at, way, fits = _border(scores, held, found)
    slope = steepness / way
    scale = slope * blend / (spreads * spread)
    apart = 1.0 / (1.0 + np.exp(-np.clip(APART_SLOPE * (scores - APART), -60.0, 60.0)))
    told = estimate(found, scores, at, held, against, expected, SPREAD) if last and fits else None
    return Blend(scale, means, -slope * (at + mean / spread), apart, gain, found, told)


def _border(scores: Doubles, held: Doubles, found: Mixture) -> tuple[float, float, bool]:
    """The threshold, how far below it the mean of other pages lies, and whether it is that of the mixture.

    Where the examples, left out, score less than most crawled pages, most of these are relevant, and there is next to
    nothing to tell them from: then pages are relevant from where the examples lie."""
    if len(held) > 1 and float((scores > held.mean()).mean()) > MOST:
        at = float(held.mean()) - max(float(held.std()), LEAST_WAY)
        below = scores[scores < at]
        return at, max(at - float(below.mean()) if len(below) else 1.0, LEAST_WAY), False
    least, best = found.mean_other + LEAST_WAY * found.spread_other, threshold(scores, found.chances)
    at = max(best, least)
    return at, at - found.mean_other, best >= least


def of_general_text(
    views: Views, own: Bools, other: Bools, alone: Doubles, count: int, steepness: float, mixed: bool = False
) -> Blend:
    """The blend before a crawl: ``views.pages`` are of general text. ``own`` and ``other`` bool[n]: the examples for
    and against the topic; ``alone`` float64[m]: the scores of its examples by a judge that knows them. ``mixed``:
    whether pages are wanted that are about another topic too."""
    missing = np.array([_moments(row, np.ones(len(row)))[0] for row in views.pages])
    typical = missing + np.array(ONLY_SHARES) * (alone - missing)
    for view, held in enumerate(views.examples[:, own]):
        if np.isfinite(held).any():
            typical[view] = np.nanmean(held)
    ways = np.maximum(typical - missing, 1e-3)
    blend = weights_of(0.0, blended(count)[1] * 0.6)
    blend[~np.isfinite(alone)] = 0.0
    scale = np.divide(blend, ways, out=np.zeros(len(blend)), where=blend > 0.0) / max(float(blend.sum()), 1e-9)
    centre = CENTRE * (MIXED if mixed else 1.0)
    if other.any():
        against = np.nan_to_num(views.examples[:, other] - missing[:, None]).T @ scale
        centre = min(max(centre, (1.0 + float(against.mean())) / 2.0), FARTHEST)
    return Blend(scale * steepness / centre, missing, -steepness, np.zeros(views.pages.shape[1]))


def _moments(values: Doubles, weights: Doubles) -> tuple[float, float]:
    """Weighted mean and standard deviation of what is not NaN."""
    known = np.isfinite(values)
    if not known.any():
        return 0.0, 1.0
    mean, deviation = moments(values[known], weights[known])
    return mean, max(deviation, 1e-6)
