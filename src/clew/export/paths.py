"""The paths of a crawl from nugget to nugget, from its log: the tables of Bergmark and others 2002 as plain text.

The log (page, correlation, parent) is in the database whatever strategy ran. A page's parent is the page on
which the link that was fetched stands. A redirect is no page: its target has the redirect's parent. Fetches
that brought no page to judge are left out; links lead nowhere from them. Correlations are the judge's scores as they
are now, so a judge that was trained again during the crawl may put pages elsewhere than the strategy saw them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.graph.path_statistics import path_statistics
from clew.graph.path_tables import tables
from clew.graph.paths import CUMULATIVE_MAX, CUTOFF, THRESHOLD
from clew.model import Doubles
from clew.store.base import Store
from clew.topics.interest import Interest

LATE = 0.1
"""The share of the fetches that ``final`` fetches a second is taken from."""


def path_report(
    store: Store,
    *,
    interest: Interest | None = None,
    metric: str = CUMULATIVE_MAX,
    threshold: float = THRESHOLD,
    cutoff: float = CUTOFF,
) -> str:
    """All tables. The collections are the alternatives of ``interest`` (None: the first topic).

    Raises ConfigError for a bad metric.
    """
    parents, correlation = path_log(store, interest or Interest())
    if not len(parents):
        return "No page was read yet, so there are no paths.\n"
    found = path_statistics(parents, correlation, metric=metric, threshold=threshold, cutoff=cutoff)
    return f"{tables(found)}\n{_running(store, len(parents))}"


def path_log(store: Store, interest: Interest) -> tuple[npt.NDArray[np.int64], Doubles]:
    """The n pages that were read, in the order of fetching: parents int64[n] (places in these arrays, -1 for seeds) and
    correlation float64[n], with the nearest of the collections."""
    numbers, *_, scores, _ = store.visits.judged()
    if not len(numbers):
        return np.zeros(0, np.int64), np.zeros(0)
    places = {number: place for place, number in enumerate(numbers.tolist())}
    stands_for = {0: -1}  # visit number -> the place of its page, or of the page that led to a redirect
    parents = np.full(len(numbers), -1, np.int64)
    for row in store.visits.rows():
        parent = stands_for.get(row.source, -1)
        place = places.get(row.number)
        if place is not None:
            parents[place] = parent
        stands_for[row.number] = parent if place is None else place
    return parents, interest.values(scores).max(axis=1)


def _running(store: Store, pages: int) -> str:
    """What Table 5 says of the crawl itself."""
    times = store.visits.series().fetched_at
    late = times[-max(int(len(times) * LATE), 2) :]
    facts = (
        ("fetches", f"{len(times):,} ({len(times) - pages:,} brought no page)"),
        ("fetches a second", f"{_rate(times)} over all, {_rate(late)} over the last tenth"),
        ("links waiting", f"{store.links.waiting():,}"),
    )
    width = max(len(name) for name, _ in facts)
    return "\n".join(["The crawl (Table 5)", *(f"  {name:<{width}}  {fact}" for name, fact in facts)]) + "\n"


def _rate(times: Doubles) -> str:
    span = float(times[-1] - times[0]) if len(times) > 1 else 0.0
    return f"{(len(times) - 1) / span:.1f}" if span > 0 else "-"
