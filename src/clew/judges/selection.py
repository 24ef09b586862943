"""Which features tell a topic from its rivals (Sizov and others 2002): mutual information, or chi².

    MI(X, V) = P[X ∧ V] · log(P[X ∧ V] / (P[X] · P[V]))
    χ²(X, V) = n · (a·d − b·c)² / ((a + b)(c + d)(a + c)(b + d))

X: a page holds the feature; V: it belongs to the topic. P and n are over the pages of the topic and its rivals.
a, b: pages of the topic and of its rivals with the feature; c, d: without it. MI is the paper's single cell, so that
it favours what speaks for the topic; chi² takes what speaks against it as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.model import Bools, Doubles


def mutual_information(inside: Doubles, outside: Doubles, members: int, rivals: int) -> Doubles:
    """MI(X, V) float64[V] from how many members and rivals hold each feature (float64[V] each)."""
    n = members + rivals
    joint, either, topic = inside / n, (inside + outside) / n, members / n
    ratio = np.divide(joint, either * topic, out=np.ones_like(joint), where=joint > 0)
    return np.asarray(joint * np.log(ratio), np.float64)


def chi_squared(inside: Doubles, outside: Doubles, members: int, rivals: int) -> Doubles:
    """χ²(X, V) float64[V], from the same."""
    without, others = members - inside, rivals - outside
    scale = (inside + outside) * (without + others) * float(members * rivals)
    top = (members + rivals) * (inside * others - outside * without) ** 2
    return np.asarray(np.divide(top, scale, out=np.zeros_like(top), where=scale > 0), np.float64)


MEASURES: dict[str, Callable[[Doubles, Doubles, int, int], Doubles]] = {
    "mutual-information": mutual_information,
    "chi-squared": chi_squared,
}


def best(matrix: Any, truth: Bools, count: int, measure: str) -> npt.NDArray[np.intp]:
    """Columns (sorted) of the ``count`` best features of a sparse matrix [n, V]; features no page holds are left out.

    Ties are broken by column, so that training repeats exactly.
    """
    held = matrix != 0
    inside = np.asarray(held[truth].sum(axis=0), np.float64).ravel()
    outside = np.asarray(held[~truth].sum(axis=0), np.float64).ravel()
    values = MEASURES[measure](inside, outside, int(truth.sum()), int((~truth).sum()))
    values[inside + outside == 0] = -np.inf
    order = np.argsort(-values, kind="stable")[:count]
    return np.sort(order[np.isfinite(values[order])])
