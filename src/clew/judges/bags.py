"""Bags of term ids: a vocabulary of training terms, and pages as counts over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.model import Doubles, Floats, TermIds

Bag = tuple[TermIds, Floats]
"""Distinct term ids, sorted (uint32[d]), and how often each occurs (float32[d])."""


Places = npt.NDArray[np.intp]
"""Places of known features in a vocabulary."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The distinct terms of a training set; ``ids`` uint32[V], sorted."""

    ids: TermIds

    @classmethod
    def of(cls, bags: Iterable[Bag], most: int = 0) -> Vocabulary:
        """All terms that occur in ``bags``; if they are more than ``most`` (0: no limit), those on the most pages."""
        columns = [ids for ids, _ in bags]
        if not columns:
            return cls(np.empty(0, np.uint32))
        ids, holders = np.unique(np.concatenate(columns), return_counts=True)
        if most and len(ids) > most:
            ids = np.sort(ids[np.argsort(-holders, kind="stable")[:most]])
        return cls(ids)

    def __len__(self) -> int:
        return len(self.ids)

    def project(self, bag: Bag) -> tuple[Places, Floats]:
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
