"""Whether a live crawl of many slow hosts harvests what a crawl of the same web offline does.

    python -m benchmarks.live_harvest [--web SPEC] [--strategy NAME] [--judge NAME] [--at-once 64 8]
                                      [--better-hosts 0 2]
    python -m benchmarks.live_harvest --task TASK.toml [--budget 600] [--seeds 1 2 3] [--json]

Each web is crawled twice with the same settings and budget: offline, as ``clew lab run`` does, one fetch at a time and
without pauses; and live, served on loopback by a process of its own that answers late, with pauses between requests to
a host and up to --at-once hosts under way. A simulated web has its own loopback address for each host, which
``web.live.resolve`` names, and another web for each seed. The archive of a task file is served by a proxy on loopback,
https through tunnels, so that its URLs stay as they are; seeds change the crawl's seed only. Links to what an archive
lacks are set aside in both crawls, as in every closed web, and robots.txt allows everything.

harvest: relevant pages, by the truth, of the fetches · area: of the found-curve, over the greedy oracle's · waited: how
often a better link than the one taken had to wait for its host. CPU is that of the crawl and its workers, without the
server. Live crawls do not repeat exactly: answers come in the order in which servers send them.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from benchmarks.crawling import finished, setup_in
from benchmarks.measure import show
from benchmarks.served import address, make_certificate, running
from benchmarks.soak import free_port
from clew.config import LiveSettings, PolitenessSettings, Settings, WebSettings
from clew.crawl.assembling import setup_of
from clew.crawl.running import CrawlResult
from clew.crawl.setup import Setup
from clew.errors import ClewError, InputError
from clew.examples.examples import Examples
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.explore import explore
from clew.lab.measures import area_over_oracle
from clew.lab.oracle import greedy
from clew.lab.results import Graph
from clew.lab.running import remembered
from clew.lab.simulating import task_of
from clew.lab.tasks import Task, load
from clew.lab.variants import Variant, judge_variants, strategy_variants
from clew.model import Bools, Outcome, Request, Response
from clew.store.base import Store
from clew.urls.canonical import host
from clew.web.clock import LiveClock
from clew.web.live.world import LiveWorld
from clew.web.simulated import parse_spec
from clew.web.simulated.server import GRAVE
from clew.web.simulated.web import SimulatedWeb

WEB = "sim:pages=4000,branching=2,pages_per_host=100"
"""40 hosts."""

BUDGET = 600
STRATEGY = str(Settings().strategy["name"])
JUDGE = Settings().judge.name
BOUND = 0.05
COLUMNS = {
    "seed": ("seed", ""), "at_once": ("at\nonce", ""), "better_hosts": ("better\nhosts", ""),
    "offline_harvest": ("harvest\noffline", ".3f"), "live_harvest": ("live", ".3f"), "harvest_ratio": ("ratio", ".3f"),
    "offline_area": ("area\noffline", ".3f"), "live_area": ("live", ".3f"), "area_ratio": ("ratio", ".3f"),
    "offline_cpu_ms": ("CPU-ms\noffline", ".1f"), "live_cpu_ms": ("live", ".1f"),
    "live_rate": ("pages\n/s", ".1f"), "live_waited": ("best\nwaited", ".2f"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the live crawl goes: the servers' latency, from to, and the pause a host, in seconds; hosts under way;
    worker processes, -1 for what crawls have by default; how many hosts with better links are waited for."""

    latency: tuple[float, float] = (0.05, 0.2)
    delay_s: float = 0.1
    at_once: int = Settings().crawl.hosts_at_once
    workers: int = -1
    better_hosts: int = Settings().crawl.better_hosts


@dataclass(frozen=True, slots=True)
class Case:
    """A task, the crawl's seed, the port and number of addresses that its web is served on, and the settings by which
    a live crawl finds it there."""

    task: Task
    seed: int
    port: int
    addresses: int
    live: LiveSettings


@dataclass(frozen=True, slots=True)
class Crawled:
    """How a crawl went."""

    result: CrawlResult
    harvest: float
    area: float

    def row(self, which: str) -> dict[str, Any]:
        """Its part of a row."""
        result = self.result
        return {
            f"{which}_fetched": result.fetched, f"{which}_harvest": self.harvest, f"{which}_area": self.area,
            f"{which}_cpu_ms": result.cpu_ms_per_page, f"{which}_rate": _ratio(result.fetched, result.seconds),
            f"{which}_waited": result.best_waited, f"{which}_stopped": result.stopped_by,
        }  # fmt: skip


