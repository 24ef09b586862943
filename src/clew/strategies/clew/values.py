"""What the words of a link say of its page, before it is fetched.

Five parts: the cosine of the topic's terms to the terms of the anchor, of the URL, and of the text around the link; and
how near the terms of the anchor, and of the text around, are in meaning (word vectors). Each is measured in standard
deviations over the links seen so far, and the value of a link is their weighted sum, in standard deviations again.

    A(l) = z(Σ_i v_i · z(part_i(l))),   cosine: Σ_t idf(t)·c(t) / |idf|,   meaning: Σ_t idf(t)·s(t) / Σ_t idf(t)

=========  ==================================================================================================
symbol     name
=========  ==================================================================================================
c(t)       ``Topic.terms``: unit mean of the TF-IDF vectors of the wanted examples, less half that of the others
s(t)       ``Topic.meaning``: cosine of the vector of term t to the mean direction of the wanted examples
v_i        ``PARTS``
=========  ==================================================================================================
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
from clew.judges.vectors import GENERAL_PAGES
from clew.model import Bools, Doubles, LinkBatch, LinkKind, Page, TermIds
from clew.text.terms import tokeniser

PARTS = {"anchor": 1.0, "url": 0.5, "meaning of anchor": 0.7, "around": 0.4, "meaning around": 0.3}
"""v_i, in the order of the columns."""

AROUND = 3
"""Text counts that is at most so many leaves of the page away."""

NEGATIVE = 0.5
"""Weight of the examples that are not wanted."""

WANTED_VALUE = 6.0
"""The value of a link that was put on the frontier by name: a seed, or an answer of a search."""

FIRST_LINKS = 50.0
"""The first standard deviations weigh as much as those of so many links."""

FIRST_DEVIATION = 0.1

FEATURES = Features(pairs=False, lead=200.0, damped=True)

Index = npt.NDArray[np.intp]

_1, _32, _33 = np.uint64(1), np.uint64(32), np.uint64(33)


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """What is wanted, in words. By place in ``vocabulary``: ``idf``, ``terms`` c and ``meaning`` s, float64[V + 1], and
    whether a term has a vector, ``meant``. The last place is that of all other terms."""

    vocabulary: Vocabulary
    idf: Doubles
    terms: Doubles
    meaning: Doubles
    meant: Bools

    @classmethod
    def of(cls, wanted: Sequence[Page], others: Sequence[Page], keywords: Mapping[str, float]) -> Topic:
        """Of example pages and, where there are none that are wanted, of keywords."""
        languages = sorted({page.language for page in [*wanted, *others] if page.language}) or [LANGUAGE]
        general, shares = document_shares(languages)
        vectors = term_vectors() if LANGUAGE in languages else None
        bags = [FEATURES.bag(page) for page in wanted] or [_bag_of(keywords, languages[0])]
        against = [FEATURES.bag(page) for page in others]
        named = [ids for ids, _ in [*bags, *against]]
        ids = np.unique(np.concatenate([general, *named, *([] if vectors is None else [vectors.vocabulary.ids])]))
        share = np.zeros(len(ids) + 1)
        share[ids.searchsorted(general)] = shares
        idf = np.log1p((GENERAL_PAGES + 1.0) / (1.0 + GENERAL_PAGES * share))
        terms = _mean(bags, ids, idf) - NEGATIVE * _mean(against, ids, idf)
        meaning, meant = np.zeros(len(ids) + 1), np.zeros(len(ids) + 1, np.bool_)
        if vectors is not None:
            places = ids.searchsorted(vectors.vocabulary.ids)
            meaning[places], meant[places] = _meaning(vectors, bags), True
        return cls(Vocabulary(ids), idf, terms, meaning, meant)

    def places(self, terms: TermIds) -> Index:
        """Where terms uint32[t] stand: intp[t]."""
        found = np.full(len(terms), len(self.vocabulary), np.intp)
        known, places = self.vocabulary.find(terms)
        found[known] = places
        return found


class LinkValues:
    """The values of links on a topic. ``seen`` must be told of the links of every page, in the order of visits."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self._weights = np.array(list(PARTS.values()))
        self._last: tuple[LinkBatch, Doubles] | None = None
        self._moments = np.zeros((3, len(PARTS) + 1))  # links, sums, sums of squares; the last column is of their sum
        self._moments[0] = FIRST_LINKS
        self._moments[2] = FIRST_LINKS * FIRST_DEVIATION**2

    def of(self, links: LinkBatch) -> Doubles:
        """float64[n]: standard deviations above the mean of the links seen so far."""
        if len(links) and links.links.kinds[0] in (LinkKind.SEED, LinkKind.BACKLINK):
            return np.full(len(links), WANTED_VALUE)
        mean, deviation = self._spread()
        return np.asarray((self._sum(self.parts(links)) - mean[-1]) / deviation[-1], np.float64)

    def seen(self, links: LinkBatch) -> None:
        """These links count among those seen."""
        if not links.source.visit or not len(links):
            return
        parts = self.parts(links)
        self._moments[:, :-1] += [np.full(parts.shape[1], len(parts)), parts.sum(axis=0), (parts * parts).sum(axis=0)]
        sums = self._sum(parts)
        self._moments[:, -1] += [len(sums), float(sums.sum()), float((sums * sums).sum())]

    def parts(self, links: LinkBatch) -> Doubles:
        """float64[n, 5]: the parts of each link's value, as they are measured."""
        if self._last is not None and self._last[0] is links:
            return self._last[1]
        count, found = len(links), np.zeros((len(links), len(PARTS)))
        starts = links.links.url_term_starts
        of_urls = np.repeat(np.arange(count), np.diff(starts))
        found[:, 1] = self._cosine(of_urls, self.topic.places(links.links.url_term_ids), count)
        index, terms, offsets = links.offsets(AROUND)
        if len(terms):
            at, which, inside = _distinct(index, terms, offsets == 0)
            places = self.topic.places(which)
            found[:, 3], found[:, 4] = self._cosine(at, places, count), self._near(at, places, count)
            at, places = at[inside], places[inside]
            found[:, 0], found[:, 2] = self._cosine(at, places, count), self._near(at, places, count)
        self._last = links, found
        return found

    def numbers(self) -> Doubles:
        """What was seen, in a row."""
        return self._moments.ravel()

    def take(self, numbers: Doubles) -> Doubles:
        """Take it back; returns the numbers that are left."""
        self._moments.ravel()[:] = numbers[: self._moments.size]
        return numbers[self._moments.size :]

    def _sum(self, parts: Doubles) -> Doubles:
        mean, deviation = self._spread()
        return np.asarray(((parts - mean[:-1]) / deviation[:-1] * self._weights).sum(axis=1), np.float64)

    def _spread(self) -> tuple[Doubles, Doubles]:
        links, sums, squares = self._moments
        mean = sums / links
        return mean, np.sqrt(np.maximum(squares / links - mean * mean, 1e-6))

    def _cosine(self, at: Index, places: Index, count: int) -> Doubles:
        idf = self.topic.idf[places]
        length = np.sqrt(np.bincount(at, idf * idf, count))
        wanted = np.bincount(at, idf * self.topic.terms[places], count)
        return np.asarray(wanted / np.maximum(length, 1e-9), np.float64)

    def _near(self, at: Index, places: Index, count: int) -> Doubles:
        weights = self.topic.idf[places] * self.topic.meant[places]
        total = np.bincount(at, weights, count)
        near = np.bincount(at, weights * self.topic.meaning[places], count)
        return np.asarray(near / np.maximum(total, 1e-9), np.float64)


def _distinct(index: npt.NDArray[np.int32], terms: TermIds, inside: Bools) -> tuple[Index, TermIds, Bools]:
    """The distinct pairs of a link and a term, and whether the term stands inside the link's anchor."""
    pairs = (index.astype(np.uint64) << _32 | terms.astype(np.uint64)) << _1 | inside
    pairs.sort()
    pairs = pairs[np.append((pairs[1:] ^ pairs[:-1]) > _1, True)]  # of equal pairs the last: one inside, if there is
    return (pairs >> _33).astype(np.intp), (pairs >> _1).astype(np.uint32), (pairs & _1).astype(np.bool_)


def _bag_of(keywords: Mapping[str, float], language: str) -> Bag:
    terms = tokeniser(language)
    found = [(int(term), weight) for word, weight in keywords.items() for term in terms.ids(word)]
    weights: dict[int, float] = {}
    for term, weight in found:
        weights[term] = weights.get(term, 0.0) + weight
    ids = np.array(sorted(weights), np.uint32)
    return ids, np.array([weights[int(term)] for term in ids], np.float32)


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
