"""A whole family of tasks: run several strategies and judges on all of it, and print tables over it.

    python -m benchmarks.family [TASK.toml | FOLDER ...] [--presets topical,hubs --seeds 101-120 --pages 10000]
                                --out FOLDER [--strategies best-first,clew,clew(learn=false)] [--judges auto]
                                [--repeats 1] [--jobs 2] [--table] [--against METHOD] [--each] [--markdown]

Runs are written to FOLDER/runs.jsonl as they end; what stands there is not run again, so a command that was stopped
goes on when it is given again, and strategies or judges can be added. Remove the folder after a change of Clew. A run
that fails is printed, kept in FOLDER/failures.txt with its traceback, and passed over; it is tried again next time.
--table runs nothing, and prints the tables of all *.jsonl files in FOLDER.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from benchmarks.family.members import members, seeds_of
from benchmarks.family.rows import read
from benchmarks.family.running import FAILURES, Family, run_family
from benchmarks.family.tables import Results, Table, tables
from clew.errors import ClewError, InputError
from clew.lab.asking import CHARGED, FREE, NONE
from clew.lab.running import Plan
from clew.lab.variants import judge_variants, split, strategy_variants

WIDEST = 2_000


def main() -> int:
    """Run and print. Exit code 1 where runs failed, 2 for what the user can put right, 130 when stopped."""
    signal.signal(signal.SIGTERM, _stopped)
    options = _options()
    try:
        failed = 0 if options.table else _run(options)
        results = Results(tuple(read(options.out)))
        if not results.rows:
            raise InputError(f"{options.out} holds no runs yet")
        if options.against and options.against not in results.areas:
            raise InputError(f"there is no method {options.against!r}; there are: {', '.join(results.areas)}")
        if lost := {row.task for row in results.rows if row.area_over_oracle is None}:
            print(f"left out, since even the oracle finds nothing: {', '.join(sorted(lost))}", file=sys.stderr)
        _print(tables(results, options.against, options.each), options.markdown)
    except (ClewError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    return 1 if failed else 0


def _run(options: argparse.Namespace) -> int:
    """Run what is missing, and tell what could not be run; how much that was."""
    plan = Plan(
        strategy_variants(options.strategies),
        judge_variants(options.judges),
        options.repeats,
        options.seed,
        backlinks=options.backlinks,
    )
    presets = split(options.presets)
    family = members(options.tasks, presets, seeds_of(options.seeds), options.pages, options.budget)
    failed = run_family(Family(family, plan, options.out), options.jobs)
    for key in failed:
        print(f"not run: {key.task}: {key.strategy}|{key.judge} {key.repeat}", file=sys.stderr)
    if failed:
        print(f"{len(failed)} runs failed; {options.out / FAILURES} says why", file=sys.stderr)
    return len(failed)


def _stopped(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _print(found: Iterable[Table], markdown: bool) -> None:
    for table in found:
        if markdown:
            print(as_markdown(table))
            continue
        shown = RichTable(title=table.title)
        for place, name in enumerate(table.head):
            shown.add_column(Text(name), justify="right" if place else "left", no_wrap=True)
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console = Console()
        needed = Measurement.get(console, console.options.update(max_width=WIDEST), shown).maximum
        Console(width=max(console.width, needed)).print(shown)


def as_markdown(table: Table) -> str:
    """A table for a page of documentation."""
    lines = (_line(row) for row in (table.head, ("---",) * len(table.head), *table.rows))
    return f"**{table.title}**\n\n" + "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, nargs="*", metavar="TASK.toml | FOLDER")
    parser.add_argument("--presets", default="", help="simulated webs as well, as in clew lab sim")
    parser.add_argument("--seeds", default="101-120", help="of the simulated webs, a task each (default %(default)s)")
    parser.add_argument("--pages", type=int, default=10_000, help="of a simulated web (default %(default)s)")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="for the runs, or with those to print"
    )
    parser.add_argument("--strategies", default="breadth-first,best-first,clew", help="as in clew lab run")
    parser.add_argument("--judges", default="auto", help="as in clew lab run (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="of tasks on collected webs; a simulated one has one")
    parser.add_argument("--seed", type=int, default=1, help="of the first repeat")
    parser.add_argument("--budget", type=int, default=0, help="fetches; else each task's own")
    parser.add_argument(
        "--backlinks",
        choices=(NONE, FREE, CHARGED),
        default=NONE,
        help="what it costs to ask who links to a page; none: nobody answers, as for most live crawls",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default %(default)s)")
    parser.add_argument("--table", action="store_true", help="run nothing, print the tables of what is there")
    parser.add_argument("--against", default="", metavar="METHOD", help="what is tested (default clew|auto)")
    parser.add_argument("--each", action="store_true", help="print every task's areas too")
    parser.add_argument("--markdown", action="store_true", help="tables for a page of documentation")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
