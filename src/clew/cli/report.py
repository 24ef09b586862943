"""clew report: plots and the best pages, as one self-contained web page or as a PDF."""

from __future__ import annotations

from pathlib import Path

import click

from clew.cli.common import json_option, print_json, project_argument, say
from clew.errors import ClewError, InputError
from clew.export.choosing import Choice
from clew.export.collection import ALL
from clew.export.paths import path_report
from clew.export.reporting import report_html, report_pdf
from clew.graph.paths import CUMULATIVE_MAX, CUTOFF, METRICS, THRESHOLD
from clew.project.project import Project


@click.command()
@project_argument
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write. Default: PROJECT/report.html"
)
@click.option(
    "--pdf", type=click.Path(path_type=Path, dir_okay=False), help="File to write as a PDF; a web page only with --out."
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
    pdf: Path | None,
    paths: bool,
    metric: str,
    threshold: float,
    cutoff: float,
    per_host: int,
    diverse: bool,
    as_json: bool,
) -> None:
    """Write a report as one web page or as a PDF: plots of what was found, and the best pages.

    --paths prints the tables of Bergmark and others 2002 for this crawl: a page is a nugget from the threshold on; the
    distance of the others is measured by the metric, and paths end at the cutoff.
    """
    if paths and pdf is not None:
        raise InputError("--paths prints tables, of which there is no PDF: leave out one of --paths and --pdf")
    if paths:
        _print_paths(Project(project), metric, threshold, cutoff, out, as_json)
        return
    choice, opened = Choice(per_host=per_host, diverse=diverse), Project(project)
    page = out or (project / "report.html" if pdf is None else None)
    if page is not None:
        write_report(opened, page, choice)
    if pdf is not None:
        _write(pdf, report_pdf(opened, choice))
    if as_json:
        print_json({"report": str(page or ""), "pdf": str(pdf or "")})
        return
    for file, with_what in ((page, "a browser"), (pdf, "a PDF viewer")):
        if file is not None:
            say(f"wrote {file}: open it in {with_what}")


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
    """Write a project's report as a web page, with the best pages that are chosen so. Raises ClewError."""
    _write(target, report_html(project, choice).encode())
    return target


def _write(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except OSError as error:
        raise ClewError(f"{target} cannot be written: {error.strerror}") from error
