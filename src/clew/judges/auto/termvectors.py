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

import hashlib
import importlib.util
import os
import tempfile
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

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
        return self.mean(np.concatenate([page.title_ids, page.leaves.ids[:FIRST]])[:FIRST])

    def mean(self, terms: TermIds) -> Doubles | None:
        """The same of at most ``FIRST`` terms in reading order, uint32[t]."""
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
    kept = _kept_at(package)
    found = _read(kept) if kept is not None else None
    if found is None:
        found = _made(package)
        if found is not None and kept is not None:
            _keep(found, kept)
    return found


def _made(package: Path) -> TermVectors | None:
    """The table, from the words on."""
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
    return TermVectors(Vocabulary(terms.astype(np.uint32)), means, totals / totals.sum())


def _package() -> Path | None:
    """The folder of the installed model."""
    spec = importlib.util.find_spec("wordllama")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _kept_at(package: Path) -> Path | None:
    """Where the table is kept between runs: a second of computing for every process of a crawl, and of the next one.
    None where there is no home. The name tells what it was made from."""
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clew"
        made_from = [version(name) for name in ("wordllama", "wordfreq", "PyStemmer")]
        facts = repr([FORM, WORDS, made_from, (package / WEIGHTS).stat().st_size])
    except (OSError, RuntimeError, PackageNotFoundError):
        return None
    return cache / f"term-vectors-{hashlib.blake2b(facts.encode(), digest_size=8).hexdigest()}.npz"


def _read(path: Path) -> TermVectors | None:
    """A table that was kept; None where there is none, or it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            ids, vectors, shares = (file[name] for name in ("ids", "vectors", "shares"))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    sound = ids.dtype == np.uint32 and vectors.dtype == np.float32 and shares.dtype == np.float64
    sound = sound and vectors.ndim == 2 and len(ids) == len(vectors) == len(shares)
    return TermVectors(Vocabulary(ids), vectors, shares) if sound else None


def _keep(table: TermVectors, path: Path) -> None:
    """Keep a table for other processes; where that is not possible, each makes its own."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            np.savez(file, ids=table.vocabulary.ids, vectors=table.vectors, shares=table.shares)
        Path(file.name).replace(path)
    except OSError:
        return


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
    kept = [place for place, ids in enumerate(cut) if ids]
    starts = np.cumsum([0, *(len(cut[place]) for place in kept)])[:-1]
    flat = np.concatenate([np.array(cut[place], np.intp) for place in kept])
    vectors = np.add.reduceat(table.astype(np.float32)[flat], starts)
    return [words[i] for i in kept], np.array([frequencies[words[i]] for i in kept], np.float64), vectors
