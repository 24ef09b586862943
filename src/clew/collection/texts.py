"""The main texts of a project's pages, kept beside the crawl once a search asked for them (``search/texts.db``).

They follow from the archive: the file may be deleted at any time, and is made again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard

from clew.errors import StoreError
from clew.text.pagetext import NONE, PageText
from clew.text.shown import whole

VERSION = 1
"""Of the table. A file of another version is made anew."""

CHUNK = 256
LEVEL = 3
MOST_BYTES = 1 << 28
"""Bytes of a text that are unpacked; pages are bounded by limits.page_bytes."""

_SCHEMA = """
CREATE TABLE texts (number INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL, host TEXT NOT NULL,
  language TEXT NOT NULL, day INTEGER NOT NULL, date TEXT NOT NULL, author TEXT NOT NULL, kind TEXT NOT NULL,
  text BLOB NOT NULL);
CREATE TABLE counts (kind TEXT PRIMARY KEY, n INTEGER NOT NULL);
CREATE TABLE crawl (number INTEGER NOT NULL, seen INTEGER NOT NULL);
"""
_COLUMNS = "number, url, title, host, language, day, date, author, kind, text"


@dataclass(frozen=True, slots=True)
class TextRow:
    """The text of visit ``number``. ``day``: days since 1970 of the date that the page says, or else of its fetching;
    ``kind`` as in PageText."""

    number: int
    url: str
    title: str
    host: str
    language: str
    day: int
    date: str
    author: str
    kind: str
    text: str

    @property
    def page(self) -> PageText:
        """The same as PageText."""
        return PageText(self.text, self.kind, self.date, self.author)


class Texts:
    """The kept texts in ``path``, of crawl ``crawl`` of a project; those of another crawl or version are dropped.

    Raises StoreError when the file cannot be read or written. ``read_only``: nothing is made; without a file, or with
    one of another crawl, there are none.
    """

    def __init__(self, path: Path, crawl: int, *, read_only: bool = False) -> None:
        self.path = path
        self._packer = zstandard.ZstdCompressor(LEVEL)
        self._unpacker = zstandard.ZstdDecompressor()
        self._read_only = read_only
        self._connection: sqlite3.Connection | None = None
        try:
            self._open(crawl, read_only)
        except sqlite3.DatabaseError as error:
            raise self._error(error) from error

    def _open(self, crawl: int, read_only: bool) -> None:
        if self.path.is_file() and not self._fits(crawl):
            if read_only:
                return
            for ending in ("", "-wal", "-shm"):
                Path(f"{self.path}{ending}").unlink(missing_ok=True)
        if read_only and not self.path.is_file():
            return
        mode = "ro" if read_only else "rwc"
        uri = f"{self.path.resolve().as_uri()}?mode={mode}"
        self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10.0)
        if read_only:
            return
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA secure_delete = ON")
        if not self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT")
            self._connection.execute("INSERT INTO crawl VALUES (?, 0)", (crawl,))

    def _fits(self, crawl: int) -> bool:
        try:
            connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True)
        except sqlite3.Error:
            return False
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            return bool(version == VERSION and connection.execute("SELECT number FROM crawl").fetchone() == (crawl,))
        except sqlite3.DatabaseError:  # damaged: it is made anew
            return False
        finally:
            connection.close()

    def close(self) -> None:
        """Safe to call twice."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # -- reading ------------------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        """The highest visit number with a row, 0 for none."""
        found = self._rows("SELECT coalesce(max(number), 0) FROM texts")
        return int(found[0][0]) if found else 0

    @property
    def seen(self) -> int:
        """The visit up to which every page has a row."""
        found = self._rows("SELECT seen FROM crawl")
        return int(found[0][0]) if found else 0

    def counts(self) -> dict[str, int]:
        """How many rows there are of each kind."""
        return {str(kind): int(n) for kind, n in self._rows("SELECT kind, n FROM counts")}

    def many(self, numbers: Sequence[int]) -> dict[int, TextRow]:
        """Rows by visit number; those that are not kept are left out."""
        sql = f"SELECT {_COLUMNS} FROM texts WHERE number IN ({', '.join('?' * len(numbers))})"
        return {row[0]: self._row(row) for row in self._rows(sql, [int(number) for number in numbers])}

    def rows(self, after: int = 0) -> Iterator[TextRow]:
        """Rows of visits above ``after``, in order; memory holds a few hundred."""
        sql = f"SELECT {_COLUMNS} FROM texts WHERE number > ? ORDER BY number LIMIT ?"
        while rows := self._rows(sql, (after, CHUNK)):
            yield from map(self._row, rows)
            after = rows[-1][0]

    def _row(self, row: tuple) -> TextRow:  # type: ignore[type-arg]  # ten columns
        text = self._unpacker.decompress(row[9], MOST_BYTES).decode() if row[9] else ""
        return TextRow(*(*row[:9], text))

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple]:  # type: ignore[type-arg]  # of any columns
        if self._connection is None:
            return []
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._error(error) from error

    # -- writing ------------------------------------------------------------------------------------------

    def add(self, rows: Iterable[TextRow], seen: int) -> None:
        """Keep these rows, all of them or none; every page up to visit ``seen`` has one then."""
        kept = [self._values(row) for row in rows]
        counts = Counter(str(row[8]) for row in kept)
        with self._transaction() as connection:
            connection.executemany(f"INSERT INTO texts ({_COLUMNS}) VALUES ({', '.join('?' * 10)})", kept)
            connection.executemany(
                "INSERT INTO counts VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET n = n + excluded.n", counts.items()
            )
            connection.execute("UPDATE crawl SET seen = max(seen, ?)", (seen,))

    def _values(self, row: TextRow) -> tuple[object, ...]:
        """Texts that UTF-8 can hold: JSON on a page may say \\ud800."""
        facts = (row.url, row.title, row.host, row.language, row.day, row.date, row.author, row.kind)
        text = row.text.encode("utf-8", "replace")
        return row.number, *map(whole, facts), self._packer.compress(text) if text else b""

    def erase(self, matches: Callable[[str], bool]) -> int:
        """Overwrite the rows of URLs that match with nothing; returns how many. The file holds nothing of them."""
        rows = self._rows("SELECT number, url FROM texts")
        numbers = [(number,) for number, url in rows if url and matches(url)]
        if numbers:
            with self._transaction() as connection:
                connection.executemany(
                    "UPDATE texts SET url = '', title = '', host = '', date = '', author = '', kind = '', text = x''"
                    " WHERE number = ?",
                    numbers,
                )
                connection.execute("DELETE FROM counts")
                connection.execute("INSERT INTO counts SELECT kind, count(*) FROM texts WHERE kind <> '' GROUP BY kind")
            assert self._connection is not None
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(numbers)

    def clear(self) -> None:
        """Forget all of them."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM texts")
            connection.execute("DELETE FROM counts")
            connection.execute("UPDATE crawl SET seen = 0")

    def _transaction(self) -> _Group:
        if self._connection is None or self._read_only:
            raise StoreError(f"{self.path} was opened only for reading")
        return _Group(self._connection, self._error)

    def _error(self, error: Exception) -> StoreError:
        return StoreError(
            f"{self.path} cannot be read or written ({error}); it follows from the archive: delete its folder, and the"
            " next search makes it anew"
        )


class _Group:
    """One transaction: all of it, or nothing."""

    def __init__(self, connection: sqlite3.Connection, explain: Callable[[Exception], StoreError]) -> None:
        self.connection = connection
        self.explain = explain

    def __enter__(self) -> sqlite3.Connection:
        try:
            self.connection.execute("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:
            raise self.explain(error) from error
        return self.connection

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            self.connection.execute("ROLLBACK" if error is not None else "COMMIT")
        except sqlite3.DatabaseError as failure:
            raise self.explain(failure) from failure
        if isinstance(error, sqlite3.DatabaseError):
            raise self.explain(error) from error


def without_text(counts: dict[str, int]) -> int:
    """How many rows have no text."""
    return counts.get(NONE, 0)
