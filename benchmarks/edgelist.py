"""Back-links from a file of links: the cost of the index and of a question, for each of the three forms.

    python -m benchmarks.edgelist [--links 5000000] [--questions 2000] [--limit 20] [--seed 1] [--json]

The graph has a tenth as many vertices as links; half of the links go to any of them, half to the first ones more
often than to later ones (Zipf, 1.3). It is written to a temporary folder as FROM<TAB>TO lines of URLs (gzip), as
Parquet with all rows in one row group (left out without pyarrow), and as vertices and edges by number, hosts reversed
(gzip). Each is indexed and asked in a process of its own. Peak is all the memory that process ever took until the
index was whole, libraries and the mapped pages of files included. Questions ask for random targets of links with the
index in the system's cache; the first, which opens it, is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import importlib
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import show
from clew.web.providers.edgelist import EdgeList

PER_VERTEX = 10
PIECE = 1 << 18
COLUMNS = {
    "name": ("form", ""),
    "mb": ("files\nMB", ",.0f"),
    "links": ("links", ",.0f"),
    "index_mb": ("index\nMB", ",.0f"),
    "seconds": ("seconds", ".1f"),
    "cpu_s": ("CPU\ns", ".1f"),
    "links_per_s": ("links/s", ",.0f"),
    "peak_mb": ("peak\nMB", ",.0f"),
    "question_us": ("µs a\nquestion", ",.0f"),
    "hits": ("hits a\nquestion", ".1f"),
}
Numbers = NDArray[np.int64]


def graph(links: int, seed: int) -> tuple[Numbers, Numbers]:
    """Sources, in order, and targets of the links, int64[links] each."""
    rng = np.random.default_rng(seed)
    vertices = max(links // PER_VERTEX, 2)
    sources = np.sort(rng.integers(0, vertices, links))
    even = rng.integers(0, vertices, links)
    popular = (rng.zipf(1.3, links) - 1) % vertices
    return sources, np.where(rng.random(links) < 0.5, even, popular)


def page(number: int) -> str:
    return f"http://www.site{number // 40}.example/section/page-{number}.html"


def reversed_host(number: int) -> str:
    return f"example.site{number}.www"


def write_lines(path: Path, sources: Numbers, targets: Numbers, names: list[str]) -> None:
    """FROM<TAB>TO lines, gzip."""
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
        for start in range(0, len(sources), PIECE):
            pairs = zip(sources[start : start + PIECE].tolist(), targets[start : start + PIECE].tolist(), strict=True)
            file.write("".join([f"{names[a]}\t{names[b]}\n" for a, b in pairs]))


def write_parquet(path: Path, sources: Numbers, targets: Numbers, names: list[str]) -> None:
    """One row group with two columns of text."""
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    texts = arrow.array(names, arrow.large_string())
    table = arrow.table({"from": texts.take(arrow.array(sources)), "to": texts.take(arrow.array(targets))})
    parquet.write_table(table, path, row_group_size=len(sources))


def write_files(folder: Path, links: int, seed: int) -> dict[str, list[Path]]:
    """The files of each form; those of numbers: the links, then the vertices."""
    sources, targets = graph(links, seed)
    count = max(links // PER_VERTEX, 2)
    files = {name: [folder / name] for name in ("urls.tsv.gz", "urls.parquet", "edges.txt.gz")}
    urls = [page(number) for number in range(count)]
    write_lines(folder / "urls.tsv.gz", sources, targets, urls)
    if importlib.util.find_spec("pyarrow"):
        write_parquet(folder / "urls.parquet", sources, targets, urls)
    else:
        del files["urls.parquet"]
    write_lines(folder / "edges.txt.gz", sources, targets, [str(number) for number in range(count)])
    with gzip.open(folder / "vertices.txt.gz", "wt", compresslevel=1, encoding="utf-8") as file:
        file.writelines(f"{number}\t{reversed_host(number)}\t1\n" for number in range(count))
    files["edges.txt.gz"].append(folder / "vertices.txt.gz")
    return files


def measure(files: list[Path], folder: Path, links: int, questions: int, limit: int, seed: int) -> dict[str, float]:
    """Seconds, CPU seconds, peak memory and size of the index; time of a question."""
    edges = EdgeList(files[0], folder, vertices=files[1] if len(files) > 1 else None)
    started, cpu = time.perf_counter(), time.process_time()
    found = edges.prepare()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = _peak()
    rng = np.random.default_rng(seed + 1)
    wanted = graph(links, seed)[1][rng.integers(0, links, questions + 1)].tolist()
    host = "https://www.site{}.example/".format
    urls = [host(number) if len(files) > 1 else page(number) for number in wanted]
    question, hits = asyncio.run(_asked(edges, urls, limit))
    index = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "mb": sum(path.stat().st_size for path in files) / 1e6,
        "links": found,
        "index_mb": index / 1e6,
        "seconds": seconds,
        "cpu_s": cpu,
        "links_per_s": found / seconds,
        "peak_mb": peak,
        "question_us": question * 1e6,
        "hits": hits,
    }


async def _asked(edges: EdgeList, urls: list[str], limit: int) -> tuple[float, float]:
    """Seconds and hits a question, without the first."""
    await edges.backlinks(urls[0], limit)
    started = time.perf_counter()
    hits = [len(await edges.backlinks(url, limit)) for url in islice(urls, 1, None)]
    seconds = time.perf_counter() - started
    await edges.close()
    return seconds / len(hits), sum(hits) / len(hits)


def _peak() -> float:
    """MB. On Linux ru_maxrss would count the parent's memory, too: it outlives fork and exec."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _rows(folder: Path, options: argparse.Namespace) -> Iterator[dict[str, str | float]]:
    numbers = [str(number) for number in (options.links, options.questions, options.limit, options.seed)]
    for form, files in write_files(folder, options.links, options.seed).items():
        index = folder / f"index of {form}"
        command = [sys.executable, "-m", "benchmarks.edgelist", "--one", *numbers, str(index), *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        yield {"name": form, **json.loads(done.stdout.splitlines()[-1])}


def main() -> None:
    """Measure all and print the table; with --json one line of JSON last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=5_000_000)
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--limit", type=int, default=20, help="back-links a question")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        links, questions, limit, seed = map(int, options.one[:4])
        index, *files = map(Path, options.one[4:])
        print(json.dumps(measure(files, index, links, questions, limit, seed)))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_rows(Path(folder), options))
    show("Back-links from files of links", COLUMNS, rows, as_json=options.json)


if __name__ == "__main__":
    main()
