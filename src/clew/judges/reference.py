"""In how many documents each term stands: the reference corpus of TF-IDF.

    idf(w) = log(N / max(f(w), 1)),   or with ``add_one``   log((N + 1) / (f(w) + 1))

N: documents of the corpus. f(w): documents that hold w at least once; a word that none holds counts as in one, so that
nothing is divided by zero. There are two such corpora: a table that ships with Clew, of free text in some twenty
languages (tools/reference; docs/features.md), and one learned from the pages of a crawl. They can be merged.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import numpy as np

from clew.errors import ConfigError, InputError
from clew.judges import background
from clew.judges.bags import Bag
from clew.judges.base import JudgeContext, Shares
from clew.judges.features import PLAIN, Features
from clew.model import Doubles, Page, TermIds

SHIPPED = "data/reference.npz"

FALLBACK_PAGES = 10_000.0
"""Documents that stand for a language without a table: what general text by word frequencies would hold."""

STEP = 1.05
"""Document frequencies are shipped as powers of this: off by at most 2.5 %, in one byte, up to 250,000."""

BUFFER = 4_000_000
"""Features that are gathered before they are counted (16 MB)."""

_PLANES = 4
"""Bytes of a term id."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """``ids`` uint32[V], sorted; ``df`` float64[V], documents that hold each; ``documents``, N.

    ``pairs``: whether pairs of neighbouring terms were counted too, or only terms.
    """

    ids: TermIds
    df: Doubles
    documents: float
    pairs: bool = False

    @classmethod
    def shipped(cls, languages: Sequence[str]) -> Reference:
        """General text in some languages (ISO 639-1; none: English), each weighing the same however much there is of
        it. A language that the table does not have is taken from word frequencies (judges/background.py)."""
        wanted = sorted(set(languages)) or [background.FALLBACK_LANGUAGE]
        parts = [_shipped_tables().get(code) or _by_frequency(code) for code in wanted]
        total = sum(part.documents for part in parts)
        if len(parts) == 1:
            return parts[0]
        return _sum([part.scaled(total / len(parts)) for part in parts], pairs=False)

    @classmethod
    def learned(cls, pages: Iterable[Page], features: Features = PLAIN) -> Reference:
        """The document frequencies of a crawl's own pages; memory grows with the distinct features, not the pages."""
        return cls.of_bags(map(features.bag, pages), pairs=features.pairs)

    @classmethod
    def of_bags(cls, bags: Iterable[Bag], pairs: bool = False) -> Reference:
        """The same from pages as bags."""
        held, waiting, documents = [_empty(pairs)], 0, 0
        buffer: list[TermIds] = []
        for ids, _ in bags:
            buffer.append(ids)
            waiting, documents = waiting + len(ids), documents + 1
            if waiting > BUFFER:
                held = [_sum([*held, _counted(buffer, pairs)], pairs)]
                buffer, waiting = [], 0
        found = _sum([*held, _counted(buffer, pairs)], pairs)
        return cls(found.ids, found.df, float(documents), pairs)

    def __len__(self) -> int:
        return len(self.ids)

    def scaled(self, documents: float) -> Reference:
        """The same shares of so many documents."""
        return Reference(self.ids, self.df * (documents / max(self.documents, 1e-9)), documents, self.pairs)

    def merged(self, other: Reference, weight: float = 1.0) -> Reference:
        """Both corpora as one; a document of ``other`` counts ``weight``."""
        return _sum([self, other.scaled(other.documents * weight)], self.pairs and other.pairs)

    def df_of(self, ids: TermIds) -> Doubles:
        """f(w) float64[d] of term ids uint32[d] in any order; 0 for what is not in the table."""
        if not len(self.ids):
            return np.zeros(len(ids), np.float64)
        places = np.searchsorted(self.ids, ids)
        known = self.ids.take(places, mode="clip") == ids
        return np.where(known, self.df.take(places, mode="clip"), 0.0)

    def idf(self, ids: TermIds, add_one: bool = False) -> Doubles:
        """log(N / f(w)) float64[d], never negative; a word that no document holds counts as in one."""
        return self.idf_of_df(self.df_of(ids), add_one)

    def idf_of_df(self, df: Doubles, add_one: bool = False) -> Doubles:
        """The same from f(w)."""
        if add_one:
            return np.asarray(np.log((self.documents + 1.0) / (df + 1.0)), np.float64)
        return np.asarray(np.log(max(self.documents, 1.0) / np.clip(df, 1.0, max(self.documents, 1.0))), np.float64)

    def shares(self, languages: Sequence[str]) -> tuple[TermIds, Doubles]:
        """Ids uint32[V] and the share of documents that holds each, float64[V]; whatever the languages."""
        return self.ids, self.df / max(self.documents, 1.0)

    def to_bytes(self) -> bytes:
        """For a file of a project's models folder."""
        stream = io.BytesIO()
        facts = np.array([self.documents, float(self.pairs)])
        np.savez_compressed(stream, ids=self.ids, df=self.df, facts=facts)
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes, name: str = "reference table") -> Reference:
        """What ``to_bytes`` gave; ``name`` is what an error calls it. Raises InputError."""
        try:
            with np.load(io.BytesIO(raw), allow_pickle=False) as data:
                ids, df, facts = (data[key] for key in ("ids", "df", "facts"))
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(
                f"{name}: this is no reference table, or it is cut off; let Clew learn it again"
            ) from error
        sound = ids.dtype == np.uint32 and df.dtype == np.float64 and facts.shape == (2,) and ids.ndim == 1
        if not sound or ids.shape != df.shape or (len(ids) > 1 and not (ids[1:] > ids[:-1]).all()):
            raise InputError(f"{name}: the reference table is damaged; let Clew learn it again")
        return cls(ids, df, float(facts[0]), bool(facts[1]))


