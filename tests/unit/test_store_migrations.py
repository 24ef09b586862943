"""Old, newer, foreign, damaged and full databases."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from math import isnan
from pathlib import Path

import msgspec
import numpy as np
import pytest

from clew.config import Settings
from clew.crawl.lastrun import last_run
from clew.errors import DiskFullError, ProjectError, StoreError
from clew.model import Decision, Leaves, LinkBatch, LinkKind, Links, Outcome, Source
from clew.store.records import RunRecord, SavedState, Selection
from clew.store.sqlite import SqliteStore, database, lists
from clew.store.sqlite.lock import Lock
from clew.store.sqlite.migrations import APPLICATION_ID, FIRST, MIGRATIONS, migrate, show

ROWS_OF_AN_OLDER_CRAWL = (
    "INSERT INTO hosts VALUES (0, 'old.example', 3, 1, 1, 12.5)",
    "INSERT INTO refused VALUES (-5, 'http://old.example/', 0, 1, 'refused', 'robots.txt', 7.0)",
    "INSERT INTO ledger VALUES ('ok', 9)",
)

THRESHOLD = 0.1 + 0.7
"""A number of which every bit must survive."""

CHECKPOINTS = (
    ("running", 2, 400, b"bingo"),
    ("running judge", 2, 380, b"svm"),
    ("running web", 2, 380, "sim:pages=1000 \u2013 \u00fc".encode()),
    ("running threshold", 2, 380, repr(THRESHOLD).encode()),
    ("archetypes", 1, 200, msgspec.msgpack.encode({0: (), 2: (9, 3, 5)})),
    ("strategy bingo", 2, 400, b"what bingo learned\x00"),
    ("strategy best-first", 1, 200, b""),
)
"""How the first version kept what ran, archetypes, and what strategies learned."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    store.close()


def raw(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


def user_version(path: Path) -> int:
    with raw(path) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def make_first_version(path: Path, checkpoints: Sequence[tuple[str, int, int, bytes]] = ()) -> None:
    """A database as the first release made it, with rows in it."""
    with raw(path) as connection:
        for statement in (*FIRST, *ROWS_OF_AN_OLDER_CRAWL):
            assert isinstance(statement, str)
            connection.execute(statement)
        connection.executemany("INSERT INTO checkpoints VALUES (?, ?, ?, ?)", checkpoints)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")


def tables(path: Path) -> list[str]:
    with raw(path) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def seeds(n: int, store: SqliteStore) -> tuple[LinkBatch, np.ndarray, np.ndarray]:
    links = Links(
        urls=tuple(f"http://a.example/{i}" for i in range(n)),
        keys=np.arange(n, dtype=np.uint64),
        host_names=("a.example",),
        host_index=np.zeros(n, np.int32),
        nofollow=np.zeros(n, np.bool_),
        kinds=(LinkKind.SEED,) * n,
        url_term_ids=np.random.default_rng(n).integers(0, 2**32, 3 * n, np.uint32),
        url_term_starts=np.arange(0, 3 * n + 1, 3, dtype=np.int32),
        anchors=(),
        spans=np.zeros((0, 3), np.int32),
    )
    none = np.zeros(n, np.float32)
    source = Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0)
    leaves = Leaves(np.empty(0, np.uint32), np.zeros(1, np.int32))
    batch = LinkBatch(source, links, leaves, none > 0, none.astype(np.int32), none, none)
    return batch, np.full(n, store.hosts.ids(["a.example"])[0], np.uint32), np.ones(n)


def test_a_new_file_gets_all_tables_and_the_newest_version(path: Path, store: SqliteStore) -> None:
    store.open()
    store.close()
    assert user_version(path) == len(MIGRATIONS)
    assert {"visits", "heads", "evidence", "hosts", "ledger", "runs", "states"} <= set(tables(path))
    with raw(path) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_an_empty_file_of_version_0_is_brought_up_to_date(path: Path, store: SqliteStore) -> None:
    path.touch()
    assert user_version(path) == 0
    store.open()
    assert store.visits.totals().visits == 0


