"""What link analysis costs, in CPU-seconds: HITS, base sets, back links, paths, communities.

    python -m benchmarks.graph [--links 1000000] [--visits 500000] [--near 5000] [--json]

The graph is made: ten links a page on average, numbers of links in and out follow power laws, pages lie on hosts of
very different sizes. ``bound`` is the time of the 60 products of matrix and vector that 30 iterations of HITS cannot
do without, on the same matrices in the same run; ``ratio`` is HITS over that bound. Back links are asked of 100,000
pages, one at a time. Paths are the distances (default metric) and all statistics of a tree of ``--visits`` pages.
Communities: one maximum flow from 5 pages of a group of 100, in a web of ``--near`` pages in such groups (the community
found should be the group), and the exact test of Ariadne's stopping rule with a third of the large graph relevant.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from clew.graph.community import community, contains_community
from clew.graph.edges import LinkGraph
from clew.graph.hits import ITERATIONS, hits, matrices
from clew.graph.path_statistics import path_statistics
from clew.graph.path_tables import tables
from clew.graph.paths import distances

ASKED = 100_000
PAGES_A_HOST = 20
GROUP = 100
Columns = tuple[Any, Any, Any, Any, Any]


def columns(links: int, rng: np.random.Generator) -> Columns:
    """``from_columns`` of a graph with about ``links`` links: more are drawn, as repetitions do not count."""
    size = max(links // 10, 10)
    drawn = int(1.3 * links)
    counts = rng.pareto(1.5, size) + 1
    ends = np.cumsum(counts * drawn / counts.sum()).astype(np.int64)
    targets = _popular(size, int(ends[-1]), rng)
    hosts = np.sort(_popular(max(size // PAGES_A_HOST, 1), size, rng))
    keys = rng.permutation(size).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return keys, hosts, np.append(0, ends), keys[targets], hosts[targets]


def _popular(size: int, draws: int, rng: np.random.Generator) -> Any:
    """Numbers below ``size``, the low ones more often: number i about in proportion to (i + 1)^-0.7."""
    return np.minimum((size * rng.random(draws) ** (1 / 0.3)).astype(np.int64), size - 1)


def tree(visits: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """A crawl's log: parents among the pages before, correlations near those of Bergmark and others 2002, Table 3."""
    numbers = np.arange(visits)
    parents = np.where(numbers < 20, -1, (numbers * rng.random(visits) ** 0.5).astype(np.int64))
    return parents, rng.beta(1.2, 6.0, visits)


def planted(pages: int, rng: np.random.Generator) -> LinkGraph:
    """Groups of 100 pages with 15 links a page, one of a hundred leading out of the group."""
    sources = np.repeat(np.arange(pages), 15)
    inside = np.minimum(sources // GROUP * GROUP + rng.integers(0, GROUP, len(sources)), pages - 1)
    targets = np.where(rng.random(len(sources)) < 0.01, rng.integers(0, pages, len(sources)), inside)
    return LinkGraph.of_edges(np.arange(pages, dtype=np.uint64), np.zeros(pages, np.int32), sources, targets)


def cpu(job: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = job()
    return time.process_time() - started, result


def measure(links: int, visits: int, near: int) -> dict[str, float]:
    """All figures, in CPU-seconds unless their names say otherwise."""
    rng = np.random.default_rng(1)
    made = columns(links, rng)
    figures = {}
    figures["build_s"], graph = cpu(lambda: LinkGraph.from_columns(*made))
    figures["pages"], figures["links"] = len(graph), len(graph.sources)
    figures |= _hits(graph)
    members = rng.choice(len(graph), min(200, len(graph)), replace=False)
    figures["base_set_s"], base = cpu(lambda: graph.base_set(members, rng))
    figures["base_set_pages"] = len(base)
    asked = rng.integers(0, len(graph), ASKED)
    figures["back_links_us"] = 1e6 / ASKED * cpu(lambda: [graph.parents(node) for node in asked.tolist()])[0]
    parents, correlation = tree(visits, rng)
    figures["visits"] = visits
    figures["distances_s"], _ = cpu(lambda: distances(parents, correlation))
    figures["statistics_s"], statistics = cpu(lambda: path_statistics(parents, correlation))
    figures["tables_s"], _ = cpu(lambda: tables(statistics))
    groups = planted(near, rng)
    figures["max_flow_s"], found = cpu(lambda: community(groups, np.arange(5), reach=20, limit=near))
    figures["community_pages"] = len(found)
    relevant = rng.random(len(graph)) < 1 / 3
    figures["contains_community_s"], _ = cpu(lambda: contains_community(graph, relevant, 100))
    return figures


def _hits(graph: LinkGraph) -> dict[str, float]:
    to_authorities, to_hubs = matrices(graph)
    vector = np.full(len(graph), 1.0)

    def products() -> None:
        for _ in range(ITERATIONS):
            to_authorities @ vector
            to_hubs @ vector

    products()
    bound, _ = cpu(products)
    whole, _ = cpu(lambda: hits(graph))
    return {"hits_s": whole, "hits_bound_s": bound, "hits_ratio": whole / bound}


def main() -> None:
    """Measure and print the table; with --json one line of JSON last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--visits", type=int, default=500_000)
    parser.add_argument("--near", type=int, default=5_000, help="most pages of the neighbourhood of a maximum flow")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.links, options.visits, options.near)
    table = Table(title="Link analysis")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in figures.items():
        table.add_row(name, f"{value:,}" if isinstance(value, int) else f"{value:,.3f}")
    Console().print(table)
    if options.json:
        print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
