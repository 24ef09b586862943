"""The archive as a page cache: what earlier crawls of a project fetched.

The databases of those crawls say where in the archive a page lies; pages are looked up by URL only, so a crawl sees
nothing that it has not asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clew.errors import ClewError
from clew.model import Outcome, Response
from clew.store.sqlite import SqliteStore
from clew.store.warc import read
from clew.urls.canonical import key

KEPT = (Outcome.OK, Outcome.REDIRECT)
"""Outcomes worth remembering: a failure may pass."""


class ArchiveCache:
    """Pages of earlier crawls. ``databases``: oldest first; ``archive``: the folder of their WARC files."""

    def __init__(self, databases: Sequence[Path], archive: Path) -> None:
        self.archive = archive
        self._stores = [SqliteStore(path) for path in reversed(databases)]
        for store in self._stores:
            store.open(read_only=True)

    def get(self, url: str, not_before: float) -> Response | None:
        """The latest fetch of a URL if it is no older than ``not_before`` (Unix time) and can be read."""
        for store in self._stores:
            row = store.visits.by_key(key(url))
            if row is None or row.outcome not in KEPT or not row.warc_file:
                continue
            return self._read(row.warc_file, row.warc_offset, row.fetched_at, not_before)
        return None

    def _read(self, file: str, offset: int, fetched_at: float, not_before: float) -> Response | None:
        if fetched_at < not_before:
            return None
        try:
            return replace(read(self.archive, file, offset), fetched_at=fetched_at)
        except ClewError:
            return None  # a damaged or removed archive file: ask the web again

    def close(self) -> None:
        """Close the databases."""
        for store in self._stores:
            store.close()