def test_an_older_file_is_brought_up_to_date_and_keeps_its_rows(path: Path) -> None:
    make_first_version(path)
    later = (*MIGRATIONS, ("ALTER TABLE hosts ADD COLUMN ip TEXT NOT NULL DEFAULT 'none'", "CREATE TABLE more (x)"))
    with raw(path) as connection:
        assert migrate(connection, "crawl.db", later) == len(later) - 1
        assert connection.execute("SELECT name, ip FROM hosts").fetchall() == [("old.example", "none")]
        assert connection.execute("SELECT n FROM ledger").fetchall() == [(9,)]
        assert migrate(connection, "crawl.db", later) == 0
    assert user_version(path) == len(later)
    assert "more" in tables(path)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_the_first_release_opens(path: Path, store: SqliteStore, read_only: bool) -> None:
    make_first_version(path)
    store.open(read_only=read_only)
    assert store.journal.ledger() == {"ok": 9} and store.hosts.ready() == [(0, 12.5)]
    assert store.hosts.stats(store.hosts.ids(["old.example"]))[0].tolist() == [3.0]
    found = store.links.refusal(2**64 - 5)
    assert found is not None and found.reason == "robots.txt"
    assert store.journal.last_run() is None and store.journal.archetypes == {}
    assert user_version(path) == (1 if read_only else len(MIGRATIONS))


def test_lists_of_pages_read_the_index_alone(path: Path, store: SqliteStore) -> None:
    """SQLite says so itself; a plan that reads the rows takes seconds for a million pages."""
    store.open()
    store.close()
    which = Selection(True, frozenset((1,)), "a.example", "en")
    for selection in (Selection(), which):
        where, values = lists.condition(selection, ["a.example"])
        for order in lists.ORDERS.values():
            with raw(path) as connection:
                sql = f"EXPLAIN QUERY PLAN SELECT number FROM visits WHERE {where} ORDER BY {order} LIMIT 50"
                plan = " ".join(row[3] for row in connection.execute(sql, values))
            assert "visits USING COVERING INDEX visits_judged" in plan, plan
    for sql, some in ((lists.BY_TOPIC, ()), (lists.NEAR, (0.5, 5))):
        with raw(path) as connection:
            plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", some))
        assert "visits USING COVERING INDEX visits_judged" in plan, plan


@pytest.mark.parametrize("read_only", [False, True])
def test_checkpoints_of_the_first_release_become_runs_archetypes_and_states(
    path: Path, store: SqliteStore, read_only: bool
) -> None:
    make_first_version(path, CHECKPOINTS)
    for _ in range(2):
        store.open(read_only=read_only)
        assert store.journal.last_run() == RunRecord("bingo", "svm", "sim:pages=1000 \u2013 \u00fc", THRESHOLD)
        assert store.journal.archetypes == {0: (), 2: (9, 3, 5)}
        assert store.journal.saved("bingo") == SavedState(400, b"what bingo learned\x00")
        assert store.journal.saved("best-first") == SavedState(200, b"")
        assert store.journal.saved("apprentice") is None
        store.close()
    assert ("checkpoints" in tables(path)) == read_only == ("runs" not in tables(path))


def test_what_is_written_to_a_converted_file_stays(path: Path, store: SqliteStore) -> None:
    make_first_version(path, CHECKPOINTS)
    store.open()
    store.journal.begin_run(RunRecord("ariadne", "centroid", "live", 0.5))
    store.journal.save("bingo", 401, b"more")
    store.journal.archetypes = {1: (4,)}
    store.commit()
    store.close()
    store.open(read_only=True)
    assert store.journal.last_run() == RunRecord("ariadne", "centroid", "live", 0.5)
    assert store.journal.saved("bingo") == SavedState(401, b"more")
    assert store.journal.saved("best-first") == SavedState(200, b"")
    assert store.journal.archetypes == {1: (4,)}
    with raw(path) as connection:
        assert connection.execute("SELECT visit, strategy FROM runs").fetchall() == [(400, "bingo"), (0, "ariadne")]


