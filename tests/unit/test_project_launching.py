"""Crawls as processes of their own: their command line, and who writes to a database."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from clew.errors import ProjectError
from clew.project.assembly import CrawlOptions
from clew.project.launching import Launcher, command
from clew.store.sqlite import SqliteStore
from clew.store.sqlite.lock import Lock, owner
from support import PATIENCE_S, init_plain, write_project


def test_the_command_line_gives_what_was_said() -> None:
    said = command(Path("/p q"), CrawlOptions(max_pages=7, run_s=90.5, strategy="x", judge="-v"))
    assert said[1:4] == ["-m", "clew.cli", "crawl"]
    assert said[4:] == ["--quiet", "--log=/p q/crawl.log", "--max-pages=7", "--for=90.500000s", "--strategy=x",
                        "--judge=-v", "--", "/p q"]  # fmt: skip
    assert command(Path("/p"), CrawlOptions())[4:] == ["--quiet", "--log=/p/crawl.log", "--", "/p"]


def test_a_crawl_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "p", [], settings='[project]\nweb = "sim:pages=500"\n')
    launcher = Launcher(folder)
    with pytest.raises(ProjectError, match=r"the crawl did not start: .*does not say what is wanted"):
        launcher.start(CrawlOptions(), lambda: False, PATIENCE_S)
    assert launcher.pid == 0
    assert "does not say what is wanted" in launcher.failure


def test_a_crawl_that_takes_long_to_listen_goes_on_and_is_alone(tmp_path: Path) -> None:
    folder = init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3")
    launcher = Launcher(folder)
    assert launcher.start(CrawlOptions(max_pages=3), lambda: False, wait_s=0.0)
    pid = launcher.pid
    assert pid
    with pytest.raises(ProjectError, match="runs already"):
        launcher.start(CrawlOptions(), lambda: False)
    child = launcher._child
    assert child is not None and child.wait(PATIENCE_S) == 0
    assert (launcher.pid, launcher.failure) == (0, "")
    log = (folder / "crawl.log").read_text(encoding="utf-8")
    assert "3 fetched" in log


def test_a_killed_crawl_says_so(tmp_path: Path) -> None:
    launcher = Launcher(init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3"))
    assert launcher.start(CrawlOptions(), lambda: False, wait_s=0.0)
    child = launcher._child
    assert child is not None
    child.kill()
    child.wait(PATIENCE_S)
    assert launcher.failure.startswith("it was killed by signal 9")


def test_who_writes_a_database_is_known_and_not_disturbed(tmp_path: Path) -> None:
    database = tmp_path / "crawl.db"
    assert owner(database) == 0
    store = SqliteStore(database)
    store.open()
    assert owner(database) == os.getpid()
    store.close()
    assert owner(database) == 0
    Path(f"{database}.lock").write_text("not a number", encoding="utf-8")
    lock = Lock(database)
    lock.take()
    assert owner(database) == os.getpid()
    lock.free()


def test_a_lock_that_is_only_looked_at_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks has it for an instant; the lock waits for that before it says that it is taken."""
    database = tmp_path / "crawl.db"
    looking = os.open(f"{database}.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)
    monkeypatch.setattr("clew.store.sqlite.lock.time.sleep", lambda _: os.close(looking))
    lock = Lock(database)
    lock.take()
    assert owner(database) == os.getpid()
    lock.free()


def test_a_lock_that_stays_taken_names_who_has_it(tmp_path: Path) -> None:
    first, second = Lock(tmp_path / "crawl.db"), Lock(tmp_path / "crawl.db")
    first.take()
    with pytest.raises(ProjectError, match=f"in use by process {os.getpid()}"):
        second.take()
    first.free()
    second.take()
    second.free()
