"""The tables of a crawl database, as the ordered list of changes that made them. ``PRAGMA user_version`` says how
many of them a file has had. A change that was released is never edited; a new one goes to the end of the list."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence

import msgspec

from clew.errors import StoreError, VersionError

APPLICATION_ID = 0x436C_6577
"""Marks a SQLite file as a crawl database ("Clew")."""

Step = str | Callable[[sqlite3.Connection], None]
Migration = tuple[Step, ...]
"""SQL statements, and functions for what SQL cannot say, run in one transaction together with the new version number.

Every step names tables without their schema, so that ``show`` can run it for temporary ones.
"""

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

_decode_archetypes = msgspec.msgpack.Decoder(dict[int, tuple[int, ...]]).decode


def _convert_checkpoints(connection: sqlite3.Connection) -> None:
    """What the first version kept as checkpoints of fixed names: the last run, and archetypes as MessagePack."""
    saved = {
        name: (visit, bytes(state))
        for name, visit, state in connection.execute(
            "SELECT name, visit, state FROM checkpoints WHERE name IN"
            " ('running', 'running judge', 'running web', 'running threshold', 'archetypes')"
        )
    }
    archetypes = saved.pop("archetypes", None)
    if archetypes is not None:
        rows = [(topic, json.dumps(visits)) for topic, visits in _decode_archetypes(archetypes[1]).items()]
        connection.executemany("INSERT INTO archetypes VALUES (?, ?)", rows)
    if saved:

        def text(name: str, otherwise: str = "") -> str:
            return saved[name][1].decode() if name in saved else otherwise

        visit = max(visit for visit, _ in saved.values())
        values = (visit, text("running"), text("running judge"), text("running web"))
        threshold = float(text("running threshold", "nan"))  # by Python, which reads what it wrote to the last bit
        connection.execute("INSERT INTO runs VALUES (1, ?, ?, ?, ?, ?)", (*values, threshold))


# ``runs.visit``: the visits made before that run. ``archetypes.visits``: a JSON list of visit numbers.
RUNS: Migration = (
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, visit INTEGER NOT NULL, strategy TEXT NOT NULL,"
    " judge TEXT NOT NULL, web TEXT NOT NULL, threshold REAL)",
    "CREATE TABLE archetypes (topic INTEGER PRIMARY KEY, visits TEXT NOT NULL)",
    "CREATE TABLE states (strategy TEXT PRIMARY KEY, visit INTEGER NOT NULL, state BLOB NOT NULL)",
    "INSERT INTO states SELECT substr(name, length('strategy ') + 1), visit, state FROM checkpoints"
    " WHERE name GLOB 'strategy ?*'",
    _convert_checkpoints,
    "DROP TABLE checkpoints",
)

# ``prints``: a row a page: its fingerprint, the visit whose page it repeats (0: none), whether it brought nothing new.
# ``spent.fetches``: requests sent to a host for pages, whatever came of them. ``silent.reason``: why a host did not
# answer when it was asked last; empty when it did again. ``documents``: a row a document that inherits: where the link
# lies, the visit of the best page that links to it, and what it has from there; ``title``: what the link reads.
PRINTS: Migration = (
    "CREATE TABLE prints (visit INTEGER PRIMARY KEY, content INTEGER NOT NULL, text INTEGER NOT NULL,"
    " body INTEGER NOT NULL, near INTEGER NOT NULL, title INTEGER NOT NULL, terms INTEGER NOT NULL,"
    " duplicate_of INTEGER NOT NULL, barren INTEGER NOT NULL)",
    "CREATE TABLE spent (host INTEGER PRIMARY KEY, fetches INTEGER NOT NULL)",
    "INSERT INTO spent SELECT host, sum(attempt + 1) FROM visits GROUP BY host",
    "CREATE TABLE silent (host INTEGER PRIMARY KEY, reason TEXT NOT NULL)",
    "CREATE TABLE documents (key INTEGER PRIMARY KEY, url TEXT NOT NULL, row INTEGER NOT NULL,"
    " link_index INTEGER NOT NULL, parent INTEGER NOT NULL, title TEXT NOT NULL, relevance REAL NOT NULL,"
    " relevant INTEGER NOT NULL, topic INTEGER NOT NULL, listed INTEGER NOT NULL)",
)

# What lists of pages are filtered and ordered by, so that a million pages are listed without reading their rows.
LISTS: Migration = (
    "CREATE INDEX visits_judged ON visits (relevant, relevance DESC, number, topic, host, language)"
    " WHERE topic IS NOT NULL",
)

MIGRATIONS: tuple[Migration, ...] = (FIRST, RUNS, PRINTS, LISTS)


SHOWABLE = ("CREATE TABLE ", "CREATE INDEX ", "INSERT ", "DROP ")
"""How the changes begin that ``show`` can make for one connection alone."""


def version(connection: sqlite3.Connection) -> int:
    """How many migrations a file has had."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check(connection: sqlite3.Connection, name: str, newest: int = len(MIGRATIONS)) -> None:
    """Raise VersionError when a file is no crawl database, or made by a newer Clew."""
    found = version(connection)
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and not empty:
        raise VersionError(f"{name} is a database of another program; move it away, or choose another project folder")
    if found > newest:
        raise VersionError(
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
        for step in _steps(migrations[before:]):
            _run(connection, step)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except (sqlite3.Error, msgspec.MsgspecError, ValueError) as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise StoreError(f"{name} could not be brought up to date ({error}); it is as it was") from error
    return len(migrations) - before


def show(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration] = MIGRATIONS) -> bool:
    """Let an older file look up to date to this connection alone: new tables are temporary, the file stays as it is;
    indexes, which only save time, are left out.

    False, with nothing done, when a change alters tables of the file: then it must be brought up to date. Raises
    StoreError when what is in the file cannot be converted.
    """
    steps = _steps(migrations[version(connection) :])
    texts = [step for step in steps if isinstance(step, str)]
    if not version(connection) or not all(text.startswith(SHOWABLE) for text in texts):
        return False
    try:
        for step in steps:
            if not isinstance(step, str):
                step(connection)
            elif not step.startswith(("DROP ", "CREATE INDEX ")):
                connection.execute(step.replace("CREATE TABLE ", "CREATE TEMP TABLE ", 1))
    except (sqlite3.Error, msgspec.MsgspecError, ValueError) as error:
        raise StoreError(f"{name} was made by an older Clew and cannot be converted ({error})") from error
    return True


def _steps(migrations: Sequence[Migration]) -> list[Step]:
    return [step for migration in migrations for step in migration]


def _run(connection: sqlite3.Connection, step: Step) -> None:
    if isinstance(step, str):
        connection.execute(step)
    else:
        step(connection)
