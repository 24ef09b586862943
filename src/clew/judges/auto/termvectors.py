"""The meaning of terms: word vectors by term id, so that pages need not carry their text.

    v(t) = Σ_{words w with stem t} f(w) · v(w) / Σ f(w)

=========  ==================================================================
symbol     name
=========  ==================================================================
f(w)       how frequent word w is in general English (the wordfreq library)
v(w)       the sum of the vectors of w's pieces, of the model inside wordllama
=========  ==================================================================

The table is made of the ``WORDS`` most frequent words, in a second, and kept in the user's cache folder (10 MB).
Nothing is downloaded. The model is English; where it is not installed there is no table, and the judge goes by words
alone.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from clew.judges import kept
from clew.judges.bags import Vocabulary
from clew.model import Doubles, Floats, Page, TermIds
from clew.text.terms import tokeniser

LANGUAGE = "en"
WORDS = 15_000
FORM = 1
"""To be raised when the table is made otherwise."""

WEIGHTS = "weights/l2_supercat_256.safetensors"
LEAD = 200.0
"""The position on a page that weighs half as much as the first word."""

FIRST = 1_000
"""Terms of a page that are looked at: the later ones weigh little, and cost the most."""

_LEADS = LEAD / (LEAD + np.arange(FIRST))


@dataclass(frozen=True, slots=True, eq=False)
class TermVectors:
    """``vectors`` float32[V, d] of the terms of ``vocabulary``; ``shares`` float64[V] of general text, sum 1."""

    vocabulary: Vocabulary
    vectors: Floats
    shares: Doubles

    @property
    def general(self) -> Doubles:
        """The mean vector of general text, float64[d]."""
        return np.asarray(self.shares @ self.vectors, np.float64)

    def of_page(self, page: Page) -> Doubles | None:
        """The mean vector of a page, terms weighing less the later they stand, float64[d]; None where nothing on it is
        known."""
        return self.mean(np.concatenate([page.title_ids, page.leaves.ids[:FIRST]]))

    def mean(self, terms: TermIds) -> Doubles | None:
        """The same of terms in reading order, uint32[t]; those after the ``FIRST`` are left out."""
        terms = terms[:FIRST]
        known, places = self.vocabulary.find(terms)
        if not len(known):
            return None
        weights = _LEADS.take(known)
        total = weights.astype(np.float32) @ self.vectors.take(places, axis=0)
        return np.asarray(total / weights.sum(), np.float64)


@lru_cache(maxsize=1)
def term_vectors() -> TermVectors | None:
    """The table; None where the model is not installed, or is of a form that cannot be read."""
    package = _package()
    if package is None:
        return None
    found = kept.table(_kept_at(package), lambda: _made(package), _sound, ("ids", "vectors", "shares"))
    return TermVectors(Vocabulary(found["ids"]), found["vectors"], found["shares"]) if found is not None else None


def _made(package: Path) -> kept.Arrays | None:
    """The table, from the words on: ids uint32[V], vectors float32[V, d] and shares float64[V]."""
    found = _word_vectors(package)
    if found is None:
        return None
    words, frequencies, vectors = found
    ids, starts = tokeniser(LANGUAGE).rows(words)
    counts = np.diff(starts)
    weights = np.repeat(frequencies, counts)
    terms, places = np.unique(ids, return_inverse=True)
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(len(terms)))
    rows = np.repeat(np.arange(len(words)), counts)[order]
    totals = np.add.reduceat(weights[order], bounds)
    sums = np.add.reduceat(vectors[rows] * weights[order][:, None].astype(np.float32), bounds)
    means = (sums / totals[:, None]).astype(np.float32)
    return {"ids": terms.astype(np.uint32), "vectors": means, "shares": totals / totals.sum()}


def _package() -> Path | None:
    """The folder of the installed model."""
    spec = importlib.util.find_spec("wordllama")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _kept_at(package: Path) -> Path | None:
    """Where the table is kept: a second of computing for every process of a crawl, and of the next one."""
    try:
        size = (package / WEIGHTS).stat().st_size
    except OSError:
        return None
    return kept.place("term-vectors", ("wordllama", "wordfreq", "PyStemmer"), FORM, WORDS, size)


def _sound(found: kept.Arrays) -> bool:
    ids, vectors, shares = found["ids"], found["vectors"], found["shares"]
    right = ids.dtype == np.uint32 and vectors.dtype == np.float32 and shares.dtype == np.float64
    return right and vectors.ndim == 2 and len(ids) == len(vectors) == len(shares)


def _word_vectors(package: Path) -> tuple[list[str], Doubles, Floats] | None:
    """The most frequent English words, their frequencies float64[w], and their vectors float32[w, d]."""
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        table = load_file(package / WEIGHTS)["embedding.weight"]
        pieces = Tokenizer.from_file(str(package / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    except Exception:  # whatever the libraries make of files that are missing or of another version
        return None
    import wordfreq

    frequencies = wordfreq.get_frequency_dict(LANGUAGE, wordlist="small")
    words = list(frequencies)[:WORDS]
    cut = [one.ids for one in pieces.encode_batch_fast(words, add_special_tokens=False)]
    full = [place for place, ids in enumerate(cut) if ids]
    starts = np.cumsum([0, *(len(cut[place]) for place in full)])[:-1]
    flat = np.concatenate([np.array(cut[place], np.intp) for place in full])
    vectors = np.add.reduceat(table.astype(np.float32)[flat], starts)
    return [words[i] for i in full], np.array([frequencies[words[i]] for i in full], np.float64), vectors
