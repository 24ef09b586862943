"""The command: draw mutants, run tests against them, print scores and survivors. See the package."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.mutants.changes import Mutant, mutants_of
from benchmarks.mutants.rooms import ROOMS, ROOT, SOURCE, modules
from benchmarks.mutants.running import Outcome, Runner, plan

EXPLAINED = Path(__file__).with_name("explained.toml")
BATCH = 10
"""Mutants between two lines of progress."""


def drawn(room: str, sample: int, seed: int) -> list[Mutant]:
    """Mutants of a room in an order that the seed decides; 0: all."""
    found = [mutant for path in modules(room) for mutant in mutants_of(path)]
    random.Random(f"{seed} {room}").shuffle(found)
    chosen: list[Mutant] = []
    for mutant in found:
        if sample and len(chosen) == sample:
            break
        if mutant.valid:
            chosen.append(mutant)
    return chosen


def explained() -> set[tuple[str, str, str]]:
    """File, line and change of survivors that cannot be killed."""
    entries = tomllib.loads(EXPLAINED.read_text(encoding="utf-8")).get("survivor", [])
    return {(one["file"], one["line"], one["change"]) for one in entries if one["reason"]}


def key(mutant: Mutant) -> tuple[str, str, str]:
    """As in ``explained``."""
    row = mutant.path.read_text(encoding="utf-8").splitlines()[mutant.line - 1]
    return str(mutant.path.relative_to(SOURCE)), row.strip(), mutant.change


def tested(runner: Runner, mutants: Sequence[Mutant], seconds: float, named_only: bool) -> list[Outcome]:
    """What becomes of mutants: with the tests named for them, then survivors with those of their room."""
    left = seconds or float("inf")
    named, rest = plan(mutants)
    outcomes: list[Outcome] = []
    for start in range(0, len(mutants), BATCH):
        chosen = mutants[start : start + BATCH]
        if left > 0:
            _look(runner, [file for mutant in chosen for file in named[mutant.path]])
        started = time.monotonic()
        batch = runner.run(chosen, named, started + left)
        left -= time.monotonic() - started
        survivors = [one.mutant for one in batch if one.fate == "survived"]
        if survivors and not named_only and left > 0:
            _look(runner, [file for mutant in survivors for file in rest[mutant.path]])
            batch = [one for one in batch if one.fate != "survived"] + runner.run(survivors, rest, float("inf"))
        outcomes += batch
        _note(f"{len(outcomes)} of {len(mutants)}: {dict(Counter(one.fate for one in outcomes))}")
    return outcomes


def _look(runner: Runner, files: Sequence[Path]) -> None:
    for test in runner.look(files):
        _note(f"fails without any mutant and is not used: {test}")


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def summary(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """By room: counts of each fate, and the score, the share of mutants that were killed or took no end among those
    that ran and are not explained."""
    known, rooms = explained(), {}
    for room in ROOMS:
        own = [
            one for one in outcomes if one.mutant.path.relative_to(SOURCE).parts[0] == room and one.fate != "not run"
        ]
        if own:
            fates = Counter(one.fate if not _known(one, known) else "explained" for one in own)
            killed = fates["killed"] + fates["no end"]
            counted = len(own) - fates["explained"]
            rooms[room] = {
                "mutants": len(own), "killed": fates["killed"], "no end": fates["no end"],
                "survived": fates["survived"], "explained": fates["explained"],
                "score": killed / counted if counted else 1.0,
            }  # fmt: skip
    return rooms


def _known(one: Outcome, known: set[tuple[str, str, str]]) -> bool:
    return one.fate == "survived" and key(one.mutant) in known


def report(outcomes: Sequence[Outcome], as_json: bool) -> None:
    """Print survivors and scores."""
    known, rooms = explained(), summary(outcomes)
    left = sorted(one.mutant for one in outcomes if one.fate == "survived" and not _known(one, known))
    for mutant in left:
        print(f"{mutant.path.relative_to(ROOT)}:{mutant.line}: {mutant.change}    | {key(mutant)[1]}")
    table = Table("room", "mutants", "killed", "no end", "survived", "explained", "score")
    for room, row in rooms.items():
        table.add_row(room, *(str(row[name]) for name in row if name != "score"), f"{row['score']:.0%}")
    Console(width=100).print(table)
    if as_json:
        survivors = [[str(one.path.relative_to(ROOT)), one.line, one.change] for one in left]
        print(json.dumps({"rooms": rooms, "survivors": survivors}))


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutation testing of the rooms that decide.")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of: {', '.join(ROOMS)} (default: all)")
    parser.add_argument("--sample", type=int, default=0, help="mutants a room (0: all)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=0.0,
        help="begin no mutant after so many (0: no limit)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once")
    parser.add_argument("--named", action="store_true", help="only tests that are named for the module")
    parser.add_argument(
        "--longest", type=float, default=10.0, metavar="SECONDS", help="leave out tests that take more (default: 10)"
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON last")
    options = parser.parse_args()
    if unknown := set(options.rooms) - set(ROOMS):
        parser.error(f"no such room: {', '.join(sorted(unknown))}; rooms are: {', '.join(ROOMS)}")
    mutants = [one for room in options.rooms or ROOMS for one in drawn(room, options.sample, options.seed)]
    random.Random(options.seed).shuffle(mutants)  # a run that ends early has seen every room
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder), max(options.jobs, 1), options.longest)
        report(tested(runner, mutants, options.seconds, options.named), options.json)


if __name__ == "__main__":
    main()
