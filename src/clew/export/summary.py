"""The figures of a crawl, read from its database; the crawl may be running."""

from __future__ import annotations

from dataclasses import dataclass

from clew.crawl.lastrun import last_estimate
from clew.export.collection import iso
from clew.project.folder import ProjectFolder
from clew.project.sampling import Sample, sample
from clew.store.base import Store
from clew.store.inherited import inherited
from clew.words import interval, many

WINDOW = 200

ENOUGH = 10
"""Labels on pages drawn at random from which on they are believed rather than the judge."""

WIDE = 0.25
"""An interval of precision wider than this is worth labels."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a whole crawl. ``frontier``: distinct URLs found and neither fetched nor set aside. ``documents``:
    those in the collection with what they inherit; they do not count as relevant pages. ``harvest_rate`` and
    ``window_rate``: shares of fetches that the judge calls relevant, in all and of the last 200.

    Of the pages called relevant, the share that is so, with an interval of 90 %: ``estimated_precision`` as the judge
    expects it, ``labelled_precision`` as ``labelled_pages`` labels on pages drawn at random tell it (project/sampling);
    None where it, or they, tell nothing."""

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
    labelled_precision: float | None = None
    labelled_low: float | None = None
    labelled_high: float | None = None
    labelled_pages: int = 0

    @property
    def estimate(self) -> str:
        """The best estimate of precision in words, and whose it is; "" where there is none: that of the labels from
        ``ENOUGH`` of them on, else the judge's."""
        if self.by_labels:
            return self.labels_say
        return self.judge_says

    @property
    def judge_says(self) -> str:
        """The judge's estimate; "" where there is none."""
        told = _interval(self.estimated_precision, self.estimated_low, self.estimated_high)
        return f"{told} by the judge's own reckoning" if told else ""

    @property
    def labels_say(self) -> str:
        """The estimate by labels; "" where there are none."""
        told = _interval(self.labelled_precision, self.labelled_low, self.labelled_high)
        return f"{told} by {many(self.labelled_pages, 'label')} on pages drawn at random" if told else ""

    @property
    def by_labels(self) -> bool:
        """Whether there are labels enough to be believed rather than the judge."""
        return self.labelled_pages >= ENOUGH or (self.labelled_pages > 0 and self.estimated_precision is None)

    @property
    def is_vague(self) -> bool:
        """Whether labels should narrow the estimate: the interval is wide, or there is none."""
        if self.by_labels:
            low, high = self.labelled_low, self.labelled_high
        else:
            low, high = self.estimated_low, self.estimated_high
        return self.relevant > 0 and (low is None or high is None or high - low > WIDE)


def _interval(share: float | None, low: float | None, high: float | None) -> str:
    return "" if share is None else f"estimated {interval(share, low or 0.0, high or 0.0)}"


def summarise(store: Store, project: ProjectFolder | None = None) -> Summary:
    """The figures of a crawl; with the project also what its labels say. Raises InputError for a bad label."""
    totals = store.visits.totals()
    last = store.visits.get(store.visits.next_number - 1)
    late = store.visits.relevant(max(store.visits.next_number - WINDOW, 1))
    told = last_estimate(store)
    labels = sample(project, store) if project is not None else Sample(0, 0)
    low, high = labels.interval
    return Summary(
        fetched=totals.fetched,
        relevant=totals.relevant,
        harvest_rate=round(totals.relevant / max(totals.fetched, 1), 6),
        window_rate=round(float(late.mean()), 6) if len(late) else 0.0,
        frontier=store.links.waiting(),
        hosts=totals.hosts,
        failed=totals.failed,
        redirects=totals.redirects,
        refused=totals.refused,
        absent=totals.absent,
        robots_requests=totals.robots,
        sessions=store.journal.last_session,
        bytes=totals.bytes,
        last_fetch=iso(last.fetched_at) if last is not None else "",
        documents=sum(1 for _ in inherited(store, relevant=True)),
        estimated_precision=told.precision if told else None,
        estimated_low=told.low if told else None,
        estimated_high=told.high if told else None,
        labelled_precision=round(labels.precision, 6) if labels.labelled else None,
        labelled_low=round(low, 6) if labels.labelled else None,
        labelled_high=round(high, 6) if labels.labelled else None,
        labelled_pages=labels.labelled,
    )
