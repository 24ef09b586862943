"""A long crawl of a hostile web: memory and file handles over time, what was refused and why, and the harvest beside
that of the same web without its hostile hosts.

    python -m benchmarks.soak [--fetches 100000] [--hosts 200] [--plot soak.png] [--json]

A fifth of the hosts and a few more are hostile, of 40 kinds (benchmarks/hostilehosts.py); the links of every good page
lead to two of them. Both crawls fetch as many pages, with pauses of 20 ms a host. Memory is the proportional set size
of the crawl and its workers together. Flat: the mean of the last fifth within 10 % of that of the second tenth.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.hostileweb import HostileWeb, running
from benchmarks.measure import show
from clew.config import quoted
from clew.store.sqlite import SqliteStore

SAMPLE_S = 2.0
CONFIG = """
[strategy]
name = "best-first"
[crawl]
contact = "soak@localhost.invalid"
hosts_at_once = 64
{crawl}
[politeness]
delay_s = 0.02
adaptive = 0.0
max_delay_s = 5.0
[limits]
page_s = 3.0
connect_s = 1.0
page_bytes = 1_000_000
[web.live]
allow_private = true
[web.live.resolve]
{resolve}
"""
COLUMNS = {
    "web": ("web", ""), "hosts": ("hosts", ",d"), "fetched": ("fetched", ",d"), "relevant": ("relevant", ",d"),
    "harvest": ("harvest", ".3f"),
    "refused": ("refused", ",d"), "failed": ("failed", ",d"),
    "seconds": ("seconds", ",.0f"),
    "rate": ("fetches\n/s", ".0f"), "mb_first": ("MB, second\ntenth", ".0f"), "mb_last": ("MB, last\nfifth", ".0f"),
    "handles_first": ("handles,\nsecond tenth", ".0f"), "handles_last": ("last\nfifth", ".0f"),
    "ended": ("ended by", ""),
}  # fmt: skip


@dataclass(slots=True)
class Sample:
    """What a crawl held at a time: seconds since its start, pages fetched, MB, open files."""

    seconds: float
    fetched: int
    mb: float
    handles: int


@dataclass(slots=True)
class Run:
    """One crawl: its samples, its result as ``clew crawl --json`` tells it, and what was asked of each host."""

    name: str
    web: HostileWeb
    samples: list[Sample] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def row(self) -> dict[str, Any]:
        """Its row of the table."""
        result, first, last = self.result, self._part(0.1, 0.2), self._part(0.8, 1.0)
        return {
            "web": self.name, "hosts": len(self.web.resolve()), "fetched": result["fetched"],
            "relevant": result["relevant"], "harvest": result["relevant"] / max(result["fetched"], 1),
            "refused": result["refused"], "failed": result["failed"], "seconds": result["seconds"],
            "rate": result["fetched"] / result["seconds"], "mb_first": _mean([one.mb for one in first]),
            "mb_last": _mean([one.mb for one in last]), "handles_first": _mean([one.handles for one in first]),
            "handles_last": _mean([one.handles for one in last]), "ended": result["stopped_by"],
        }  # fmt: skip

    def _part(self, begin: float, end: float) -> list[Sample]:
        """The samples between two shares of the pages fetched."""
        most = self.result["fetched"]
        return [one for one in self.samples if begin * most <= one.fetched <= end * most] or self.samples[-1:]


def _mean(values: list[float] | list[int]) -> float:
    return statistics.fmean(values) if values else 0.0


def free_port() -> int:
    """A port that was free on every address a moment ago."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def make_project(web: HostileWeb, folder: Path, crawl: str = "") -> Path:
    """A project for a hostile web, with its examples on disk."""
    _, seeds, relevant, irrelevant = web.start()
    folder.mkdir(parents=True)
    (folder / "seeds.txt").write_text("\n".join(seeds) + "\n", encoding="utf-8")
    for kind, pages in (("relevant", relevant), ("irrelevant", irrelevant)):
        for name, html in pages:
            (folder / f"{kind}-{name}").write_text(html, encoding="utf-8")
        (folder / f"{kind}.txt").write_text("".join(f"{kind}-{name}\n" for name, _ in pages), encoding="utf-8")
    names = "\n".join(f"{quoted(name)} = {quoted(address)}" for name, address in web.resolve().items())
    (folder / "clew.toml").write_text(CONFIG.format(resolve=names, crawl=crawl), encoding="utf-8")
    return folder


