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

from clew.judges.background import document_shares
from clew.judges.features import Features
from clew.judges.termvectors import LANGUAGE, TermVectors, term_vectors
from clew.model import Bools, Doubles, LinkBatch, LinkKind, Page, TermIds
from clew.text.terms import tokeniser

PARTS = {"anchor": 1.0, "url": 0.5, "meaning of anchor": 0.7, "around": 0.4, "meaning around": 0.3}
"""v_i, in the order of the columns."""

AROUND = 3
"""Text counts that is at most so many leaves of the page away."""

NEGATIVE = 0.5
"""Weight of the examples that are not wanted."""

GENERAL_PAGES = 1_000.0

WANTED_VALUE = 6.0
"""The value of a link that was put on the frontier by name: a seed, or an answer of a search."""

FIRST_LINKS = 50.0
"""The first standard deviations weigh as much as those of so many links."""

FIRST_DEVIATION = 0.1

FEATURES = Features(pairs=False, lead=200.0, damped=True)

Index = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """What is wanted, in words: ``ids`` uint32[V] sorted, their ``terms`` c and ``idf`` float64[V]; ``rare``, the idf
    of every other term; ``meaning`` float64[words + 1] by place in ``vectors``, where there are such."""

    ids: TermIds
    terms: Doubles
    idf: Doubles
    rare: float
    vectors: TermVectors | None
    meaning: Doubles

    @classmethod
    def of(cls, wanted: Sequence[Page], others: Sequence[Page], keywords: Mapping[str, float]) -> Topic:
        """Of example pages and, where there are none that are wanted, of keywords."""
        languages = sorted({page.language for page in [*wanted, *others] if page.language}) or [LANGUAGE]
        general, shares = document_shares(languages)
        bags = [FEATURES.bag(page) for page in wanted] or [_bag_of(keywords, languages[0])]
        against = [FEATURES.bag(page) for page in others]
        ids = np.unique(np.concatenate([general, *(ids for ids, _ in [*bags, *against])]))
        share = np.zeros(len(ids))
        share[ids.searchsorted(general)] = shares
        idf = _idf(share)
        terms = _mean(bags, ids, idf) - NEGATIVE * _mean(against, ids, idf)
        vectors = term_vectors() if LANGUAGE in languages else None
        meaning = np.zeros(1) if vectors is None else _meaning(vectors, bags, ids, idf)
        return cls(ids, terms, idf, float(_idf(np.zeros(1))[0]), vectors, meaning)

    def look_up(self, terms: TermIds) -> tuple[Doubles, Doubles]:
        """idf and c of terms uint32[t]: float64[t] each."""
        places = self.ids.searchsorted(terms)
        known = self.ids.take(places, mode="clip") == terms
        at = np.where(known, places, 0)
        return np.where(known, self.idf[at], self.rare), np.where(known, self.terms[at], 0.0)


class LinkValues:
    """The values of links on a topic. ``seen`` must be told of the links of every page, in the order of visits."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self._weights = np.array(list(PARTS.values()))
        if topic.vectors is None:
            self._weights[[2, 4]] = 0.0
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
        count, found = len(links), np.zeros((len(links), len(PARTS)))
        starts = links.links.url_term_starts
        of_urls = np.repeat(np.arange(count), np.diff(starts))
        found[:, 1] = self._cosine(of_urls, links.links.url_term_ids, count)
        index, terms, offsets = links.offsets(AROUND)
        if len(terms):
            inside = offsets == 0
            for column, kept in ((0, inside), (3, np.ones(len(terms), np.bool_))):
                at, which = _distinct(index, terms, kept)
                found[:, column] = self._cosine(at, which, count)
                found[:, column // 3 * 2 + 2] = self._near(at, which, count)
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
        return np.asarray((parts - mean[:-1]) / deviation[:-1] @ self._weights, np.float64)

    def _spread(self) -> tuple[Doubles, Doubles]:
        links, sums, squares = self._moments
        mean = sums / links
        return mean, np.sqrt(np.maximum(squares / links - mean * mean, 1e-6))

    def _cosine(self, at: Index, terms: TermIds, count: int) -> Doubles:
        idf, wanted = self.topic.look_up(terms)
        length = np.sqrt(np.bincount(at, idf * idf, count))
        return np.asarray(np.bincount(at, idf * wanted, count) / np.maximum(length, 1e-9), np.float64)

    def _near(self, at: Index, terms: TermIds, count: int) -> Doubles:
        if self.topic.vectors is None:
            return np.zeros(count)
        places = self.topic.vectors.places(terms)
        known = places < len(self.topic.vectors.ids)
        weights = np.where(known, self.topic.look_up(terms)[0], 0.0)
        total = np.bincount(at, weights, count)
        return np.asarray(np.bincount(at, weights * self.topic.meaning[places], count) / np.maximum(total, 1e-9))


def _distinct(index: npt.NDArray[np.int32], terms: TermIds, kept: Bools) -> tuple[Index, TermIds]:
    """The distinct pairs of a link and a term."""
    pairs = np.unique(index[kept].astype(np.uint64) << np.uint64(32) | terms[kept].astype(np.uint64))
    return (pairs >> np.uint64(32)).astype(np.intp), (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def _idf(share: Doubles) -> Doubles:
    return np.asarray(np.log1p((GENERAL_PAGES + 1.0) / (1.0 + GENERAL_PAGES * share)), np.float64)


def _bag_of(keywords: Mapping[str, float], language: str) -> tuple[TermIds, npt.NDArray[np.float32]]:
    terms = tokeniser(language)
    found = [(int(term), weight) for word, weight in keywords.items() for term in terms.ids(word)]
    weights: dict[int, float] = {}
    for term, weight in found:
        weights[term] = weights.get(term, 0.0) + weight
    ids = np.array(sorted(weights), np.uint32)
    return ids, np.array([weights[int(term)] for term in ids], np.float32)


def _mean(bags: Sequence[tuple[TermIds, npt.NDArray[np.float32]]], ids: TermIds, idf: Doubles) -> Doubles:
    """The mean of the unit TF-IDF vectors of bags, at length 1 (0 for none): float64[V]."""
    total = np.zeros(len(ids))
    for some, counts in bags:
        places = ids.searchsorted(some)
        weights = counts * idf[places]
        total[places] += weights / max(float(np.linalg.norm(weights)), 1e-12)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-12), np.float64)


def _meaning(
    vectors: TermVectors, bags: Sequence[tuple[TermIds, npt.NDArray[np.float32]]], ids: TermIds, idf: Doubles
) -> Doubles:
    """s of every term that has a vector, and 0 for the place of those that have none."""
    wanted = np.zeros(vectors.table.shape[1])
    for some, counts in bags:
        wanted += vectors.direction(some, counts.astype(np.float64))
    wanted /= max(float(np.linalg.norm(wanted)), 1e-12)
    apart = vectors.table[:-1] - vectors.general
    lengths = np.maximum(np.linalg.norm(apart, axis=1), 1e-9)
    return np.append(apart @ wanted / lengths, 0.0)
