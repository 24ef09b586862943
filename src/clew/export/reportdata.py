"""What a crawl's report shows, whatever shows it: HTML or PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.export.choosing import Choice
from clew.export.collection import ALL


@dataclass(frozen=True, slots=True, eq=False)
class ReportPage:
    """A page in the table of the best. ``inherited``: a document that was not read, with the relevance of the page that
    links to it."""

    url: str
    title: str
    relevance: float
    depth: int
    topic: str = ""
    inherited: bool = False


@dataclass(frozen=True, slots=True)
class ReportCollection:
    """The best of a wanted topic, with their correlations as ``relevance``; ``documents`` of them inherit."""

    name: str
    pages: Sequence[ReportPage]

    @property
    def documents(self) -> int:
        return sum(page.inherited for page in self.pages)


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """What a report shows. Arrays have one entry a visit, in the order of fetching: relevant bool[n],
    relevance float64[n], depth int64[n]. ``hosts``: (name, relevant, fetched), best first. ``precision``: its
    estimate in words; "" for none."""

    name: str
    facts: Mapping[str, str]
    relevant: npt.NDArray[np.bool_]
    relevance: npt.NDArray[np.float64]
    depth: npt.NDArray[np.int64]
    hosts: Sequence[tuple[str, int, int]]
    best: Sequence[ReportPage]
    written: str
    collections: Sequence[ReportCollection] = ()
    choice: Choice = ALL
    precision: str = ""
