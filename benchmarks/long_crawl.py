"""A long crawl of a simulated web: what a page costs, by part of the crawler, and how that grows with the crawl.

    python -m benchmarks.long_crawl [--fetches 100000] [--pages 1000000] [--preset topical] [--every 10000]
                                    [--methods "best-first|auto,clew|auto,best-first|naive-bayes"] [--set words=100]
                                    [--json]

Each method crawls in a process of its own, with a database on disk and without an archive, pages read in the process.
CPU time is that of the process less what it takes to make the pages, which stand for a network. The parts:

reading             HTML to a page with terms and links
judge               judging pages when they are fetched
judge learning      learning from the crawl, and judging all stored pages again for it
scoring again       scoring all stored links again after that
strategy            learning from visits, scoring links, foreseeing URLs
frontier            adding links, adding up, taking the best
ranking             scoring all waiting URLs again as the strategy weighs evidence anew
store               rows read and written, transactions
rest                the loop itself, evidence, duplicates

Every ``--every`` visits are a row: what a page cost since the last one, and memory (resident set) at its end.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.crawling import finished, setup_in
from benchmarks.measure import show
from clew.crawl import sessions
from clew.crawl.applying import Applier, Arrival
from clew.crawl.sessions import Sessions
from clew.crawl.setup import Setup
from clew.errors import ClewError, InputError
from clew.examples.examples import Examples
from clew.frontier.columns import ColumnFrontier
from clew.judges.registry import JUDGES
from clew.lab.bench import settings_of
from clew.lab.experiment import SimulatedTask, simulated
from clew.lab.variants import split, variant
from clew.model import Request, Response, Visit
from clew.store.sqlite import SqliteStore
from clew.store.sqlite.hosts import SqliteHosts
from clew.store.sqlite.links import SqliteLinks
from clew.store.sqlite.visits import SqliteVisits
from clew.strategies.registry import STRATEGIES
from clew.web.simulated.world import SimulatedWorld
from clew.workers.pool import PageWorker

WEB, REST = "web", "rest"
PARTS = ("reading", "judge", "judge learning", "scoring again", "strategy", "frontier", "ranking", "store", REST)
WHOLE = frozenset({"judge learning", "scoring again", "ranking"})
"""What is called within these counts as part of them."""

METHODS = "best-first|auto,clew|auto,best-first|naive-bayes"

CALLS = {
    "frontier": (ColumnFrontier, "add grow promote lease lease_oldest done retry postpone best next_ready hold finish"),
    "store": (SqliteLinks, "batch scores add refuse retry"),
    "store ": (SqliteVisits, "add relevant"),
    "store  ": (SqliteStore, "commit"),
    "store   ": (SqliteHosts, "touch"),
    "reading": (PageWorker, "work"),
    "ranking": (ColumnFrontier, "rank"),
    "scoring again": (Sessions, "rescore"),
}
STRATEGY = "learn score adapt explores wants_to_consult state rejudged opens added combined grown stale"


@dataclass(slots=True)
class Meter:
    """CPU seconds by part: of calls within calls each counts for its own part."""

    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _under_way: list[str] = field(default_factory=lambda: [REST])
    _since: float = field(default_factory=time.process_time)

    def _turn(self) -> None:
        now = time.process_time()
        self.spent[self._under_way[-1]] += now - self._since
        self._since = now

    def enter(self, part: str) -> None:
        """What happens until ``leave`` belongs to ``part``, unless it is within a whole."""
        self._turn()
        outer = self._under_way[-1]
        self._under_way.append(outer if outer in WHOLE and part != WEB else part)

    def leave(self) -> None:
        """Back to what was under way before."""
        self._turn()
        self._under_way.pop()

    def timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, measured: some 5 µs more."""

        @functools.wraps(call)
        def measured(*given: Any, **named: Any) -> Any:
            self.enter(part)
            try:
                return call(*given, **named)
            finally:
                self.leave()

        return measured

    def read(self) -> dict[str, float]:
        """CPU seconds so far by part."""
        self._turn()
        return dict(self.spent)


@dataclass(slots=True)
class Stretch:
    """Figures at the end of some visits: seconds of CPU by part since the crawl began, MB, links that wait."""

    visits: int
    spent: dict[str, float]
    mb: float
    waiting: int
    relevant: int


def measure(setup: Setup, every: int, tell: Callable[[Stretch], None]) -> list[Stretch]:
    """Crawl to the end, with a stretch whenever so many visits were applied."""
    meter, found = Meter(), list[Stretch]()
    process, visits = psutil.Process(), 0

    def applied(call: Callable[..., Visit | None]) -> Callable[..., Visit | None]:
        def apply(self: Applier, arrival: Arrival) -> Visit | None:
            nonlocal visits
            visit = call(self, arrival)
            visits += visit is not None
            if visit is not None and visits % every == 0:
                progress, waiting = self.parts.progress, len(self.parts.frontier)
                memory = process.memory_info().rss / 1e6
                found.append(Stretch(visits, meter.read(), memory, waiting, progress.relevant))
                tell(found[-1])
            return visit

        return apply

    with _measured(meter, setup), _replaced(Applier, "apply", applied):
        finished(setup)
    return found


