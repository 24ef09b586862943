"""A SQLite database, in a file or in memory: opened, locked, brought up to date, read, written; errors in words.

Why killing the process is safe: in WAL mode a transaction is a run of frames appended to the -wal file, and its last
frame carries the commit mark; a reader takes only whole transactions. ``synchronous=NORMAL`` syncs the WAL before its
pages are copied into the database, so the file cannot be damaged; but a commit itself is not synced, so a **power
cut or a crash of the machine** (not of the process) can undo the last few groups, as whole transactions. Those pages
are then fetched again. FULL would cost an fsync, tens of milliseconds on a disk, every group.
"""

from __future__ import annotations

import errno
import sqlite3
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clew.errors import DiskFullError, ProjectError, StoreError
from clew.store import room
from clew.store.sqlite.lock import Lock
from clew.store.sqlite.migrations import MIGRATIONS, check, migrate, show, version

Row = tuple[Any, ...]

MEMORY = "the store in memory"
"""What errors call a database without a file."""

CACHE_KIB = 16_384
WAL_PAGES = 4_000
"""The WAL is copied into the database when it holds this many pages (16 MB)."""

WAL_BYTES = 67_108_864
"""A WAL that grew because a reader stayed long is cut back to this."""

BUSY_MS = 10_000
ROWS_HELD = 500_000
"""Rows of a group that are kept until they are committed, in case a full disk undoes them; a larger group cannot be
written again, and ends the crawl."""

CHUNK = 256
"""Rows read at a time, so that no statement stays open while its rows are worked on."""

COLUMN_ROWS = 8_192
"""Rows read at a time where all become columns of numbers: as Python's numbers they take ten times the memory."""


