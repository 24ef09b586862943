"""The paths by which a run came to what it found: how many irrelevant pages it had to walk through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph.path_statistics import Counts, PathStatistics, path_statistics
from clew.lab.results import Run
from clew.model import Doubles, Ints


def of_run(run: Run) -> PathStatistics:
    """Paths from one relevant page to the next, by the truth and by the links that were taken. Seeds stand for relevant
    pages, and are not counted as found. Questions that stand in the ledger are no pages."""
    pages = np.array([url != "" for url in run.urls], np.bool_)
    places = np.cumsum(pages, dtype=np.int32)
    own = run.sources[pages]
    sources = np.where(own > 0, places[own - 1], 0) if len(own) else own
    return path_statistics(sources - 1, (run.found[pages] | (sources == 0)).astype(np.float64))


def finds(paths: PathStatistics) -> Counts:
    """int64[longest + 1]: finds behind 0, 1, 2, ... irrelevant pages. A path has both its ends besides."""
    return paths.lengths.counts[2:]


@dataclass(frozen=True, slots=True)
class Digging:
    """``finds``: relevant pages found, without seeds · ``dug``: the share of them that stood behind at least one
    irrelevant page, ``deep``: behind two at least, as nothing that looks one link ahead can see · ``longest``: the most
    irrelevant pages before a find · ``modal_length``: pages of most paths, both ends counted; 0 without paths ·
    ``lift``: how many times likelier to be relevant is a fetch from a relevant page than any. NaN for shares of
    nothing."""

    finds: int
    dug: float
    deep: float
    longest: int
    modal_length: int
    lift: float


def digging(run: Run) -> Digging:
    """What the paths of a run say in few figures."""
    paths = of_run(run)
    found = finds(paths)
    every = int(found.sum())
    behind = [float(found[level:].sum()) / every if every else float("nan") for level in (1, 2)]
    longest = int(np.flatnonzero(found).max()) if every else 0
    return Digging(every, behind[0], behind[1], longest, paths.lengths.mode, float(paths.lift[-1]))


def finds_by_tunnel(runs: Sequence[Run]) -> Doubles:
    """float64[longest + 1]: finds behind 0, 1, 2, ... irrelevant pages, mean of the runs."""
    return mean_counts([finds(of_run(run)) for run in runs])


def mean_counts(rows: Sequence[Ints | Counts]) -> Doubles:
    """The mean of histograms that may differ in length; those that end early have zeros behind."""
    total = np.zeros(max(map(len, rows), default=0))
    for row in rows:
        total[: len(row)] += row
    return np.asarray(total / max(len(rows), 1), np.float64)
