"""What the facets of a store share: the open database, and the rows gathered for its next transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.errors import DiskFullError, StoreError
from clew.store.sqlite.database import MEMORY, Database, FileDatabase, MemoryDatabase, Row


class Transaction:
    """Rows wait here until they are many, or something is read; ``commit`` makes all of them last.

    ``before_writing``: writes rows that a facet gathered by itself. Such a facet sets ``gathered``.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.name = MEMORY if path is None else str(path)
        self.before_writing: list[Callable[[], None]] = []
        self._database: Database | None = None
        self._memory: MemoryDatabase | None = None
        self.forget()

    def open(self, *, read_only: bool) -> None:
        """Open the file, or the database in memory as it was left."""
        if self.path is not None:
            self._database = FileDatabase(self.path, read_only=read_only)
            return
        if read_only:
            raise StoreError(
                f"{MEMORY} cannot be opened read-only, since nobody but its owner can reach it:"
                " read it through the store that wrote it, or crawl into a file"
            )
        self._memory = self._memory or MemoryDatabase()
        self._database = self._memory

    def close(self) -> None:
        """Let go of the file and of what was not committed."""
        if self._database is not None:
            self._database.close()
            self._database = None
        self.forget()

    def forget(self) -> None:
        """Nothing waits to be written."""
        self._pending: defaultdict[str, list[Row]] = defaultdict(list)
        self.gathered = False

    @property
    def database(self) -> Database:
        """The open database. Raises StoreError when it is not open."""
        if self._database is None:
            raise StoreError(f"{self.name} is not open")
        return self._database

    # -- writing ------------------------------------------------------------------------------------------

    def put(self, sql: str, *values: Any) -> None:
        """One more row for a statement."""
        self.database.check_writable()
        self._pending[sql].append(values)

    def put_all(self, sql: str, rows: Sequence[Row]) -> None:
        """More rows for a statement."""
        if rows:
            self._pending[sql].extend(rows)

    def write(self, sql: str, rows: Sequence[Row]) -> int:
        """Run a statement now, after everything that waits; returns how many rows it changed."""
        self.settle()
        return self.database.write(sql, rows)

    def commit(self) -> None:
        """Write everything and end the transaction."""
        self._flush()
        self.database.commit()

    def _flush(self) -> None:
        """Hand everything gathered to SQLite, within the open transaction."""
        self.gathered = False
        for hand_in in self.before_writing:
            hand_in()
        pending, self._pending = self._pending, defaultdict(list)
        statements = list(pending.items())
        for place, (sql, rows) in enumerate(statements, 1):
            try:
                self.database.write(sql, rows)
            except DiskFullError:  # it, and those after it, are written when there is room
                for later in statements[place:]:
                    self.database.owe(*later)
                raise

    # -- reading ------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Reading sees what was written."""
        if self._pending or self.gathered:
            self._flush()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""
        self.settle()
        return self.database.rows(sql, values)

    def columns(self, sql: str, types: Sequence[npt.DTypeLike], values: Sequence[Any] = ()) -> list[npt.NDArray[Any]]:
        """All rows of a query, as an array of each type a column; bytes are joined, and read as numbers of the type."""
        self.settle()
        found: list[list[npt.NDArray[Any]]] = [[np.empty(0, kind)] for kind in types]
        for part in self.database.columns(sql, values):
            for column, kind, numbers in zip(found, types, part, strict=True):
                column.append(_array(numbers, kind))
        return [np.concatenate(found.pop(0)) for _ in types]  # one after the other, for these may be large

    def chunks(self, sql: str, after: int) -> Iterator[Row]:
        """The rows of a query, some at a time (see ``Database.chunks``)."""
        self.settle()
        return self.database.chunks(sql, after)

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the first row; None without one."""
        rows = self.rows(sql, values)
        return rows[0][0] if rows else None


def _array(values: tuple[Any, ...], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """Values of one column, which are bytes or none of them is."""
    if isinstance(values[0], bytes):
        return np.frombuffer(b"".join(values), kind)
    return np.array(values, kind)
