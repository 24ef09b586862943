"""The example pages a judge is trained on: read from disk, fetched once, kept in the project.

Examples that are URLs come through the project's world like any page (politely, robots.txt honoured), counted
in the ledger as *examples*; they are kept in the database, so that training never needs the web again.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.errors import ClewError, UrlError
from clew.examples.sources import START, Wanted, local
from clew.model import Example, Outcome, Request, Response
from clew.store.base import Store
from clew.store.warc import read
from clew.text.reader import Reader, Unreadable
from clew.urls.canonical import canonical, host, key
from clew.web.base import Clock, World

ASKED = "[examples]"
"""Under what the journal keeps which pages were asked for when the judge was trained last. No strategy is called so."""

TRIES = 4
"""Answers (redirects, deferrals apart) that an example URL may take before it is left out."""

DEFERRALS = 20
"""Times an example may be put off after a request for robots.txt before it is left out."""


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Gathers examples. ``warn`` is told, in words, how many are missing and which could not be had. ``archive`` is
    the folder of the pages that the project fetched: an example among them need not be fetched again. Without ``world``
    and ``clock`` nothing is fetched. Local files are read every time, since they may have been edited."""

    store: Store
    reader: Reader
    base: Path
    world: World | None = None
    clock: Clock | None = None
    warn: Callable[[str], None] = lambda text: None
    archive: Path | None = None
    hosts_at_once: int = 64

    async def examples(self, wanted: Sequence[Wanted]) -> list[Example]:
        """The examples of all lines that could be read, in the order of the lines."""
        kept = set(self.store.examples.names())
        self._read_local(wanted, kept)
        self._file_anew(wanted, kept)
        missing = [
            one for one in wanted if one.is_url and (one.line, one.topic) not in kept and not self._keep_visited(one)
        ]
        if missing:
            starts = sum(one.topic == START for one in missing)
            pages = [f"{len(missing) - starts} example pages"] * (starts < len(missing))
            self.warn(f"reading {' and '.join([*pages, *[f'{starts} start pages'] * (starts > 0)])}")
        try:
            await self._gather(missing)
            self.store.journal.save(ASKED, 0, json.dumps([one.line for one in wanted]).encode())
        finally:  # who stops here need not fetch again what came
            self.store.commit()
        return self.kept(wanted)

    def at_hand(self, wanted: Sequence[Wanted]) -> list[Example]:
        """Those of the examples that need no fetching: known ones, pages that were visited, local files."""
        kept = set(self.store.examples.names())
        self._read_local(wanted, kept)
        self._file_anew(wanted, kept)
        for one in wanted:
            if one.is_url and (one.line, one.topic) not in kept:
                self._keep_visited(one)
        return self.kept(wanted)

    def visited(self, url: str) -> Response | None:
        """A page that the crawl fetched; None when it did not, or when its archive cannot be read."""
        row = self.store.visits.by_key(key(url))
        if row is None or self.archive is None or row.outcome is not Outcome.OK or not row.warc_file:
            return None
        try:
            return read(self.archive, row.warc_file, row.warc_offset)
        except ClewError:
            return None

    def _file_anew(self, wanted: Sequence[Wanted], kept: set[tuple[str, int]]) -> None:
        """A page that is kept as an example of another topic need not be fetched again."""
        lines = {line for line, _ in kept}
        moved = [one for one in wanted if one.is_url and (one.line, one.topic) not in kept and one.line in lines]
        pages = {line: response for line, _, response in self.store.examples.all()} if moved else {}
        for one in moved:
            self.store.examples.add(one.line, one.topic, pages[one.line])
            kept.add((one.line, one.topic))

    def _keep_visited(self, one: Wanted) -> bool:
        """Keep an example that the crawl fetched; False when it did not."""
        response = self.visited(one.line) if one.is_url else None
        if response is not None:
            self.store.examples.add(one.line, one.topic, response)
        return response is not None

    def kept(self, wanted: Sequence[Wanted]) -> list[Example]:
        """The examples that were gathered before, in the order of the lines: those a crawl was trained on. Writes
        nothing, so the store may be open for reading only."""
        order = {(one.line, one.topic): place for place, one in enumerate(wanted)}
        rows = [row for row in self.store.examples.all() if row[:2] in order]
        rows.sort(key=lambda row: order[row[:2]])
        return [example for row in rows if (example := self._read(*row)) is not None]

    async def _gather(self, missing: Iterable[Wanted]) -> None:
        by_host: dict[str, list[Wanted]] = defaultdict(list)
        for one in missing:
            self._sort_by_host(one, by_host)
        room = asyncio.Semaphore(self.hosts_at_once)
        await asyncio.gather(*(self._fetch_host(group, room) for group in by_host.values()))

    def _sort_by_host(self, one: Wanted, by_host: dict[str, list[Wanted]]) -> None:
        try:
            by_host[host(canonical(one.line))].append(one)
        except UrlError as error:
            self.warn(f"{one.origin}: {error}")

    def _read_local(self, wanted: Iterable[Wanted], kept: set[tuple[str, int]]) -> None:
        """Read the local examples anew; one that is gone stays as it was last read."""
        for one in wanted:
            if one.is_url:
                continue
            try:
                self.store.examples.add(one.line, one.topic, local(one, self.base))
            except OSError as error:
                if (one.line, one.topic) not in kept:
                    reason = f"{one.line} cannot be read ({error.strerror}): left out of the examples"
                    self.warn(f"{one.origin}: {reason}")

    async def _fetch_host(self, group: Sequence[Wanted], room: asyncio.Semaphore) -> None:
        """The examples of one host, one after the other, with its pauses."""
        async with room:
            await self._fetch_all(group)

    async def _fetch_all(self, group: Sequence[Wanted]) -> None:
        for one in group:
            response = await self.fetch(canonical(one.line))
            if response.outcome is Outcome.OK:
                self.store.examples.add(one.line, one.topic, response)
            else:
                self.warn(f"{one.origin}: {one.line}: {response.reason or response.outcome}: {_left_out(one.topic)}")
            await self._pause_until(response.ready_at)

    async def _pause_until(self, when: float) -> None:
        assert self.clock is not None
        await self.clock.sleep_until(when)

    async def fetch(self, url: str) -> Response:
        """One page, through redirects, pauses and passing failures."""
        assert self.world is not None, "whoever fetches needs a world"
        tries = deferrals = hops = 0
        while True:
            response = await self.world.fetch(Request(url, attempt=tries, hops=hops))
            self.store.journal.count("examples", response.requests)
            self.store.journal.count("robots", response.robots_requests)
            deferred = response.outcome is Outcome.DEFERRED
            deferrals += deferred and response.robots_requests > 0  # who only queues for an address may queue for long
            silent = response.rests_until > 0 or response.requests > 0
            tries += not deferred or silent
            if tries >= TRIES or deferrals >= DEFERRALS or response.given_up:
                return response
            if response.outcome is Outcome.REDIRECT:
                url, hops = self._target(response), hops + 1
            elif response.retry_at is None:
                return response
            await self._pause_until(max(response.retry_at or 0.0, response.ready_at))

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
            what = "start page" if topic == START else "example"
            self.warn(f"{what} {line}: {error}: {_left_out(topic)}")
            return None


def asked_for(store: Store) -> set[str]:
    """The pages that were asked for when the judge was trained last, by their lines; what is not kept of them could not
    be had."""
    saved = store.journal.saved(ASKED)
    return set(json.loads(saved.state)) if saved is not None else set()


def _left_out(topic: int) -> str:
    return "cannot help to set the threshold" if topic == START else "left out of the examples"
