"""A web of a function from URLs to pages, and crawls in it: for tests of traps, duplicates and budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clew import Crawl
from clew.model import Outcome, Request, Response
from clew.store.sqlite import SqliteStore
from clew.web.base import World

Answers = Callable[[str], str | Response | None]
"""URL -> HTML, a whole response, or None for 404."""


class MadeUp(World):
    """Answers by a function; notes what it was asked for. Hosts that ``fails`` names break every connection."""

    def __init__(self, answers: Answers, ip: Callable[[str], str] = lambda host: "") -> None:
        self.answers, self.ip = answers, ip
        self.asked: list[str] = []

    async def fetch(self, request: Request) -> Response:
        url, now = request.url, self.clock.now()
        self.asked.append(url)
        found = self.answers(url)
        if isinstance(found, Response):
            return found
        address = self.ip(url.split("/")[2])
        if found is None:
            return Response(url, Outcome.FAILED, 404, reason="HTTP 404", fetched_at=now, ip=address)
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        return Response(url, Outcome.OK, 200, headers, found.encode(), fetched_at=now, ip=address)


def broken(url: str) -> Response:
    """A connection that broke; worth another try."""
    return Response(url, Outcome.FAILED, reason="connection reset", retry_at=1.0)


def crawl_of(
    answers: Answers | MadeUp,
    seeds: Sequence[str],
    *,
    folder: Path | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    strategy: str = "breadth-first",
) -> Crawl:
    """A crawl for pages about sailing."""
    world = answers if isinstance(answers, MadeUp) else MadeUp(answers)
    tables: dict[str, Any] = {
        "interest": {"keywords": {"sailing": 1.0}},
        "judge": {"name": "keywords"},
        "store": {"archive": folder is not None},
        **(settings or {}),
    }
    return Crawl(seeds, world=world, strategy=strategy, settings=tables, folder=folder)


def asked(
    answers: Answers,
    seeds: Sequence[str],
    max_pages: int = 1000,
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    strategy: str = "breadth-first",
) -> list[str]:
    """The URLs that a crawl asks for, in order."""
    world = MadeUp(answers)
    crawl_of(world, seeds, settings=settings, strategy=strategy).run_sync(max_pages)
    return world.asked


def stored(folder: Path) -> SqliteStore:
    """The database of a crawl, to read."""
    store = SqliteStore(folder / "crawl.db")
    store.open(read_only=True)
    return store
