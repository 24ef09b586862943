"""A collection as JSON lines: one object a page, UTF-8 (docs/commands.md has the fields)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from clew.export.base import Exporter
from clew.export.collection import records
from clew.store.records import VisitRow
from clew.text.shown import json_text


class JsonLines(Exporter):
    """One JSON object a line."""

    name = "jsonl"

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        count = 0
        for count, row in enumerate(records(self.collection, pages), 1):  # noqa: B007  # it is what is returned
            out.write(json_text(row).encode() + b"\n")
        return count
