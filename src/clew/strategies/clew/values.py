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

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.judges.auto.termvectors import LANGUAGE, TermVectors, term_vectors
from clew.judges.background import document_shares
from clew.judges.bags import Bag, Vocabulary
from clew.judges.features import Features
from clew.judges.vectors import GENERAL_PAGES
from clew.model import SEEDS, Bools, Doubles, LinkBatch, LinkKind, Page, TermIds, distinct
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
LEAST_VARIANCE = 1e-6

KEPT = 1 << 17
"""The parts of so many links are kept, those seen first, since all links are valued again now and then: 6 MB."""

MARKED = 1 << 22
"""Numbers up to this are marked in a table to tell the distinct ones, which is quicker than to sort them."""

FEATURES = Features(pairs=False, lead=200.0, damped=True)

Index = npt.NDArray[np.intp]


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
        ids = distinct(np.concatenate([general, *named, *([] if vectors is None else [vectors.vocabulary.ids])]))
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

    def table(self) -> Doubles:
        """float64[V + 1, 4]: of each term what it adds to the four sums of which cosine and meaning are made."""
        squares, weights = self.idf * self.idf, self.idf * self.meant
        return np.stack([squares, self.idf * self.terms, weights, weights * self.meaning], axis=1)


class LinkValues:
    """The values of links on a topic. ``seen`` must be told of the links of every page, in the order of visits."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self._table = topic.table()
        self._alike_at = np.zeros(len(self._table), np.intp)
        self._weights = np.array(list(PARTS.values()))
        self._kept: dict[tuple[int, tuple[LinkKind, ...], bytes], Doubles] = {}
        self._room = KEPT
        self._last: tuple[LinkBatch, Doubles] | None = None
        self._sums: Doubles | None = None  # of the parts of the last links, if they were the last ones seen
        self._moments = np.zeros((3, len(PARTS) + 1))  # links, sums, sums of squares; the last column is of their sum
        self._moments[0] = FIRST_LINKS
        self._moments[2] = FIRST_LINKS * FIRST_DEVIATION**2

    def of(self, links: LinkBatch) -> Doubles:
        """float64[n]: standard deviations above the mean of the links seen so far."""
        if len(links) and links.links.kinds[0] in (*SEEDS, LinkKind.BACKLINK):
            return np.full(len(links), WANTED_VALUE)
        parts = self.parts(links)
        sums = self._sum(parts) if self._sums is None else self._sums
        number, total, squares = self._moments[:, -1].tolist()
        mean = total / number
        return np.asarray((sums - mean) / math.sqrt(max(squares / number - mean * mean, LEAST_VARIANCE)), np.float64)

    def seen(self, links: LinkBatch) -> None:
        """These links count among those seen."""
        if not links.source.visit or not len(links):
            return
        parts = self.parts(links)
        numbers, totals, squares = self._moments
        numbers += len(parts)
        totals[:-1] += np.add.reduce(parts, axis=0)
        squares[:-1] += np.add.reduce(parts * parts, axis=0)
        self._sums = sums = self._sum(parts)
        totals[-1] += np.add.reduce(sums)
        squares[-1] += np.add.reduce(sums * sums)

    def parts(self, links: LinkBatch) -> Doubles:
        """float64[n, 5]: the parts of each link's value, as they are measured."""
        if self._last is not None and self._last[0] is links:
            return self._last[1]
        name = links.source.visit, links.links.kinds[:1], links.links.keys.tobytes()
        found = self._kept.get(name)
        if found is None:
            found = self._measured(links)
            if len(links) <= self._room:
                self._kept[name] = found
                self._room -= len(links)
        self._last, self._sums = (links, found), None
        return found

    def _measured(self, links: LinkBatch) -> Doubles:
        count, words, urls = len(links), links.leaves.ids, links.links.url_term_ids
        places = self.topic.places(np.concatenate([words, urls]))
        texts, held = _held(links, self._alike(words, places[: len(words)]))
        of_urls = np.repeat(np.arange(2 * count, 3 * count), np.diff(links.links.url_term_starts))
        texts = np.concatenate([texts, of_urls])
        held = np.concatenate([held, np.arange(len(words), len(places))])
        sums = np.zeros((3 * count, self._table.shape[1]))
        if len(texts):
            first = np.append(0, (texts[1:] != texts[:-1]).nonzero()[0] + 1)
            sums[texts.take(first)] = np.add.reduceat(self._table.take(places.take(held), axis=0), first, axis=0)
        squares, wanted, weights, meaning = sums.T.reshape(4, 3, count)
        cosine, near = wanted / np.maximum(np.sqrt(squares), 1e-9), meaning / np.maximum(weights, 1e-9)
        found = np.empty((count, len(PARTS)))
        found[:, 3], found[:, 0], found[:, 1] = cosine
        found[:, 4], found[:, 2] = near[:2]
        return found

    def numbers(self) -> Doubles:
        """What was seen, in a row."""
        return self._moments.ravel()

    def take(self, numbers: Doubles) -> Doubles:
        """Take it back; returns the numbers that are left."""
        self._moments.ravel()[:] = numbers[: self._moments.size]
        self._sums = None
        return numbers[self._moments.size :]

    def _sum(self, parts: Doubles) -> Doubles:
        links, sums, squares = self._moments[:, :-1]
        mean = sums / links
        deviation = np.sqrt(np.maximum(squares / links - mean * mean, LEAST_VARIANCE))
        return np.asarray(np.add.reduce((parts - mean) / deviation * self._weights, axis=1), np.float64)

    def _alike(self, ids: TermIds, places: Index) -> Index:
        """Of each term of a page, the place of one that is the same on all of these."""
        self._alike_at[places] = np.arange(len(places))
        found = self._alike_at.take(places)
        unknown = (places == len(self.topic.vocabulary)).nonzero()[0]
        first: dict[int, int] = {}
        pairs = zip(ids[unknown].tolist(), unknown.tolist(), strict=True)
        found[unknown] = [first.setdefault(term, place) for term, place in pairs]
        return found


def _held(links: LinkBatch, alike: Index) -> tuple[Index, Index]:
    """The terms around each of n links, and those inside its anchors, each once: which text, 0 to 2n - 1 in order, and
    which term of the page."""
    spans, starts, count = links.links.spans, links.leaves.starts, len(links)
    spans = spans[(spans[:, 2] >= spans[:, 1]) & (len(links.leaves) > 0)].T.astype(np.intp)
    texts = np.concatenate([spans[0], spans[0] + count])
    low = np.concatenate([np.maximum(spans[1] - AROUND, 0), spans[1]])
    high = np.concatenate([np.minimum(spans[2] + (AROUND + 1), len(links.leaves)), spans[2] + 1])
    first = starts.take(low)
    widths = starts.take(high) - first
    ends = widths.cumsum()
    terms = np.repeat(first - (ends - widths), widths)
    terms += np.arange(len(terms))
    shift = len(alike).bit_length()
    pairs = _marked(np.repeat(texts << shift, widths) + alike.take(terms), 2 * count << shift)
    return pairs >> shift, pairs & ((1 << shift) - 1)


def _marked(numbers: Index, bound: int) -> Index:
    """The distinct ones of numbers below ``bound``, sorted."""
    if bound > MARKED:
        return distinct(numbers)
    marked = np.zeros(bound, np.bool_)
    marked[numbers] = True
    return marked.nonzero()[0]


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
