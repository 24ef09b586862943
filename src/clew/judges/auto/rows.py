"""Pages as unit vectors in one of the judge's spaces, and the centroid of a topic in it.

    c = P/|P| − β · Q/|Q|        P: sum of the topic's examples, Q: of what speaks against it
    s(d) = x(d) · c              x: the vector of page d, of length 1

An example is scored as if it had not been one: it is taken out of P (or Q), and features that no judge would know
without it are taken out of its vector, x′: those of other pages are not known either, and a longer vector would score
lower than they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from clew.judges.bags import Bag, Vocabulary
from clew.model import Bools, Doubles, TermIds

TINY = 1e-12


class Rows(Protocol):
    """n pages as unit vectors."""

    def dot(self, direction: Doubles) -> Doubles:
        """x · direction of each: float64[n]."""
        ...

    def total(self, weights: Doubles) -> Doubles:
        """Σ weights · x, a vector."""
        ...

    def held_out(self) -> tuple[Rows, Doubles]:
        """x′ of each, and x′ · x, float64[n]."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The features of n pages: of each, ``rows`` intp[m] the page, ``places`` intp[m] that in the vocabulary, and
    ``weights`` float64[m]."""

    rows: npt.NDArray[np.intp]
    places: npt.NDArray[np.intp]
    weights: Doubles
    pages: int
    features: int
    shared: Bools
    """bool[V]: which features would be known without any one of the pages."""

    @classmethod
    def of(cls, bags: Sequence[Bag], vocabulary: Vocabulary, known: TermIds | None = None) -> Columns:
        """Bags as columns; what the vocabulary lacks is left out. ``known``: sorted ids of features that are known
        without these pages; None: all are."""
        found = [vocabulary.project(bag) for bag in bags]
        rows = np.repeat(np.arange(len(bags)), [len(places) for places, _ in found])
        places = np.concatenate([np.empty(0, np.intp), *(places for places, _ in found)])
        weights = np.concatenate([np.empty(0, np.float64), *(counts for _, counts in found)])
        shared = np.ones(len(vocabulary), np.bool_)
        if known is not None:
            shared = (np.bincount(places, minlength=len(vocabulary)) > 1) | np.isin(vocabulary.ids, known)
        return cls(rows, places, np.asarray(weights, np.float64), len(bags), len(vocabulary), shared)

    def holders(self, weights: Doubles) -> Doubles:
        """The sum of the weights float64[n] of the pages that hold each feature: float64[V]."""
        return np.bincount(self.places, weights[self.rows], self.features).astype(np.float64)

    def scaled(self, idf: Doubles) -> SparseRows:
        """The pages' TF-IDF vectors, of length 1."""
        raw = self.weights * idf[self.places]
        lengths = np.sqrt(np.bincount(self.rows, raw * raw, self.pages))
        return SparseRows(self, raw / np.maximum(lengths, TINY)[self.rows])


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """TF-IDF vectors; ``values`` float64[m] stand where ``columns`` say."""

    columns: Columns
    values: Doubles

    def dot(self, direction: Doubles) -> Doubles:
        columns = self.columns
        return np.bincount(columns.rows, self.values * direction[columns.places], columns.pages).astype(np.float64)

    def total(self, weights: Doubles) -> Doubles:
        columns = self.columns
        return np.bincount(columns.places, self.values * weights[columns.rows], columns.features).astype(np.float64)

    def held_out(self) -> tuple[Rows, Doubles]:
        columns = self.columns
        kept = np.where(columns.shared[columns.places], self.values, 0.0)
        lengths = np.sqrt(np.bincount(columns.rows, kept * kept, columns.pages))
        return SparseRows(columns, kept / np.maximum(lengths, TINY)[columns.rows]), lengths


@dataclass(frozen=True, slots=True, eq=False)
class DenseRows:
    """Vectors of words: ``vectors`` float64[n, d], of length 1 or 0 where nothing of a page is known."""

    vectors: Doubles

    def dot(self, direction: Doubles) -> Doubles:
        return np.asarray(self.vectors @ direction, np.float64)

    def total(self, weights: Doubles) -> Doubles:
        return np.asarray(weights @ self.vectors, np.float64)

    def held_out(self) -> tuple[Rows, Doubles]:
        return self, np.asarray((self.vectors * self.vectors).sum(axis=1), np.float64)


def directions(means: Doubles, centre: Doubles) -> Doubles:
    """Means float64[n, d] less the centre, of length 1; rows of NaN become 0."""
    moved = np.nan_to_num(means - centre)
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), TINY), np.float64)


def unit(vector: Doubles) -> Doubles:
    """A vector of length 1; 0 stays 0."""
    return np.asarray(vector / max(float(np.linalg.norm(vector)), TINY), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Centroid:
    """A topic in a space. ``examples`` float64[n]: the score of each example as if it had not been one, NaN where
    nothing is left to score it by; ``whole`` float64[n]: the same of x, with the features that it alone has."""

    direction: Doubles
    examples: Doubles
    whole: Doubles


def centroid(rows: Rows, own: Doubles, other: Doubles, beta: float, background: Doubles | None) -> Centroid:
    """The centroid of a topic. ``own`` and ``other`` float64[n] weigh the examples for and against it, 0: neither.
    ``background``: β times a unit vector that stands for what is against it where no example is."""
    positive, negative = rows.total(own), rows.total(other)
    given = bool(other.any())
    against = beta * unit(negative) if given else (background if background is not None else np.zeros_like(positive))
    kept, overlap = rows.held_out()
    near, length = rows.dot(positive), float(np.linalg.norm(positive))
    left = np.sqrt(np.maximum(length**2 - 2 * own * near + own**2, TINY))
    far, length_other = rows.dot(negative), float(np.linalg.norm(negative))
    left_other = np.sqrt(np.maximum(length_other**2 - 2 * other * far + other**2, TINY))
    nothing = (left < 1e-5) | (near == 0.0)

    def scores(held: Rows, same: Doubles) -> Doubles:
        found = (held.dot(positive) - own * same) / left
        found -= beta * (held.dot(negative) - other * same) / left_other if given else held.dot(against)
        found[nothing] = np.nan
        if given and (other > 0).sum() == 1:  # its only counterexample would be left with nothing against it
            found[other > 0] = held.dot(unit(positive))[other > 0]
        return np.asarray(found, np.float64)

    return Centroid(unit(positive) - against, scores(kept, overlap), scores(rows, np.ones(len(own))))
