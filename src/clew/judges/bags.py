"""Bags of term ids: a vocabulary of training terms, and pages as counts over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.model import Doubles, Floats, TermIds

Bag = tuple[TermIds, Floats]
"""Distinct term ids, sorted (uint32[d]), and how often each occurs (float32[d])."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The distinct terms of a training set; ``ids`` uint32[V], sorted."""

    ids: TermIds

    @classmethod
    def of(cls, bags: Iterable[Bag]) -> Vocabulary:
        """All terms that occur in ``bags``."""
        columns = [ids for ids, _ in bags]
        return cls(np.unique(np.concatenate(columns)) if columns else np.empty(0, np.uint32))

    def __len__(self) -> int:
        return len(self.ids)

    def project(self, bag: Bag) -> tuple[npt.NDArray[np.intp], Floats]:
        """Columns (intp[d']) and counts (float32[d']) of the terms of ``bag`` that are in the vocabulary."""
        ids, counts = bag
        if not len(self.ids):
            return np.empty(0, np.intp), np.empty(0, np.float32)
        places = np.searchsorted(self.ids, ids)
        known = self.ids.take(places, mode="clip") == ids
        return places[known], counts[known]

    def totals(self, bags: Sequence[Bag]) -> Doubles:
        """How often each term occurs in all bags together: float64[V]."""
        total = np.zeros(len(self), np.float64)
        for bag in bags:
            places, counts = self.project(bag)
            total[places] += counts
        return total