class ClosedLiveWorld(LiveWorld):
    """The live world, in which links to what the web lacks (``pages`` names what it has) are set aside, unasked for."""

    pages: frozenset[str] = frozenset()

    async def fetch(self, request: Request) -> Response:
        if self.pages and request.url not in self.pages:
            return Response(request.url, Outcome.ABSENT, reason="not in this web", requests=0)
        return await super().fetch(request)


def simulated(spec: str, level: int, budget: int, seed: int) -> Case:
    """The web of a spec with this seed and a free port: wanted is the first topic of a level, from five pages near it,
    by ten good examples and thirty bad ones. Raises InputError."""
    port = free_port()
    given = parse_spec(spec)
    web = SimulatedWeb(given.pages, seed, replace(given.parameters, port=port))
    task = task_of(
        f"live-{seed}", web, web.topics(level)[0], starts=5, distance=1, positive=10, negative=30, budget=budget
    )
    live = LiveSettings(allow_private=True, resolve=_names(web), proxy="")
    return Case(task, seed, port, web.hosts, live)


def _names(web: SimulatedWeb) -> dict[str, str]:
    """The addresses of all hosts, and of those that are gone."""
    names = {web.host_name(number): address(number) for number in range(web.hosts)}
    return names | {f"*.{web.parameters.domain}": GRAVE}


def archived(path: Path, budget: int, seed: int) -> Case:
    """A task file on an archive; ``budget`` 0: its own. Raises InputError."""
    task = load(path)
    if not task.web.startswith("archive:"):
        raise InputError(f"{path} is no task on an archive; simulated webs are given with --web")
    port = free_port()
    live = LiveSettings(allow_private=True, proxy=f"http://{address(0)}:{port}", verify_tls=False)
    return Case(replace(task, budget=budget or task.budget), seed, port, 1, live)


def compare(case: Case, strategy: Variant, judge: Variant, ways: Sequence[Conditions]) -> list[dict[str, Any]]:
    """The rows of a case, one for each way to crawl it live; offline it is crawled once. Raises ClewError."""
    task = case.task
    settings = settings_of(task, strategy, judge, case.seed)
    with remembered() as store:
        graph = asyncio.run(explore(task, bench(task, settings, store, Readers(), None)))
    oracle = greedy(graph, task.budget)
    with remembered() as store:
        setup = setup_in(settings, Examples(relevant=task.positive, irrelevant=task.negative), task.seeds, store)
        offline = _crawl(task, setup, oracle)
    _note(case, "offline", offline)
    rows = []
    for how in ways:
        with remembered() as store, _served(case, how):
            live = _crawl(task, _live(case, settings, graph, how, store), oracle)
        _note(case, f"live, {_named(how.at_once, how.better_hosts)}", live)
        rows.append(_row(case, how, _hosts(case, graph), offline, live))
    return rows


def _hosts(case: Case, graph: Graph) -> int:
    """Hosts that answer."""
    return case.addresses if case.task.web.startswith("sim:") else len({host(url) for url in graph.urls})


def _row(case: Case, how: Conditions, hosts: int, offline: Crawled, live: Crawled) -> dict[str, Any]:
    row: dict[str, Any] = {"task": case.task.name, "seed": str(case.seed), "hosts": hosts}
    row |= {"at_once": str(how.at_once), "better_hosts": str(how.better_hosts)}
    ratios = _ratios(live.harvest, offline.harvest, live.area, offline.area)
    return row | offline.row("offline") | live.row("live") | ratios


def _ratios(harvest: float, offline_harvest: float, area: float, offline_area: float) -> dict[str, float]:
    """Of the live figures to the offline ones."""
    return {"harvest_ratio": _ratio(harvest, offline_harvest), "area_ratio": _ratio(area, offline_area)}


def _crawl(task: Task, setup: Setup, oracle: Bools) -> Crawled:
    result = finished(setup)
    found = np.array([row.url in task.relevant for row in setup.store.visits.rows()], np.bool_)
    return Crawled(result, float(found.mean()) if len(found) else 0.0, area_over_oracle(found, oracle, task.budget))


def _live(case: Case, settings: Settings, graph: Graph, how: Conditions, store: Store) -> Setup:
    """The live crawl of a task, with the settings of the offline one but for those of servers."""
    task = case.task
    settings = msgspec.structs.replace(
        settings,
        project=msgspec.structs.replace(settings.project, web="live"),
        crawl=msgspec.structs.replace(
            settings.crawl, hosts_at_once=how.at_once, workers=how.workers, better_hosts=how.better_hosts
        ),
        politeness=PolitenessSettings(delay_s=how.delay_s, adaptive=0.0),
        web=WebSettings(live=case.live),
    )
    clock = LiveClock()
    world = ClosedLiveWorld.from_spec("", settings, clock)
    assert isinstance(world, ClosedLiveWorld)
    if task.closed and not task.web.startswith("sim:"):
        world.pages = frozenset((*graph.urls, *task.positive, *task.negative))
    examples = Examples(relevant=task.positive, irrelevant=task.negative)
    return setup_of(settings, examples, task.seeds, world=world, clock=clock, store=store, web="live")


