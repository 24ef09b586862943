"""Logistic regression, one a node of the topic tree.

    min_{w,b} ½·|w|² + C · Σ_i c_i · log(1 + exp(−y_i·(w·x_i + b)))
    s_k(d) = w_k·x(d) + b_k,   score of k = logistic curve of s_k, at most its parent's

x(d): the page's TF-IDF vector of length 1 (judges/vectors.py). y_i = 1 for the topic's examples, −1 for its rivals';
c_i makes both sides weigh the same. judges/linear.py has the tree.

The model's own probability is that of its training pages, which it knows by heart; the score comes from pages held
back, as with every judge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.judges.linear import LinearJudge
from clew.model import Bools, Doubles


class LogisticJudge(LinearJudge):
    """Logistic regression top down, calibrated. ``cost`` is C."""

    name = "logistic"

    def _separate(self, matrix: Any, truth: Bools) -> tuple[Doubles, float]:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=self.cost, class_weight="balanced", max_iter=1_000)
        model.fit(matrix, truth)
        return np.asarray(model.coef_[0], np.float64), float(model.intercept_[0])
