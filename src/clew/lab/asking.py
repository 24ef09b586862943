"""Who links to a page, as runs of the lab may ask: for nothing, for a fetch a question, or not at all.

The lab knows the whole graph of a task's web, so it can answer what no crawl finds out by itself. Questions are
counted, and a run that pays for them has them in its ledger: each is a fetch that brought nothing, at the place where
it was asked, so that less of the crawl lies within the budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from clew.lab.results import Run
from clew.model import Ints
from clew.store.base import Store
from clew.web.providers.base import BacklinkProvider, ProviderError

FREE, CHARGED, NONE = "free", "charged", "none"
BACKLINKS = (FREE, CHARGED, NONE)
"""What a question costs: nothing, a fetch, or that nobody answers."""

BOTH = "both"
"""Questions cost nothing, and a strategy that asked any has a second row, of runs where nobody answers."""

PLANS = (BOTH, *BACKLINKS)
"""What a plan may say of back links."""


@dataclass(slots=True)
class Asked(BacklinkProvider):
    """Back links that are counted. ``before``: of each question, the fetches made before it."""

    provider: BacklinkProvider
    store: Store
    how: str = FREE
    before: list[int] = field(default_factory=list)
    name: str = "lab"

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """As the provider's. Raises ProviderError where nobody shall answer."""
        if self.how == NONE:
            raise ProviderError(self.name, url, "this run has no back links (backlinks = none)")
        self.before.append(self.store.visits.next_number - 1)
        return await self.provider.backlinks(url, limit)


def counted(run: Run, asked: Asked) -> Run:
    """The run with its number of questions; if they are charged, with each in its columns."""
    run = replace(run, backlinks=asked.how, asked=len(asked.before))
    return charged(run, np.array(asked.before, np.int32)) if asked.how == CHARGED and asked.before else run


def charged(run: Run, before: Ints) -> Run:
    """The run with a fetch for each question, ``before`` int32[q] ascending as in ``Asked``: without a URL, and of
    nothing found. What then lies beyond the budget is cut off; questions beyond it are not counted."""
    n = run.fetched
    places = np.arange(n) + np.searchsorted(before, np.arange(n), side="right")
    size = min(n + len(before), run.budget)
    kept = places < size
    fits, rows = places[kept], np.flatnonzero(kept)

    def column(old: np.ndarray, blank: float) -> np.ndarray:
        new = np.full(size, blank, old.dtype)
        new[fits] = old[rows]
        return new

    urls = np.full(size, "", object)
    urls[fits] = np.array(run.urls, object)[rows]
    moved = np.where(run.sources > 0, places[run.sources - 1] + 1, 0).astype(np.int32)
    return replace(
        run,
        urls=tuple(urls.tolist()),
        found=column(run.found, 0),
        judged=column(run.judged, np.nan),
        predicted=column(run.predicted, np.nan),
        depth=column(run.depth, 0),
        tunnel=column(run.tunnel, 0),
        sources=column(moved, 0),
        asked=size - len(fits),
    )