@contextmanager
def _measured(meter: Meter, setup: Setup) -> Iterator[None]:
    """Calls of all parts are measured; afterwards all is as it was."""
    judge = JUDGES.get(setup.judge_name)
    calls: list[tuple[Any, str, str]] = []
    for part, (owner, names) in CALLS.items():
        calls += [(owner, name, part.strip()) for name in names.split()]
    strategy = type(setup.strategy)
    calls += [(strategy, name, "strategy") for name in STRATEGY.split() if hasattr(strategy, name)]
    calls += [(judge, "judge", "judge"), (sessions, "learn_from_crawl", "judge learning")]
    before = [(owner, name, vars(owner).get(name)) for owner, name, _ in calls]
    try:
        for owner, name, part in calls:
            setattr(owner, name, meter.timed(part, getattr(owner, name)))
        with _replaced(SimulatedWorld, "fetch", functools.partial(_fetching, meter)):
            yield
    finally:
        for owner, name, call in before:
            if call is None:
                delattr(owner, name)
            else:
                setattr(owner, name, call)


def _fetching(meter: Meter, call: Callable[..., Any]) -> Callable[..., Any]:
    async def fetch(self: SimulatedWorld, request: Request) -> Response:
        meter.enter(WEB)  # it never waits, so nothing else runs meanwhile
        try:
            answer: Response = await call(self, request)
            return answer
        finally:
            meter.leave()

    return fetch


@contextmanager
def _replaced(owner: type, name: str, how: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, how(before))
    try:
        yield
    finally:
        setattr(owner, name, before)


# -- one method, in a process of its own ----------------------------------------------------------------------


def crawl(options: argparse.Namespace) -> None:
    """Crawl with the one method that the options name; a line of JSON for every stretch, and one at the end."""
    named = options.methods.split("|")
    if len(named) != 2:
        raise InputError(f"{options.methods!r} is no method: write STRATEGY|JUDGE, such as clew|auto")
    strategy, judge = variant(named[0], STRATEGIES), variant(named[1], JUDGES)
    task = simulated(
        SimulatedTask(
            preset=options.preset,
            pages=options.pages,
            seed=options.seed,
            parameters={name: float(value) for name, value in (one.split("=") for one in split(options.set))},
            budget=options.fetches,
        )
    )
    settings = settings_of(task, strategy, judge, options.seed)
    with tempfile.TemporaryDirectory(prefix="clew-long-") as folder:
        store = SqliteStore(Path(folder) / "crawl.db")
        store.open()
        try:
            examples = Examples(relevant=task.positive, irrelevant=task.negative)
            found = measure(setup_in(settings, examples, task.seeds, store), options.every, _tell)
        finally:
            store.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(json.dumps({"peak_mb": peak, "visits": found[-1].visits if found else 0}), flush=True)


def _tell(one: Stretch) -> None:
    print(json.dumps({name: getattr(one, name) for name in Stretch.__slots__}), flush=True)


# -- all of them ----------------------------------------------------------------------------------------------


def rows_of(method: str, lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a stretch, and one for all visits: CPU-ms a page, in all (without making pages) and by part."""
    *stretches, last = lines
    rows: list[dict[str, Any]] = []
    before, done = dict[str, float](), 0
    for line in stretches:
        rows.append(_row(method, line, before, done))
        before, done = line["spent"], line["visits"]
    if stretches:
        whole = _row(method, stretches[-1], {}, 0)
        rows.append({**whole, "visits": "all", "mb": last["peak_mb"]})
    return rows


def _row(method: str, line: dict[str, Any], before: dict[str, float], done: int) -> dict[str, Any]:
    pages = line["visits"] - done
    parts = {part: 1e3 * (line["spent"].get(part, 0.0) - before.get(part, 0.0)) / pages for part in PARTS}
    figures = {"mb": line["mb"], "waiting": line["waiting"], "relevant": line["relevant"]}
    return {"method": method, "visits": f"{line['visits']:,}", "cpu": sum(parts.values()), **parts, **figures}


COLUMNS = {
    "method": ("method", ""), "visits": ("visits", ""), "cpu": ("CPU-ms\na page", ".2f"),
    **{part: (part.replace(" ", "\n"), ".2f") for part in PARTS},
    "mb": ("MB\n(all: peak)", ".0f"), "waiting": ("links\nwaiting", ",d"), "relevant": ("judged\nrelevant", ",d"),
}  # fmt: skip


def main() -> int:
    """Run all methods one after the other, and print what they cost. Exit code of the first that fails."""
    options = _options()
    if options.alone:
        try:
            crawl(options)
        except ClewError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        return 0
    rows: list[dict[str, Any]] = []
    for method in options.methods.split(","):
        command = [sys.executable, "-m", "benchmarks.long_crawl", *_same(options), "--methods", method, "--alone"]
        lines = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for text in process.stdout:
                lines.append(json.loads(text))
                if "spent" in lines[-1]:
                    print(f"{method}: {lines[-1]['visits']:,} visits", file=sys.stderr, flush=True)
        if process.returncode:
            print(f"failed: {method}, exit code {process.returncode}", file=sys.stderr)
            return process.returncode
        rows += rows_of(method, lines)
    title = f"{options.fetches:,} fetches, {options.preset} web of {options.pages:,} pages"
    show(title, COLUMNS, rows, as_json=options.json)
    return 0


def _same(options: argparse.Namespace) -> list[str]:
    given = ("fetches", "pages", "preset", "every", "seed", "set")
    return [text for name in given for text in (f"--{name}", str(getattr(options, name)))]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fetches", type=int, default=100_000)
    parser.add_argument("--pages", type=int, default=1_000_000, help="of the web (default %(default)s)")
    parser.add_argument("--preset", default="topical", help="what the web contains, as in clew lab sim")
    parser.add_argument("--set", default="", metavar="NAME=VALUE,...", help="parameters of the web over the preset's")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=10_000, help="visits that make a row")
    parser.add_argument("--methods", default=METHODS, help="STRATEGY|JUDGE, parted by commas (default %(default)s)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
