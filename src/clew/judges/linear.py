"""What linear separators have in common: one a node of the topic tree, top down, on TF-IDF vectors.

A topic's positives are its examples and those of the topics below it; its negatives are those of its siblings, those
of its parent alone, and OTHER's (general text when there are none, so that a node without siblings has negatives too).
The separator's signed value, for vectors of length 1, is the raw score; a logistic curve fitted to values of pages
that were held back makes it a probability. A topic scores no higher than its parent.

The library is imported where it trains; what is kept are arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clew.judges import selection
from clew.judges.bags import Bag, Places
from clew.judges.base import JudgeContext
from clew.judges.reference import shares_for
from clew.judges.settings import LinearSettings
from clew.judges.trained import TrainedJudge
from clew.judges.vectors import Vectors
from clew.model import Bools, Doubles, Floats

FOLDS = 5


class LinearJudge(TrainedJudge):
    """Subclasses give ``_separate``. ``kept`` features a topic, by ``selection``; 0 keeps all. ``cost`` is their C.

    ``planes`` float32[V, k]: a column of weights a topic; ``shifts`` float64[k].
    """

    class Settings(LinearSettings, frozen=True):
        """[judge.svm], [judge.logistic]"""

    def __init__(self, context: JudgeContext, settings: LinearSettings | None = None) -> None:
        settings = settings or self.Settings()
        super().__init__(context, background=settings.background, features=settings.page_features)
        self.kept = settings.features
        self.selected_by = settings.selection
        self.cost = settings.cost
        self.shares = shares_for(settings.reference, context, self.name)
        self.vectors = Vectors(logarithmic=not settings.damped, heaviest=settings.heaviest)
        self.planes = np.zeros((0, 0), np.float32)
        self.shifts = np.zeros(0, np.float64)

    def _separate(self, matrix: Any, truth: Bools) -> tuple[Doubles, float]:
        """Weights float64[V] and shift of the plane between the rows of a sparse matrix [n, V] that are true and
        those that are not; both occur."""
        raise NotImplementedError

    def _train(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        self._learn_vocabulary(bags)
        self.vectors.learn(bags, self.vocabulary, self.languages, self.shares)
        matrix = self._matrix(bags)
        planes = [self._plane(matrix, members, rivals) for members, rivals in self._nodes(labels)]
        self.planes = np.array([weights for weights, _ in planes], np.float32).T.copy()
        self.shifts = np.array([shift for _, shift in planes], np.float64)

    def _all_held_out(self, bags: Sequence[Bag], labels: Sequence[int]) -> Doubles:
        """By stratified folds, a node at a time; NaN for pages that are neither a node's nor its rivals'."""
        matrix = self._matrix(bags)
        unseen = self._rows([self._project_held_out(bag) for bag in bags])
        columns = [self._held_out_node(matrix, unseen, members, rivals) for members, rivals in self._nodes(labels)]
        return np.array(columns, np.float64).T

    def _nodes(self, labels: Sequence[int]) -> list[tuple[Bools, Bools]]:
        return list(zip(self.tree.members(labels), self.tree.rivals(labels), strict=True))

    def _plane(self, matrix: Any, members: Bools, rivals: Bools) -> tuple[Doubles, float]:
        """Weights float64[V] and shift of one node."""
        rows = np.flatnonzero(members | rivals)
        part, truth = matrix[rows], members[rows]
        if truth.all() or not truth.any():
            return np.zeros(matrix.shape[1]), 0.0
        if not self.kept:
            return self._separate(part, truth)
        columns = selection.best(part, truth, self.kept, self.selected_by)
        weights = np.zeros(matrix.shape[1])
        weights[columns], shift = self._separate(part[:, columns], truth)
        return weights, shift

    def _held_out_node(self, matrix: Any, unseen: Any, members: Bools, rivals: Bools) -> Doubles:
        values = np.full(len(members), np.nan)
        fold = folds(members, rivals, FOLDS, self.seed)
        for number in range(FOLDS):
            held = fold == number
            weights, shift = self._plane(matrix, members & ~held, rivals & ~held)
            if weights.any():
                values[held] = unseen[held] @ weights + shift
        missing = (members | rivals) & np.isnan(values)
        if missing.any():  # too few examples to hold any back
            weights, shift = self._plane(matrix, members, rivals)
            values[missing] = unseen[missing] @ weights + shift
        return values

    def _matrix(self, bags: Sequence[Bag]) -> Any:
        return self._rows([self.vocabulary.project(bag) for bag in bags])

    def _rows(self, known: Sequence[tuple[Places, Floats]]) -> Any:
        """Vectors as a sparse matrix float64[n, V]."""
        from scipy.sparse import csr_matrix

        rows = [(places, self.vectors.of(places, counts)) for places, counts in known]
        starts = np.cumsum([0] + [len(places) for places, _ in rows])
        data = np.concatenate([weights for _, weights in rows]).astype(np.float64)
        columns = np.concatenate([places for places, _ in rows])
        return csr_matrix((data, columns, starts), shape=(len(rows), len(self.vocabulary)))

    def _raw_at(self, places: Places, counts: Floats) -> Doubles:
        return np.asarray(self.vectors.of(places, counts) @ self.planes[places], np.float64) + self.shifts

    def _scores(self, raw: Doubles) -> Doubles:
        return self.tree.capped(self._probabilities(raw))

    def _weights(self, places: Places, counts: Floats, topic: int) -> Floats:
        return np.asarray(self.vectors.of(places, counts) * self.planes[places, topic], np.float32)


def folds(members: Bools, rivals: Bools, count: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The fold of each page: intp[n], −1 for pages that take no part; each side is dealt out evenly."""
    rng = np.random.default_rng([seed, 0xF01D])
    result = np.full(len(members), -1, np.intp)
    for side in (members, rivals):
        rows = rng.permutation(np.flatnonzero(side))
        result[rows] = np.arange(len(rows)) % count
    return result
