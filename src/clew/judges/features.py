"""Pages as weighted features: terms, pairs of terms, and more weight to where a page begins.

    w(d,t) = Σ_{positions i of t in d} L / (L + i),   or the square root of that sum

Position 0 is the first word of the title. L (``lead``) is the position that weighs half as much as the first; 0
counts every position as 1. A page says what it is about where it begins, and long pages do not drown short ones. The
square root keeps a word that is repeated a hundred times from outvoting everything else. A pair is two terms in a
row; its id is a hash of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from clew.judges.bags import Bag, Places, Vocabulary
from clew.model import Doubles, Floats, Page, TermIds
from clew.text.terms import name as term_name

LEFT, RIGHT = np.uint32(2_654_435_761), np.uint32(2_246_822_519)
"""Odd factors: a pair's id depends on the order of its terms."""

KEPT = 8_192
"""Positions whose weights are kept from page to page."""

AT_ONCE = 10_000
"""Pages are looked up together until they hold more terms than this: few calls, and arrays that fit a core's cache."""


_32 = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Features:
    """How pages become bags. The default counts terms, as the papers do.

    ``heaviest``: so many features of a page, those of the largest TF-IDF, stay in its vector; 0: all.
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
        ids, weights = (np.concatenate(parts) for parts in self._weighed([terms]))
        ordered = ids.astype(np.uint64) << _32 | np.arange(len(ids), dtype=np.uint64)
        ordered.sort()  # takes half as long as np.unique, which sorts where ids stand
        features = (ordered >> _32).astype(np.uint32)
        first = np.ones(len(features), np.bool_)
        np.not_equal(features[1:], features[:-1], out=first[1:])
        sums = np.bincount(first.cumsum() - 1, weights.take(ordered.astype(np.uint32)))
        return features[first], self._dampen(np.asarray(sums, np.float64))

    def known(self, pages: Sequence[Page], vocabulary: Vocabulary) -> Iterator[tuple[Places, Floats]]:
        """``vocabulary.project`` of each page's bag, bit for bit, without making the rest of the bags."""
        terms: list[TermIds] = []
        waiting = 0
        for page in pages:
            terms.append(_terms(page))
            waiting += len(terms[-1])
            if waiting > AT_ONCE:
                yield from self._looked_up(terms, vocabulary)
                terms, waiting = [], 0
        if terms:
            yield from self._looked_up(terms, vocabulary)

    def _looked_up(self, texts: Sequence[TermIds], vocabulary: Vocabulary) -> Iterator[tuple[Places, Floats]]:
        """The same of one or more pages given as terms."""
        found, weights = self._weighed(texts)
        indices, places = vocabulary.find(np.concatenate(found))
        known = np.concatenate(weights).take(indices)
        start, after = 0, 0
        for count in self._counts(texts):
            after += count
            end = int(indices.searchsorted(after))
            distinct, sums = vocabulary.sums(places[start:end], known[start:end])
            yield distinct, self._dampen(sums)
            start = end

    def shuffled(self, counts: Bag, rng: np.random.Generator) -> Bag:
        """The features of a page that holds the given terms so often, in random order."""
        if self.plain:
            return counts
        return self.of_terms(rng.permutation(np.repeat(counts[0], counts[1].astype(np.intp))))

    def _weighed(self, texts: Sequence[TermIds]) -> tuple[list[TermIds], list[Doubles]]:
        """All features of each page, terms and then pairs, and what each weighs where it stands."""
        ids, weights = [], []
        for terms in texts:
            count = len(terms)
            each = _leads(self.lead)[:count] if count <= KEPT else _lead_weights(self.lead, count)
            ids.append(terms)
            weights.append(each)
            if self.pairs and count > 1:
                ids.append(pair_ids(terms))
                weights.append(each[:-1])
        return ids, weights

    def _counts(self, texts: Sequence[TermIds]) -> list[int]:
        """How many features, not distinct, each page has."""
        return [len(terms) + (max(len(terms) - 1, 0) if self.pairs else 0) for terms in texts]

    def _dampen(self, sums: Doubles) -> Floats:
        return (np.sqrt(sums) if self.damped else sums).astype(np.float32)

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


def _lead_weights(lead: float, count: int) -> Doubles:
    """L / (L + i) of the first positions: float64[count]."""
    return np.asarray(lead / (lead + np.arange(count)) if lead else np.ones(count), np.float64)


@lru_cache(maxsize=4)
def _leads(lead: float) -> Doubles:
    """The same of as many as are kept; not to be written to."""
    weights = _lead_weights(lead, KEPT)
    weights.setflags(write=False)
    return weights


def _terms(page: Page) -> TermIds:
    return np.concatenate([page.title_ids, page.leaves.ids])