def crawl(run: Run, folder: Path, fetches: int) -> None:
    """Crawl the web of a run, sampling."""
    project = make_project(run.web, folder)
    with running(run.web) as asked:
        command = [
            sys.executable,
            "-m",
            "clew.cli",
            "crawl",
            str(project),
            "--max-pages",
            str(fetches),
            "--quiet",
            "--json",
        ]
        with (folder / "output").open("w+", encoding="utf-8") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            began = time.monotonic()
            while process.poll() is None:
                time.sleep(SAMPLE_S)
                held = _held(process.pid)
                if process.poll() is None:
                    run.samples.append(Sample(time.monotonic() - began, _fetched(project), *held))
            output.seek(0)
            lines = output.read().splitlines()
    if process.returncode:
        raise RuntimeError(f"the crawl failed ({process.returncode}):\n" + "\n".join(lines[-20:]))
    run.result, run.asked = json.loads(lines[-1]), asked
    run.reasons = _reasons(project)


def _fetched(project: Path) -> int:
    """Requests for pages so far, as the database has them."""
    import sqlite3

    try:
        with sqlite3.connect(f"file:{project / 'crawl.db'}?mode=ro", uri=True, timeout=1.0) as database:
            return int(database.execute("SELECT count(*) FROM visits").fetchone()[0])
    except sqlite3.Error:
        return 0


def _held(pid: int) -> tuple[float, int]:
    """MB and open files of a process and those it started."""
    mb, handles = 0.0, 0
    try:
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            full = process.memory_full_info()
            mb += getattr(full, "pss", full.rss) / 1e6
            handles += process.num_fds()
    except psutil.Error:
        pass
    return mb, handles


def _reasons(project: Path) -> Counter[str]:
    """Failures and refusals by reason, numbers and names in them left out."""
    import re

    store = SqliteStore(project / "crawl.db")
    store.open()
    try:
        found = Counter(row.reason for row in store.visits.rows() if row.reason)
    finally:
        store.close()
    merged: Counter[str] = Counter()
    for reason, count in found.items():
        merged[re.sub(r"[\w.-]+\.test|\d+(\.\d+)*", "#", reason)[:90]] += count
    return merged


def plot(runs: list[Run], path: Path) -> None:
    """Memory and file handles over pages fetched, one line a crawl."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(8, 6))
    for run in runs:
        pages = [one.fetched for one in run.samples]
        above.plot(pages, [one.mb for one in run.samples], label=run.name)
        below.plot(pages, [one.handles for one in run.samples], label=run.name)
    above.set_ylabel("memory, MB")
    below.set_ylabel("open files")
    below.set_xlabel("pages visited")
    for axes in (above, below):
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    above.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Run both crawls and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fetches", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=0, help="pages of the good hosts (0: 1.5 times the fetches)")
    parser.add_argument("--plot", type=Path, default=Path("soak.png"))
    parser.add_argument("--keep", type=Path, help="keep the projects in this folder")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    pages = given.pages or given.fetches * 3 // 2
    with tempfile.TemporaryDirectory() as folder:
        place = given.keep or Path(folder)
        runs = []
        for name, hostile in (("hostile", True), ("clean", False)):
            web = HostileWeb(pages, given.hosts * 3 // 4, given.hosts, hostile, free_port())
            run = Run(name, web)
            crawl(run, place / f"{name}-{os.getpid()}", given.fetches)
            runs.append(run)
            print(f"{name}: {run.row()}", file=sys.stderr, flush=True)
            plot(runs, given.plot)
    among, alone = (run.row() for run in runs)
    rows = [
        {"what": heading.replace("\n", " "), "hostile": format(among[key], form), "clean": format(alone[key], form)}
        for key, (heading, form) in COLUMNS.items()
    ]
    show(f"{given.fetches:,} fetches", {name: (name, "") for name in rows[0]}, rows, as_json=False)
    if given.json:
        print(json.dumps([among, alone]))
    reasons = [{"reason": reason, "count": count} for reason, count in runs[0].reasons.most_common(40)]
    show("not fetched, hostile web", {"reason": ("reason", ""), "count": ("URLs", ",d")}, reasons, as_json=False)


if __name__ == "__main__":
    main()
