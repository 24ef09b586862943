"""A row a run, as lines of JSON: written as runs end, read again to go on or to print tables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.family.members import Member
from clew.errors import InputError
from clew.lab.results import Run
from clew.lab.running import TaskResult, summary
from clew.model import Bools

RUNS = "runs.jsonl"
AFTER = (100, 300, 1000, 3000)
"""Fetches after which what was found is kept."""


class Row(Struct, frozen=True):
    """What tables need of a line; figures that a version did not write are None, as are shares of nothing."""

    task: str
    web: str
    start: str
    strategy: str
    judge: str
    repeat: int
    seed: int
    budget: int
    reachable: int
    positive: int
    negative: int
    area_over_oracle: float | None
    found_after: dict[str, int]
    cpu_ms_per_page: float
    precision: float | None = None
    recall_of_called: float | None = None
    estimated_precision: float | None = None

    @property
    def method(self) -> str:
        """Strategy and judge, written strategy|judge."""
        return f"{self.strategy}|{self.judge}"

    @property
    def key(self) -> Key:
        """Which run it is."""
        return Key(self.task, self.budget, self.strategy, self.judge, self.repeat, self.seed)


@dataclass(frozen=True, slots=True)
class Key:
    """Which run: the same key is the same figures, as long as Clew stays the same."""

    task: str
    budget: int
    strategy: str
    judge: str
    repeat: int
    seed: int


def line_of(member: Member, run: Run, oracle: Bools) -> dict[str, Any]:
    """The line of a run: the lab's summary, and what tables over a family need besides; ``oracle``: of its draw."""
    curve = run.curve
    result = TaskResult(run.task, (run,), (oracle,) * (run.repeat + 1), ())
    return {
        **summary(result, run),
        "web": member.web,
        "start": member.start,
        "budget": run.budget,
        "reachable": run.reachable,
        "positive": run.positive,
        "negative": run.negative,
        "found_after": {str(n): int(curve[min(n, run.fetched)]) for n in AFTER if n <= run.budget},
        "cpu_ms_per_page": round(run.cpu_ms_per_page, 3),
        "stopped_by": run.stopped_by,
        "version": run.version,
    }


def append(folder: Path, line: dict[str, Any]) -> None:
    """Add a line to the folder's file in one write, so that several processes can."""
    file = os.open(folder / RUNS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, msgspec.json.encode(line) + b"\n")
    finally:
        os.close(file)


def mend(folder: Path) -> None:
    """End a line that a killed process left unfinished, so that the next one begins anew."""
    path = folder / RUNS
    if path.exists() and (text := path.read_bytes()) and not text.endswith(b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")


def read(folder: Path) -> list[Row]:
    """The rows of all *.jsonl files of a folder, one a run: the last where a run stands there twice. Lines that are no
    rows (a process was killed while it wrote) are passed over. Raises InputError when there is no folder."""
    if not folder.is_dir():
        raise InputError(
            f"{folder} is no folder of results: make it with python -m benchmarks.family ... --out {folder}"
        )
    return list({row.key: row for path in sorted(folder.glob("*.jsonl")) for row in _rows(path)}.values())


def _rows(path: Path) -> Iterator[Row]:
    for text in path.read_bytes().splitlines():
        try:
            yield msgspec.json.decode(text, type=Row)
        except msgspec.DecodeError:
            continue
