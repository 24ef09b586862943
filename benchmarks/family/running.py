"""Running what is not in the file yet: each run is written when it ends, and one that fails ends no other.

Processes take tasks that share a web together, since a process reads a web once. One that dies (out of memory) is
replaced, and its tasks are tried again one by one.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from benchmarks.family.members import Member
from benchmarks.family.rows import Key, append, line_of, mend, read
from clew.lab.bench import Readers, check
from clew.lab.oracle import greedy
from clew.lab.running import Plan, Repeat, Repeats
from clew.lab.variants import Variant
from clew.model import Bools

FAILURES = "failures.txt"

Chunk = tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """What to run, and the folder for its rows. Simulated tasks have one repeat each: the next would be the web of the
    next seed."""

    members: tuple[Member, ...]
    plan: Plan
    out: Path

    def keys(self, member: Member) -> list[Key]:
        """The runs of a member."""
        repeats = 1 if member.is_simulated else self.plan.repeats
        rows = product(range(repeats), self.plan.strategies, self.plan.judges)
        return [key_of(member, self.plan, *row) for row in rows]

    def missing(self, members: Sequence[Member]) -> list[Key]:
        """The runs of some members that are not in the folder."""
        done = {row.key for row in read(self.out)}
        return [key for member in members for key in self.keys(member) if key not in done]


def key_of(member: Member, plan: Plan, repeat: int, strategy: Variant, judge: Variant) -> Key:
    """The key of a run."""
    return Key(member.task.name, member.task.budget, strategy.name, judge.name, repeat, plan.seed + repeat)


def run_family(family: Family, jobs: int) -> list[Key]:
    """Run what is missing; the runs that failed come back. Every run that ends is in the file at once."""
    family.out.mkdir(parents=True, exist_ok=True)
    mend(family.out)
    left = [member for member in family.members if family.missing((member,))]
    if jobs < 2:
        for chunk in _chunks(left, 1):
            run_chunk(family, chunk)
    else:
        _in_processes(family, _chunks(left, jobs), jobs)
    return family.missing(family.members)


def _chunks(members: Sequence[Member], parts: int) -> list[Chunk]:
    """The tasks of each web, in so many parts."""
    webs: dict[str, list[Member]] = {}
    for member in members:
        webs.setdefault(member.web, []).append(member)
    chunks = [tuple(own[part::parts]) for own in webs.values() for part in range(parts)]
    return [chunk for chunk in chunks if chunk]


def _in_processes(family: Family, chunks: list[Chunk], jobs: int) -> None:
    context = multiprocessing.get_context("spawn")
    waiting, running = list(chunks), dict[BaseProcess, Chunk]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                chunk = waiting.pop(0)
                process: BaseProcess = context.Process(target=run_chunk, args=(family, chunk), daemon=True)
                process.start()
                running[process] = chunk
            wait([process.sentinel for process in running])
            for process in [one for one in running if not one.is_alive()]:
                waiting += _again(family, process, running.pop(process))
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.join()


def _again(family: Family, process: BaseProcess, chunk: Chunk) -> list[Chunk]:
    """The tasks that a process which died left, each by itself; none if it had just one."""
    if not process.exitcode:
        return []
    _tell(f"failed: a process of {len(chunk)} tasks died ({process.exitcode}): {', '.join(m.task.name for m in chunk)}")
    return [(member,) for member in chunk if family.missing((member,))] if len(chunk) > 1 else []


def run_chunk(family: Family, chunk: Chunk) -> None:
    """Run what is missing of some tasks in this process."""
    web, readers = "", Readers()
    for member in chunk:
        if member.task.web != web:
            web, readers = member.task.web, Readers()  # what was read of the last web is dropped
        _run_member(family, member, readers)


def _run_member(family: Family, member: Member, readers: Readers) -> None:
    missing = set(family.missing((member,)))
    judges = tuple(judge for judge in family.plan.judges if _can_tell(family, member, judge))
    if not judges:
        return
    plan = replace(family.plan, judges=judges)
    repeats = Repeats(plan, readers)
    for repeat in range(family.plan.repeats):
        wanted = [how for how in product(plan.strategies, judges) if key_of(member, plan, repeat, *how) in missing]
        if not wanted:
            continue
        try:
            own = repeats.of(member.task, repeat)
            oracle = greedy(own.graph, own.task.budget)
        except Exception as error:  # whatever it is: the other tasks are run
            _failed(family, f"{member.task.name}, repeat {repeat}", error)
            continue
        for strategy, judge in wanted:
            _run(family, member, own, strategy, judge, oracle)


def _can_tell(family: Family, member: Member, judge: Variant) -> bool:
    try:
        check(member.task, judge)
    except Exception as error:
        _failed(family, f"{member.task.name}: {judge.name}", error)
        return False
    return True


def _run(family: Family, member: Member, own: Repeat, strategy: Variant, judge: Variant, oracle: Bools) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        sys.exit("stopped: the command that started this process is gone")
    who, started = f"{member.task.name}: {strategy.name}|{judge.name} {own.repeat}", time.monotonic()
    try:
        line = line_of(member, own.run(strategy, judge), oracle)
    except Exception as error:
        _failed(family, who, error)
        return
    append(family.out, line)
    _tell(f"{who}: {line['area_over_oracle']:.3f}, {time.monotonic() - started:.0f} s")


def _failed(family: Family, who: str, error: Exception) -> None:
    """Say that a run failed, and keep where in a file."""
    _tell(f"failed: {who}: {type(error).__name__}: {error}")
    with (family.out / FAILURES).open("a", encoding="utf-8") as file:
        file.write(f"{who}\n{''.join(traceback.format_exception(error))}\n")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
