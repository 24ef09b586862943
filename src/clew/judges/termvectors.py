"""Word vectors by term id, for what knows the terms of a page or a link and not its words.

The vector of a term is the mean of those of the words that have it as their stem, each weighing as often as it occurs
in general text. There are as many words as the frequency list of the language has (English: 29,000).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from clew.errors import ConfigError
from clew.judges.wordvectors import word_vectors
from clew.model import Doubles, Floats, TermIds
from clew.text.terms import tokeniser

LANGUAGE = "en"
"""The language of the packaged model."""


@dataclass(frozen=True, slots=True, eq=False)
class TermVectors:
    """``ids`` uint32[V], sorted; ``table`` float32[V + 1, d], the last row zeros; ``general`` float32[d], the mean of
    general text."""

    ids: TermIds
    table: Floats
    general: Floats

    def places(self, ids: TermIds) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Rows of the table for term ids uint32[t]; the last one for those without a vector."""
        places = self.ids.searchsorted(ids)
        known = self.ids.take(places, mode="clip") == ids
        return np.where(known, places, len(self.ids))

    def direction(self, ids: TermIds, weights: Doubles) -> Floats:
        """The weighted mean of the vectors of terms, less that of general text, at length 1: float32[d]; zeros where
        no term has a vector."""
        places = self.places(ids)
        known = places < len(self.ids)
        total = float(weights[known].sum())
        if total <= 0:
            return np.zeros(self.table.shape[1], np.float32)
        mean = weights[known].astype(np.float32) @ self.table[places[known]] / np.float32(total) - self.general
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), np.float32)


@lru_cache(maxsize=1)
def term_vectors() -> TermVectors | None:
    """The vectors of English terms; None where the libraries of ``clew[embedding]`` are not installed."""
    try:
        vectors = word_vectors("")
    except ConfigError:
        return None
    import wordfreq

    shares = wordfreq.get_frequency_dict(LANGUAGE, wordlist="small")
    words = [word for word in shares if word.isalpha()]
    of_words = vectors.of(words)
    found, starts = tokeniser(LANGUAGE).rows(words)
    word_of = np.repeat(np.arange(len(words)), np.diff(starts))
    weights = np.array([shares[word] for word in words], np.float32)[word_of]
    ids, places = np.unique(found, return_inverse=True)
    order = np.argsort(places, kind="stable")
    begins = np.searchsorted(places[order], np.arange(len(ids)))
    sums = np.add.reduceat(of_words[word_of[order]] * weights[order, None], begins, axis=0)
    totals = np.add.reduceat(weights[order], begins)
    table = np.vstack([sums / totals[:, None], np.zeros((1, vectors.dimensions), np.float32)]).astype(np.float32)
    general = (totals @ table[:-1] / totals.sum()).astype(np.float32)
    return TermVectors(ids.astype(np.uint32), table, general)
