"""Raw scores made comparable: a logistic curve fitted to scores of pages the judge had not seen.

Platt's method: p(relevant | s) = 1 / (1 + exp(−(slope·s + shift))), fitted by regularised logistic regression
in which both classes weigh the same, on leave-one-out scores of the examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.model import Bools, Doubles

STRENGTH = 10.0
"""Inverse of the penalty on the slope: large is weak."""

SURE = 4.0
"""Log odds at the mean of a class, at most: a few examples that happen to be far apart prove no more, and scores that
all round to 1 could not be ranked."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """p = 1 / (1 + exp(−(slope · (score − centre) / scale)))."""

    slope: float = 4.0
    centre: float = 0.0
    scale: float = 1.0

    def __call__(self, scores: Doubles) -> Doubles:
        """Probabilities float64[n] of raw scores float64[n]."""
        z = np.clip(self.slope * (scores - self.centre) / self.scale, -60.0, 60.0)
        return np.asarray(1.0 / (1.0 + np.exp(-z)), np.float64)


class Calibrations:
    """A curve for each of k topics, applied at once."""

    def __init__(self, curves: Sequence[Calibration]) -> None:
        self.steepness = np.array([curve.slope / curve.scale for curve in curves], np.float64)
        self.centres = np.array([curve.centre for curve in curves], np.float64)

    def __call__(self, scores: Doubles) -> Doubles:
        """Probabilities float64[k] of raw scores float64[k]."""
        z = np.minimum(np.maximum(self.steepness * (scores - self.centres), -60.0), 60.0)
        return np.asarray(1.0 / (1.0 + np.exp(-z)), np.float64)


def fit(scores: Sequence[float] | Doubles, positive: Sequence[bool] | Bools) -> Calibration:
    """The curve for held-out ``scores`` with their truth. Falls back on the midpoint between the classes
    when a class has fewer than two scores; a slope is never negative."""
    values, truth = np.asarray(scores, np.float64), np.asarray(positive, np.bool_)
    above, below = values[truth], values[~truth]
    if not len(values):
        return Calibration()
    scale = float(values.std()) or 1.0
    if len(above) < 2 or len(below) < 2:
        centre = (above.mean() + below.mean()) / 2 if len(above) and len(below) else float(values.mean())
        return Calibration(centre=float(centre), scale=scale)
    slope, shift = _logistic((values - values.mean()) / scale, truth)
    if slope < 0.1:  # held-back examples do not separate: keep an honest, flat curve
        return Calibration(slope=0.1, centre=float((above.mean() + below.mean()) / 2), scale=scale)
    centre = float(values.mean()) - shift / slope * scale
    farthest = max(float(above.mean()) - centre, centre - float(below.mean())) / scale
    return Calibration(slope=min(slope, SURE / farthest) if farthest > 0 else slope, centre=centre, scale=scale)


def fit_single(own: float, others: Doubles, share: float) -> Calibration:
    """The curve for a class with a single example. Left out, nothing of its class is left to score it by; so its
    ``own`` score counts, which is far too good: other pages of its kind come only a ``share`` of the way there from the
    mean of ``others``, float64[n]. There the curve is 0.5; at the mean of the others its log odds are −SURE.
    """
    below = float(others.mean()) if len(others) else own - 1.0
    way = share * (own - below)
    return Calibration(slope=SURE, centre=below + way, scale=way) if way > 0 else Calibration(slope=0.1, centre=own)


def _logistic(x: Doubles, truth: Bools) -> tuple[float, float]:
    """Slope and shift of a logistic regression on one variable, classes weighing the same, slope penalised by
    slope² / (2·STRENGTH); Newton's method. (A library's solver takes a second to import and does the same.)"""
    weights = np.where(truth, 0.5 / truth.sum(), 0.5 / (~truth).sum()) * len(x)
    columns = np.column_stack([x, np.ones(len(x))])
    penalty = np.diag([1.0 / STRENGTH, 1e-9])
    beta = np.zeros(2)
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-np.clip(columns @ beta, -60.0, 60.0)))
        gradient = columns.T @ (weights * (p - truth)) + penalty @ beta
        curvature = (columns * (weights * p * (1.0 - p))[:, None]).T @ columns + penalty
        step = np.linalg.solve(curvature, gradient)
        beta -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return float(beta[0]), float(beta[1])
