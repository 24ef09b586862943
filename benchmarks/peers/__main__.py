"""Other crawlers on tasks of the lab, beside Clew's own strategies: same web, same ledger, same truth.

    python -m benchmarks.peers [TASK.toml ...] [--peers scrapy,crawl4ai] [--strategies clew] [--judges auto]
                               [--budget N] [--jobs 2] [--within MINUTES] [--out results/] [--json FILE]

Without task files: ten of the family of tasks that is there to report on. See README.md here for what each peer is
given. With --out, what ran is kept, the same command goes on where it was, and ``clew lab report`` shows the runs in
its plots.
"""

from __future__ import annotations

import argparse
import json
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import FrameType

from rich.console import Console

from benchmarks.peers.comparing import Comparison, kept, missing
from benchmarks.peers.processes import run
from benchmarks.peers.running import PEERS, Peer, install, release
from benchmarks.peers.tables import areas, costs, counts, details, means, web_of
from benchmarks.peers.words import WORDS
from clew.config import Settings
from clew.errors import ClewError, InputError
from clew.lab.asking import NONE
from clew.lab.running import Plan, TaskResult, summary
from clew.lab.saved import save
from clew.lab.tasks import Task, load
from clew.lab.variants import judge_variants, strategy_variants

FAMILY = Path(__file__).resolve().parents[3] / "shared" / "webs" / "family" / "b"
EVERY = 3
"""Every third of the thirty tasks there, by name, the first among them."""

STRATEGIES = ",".join(dict.fromkeys(("breadth-first", "best-first", str(Settings().strategy["name"]))))
JUDGES = Settings().judge.name


def _peers(text: str) -> list[Peer]:
    names = list(PEERS) if text == "all" else list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in PEERS:
            raise InputError(f"there is no peer {name!r}; choose from: all, {', '.join(PEERS)}")
    return [PEERS[name] for name in names]


def family() -> list[Path]:
    """The tasks that run when none is named, chosen by their names alone. Raises InputError where they are missing."""
    files = sorted(FAMILY.glob("*.toml"))[::EVERY]
    if not files:
        raise InputError(f"{FAMILY} is missing, where the ten tasks are: name task files")
    return files


def _tasks(paths: Sequence[Path], budget: int) -> list[Task]:
    """The tasks of files, or the ten; ``budget`` 0: their own. Raises InputError."""
    tasks = [load(path) for path in paths or family()]
    return [replace(task, budget=budget) for task in tasks] if budget else tasks


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="*", metavar="TASK.toml")
    parser.add_argument("--peers", default="all", help=f"all, or some of {','.join(PEERS)}")
    parser.add_argument("--strategies", default=STRATEGIES, help="Clew's own, as in clew lab run")
    parser.add_argument("--judges", default=JUDGES)
    parser.add_argument("--budget", type=int, default=0, help="fetches; else each task's own")
    parser.add_argument("--words", type=int, default=WORDS, help="keywords from the examples, beside the topic's name")
    parser.add_argument("--minutes", type=float, default=5.0, help="for each peer and task, at most")
    parser.add_argument("--within", type=float, default=25.0, metavar="MINUTES", help="no run starts later than this")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default %(default)s)")
    parser.add_argument("--out", type=Path, help="keep the runs here, to go on from and for clew lab report")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    return parser.parse_args()


def main() -> int:
    """Run, print the tables, save. Exit code 1 where a peer failed or runs are left, 2 for what the user can put
    right, 130 when stopped."""
    signal.signal(signal.SIGTERM, _stopped)
    options = _options()
    with tempfile.TemporaryDirectory(prefix="clew-peers-") as folder:
        try:
            return _main(options, options.out or Path(folder))
        except (ClewError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2


def _main(options: argparse.Namespace, out: Path) -> int:
    until = time.time() + 60 * options.within
    peers, tasks = _peers(options.peers), _tasks(options.tasks, options.budget)
    plan = Plan(strategy_variants(options.strategies), judge_variants(options.judges), 1, backlinks=NONE)
    pythons = tuple(install(peer) for peer in peers)
    comparison = Comparison(tuple(peers), pythons, plan, out, options.words, options.minutes, until)
    died, stopped = False, False
    try:
        died = run(comparison, tasks, options.jobs)
    except KeyboardInterrupt:
        stopped = True
    failures = _show(comparison, tasks, options.json)
    left = sum(len(missing(comparison, task)) for task in tasks)
    if left:
        print(f"{left} runs are left; with --out, the same command goes on where it was", file=sys.stderr)
    return 130 if stopped else 1 if failures or left or died else 0


def _stopped(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _show(comparison: Comparison, tasks: Sequence[Task], file: Path | None) -> list[str]:
    """Print the tables of what is there, and write it where it is wanted; what peers failed of."""
    there = {task.name: kept(comparison, task) for task in tasks}
    methods = comparison.methods()
    found = [result for task in tasks if (result := there[task.name].result(task, methods)) is not None]
    failures = [f"{name}: {how[0]}: {why}" for name, own in there.items() for how, why in own.failures.items()]
    save(found, comparison.out)
    if file is not None:
        file.write_text(_json(found, failures), encoding="utf-8")
    webs = {task.name: web_of(task) for task in tasks}
    releases = dict.fromkeys(map(release, comparison.peers))
    console = Console(width=max(Console().width, 150))
    console.print(f"clew {version('clew')}, {', '.join(releases)}, Python {platform.python_version()}", highlight=False)
    shown = (details(found), areas(found, webs), counts(found, webs), costs(found, webs)) if found else ()
    for table in shown:
        console.print(table)
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return failures


def _json(results: Sequence[TaskResult], failures: Sequence[str]) -> str:
    runs = [summary(result, run) for result in results for run in result.runs]
    return json.dumps({"runs": runs, "means": means(results), "failures": list(failures)}, indent=1)


if __name__ == "__main__":
    raise SystemExit(main())
