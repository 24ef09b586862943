"""A web on loopback of which most hosts are well-behaved and the others are everything that a crawler fears.

The good hosts are those of a simulated web; their pages lead to the hostile ones too, unless these are left out. Every
host has an address of its own, one server process answers for all.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from benchmarks.hostilehosts import DEAD, HOSTILE, ROBOTS, Ask, page, whole
from clew.web.simulated.parameters import SimParameters
from clew.web.simulated.starting import starting_points
from clew.web.simulated.web import SimulatedWeb

NET = "127.0.6."
NOBODY = "127.0.7.1"
SMALL = 2_000
"""Webs of fewer pages have two topics instead of sixteen."""

KINDS = (*HOSTILE, DEAD)


@dataclass(frozen=True)
class HostileWeb:
    """``good`` well-behaved hosts with ``pages`` pages in all, and hostile ones of each kind up to ``hosts`` in all."""

    pages: int
    good: int
    hosts: int
    hostile: bool = True
    port: int = 80
    seed: int = 3

    @cached_property
    def sim(self) -> SimulatedWeb:
        """The pages of the good hosts."""
        per_host = max(self.pages // self.good, 10)
        large = self.pages >= SMALL
        shape = SimParameters(
            pages_per_host=per_host, host_skew=int(large), branching=4 if large else 2, depth=2 if large else 1,
            words=250, out_degree=20, island_hosts=1, tunnels=0.0, broken=0.0, redirects=0.03 if large else 0.0,
            port=self.port,
        )  # fmt: skip
        return SimulatedWeb(self.pages, self.seed, shape)

    @cached_property
    def bad(self) -> list[str]:
        """The names of the hostile hosts, kind by kind in turn."""
        count = max(self.hosts - self.sim.hosts, 0) if self.hostile else 0
        return [f"{KINDS[number % len(KINDS)]}-{number}.bad.test" for number in range(count)]

    def resolve(self) -> dict[str, str]:
        """Addresses for [web.live.resolve]."""
        names = [self.sim.host_name(number) for number in range(self.sim.hosts)] + self.bad
        addresses = {name: f"{NET}{number % 250 + 1}" for number, name in enumerate(names)}
        dead = {name: NOBODY for name in self.bad if name.startswith(DEAD)}
        return {f"*.gone.{self.sim.parameters.domain}": NOBODY} | addresses | dead

    def start(self) -> tuple[str, tuple[str, ...], list[tuple[str, str]], list[tuple[str, str]]]:
        """A topic, seeds, and relevant and irrelevant example pages as (name, HTML). Among the irrelevant ones are some
        that read like those of hostile hosts: their few words would else say nothing to the judge."""
        web = self.sim
        hostile = [f"http://{name}:{self.port}/" for name in self.bad]
        if self.pages >= SMALL:
            points = starting_points(web)
            others = self._html(points.irrelevant) + _notices()
            return points.topic, (*points.seeds, *hostile), self._html(points.relevant), others
        topic, roots = web.topics()[0], [f"http://{web.host_name(n)}:{self.port}/" for n in range(web.hosts)]
        relevant, irrelevant = web.examples(5, topic), web.examples(10, topic, relevant=False)
        return topic, (*roots, *hostile), self._html(relevant), self._html(irrelevant) + _notices()

    def _html(self, urls: Iterable[str]) -> list[tuple[str, str]]:
        found = [self.sim.page(url) for url in urls]
        return [(f"{number}.html", page.html) for number, page in enumerate(found) if page is not None and page.html]

    def body(self, host: str, path: str) -> tuple[bytes, str]:
        """What a good host answers: body, and status or where it redirects to."""
        page = self.sim.page(f"http://{host}:{self.port}{path}")
        if page is None or page.status == 404:
            return b"nothing here", "404 Not Found"
        if page.status == 301:
            return page.location.encode(), "301 Moved"
        return page.html.replace("</body>", self._detours(path) + "</body>").encode(), "200 OK"

    def _detours(self, path: str) -> str:
        """Two links into hostile hosts, on every page."""
        rng = random.Random(path)
        names = [rng.choice(self.bad) for _ in range(2)] if self.bad else []
        return "".join(
            f"<p><a href='http://{name}:{self.port}/p/{rng.randrange(50)}.html'>more</a></p>" for name in names
        )


def _notices() -> list[tuple[str, str]]:
    return [(f"notice-{number}.html", page(f"notice {number}").decode()) for number in range(5)]


class Server:
    """Answers for all hosts of a web."""

    def __init__(self, web: HostileWeb) -> None:
        self.web = web
        self.asked: Counter[str] = Counter()
        self._good = {web.sim.host_name(number) for number in range(web.sim.hosts)}

    async def serve(self) -> list[asyncio.Server]:
        """Listen at one port of as many addresses as there are hosts."""
        places = sorted(set(self.web.resolve().values()) - {NOBODY})
        return [await asyncio.start_server(self._connection, place, self.web.port, limit=200_000) for place in places]

    async def _connection(self, stream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            while not writer.is_closing():
                request = (await stream.readuntil(b"\r\n\r\n")).decode("latin-1")
                site = request.lower().partition("\nhost:")[2].partition("\r")[0].strip()
                await self._answer(Ask(site.partition(":")[0], site, request.split(" ")[1], 0, writer))
                await writer.drain()
        writer.close()

    async def _answer(self, ask: Ask) -> None:
        host, path = ask.host, ask.path
        count = self.asked[host]
        self.asked[host] += 1
        ask = Ask(host, ask.site, path, count, ask.writer)
        if host in self._good:
            self._good_answer(ask)
            return
        kind = host.partition(".")[0].rpartition("-")[0]
        if path == "/robots.txt":
            await (ROBOTS[kind](ask) if kind in ROBOTS else _no_robots(ask))
        else:
            await HOSTILE[kind](ask)

    def _good_answer(self, ask: Ask) -> None:
        if ask.path == "/robots.txt":
            ask.send(whole(b"none", "404 Not Found"))
            return
        body, status = self.web.body(ask.host, ask.path)
        ask.send(whole(body, status, Location=body.decode() if status.startswith("301") else ""))


async def _no_robots(ask: Ask) -> None:
    ask.send(whole(b"none", "404 Not Found"))


async def serve(web: HostileWeb) -> None:
    """Serve until standard input closes; prints "ready", and what was asked of each host at the end."""
    server = Server(web)
    listening = await server.serve()
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for one in listening:
        one.close()
    print(json.dumps(server.asked), flush=True)


@contextlib.contextmanager
def running(web: HostileWeb) -> Iterator[Counter[str]]:
    """The web served by a process of its own; the counter is filled when it ends."""
    asked: Counter[str] = Counter()
    facts = json.dumps([web.pages, web.good, web.hosts, web.hostile, web.port, web.seed])
    command = [sys.executable, "-m", "benchmarks.hostileweb", facts]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the hostile web did not start")
        yield asked
    finally:
        process.stdin.close()
        asked.update(json.loads(process.stdout.readline() or "{}"))
        process.kill()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # connections that the crawler cuts off are meant to be
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", help="pages, good hosts, hosts, hostile, port, seed as a JSON list")
    asyncio.run(serve(HostileWeb(*json.loads(parser.parse_args().facts))))
