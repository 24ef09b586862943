"""How much of what politeness allows a crawl of many slow hosts uses.

    python -m benchmarks.breadth [--hosts 300] [--latency 0.3] [--delay 1.0] [--seconds 60] [--json]

Every host answers after ``latency`` seconds, and the crawl pauses ``delay`` seconds between an answer and the next
request to the host: it may ask each host every ``delay + latency`` seconds. Pages are small and lead to all hosts.
The rate is that of requests at the servers from ``--after`` seconds on, when every host is known.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import show
from benchmarks.soak import free_port

COLUMNS = {
    "hosts": ("hosts", ",d"), "delay": ("delay, s", ".2f"), "latency": ("latency, s", ".2f"),
    "rate": ("pages/s", ",.0f"),
    "allowed": ("allowed", ",.0f"), "share": ("share", ".1%"),
}  # fmt: skip
CONFIG = """
[strategy]
name = "breadth-first"
[crawl]
contact = "breadth@localhost.invalid"
hosts_at_once = {hosts}
[politeness]
delay_s = {delay}
adaptive = 0.0
[web.live]
allow_private = true
"""


def name(number: int) -> str:
    """The address of a host."""
    return f"127.0.{8 + number // 250}.{number % 250 + 1}"


class Web:
    """Answers for all hosts, late; ``asked`` holds the times of requests for pages."""

    def __init__(self, hosts: int, latency: float, port: int) -> None:
        self.hosts, self.latency, self.port = hosts, latency, port
        self.asked: list[float] = []

    async def answer(self, stream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            while True:
                path = (await stream.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
                await asyncio.sleep(self.latency)
                if path != "/robots.txt":
                    self.asked.append(time.time())
                writer.write(self.page(path))
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    def page(self, path: str) -> bytes:
        """The answer to a path."""
        if path == "/robots.txt":
            return b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n"
        rng = random.Random(path)
        links = (
            f"<a href='http://{name(rng.randrange(self.hosts))}:{self.port}/{rng.randrange(10**6)}.html'>page</a>"
            for _ in range(30)
        )
        body = f"<html lang=en><p>words of a page about nothing {path} {' '.join(links)}</html>".encode()
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body


async def serve(web: Web) -> None:
    """Serve until standard input closes, then print the times of all requests."""
    servers = [await asyncio.start_server(web.answer, name(number), web.port) for number in range(web.hosts)]
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(web.asked), flush=True)
    for server in servers:
        server.close()


def project(folder: Path, hosts: int, delay: float, port: int) -> Path:
    """A project whose seeds are all hosts."""
    folder.mkdir()
    (folder / "clew.toml").write_text(CONFIG.format(hosts=hosts, delay=delay), encoding="utf-8")
    seeds = "".join(f"http://{name(number)}:{port}/0.html\n" for number in range(hosts))
    (folder / "seeds.txt").write_text(seeds, encoding="utf-8")
    (folder / "yes.html").write_text("<html lang=en><p>sailing boats and regattas on the sea", encoding="utf-8")
    (folder / "no.html").write_text("<html lang=en><p>taxes and budgets debated in parliament", encoding="utf-8")
    (folder / "relevant.txt").write_text("yes.html\n", encoding="utf-8")
    (folder / "irrelevant.txt").write_text("no.html\n", encoding="utf-8")
    return folder


def rate(asked: list[float], after: float) -> float:
    """Requests a second, those of the first ``after`` seconds and of the last two left out."""
    begin, end = min(asked) + after, max(asked) - 2.0
    return sum(begin <= one < end for one in asked) / (end - begin)


def main() -> None:
    """Crawl for a time and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=300)
    parser.add_argument("--latency", type=float, default=0.3)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--after", type=float, default=10.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(Web(given.hosts, given.latency, given.serve)))
        return
    asked = _crawl(given)
    found, allowed = rate(asked, given.after), given.hosts / (given.delay + given.latency)
    row = {"hosts": given.hosts, "delay": given.delay, "latency": given.latency, "rate": found}
    show("breadth", COLUMNS, [row | {"allowed": allowed, "share": found / allowed}], as_json=given.json)


def _crawl(given: argparse.Namespace) -> list[float]:
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.breadth", "--serve", str(port)]
    command += ["--hosts", str(given.hosts), "--latency", str(given.latency)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None and server.stdout is not None
    try:
        server.stdout.readline()
        with tempfile.TemporaryDirectory() as folder:
            place = project(Path(folder) / "p", given.hosts, given.delay, port)
            crawl = [sys.executable, "-m", "clew.cli", "crawl", str(place), "--for", f"{given.seconds}s", "--quiet"]
            subprocess.run(crawl, check=True)
        server.stdin.close()
        return [float(one) for one in json.loads(server.stdout.readline())]
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


if __name__ == "__main__":
    main()
