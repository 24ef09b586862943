"""A full disk and limits on files: the crawl says so, waits, goes on when there is room, and loses nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from test_kill import read_archives

from support import PATIENCE_S, clew, clew_json, exported, init_plain

SIM = "sim:pages=3000,seed=11"


def project(folder: Path, settings: str = "") -> Path:
    init_plain(folder, "--web", SIM)
    toml = folder / "clew.toml"
    text = toml.read_text(encoding="utf-8").replace("[crawl]", "[crawl]\ncommit_pages = 10")
    toml.write_text(f"{text}\n[store]\n{settings}\n", encoding="utf-8")
    return folder


def check_whole(folder: Path, pages: int) -> None:
    """Every page of the crawl is in database and archive exactly once."""
    rows = exported(folder, "--all")
    assert len(rows) >= pages * 0.9
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    archived = Counter(read_archives(folder))
    assert set(archived) == {row["url"] for row in rows if row["status"]}
    assert max(archived.values()) == 1


def test_a_limit_on_the_size_of_files_is_told_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """Report 30: ulimit -f 200; clew crawl."""
    folder = project(tmp_path / "p", "wait_for_room_s = 0.0")
    command = f"ulimit -f 600; exec {sys.executable} -m clew.cli crawl {folder} --max-pages 300 --quiet"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 1, done.stderr
    assert "the file has reached the largest size allowed here (ulimit -f)" in done.stderr
    assert str(folder) in done.stderr
    assert "a fault in Clew" not in done.stderr
    assert clew_json("crawl", folder, "--max-pages", 300, "--quiet")["fetched"] == 300
    check_whole(folder, 300)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 12 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def fill(disk: Path, left: int) -> Path:
    """Take all room but ``left`` bytes."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as out:
        try:
            while out.write(bytes(65_536)) == 65_536:
                pass
        except OSError:
            pass
        out.truncate(max(out.tell() - left, 0))
    return filler


def until_said(stream: IO[str], words: str) -> list[str]:
    said = []
    for line in stream:
        said.append(line)
        if words in line:
            return said
    raise AssertionError(f"{words!r} was never said: {said}")


def test_a_full_disk_is_waited_out(small_disk: Path) -> None:
    folder = project(small_disk / "p")
    clew("crawl", folder, "--max-pages", 50, "--quiet")
    filler = fill(small_disk, 300_000)
    command = [sys.executable, "-m", "clew.cli", "crawl", str(folder), "--max-pages", "300", "--quiet", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = until_said(process.stderr, "waits up to")
        assert "the disk is full" in said[-1]
        time.sleep(1.5)  # it tries again in vain meanwhile
        assert process.poll() is None
        filler.unlink()
        until_said(process.stderr, "there is room again")
        assert process.wait(PATIENCE_S) == 0
    check_whole(folder, 300)


def test_after_a_while_it_ends_with_the_reason_and_can_be_resumed(small_disk: Path) -> None:
    folder = project(small_disk / "p", "wait_for_room_s = 1.5")
    clew("crawl", folder, "--max-pages", 50, "--quiet")
    filler = fill(small_disk, 300_000)
    started = time.monotonic()
    done = clew("crawl", folder, "--max-pages", 300, "--quiet", code=1)
    assert time.monotonic() - started > 1.5
    assert "waits up to 1.5 s" in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert "cannot be written: the disk is full" in last
    assert str(folder) in last
    filler.unlink()
    assert clew_json("crawl", folder, "--max-pages", 300, "--quiet")["fetched"] == 300
    check_whole(folder, 300)
