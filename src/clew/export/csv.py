"""A collection as a table: CSV with a header line, UTF-8 (docs/commands.md has the fields)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import IO

from clew.export.base import Exporter
from clew.export.collection import FIELDS, records
from clew.store.records import VisitRow


class Csv(Exporter):
    """One row a page."""

    name = "csv"

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
        writer.writeheader()
        count = 0
        for count, row in enumerate(records(self.collection.store, pages), 1):  # noqa: B007  # it is what is returned
            writer.writerow(row)
        text.flush()
        text.detach()
        return count
