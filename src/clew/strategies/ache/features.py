"""Which words are features (ACHE's automatic feature selection), and which of them a link has."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

import numpy as np

from clew.model import LinkBatch, TermIds
from clew.strategies.ache.neighbourhood import Near, Neighbourhood, Places, near, url_words
from clew.strategies.ache.settings import AcheSettings

SHORTEST = 3
"""Letters of a URL's word, at least."""

ORDINARY = frozenset(("net", "http", "www", "cfm", "cgi", "asp", "php", "jsp"))
"""Words of URLs that say nothing."""

FEW = 10
"""Where no word occurs more often than this, words that occur twice are features."""

REMEMBERED = 50_000
"""URLs whose features are remembered."""

Word = TypeVar("Word", str, int)


@dataclass(eq=False)
class Features:
    """The features f of links, numbered: ``url`` words first, then terms of anchors and around them (sorted, uint32).

    ``substring``: a URL has a feature of which one of its words is longer.
    """

    url: tuple[str, ...]
    anchor: TermIds
    around: TermIds
    substring: bool
    _of_url: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.url) + len(self.anchor) + len(self.around)

    @classmethod
    def selected(cls, links: Iterable[Neighbourhood], settings: AcheSettings) -> Features:
        """The most frequent words of some links, of each kind by itself."""
        urls: Counter[str] = Counter()
        anchors, arounds = [np.empty(0, np.uint32)], [np.empty(0, np.uint32)]
        for link in links:
            urls.update(link.url.split())
            anchors.append(link.anchor)
            arounds.append(link.around)
        substring, least = settings.url_match == "substring", settings.min_frequency
        return cls(
            _url_features(urls, substring, settings.url_features, least),
            _term_features(np.concatenate(anchors), settings.anchor_features, least),
            _term_features(np.concatenate(arounds), settings.around_features, least),
            substring,
        )

    def of_links(self, links: LinkBatch, width: int, first_only: bool) -> tuple[Places, Places]:
        """Of every link its features, each once: columns of links and of feature numbers."""
        urls = [self._in_url(url) for url in links.links.urls]
        many = np.fromiter(map(len, urls), np.intp, len(urls))
        numbers = np.fromiter((number for row in urls for number in row), np.intp, int(many.sum()))
        found = near(links, width, first_only)
        cells = self._cells(np.repeat(np.arange(len(urls)), many), numbers, found)
        return np.divmod(cells, len(self))

    def of(self, link: Neighbourhood) -> Places:
        """The numbers of the features that a link has, each once, in order."""
        words = [number for word in link.url.split() for number in self._in_word(word)]
        anchor, around = np.zeros(len(link.anchor), np.intp), np.zeros(len(link.around), np.intp)
        found = Near(anchor, link.anchor, around, link.around)
        return self._cells(np.zeros(len(words), np.intp), np.array(words, np.intp), found)

    def _cells(self, rows: Places, numbers: Places, found: Near) -> Places:
        """link · len(self) + feature of all that is known, each once, in order."""
        count, cells = len(self), [rows * len(self) + numbers]
        shift = len(self.url)
        for links, ids, terms in (
            (found.anchor_links, found.anchor, self.anchor),
            (found.around_links, found.around, self.around),
        ):
            if len(terms):
                place = np.minimum(np.searchsorted(terms, ids), len(terms) - 1)
                known = terms[place] == ids
                cells.append(links[known] * count + shift + place[known])
            shift += len(terms)
        return np.unique(np.concatenate(cells))

    def _in_url(self, url: str) -> tuple[int, ...]:
        known = self._of_url.get(url)
        if known is None:
            if len(self._of_url) >= REMEMBERED:
                self._of_url.clear()
            known = tuple({number for word in url_words(url) for number in self._in_word(word)})
            self._of_url[url] = known
        return known

    def _in_word(self, word: str) -> list[int]:
        if self.substring:
            return [number for number, feature in enumerate(self.url) if feature in word]
        return [self.url.index(word)] if word in self.url else []


def _frequent(counts: Mapping[Word, int], least: int) -> dict[Word, int]:
    """Words that occur often enough."""
    if max(counts.values(), default=0) <= FEW:
        least = min(least, 1)
    return {word: count for word, count in counts.items() if count > least}


def _most(counts: Mapping[Word, int], number: int) -> list[Word]:
    """The most frequent words; of equals, the lower ones."""
    return sorted(counts, key=lambda word: (-counts[word], word))[:number]


def _term_features(ids: TermIds, number: int, least: int) -> TermIds:
    terms, counts = np.unique(ids, return_counts=True)
    kept = _most(_frequent(dict(zip(terms.tolist(), counts.tolist(), strict=True)), least), number)
    return np.sort(np.array(kept, np.uint32))


def _url_features(counts: Counter[str], substring: bool, number: int, least: int) -> tuple[str, ...]:
    """Frequent words. With ``substring`` a word stands for all that contain it: their counts are its own, and longer
    ones are no features."""
    frequent = {
        word: count
        for word, count in _frequent(counts, least).items()
        if len(word) >= SHORTEST and word not in ORDINARY
    }
    if substring:
        frequent = _merged(frequent, counts)
    return tuple(_most(frequent, number))


def _merged(words: Iterable[str], counts: Mapping[str, int]) -> dict[str, int]:
    """The shortest words, with the counts of all that contain them."""
    every = list(counts)
    blob = "\n".join(every)
    starts = list(accumulate((len(word) + 1 for word in every), initial=0))
    found: dict[str, int] = {}
    used: set[str] = set()
    for word in sorted(words, key=lambda one: (len(one), one)):
        if word not in used:
            longer = [every[place] for place in _containing(word, blob, starts)]
            used.update(longer)
            found[word] = sum(counts[one] for one in longer)
    return found


def _containing(word: str, blob: str, starts: Sequence[int]) -> Iterator[int]:
    """The places of the lines of a text that contain a word."""
    at = blob.find(word)
    while at >= 0:
        place = bisect_right(starts, at) - 1
        yield place
        at = blob.find(word, starts[place + 1] - 1)
