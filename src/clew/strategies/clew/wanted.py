"""What is wanted, in the words of the examples: what each term says of a text.

Symbols and formulas: ``values``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.judges.auto.termvectors import LANGUAGE, TermVectors, term_vectors
from clew.judges.background import document_shares
from clew.judges.bags import Bag, Vocabulary
from clew.judges.features import Features
from clew.judges.odds import log_odds
from clew.judges.vectors import GENERAL_PAGES
from clew.model import Bools, Doubles, Page, TermIds, distinct
from clew.text.terms import tokeniser

NEGATIVE = 0.5
"""Weight of the examples that are not wanted."""

ENOUGH = 10
"""Examples of either side from which on odds are told: those of few mislead (docs/strategies/clew.md)."""

FEATURES = Features(pairs=False, lead=200.0, damped=True)

Index = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """What is wanted, in words. By place in ``vocabulary``: ``idf``, ``terms`` c, ``meaning`` s and ``odds`` w,
    float64[V + 1], and whether a term has a vector, ``meant``. The last place is that of all other terms."""

    vocabulary: Vocabulary
    idf: Doubles
    terms: Doubles
    meaning: Doubles
    meant: Bools
    odds: Doubles

    @classmethod
    def of(cls, wanted: Sequence[Page], others: Sequence[Page], keywords: Mapping[str, float]) -> Topic:
        """Of example pages and, where there are none that are wanted, of keywords."""
        languages = sorted({page.language for page in [*wanted, *others] if page.language}) or [LANGUAGE]
        general, shares = document_shares(languages)
        vectors = term_vectors() if LANGUAGE in languages else None
        bags = [FEATURES.bag(page) for page in wanted] or [_bag_of(keywords, languages[0])]
        against = [FEATURES.bag(page) for page in others]
        named = [ids for ids, _ in [*bags, *against]]
        ids = distinct(np.concatenate([general, *named, *([] if vectors is None else [vectors.vocabulary.ids])]))
        share = np.zeros(len(ids) + 1)
        share[ids.searchsorted(general)] = shares
        idf = np.log1p((GENERAL_PAGES + 1.0) / (1.0 + GENERAL_PAGES * share))
        terms = _mean(bags, ids, idf) - NEGATIVE * _mean(against, ids, idf)
        meaning, meant = np.zeros(len(ids) + 1), np.zeros(len(ids) + 1, np.bool_)
        if vectors is not None:
            places = ids.searchsorted(vectors.vocabulary.ids)
            meaning[places], meant[places] = _meaning(vectors, bags), True
        odds = np.zeros(len(ids) + 1)
        if min(len(wanted), len(others)) >= ENOUGH:
            odds[:-1] = _odds(bags, against, ids)
        return cls(Vocabulary(ids), idf, terms, meaning, meant, odds)

    def places(self, terms: TermIds) -> Index:
        """Where terms uint32[t] stand: intp[t]."""
        found = np.full(len(terms), len(self.vocabulary), np.intp)
        known, places = self.vocabulary.find(terms)
        found[known] = places
        return found

    def table(self) -> Doubles:
        """float64[V + 1, 5]: of each term what it adds to the sums of which cosine, meaning and odds are made."""
        squares, weights = self.idf * self.idf, self.idf * self.meant
        return np.stack([squares, self.idf * self.terms, weights, weights * self.meaning, self.odds], axis=1)


def _mean(bags: Sequence[Bag], ids: TermIds, idf: Doubles) -> Doubles:
    """The mean of the unit TF-IDF vectors of bags, at length 1 (0 for none): float64[V + 1]."""
    total = np.zeros(len(ids) + 1)
    for some, counts in bags:
        places = ids.searchsorted(some)
        weights = counts * idf[places]
        total[places] += weights / max(float(np.linalg.norm(weights)), 1e-12)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-12), np.float64)


def _meaning(vectors: TermVectors, bags: Sequence[Bag]) -> Doubles:
    """s of every term that has a vector."""
    apart = vectors.vectors - vectors.general
    apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
    wanted = np.zeros(apart.shape[1])
    for some, counts in bags:
        known, places = vectors.vocabulary.find(some)
        weights = counts[known].astype(np.float64)
        if len(known):
            mean = weights @ vectors.vectors[places] / weights.sum() - vectors.general
            wanted += mean / max(float(np.linalg.norm(mean)), 1e-12)
    return np.asarray(apart @ (wanted / max(float(np.linalg.norm(wanted)), 1e-12)), np.float64)


def _odds(wanted: Sequence[Bag], others: Sequence[Bag], ids: TermIds) -> Doubles:
    """w of terms: float64[V]."""
    return log_odds(_holders(wanted, ids), len(wanted), _holders(others, ids), len(others))


def _holders(bags: Sequence[Bag], ids: TermIds) -> Doubles:
    """How many bags hold each term: float64[V]."""
    held = [some for some, _ in bags]
    return np.bincount(ids.searchsorted(np.concatenate(held)), minlength=len(ids)).astype(np.float64)


def _bag_of(keywords: Mapping[str, float], language: str) -> Bag:
    terms = tokeniser(language)
    found = [(int(term), weight) for word, weight in keywords.items() for term in terms.ids(word)]
    weights: dict[int, float] = {}
    for term, weight in found:
        weights[term] = weights.get(term, 0.0) + weight
    ids = np.array(sorted(weights), np.uint32)
    return ids, np.array([weights[int(term)] for term in ids], np.float32)
