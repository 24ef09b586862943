"""The links of a web that can be looked through, backwards: who links to a page of an archive, folder or simulation.

It stands in for the search engine that Diligenti and others 2000 ask for "link:". Looking through the web costs no
fetches: a search engine has done it before the crawl begins. What was found is kept in the project. Redirects are no
pages that link to others: who links to one links to the page where it ends.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from clew.errors import ClewError
from clew.model import Ints, Outcome, Request, Response
from clew.text.reader import Reader, Unreadable
from clew.urls.canonical import Canonicaliser
from clew.web.base import World
from clew.web.providers.base import BacklinkProvider
from clew.web.simulated import SimulatedWeb, parse_spec
from clew.web.simulated.world import SimulatedWorld, links_of

MOST = 200_000
"""Pages looked through, at most."""


_decode = msgspec.msgpack.Decoder(tuple[str, list[str], list[list[int]], list[int]]).decode


@dataclass(frozen=True, slots=True, eq=False)
class Inverted(BacklinkProvider):
    """Back links from link columns: page ``urls[i]`` is linked to from ``parents[starts[i]:starts[i + 1]]``."""

    urls: tuple[str, ...]
    starts: Ints
    parents: Ints
    places: dict[str, int]
    name: str = "web"

    @classmethod
    def of(cls, urls: Sequence[str], rows: Iterable[Iterable[int]], redirects: Iterable[int] = ()) -> Inverted:
        """From the pages each page links to, as numbers. ``redirects``: the numbers of those that are redirects, whose
        rows are their targets."""
        kept = [list(row) for row in rows]
        moved = {page: kept[page][0] if kept[page] else page for page in redirects}
        edges = [
            (target, source)
            for source, row in enumerate(kept)
            if source not in moved
            for target in dict.fromkeys(further for page in row for further in _chain(page, moved))
        ]
        table = np.array(sorted(edges), np.int32).reshape(-1, 2)
        starts = np.searchsorted(table[:, 0], np.arange(len(urls) + 1)).astype(np.int32)
        return cls(tuple(urls), starts, table[:, 1].copy(), {url: place for place, url in enumerate(urls)})

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """At most ``limit`` pages that link to ``url``, in the order in which the web was looked through."""
        place = self.places.get(url)
        if place is None:
            return []
        found = (self.urls[parent] for parent in self.parents[self.starts[place] : self.starts[place + 1]].tolist())
        return [parent for parent in found if parent != url][:limit]


def _chain(page: int, moved: Mapping[int, int]) -> Iterable[int]:
    """A page and those to which it redirects, one after the other."""
    chain = {page: None}
    while (page := moved.get(page, page)) not in chain:
        chain[page] = None
    return chain


@dataclass(slots=True)
class LookedThrough(BacklinkProvider):
    """Back links of a web that is looked through from ``starts`` when first asked; ``file``, if any, keeps the
    result."""

    world: World
    reader: Reader
    canonicalise: Canonicaliser
    starts: Sequence[str]
    file: Path | None = None
    name: str = "web"
    _inverted: Inverted | None = None
    _web: SimulatedWeb | None = None
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """As ``Inverted.backlinks``."""
        async with self._looking:
            if self._inverted is None:
                self._inverted = self._kept() or await self._look()
        return await self._inverted.backlinks(url, limit)

    async def close(self) -> None:
        """Nothing to free: the world is the caller's."""

    def _kept(self) -> Inverted | None:
        if self.file is None:
            return None
        try:
            name, urls, rows, redirects = _decode(self.file.read_bytes())
        except (OSError, msgspec.MsgspecError):
            return None  # none yet, or one of a version that did not tell redirects from pages
        return Inverted.of(urls, rows, redirects) if name == self.world.name else None

    async def _look(self) -> Inverted:
        moved: list[bool] = []

        async def look(url: str) -> list[str]:
            found, redirects = await self._links(url)
            moved.append(redirects)
            return found

        urls, rows = await look_through(self.starts, look)
        redirects = np.flatnonzero(moved).tolist()
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_bytes(msgspec.msgpack.encode((self.world.name, urls, rows, redirects)))
        return Inverted.of(urls, rows, redirects)

    async def _links(self, url: str) -> tuple[list[str], bool]:
        """Where a page's links lead, or where it redirects to, and whether it does."""
        if isinstance(self.world, SimulatedWorld):
            self._web = self._web or parse_spec(self.world.name)
            return links_of(self._web, url, self.canonicalise)
        response = await self.world.fetch(Request(url))
        if response.outcome is Outcome.REDIRECT:
            target = self.canonicalise(response.location, url)
            return [target] if target is not None else [], True
        return self._read(response), False

    def _read(self, response: Response) -> list[str]:
        if response.outcome is not Outcome.OK:
            return []
        try:
            return list(self.reader.read(response).links.urls)
        except (Unreadable, ClewError):
            return []


async def look_through(
    starts: Iterable[str], links: Callable[[str], Awaitable[Iterable[str]]]
) -> tuple[list[str], list[list[int]]]:
    """All pages that links lead to, breadth-first, and the numbers of those each page links to."""
    numbers = {url: number for number, url in enumerate(dict.fromkeys(starts))}
    waiting, rows = deque(numbers), list[list[int]]()
    while waiting:
        row = []
        for url in await links(waiting.popleft()):
            if url not in numbers and len(numbers) < MOST:
                numbers[url] = len(numbers)
                waiting.append(url)
            if url in numbers:
                row.append(numbers[url])
        rows.append(row)
    return list(numbers), rows
