"""clew report: one self-contained web page with plots and the best pages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import click
import numpy as np

from clew.cli.common import json_option, print_json, project_argument, say
from clew.crawl.lastrun import last_run
from clew.errors import ClewError
from clew.export.choosing import Choice
from clew.export.collection import ALL, chosen, iso, topic_name
from clew.export.collections import collections
from clew.export.paths import path_report
from clew.export.report import ReportCollection, ReportData, ReportPage, html
from clew.export.summary import Summary, summarise
from clew.graph.paths import CUMULATIVE_MAX, CUTOFF, METRICS, THRESHOLD
from clew.project.project import Project
from clew.store.base import Store
from clew.store.records import RunRecord, VisitRow

BEST_PAGES = 100
TOP_HOSTS = 15


@click.command()
@project_argument
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write. Default: PROJECT/report.html"
)
@click.option("--paths", is_flag=True, help="Print instead the paths from one relevant page to the next, as tables.")
@click.option("--metric", type=click.Choice(METRICS), default=CUMULATIVE_MAX, show_default=True, help="With --paths.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=THRESHOLD, show_default=True, help="With --paths.")
@click.option("--cutoff", type=click.FloatRange(min=0), default=CUTOFF, show_default=True, help="With --paths.")
@click.option("--per-host", type=click.IntRange(min=0), default=0, help="Best pages of a host, at most; 0: all.")
@click.option("--diverse", is_flag=True, help="Hosts take turns among the best pages.")
@json_option
def command(
    project: Path,
    out: Path | None,
    paths: bool,
    metric: str,
    threshold: float,
    cutoff: float,
    per_host: int,
    diverse: bool,
    as_json: bool,
) -> None:
    """Write a report as one web page: plots of what was found, and the best pages.

    --paths prints the tables of Bergmark and others 2002 for this crawl: a page is a nugget from the threshold on; the
    distance of the others is measured by the metric, and paths end at the cutoff.
    """
    if paths:
        _print_paths(Project(project), metric, threshold, cutoff, out, as_json)
        return
    target = out or project / "report.html"
    write_report(Project(project), target, Choice(per_host=per_host, diverse=diverse))
    if as_json:
        print_json({"report": str(target)})
    else:
        say(f"wrote {target}: open it in a browser")


def _print_paths(
    project: Project, metric: str, threshold: float, cutoff: float, out: Path | None, as_json: bool
) -> None:
    store = project.open_store(read_only=True)
    try:
        text = path_report(store, interest=project.interest, metric=metric, threshold=threshold, cutoff=cutoff)
    finally:
        store.close()
    if out is not None:
        out.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"paths": text, "report": str(out or "")})
    elif out is None:
        say(text, nl=False)
    else:
        say(f"wrote {out}")


def write_report(project: Project, target: Path, choice: Choice = ALL) -> Path:
    """Write a project's report, with the best pages that are chosen so. Raises ClewError."""
    store = project.open_store(read_only=True)
    try:
        page = html(_data(project, store, summarise(store, project), choice))
    finally:
        store.close()
    try:
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise ClewError(f"{target} cannot be written: {error.strerror}") from error
    return target


def _data(project: Project, store: Store, found: Summary, choice: Choice) -> ReportData:
    series = store.visits.series()
    rows, topics = list(chosen(store, everything=False)), project.interest.topics
    nearest = collections(store, rows, project.interest, choice=choice)
    return ReportData(
        name=project.settings.project.name or project.path.name,
        facts=_facts(last_run(store, project.settings), found),
        relevant=series.relevant,
        relevance=series.relevance.astype(np.float64),
        depth=series.depth.astype(np.int64),
        hosts=_hosts(store),
        best=[_page(row, row.relevance, topics) for row in islice(choice.of(rows), BEST_PAGES)],
        choice=choice,
        precision=found.estimate,
        written=iso(time.time()),
        collections=[
            ReportCollection(name, [_page(one.row, one.correlation, topics) for one in members])
            for name, members in nearest.items()
        ],
    )


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


def _hosts(store: Store) -> list[tuple[str, int, int]]:
    """The hosts with most relevant pages: (name, relevant, fetched)."""
    series = store.visits.series()
    fetched = np.bincount(series.hosts)
    relevant = np.bincount(series.hosts[series.relevant], minlength=len(fetched))
    order = np.lexsort((np.arange(len(fetched)), -fetched, -relevant))[:TOP_HOSTS]
    return [(store.hosts.name(int(i)), int(relevant[i]), int(fetched[i])) for i in order if fetched[i]]