def shipped_shares(languages: Sequence[str]) -> tuple[TermIds, Doubles]:
    """The same of the table that ships with Clew, of pages in these languages."""
    found = Reference.shipped(languages)
    return found.shares(languages)


def shares_for(reference: Literal["words", "table", "crawl"], context: JudgeContext, judge: str) -> Shares:
    """Where a judge's settings take the rarity of words from. Raises ConfigError when nothing was learned yet."""
    if reference == "words":
        return background.document_shares
    if reference == "table":
        return shipped_shares
    learned = context.corpus()
    if learned is None:
        raise ConfigError(
            f'[judge.{judge}] reference: it is "crawl", but nothing was learned yet: '
            "crawl with another one first, then clew topics --learn-reference"
        )
    return learned


def shipped_languages() -> tuple[str, ...]:
    """The languages (ISO 639-1) of which a table ships."""
    return tuple(sorted(_shipped_tables()))


def pack(tables: Mapping[str, Reference]) -> bytes:
    """Tables of several languages in little room: gaps between ids by bytes, document frequencies as powers of STEP.

    The same tables give the same bytes.
    """
    names = sorted(tables)
    gaps = [np.diff(tables[name].ids, prepend=np.uint32(0)).astype("<u4") for name in names]
    planes = np.concatenate(gaps).view(np.uint8).reshape(-1, _PLANES).T
    levels = np.rint(np.log(np.concatenate([tables[name].df for name in names])) / np.log(STEP))
    stream = io.BytesIO()
    np.savez_compressed(
        stream,
        languages=np.array(names),
        documents=np.array([tables[name].documents for name in names], np.uint32),
        terms=np.array([len(tables[name]) for name in names], np.uint32),
        planes=np.ascontiguousarray(planes),
        levels=np.clip(levels, 0, 255).astype(np.uint8),
    )
    return stream.getvalue()


def unpack(raw: bytes) -> dict[str, Reference]:
    """What ``pack`` made, by language."""
    with np.load(io.BytesIO(raw), allow_pickle=False) as data:
        gaps = np.ascontiguousarray(data["planes"].T).view("<u4").ravel()
        df = np.power(STEP, np.arange(256))[data["levels"]]
        ends = np.cumsum(data["terms"], dtype=np.int64).tolist()
        rows = zip(data["languages"].tolist(), data["documents"].tolist(), [0, *ends[:-1]], ends, strict=True)
        return {
            name: Reference(np.cumsum(gaps[start:end], dtype=np.uint32), df[start:end], float(documents))
            for name, documents, start, end in rows
        }


@lru_cache(maxsize=1)
def _shipped_tables() -> dict[str, Reference]:
    return unpack(files("clew.judges").joinpath(SHIPPED).read_bytes())


@lru_cache(maxsize=16)
def _by_frequency(language: str) -> Reference:
    ids, shares = background.document_shares([language])
    return Reference(ids, shares * FALLBACK_PAGES, FALLBACK_PAGES)


def _empty(pairs: bool) -> Reference:
    return Reference(np.empty(0, np.uint32), np.empty(0, np.float64), 0.0, pairs)


def _counted(columns: Sequence[TermIds], pairs: bool) -> Reference:
    if not columns:
        return _empty(pairs)
    ids, holders = np.unique(np.concatenate(columns), return_counts=True)
    return Reference(ids.astype(np.uint32), holders.astype(np.float64), float(len(columns)), pairs)


def _sum(parts: Sequence[Reference], pairs: bool) -> Reference:
    ids, places = np.unique(np.concatenate([part.ids for part in parts]), return_inverse=True)
    df = np.asarray(np.bincount(places, np.concatenate([part.df for part in parts]), len(ids)), np.float64)
    return Reference(ids, df, sum(part.documents for part in parts), pairs)
