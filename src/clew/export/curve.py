"""The harvest of a crawl as a curve that is short however long the crawl, kept up to date at little cost."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.crawl.progress import WINDOW
from clew.export.marks import RETRAINED, Mark, marks
from clew.model import Bools
from clew.store.base import Store
from clew.store.records import DecisionRow

FIRST_ROOM = 4096


@dataclass(frozen=True, slots=True)
class Points:
    """A harvest curve at some visits, the last one among them, as columns of equal length: ``visits`` so far,
    ``relevant`` ones of them, ``late``: the share of relevant ones among the last 200. ``marks``: what happened on the
    way; ``total``: all visits."""

    total: int
    visits: tuple[int, ...]
    relevant: tuple[int, ...]
    late: tuple[float, ...]
    marks: tuple[Mark, ...]


class Curve:
    """The harvest curve of one crawl. Reads every visit once, and all of them again when pages were judged again or
    erased. Its methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._sums = np.zeros(FIRST_ROOM, np.int64)  # [i]: relevant ones among the first i visits
        self._visits = 0
        self._stamp: tuple[object, ...] = ()

    def points(self, store: Store, most: int, stamp: object = None) -> Points:
        """The curve as the store has it now, at ``most`` visits at most. ``stamp``: changes when the whole database
        became another one."""
        decisions = list(store.journal.decisions())
        with self._lock:
            self._catch_up(store, (stamp, *_judged_again(decisions)))
            places = _places(self._visits, most)
            first = np.maximum(places - WINDOW, 0)
            late = (self._sums[places] - self._sums[first]) / np.maximum(places - first, 1)
            sums = self._sums[places]
            total = self._visits
        return Points(
            total=total,
            visits=tuple(places.tolist()),
            relevant=tuple(sums.tolist()),
            late=tuple(np.round(late, 4).tolist()),
            marks=tuple(marks(decisions)),
        )

    def _catch_up(self, store: Store, stamp: tuple[object, ...]) -> None:
        last = store.visits.next_number - 1
        if stamp != self._stamp or last < self._visits:
            self._forget()
            self._stamp = stamp
        if last > self._visits:
            self._add(store.visits.relevant(self._visits + 1, last))

    def _add(self, flags: Bools) -> None:
        total = self._visits + len(flags)
        if total >= len(self._sums):
            self._sums = np.concatenate([self._sums, np.zeros(max(total, len(self._sums)), np.int64)])
        self._sums[self._visits + 1 : total + 1] = self._sums[self._visits] + np.cumsum(flags)
        self._visits = total


def _judged_again(decisions: list[DecisionRow]) -> tuple[int, int]:
    """What changes when pages that were judged may be judged otherwise, as far as the log tells: how often a judge was
    trained again, and after which visit the last time."""
    again = [row.visit for row in decisions if row.decision.kind in RETRAINED]
    return len(again), again[-1] if again else 0


def _places(total: int, most: int) -> npt.NDArray[np.int64]:
    """int64[n]: numbers of visits, evenly spread, each once, the first and the last among them."""
    if total <= most:
        return np.arange(1, total + 1, dtype=np.int64)
    return np.unique(np.linspace(1, total, most).round().astype(np.int64))
