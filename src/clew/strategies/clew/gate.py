"""Experts that foresee how relevant the page of a link is, one of which learns, and the gate that weighs them.

Every expert e weighs the same evidence x of a URL (``evidence``) and says

    p_e = σ(a_e · (w_e · x) + b_e)

and the gate says p = Σ_e π_e · p_e. After a page was fetched whose relevance is r,

    π_e ← π_e · exp(−l_e) / Σ,   l_e = −r·log p_e − (1 − r)·log(1 − p_e),   then π_e ← (1 − α)·π_e + α/E
    a_e, b_e by gradient descent on l_e; the weights of the expert that learns too, by AdaGrad

That is a Bayesian mixture with a fixed share α (M. Herbster, M. K. Warmuth, "Tracking the Best Expert", Machine
Learning 32, 1998). Whatever is fetched, its loss −r·log p − (1 − r)·log(1 − p), summed over T pages, exceeds that of
the best expert by at most log E + T·log(1/(1 − α)): the gate does no harm.

What is used to score links is a copy that stays as it is for a number of pages, so that all waiting links are scored
by the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.model import Doubles
from clew.strategies.clew.credit import FIRST_MEAN, ONE, PSEUDO
from clew.strategies.clew.settings import ClewSettings

EVIDENCE = ("pages", "sum", "words", "rates")
"""What evidence of a URL there is, in the order of the weights."""

NAMES = ("all", "pages and words", "pages", "rates", "learned")

WEIGHTS = np.array(
    [
        [0.7, 0.25, 0.4, 0.6],
        [1.0, 0.5, 1.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.7, 0.25, 0.4, 1.0],
        [0.7, 0.25, 0.4, 0.6],
    ]
)
"""float64[experts, evidence]; chosen by hand on the family of tasks that is to develop on (docs/strategies/clew.md)."""

ALIKE = np.array([[0.5] * 4, [0.5, 0.5, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 1.0], [0.5] * 4])
"""The same without priors."""

SLOPE, SHIFT = 0.5, -1.0
"""a and b at first."""

SHARE = 0.01
"""α."""

RATE, WEIGHT_RATE = 0.05, 0.05
"""Steps of a, b and of the learned weights."""

FLOOR = 1e-4
"""No expert is surer than this."""


def _within(values: Doubles, least: float, most: float) -> Doubles:
    """``np.clip``, which takes twice as long for the few links of a page."""
    return np.minimum(np.maximum(values, least), most)


def logit(p: Doubles) -> Doubles:
    """Log odds, of probabilities away from 0 and 1."""
    clipped = _within(p, FLOOR, 1.0 - FLOOR)
    return np.asarray(np.log(clipped / (1.0 - clipped)), np.float64)


def sigmoid(z: Doubles) -> Doubles:
    """1 / (1 + e^−z)."""
    return np.asarray(1.0 / (1.0 + np.exp(-_within(z, -30.0, 30.0))), np.float64)


def evidence(links: Doubles, words: Doubles, relevance: Doubles, rates: Doubles, mean: float) -> Doubles:
    """x float64[4, n] of URLs: the number of links to them N, the value A of words and host, the sums S of the
    relevances and H of the rates h of the pages that link to them; ``mean`` m is the mean relevance of all pages.

    logit((S + 2m) / (N + 2)),   log(S + .05),   A,   logit(H / N)
    """
    x = np.empty((len(EVIDENCE), len(links)))
    np.divide(relevance + PSEUDO * mean, links + PSEUDO, out=x[0])
    np.divide(rates, np.maximum(links, 1.0), out=x[3])
    x[::3] = logit(x[::3])
    np.log(relevance + 0.05, out=x[1])
    x[2] = words
    return x


@dataclass(slots=True)
class Opinion:
    """What scores links: weights float64[E, 4], slopes, shifts and shares π float64[E], and m."""

    weights: Doubles
    slopes: Doubles
    shifts: Doubles
    shares: Doubles
    mean: float

    def experts(self, x: Doubles) -> Doubles:
        """p_e: float64[E, n] of evidence float64[4, n]."""
        columns = self.weights.T[:, :, None]
        values = columns[0] * x[0]
        for weights, part in zip(
            columns[1:], x[1:], strict=True
        ):  # not weights @ x, which rounds by how many there are
            values += weights * part
        values *= self.slopes[:, None]
        values += self.shifts[:, None]
        return sigmoid(values)

    def __call__(self, x: Doubles) -> Doubles:
        """p: float64[n]."""
        found = _within(self.experts(x), FLOOR, 1.0 - FLOOR)
        found *= self.shares[:, None]
        return np.asarray(np.add.reduce(found, axis=0), np.float64)

    def copy(self) -> Opinion:
        weights, slopes, shifts, shares = (part.copy() for part in self._parts())
        return Opinion(weights, slopes, shifts, shares, self.mean)

    def _parts(self) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        return self.weights, self.slopes, self.shifts, self.shares

    def numbers(self) -> Doubles:
        """All of it in a row."""
        return np.concatenate([*(part.ravel() for part in self._parts()), [self.mean]])

    def take(self, numbers: Doubles) -> Doubles:
        """Take it back; returns the numbers that are left."""
        for part in self._parts():
            part.ravel()[:] = numbers[: part.size]
            numbers = numbers[part.size :]
        self.mean = float(numbers[0])
        return numbers[1:]


class Gate:
    """The experts and their shares. ``used`` scores links, ``learned`` changes with every page."""

    def __init__(self, settings: ClewSettings) -> None:
        kept = (WEIGHTS if settings.priors else ALIKE) * [1.0, 1.0, 1.0, settings.rates]
        self.settings = settings
        self.weights = kept if settings.learn else kept[:-1]
        count = len(self.weights)
        shares = np.full(count, 1.0 / count)
        self.learned = Opinion(
            self.weights.copy(), np.full(count, SLOPE), np.full(count, SHIFT), shares, FIRST_MEAN / ONE
        )
        self.used = self.learned.copy()
        self._squares = np.ones(len(EVIDENCE))
        self._allowed = np.array([1.0, 1.0, 1.0, float(settings.rates > 0)])

    def learn(self, x: Doubles, relevance: float) -> None:
        """A page was fetched of which the evidence was x float64[4]."""
        now = self.learned
        values = now.weights @ x
        p = _within(sigmoid(now.slopes * values + now.shifts), FLOOR, 1.0 - FLOOR)
        if self.settings.gate:
            likely = now.shares * np.exp(relevance * np.log(p) + (1.0 - relevance) * np.log(1.0 - p))
            now.shares[:] = (1.0 - SHARE) * likely / likely.sum() + SHARE / len(likely)
        errors = relevance - p
        now.shifts += 2.0 * RATE * errors
        now.slopes[:] = _within(now.slopes + 0.2 * RATE * errors * _within(values, -4.0, 4.0), 0.1, 2.0)
        if self.settings.learn:
            gradient = errors[-1] * _within(x, -5.0, 5.0) * self._allowed
            self._squares += gradient * gradient
            now.weights[-1] += WEIGHT_RATE * gradient / np.sqrt(self._squares)

    def refresh(self, mean: float) -> None:
        """From now on links are scored by what was learned."""
        self.learned.mean = mean
        self.used = self.learned.copy()

    def numbers(self) -> Doubles:
        """All that was learned, in a row."""
        return np.concatenate([self.learned.numbers(), self.used.numbers(), self._squares])

    def take(self, numbers: Doubles) -> Doubles:
        """Take it back; returns the numbers that are left."""
        numbers = self.used.take(self.learned.take(numbers))
        self._squares[:] = numbers[: len(EVIDENCE)]
        return numbers[len(EVIDENCE) :]
