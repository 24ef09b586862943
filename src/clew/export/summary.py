"""The figures of a crawl, read from its database; the crawl may be running."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.crawl.lastrun import last_estimate
from clew.export.collection import iso
from clew.store.base import Store
from clew.store.inherited import inherited

WINDOW = 200


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a whole crawl. ``frontier``: distinct URLs found and neither fetched nor set aside. ``documents``:
    those in the collection with what they inherit; they do not count as relevant pages. ``estimated_precision``: of
    the relevant pages, how many the judge expects to be so, with an interval of 90 %; None where it did not tell."""

    fetched: int
    relevant: int
    harvest_rate: float
    window_rate: float
    frontier: int
    hosts: int
    failed: int
    redirects: int
    refused: int
    absent: int
    robots_requests: int
    sessions: int
    bytes: int
    last_fetch: str
    documents: int = 0
    estimated_precision: float | None = None
    estimated_low: float | None = None
    estimated_high: float | None = None

    @property
    def estimate(self) -> str:
        """The estimate in words; "" where there is none."""
        if self.estimated_precision is None:
            return ""
        low, high = self.estimated_low or 0.0, self.estimated_high or 0.0
        return f"{self.estimated_precision:.2f} ({low:.2f} to {high:.2f})"


def summarise(store: Store) -> Summary:
    """The figures of a crawl."""
    totals = store.visits.totals()
    series = store.visits.series()
    late = series.relevant[-WINDOW:]
    told = last_estimate(store)
    return Summary(
        fetched=totals.fetched,
        relevant=totals.relevant,
        harvest_rate=round(totals.relevant / max(totals.fetched, 1), 6),
        window_rate=round(float(late.mean()), 6) if len(late) else 0.0,
        frontier=waiting(store),
        hosts=len(np.unique(series.hosts)),
        failed=totals.failed,
        redirects=totals.redirects,
        refused=totals.refused,
        absent=totals.absent,
        robots_requests=totals.robots,
        sessions=store.journal.last_session,
        bytes=totals.bytes,
        last_fetch=iso(float(series.fetched_at[-1])) if len(series.fetched_at) else "",
        documents=sum(1 for _ in inherited(store, relevant=True)),
        estimated_precision=told.precision if told else None,
        estimated_low=told.low if told else None,
        estimated_high=told.high if told else None,
    )


def waiting(store: Store) -> int:
    """Distinct keys that may be followed and are not done: what the frontier would hold."""
    found = [keys[~np.isnan(scores)] for _, keys, _, scores in store.links.rows()]
    if not found:
        return 0
    return len(np.setdiff1d(np.unique(np.concatenate(found)), store.links.done_keys(), assume_unique=False))
