"""Of every visit what is needed to credit the page on which its link stood, and its host: columns, for a crawl may have
millions of visits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.model import Bools
from clew.strategies.base import View
from clew.strategies.clew.credit import NONE, ONE

Numbers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Facts:
    """Of visits 1 to n: ``hosts`` int[n] (host ids, -1 where it is not known) · ``rows`` int[n], the packed rows of
    their links · ``worth`` int[n] of their pages, ``NONE`` without one · ``relevant`` bool[n]."""

    hosts: Numbers
    rows: Numbers
    worth: Numbers
    relevant: Bools

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, view: View) -> Facts:
        """Of all visits so far. A page is worth nothing where it is not to be relevant in spite of its text: it repeats
        another one, or its topic is excluded."""
        pages = view.pages()
        rows = view.sources()  # after the pages, so that it knows the visits of all of them
        at = pages.numbers - 1
        hosts, relevant = np.zeros(len(rows), np.uint32), np.zeros(len(rows), np.bool_)
        worth = np.full(len(rows), NONE, np.int32)
        left_out = (pages.relevance.astype(np.float64) >= view.interest.threshold) & ~pages.relevant
        whole = (pages.relevance * np.float32(ONE) + np.float32(0.5)).astype(np.int32)
        hosts[at], relevant[at], worth[at] = pages.hosts, pages.relevant, np.where(left_out, 0, whole)
        return cls(hosts, rows, worth, relevant)

    def of_seeds(self) -> Bools:
        """Which visits are of seeds, or of what seeds redirected to: bool[n]."""
        found, above = self.rows <= 0, np.maximum(self.rows, 1) - 1
        while True:
            moved = found & (self.worth == NONE)
            more = ~found & moved[above]
            if not more.any():
                return found
            found |= more