def test_a_first_release_that_noted_only_the_strategy(path: Path, store: SqliteStore) -> None:
    make_first_version(path, CHECKPOINTS[:1])
    store.open()
    run = store.journal.last_run()
    assert run is not None and (run.strategy, run.judge, run.web) == ("bingo", "", "") and isnan(run.threshold)
    assert last_run(store, Settings()) == RunRecord("bingo", Settings().judge.name, "live", Settings().judge.threshold)


def test_an_older_file_is_read_while_an_older_clew_writes_it(path: Path, store: SqliteStore) -> None:
    make_first_version(path, CHECKPOINTS)
    lock = Lock(path)
    lock.take()
    with raw(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")  # as every crawl sets it
        store.open(read_only=True)
        assert store.journal.ledger() == {"ok": 9} and store.journal.saved("bingo") is not None
        connection.execute("UPDATE ledger SET n = 10")
        assert store.journal.ledger() == {"ok": 9}
        store.refresh()
        assert store.journal.ledger() == {"ok": 10} and store.journal.saved("bingo") is not None
        with pytest.raises(StoreError, match="only for reading"):
            store.journal.save("bingo", 1, b"")
    lock.free()
    assert user_version(path) == 1


@pytest.mark.parametrize("read_only", [False, True])
def test_checkpoints_that_cannot_be_converted_leave_the_file_as_it_was(
    path: Path, store: SqliteStore, read_only: bool
) -> None:
    make_first_version(path, [("archetypes", 1, 1, b"no MessagePack"), *CHECKPOINTS[:1]])
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"crawl\.db .*(as it was|cannot be converted)"):
        store.open(read_only=read_only)
    assert "runs" not in tables(path) and user_version(path) == 1
    if read_only:
        assert path.read_bytes() == before


