"""Running a peer in an environment of its own, through the proxy, until the budget is spent or it has nothing left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.proxy import START, Ledger, Names, Proxy
from benchmarks.peers.scoring import Measured
from clew.crawl.setup import Setup
from clew.errors import InputError
from clew.lab.results import Graph
from clew.lab.tasks import Task
from clew.web.registry import make as make_world

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".venvs"


@dataclass(frozen=True, slots=True)
class Peer:
    """``strategy``: its name in tables · ``environment``: what requirements-NAME.txt installs · ``command``: the
    adapter and its last arguments."""

    strategy: str
    environment: str
    command: tuple[str, ...]


PEERS = {
    "scrapy": Peer("scrapy breadth-first", "scrapy", ("scrapy_orders.py", "breadth-first")),
    "scrapy-default": Peer("scrapy default", "scrapy", ("scrapy_orders.py", "default")),
    "crawl4ai": Peer("crawl4ai best-first", "crawl4ai", ("crawl4ai_best_first.py",)),
    "bytecrawl-shark": Peer("bytecrawl shark-search", "bytecrawl", ("bytecrawl_focused.py", "shark")),
    "bytecrawl-opic": Peer("bytecrawl opic", "bytecrawl", ("bytecrawl_focused.py", "opic")),
}


def release(peer: Peer) -> str:
    """The peer's package and pinned release, such as scrapy 2.19.0; the environment's name where nothing pins it."""
    file = HERE / f"requirements-{peer.environment}.txt"
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        name, _, version = line.partition("==")
        if name.lower() == peer.environment:
            return f"{name} {version}"
    return peer.environment


def install(peer: Peer) -> Path:
    """The Python of the peer's environment, made when it is missing or its requirements changed. Raises InputError."""
    wanted = (HERE / f"requirements-{peer.environment}.txt").read_text(encoding="utf-8")
    folder = ENVIRONMENTS / peer.environment
    python, ready = folder / "bin" / "python", folder / "installed.txt"
    if ready.is_file() and ready.read_text(encoding="utf-8") == wanted:
        return python
    ENVIRONMENTS.mkdir(exist_ok=True)
    (ENVIRONMENTS / ".gitignore").write_text("*\n", encoding="utf-8")
    requirements = str(HERE / f"requirements-{peer.environment}.txt")
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--requirement", requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InputError(f"{peer.environment} could not be installed: {done.stderr.strip()[-500:]}")
    ready.write_text(wanted, encoding="utf-8")
    return python


async def crawl(
    peer: Peer, python: Path, task: Task, setup: Setup, graph: Graph, keywords: Sequence[str], minutes: float
) -> Measured:
    """One run of a peer on a task; ``setup`` says how URLs are written. Raises InputError when the peer fails, and
    CancelledError when this process is told to end."""
    world, _ = make_world(task.web, setup.settings)
    ledger = Ledger(task.budget)
    names = Names(setup.canonicalise, graph.urls)
    seeds = [names.shown(url.encode()).decode() for url in task.seeds]
    with tempfile.TemporaryDirectory(prefix="clew-peer-") as home:
        async with Proxy(world, names, seeds, ledger).running() as address:
            start = START if len(seeds) > 1 else seeds[0]
            spec = {"seeds": seeds, "start": start, "keywords": list(keywords), "proxy": address}
            (Path(home) / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
            adapter, *rest = peer.command
            command = [str(python), "-P", str(HERE / adapter), str(Path(home) / "spec.json"), *rest]
            return await _watched(command, _environment(home, address), ledger, minutes)


def _environment(home: str, proxy: str) -> dict[str, str]:
    """Nothing of ours but the search path: a peer keeps its caches in ``home`` and reaches the proxy only."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), proxy)
    places = {"HOME": home, "TMPDIR": home, "CRAWL4_AI_BASE_DIRECTORY": home}
    return {**kept, **proxies, **places, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


async def _watched(command: list[str], environment: dict[str, str], ledger: Ledger, minutes: float) -> Measured:
    log = Path(environment["HOME"]) / "log.txt"
    before, started = os.times(), time.monotonic()
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, cwd=environment["HOME"], stdout=output, stderr=output, start_new_session=True
        )
        ended, spent = asyncio.ensure_future(process.wait()), asyncio.ensure_future(ledger.spent.wait())
        loop, own = asyncio.get_running_loop(), asyncio.current_task()
        assert own is not None
        handler = signal.getsignal(signal.SIGTERM)
        loop.add_signal_handler(signal.SIGTERM, own.cancel)  # a peer must not outlive its run
        try:
            await asyncio.wait((ended, spent), timeout=60 * minutes, return_when=asyncio.FIRST_COMPLETED)
        finally:
            by_itself = ended.done()
            if not by_itself:
                os.killpg(process.pid, signal.SIGKILL)
            await ended
            spent.cancel()
            loop.remove_signal_handler(signal.SIGTERM)
            signal.signal(signal.SIGTERM, handler)
    seconds, after = time.monotonic() - started, os.times()
    if by_itself and not ledger.spent.is_set() and (process.returncode or not ledger.urls):
        text = log.read_text(encoding="utf-8", errors="replace")
        how = f"failed ({process.returncode})" if process.returncode else "fetched nothing"
        raise InputError(f"{' '.join(command[2:])} {how}: {text.strip()[-800:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    stopped = "budget" if ledger.spent.is_set() else "nothing left" if by_itself else "time"
    return Measured(ledger, seconds, cpu, stopped)
