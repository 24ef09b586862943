"""A ration for providers: so many calls and no more, with time between, answers kept, calls written down."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew.errors import ClewError, StoreError
from clew.web.providers.base import BacklinkProvider, Hit, Provider, ProviderError, SearchProvider

__all__ = ["Call", "RationError", "Rationed"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    provider TEXT, kind TEXT, query TEXT, asked INTEGER, answer TEXT, PRIMARY KEY (provider, kind, query)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger (
    id INTEGER PRIMARY KEY, time REAL, provider TEXT, kind TEXT, query TEXT, hits INTEGER, cached INTEGER, error TEXT
);
"""


class RationError(ProviderError):
    """The ration is used up; nothing was asked."""


@dataclass(frozen=True, slots=True)
class Call:
    """A row of the ledger. ``time`` in Unix seconds; ``kind``: search or backlinks; ``error``: "" if all went well."""

    time: float
    provider: str
    kind: str
    query: str
    hits: int
    cached: bool
    error: str = ""


class Rationed(SearchProvider, BacklinkProvider):
    """Wraps a provider; searches and finds back-links as far as that one does. Answers are kept in ``file`` (SQLite).

    ``calls`` is how many questions may be asked in the life of the file (0: no limit); those that failed count, those
    that were answered from the file do not. ``spacing`` is the time between two calls, in seconds.
    """

    def __init__(
        self,
        provider: Provider,
        file: Path,
        *,
        calls: int = 0,
        spacing: float = 0.0,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = provider.name
        self._provider = provider
        self._calls = calls
        self._spacing = spacing
        self._now = now
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._file = file
        self._database = _opened(file)

    async def search(self, query: str, limit: int) -> list[Hit]:
        provider = self._provider
        if not isinstance(provider, SearchProvider):
            raise ProviderError(self.name, query, "cannot search", "use searxng, mediawiki or json")

        async def ask() -> list[Any]:
            return [asdict(hit) for hit in await provider.search(query, limit)]

        return [Hit(**row) for row in await self._answer("search", query, limit, ask)]

    async def backlinks(self, url: str, limit: int) -> list[str]:
        provider = self._provider
        if not isinstance(provider, BacklinkProvider):
            raise ProviderError(self.name, url, "knows no back-links", "use mediawiki, edgelist or json")

        async def ask() -> list[Any]:
            return list(await provider.backlinks(url, limit))

        return await self._answer("backlinks", url, limit, ask)

    async def close(self) -> None:
        self._database.close()
        await self._provider.close()

    @property
    def left(self) -> int | None:
        """How many calls are left; None: no limit."""
        return max(0, self._calls - self._used()) if self._calls else None

    def ledger(self) -> list[Call]:
        """Every call of every provider that used the file, the oldest first."""
        found = self._run("SELECT time, provider, kind, query, hits, cached, error FROM ledger ORDER BY id")
        return [
            Call(when, who, kind, query, hits, bool(cached), error)
            for when, who, kind, query, hits, cached, error in found
        ]

    async def _answer(self, kind: str, query: str, limit: int, ask: Callable[[], Awaitable[list[Any]]]) -> list[Any]:
        """One question at a time, so that the same one asked twice at once costs one call."""
        if limit < 1:
            return []
        async with self._turn:
            known = self._known(kind, query, limit)
            if known is not None:
                self._write(kind, query, len(known), cached=True)
                return known
            if self._calls and self._used() >= self._calls:
                advice = "raise the provider's calls to ask more"
                raise RationError(self.name, query, f"its ration of {self._calls:,} calls is used up", advice)
            await self._wait()
            try:
                answer = await ask()
            except ClewError as error:
                self._write(kind, query, 0, error=str(error))
                raise
            self._run(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)",
                (self.name, kind, query, limit, json.dumps(answer)),
            )
            self._write(kind, query, len(answer))
            return answer

    def _known(self, kind: str, query: str, limit: int) -> list[Any] | None:
        """The kept answer, if it was asked for as many hits or if there were no more."""
        sql = "SELECT asked, answer FROM answers WHERE provider = ? AND kind = ? AND query = ?"
        for asked, text in self._run(sql, (self.name, kind, query)):
            answer: list[Any] = json.loads(text)
            if limit <= asked or len(answer) < asked:
                return answer[:limit]
        return None

    async def _wait(self) -> None:
        """Until the spacing has passed since this provider's last call, even if that was in an earlier session."""
        sql = "SELECT max(time) FROM ledger WHERE provider = ? AND cached = 0"
        last = self._run(sql, (self.name,))[0][0]
        delay = min(self._spacing, last + self._spacing - self._now()) if last is not None else 0.0
        if delay > 0:
            await self._sleep(delay)

    def _used(self) -> int:
        return int(self._run("SELECT count(*) FROM ledger WHERE provider = ? AND cached = 0", (self.name,))[0][0])

    def _write(self, kind: str, query: str, hits: int, *, cached: bool = False, error: str = "") -> None:
        row = (self._now(), self.name, kind, query, hits, cached, error)
        self._run(
            "INSERT INTO ledger (time, provider, kind, query, hits, cached, error) VALUES (?, ?, ?, ?, ?, ?, ?)", row
        )

    def _run(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._database.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self._file} cannot be used: {error}; delete it to begin a new ledger") from error


def _opened(file: Path) -> sqlite3.Connection:
    """The database, every statement its own transaction. Raises StoreError."""
    try:
        database = sqlite3.connect(file, isolation_level=None, timeout=10.0)
    except sqlite3.Error as error:
        raise StoreError(f"{file} cannot be opened: {error}") from error
    try:
        database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + _SCHEMA)
    except sqlite3.Error as error:
        database.close()
        raise StoreError(f"{file} is no ledger of providers: {error}; delete or move it") from error
    return database
