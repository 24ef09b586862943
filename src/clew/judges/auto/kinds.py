"""What kind of page it is: a home page, a course, a list. Words of its text say little about that; its URL, its title,
how it begins and how large it is say more.

    s(d) = 1/|T(d)| · Σ_{t in T(d)} log( (k_t + α·p_t) / ((k + α) · p_t) )

=========  =============================================================================================
symbol     name
=========  =============================================================================================
T(d)       marks of page d: words of its URL, how deep it lies and whether it is a folder or a user's; words of
           its title, and pairs of these; its first words; by powers of two how many words, leaves and links it has, how
           many of the links leave its host and how many stay in its folder
k, k_t     examples of the topic, and those with mark t
p_t        the share of the crawl's pages with mark t
α          so many pages of the crawl count as examples: two or three prove little
=========  =============================================================================================

A mark that no example has says the same whatever it is, log(α / (k + α)). Host names are no marks: examples often come
from other hosts than what is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote, urlsplit
from zlib import crc32

import numpy as np

from clew.judges.bags import Places, Vocabulary
from clew.judges.features import pair_ids
from clew.judges.trained import CELLS
from clew.model import Bools, Doubles, Page, TermIds
from clew.text.terms import name as term_name
from clew.urls.canonical import host

ALPHA = 1.0
FIRST_WORDS = 12
"""Terms that a page begins with, its title left out."""

MOST_WORDS = 24
"""Terms of a title, and words of a URL, that are looked at."""

DEEPEST = 6
TITLE, FIRST = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)
"""Odd factors: the same term is another mark in the title than among the first words."""

_WORDS = re.compile(r"[^\W\d_]{2,}")
_FRONT = re.compile(r"(index|welcome|home|default|homepage|main)\b")
_DULL = frozenset(("html", "htm", "index", "php", "asp", "aspx", "jsp", "cgi"))


def marks(page: Page) -> TermIds:
    """The marks of a page, distinct and sorted: uint32[d]."""
    title, first = _title(page), _first(page)
    ids = {mark(text) for text in (*_of_url(page.url), *_of_size(page))}
    ids.update((title * TITLE).tolist(), (pair_ids(title) * TITLE).tolist(), (first * FIRST).tolist())
    return np.array(sorted(ids), np.uint32)


@lru_cache(maxsize=1 << 16)
def mark(text: str) -> int:
    """The id of a mark that is told in words."""
    return crc32(text.encode())


def names(page: Page) -> dict[int, str]:
    """The marks of a page for people, by their ids."""
    title = _title(page)
    pairs = zip(pair_ids(title).tolist(), pairwise(title.tolist()), strict=True)
    found = {
        **{_times(term, FIRST): f"begins with: {term_name(term)}" for term in _first(page).tolist()},
        **{_times(pair, TITLE): f"title: {term_name(one)} {term_name(two)}" for pair, (one, two) in pairs},
        **{_times(term, TITLE): f"title: {term_name(term)}" for term in title.tolist()},
    }
    return found | {mark(text): text for text in (*_of_url(page.url), *_of_size(page))}


def _times(term: int, factor: np.uint32) -> int:
    return term * int(factor) & 0xFFFFFFFF


def _title(page: Page) -> TermIds:
    return page.title_ids[:MOST_WORDS]


def _first(page: Page) -> TermIds:
    return page.leaves.ids[:FIRST_WORDS]


def _of_url(url: str) -> list[str]:
    parts = urlsplit(url)
    path = unquote(parts.path).lower()
    steps = [step for step in path.split("/") if step]
    last = "" if path.endswith("/") or not steps else steps[-1]
    found = [f"URL {min(len(steps), DEEPEST)} deep"]
    found.append("URL of a folder" if not last or _FRONT.match(last) else "URL of a file")
    if "~" in path:
        found.append("URL of a user")
    if parts.query:
        found.append("URL with a query")
    if any(letter.isdigit() for letter in path):
        found.append("URL with digits")
    words = [word for word in _WORDS.findall(path) if word not in _DULL]
    found.extend(f"URL: {word}" for word in words[:MOST_WORDS])
    return found


def _of_size(page: Page) -> list[str]:
    links, own_host = page.links, host(page.url)
    own = links.host_names.index(own_host) if own_host in links.host_names else -1
    folder = page.url.rpartition("/")[0]
    words = len(page.leaves.ids)
    sizes = (
        ("words", words),
        ("pieces of text", len(page.leaves)),
        ("links", len(links)),
        ("links to other hosts", int(np.count_nonzero(links.host_index != own))),
        ("links within its folder", sum(url.startswith(folder) for url in links.urls)),
        ("words a link", words // (len(links) + 1)),
    )
    return [f"{name}: {_range(size)}" for name, size in sizes]


def _range(size: int) -> str:
    """The powers of two between which a size lies."""
    bits = size.bit_length()
    return f"{1 << (bits - 1)} to {(1 << bits) - 1}" if bits > 1 else str(size)


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """What marks say for k topics: ``vocabulary`` of the m marks that examples have; ``gains`` float64[m, k]: a mark's
    log ratio less that of a mark that no example has, ``unknown`` float64[k]."""

    vocabulary: Vocabulary
    gains: Doubles
    unknown: Doubles

    def scores(self, found: TermIds) -> Doubles:
        """Of a page with these marks: float64[k]."""
        _, places = self.vocabulary.find(found)
        return np.asarray(self.gains[places].sum(axis=0) / max(len(found), 1) + self.unknown, np.float64)

    def parts(self, found: TermIds, topic: int) -> dict[int, float]:
        """What each mark of such a page adds to the score of a topic, by its id; marks that no example has add
        nothing."""
        indices, places = self.vocabulary.find(found)
        parts = self.gains[places, topic] / max(len(found), 1)
        return dict(zip(found[indices].tolist(), parts.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class KindScores:
    """``pages`` float64[p] and ``examples`` float64[n], these as if each had not been one: NaN where none was left."""

    pages: Doubles
    examples: Doubles


@dataclass(frozen=True, slots=True, eq=False)
class _Marked:
    """n pages and those of their marks that examples have: ``rows`` intp[j] and ``places`` intp[j]; of each page how
    many marks it has in all, ``sizes`` float64[n], and whether any are known, ``known`` bool[n]."""

    rows: Places
    places: Places
    sizes: Doubles
    known: Bools

    @classmethod
    def of(cls, pages: Sequence[TermIds | None], vocabulary: Vocabulary) -> _Marked:
        nothing = np.empty(0, np.uint32)
        found = [vocabulary.find(nothing if one is None else one)[1] for one in pages]
        rows = np.repeat(np.arange(len(pages)), [len(places) for places in found])
        places = np.concatenate([np.empty(0, np.intp), *found]).astype(np.intp)
        sizes = np.array([max(0 if one is None else len(one), 1) for one in pages], np.float64)
        return cls(rows, places, sizes, np.array([one is not None for one in pages], np.bool_))

    def means(self, gains: Doubles) -> Doubles:
        """Gains float64[j] of these marks, summed by page and divided by its number of marks: float64[n]."""
        return np.asarray(np.bincount(self.rows, gains, len(self.sizes)) / self.sizes, np.float64)


class KindWork:
    """The marks of examples and pages, looked up once. Of pages without any (made of keywords, general text) nothing is
    known."""

    def __init__(self, examples: Sequence[TermIds | None], pages: Sequence[TermIds | None], topics: int) -> None:
        given = [(one, np.ones(len(one), np.float32)) for one in examples if one is not None]
        self.vocabulary = Vocabulary.of(given, max(CELLS // (2 * topics + 2), 1))
        self.examples = _Marked.of(examples, self.vocabulary)
        self.pages = _Marked.of(pages, self.vocabulary)
        seen = np.bincount(self.pages.places, minlength=len(self.vocabulary))
        self.shares = (seen + 0.5) / (len(pages) + 1.0)

    def scores(self, own: Doubles) -> KindScores:
        """Of a topic with the examples float64[n]."""
        gains, unknown = self._gains(own)
        pages = self.pages.means(gains[self.pages.places]) + unknown
        sure = (own * self.examples.known).any()
        return KindScores(np.where(self.pages.known & sure, pages, np.nan), self._held_out(own))

    def learned(self, own: Doubles) -> Kinds:
        """Of k topics with the examples float64[k, n]."""
        found = [self._gains(one) for one in own]
        gains, unknown = np.array([one for one, _ in found]).T, np.array([one for _, one in found])
        return Kinds(self.vocabulary, gains, unknown)

    def _gains(self, own: Doubles) -> tuple[Doubles, float]:
        """The gains of marks float64[m], and what others say."""
        held, count = self._held(own)
        unknown = _unknown(count)
        return np.log((held + ALPHA * self.shares) / ((count + ALPHA) * self.shares)) - unknown, float(unknown)

    def _held(self, own: Doubles) -> tuple[Doubles, float]:
        """k_t float64[m], and k."""
        marked = self.examples
        held = np.bincount(marked.places, own[marked.rows], len(self.shares))
        return held.astype(np.float64), float(own[marked.known].sum())

    def _held_out(self, own: Doubles) -> Doubles:
        marked, (held, count) = self.examples, self._held(own)
        left = count - own
        shares, without = self.shares[marked.places], left[marked.rows]
        kept = np.maximum(held[marked.places] - own[marked.rows], 0.0) + ALPHA * shares
        gains = np.log(kept / ((without + ALPHA) * shares)) - _unknown(without)
        found = marked.means(gains) + _unknown(np.maximum(left, 0.0))
        return np.where(marked.known & (left > 1e-9), found, np.nan)


def _unknown(count: Doubles | float) -> Doubles:
    """What a mark says that none of so many examples has."""
    return np.asarray(np.log(ALPHA / (count + ALPHA)), np.float64)
