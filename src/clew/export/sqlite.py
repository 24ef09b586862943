"""A collection as a SQLite database: one table, ``pages``, one row a page (docs/commands.md has the fields)."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from clew.errors import ClewError
from clew.export.base import Exporter
from clew.export.collection import fields_of, records
from clew.export.columns import INTEGERS, REALS, TRUTHS, batches
from clew.store.records import VisitRow
from clew.text.shown import whole


class Sqlite(Exporter):
    """Truth values are 0 and 1, times ISO 8601 in UTC."""

    name = "sqlite"
    binary = True

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        with tempfile.TemporaryDirectory(dir=_beside(out)) as folder:
            file = Path(folder) / "pages.db"
            try:
                count = self._fill(file, pages)
            except sqlite3.Error as error:
                raise ClewError(f"the database cannot be written in {folder}: {error}") from error
            with file.open("rb") as stream:
                shutil.copyfileobj(stream, out)
        return count

    def _fill(self, file: Path, pages: Iterable[VisitRow]) -> int:
        names = self.collection.fields or fields_of(self.collection.text)
        columns = ", ".join(f'"{name}" {_type(name)}' for name in names)
        connection = sqlite3.connect(file, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = OFF")  # nobody else sees the file before it is whole
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"CREATE TABLE pages ({columns})")
            insert = f"INSERT INTO pages VALUES ({', '.join('?' * len(names))})"
            count = 0
            for batch in batches(records(self.collection, pages)):
                connection.executemany(insert, ([whole(one[name]) for name in names] for one in batch))
                count += len(batch)
            return count
        finally:
            connection.close()


def _beside(out: IO[bytes]) -> Path | None:
    """The folder of the file that is written, which has room for it; None where it is no file."""
    name = getattr(out, "name", None)
    return Path(name).parent if isinstance(name, str) and Path(name).is_file() else None


def _type(name: str) -> str:
    if name in INTEGERS or name in TRUTHS:
        return "INTEGER"
    return "REAL" if name in REALS else "TEXT"
