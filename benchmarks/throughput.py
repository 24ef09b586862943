"""Clew against Scrapy on one site: pages a second, CPU-ms a page, peak memory.

    python -m benchmarks.throughput [--pages 5000] [--rounds 1] [--json]

Both crawl the same 5,000 pages of 30 to 80 kB with 60 links, served on loopback. Clew does everything it does by
default: link evidence, judging, scoring, WARC, database. Scrapy follows links with its broad-crawl settings and
keeps nothing. CPU is that of all processes of a crawler, start-up included, the server's not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import stages
from benchmarks.measure import Cost, run
from benchmarks.site import Site, running

Row = dict[str, float]


def clew(site: Site, folder: Path) -> Row:
    """One crawl by Clew."""
    project = folder / "project"
    _write_project(site, project)
    cost = run([sys.executable, "-m", "clew.cli", "crawl", str(project), "--max-pages", str(site.pages), "--json"])
    return _row(cost, json.loads(cost.last_line)["fetched"])


def scrapy(site: Site) -> Row:
    """One crawl by Scrapy."""
    cost = run([sys.executable, "-m", "benchmarks.peers.scrapy_broad", site.url(0), str(site.pages)])
    return _row(cost, json.loads(cost.last_line)["pages"])


def _row(cost: Cost, pages: int) -> Row:
    return {
        "pages": pages,
        "pages_per_s": pages / cost.wall_s,
        "cpu_ms_per_page": 1000 * cost.cpu_s / pages,
        "peak_mb": cost.peak_mb,
    }


def _write_project(site: Site, project: Path) -> None:
    project.mkdir()
    (project / "seeds.txt").write_text(site.url(0) + "\n", encoding="utf-8")
    for name, pages in (("relevant", range(10, 20)), ("irrelevant", range(20, 50))):
        for page in pages:
            (project / f"{name}-{page}.html").write_bytes(site.body(page))
        (project / f"{name}.txt").write_text("".join(f"{name}-{page}.html\n" for page in pages), encoding="utf-8")
    (project / "clew.toml").write_text(
        '[crawl]\ncontact = "benchmark@example.org"\n[politeness]\ndelay_s = 0.0\nadaptive = 0.0\n'
        "[web.live]\nallow_private = true\n",
        encoding="utf-8",
    )


def _median(rows: list[Row]) -> Row:
    return {name: round(statistics.median(row[name] for row in rows), 3) for name in rows[0]}


def main() -> None:
    """Run the rounds in turn and print the table; with --json one line of JSON last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ours, theirs = [], []
    with running(options.pages) as site:
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                ours.append(clew(site, Path(folder)))
            theirs.append(scrapy(site))
        parts = stages.measure(site)
    result = {"clew": _median(ours), "scrapy": _median(theirs)}
    _print(result, parts)
    if options.json:
        print(json.dumps({**result, "stages_cpu_ms": parts}))


def _print(result: dict[str, Row], parts: dict[str, float]) -> None:
    console = Console()
    table = Table(title="The same site, crawled by both")
    for name in ("crawler", "pages", "pages/s", "CPU-ms a page", "peak MB"):
        table.add_column(name, justify="left" if name == "crawler" else "right")
    for name, row in result.items():
        table.add_row(
            name,
            f"{row['pages']:.0f}",
            f"{row['pages_per_s']:.0f}",
            f"{row['cpu_ms_per_page']:.2f}",
            f"{row['peak_mb']:.0f}",
        )
    console.print(table)
    ratio = result["scrapy"]["cpu_ms_per_page"] / result["clew"]["cpu_ms_per_page"]
    console.print(f"Clew uses 1/{ratio:.1f} of Scrapy's CPU a page.")
    detail = Table(title="Where Clew's time goes (each stage alone, in one process)")
    detail.add_column("stage")
    detail.add_column("CPU-ms a page", justify="right")
    for name, value in parts.items():
        detail.add_row(name, f"{value:.3f}")
    console.print(detail)


if __name__ == "__main__":
    main()
