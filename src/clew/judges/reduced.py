"""The reduced TF-IDF vectors of Diligenti and others 2000 section 3.2.

    v(w) = f^d(w) / f^d_max · log(N / f(w))

==========  =====================================================================
symbol      name
==========  =====================================================================
f^d(w)      how often the phrase w stands in document d
f^d_max     how often the commonest phrase of d does, whether or not it is in V
N, f(w)     documents of the reference corpus, and those that hold w
V           the phrases of the master document: ``Vocabulary.ids``
==========  =====================================================================

The master document is all seed pages in a row, with the first layer of their context graphs if one likes. A
page becomes a vector over V of which the 40 heaviest components stay. Terms are stems without stop words
already (clew.text.terms).

Departures. (1) A phrase is a term, or with ``pairs`` also two terms in a row on one page; the paper gives no
length. Where the reference corpus did not count pairs, f of a pair is that of its rarer term, the most that it can
be; f = 1 would let any two common words outweigh a rare one. (2) The paper does not bound V; ``max_vocab`` keeps the
heaviest phrases of the master document (0: all). (3) Phrases that stand in every document of the reference
corpus weigh nothing and are not in V.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.judges.bags import Bag
from clew.judges.features import pair_ids
from clew.judges.reference import Reference
from clew.model import Doubles, Floats, Page, TermIds

HEAVIEST = 40
"""Components that stay in a vector (Diligenti and others 2000: forty)."""


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """A page's heaviest phrases: ids uint32[d], sorted; counts float32[d], N(w, d) of naive Bayes; weights float32[d],
    v(w)."""

    ids: TermIds
    counts: Floats
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ReducedVocabulary:
    """V and what its phrases weigh: ``ids`` uint32[V], sorted; ``idf`` float64[V], log(N / f(w)).

    ``keep``: so many components of a page stay; 0: all. ``pairs``: whether pairs of terms are phrases.
    """

    ids: TermIds
    idf: Doubles
    keep: int = HEAVIEST
    pairs: bool = False

    @classmethod
    def of(
        cls,
        pages: Sequence[Page],
        reference: Reference,
        *,
        keep: int = HEAVIEST,
        max_vocab: int = 0,
        pairs: bool = False,
        add_one: bool = False,
    ) -> ReducedVocabulary:
        """V of the master document that ``pages`` make; ``add_one`` as in ``Reference.idf``."""
        texts = [_terms(page) for page in pages]
        return cls.of_texts(texts, reference, keep=keep, max_vocab=max_vocab, pairs=pairs, add_one=add_one)

    @classmethod
    def of_texts(
        cls,
        texts: Sequence[TermIds],
        reference: Reference,
        *,
        keep: int = HEAVIEST,
        max_vocab: int = 0,
        pairs: bool = False,
        add_one: bool = False,
    ) -> ReducedVocabulary:
        """The same of texts, each its terms in reading order, uint32[t]."""
        ids, counts = _counts([text for one in texts for text in _phrases(one, pairs)])
        if not len(ids):
            return cls(ids, np.zeros(0, np.float64), keep, pairs)
        df = reference.df_of(ids)
        if pairs and not reference.pairs:
            df = np.maximum(df, _rarer_of_pairs(ids, texts, reference))
        idf = reference.idf_of_df(df, add_one)
        weights = counts / counts.max() * idf
        held = np.flatnonzero(weights > 0)
        if 0 < max_vocab < len(held):
            held = np.sort(held[np.argsort(-weights[held], kind="stable")[:max_vocab]])
        return cls(ids[held], idf[held], keep, pairs)

    def __len__(self) -> int:
        return len(self.ids)

    def reduce(self, page: Page) -> Bag:
        """Phrase ids (uint32[d], sorted) and weights v(w) (float32[d]) of a page's heaviest phrases."""
        vector = self.vector(page)
        return vector.ids, vector.weights

    def vector(self, page: Page) -> Vector:
        """The same with counts. Of phrases that weigh the same, those of lower id stay, so that it repeats exactly."""
        return self.of_terms(_terms(page))

    def of_terms(self, terms: TermIds) -> Vector:
        """The same of terms in reading order, uint32[t]."""
        ids, counts = _counts(_phrases(terms, self.pairs))
        if not len(ids) or not len(self.ids):
            nothing = np.empty(0, np.float32)
            return Vector(np.empty(0, np.uint32), nothing, nothing)
        places = np.searchsorted(self.ids, ids)
        known = np.flatnonzero(self.ids.take(places, mode="clip") == ids)
        weights = counts[known] / counts.max() * self.idf[places[known]]
        if 0 < self.keep < len(known):
            best = np.sort(np.argsort(-weights, kind="stable")[: self.keep])
            known, weights = known[best], weights[best]
        return Vector(ids[known], counts[known].astype(np.float32), weights.astype(np.float32))


def _terms(page: Page) -> TermIds:
    return np.concatenate([page.title_ids, page.leaves.ids])


def _phrases(terms: TermIds, pairs: bool) -> list[TermIds]:
    return [terms, pair_ids(terms)] if pairs and len(terms) > 1 else [terms]


def _counts(columns: Sequence[TermIds]) -> tuple[TermIds, Doubles]:
    """Distinct ids, sorted, and how often each occurs: float64."""
    if not columns:
        return np.empty(0, np.uint32), np.empty(0, np.float64)
    ids, counts = np.unique(np.concatenate(columns), return_counts=True)
    return ids, counts.astype(np.float64)


def _rarer_of_pairs(ids: TermIds, texts: Sequence[TermIds], reference: Reference) -> Doubles:
    """min(f(a), f(b)) of the ids that are pairs a b in one of the texts, 0 of the others: float64[d]."""
    least = np.zeros(len(ids), np.float64)
    for terms in texts:
        if len(terms) > 1:
            df = reference.df_of(terms)
            least[np.searchsorted(ids, pair_ids(terms))] = np.minimum(df[:-1], df[1:])
    return least
