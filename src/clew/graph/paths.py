"""How far a page is from the last nugget before it (Bergmark and others 2002 sections 4 and 6).

A page is a nugget when its correlation is at least ``threshold``, else a dud. Its distance is 0 if it is a nugget,
else it follows from its own correlation c, the distance d_p of the page that led to it, and the cutoff C:

    g = (1 − c)·e^(2·d_p/C)

================  ======================  =======================================================================
metric            distance of a dud       remark
================  ======================  =======================================================================
fixed             d_p + 1                 equation (2)
cumulative_max    d_p + max(1, g)         the default
cumulative_plain  d_p + g                 pages just below the threshold cost less than 1
cumulative_min    d_p + min(1, g)         laxer than equation (2)
scaled            C·min(1, g)             ends a path after one or two duds
as_printed        min(1, g)               equation (3); never beyond 1, so no path is ever ended when C > 1
================  ======================  =======================================================================

Equation (3) as printed contradicts the paper's text and figures, hence the other readings. Seeds
have distance 0 whatever their correlation: they are "pseudo-nuggets". The exponent 2·d_p/C is held at 50, so
that distances far beyond the cutoff stay finite; C = 0 makes it 50 after a dud.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from clew.errors import ConfigError
from clew.model import Bools, Doubles, Floats

Metric: TypeAlias = Literal["fixed", "cumulative_max", "cumulative_plain", "cumulative_min", "scaled", "as_printed"]
"""How the distance of a dud grows with that of the page before it."""

FIXED: Final = "fixed"
CUMULATIVE_MAX: Final = "cumulative_max"
_DUD: Final[dict[str, Callable[[Doubles, Doubles, float], Doubles]]] = {
    FIXED: lambda before, growth, cutoff: before + 1.0,
    CUMULATIVE_MAX: lambda before, growth, cutoff: before + np.maximum(1.0, growth),
    "cumulative_plain": lambda before, growth, cutoff: before + growth,
    "cumulative_min": lambda before, growth, cutoff: before + np.minimum(1.0, growth),
    "scaled": lambda before, growth, cutoff: cutoff * np.minimum(1.0, growth),
    "as_printed": lambda before, growth, cutoff: np.minimum(1.0, growth),
}
METRICS: Final[tuple[str, ...]] = get_args(Metric)
THRESHOLD, CUTOFF = 0.5, 20.0
_STEEPEST = 50.0
Parents = npt.NDArray[np.int32] | npt.NDArray[np.int64]


def step(
    correlation: float,
    parent_distance: float,
    *,
    metric: str = CUMULATIVE_MAX,
    threshold: float = THRESHOLD,
    cutoff: float = CUTOFF,
) -> float:
    """The distance of one page, given that of the page that led to it. Raises ConfigError for an unknown metric."""
    both = np.array([correlation]), np.array([parent_distance])
    return float(steps(*both, metric=metric, threshold=threshold, cutoff=cutoff)[0])


def steps(
    correlation: Doubles | Floats,
    parent_distance: Doubles,
    *,
    metric: str = CUMULATIVE_MAX,
    threshold: float = THRESHOLD,
    cutoff: float = CUTOFF,
) -> Doubles:
    """``step`` for n pages at once: float64[n]. Raises ConfigError for an unknown metric."""
    if metric not in _DUD:
        raise ConfigError(f"metric is {metric!r}; choose one of: {', '.join(METRICS)}")
    own, before = np.asarray(correlation, np.float64), np.asarray(parent_distance, np.float64)
    exponent = np.minimum(2.0 * before / cutoff, _STEEPEST) if cutoff > 0 else np.where(before > 0, _STEEPEST, 0.0)
    growth = (1.0 - own) * np.exp(exponent)
    return np.where(own >= threshold, 0.0, _DUD[metric](before, growth, cutoff))


def distances(
    parents: Parents,
    correlation: Doubles | Floats,
    *,
    metric: str = CUMULATIVE_MAX,
    threshold: float = THRESHOLD,
    cutoff: float = CUTOFF,
) -> Doubles:
    """The distances of all pages of a crawl: float64[n].

    parents int[n]: the page that led to each page, -1 for a seed; always an earlier page ·
    correlation float[n] in [0, 1], 0 for pages that could not be read. Raises ConfigError for an unknown metric,
    ValueError when a parent is not an earlier page.
    """
    own = np.asarray(correlation, np.float64)
    found = np.zeros(len(parents))
    for pages in generations(parents):
        before = found[parents[pages]]
        found[pages] = steps(own[pages], before, metric=metric, threshold=threshold, cutoff=cutoff)
    return found


def expanded(distance: float, nugget: bool, cutoff: float) -> bool:
    """Whether a page's links are followed: a nugget's (and a seed's) always, a dud's while its distance is below the
    cutoff."""
    return nugget or distance < cutoff


def generations(parents: Parents) -> Iterator[npt.NDArray[np.int64]]:
    """The pages one link from a seed, then those two links from it, and so on; seeds are left out.

    Costs O(n log depth), and one array operation a generation. Raises ValueError when a parent is not an earlier page.
    """
    depth = depths(parents)
    order = np.argsort(depth, kind="stable")
    counts = np.bincount(depth)
    return iter(np.split(order, np.cumsum(counts)[:-1])[1:])


def depths(parents: Parents) -> npt.NDArray[np.int64]:
    """Links between each page and its seed: int64[n]. Raises ValueError when a parent is not an earlier page."""
    parents = np.asarray(parents, np.int64)
    if np.any(parents >= np.arange(len(parents))) or np.any(parents < -1):
        raise ValueError("every parent must be an earlier page, or -1 for a seed")
    ancestors = np.append(parents, -1)  # the last entry stands for "none", which -1 picks
    depth = np.append((parents >= 0).astype(np.int64), 0)
    while np.any(ancestors >= 0):
        depth += depth[ancestors]
        ancestors = ancestors[ancestors]
    return depth[:-1]


def nuggets(correlation: Doubles | Floats, threshold: float = THRESHOLD) -> Bools:
    """Which pages are nuggets: bool[n]."""
    return np.asarray(np.asarray(correlation, np.float64) >= threshold, np.bool_)
