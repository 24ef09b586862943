"""A project's report: its data out of the database, and the finished page or PDF. The crawl may be running."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice

import numpy as np

from clew.crawl.lastrun import last_run
from clew.export.choosing import Choice
from clew.export.collection import ALL, chosen, iso, topic_name
from clew.export.collections import collections
from clew.export.report import html
from clew.export.reportdata import ReportCollection, ReportData, ReportPage
from clew.export.summary import Summary, summarise
from clew.project.folder import ProjectFolder
from clew.store.base import Store
from clew.store.records import RunRecord, Series, VisitRow

BEST_PAGES = 100
TOP_HOSTS = 15


def report_html(project: ProjectFolder, choice: Choice = ALL) -> str:
    """The report as one self-contained page, with the best pages that are chosen so. Raises ClewError."""
    return html(_read(project, choice))


def report_pdf(project: ProjectFolder, choice: Choice = ALL) -> bytes:
    """The same report as a PDF. Raises ClewError."""
    from clew.export.reportpdf import pdf

    return pdf(_read(project, choice))


def report_data(project: ProjectFolder, store: Store, choice: Choice = ALL) -> ReportData:
    """What a report shows of a project whose database is open. Raises InputError for a bad label."""
    found, series = summarise(store, project), store.visits.series()
    best, topics = islice(chosen(store, everything=False, choice=choice), BEST_PAGES), project.interest.topics
    nearest = collections(store, project.interest, choice=choice) if len(project.interest.alternatives) > 1 else {}
    return ReportData(
        name=project.settings.project.name or project.path.name,
        facts=_facts(last_run(store, project.settings), found),
        relevant=series.relevant,
        relevance=series.relevance.astype(np.float64),
        depth=series.depth.astype(np.int64),
        hosts=_hosts(store, series),
        best=[_page(row, row.relevance, topics) for row in best],
        choice=choice,
        precision=found.estimate,
        written=iso(time.time()),
        collections=[
            ReportCollection(name, [_page(one.row, one.correlation, topics) for one in members])
            for name, members in nearest.items()
        ],
    )


def _read(project: ProjectFolder, choice: Choice) -> ReportData:
    store = project.open_store(read_only=True)
    try:
        return report_data(project, store, choice)
    finally:
        store.close()


def _page(row: VisitRow, value: float, topics: Sequence[str]) -> ReportPage:
    topic = topic_name(row, topics) or ""
    return ReportPage(row.url, row.title, value, row.depth, topic, inherited=row.inherited_from > 0)


def _facts(methods: RunRecord, found: Summary) -> dict[str, str]:
    return {
        "fetched": f"{found.fetched:,}",
        "judged relevant": f"{found.relevant:,}",
        "of all fetched": f"{found.harvest_rate:.3f}",
        "of the last 200": f"{found.window_rate:.3f}",
        **({"documents": f"{found.documents:,}"} if found.documents else {}),
        "links waiting": f"{found.frontier:,}",
        "hosts visited": f"{found.hosts:,}",
        "failed": f"{found.failed:,}",
        "refused": f"{found.refused:,}",
        "not in this web": f"{found.absent:,}",
        "strategy": methods.strategy,
        "judge": methods.judge,
        "web": methods.web.rsplit("/", 1)[-1],
    }


def _hosts(store: Store, series: Series) -> list[tuple[str, int, int]]:
    """The hosts with most relevant pages: (name, relevant, fetched)."""
    fetched = np.bincount(series.hosts)
    relevant = np.bincount(series.hosts[series.relevant], minlength=len(fetched))
    order = np.lexsort((np.arange(len(fetched)), -fetched, -relevant))[:TOP_HOSTS]
    return [(store.hosts.name(int(i)), int(relevant[i]), int(fetched[i])) for i in order if fetched[i]]
