"""Raw scores made comparable: a logistic curve fitted to scores of pages the judge had not seen (ARI-14).

Platt's method: p(relevant | s) = 1 / (1 + exp(−(slope·s + shift))), fitted by regularised logistic regression
in which both classes weigh the same, on leave-one-out scores of the examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.model import Bools, Doubles


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


def fit(scores: Sequence[float] | Doubles, positive: Sequence[bool] | Bools) -> Calibration:
    """The curve for held-out ``scores`` with their truth. Falls back on the midpoint between the classes
    when a class has fewer than two scores; a slope is never negative."""
    values, truth = np.asarray(scores, np.float64), np.asarray(positive, np.bool_)
    above, below = values[truth], values[~truth]
    scale = float(values.std()) or 1.0
    if len(above) < 2 or len(below) < 2:
        centre = (above.mean() + below.mean()) / 2 if len(above) and len(below) else float(values.mean())
        return Calibration(centre=float(centre), scale=scale)
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=10.0, class_weight="balanced")
    model.fit(((values - values.mean()) / scale).reshape(-1, 1), truth)
    slope, shift = float(model.coef_[0, 0]), float(model.intercept_[0])
    if slope < 0.1:  # held-back examples do not separate: keep an honest, flat curve
        return Calibration(slope=0.1, centre=float((above.mean() + below.mean()) / 2), scale=scale)
    return Calibration(slope=slope, centre=float(values.mean()) - shift / slope * scale, scale=scale)