@contextmanager
def _served(case: Case, how: Conditions) -> Iterator[None]:
    """The case's web on loopback."""
    with tempfile.TemporaryDirectory() as folder:
        tls = make_certificate(Path(folder)) if case.live.proxy else None
        with running(case.task.web, case.port, how.latency, addresses=case.addresses, certificate=tls):
            yield


def _note(case: Case, which: str, crawl: Crawled) -> None:
    result = crawl.result
    print(f"{case.task.name}, seed {case.seed}, {which}: {crawl.harvest:.3f} of {result.fetched} in "
          f"{result.seconds:.0f} s, stopped by {result.stopped_by}", file=sys.stderr)  # fmt: skip


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def mean(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The row below others: their means, but the ratios are those of the means."""
    row: dict[str, Any] = dict(rows[0])
    for key, value in rows[0].items():
        if not isinstance(value, str):
            row[key] = float(np.mean([one[key] for one in rows]))
    figures = row["live_harvest"], row["offline_harvest"], row["live_area"], row["offline_area"]
    return row | _ratios(*figures) | {"seed": "mean"}


def verdict(row: dict[str, Any]) -> str:
    """Whether the mean live harvest is the offline one."""
    ratio = row["harvest_ratio"]
    within = "within" if abs(ratio - 1.0) <= BOUND else "not within"
    named = _named(row["at_once"], row["better_hosts"])
    return f"{named}: the live harvest is {ratio:.1%} of the offline one: {within} {BOUND:.0%}"


def _named(at_once: str | int, better_hosts: str | int) -> str:
    return f"{at_once} hosts at once, {better_hosts} better ones waited for"


def cases(given: argparse.Namespace) -> Iterator[Case]:
    """What to crawl. Raises InputError."""
    for seed in given.seeds:
        if given.task is not None:
            yield archived(given.task, given.budget, seed)
        else:
            yield simulated(given.web, given.level, given.budget or BUDGET, seed)


def _one(option: str, variants: Sequence[Variant]) -> Variant:
    if len(variants) != 1:
        raise InputError(f"{option}: name one, not {', '.join(variant.name for variant in variants)}")
    return variants[0]


def main() -> int:
    """Crawl, print the table; exit code 2 for what the user can put right."""
    usual = Conditions()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default=WEB, help="a simulated web; its seed and port are set here")
    parser.add_argument("--level", type=int, default=2, help="of the topic that is wanted in a simulated web")
    parser.add_argument("--task", type=Path, metavar="TASK.toml", help="a task on an archive, in place of --web")
    parser.add_argument("--strategy", default=STRATEGY)
    parser.add_argument("--judge", default=JUDGE)
    parser.add_argument("--budget", type=int, default=0, help=f"fetches; else the task's, or {BUDGET}")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--latency", type=float, nargs=2, default=usual.latency, metavar=("FROM", "TO"))
    parser.add_argument("--delay", type=float, default=usual.delay_s, help="seconds between requests to a host")
    parser.add_argument("--at-once", type=int, nargs="+", default=[usual.at_once], help="hosts under way")
    parser.add_argument("--better-hosts", type=int, nargs="+", default=[usual.better_hosts], help="waited for; 0: none")
    parser.add_argument("--workers", type=int, default=usual.workers)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    ways = [
        Conditions(tuple(given.latency), given.delay, most, given.workers, better)
        for most in given.at_once
        for better in given.better_hosts
    ]
    try:
        strategy = _one("--strategy", strategy_variants(given.strategy))
        judge = _one("--judge", judge_variants(given.judge))
        rows = [row for case in cases(given) for row in compare(case, strategy, judge, ways)]
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    wanted = [(str(way.at_once), str(way.better_hosts)) for way in ways]
    means = [mean([row for row in rows if (row["at_once"], row["better_hosts"]) == way]) for way in wanted]
    title = f"{strategy.name} / {judge.name}, {rows[0]['hosts']} hosts, {given.latency[0]:g} to {given.latency[1]:g} s"
    show(
        f"{title} an answer, pauses of {given.delay:g} s",
        COLUMNS,
        rows + means if len(given.seeds) > 1 else rows,
        as_json=given.json,
    )
    for row in means:
        print(verdict(row))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
