"""Bags of term ids: a vocabulary of training terms, and pages as counts over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from clew.model import Doubles, Floats, Ints, TermIds

Bag = tuple[TermIds, Floats]
"""Distinct term ids, sorted (uint32[d]), and how often each occurs (float32[d])."""


Places = npt.NDArray[np.intp]
"""Places of known features in a vocabulary."""

MOST_BITS = 20
"""Bits of an id that a vocabulary's directory looks at, at most: 4 MB."""


STEPS = 4
"""Ids that begin alike are gone through one by one so far; few reach the second. Then what is left is searched for."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The distinct terms of a training set; ``ids`` uint32[V], sorted.

    Ids are hashes, so their first bits tell about where they stand: ``_starts`` int32[2^bits] has the place of the
    first id that begins with these bits, or of the next one after.
    """

    ids: TermIds
    _starts: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        bits = min((4 * len(self.ids)).bit_length(), MOST_BITS)
        held = np.bincount(self.ids >> (32 - bits), minlength=1 << bits) if bits else np.zeros(1, np.intp)
        object.__setattr__(self, "_starts", (held.cumsum() - held).astype(np.int32))

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[TermIds]]:
        return Vocabulary, (self.ids,)

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

    def find(self, ids: TermIds) -> tuple[Places, Ints]:
        """Which of ``ids`` uint32[n], in any order, are in the vocabulary (indices intp[m]), and where (int32[m])."""
        if not len(self.ids):
            return np.empty(0, np.intp), np.empty(0, np.int32)
        places = self._starts.take(ids >> (33 - len(self._starts).bit_length()))
        here = self.ids.take(places, mode="clip")
        behind = (here < ids).nonzero()[0]
        for step in range(STEPS + 1):
            if not len(behind):
                break
            sought = ids.take(behind)
            places[behind] = at = places.take(behind) + np.int32(1) if step < STEPS else self.ids.searchsorted(sought)
            here[behind] = found = self.ids.take(at, mode="clip")
            behind = behind[(found < sought) & (at < len(self.ids))]
        known = (here == ids).nonzero()[0]
        return known, places.take(known)

    def project(self, bag: Bag) -> tuple[Places, Floats]:
        """Columns (intp[d']) and counts (float32[d']) of the terms of ``bag`` that are in the vocabulary."""
        known, places = self.find(bag[0])
        return places.astype(np.intp), bag[1].take(known)

    def sums(self, places: Ints, weights: Doubles) -> tuple[Places, Doubles]:
        """The distinct ones of places int32[m], sorted (intp[d]), and the sums of their weights float64[m], added in
        the order given: float64[d]."""
        if not len(places):
            return np.empty(0, np.intp), np.empty(0, np.float64)
        ordered = np.sort(places)
        first = np.ones(len(ordered), np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        distinct = ordered.take(first.nonzero()[0]).astype(np.intp)
        ranks = np.empty(len(self.ids), np.intp)  # only those of places that occur are set
        ranks[distinct] = np.arange(len(distinct))
        return distinct, np.asarray(np.bincount(ranks.take(places), weights, len(distinct)), np.float64)

    def totals(self, bags: Sequence[Bag]) -> Doubles:
        """How often each term occurs in all bags together: float64[V]."""
        total = np.zeros(len(self), np.float64)
        for bag in bags:
            places, counts = self.project(bag)
            total[places] += counts
        return total
