"""A collection as bookmarks: a folder a topic, for a browser."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from clew.export.base import Exporter
from clew.export.filed import filed
from clew.store.records import VisitRow
from clew.topics.bookmarks import write_bookmarks


class Bookmarks(Exporter):
    """Bookmarks as browsers import them."""

    name = "bookmarks"

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        entries = list(filed(pages, self.collection.topics))
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder) / "bookmarks"
            write_bookmarks(entries, part)
            out.write(part.read_bytes())
        return len(entries)
