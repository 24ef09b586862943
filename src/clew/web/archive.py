"""A web archive as a world: WARC files of any tool, served without touching the network.

Of several captures of a URL the latest good one answers (see ``archiveindex``). Responses to POST requests are
not told from others. A closed archive calls pages that it lacks ABSENT, which costs nothing; an open one answers
404, as a server would.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from clew.config import Settings
from clew.errors import ArchiveError, InputError, UrlError
from clew.model import Outcome, Request, Response
from clew.text.warcrecords import HEAD_BYTES, WarcFile, response_of
from clew.urls.canonical import Canonicaliser
from clew.web.archiveindex import ArchiveIndex, open_index
from clew.web.base import Clock, World


def missing(request: Request, closed: bool, now: float, where: str) -> Response:
    """The answer of an offline world that lacks a page."""
    if closed:
        return Response(request.url, Outcome.ABSENT, reason=f"not in the {where}", fetched_at=now, requests=0)
    return Response(request.url, Outcome.FAILED, status=404, reason=f"HTTP 404: not in the {where}", fetched_at=now)


class ArchiveWorld(World):
    """Serves the WARC file at ``path``. ``problems`` names what in it could not be read: file, offset and why.

    ``canonicalise`` writes URLs as the crawl does and raises UrlError for what is none (default: the canonical
    form of ``clew.urls``). Bodies of more than ``page_bytes``, decoded, are refused.
    """

    takes_path = True

    def __init__(
        self,
        path: Path,
        closed: bool = True,
        *,
        clock: Clock,
        canonicalise: Callable[[str], str] | None = None,
        page_bytes: int = 5_000_000,
    ) -> None:
        self.name = f"archive:{path.name}"
        self.closed = closed
        self.problems: list[str] = []
        self._path = path
        self.clock = self._clock = clock
        self._canonicalise = canonicalise or default_canonicaliser()
        self._page_bytes = page_bytes
        self._file: WarcFile | None = None
        self._index: ArchiveIndex | None = None

    @classmethod
    def from_spec(cls, rest: str, settings: Settings, clock: Clock) -> ArchiveWorld:
        path = Path(rest)
        if not path.is_file():
            raise InputError(f"there is no archive file {path}; give a WARC file, as in --web archive:crawl.warc.gz")
        return cls(
            path,
            closed=settings.web.archive.closed,
            clock=clock,
            canonicalise=canonicaliser_of(settings),
            page_bytes=settings.limits.page_bytes,
        )

    async def open(self) -> None:
        await self.close()
        self._file = WarcFile(self._path)
        self._index = await asyncio.to_thread(open_index, self._path, self._canonicalise)  # may take minutes
        self.problems = self._index.problems()

    async def close(self) -> None:
        if self._file is not None:
            self._file.close()
        if self._index is not None:
            self._index.close()
        self._file = self._index = None

    def __len__(self) -> int:
        """How many URLs the archive can answer."""
        return len(self._index) if self._index is not None else 0

    async def fetch(self, request: Request) -> Response:
        now = self._clock.now()
        try:
            found = self._answer(request.url)
        except (ArchiveError, OSError, ValueError, sqlite3.Error) as error:
            return Response(request.url, Outcome.FAILED, reason=str(error), fetched_at=now)
        if found is None:
            return missing(request, self.closed, now, "archive")
        return replace(found, fetched_at=now)

    def _answer(self, url: str) -> Response | None:
        if self._index is None or self._file is None:
            raise ArchiveError(f"{self._path} is not open")
        try:
            places = self._index.find(self._canonicalise(url))
        except UrlError:
            return None
        if places is None:
            return None
        place, body_place = places
        limit = self._page_bytes + HEAD_BYTES
        record = self._file.read(place, limit)
        payload = None if body_place == place else self._file.read(body_place, limit)
        return response_of(url, record, self._page_bytes, payload)


def default_canonicaliser() -> Callable[[str], str]:
    """The canonical form of ``clew.urls``."""
    from clew.urls.canonical import canonical

    return canonical


def canonicaliser_of(settings: Settings) -> Callable[[str], str]:
    """Canonical URLs as the project writes them: what an archive calls a page must be what links call it."""
    canonicalise = Canonicaliser(settings.scope.drop_parameters, settings.scope.url_length)

    def canonical(url: str) -> str:
        found = canonicalise(url, "")
        if found is None:
            raise UrlError(url, canonicalise.why_not(url, ""))
        return found

    return canonical
