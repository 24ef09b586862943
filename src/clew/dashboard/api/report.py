"""The report of a crawl, as ``clew report`` writes it: a web page or a PDF."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from clew.dashboard.api.common import ShownOf
from clew.dashboard.keeping import Reports
from clew.dashboard.projects import Shown
from clew.errors import ClewError, ProjectError
from clew.export.choosing import Choice
from clew.export.reporting import report_html, report_pdf
from clew.project.project import Project
from clew.text.shown import file_name
from clew.text.shown import shown as one_line

router = APIRouter(tags=["report"])

PerHost = Annotated[int, Query(ge=0, le=1_000_000, description="Best pages of a host, at most; 0: all")]
Diverse = Annotated[bool, Query(description="Hosts take turns among the best pages")]

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-popups allow-popups-to-escape-sandbox"
)
"""The report has its style in itself, and nothing else: no script runs, nothing is loaded, and it is of no origin, so
it reads nothing of the dashboard. Its links open outside, without that sandbox, which is none of the pages there."""

HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "unsafe-none",  # browsers refuse a sandboxed page that asks for more
}

SORRY = "html { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; } p { overflow-wrap: anywhere; }"

HTML: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {}}, "description": "The report"}}
PDF: dict[int | str, dict[str, Any]] = {200: {"content": {"application/pdf": {}}, "description": "The report"}}


_ONE_AT_A_TIME = threading.Lock()
"""What draws the plots has settings that all threads share."""

LARGE = 200_000_000
"""Bytes of a database from which on the report is made by a process of its own: it takes hundreds of MB, which a server
would keep."""


@router.get("/report/{name}.pdf", response_class=Response, responses=PDF)
def pdf(shown: ShownOf, per_host: PerHost = 0, diverse: Diverse = False) -> Response:
    """The report as a PDF to save."""
    data = _report(shown, report_pdf, Choice(per_host=per_host, diverse=diverse))
    return Response(data, media_type="application/pdf", headers=_saved(shown, "pdf", "attachment"))


@router.get("/report/{name}", response_class=Response, responses=HTML)
def page(request: Request, shown: ShownOf, per_host: PerHost = 0, diverse: Diverse = False) -> HTMLResponse:
    """The report as one self-contained web page."""
    try:
        data = _report(shown, _web_page, Choice(per_host=per_host, diverse=diverse))
    except ClewError as error:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        return HTMLResponse(_sorry(error), 409, HEADERS)  # a browser shows it in place of the report
    return HTMLResponse(data, headers={**HEADERS, **_saved(shown, "html", "inline")})


def _web_page(project: Project, choice: Choice) -> bytes:
    return report_html(project, choice).encode()


def _report(shown: Shown, make: Callable[[Project, Choice], bytes], choice: Choice) -> bytes:
    """The report in a form, kept until the crawl goes on or labels change."""

    def made() -> bytes:
        project = shown.project()
        with _ONE_AT_A_TIME:
            if project.database.is_file() and project.database.stat().st_size > LARGE:
                return made_apart(project, choice, pdf=make is report_pdf)
            return make(project, choice)

    return shown.kept(Reports).get((make, choice), made)


def made_apart(project: Project, choice: Choice, *, pdf: bool) -> bytes:
    """The report by the command that writes it. Raises ClewError."""
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        target = Path(folder) / "report"
        form = "--pdf" if pdf else "--out"
        command = [sys.executable, "-m", "clew.cli", "report", str(project.path.absolute()), form, str(target)]
        command += ["--per-host", str(choice.per_host), *(["--diverse"] if choice.diverse else [])]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            said = done.stderr.strip().removeprefix("clew: ") or "the report could not be made"
            raise ProjectError(said) if done.returncode == 2 else ClewError(said)
        return target.read_bytes()


def _sorry(error: ClewError) -> str:
    """The same in words for people."""
    said = escape(one_line(str(error)))
    return f'<!DOCTYPE html><html lang="en"><title>No report</title><style>{SORRY}</style><p>There is no report: {said}'


def _saved(shown: Shown, ending: str, how: str) -> dict[str, str]:
    """What the file is called when it is saved. Header fields hold ASCII; other letters become a hash."""
    name = file_name(shown.name.encode("ascii", "replace").decode().replace("?", "-"))
    return {"content-disposition": f'{how}; filename="{name}-report.{ending}"'}
