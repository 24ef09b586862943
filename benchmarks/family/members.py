"""The tasks of a family: files, all files of a folder, and simulated webs by preset and seed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clew.errors import InputError
from clew.lab.experiment import SimulatedTask, distinct, simulated
from clew.lab.simulating import PRESETS
from clew.lab.tasks import Task, load

_START = re.compile(r"-(near|far)\b")


@dataclass(frozen=True, slots=True)
class Member:
    """A task with what tables group it by. ``web``: the name of the web's file, or sim:PRESET; ``start``: near or far
    if the task's name says so, else empty."""

    task: Task
    web: str
    start: str

    @property
    def is_simulated(self) -> bool:
        """Whether it has a web of its own."""
        return self.task.web.startswith("sim:")


def members(
    paths: Iterable[Path], presets: Sequence[str] = (), seeds: Iterable[int] = (), pages: int = 10_000, budget: int = 0
) -> tuple[Member, ...]:
    """The family, in the order given; ``budget`` in place of the tasks' own unless 0. Raises InputError or ConfigError
    for what cannot be read, unknown presets, and two tasks of one name."""
    found = [Member(task, _web(task), _start(task.name)) for task in map(load, _files(paths))]
    seeds = tuple(seeds)
    found += [_simulated(preset, seed, pages) for preset in presets for seed in seeds]
    if not found:
        raise InputError("name task files or folders of them, or --presets with --seeds")
    if budget:
        found = [replace(one, task=replace(one.task, budget=budget)) for one in found]
    distinct([one.task for one in found])
    return tuple(found)


def seeds_of(text: str) -> tuple[int, ...]:
    """Seeds from a list of numbers and ranges, such as 101-120,130. Raises InputError."""
    seeds: list[int] = []
    for part in text.split(","):
        matched = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if not matched:
            raise InputError(f"{part!r} is no seed and no range of seeds; write for example 101-120,130")
        first, last = int(matched[1]), int(matched[2] or matched[1])
        seeds += range(first, last + 1)
    return tuple(dict.fromkeys(seeds))


def _files(paths: Iterable[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        own = sorted(path.glob("*.toml")) if path.is_dir() else [path]
        if not own:
            raise InputError(f"{path} holds no task files (*.toml)")
        files += own
    return files


def _web(task: Task) -> str:
    """The name of a task's web: that of its file, without endings."""
    if task.web.startswith("sim:"):
        return "sim"
    return Path(task.web.partition(":")[2]).name.split(".")[0]


def _start(name: str) -> str:
    matched = _START.search(name)
    return matched[1] if matched else ""


def _simulated(preset: str, seed: int, pages: int) -> Member:
    """The task that an experiment file makes of the same preset."""
    if preset not in PRESETS:
        raise InputError(f"there is no preset {preset!r}; choose from: {', '.join(PRESETS)}")
    task = simulated(SimulatedTask(preset=preset, seed=seed, pages=pages))
    return Member(task, f"sim:{preset}", "")
