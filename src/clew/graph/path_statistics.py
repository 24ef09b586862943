"""What the paths of a crawl say about tunnelling: all tables and figures of Bergmark and others 2002, sections 5 and 6.

A path runs from one nugget (or seed) to the next nugget down the crawl tree; its length counts both ends and the duds
between them. All counts are of pages, and the tree is that of the links that caused the fetches, so
a page has one parent; the paper's Table 3 counts a page once for every link to it.

Levels and the lengths of paths follow equation (2) whatever the metric; the metric decides which paths are terminated
and how pages are spread over ``by_distance`` (Figure 2). Bands of correlation are 0.05 wide and closed above, as in
Tables 3 and 4: band k is (0.05·k, 0.05·(k + 1)], and the first one holds 0 too. Means without pages are NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.graph.paths import CUMULATIVE_MAX, CUTOFF, FIXED, THRESHOLD, Parents, distances, generations, nuggets
from clew.model import Bools, Doubles, Floats

Counts = npt.NDArray[np.int64]
BANDS: Doubles = np.round(np.arange(1, 21) * 0.05, 10)
_TENTHS: Doubles = np.round(np.arange(1, 10) * 0.1, 10)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Groups of pages, one a row: ``count`` int64[r] and, of a quantity, ``mean``, ``deviation`` (of the population)
    and ``most`` float64[r]."""

    count: Counts
    mean: Doubles
    deviation: Doubles
    most: Doubles


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Complete paths: ``counts[k]`` of them have length k (2 is the shortest); ``from_seeds`` of them begin at a seed
    that is no nugget."""

    counts: Counts
    from_seeds: int

    @property
    def completed(self) -> int:
        return int(self.counts.sum())

    @property
    def mode(self) -> int:
        """The most common length, the shorter of two that are equally common; 0 without paths."""
        return int(np.argmax(self.counts)) if self.completed else 0

    @property
    def mean(self) -> float:
        """The mean length; NaN without paths."""
        return float(self.counts @ np.arange(len(self.counts)) / self.completed) if self.completed else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class PathStatistics:
    """Figures of one crawl; see the module for what is counted.

    pages, seeds, nuggets (seeds among them), interesting (correlation of half the threshold or more): pages ·
    lengths: complete paths · terminated, incomplete: paths whose last page is a dud at or beyond the cutoff, or before
    it; a seed without children is no path · mean_correlation: of all pages but seeds ·
    by_level: correlation by level, row l holding level l (Table 2; row 0 is empty) · by_distance: correlation by level
    under the metric, rounded down (Figure 2) · children int64[20, 20]: pages by band of their parent (row) and their
    own (column), child_nuggets int64[20]: nuggets among them by band of the parent (Table 3) · after_nugget: duds on
    the way to the nearest nugget below the children of nuggets, by band of the child (Table 4), lost int64[20]: those
    children that lead to none · history, history_nuggets int64[20, 20]: pages whose parent is a dud, and nuggets among
    them, by band of parent (row) and grandparent (column); history_ahead float64[20, 20]: links from such a parent to
    the nearest nugget below it, mean over parents that lead to one (Figure 1) ·
    tenths int64[10]: pages by correlation in [0, 0.1), [0.1, 0.2) ... [0.9, 1] (Table 5).
    """

    metric: str
    threshold: float
    cutoff: float
    pages: int
    seeds: int
    nuggets: int
    interesting: int
    lengths: Lengths
    terminated: int
    incomplete: int
    mean_correlation: float
    by_level: Spread
    by_distance: Spread
    children: Counts
    child_nuggets: Counts
    after_nugget: Spread
    lost: Counts
    history: Counts
    history_nuggets: Counts
    history_ahead: Doubles
    tenths: Counts

    @property
    def ended(self) -> int:
        """Paths that ended before the crawl did; Table 5 calls them complete."""
        return self.lengths.completed + self.terminated

    @property
    def chance(self) -> Doubles:
        """P(nugget) of a page by band of its parent: float64[20]."""
        return _ratio(self.child_nuggets, self.children.sum(axis=1))

    @property
    def lift(self) -> Doubles:
        """``chance`` over P(nugget) of all pages but seeds: float64[20]."""
        overall = _ratio(self.child_nuggets.sum(), self.children.sum())
        return self.chance / overall if overall > 0 else np.full(len(BANDS), np.nan)


def path_statistics(
    parents: Parents,
    correlation: Doubles | Floats,
    *,
    metric: str = CUMULATIVE_MAX,
    threshold: float = THRESHOLD,
    cutoff: float = CUTOFF,
) -> PathStatistics:
    """The statistics of a crawl's log: for each page its parent, an earlier page (-1 for a seed), and its
    correlation with the nearest centroid.

    Raises ConfigError for an unknown metric, ValueError when a parent is not an earlier page.
    """
    parents, own = np.asarray(parents, np.int64), np.asarray(correlation, np.float64)
    good = nuggets(own, threshold)
    found = np.flatnonzero(parents >= 0)  # all pages but seeds
    before = parents[found]
    links = distances(parents, own, metric=FIXED, threshold=threshold)
    apart = distances(parents, own, metric=metric, threshold=threshold, cutoff=cutoff)
    level = (1 + links[before]).astype(np.int64)
    spent = np.floor(1 + np.minimum(apart[before], 10 * max(cutoff, 1.0))).astype(np.int64)
    ahead = to_next_nugget(parents, good)
    bands = _bands(own)
    ends = _ends(parents, good)
    first = found[good[before]]
    hopeful = first[np.isfinite(ahead[first])]
    children = _table(bands[before], bands[found])
    history, history_nuggets, history_ahead = _history(parents, good, bands, ahead)
    return PathStatistics(
        metric=metric,
        threshold=threshold,
        cutoff=cutoff,
        pages=len(own),
        seeds=len(own) - len(found),
        nuggets=int(good.sum()),
        interesting=int((own >= threshold / 2).sum()),
        lengths=_lengths(parents, good, level, found),
        terminated=int((apart[ends] >= cutoff).sum()),
        incomplete=int((apart[ends] < cutoff).sum()),
        mean_correlation=float(own[found].mean()) if len(found) else float("nan"),
        by_level=_spread(level, own[found]),
        by_distance=_spread(spent, own[found]),
        children=children,
        child_nuggets=np.bincount(bands[before[good[found]]], minlength=len(BANDS)),
        after_nugget=_spread(bands[hopeful], ahead[hopeful] - 1, len(BANDS)),
        lost=np.bincount(bands[first], minlength=len(BANDS)) - np.bincount(bands[hopeful], minlength=len(BANDS)),
        history=history,
        history_nuggets=history_nuggets,
        history_ahead=history_ahead,
        tenths=np.bincount(np.searchsorted(_TENTHS, own, side="right"), minlength=10),
    )


def to_next_nugget(parents: Parents, good: Bools) -> Doubles:
    """Links from each page down to the nearest nugget below it (1: a child is a nugget), infinity where none is:
    float64[n]. Raises ValueError when a parent is not an earlier page."""
    ahead = np.full(len(parents), np.inf)
    for pages in reversed(list(generations(parents))):
        np.minimum.at(ahead, parents[pages], np.where(good[pages], 1.0, ahead[pages] + 1.0))
    return ahead


def _ends(parents: Counts, good: Bools) -> Counts:
    """Duds without children, seeds left out: the last pages of paths that found no nugget."""
    leaf = np.ones(len(parents), np.bool_)
    leaf[parents[parents >= 0]] = False
    return np.flatnonzero(leaf & ~good & (parents >= 0))


def _lengths(parents: Counts, good: Bools, level: Counts, found: Counts) -> Lengths:
    """Level l is the l-th page after the last nugget, so a nugget there ends a path of l + 1 pages."""
    start = np.arange(len(parents))  # the nugget or seed that each page's children count from
    for pages in generations(parents):
        start[pages] = np.where(good[pages], pages, start[parents[pages]])
    last = found[good[found]]
    counts = np.bincount(level[good[found]] + 1, minlength=3)
    return Lengths(counts, int((~good[start[parents[last]]]).sum()))


def _history(parents: Counts, good: Bools, bands: Counts, ahead: Doubles) -> tuple[Counts, Counts, Doubles]:
    """Figure 1: pages and nuggets whose parent is a dud, and links from it to a nugget, by parent and grandparent."""
    child = np.flatnonzero(parents >= 0)
    child = child[~good[parents[child]] & (parents[parents[child]] >= 0)]
    parent = parents[child]
    hits = parent[good[child]]
    dud = np.flatnonzero(np.bincount(parent, minlength=len(parents)))
    dud = dud[np.isfinite(ahead[dud])]
    sums = np.zeros((len(BANDS), len(BANDS)))
    np.add.at(sums, (bands[dud], bands[parents[dud]]), ahead[dud])
    return (
        _table(bands[parent], bands[parents[parent]]),
        _table(bands[hits], bands[parents[hits]]),
        _ratio(sums, _table(bands[dud], bands[parents[dud]])),
    )


def _bands(own: Doubles) -> Counts:
    return np.minimum(np.searchsorted(BANDS, own, side="left"), len(BANDS) - 1).astype(np.int64)


def _table(rows: Counts, columns: Counts) -> Counts:
    size = len(BANDS)
    return np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)


def _spread(groups: Counts, values: Doubles, rows: int = 0) -> Spread:
    count = np.bincount(groups, minlength=rows)
    mean = _ratio(np.bincount(groups, values, rows), count)
    squares = np.bincount(groups, (values - mean[groups]) ** 2, rows)
    most = np.full(len(count), -np.inf)
    np.maximum.at(most, groups, values)
    return Spread(count, mean, np.sqrt(_ratio(squares, count)), np.where(count > 0, most, np.nan))


def _ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Doubles:
    """part / whole, NaN where whole is 0."""
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0), np.float64)
