"""SIGKILL at any moment: every page once, none lost, archives readable, the simulated order unchanged."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from clew.web.simulated import demo_web
from clew.web.simulated.server import DemoServer
from support import PATIENCE_S, clew, clew_json, exported

KILLS = 5
"""Of each crawl; benchmarks/kills.py kills two hundred times."""

HOSTS_AT_ONCE = 8
SIM = "sim:pages=5000,seed=11"


def start(project: Path, pages: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "clew.cli", "crawl", str(project), "--max-pages", str(pages), "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_again_and_again(project: Path, pages: int, rng: random.Random) -> int:
    """Kill the crawl at random moments of its work; returns how many kills hit a running crawl."""
    hits = 0
    for _ in range(KILLS):
        process = start(project, pages)
        wait_for_work(project, process)
        time.sleep(rng.uniform(0.0, 0.5))
        hits += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    return hits


def wait_for_work(project: Path, process: subprocess.Popen[bytes]) -> None:
    """Until the crawl writes: the start-up alone would leave nothing to kill."""
    marks = [project / "crawl.db-wal", project / "crawl.db"]
    before = [mark.stat().st_mtime_ns if mark.exists() else 0 for mark in marks]
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        if [mark.stat().st_mtime_ns if mark.exists() else 0 for mark in marks] != before:
            return
        time.sleep(0.01)


def served_project(folder: Path, server: DemoServer) -> Path:
    demo = demo_web(3, server.port)
    folder.mkdir()
    for name, lines in (("seeds", demo.seeds), ("relevant", demo.relevant), ("irrelevant", demo.irrelevant)):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    resolve = "\n".join(f'"{name}" = "{address}"' for name, address in server.resolve().items())
    (folder / "clew.toml").write_text(
        '[judge]\nname = "naive-bayes"\n[strategy]\nname = "best-first"\n'
        f'[crawl]\ncontact = "test@example.org"\nhosts_at_once = {HOSTS_AT_ONCE}\ncommit_pages = 10\n'
        "[politeness]\ndelay_s = 0.02\nadaptive = 0.0\nmax_delay_s = 0.1\n"
        f"[web.live]\nallow_private = true\n[web.live.resolve]\n{resolve}\n",
        encoding="utf-8",
    )
    return folder


def read_archives(project: Path) -> list[str]:
    """The URLs of all response records; raises when a file cannot be read to its end."""
    urls = []
    for path in sorted((project / "archive").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type in ("response", "revisit"):
                    urls.append(record.rec_headers.get_header("WARC-Target-URI"))
    return urls


@pytest.mark.timeout(4 * PATIENCE_S)
def test_a_served_crawl_survives_kills(tmp_path: Path) -> None:
    pages = 500
    with DemoServer(demo_web(3).web, log_file=tmp_path / "log") as server:
        project = served_project(tmp_path / "p", server)
        hits = kill_again_and_again(project, pages, random.Random(5))
        result = clew_json("crawl", project, "--max-pages", pages, "--quiet")
        log = server.log
    rows = exported(project, "--all")
    assert hits >= KILLS // 2, "the kills must hit running crawls"
    assert result["fetched"] == pages
    # every page was stored exactly once
    urls = [row["url"] for row in rows]
    assert len(urls) == len(set(urls))
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    # no page was lost: each is in the archive exactly once too
    archived = Counter(read_archives(project))
    assert {row["url"] for row in rows if row["status"]} == set(archived)
    assert max(archived.values()) == 1
    # the server saw at most what was in flight or uncommitted twice
    asked = Counter((access.host, access.path) for access in log if access.path != "/robots.txt")
    again = sum(count - 1 for count in asked.values())
    in_flight = HOSTS_AT_ONCE + 10 + HOSTS_AT_ONCE
    assert again <= (KILLS + 1) * in_flight + len(demo_web(3).relevant) + len(demo_web(3).irrelevant)


@pytest.mark.timeout(4 * PATIENCE_S)
def test_a_simulated_crawl_goes_on_as_if_nothing_happened(tmp_path: Path) -> None:
    pages = 400
    for name in ("undisturbed", "killed"):
        clew("init", tmp_path / name, "--web", SIM)
        toml = tmp_path / name / "clew.toml"
        toml.write_text(toml.read_text().replace("[crawl]", "[crawl]\ncommit_pages = 10"), encoding="utf-8")
    clew("crawl", tmp_path / "undisturbed", "--max-pages", pages, "--quiet")
    hits = kill_again_and_again(tmp_path / "killed", pages, random.Random(6))
    last = json.loads(clew("crawl", tmp_path / "killed", "--max-pages", pages, "--json").stdout.splitlines()[-1])
    assert hits >= 3, "the kills must hit running crawls"
    assert last["fetched"] == pages
    one, other = (exported(tmp_path / name, "--all") for name in ("undisturbed", "killed"))
    drop = ("warc_file", "warc_offset")
    assert [{k: v for k, v in row.items() if k not in drop} for row in one] == [
        {k: v for k, v in row.items() if k not in drop} for row in other
    ]
    assert sorted(read_archives(tmp_path / "undisturbed")) == sorted(read_archives(tmp_path / "killed"))
