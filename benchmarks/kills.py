"""Kill a crawl with SIGKILL at random instants, again and again, and count what was lost: python -m benchmarks.kills

A small web is served over HTTP on loopback addresses. The crawl is started, killed at a random instant (one time in
eight of its start, else of its work), and started again, as often as asked for; then it is left to end. Lost: pages
that the database counts but the archive does not hold, or the other way round, or numbers that are missing. Twice:
URLs that database or archive hold twice. Asked again: requests for a page beyond the first, which is what was under
way or not committed when it died.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from clew.project.project import Project
from clew.web.simulated import demo_web
from clew.web.simulated.server import DemoServer

SEED = 3
LONGEST_S = 0.5
"""A crawl works at most so long before it is killed."""

START_S = 120.0
"""It is given so long to begin."""


@dataclass(frozen=True, slots=True)
class Result:
    """What the kills did."""

    kills: int
    while_running: int
    pages: int
    lost: int
    twice: int
    asked_again: int
    seconds: float


def make_project(folder: Path, server: DemoServer) -> Path:
    """A project whose web is the server's."""
    demo = demo_web(SEED, server.port)
    folder.mkdir()
    for name, lines in (("seeds", demo.seeds), ("relevant", demo.relevant), ("irrelevant", demo.irrelevant)):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    resolve = "\n".join(f'"{name}" = "{address}"' for name, address in server.resolve().items())
    (folder / "clew.toml").write_text(
        '[crawl]\ncontact = "kills@example.org"\nhosts_at_once = 8\ncommit_pages = 10\nworkers = 1\n'
        "[politeness]\ndelay_s = 0.02\nadaptive = 0.0\nmax_delay_s = 0.1\n"
        f"[web.live]\nallow_private = true\n[web.live.resolve]\n{resolve}\n",
        encoding="utf-8",
    )
    return folder


def start(project: Path, pages: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "clew.cli", "crawl", str(project), "--max-pages", str(pages), "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_work(project: Path, process: subprocess.Popen[bytes]) -> None:
    """Until the crawl writes pages."""
    folder = project / "archive"

    def sizes() -> list[int]:
        return sorted(path.stat().st_size for path in folder.glob("*")) if folder.is_dir() else []

    before, deadline = sizes(), time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None and sum(sizes()) <= sum(before) + 20_000:
        time.sleep(0.01)


def visits(project: Path) -> list[tuple[int, str, int]]:
    """(number, URL, status) of every visit."""
    if not (project / "crawl.db").is_file():
        return []
    store = Project(project).open_store(read_only=True)
    try:
        return [(row.number, row.url, row.status) for row in store.visits.rows()]
    finally:
        store.close()


def archived(project: Path) -> Counter[str]:
    """How often each URL has a response record; raises where a file cannot be read to its end."""
    found: Counter[str] = Counter()
    for path in sorted((project / "archive").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=False):
                found[record.headers["WARC-Target-URI"]] += record.consume() >= 0
    return found


def run(folder: Path, kills: int, pages: int, seed: int, tell: bool = True) -> Result:
    """Kill, end, count."""
    rng, began = random.Random(seed), time.monotonic()
    hits = 0
    with DemoServer(demo_web(SEED).web, log_file=folder / "log") as server:
        project = make_project(folder / "project", server)
        for number in range(1, kills + 1):
            process = start(project, pages)
            if number % 8:
                wait_for_work(project, process)
            time.sleep(rng.uniform(0.0, LONGEST_S))
            hits += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            if tell and number % 20 == 0:
                print(f"{number:4} kills, {hits:4} hit a running crawl, {len(visits(project)):6} pages", flush=True)
        start(project, pages).wait()
        log = server.log
    rows, kept = visits(project), archived(project)
    urls = [url for _, url, _ in rows]
    asked = Counter((access.host, access.path) for access in log if access.path != "/robots.txt")
    missing = len(set(range(1, len(rows) + 1)) ^ {number for number, _, _ in rows})
    return Result(
        kills=kills,
        while_running=hits,
        pages=len(rows),
        lost=missing + len({url for _, url, status in rows if status} ^ set(kept)),
        twice=len(urls) - len(set(urls)) + sum(count - 1 for count in kept.values()),
        asked_again=sum(count - 1 for count in asked.values()),
        seconds=round(time.monotonic() - began, 1),
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pages", type=int, default=4_000, help="pages that the crawl fetches in all")
    parser.add_argument("--seed", type=int, default=5, help="decides when it is killed")
    parser.add_argument("--json", action="store_true", help="print one JSON line last")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), options.kills, options.pages, options.seed)
    for name, value in asdict(result).items():
        print(f"{name.replace('_', ' '):14} {value}")
    if options.json:
        print(json.dumps(asdict(result)))
    return 1 if result.lost or result.twice else 0


if __name__ == "__main__":
    sys.exit(main())
