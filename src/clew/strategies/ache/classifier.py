"""The link classifier: multinomial naive Bayes or linear support vector machines, of binary features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.judges import calibration
from clew.model import Bools, Doubles
from clew.strategies.ache.features import Features
from clew.strategies.ache.neighbourhood import Neighbourhood, Places
from clew.strategies.ache.settings import AcheSettings

LEAST = 5
"""Links without which a class is left out."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """Of K classes, ``ranks`` (their places among all classes, the best one 0) in ascending order.

    weights float64[F, K], shifts float64[K]: their sums z over the features of a link are log Pr(k | link), up to a
    number that all classes share; or, if ``curves``, log-odds of k against all others.
    """

    features: Features
    ranks: tuple[int, ...]
    weights: Doubles
    shifts: Doubles
    curves: bool

    @classmethod
    def trained(cls, classes: Sequence[Sequence[Neighbourhood]], settings: AcheSettings) -> Classifier | None:
        """From links by class. None when only one class, or not the first, has LEAST links, or no word is a feature."""
        ranks = tuple(rank for rank, links in enumerate(classes) if len(links) >= LEAST)
        if len(ranks) < 2 or ranks[0]:
            return None
        links = [link for rank in ranks for link in classes[rank]]
        truth = np.repeat(np.arange(len(ranks)), [len(classes[rank]) for rank in ranks])
        features = Features.selected(links, settings)
        if not len(features):
            return None
        rows = [features.of(link) for link in links]
        if settings.classifier == "svm":
            weights, shifts = _planes(rows, truth, len(ranks), len(features), settings.cost)
        else:
            weights, shifts = _bayes(rows, truth, len(ranks), len(features), settings.smoothing)
        return cls(features, ranks, weights, shifts, settings.classifier == "svm" and len(ranks) > 2)

    def odds(self, rows: Places, numbers: Places, count: int) -> Doubles:
        """float64[n, K]: log-odds of each class against all others, of ``count`` links with features in columns."""
        sums = [np.bincount(rows, self.weights[numbers, k], count) for k in range(len(self.ranks))]
        logs = np.array(sums, np.float64).T.reshape(count, len(self.ranks)) + self.shifts
        if self.curves:
            logs = -np.logaddexp(0.0, -logs)
        others = [np.logaddexp.reduce(np.delete(logs, k, axis=1), axis=1) for k in range(len(self.ranks))]
        return np.asarray(logs - np.array(others).T.reshape(logs.shape), np.float64)


def _bayes(rows: Sequence[Places], truth: Places, classes: int, features: int, alpha: float) -> tuple[Doubles, Doubles]:
    """log θ_{c,f} float64[F, K] and log Pr(c) float64[K]."""
    cells = np.concatenate(rows) * classes + np.repeat(truth, [len(row) for row in rows])
    counts = np.bincount(cells, minlength=features * classes).reshape(features, classes)
    logs = np.log(alpha + counts) - np.log(alpha * features + counts.sum(axis=0))
    return np.asarray(logs, np.float64), np.log(np.bincount(truth, minlength=classes) / len(truth))


def _planes(rows: Sequence[Places], truth: Places, classes: int, features: int, cost: float) -> tuple[Doubles, Doubles]:
    """One machine a class against all others, with Platt's curve; of two classes one, the other has zeros."""
    from scipy.sparse import csr_matrix

    starts = np.cumsum([0] + [len(row) for row in rows])
    data = np.ones(int(starts[-1]))
    matrix = csr_matrix((data, np.concatenate(rows), starts), shape=(len(rows), features))
    weights, shifts = np.zeros((features, classes)), np.zeros(classes)
    for k in range(classes if classes > 2 else 1):
        weights[:, k], shifts[k] = _plane(matrix, truth == k, cost)
    return weights, shifts


def _plane(matrix: npt.ArrayLike, truth: Bools, cost: float) -> tuple[Doubles, float]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    machine = LinearSVC(C=cost, loss="hinge", dual=True, max_iter=10_000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as near as so many iterations come
        machine.fit(matrix, truth)
    values = np.asarray(machine.decision_function(matrix), np.float64)
    curve = calibration.fit(values, truth)
    steep = curve.slope / curve.scale
    weights = np.asarray(machine.coef_[0] * steep, np.float64)
    return weights, (float(machine.intercept_[0]) - curve.centre) * steep
