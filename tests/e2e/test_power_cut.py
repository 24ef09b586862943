"""What a power cut leaves: the last blocks of database or archive cut off or zeroed, at many places."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from test_kill import read_archives

from clew.cli.main import execute
from support import PATIENCE_S, init_plain

PAGES, MORE = 40, 20


def clew(*arguments: object, code: int = 0) -> str:
    """Run a command in this process, which starts quicker; what it prints."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="utf-8", write_through=True) as out:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            assert execute([str(one) for one in arguments]) == code, raw.getvalue().decode()
        return raw.getvalue().decode()


def exported(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in clew("export", project, "--all").splitlines()]


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose crawl was killed, so that it has a write-ahead log."""
    folder = tmp_path_factory.mktemp("dead") / "p"
    init_plain(folder, "--web", "sim:pages=2000,seed=11")
    toml = folder / "clew.toml"
    toml.write_text(toml.read_text().replace("[crawl]", "[crawl]\ncommit_pages = 10"), encoding="utf-8")
    command = [sys.executable, "-m", "clew.cli", "crawl", str(folder), "--quiet"]
    wal = folder / "crawl.db-wal"
    with subprocess.Popen(command) as process:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError):
                if wal.stat().st_size > 600_000:
                    break
            time.sleep(0.02)
        process.kill()
    assert wal.stat().st_size > 100_000
    return folder


def damage(file: Path, cut: int, how: str) -> None:
    """The last ``cut`` bytes are gone, or zeros."""
    size = file.stat().st_size
    with file.open("r+b") as stream:
        stream.truncate(max(size - cut, 0))
        if how == "zeroed":
            stream.truncate(size)


def cuts(size: int, count: int) -> list[int]:
    rng = random.Random(7)
    return [4096, *(rng.randrange(1, size) for _ in range(count))]


def check_goes_on(project: Path, least: int) -> str:
    """The next run opens it and goes on; database and archive agree."""
    said = clew("crawl", project, "--max-pages", max(least, PAGES) + MORE, "--quiet")
    rows = exported(project)
    assert len(rows) >= least
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    archived = Counter(read_archives(project))
    assert set(archived) == {row["url"] for row in rows if row["warc_file"]}
    assert max(archived.values()) == 1
    return said


@pytest.mark.parametrize("how", ["cut", "zeroed"])
def test_the_end_of_the_write_ahead_log(dead: Path, tmp_path: Path, how: str) -> None:
    """Whole groups are undone, as SQLite promises; their pages are fetched again."""
    for number, cut in enumerate(cuts((dead / "crawl.db-wal").stat().st_size, 2)):
        project = Path(shutil.copytree(dead, tmp_path / str(number)))
        (project / "crawl.db-shm").unlink(missing_ok=True)
        damage(project / "crawl.db-wal", cut, how)
        check_goes_on(project, 0)


@pytest.mark.parametrize("how", ["cut", "zeroed"])
def test_the_end_of_the_archive(dead: Path, tmp_path: Path, how: str) -> None:
    """No visit is lost; pages without records are told, and point nowhere."""
    (file,) = (dead / "archive").glob("*.warc.gz")
    for number, cut in enumerate(cuts(min(file.stat().st_size - 2_000, 60_000), 2)):
        project = Path(shutil.copytree(dead, tmp_path / str(number)))
        before = exported(project)
        committed = max(row["warc_offset"] for row in before)
        archive = project / "archive" / file.name
        os.truncate(archive, committed + 300)  # nothing uncommitted is behind it
        damage(archive, cut, how)
        said = check_goes_on(project, len(before))
        assert "lost its end, as after a power cut" in said
        assert str(archive) in said
        after = exported(project)[: len(before)]
        assert [row["url"] for row in after] == [row["url"] for row in before], "no committed visit is lost"


def test_the_end_of_the_database(dead: Path, tmp_path: Path) -> None:
    """SQLite does not let this happen where the disk keeps its promises; if it does, it is said in words."""
    project = Path(shutil.copytree(dead, tmp_path / "p"))
    clew("crawl", project, "--max-pages", 100, "--quiet")
    size = (project / "crawl.db").stat().st_size
    for number, cut in enumerate(cuts(size, 2)):
        copy = Path(shutil.copytree(project, tmp_path / str(number)))
        damage(copy / "crawl.db", cut, "cut")
        raw = io.StringIO()
        with contextlib.redirect_stdout(raw), contextlib.redirect_stderr(raw):
            code = execute(["crawl", str(copy), "--max-pages", "110", "--quiet"])
        assert code == 0 or (code == 1 and "crawl.db is damaged" in raw.getvalue()), raw.getvalue()
        assert "a fault in Clew" not in raw.getvalue()
