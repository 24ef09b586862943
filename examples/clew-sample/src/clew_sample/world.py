"""A world over a file of JSON lines."""

from __future__ import annotations

from html import escape
from pathlib import Path

from clew import World
from clew.model import Outcome, Request, Response
from clew_sample.pages import Line, read


class PagesFile(World):
    """Serves the pages of a file: ``--web pages-file:FILE``. A link to a page that it lacks costs nothing."""

    name = "pages-file"
    closed = True
    takes_path = True

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.lines: dict[str, Line] = {}

    async def open(self) -> None:
        self.lines = {line.url: line for line in read(self.path)}

    async def fetch(self, request: Request) -> Response:
        line, now = self.lines.get(request.url), self.clock.now()
        if line is None:
            reason = f"not in {self.path.name}"
            return Response(request.url, Outcome.ABSENT, reason=reason, fetched_at=now, requests=0)
        if line.location:
            return Response(request.url, Outcome.REDIRECT, 301, location=line.location, fetched_at=now)
        body = f"<!DOCTYPE html><title>{escape(line.title)}</title>{line.html}".encode()
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        return Response(request.url, Outcome.OK, 200, headers, body, fetched_at=now)
