"""Pages as they were fetched, to be looked at in a frame that runs nothing."""

from __future__ import annotations

from fastapi import APIRouter, Response

from clew.dashboard.api.common import ShownOf
from clew.dashboard.api.pages import Number
from clew.dashboard.projects import NotThereError
from clew.errors import ArchiveError
from clew.model import Outcome
from clew.project.project import Project
from clew.store.records import VisitRow
from clew.store.warc import read
from clew.text.inert import POLICY, inert

router = APIRouter()

HEADERS = {"content-security-policy": POLICY, "x-dns-prefetch-control": "off"}


@router.get("/archived/{name}/{number}", include_in_schema=False)
def archived(shown: ShownOf, number: Number) -> Response:
    """The page of a visit, as HTML without a will of its own, or as plain text."""
    project = shown.project()
    with shown.store() as store:
        row = store.visits.get(number)
    if row is None or not row.url or not row.warc_file or row.outcome is not Outcome.OK:
        raise NotThereError(f"page {number} is not in the archive")
    text, is_page = _made(project, row)
    body = text.encode("utf-8", "replace")
    return Response(body, media_type=f"text/{'html' if is_page else 'plain'}; charset=utf-8", headers=HEADERS)


def _made(project: Project, row: VisitRow) -> tuple[str, bool]:
    try:
        found = inert(read(project.archive, row.warc_file, row.warc_offset))
    except ArchiveError as error:
        raise NotThereError(f"page {row.number} cannot be read from the archive: {error}") from error
    if found is not None:
        return found
    text = next(text for _, text in project.library.texts(iter((row,)), main=False)).text
    return text or f"This copy is no text ({row.content_type or 'of an unknown kind'}).", False