def test_reading_an_older_file_brings_it_up_to_date_first(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first_version(path)
    later = (*MIGRATIONS, ("ALTER TABLE hosts ADD COLUMN ip TEXT",))  # no temporary table can stand in for that
    monkeypatch.setattr(database, "MIGRATIONS", later)
    monkeypatch.setattr(database, "migrate", lambda connection, name: migrate(connection, name, later))
    monkeypatch.setattr(database, "show", lambda connection, name: show(connection, name, later))
    monkeypatch.setattr(database, "check", lambda connection, name: None)
    store.open(read_only=True)
    assert store.journal.ledger() == {"ok": 9}
    assert user_version(path) == len(later)


def test_a_change_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    make_first_version(path)
    before = tables(path)
    bad = (*MIGRATIONS, ("CREATE TABLE more (x)", "INSERT INTO more VALUES (1)", "ALTER TABLE nowhere ADD COLUMN x"))
    with raw(path) as connection, pytest.raises(StoreError, match="as it was"):
        migrate(connection, "crawl.db", bad)
    assert tables(path) == before and user_version(path) == 1


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_a_newer_clew_is_refused_unharmed(path: Path, store: SqliteStore, read_only: bool) -> None:
    make_first_version(path)
    with raw(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"crawl\.db was made by a newer Clew"):
        store.open(read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_of_another_program_is_refused_unharmed(path: Path, store: SqliteStore, read_only: bool) -> None:
    with raw(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        store.open(read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_refused_unharmed(path: Path, store: SqliteStore, read_only: bool) -> None:
    path.write_bytes(b"This is no database at all. " * 300)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"crawl\.db is damaged .* crawl anew"):
        store.open(read_only=read_only)
    assert path.read_bytes() == before
    with pytest.raises(StoreError, match="is damaged"):  # and it did not stay locked
        store.open()


def test_damage_found_later_names_the_file(path: Path, store: SqliteStore) -> None:
    store.open()
    for tag in range(40):
        store.links.add_seeds(*seeds(300 + tag, store))
    store.commit()
    store.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096 * 40)  # behind the roots of tables and indexes, which opening reads
        file.write(bytes(size - 4096 * 41))
    store.open()
    with pytest.raises(StoreError, match=r"crawl\.db is damaged"):
        for _ in store.links.batches():
            pass


def test_a_damaged_packed_row_names_file_and_row(path: Path, store: SqliteStore) -> None:
    store.open()
    store.links.add_seeds(*seeds(3, store))
    store.commit()
    store.close()
    with raw(path) as connection:
        connection.execute("UPDATE evidence SET data = substr(data, 1, 20)")
    store.open()
    with pytest.raises(StoreError, match=r"crawl\.db, row 0: link evidence is damaged"):
        store.links.batch(0)


def fill_up(store: SqliteStore) -> None:
    """A group that is larger than the file may become."""
    store.open()
    store.links.add_seeds(*seeds(3, store))
    store.commit()
    store._transaction.database._connection.execute("PRAGMA max_page_count = 60")
    store.journal.add_decision(Decision("written late"))
    for tag in range(60):
        store.links.add_seeds(*seeds(2000 + tag, store))
    for _ in range(2):
        with pytest.raises(DiskFullError, match=r"crawl\.db cannot be written: the disk is full"):
            store.commit()
    store.journal.count("ok", 1)


def test_a_disk_that_is_full_undoes_the_group(path: Path, store: SqliteStore) -> None:
    fill_up(store)
    store.close()
    store.open()
    assert [row for row, *_ in store.links.rows()] == [0]
    assert list(store.journal.decisions()) == []
    store.links.refuse(1, "http://a.example/", row=0, index=0, outcome=Outcome.ABSENT, reason="", at=0.0)
    store.commit()


def test_what_a_full_disk_undid_is_written_when_there_is_room(path: Path, store: SqliteStore) -> None:
    fill_up(store)
    store._transaction.database._connection.execute("PRAGMA max_page_count = 1000000")
    store.commit()
    store.close()
    store.open()
    assert [row for row, *_ in store.links.rows()] == [-row for row in range(61)]
    assert [one.decision.kind for one in store.journal.decisions()] == ["written late"]
    assert store.journal.ledger() == {"ok": 1}


def test_a_row_that_is_refused_undoes_the_whole_group(path: Path, store: SqliteStore) -> None:
    store.open()
    store.close()
    with raw(path) as connection:
        connection.execute(
            "CREATE TRIGGER never BEFORE INSERT ON decisions BEGIN SELECT raise(ABORT, 'none of those'); END"
        )
    store.open()
    store.links.add_seeds(*seeds(3, store))
    store.journal.add_decision(Decision("unwanted"))
    with pytest.raises(StoreError, match="none of those"):
        store.commit()
    with pytest.raises(StoreError, match="none of those"):
        store.links.add_seeds(*seeds(3, store))
    store.close()
    store.open()
    assert list(store.links.rows()) == [] and store.hosts.ids(["b.example"])[0] == 0


def test_a_missing_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="clew init"):
        SqliteStore(tmp_path / "nowhere" / "crawl.db").open()


def test_paths_with_odd_characters_open(tmp_path: Path) -> None:
    folder = tmp_path / "a b?c#d%20é"
    folder.mkdir()
    for read_only in (False, True):
        store = SqliteStore(folder / "crawl.db")
        store.open(read_only=read_only)
        assert store.visits.totals().visits == 0
        store.close()
    assert (folder / "crawl.db").is_file()


def test_the_command_line_tool_can_read_what_we_write(path: Path, store: SqliteStore) -> None:
    store.open()
    store.links.add_seeds(*seeds(3, store))
    store.commit()
    try:
        done = subprocess.run(
            ["sqlite3", "-readonly", str(path), "SELECT n FROM heads"], capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        pytest.skip("the sqlite3 command is not installed")
    assert done.stdout.strip() == "3"
