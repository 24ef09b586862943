"""A collection as a table: CSV with a header line, UTF-8 (docs/commands.md has the fields).

Pages say what stands in many cells, and a spreadsheet evaluates what looks like a formula: such texts begin with a '.
JSON lines hold them as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import IO

from clew.export.base import Exporter
from clew.export.collection import fields_of, records
from clew.store.records import VisitRow
from clew.text.shown import cell


class Csv(Exporter):
    """One row a page."""

    name = "csv"

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        writer = csv.DictWriter(text, self.collection.fields or fields_of(self.collection.text), lineterminator="\n")
        writer.writeheader()
        count = 0
        for count, row in enumerate(records(self.collection, pages), 1):  # noqa: B007  # it is what is returned
            writer.writerow({name: cell(one) if isinstance(one, str) else one for name, one in row.items()})
        text.flush()
        text.detach()
        return count
