"""Folders with results of the lab, found without reading the results."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from clew.errors import ClewError, InputError
from clew.lab.experiment import KEPT, TITLE, title_of
from clew.lab.saved import RUNS, TASKS

DEEPEST = 4
"""Folders below the first that are looked into."""

MOST = 200
"""Folders of results that are listed, and"""
MOST_LOOKED_INTO = 20_000
"""folders that are looked into for them: a home directory must not take minutes."""


Stamp = tuple[int, int, float]
"""How many tasks and runs there are, and when the newest was written, in Unix time."""


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """A folder of results. ``name``: its path below the one that was asked for, with /, "." for that itself ·
    ``tasks`` and ``runs``: how many files of each · ``changed``: when the newest was written, ISO 8601 in UTC."""

    name: str
    title: str
    tasks: int
    runs: int
    changed: str


def result_folders(base: Path, most: int = MOST) -> list[ResultFolder]:
    """Folders of results in ``base`` and below it, up to ``DEEPEST`` down, the newest first. Hidden folders, links and
    what cannot be read are passed by. Only names and times of files are looked at, and titles of experiments."""
    found = sorted(_results(base), key=lambda one: (-one[1], one[0]))[:most]
    return [_told(base, folder, newest) for folder, newest in found]


def result_folder(base: Path, name: str) -> Path:
    """The folder of results that has this name below ``base``. Raises InputError if there is none, and for names that
    lead elsewhere."""
    folder = base / name
    try:
        inside = "\0" not in name and folder.resolve().is_relative_to(base.resolve())
        if inside and any((folder / TASKS).glob("*.npz")):
            return folder
    except (OSError, ValueError):  # too long a name, and one that cannot be a name
        pass
    raise InputError(f"there are no results of the lab called {name[:200]!r} here: make some with clew lab run --out")


def stamp(folder: Path) -> Stamp:
    """Changes when a run or a task of these results is written."""
    tasks, runs = _times(folder / TASKS), _times(folder / RUNS)
    return len(tasks), len(runs), max([0.0, *tasks, *runs])


def _results(base: Path) -> Iterator[tuple[Path, float]]:
    """Each folder of results, and when its newest file was written."""
    waiting, looked_into = [(base, 0)], 0
    while waiting and looked_into < MOST_LOOKED_INTO:
        folder, depth = waiting.pop(0)
        looked_into += 1
        below = _below(folder)
        if TASKS in below and (times := _times(folder / TASKS)):
            yield folder, max(times + _times(folder / RUNS))
        if depth < DEEPEST:
            waiting += [(folder / name, depth + 1) for name in below if name not in (TASKS, RUNS)]


def _below(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.name for entry in entries if entry.name[0] != "." and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []


def _times(folder: Path) -> list[float]:
    """When each file of columns in a folder was written, in Unix time."""
    try:
        with os.scandir(folder) as entries:
            return [entry.stat().st_mtime for entry in entries if entry.name.endswith(".npz")]
    except OSError:
        return []


def _told(base: Path, folder: Path, newest: float) -> ResultFolder:
    try:
        title = title_of(folder / KEPT)
    except ClewError:
        title = TITLE
    changed = datetime.fromtimestamp(newest, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    name = folder.relative_to(base).as_posix()
    return ResultFolder(name, title, len(_times(folder / TASKS)), len(_times(folder / RUNS)), changed)
