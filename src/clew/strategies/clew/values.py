"""What the words of a link say of its page, before it is fetched.

Five parts: the cosine of the topic's terms to the terms of the anchor, of the URL, and of the text around the link; and
how near the terms of the anchor, and of the text around, are in meaning (word vectors). Each is measured in standard
deviations over the links seen so far, and the value of a link is their weighted sum, in standard deviations again.

    A(l) = z(Σ_i v_i · z(part_i(l))),   cosine: Σ_t idf(t)·c(t) / |idf|,   meaning: Σ_t idf(t)·s(t) / Σ_t idf(t)

Where there are ten examples of either side, the odds of the anchor's terms among them are told beside it, Σ_t w(t), at
most ±8:

    w(t) = log (p + ½)/(P − p + ½) − log (q + ½)/(Q − q + ½)

=========  ==================================================================================================
symbol     name
=========  ==================================================================================================
c(t)       ``Topic.terms``: unit mean of the TF-IDF vectors of the wanted examples, less half that of the others
s(t)       ``Topic.meaning``: cosine of the vector of term t to the mean direction of the wanted examples
v_i        ``PARTS``
w(t)       ``Topic.odds``: p of P wanted examples hold term t, and q of Q others; 0 where it is less than
           ``KEPT`` of its standard deviations, at most ±``LIMIT`` (judges/odds.py)
=========  ==================================================================================================
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from clew.judges.odds import LIMIT
from clew.model import SEEDS, Doubles, LinkBatch, LinkKind, TermIds, distinct
from clew.strategies.clew.wanted import Topic

PARTS = {"anchor": 1.0, "url": 0.5, "meaning of anchor": 0.7, "around": 0.4, "meaning around": 0.3}
"""v_i, in the order of the columns."""

AROUND = 3
"""Text counts that is at most so many leaves of the page away."""

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

Index = npt.NDArray[np.intp]


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

    def odds(self, links: LinkBatch) -> Doubles:
        """float64[n]: Σ_t w(t) of the terms of each link's anchors; 0 where there are too few examples."""
        return self._of_links(links)[:, -1]

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
        return self._of_links(links)[:, :-1]

    def _of_links(self, links: LinkBatch) -> Doubles:
        """The parts, and odds."""
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
        squares, wanted, weights, meaning, odds = sums.T.reshape(5, 3, count)
        cosine, near = wanted / np.maximum(np.sqrt(squares), 1e-9), meaning / np.maximum(weights, 1e-9)
        found = np.empty((count, len(PARTS) + 1))
        found[:, 3], found[:, 0], found[:, 1] = cosine
        found[:, 4], found[:, 2] = near[:2]
        found[:, 5] = np.clip(odds[1], -2.0 * LIMIT, 2.0 * LIMIT)
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
