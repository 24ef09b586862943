"""CPU-ms an answer of the HTTP client alone, on a site on loopback, over kept connections.

    python -m benchmarks.wire [--pages 2000] [--rounds 5]

The median of the rounds counts. The server is a process of its own; only the client's CPU time is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from dataclasses import replace
from urllib.parse import urlsplit

from benchmarks.site import HOSTS, Site, running
from clew.config import LimitSettings, LiveSettings
from clew.web.live.wire import Appetite, Wire

SMALL = 404
"""Status of the small answers: the site has no page of that name."""


async def fetch(site: Site, pages: int, missing: bool) -> float:
    """CPU-ms an answer, every host asked in turn; ``missing``: for pages that do not exist, which are small."""
    wire = Wire(LimitSettings(), LiveSettings(allow_private=True), "clew-benchmark")
    appetite = Appetite(5_000_000, frozenset(("text/html",)))
    urls = [site.url(page) + ("x" if missing else "") for page in range(min(pages, site.pages))]
    hosts = [urlsplit(url).hostname or "" for url in urls]
    try:
        for url, host in zip(urls[:HOSTS], hosts, strict=False):
            await wire.get(url, host, host, appetite)
        started = time.process_time()
        for url, host in zip(urls, hosts, strict=True):
            exchange = await wire.get(url, host, host, appetite)
            assert exchange.status == (SMALL if missing else 200), exchange
        return 1000 * (time.process_time() - started) / len(urls)
    finally:
        await wire.close()


def main() -> None:
    """Run the rounds and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with running(options.pages) as site:
        for name, missing in (("pages of 30 to 80 kB", False), ("answers of 4 bytes", True)):
            rounds = [asyncio.run(fetch(replace(site), options.pages, missing)) for _ in range(options.rounds)]
            print(f"{name}: {statistics.median(rounds):.3f} CPU-ms an answer ({min(rounds):.3f} to {max(rounds):.3f})")


if __name__ == "__main__":
    main()
