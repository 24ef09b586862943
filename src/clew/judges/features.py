"""Pages as weighted features: terms, pairs of terms, and more weight to where a page begins.

    w(d,t) = Σ_{positions i of t in d} L / (L + i),   or the square root of that sum

Position 0 is the first word of the title. L (``lead``) is the position that weighs half as much as the first; 0
counts every position as 1. A page says what it is about where it begins, and long pages do not drown short ones. The
square root keeps a word that is repeated a hundred times from outvoting everything else. A pair is two terms in a
row; its id is a hash of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.judges.bags import Bag
from clew.model import Page, TermIds
from clew.text.terms import name as term_name

LEFT, RIGHT = np.uint32(2_654_435_761), np.uint32(2_246_822_519)
"""Odd factors: a pair's id depends on the order of its terms."""


@dataclass(frozen=True, slots=True)
class Features:
    """How pages become bags. The default counts terms, as the papers do.

    ``heaviest``: so many features of a page, those of the largest TF-IDF, stay in its vector (CFC-21); 0: all.
    """

    pairs: bool = False
    lead: float = 0.0
    damped: bool = False
    heaviest: int = 0

    @property
    def plain(self) -> bool:
        """Whether bags are counts of terms."""
        return not (self.pairs or self.lead or self.damped)

    def bag(self, page: Page) -> Bag:
        """Feature ids (uint32[d], sorted) and weights (float32[d]) of a page."""
        return page.term_counts() if self.plain else self.of_terms(_terms(page))

    def of_terms(self, terms: TermIds) -> Bag:
        """The same of terms in reading order, uint32[t]."""
        weights = self.lead / (self.lead + np.arange(len(terms))) if self.lead else np.ones(len(terms))
        if self.pairs and len(terms) > 1:
            terms = np.concatenate([terms, pair_ids(terms)])
            weights = np.concatenate([weights, weights[:-1]])
        ids, places = np.unique(terms, return_inverse=True)
        sums = np.bincount(places, weights, len(ids))
        return ids, (np.sqrt(sums) if self.damped else sums).astype(np.float32)

    def shuffled(self, counts: Bag, rng: np.random.Generator) -> Bag:
        """The features of a page that holds the given terms so often, in random order."""
        if self.plain:
            return counts
        return self.of_terms(rng.permutation(np.repeat(counts[0], counts[1].astype(np.intp))))

    def name(self, page: Page, feature: int) -> str:
        """A feature of ``page`` for people; its number in hexadecimal if this process never saw its words."""
        word = term_name(feature)
        if not word and self.pairs:
            terms = _terms(page)
            places = np.flatnonzero(pair_ids(terms) == feature)
            if len(places):
                word = " ".join(term_name(int(term)) for term in terms[places[0] : places[0] + 2])
        return word or f"#{feature:08x}"


PLAIN = Features()
"""Counts of terms."""


def pair_ids(terms: TermIds) -> TermIds:
    """Ids of the pairs of neighbours: uint32[t - 1] from uint32[t]."""
    return terms[:-1] * LEFT + terms[1:] * RIGHT


def _terms(page: Page) -> TermIds:
    return np.concatenate([page.title_ids, page.leaves.ids])
