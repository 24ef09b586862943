"""The tables of a crawl database, as the ordered list of changes that made them. ``PRAGMA user_version`` says how
many of them a file has had. A change that was released is never edited; a new one goes to the end of the list."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from clew.errors import StoreError

APPLICATION_ID = 0x436C_6577
"""Marks a SQLite file as a crawl database ("Clew")."""

Migration = tuple[str, ...]
"""SQL statements, run in one transaction together with the new version number."""

# Keys are unsigned 64-bit hashes kept as signed integers (``schema.signed``). Heads and evidence lie in tables of
# their own, so that rebuilding a frontier reads 16 bytes a link and nothing else; ``ord`` is the order they were added.
FIRST: Migration = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, visits INTEGER NOT NULL,"
    " relevant INTEGER NOT NULL, failures INTEGER NOT NULL, ready_at REAL NOT NULL)",
    "CREATE TABLE visits (number INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, url TEXT NOT NULL,"
    " host INTEGER NOT NULL, status INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL,"
    " row INTEGER NOT NULL, link_index INTEGER NOT NULL, kind TEXT NOT NULL, score REAL, depth INTEGER NOT NULL,"
    " hops INTEGER NOT NULL, tunnel INTEGER NOT NULL, relevance REAL NOT NULL, relevant INTEGER NOT NULL,"
    " topic INTEGER, confidence REAL, title TEXT NOT NULL, language TEXT NOT NULL, content_type TEXT NOT NULL,"
    " charset TEXT NOT NULL, canonical TEXT NOT NULL, digest TEXT NOT NULL, bytes INTEGER NOT NULL,"
    " fetched_at REAL NOT NULL, elapsed_s REAL NOT NULL, attempt INTEGER NOT NULL, requests INTEGER NOT NULL,"
    " noindex INTEGER NOT NULL, from_cache INTEGER NOT NULL, location TEXT NOT NULL, warc_file TEXT NOT NULL,"
    " warc_offset INTEGER NOT NULL, topic_scores BLOB)",
    "CREATE TABLE heads (ord INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, n INTEGER NOT NULL,"
    " heads BLOB NOT NULL, scores BLOB NOT NULL)",
    "CREATE TABLE evidence (row INTEGER PRIMARY KEY, source BLOB NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE refused (key INTEGER PRIMARY KEY, url TEXT NOT NULL, row INTEGER NOT NULL,"
    " link_index INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL)",
    "CREATE TABLE retries (key INTEGER PRIMARY KEY, attempts INTEGER NOT NULL, reason TEXT NOT NULL,"
    " ready_at REAL NOT NULL)",
    "CREATE TABLE sessions (number INTEGER PRIMARY KEY, first_visit INTEGER NOT NULL, last_visit INTEGER NOT NULL,"
    " fetched INTEGER NOT NULL, relevant INTEGER NOT NULL, fetched_total INTEGER NOT NULL,"
    " relevant_total INTEGER NOT NULL, best_waiting REAL, rescored INTEGER NOT NULL, at REAL NOT NULL)",
    "CREATE TABLE decisions (id INTEGER PRIMARY KEY, at REAL NOT NULL, session INTEGER NOT NULL,"
    " visit INTEGER NOT NULL, kind TEXT NOT NULL, facts TEXT NOT NULL)",
    "CREATE TABLE checkpoints (name TEXT PRIMARY KEY, session INTEGER NOT NULL, visit INTEGER NOT NULL,"
    " state BLOB NOT NULL)",
    "CREATE TABLE ledger (kind TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE examples (id INTEGER PRIMARY KEY, line TEXT NOT NULL, topic INTEGER NOT NULL, facts TEXT NOT NULL,"
    " body BLOB NOT NULL, UNIQUE (line, topic))",
)

MIGRATIONS: tuple[Migration, ...] = (FIRST,)


def version(connection: sqlite3.Connection) -> int:
    """How many migrations a file has had."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check(connection: sqlite3.Connection, name: str, newest: int = len(MIGRATIONS)) -> None:
    """Raise StoreError when a file is no crawl database, or made by a newer Clew."""
    found = version(connection)
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and not empty:
        raise StoreError(f"{name} is a database of another program; move it away, or choose another project folder")
    if found > newest:
        raise StoreError(
            f"{name} was made by a newer Clew (its format is {found}, this one knows up to {newest}): upgrade Clew"
        )


def migrate(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring a file up to date, all in one transaction; returns how many changes it took.

    Raises StoreError, leaving the file as it was, when one fails or ``check`` does.
    """
    check(connection, name, len(migrations))
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = version(connection)
        for statements in migrations[before:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise StoreError(f"{name} could not be brought up to date ({error}); it is as it was") from error
    return len(migrations) - before
