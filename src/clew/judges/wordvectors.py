"""Static word vectors: a model in a folder (model2vec's format), or the one that comes packaged with wordllama.

Both libraries are the optional extra ``clew[embedding]``; they are imported when a judge asks for vectors. Nothing is
ever downloaded: a model is a folder on this machine.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clew.errors import ConfigError
from clew.judges.background import FALLBACK_LANGUAGE, NAMES
from clew.model import Doubles, Floats
from clew.text.language import stop_words

if TYPE_CHECKING:
    from model2vec import StaticModel

REMEMBERED = 40_000
"""Words whose vectors a process remembers (40 MB at 256 dimensions), then it starts afresh."""

MAX_CHARS = 200
"""Longer words are cut: no word, or a text that does not part them."""

GENERAL_WORDS = 5_000
"""The most frequent words of a language that stand for its general text."""

HOW = (
    "set model of [judge.embedding] in clew.toml to a folder with a model2vec model (config.json, model.safetensors, "
    "tokenizer.json), or pip install 'clew[embedding]', which brings a small English one"
)


class WordVectors:
    """The vectors of a model. ``dimensions`` is their length."""

    def __init__(self, model: StaticModel) -> None:
        self.model = model
        self.dimensions = int(model.dim)
        self._rows: dict[str, int] = {}
        self._table = np.zeros((REMEMBERED, self.dimensions), np.float32)

    def of(self, words: Sequence[str]) -> Floats:
        """The sum of the vectors of each word's pieces: float32[t, dimensions]; zeros for what the model lacks."""
        missing = [word for word in dict.fromkeys(words) if word not in self._rows]
        if len(self._rows) + len(missing) > len(self._table):
            self._rows.clear()
            missing = list(dict.fromkeys(words))
            if len(missing) > len(self._table):
                self._table = np.zeros((len(missing), self.dimensions), np.float32)
        if missing:
            self._learn(missing)
        return np.asarray(self._table[[self._rows[word] for word in words]], np.float32)

    def _learn(self, words: Sequence[str]) -> None:
        pieces = self.model.encode_as_sequence([word[:MAX_CHARS] for word in words], use_multiprocessing=False)
        for word, vectors in zip(words, pieces, strict=True):
            row = self._rows[word] = len(self._rows)
            self._table[row] = vectors.sum(axis=0, dtype=np.float32)


@lru_cache(maxsize=4)
def word_vectors(folder: str) -> WordVectors:
    """The model in ``folder``; "" is the packaged one. Raises ConfigError, saying how to get one."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # Clew has processes of its own
    try:
        import model2vec
    except ImportError as error:
        raise ConfigError(
            "the embedding judge needs the library model2vec: pip install 'clew[embedding]', or choose another judge"
        ) from error
    return WordVectors(_from_folder(Path(folder).expanduser()) if folder else _packaged(model2vec.StaticModel))


def _from_folder(folder: Path) -> StaticModel:
    from model2vec import StaticModel

    if not folder.is_dir():  # the library would take it for a name to download
        raise ConfigError(f"[judge.embedding] model: there is no folder {folder}: {HOW}")
    try:
        model: StaticModel = StaticModel.from_pretrained(folder, force_download=False)
    except Exception as error:  # whatever the libraries make of files that are missing or broken
        raise ConfigError(f"[judge.embedding] model: no model can be read from {folder} ({error}): {HOW}") from error
    return model


def _packaged(kind: type[StaticModel]) -> StaticModel:
    """The model inside the wordllama package, without importing it."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ConfigError(f"the embedding judge has no model: {HOW}")
    package = Path(spec.origin).parent
    try:
        vectors = load_file(package / "weights" / "l2_supercat_256.safetensors")["embedding.weight"]
        tokenizer = Tokenizer.from_file(str(package / "tokenizers" / "l2_supercat_tokenizer_config.json"))
        return kind(vectors.astype(np.float32), tokenizer)
    except Exception as error:  # another version of the package: its files are named or made otherwise
        raise ConfigError(f"the model packaged with wordllama cannot be read ({error}): {HOW}") from error


@lru_cache(maxsize=16)
def general_words(languages: tuple[str, ...]) -> tuple[list[str], Doubles]:
    """Words of general text in the given languages, stop words left out, and their shares float64[V] (sum 1)."""
    import wordfreq

    available = wordfreq.available_languages("small")
    total: dict[str, float] = {}
    for language in languages or (FALLBACK_LANGUAGE,):
        named = NAMES.get(language, language)
        code = named if named in available else FALLBACK_LANGUAGE
        stops = stop_words(language if code == named else code)
        found = wordfreq.get_frequency_dict(code, wordlist="small")
        kept = [word for word in found if word not in stops][:GENERAL_WORDS]
        whole = sum(found[word] for word in kept)
        for word in kept:
            total[word] = total.get(word, 0.0) + found[word] / whole
    shares = np.array(list(total.values()), np.float64)
    return list(total), shares / shares.sum()
