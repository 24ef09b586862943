"""The example pages a judge is trained on: read from disk, fetched once, kept in the project.

Examples that are URLs come through the project's world like any page (politely, robots.txt honoured), counted
in the ledger as *examples*; they are kept in the database, so that training never needs the web again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.errors import UrlError
from clew.model import Example, Outcome, Request, Response
from clew.store.base import Store
from clew.text.reader import Reader, Unreadable
from clew.urls.canonical import canonical, host
from clew.web.base import Clock, World

TRIES = 4
"""Answers (redirects, deferrals apart) that an example URL may take before it is left out."""

DEFERRALS = 20
"""Times an example may be put off after a request for robots.txt before it is left out."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A line of relevant.txt or irrelevant.txt: a URL or the path of a local page, and its topic index."""

    line: str
    topic: int
    origin: str

    @property
    def is_url(self) -> bool:
        return "://" in self.line


def local(wanted: Wanted, base: Path) -> Response:
    """A local page as a response. Raises OSError."""
    path = base / wanted.line
    kind = "text/plain" if path.suffix.lower() == ".txt" else "text/html"
    return Response(path.as_uri(), Outcome.OK, 200, (("Content-Type", kind),), path.read_bytes(), requests=0)


@dataclass(frozen=True, slots=True)
class Training:
    """Gathers examples. ``warn`` is told, in words, how many are missing and which could not be had."""

    store: Store
    world: World
    clock: Clock
    reader: Reader
    base: Path
    warn: Callable[[str], None]

    async def examples(self, wanted: Sequence[Wanted]) -> list[Example]:
        """The examples of all lines that could be read, in the order of the lines."""
        kept = {(line, topic) for line, topic, _ in self.store.examples()}
        missing = [one for one in wanted if (one.line, one.topic) not in kept]
        if missing:
            self.warn(f"reading {len(missing)} example pages")
        try:
            await self._gather(missing)
        finally:  # who stops here need not fetch again what came
            self.store.commit()
        order = {(one.line, one.topic): place for place, one in enumerate(wanted)}
        rows = [row for row in self.store.examples() if row[:2] in order]
        rows.sort(key=lambda row: order[row[:2]])
        return [example for row in rows if (example := self._read(*row)) is not None]

    async def _gather(self, missing: Iterable[Wanted]) -> None:
        by_host: dict[str, list[Wanted]] = defaultdict(list)
        for one in missing:
            if one.is_url:
                self._sort_by_host(one, by_host)
            else:
                self._keep_local(one)
        await asyncio.gather(*(self._fetch_host(group) for group in by_host.values()))

    def _sort_by_host(self, one: Wanted, by_host: dict[str, list[Wanted]]) -> None:
        try:
            by_host[host(canonical(one.line))].append(one)
        except UrlError as error:
            self.warn(f"{one.origin}: {error}")

    def _keep_local(self, one: Wanted) -> None:
        try:
            self.store.add_example(one.line, one.topic, local(one, self.base))
        except OSError as error:
            self.warn(f"{one.origin}: {one.line} cannot be read ({error.strerror}): left out of the examples")

    async def _fetch_host(self, group: Sequence[Wanted]) -> None:
        """The examples of one host, one after the other, with its pauses."""
        for one in group:
            response = await self._fetch(canonical(one.line))
            if response.outcome is Outcome.OK:
                self.store.add_example(one.line, one.topic, response)
            else:
                self.warn(f"{one.origin}: {one.line}: {response.reason or response.outcome}: left out of the examples")
            await self.clock.sleep_until(response.ready_at)

    async def _fetch(self, url: str) -> Response:
        """One example, through redirects, pauses and passing failures."""
        tries = deferrals = hops = 0
        while True:
            response = await self.world.fetch(Request(url, attempt=tries, hops=hops))
            self.store.count("examples", response.requests)
            self.store.count("robots", response.robots_requests)
            deferred = response.outcome is Outcome.DEFERRED
            deferrals += deferred and response.robots_requests > 0  # who only queues for an address may queue for long
            tries += not deferred
            if tries >= TRIES or deferrals >= DEFERRALS:
                return response
            if response.outcome is Outcome.REDIRECT:
                url, hops = self._target(response), hops + 1
            elif response.retry_at is None:
                return response
            await self.clock.sleep_until(max(response.retry_at or 0.0, response.ready_at))

    @staticmethod
    def _target(response: Response) -> str:
        try:
            return canonical(response.location, response.url)
        except UrlError:
            return response.url

    def _read(self, line: str, topic: int, response: Response) -> Example | None:
        try:
            return Example(line, topic, self.reader.read(response))
        except Unreadable as error:
            self.warn(f"example {line}: {error}: left out of the examples")
            return None
