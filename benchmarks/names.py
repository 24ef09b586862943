"""Dead names beside good hosts: what they cost the good ones.

    python -m benchmarks.names [--dead 5000] [--hosts 50] [--pages 20] [--delay 1.0] [--json]

A live crawl over loopback. A name server of its own knows the good hosts, which lie on one address each, and answers
questions for dead names never, late, or at once with *no such host*. The seed links to all dead names first and then to
the pages of the good hosts. ``good s`` is when the last of their pages was fetched, from the first request on;
``without`` is the same crawl without dead names. The crawl is stopped then: nobody waits for the dead. With a pause of
``delay`` seconds at each host, the good ones take pages * delay seconds at least; with a very short one, the CPU that
the dead names take shows, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from rich.console import Console
from rich.table import Table

from clew import Crawl

LATE_S = 2.0
KINDS = {"without": None, "no such host": 0.0, "no such host, late": LATE_S, "never answered": -1.0}


class Names(threading.Thread):
    """A name server: ``goodN.test`` is 127.0.9.N; the rest do not exist, said ``wait_s`` later or never."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.wait_s = wait_s
        self.asked = 0

    def run(self) -> None:
        waiting: list[tuple[float, bytes, tuple[str, int]]] = []
        self.socket.settimeout(0.01)
        while True:
            try:
                question, sender = self.socket.recvfrom(4096)
            except TimeoutError:
                question = b""
            except OSError:
                return
            now = time.monotonic()
            if question:
                self.asked += 1
                name = question[13 : 13 + question[12]].decode()
                if name.startswith("good"):
                    self.socket.sendto(_answer(question, int(name[4:])), sender)
                elif self.wait_s >= 0:
                    waiting.append((now + self.wait_s, _answer(question, None), sender))
            while waiting and waiting[0][0] <= now:
                self.socket.sendto(*waiting.pop(0)[1:])


def _answer(question: bytes, number: int | None) -> bytes:
    end = question.index(b"\0", 12) + 5
    wanted = number is not None and question[end - 4 : end - 2] == b"\0\1"
    code = 0x8180 if number is not None else 0x8183
    head = question[:2] + code.to_bytes(2, "big") + b"\0\1" + (b"\0\1" if wanted else b"\0\0") + b"\0\0\0\0"
    record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + bytes((127, 0, 9, number or 0)) if wanted else b""
    return head + question[12:end] + record


@contextmanager
def site(hosts: int, pages: int, dead: int) -> Iterator[tuple[int, list[float]]]:
    """Good hosts at one port, in a thread of their own; gives port and the times of requests for pages."""
    times: list[float] = []
    loop = asyncio.new_event_loop()
    sockets = [socket.create_server((f"127.0.9.{number + 1}", 0)) for number in range(1)]
    port = int(sockets[0].getsockname()[1])
    sockets += [socket.create_server((f"127.0.9.{number + 1}", port)) for number in range(1, hosts)]

    async def answer(request: web.BaseRequest) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        times.append(time.monotonic())
        links = ""
        if request.path == "/":
            names = [f"http://dead{number}.test/" for number in range(dead)]
            good = [f"http://good{number + 1}.test:{port}/{n}" for n in range(pages) for number in range(hosts)]
            links = "".join(f"<a href='{link}'>x</a> " for link in [*names, *good])
        return web.Response(text=f"<p>sailing {links}", content_type="text/html")

    async def start() -> web.ServerRunner:
        runner = web.ServerRunner(web.Server(answer))
        await runner.setup()
        for one in sockets:
            await web.SockSite(runner, one).start()
        return runner

    runner = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield port, times
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def measure(kind: str, hosts: int, pages: int, dead: int, delay_s: float) -> dict[str, object]:
    """One crawl."""
    wait_s = KINDS[kind]
    dead = dead if wait_s is not None else 0
    names = Names(wait_s if wait_s is not None else 0.0)
    names.start()
    with site(hosts, pages, dead) as (port, times):
        settings = {
            "interest": {"keywords": {"sailing": 1.0}},
            "judge": {"name": "keywords"},
            "crawl": {"contact": "benchmark@example.org", "workers": 0},
            "politeness": {"delay_s": delay_s, "adaptive": 0.0},
            "limits": {"links_per_page": dead + hosts * pages},
            "web": {"live": {"allow_private": True, "nameservers": [names.address]}},
        }
        crawl = Crawl([f"http://good1.test:{port}/"], strategy="breadth-first", settings=settings)
        began = time.process_time()
        result = crawl.run_sync(max_pages=1 + hosts * pages)
    names.socket.close()
    return {
        "kind": kind,
        "dead": dead,
        "fetched": result.fetched,
        "failed": result.failed,
        "good_s": round(times[-1] - times[0], 2),
        "run_s": result.seconds,
        "cpu_s": round(time.process_time() - began, 2),
        "questions": names.asked,
    }


def main() -> None:
    """Measure all kinds and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dead", type=int, default=5_000)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(kind, options.hosts, options.pages, options.dead, options.delay) for kind in KINDS]
    table = Table("dead names", "", "fetched", "failed", "good s", "run s", "CPU s", "questions")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
