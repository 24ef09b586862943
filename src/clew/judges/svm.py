"""Linear support vector machines, one a node of the topic tree (Sizov and others 2002).

    min_{w,b} ½·|w|² + C · Σ_i c_i · max(0, 1 − y_i·(w·x_i + b))²
    s_k(d) = (w_k·x(d) + b_k) / |w_k|,   score of k = logistic curve of s_k, at most its parent's

x(d): the page's TF-IDF vector of length 1 (judges/vectors.py). y_i = 1 for the topic's examples, −1 for its rivals';
c_i makes both sides weigh the same. s is the distance to the hyperplane. judges/linear.py has the tree.

Departures. The scores shown are probabilities; the paper's confidence, the margin itself, is ``margins``. All
features are kept unless asked otherwise: the paper's 2,000 best by mutual information speak only for a topic, and
lose what speaks against it (measured on four encyclopedia topics: average precision .74 .71 .60 .86 against
.74 .80 .63 .92 with all).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.judges.linear import LinearJudge
from clew.model import Bools, Doubles, Page


class SvmJudge(LinearJudge):
    """Support vector machines top down, calibrated. ``cost`` is C."""

    name = "svm"

    def margins(self, page: Page) -> Doubles:
        """Signed distances of a page to the hyperplanes of all topics: float64[k]; 0 if nothing is known."""
        raw = self._raw(self.features.bag(page))
        return np.zeros(len(self.topics)) if raw is None else raw

    def _separate(self, matrix: Any, truth: Bools) -> tuple[Doubles, float]:
        from sklearn.svm import LinearSVC

        machine = LinearSVC(C=self.cost, class_weight="balanced", dual=True, max_iter=20_000, random_state=self.seed)
        machine.fit(matrix, truth)
        weights, shift = machine.coef_[0], float(machine.intercept_[0])
        norm = float(np.linalg.norm(weights)) or 1.0
        return np.asarray(weights / norm, np.float64), shift / norm