class Database:
    """An open database, by the name that errors call it."""

    def __init__(self, name: str, connection: sqlite3.Connection, *, read_only: bool = False) -> None:
        self.name = name
        self.read_only = read_only
        self.fault = ""
        self._connection = connection
        self._group: list[tuple[str, Sequence[Row]]] = []
        self._held = 0
        self._undone = False

    def close(self) -> None:
        """Safe to call twice; an open transaction is undone."""
        self._connection.close()

    def refresh(self) -> None:
        """Read-only: take a new snapshot."""
        if self.read_only:
            self._run("COMMIT")
            self._run("BEGIN")

    # -- reading ------------------------------------------------------------------------------------------

    def rows(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Row]:
        """All rows of a query."""
        if self._undone:
            self._again()
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise _explained(self.name, error) from error

    def columns(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[tuple[Any, ...], ...]]:
        """The rows of a query, some thousand at a time, as columns. To be read to the end at once."""
        if self._undone:
            self._again()
        try:
            found = self._connection.execute(sql, values)
            while rows := found.fetchmany(COLUMN_ROWS):
                yield tuple(zip(*rows, strict=True))
        except sqlite3.Error as error:
            raise _explained(self.name, error) from error

    def chunks(self, sql: str, after: int) -> Iterator[Row]:
        """The rows of a query of the form ``... > :after ORDER BY ... LIMIT :limit``, which begin with that column.

        Memory holds one chunk; what is written meanwhile is seen by the next.
        """
        while rows := self.rows(sql, {"after": after, "limit": CHUNK}):
            yield from rows
            after = rows[-1][0]

    # -- writing ------------------------------------------------------------------------------------------

    def write(self, sql: str, rows: Sequence[Row]) -> int:
        """Run a statement for many rows within the open transaction; returns how many rows it changed."""
        self.check_writable()
        self.owe(sql, rows)
        if self._undone:
            return self._again()
        return self._execute(sql, rows)

    def owe(self, sql: str, rows: Sequence[Row]) -> None:
        """A statement of the group that will be run when there is room again; until a commit all are kept for that."""
        self._held += len(rows)
        if self._held > ROWS_HELD:
            self._group.clear()
        else:
            self._group.append((sql, rows))

    def _execute(self, sql: str, rows: Sequence[Row]) -> int:
        try:
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            return self._connection.executemany(sql, rows).rowcount
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise self._failed(error) from error

    def _again(self) -> int:
        """Run the whole group again, which a full disk undid; returns how many rows the last statement changed."""
        changed = 0
        self._undone = False
        for sql, rows in self._group:
            changed = self._execute(sql, rows)
        return changed

    def _failed(self, error: Exception) -> StoreError:
        """The error to raise. A full disk undoes the group, which can be written again while all of it is held."""
        found = self._full(error)
        if found is None or self._held > ROWS_HELD:
            self.abandon(_explanation(error))
            return found or StoreError(self.fault)
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._undone = True
        return found

    def _full(self, error: Exception) -> DiskFullError | None:
        """Whether there was no room; only files can tell."""
        return None

    def commit(self) -> None:
        """End the open transaction, if there is one."""
        self.check_writable()
        if self._undone:
            self._again()
        if self._connection.in_transaction:
            try:
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._failed(error) from error
        self._group.clear()
        self._held = 0

    def check_writable(self) -> None:
        """Raise StoreError when nothing may be written: opened read-only, or a write failed."""
        if self.read_only:
            raise StoreError(f"{self.name} was opened only for reading")
        if self.fault:
            raise StoreError(self.fault)

    def abandon(self, reason: str) -> StoreError:
        """Undo the whole group, for ``reason``, which is returned to be raised. Nothing more is taken, or the rest
        of the group would be committed without what was undone."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self.fault = f"{self.name} {reason}"
        return StoreError(self.fault)

    def _run(self, sql: str) -> None:
        try:
            self._connection.execute(sql)
        except sqlite3.Error as error:
            raise _explained(self.name, error) from error


class FileDatabase(Database):
    """A file. ``read_only`` sees it as it was at this moment, without a lock."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path
        self._lock = Lock(path)
        if read_only and not path.is_file():
            raise ProjectError(f"there is no crawl database {path}; start with: clew crawl {path.parent}")
        if not path.parent.is_dir():
            raise ProjectError(f"there is no folder {path.parent} for the crawl database; make a project: clew init")
        connection = self._open_to_read() if read_only else self._open_locked()
        super().__init__(str(path), connection, read_only=read_only)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._lock.free()

    def _full(self, error: Exception) -> DiskFullError | None:
        name = str(getattr(error, "sqlite_errorname", ""))
        if not name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN")):
            return None
        otherwise = errno.ENOSPC if name.startswith("SQLITE_FULL") else 0
        return room.full(self.path, room.reason(self.path) or otherwise)

    def _open_locked(self) -> sqlite3.Connection:
        self._lock.take()
        try:
            return self._open_to_write()
        except BaseException:
            self._lock.free()
            raise

    def _open_to_write(self) -> sqlite3.Connection:
        connection = self._connect("rwc")
        try:
            check(connection, str(self.path))  # before anything is changed: it may be somebody else's file
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
            migrate(connection, str(self.path))
        except sqlite3.Error as error:
            connection.close()
            raise _explained(str(self.path), error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_to_read(self) -> sqlite3.Connection:
        connection = self._connect("ro")
        try:
            check(connection, str(self.path))
            if version(connection) < len(MIGRATIONS) and not show(connection, str(self.path)):
                connection.close()
                FileDatabase(self.path, read_only=False).close()  # bring it up to date first
                connection = self._connect("ro")
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM meta").fetchone()  # the snapshot is taken by the first read
        except sqlite3.Error as error:
            connection.close()
            raise _explained(str(self.path), error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self, mode: str) -> sqlite3.Connection:
        try:
            uri = f"{self.path.resolve().as_uri()}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_MS / 1000)
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            return connection
        except sqlite3.Error as error:
            raise _explained(str(self.path), error) from error


class MemoryDatabase(Database):
    """A database without a file: it lasts as long as this object. ``close`` undoes an open transaction only."""

    def __init__(self) -> None:
        # No check of the thread: whoever drops the last reference, in any thread, closes it.
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        migrate(connection, MEMORY)
        super().__init__(MEMORY, connection)
        weakref.finalize(self, connection.close)

    def close(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self.fault = ""


def _explained(name: str, error: Exception) -> StoreError:
    return StoreError(f"{name} {_explanation(error)}")


def _explanation(error: Exception) -> str:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT")):
        return (
            f"is damaged ({error}). Put back a copy if you have one; or see how much `sqlite3 FILE .recover` saves;"
            " or move the file away and crawl anew (pages in archive/ are not lost)"
        )
    if name.startswith("SQLITE_FULL"):
        return f"cannot be written ({error}): free some space and start again; nothing that was committed is lost"
    if name.startswith("SQLITE_CONSTRAINT"):
        return f"refused a row that contradicts one it has ({error}); the group was not written"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"is locked by another program ({error}); close it and try again"
    return f"cannot be read or written ({error}); check the file, its folder and their rights"
