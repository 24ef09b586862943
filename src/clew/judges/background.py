"""General text as the default negative class, for users who only know what they want.

The word frequencies of a language (the wordfreq library, some forty languages) stand for its general text:
as expected counts for judges that count, and as random pages of given lengths for judges that compare pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from clew.judges import kept
from clew.judges.bags import Bag
from clew.model import Doubles, TermIds, distinct
from clew.text.terms import tokeniser

FALLBACK_LANGUAGE = "en"
NAMES = {"no": "nb"}
"""Languages that the frequency lists call otherwise."""

FORM = 1
"""To be raised when words are cut into terms otherwise."""

BLOCK = 1000
"""Words that are cut into terms at once."""


@lru_cache(maxsize=16)
def frequencies(language: str) -> tuple[TermIds, Doubles]:
    """Term ids of general text (uint32[V], sorted) and their relative frequencies (float64[V], sum 1).

    A language without a frequency list falls back on English. Each language is kept between runs (300 kB): to count
    it takes as long as all else that a crawl does before its first page.
    """
    path = kept.place("general-text", ("wordfreq", "PyStemmer"), FORM, language)
    found = kept.table(path, lambda: _counted(language), _sound, ("ids", "shares"))
    assert found is not None
    return found["ids"], found["shares"]


def _sound(found: kept.Arrays) -> bool:
    ids, shares = found["ids"], found["shares"]
    return ids.dtype == np.uint32 and shares.dtype == np.float64 and ids.ndim == 1 and ids.shape == shares.shape


def _counted(language: str) -> kept.Arrays:
    """The same, from the list of words on."""
    import wordfreq

    available = wordfreq.available_languages("small")
    named = NAMES.get(language, language)
    code = named if named in available else FALLBACK_LANGUAGE
    words = wordfreq.get_frequency_dict(code, wordlist="small")
    terms = tokeniser(language if code == named else code)
    weights: dict[int, float] = defaultdict(float)
    listed = list(words)
    for first in range(0, len(listed), BLOCK):
        block = listed[first : first + BLOCK]
        found, starts = terms.rows(block)
        shares = np.repeat([words[word] for word in block], np.diff(starts))
        for term, share in zip(found.tolist(), shares.tolist(), strict=True):
            weights[term] += share
    ids = np.array(sorted(weights), np.uint32)
    totals = np.array([weights[int(term)] for term in ids], np.float64)
    return {"ids": ids, "shares": totals / totals.sum()}


def mixture(languages: Iterable[str]) -> tuple[TermIds, Doubles]:
    """General text in the given languages, each weighing the same: ids uint32[V] and shares float64[V]."""
    parts = [frequencies(language) for language in sorted(set(languages)) or [FALLBACK_LANGUAGE]]
    ids = distinct(np.concatenate([part[0] for part in parts]))
    shares = np.zeros(len(ids), np.float64)
    for part_ids, part_shares in parts:
        shares[np.searchsorted(ids, part_ids)] += part_shares / len(parts)
    return ids, shares


def expected_counts(languages: Iterable[str], tokens: float) -> Bag:
    """What ``tokens`` terms of general text hold on average."""
    ids, shares = mixture(languages)
    return ids, (shares * tokens).astype(np.float32)


def document_shares(languages: Iterable[str], tokens: float = 200.0) -> tuple[TermIds, Doubles]:
    """The share of general pages of ``tokens`` terms in which each term occurs: 1 − (1 − p)^tokens."""
    ids, shares = mixture(languages)
    return ids, 1.0 - np.power(1.0 - shares, tokens)


def sample_pages(languages: Iterable[str], lengths: Sequence[int], rng: np.random.Generator) -> list[Bag]:
    """Random pages of general text, one of each length in terms."""
    ids, shares = mixture(languages)
    pages = []
    for length in lengths:
        counts = rng.multinomial(max(int(length), 1), shares)
        seen = np.flatnonzero(counts)
        pages.append((ids[seen], counts[seen].astype(np.float32)))
    return pages
