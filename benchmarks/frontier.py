"""The frontier under load: CPU-µs to add and to lease a link, bytes a link, at 10 thousand to 10 million waiting links.

    python -m benchmarks.frontier [--sizes 10000,100000,1000000,10000000] [--json]

Links come in batches of 60, as from a page: half of them name URLs that are known already, most of a page's new links
lead to one or two of 50,000 hosts. Adding is measured while the last tenth of the links is added. Leasing (lease and
done together) is measured over 20,000 links at 1,000 a second on a virtual clock, a host resting for 1 s after each,
so that hosts come back all the time; as many links come in as go out. ``bytes_per_link`` is what the
frontier holds for links, by the links that wait; what it holds for hosts stands beside it, "+ hosts", by the links too,
and all it holds is the sum. RSS is what the process grew by, peak all it
ever took. Each size runs in a process of its own. Rescoring gives every link a new score, from rows of 60 in memory;
"bulk" adds up to a million scored links in batches of 6,000. Making the links is not counted anywhere. At last a
frontier is rebuilt and rescored from packed rows on disk.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psutil
from rich.console import Console
from rich.table import Table

from clew.frontier.columns import ColumnFrontier

HOSTS = 50_000
PAGE = 60
LEASES = 20_000
LEASES_PER_S = 1_000
DELAY_S = 1.0
BULK = 6_000
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
COLUMNS = {
    "links": ("links", ",.0f"),
    "hosts": ("hosts", ",.0f"),
    "add_cpu_us": ("add\nCPU-µs", ".2f"),
    "lease_cpu_us": ("lease\nCPU-µs", ".2f"),
    "bytes_per_link": ("bytes\na link", ".1f"),
    "host_bytes_per_link": ("+ hosts", ".1f"),
    "rss_per_link": ("RSS\na link", ".1f"),
    "rescore_cpu_us": ("rescore\nCPU-µs", ".2f"),
    "bulk_cpu_us": ("bulk\nCPU-µs", ".2f"),
    "peak_mb": ("peak\nMB", ",.0f"),
}
Batch = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64]]


class Pages:
    """An endless sequence of link batches: half of each names URLs of earlier pages."""

    def __init__(self, seed: int, page: int = PAGE) -> None:
        self.rng = np.random.default_rng(seed)
        self.known = 0
        self.page = page

    def batch(self) -> Batch:
        """keys, hosts, scores of the next page's links."""
        fresh = np.arange(self.known, self.known + self.page // 2)
        old = self.rng.integers(0, max(self.known, 1), self.page - len(fresh))
        self.known += len(fresh)
        numbers = np.unique(np.concatenate([fresh, old])).astype(np.uint64)
        return _key(numbers), _host(numbers), self.rng.random(len(numbers))


def _key(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A 64-bit key from a link's number (splitmix64)."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _host(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Links found together lead to few hosts: runs of 20 numbers share one."""
    return (_key(numbers // np.uint64(20)) % np.uint64(HOSTS)).astype(np.uint32)


def measure(size: int) -> dict[str, float]:
    """One size: figures of a frontier in which ``size`` links wait."""
    frontier, pages, row = ColumnFrontier(), Pages(size), 0
    before = psutil.Process().memory_info().rss
    while len(frontier) < 0.9 * size:
        frontier.add(*pages.batch(), row)
        row += 1
    add = _add(frontier, [pages.batch() for _ in range(int(0.1 * size / (PAGE // 2)) + 1)], row)
    figures = {
        "links": len(frontier),
        "hosts": frontier.hosts_waiting,
        "add_cpu_us": add,
        "bytes_per_link": frontier.link_nbytes / len(frontier),
        "host_bytes_per_link": frontier.host_nbytes / len(frontier),
        "rss_per_link": (psutil.Process().memory_info().rss - before) / len(frontier),
        "lease_cpu_us": _lease(frontier, pages, row),
        "rescore_cpu_us": _rescore(frontier, Pages(size), pages.known // (PAGE // 2)),
    }
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    del frontier
    bulk = Pages(size, BULK)
    count = max(1, min(size, 1_000_000) // (BULK // 2))
    return figures | {"bulk_cpu_us": _add(ColumnFrontier(), [bulk.batch() for _ in range(count)], 0)}


def _add(frontier: ColumnFrontier, batches: list[Batch], row: int) -> float:
    """CPU-µs to add a link."""
    started = time.process_time()
    for batch in batches:
        frontier.add(*batch, row)
    return 1e6 * (time.process_time() - started) / sum(len(batch[0]) for batch in batches)


def _lease(frontier: ColumnFrontier, pages: Pages, row: int) -> float:
    """CPU-µs a lease and its done; the first tenth warms up, until hosts come back as fast as they go."""
    leases = min(LEASES, len(frontier) // 2)
    warm = -(leases // 10)
    now, spent, taken = 0.0, 0.0, warm
    while taken < leases:
        started = time.process_time()
        for _ in range(PAGE // 2):
            lease = frontier.lease(now)
            if lease is None:  # every host rests
                now = frontier.next_ready() or now
                continue
            frontier.done(lease, now + DELAY_S)
            now += 1 / LEASES_PER_S
            taken += 1
        if taken > 0:
            spent += time.process_time() - started
        frontier.add(*pages.batch(), row)
    return 1e6 * spent / taken


def _rescore(frontier: ColumnFrontier, pages: Pages, count: int) -> float:
    """CPU-µs a link that gets a score, all rows (those that ``pages`` made before) being scored again."""
    making = 0.0

    def rows() -> Iterator[tuple[int, npt.NDArray[np.uint64], npt.NDArray[np.float64], int]]:
        nonlocal making
        for row in range(count):
            started = time.process_time()
            keys, _, scores = pages.batch()
            making += time.process_time() - started
            yield row, keys, 1.0 - scores, 0

    started = time.process_time()
    scored = frontier.rescore(rows())
    return 1e6 * (time.process_time() - started - making) / scored


def rebuild_and_rescore(links: int) -> dict[str, float]:
    """A crawl's packed rows on disk, ``links`` in all with their evidence: rebuilding and rescoring from them."""
    from benchmarks.rows import filled_store
    from clew.crawl.sessions import rebuild
    from clew.strategies.best_first import BestFirst

    with tempfile.TemporaryDirectory() as folder:
        store = filled_store(Path(folder) / "crawl.db", links // PAGE, PAGE)
        frontier, strategy = ColumnFrontier(), BestFirst()
        wall, cpu = time.perf_counter(), time.process_time()
        rebuild(frontier, store)
        rebuilt, rebuilt_cpu = time.perf_counter() - wall, time.process_time() - cpu
        cpu = time.process_time()
        batches = store.links.batches()
        scored = frontier.rescore((row, batch.links.keys, strategy.score(batch), 0) for row, batch in batches)
        rescored = time.process_time() - cpu
        store.close()
    return {"links": scored, "rebuild_s": rebuilt, "rebuild_cpu_s": rebuilt_cpu, "rescore_cpu_s": rescored}


def _in_process(size: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.frontier", "--one", str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def _rows(sizes: list[int], console: Console) -> Iterator[dict[str, float]]:
    table = Table(title=f"Frontier on {HOSTS:,} hosts, half of the added links known already")
    for name, _ in COLUMNS.values():
        table.add_column(name, justify="right", no_wrap=True)
    for size in sizes:
        row = _in_process(size)
        table.add_row(*(format(row[key], form) for key, (_, form) in COLUMNS.items()))
        yield row
    console.print(table)


def main() -> None:
    """Measure all sizes and print the tables; with --json one line of JSON last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--disk-links", type=int, default=1_000_000, help="links on disk to rebuild and rescore from")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return
    console = Console(width=max(Console().width, 100))
    rows = list(_rows([int(size) for size in options.sizes.split(",")], console))
    if options.disk_links:
        disk = rebuild_and_rescore(options.disk_links)
        console.print(
            f"{disk['links']:,.0f} links from disk: rebuilt in {disk['rebuild_s']:.2f} s "
            f"({disk['rebuild_cpu_s']:.2f} CPU-s), rescored with all evidence in {disk['rescore_cpu_s']:.2f} CPU-s"
        )
    if options.json:
        print(json.dumps([{key: round(value, 3) for key, value in row.items()} for row in rows]))


if __name__ == "__main__":
    main()
