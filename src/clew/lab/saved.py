"""Results on disk: one file of columns a run and one a task, so that a report can be made again without crawling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from clew.errors import InputError
from clew.lab.results import Run
from clew.lab.running import TaskResult
from clew.text.shown import file_name

RUNS, TASKS = "runs", "tasks"
_SCALARS = ("task", "strategy", "judge", "repeat", "budget", "reachable", "seconds", "cpu_ms_per_page", "frontier")
_REST = ("robots", "absent", "stopped_by")


def save(results: Iterable[TaskResult], folder: Path) -> None:
    """Write results into ``folder``; those of an earlier comparison there are replaced, file by file."""
    for name in (RUNS, TASKS):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for result in results:
        np.savez_compressed(
            folder / TASKS / f"{file_name(result.task)}.npz",
            task=result.task,
            oracle=result.oracle,
            one_step=result.one_step,
        )
        for run in result.runs:
            name = ".".join(file_name(part) for part in (run.task, run.strategy, run.judge)) + f".{run.repeat}.npz"
            columns: dict[str, Any] = {field.name: getattr(run, field.name) for field in fields(Run)}
            np.savez_compressed(folder / RUNS / name, **{**columns, "urls": np.array(run.urls, np.str_)})


def load(folder: Path) -> list[TaskResult]:
    """The results in ``folder``, by the name of the task. Raises InputError when there are none."""
    files = sorted((folder / TASKS).glob("*.npz"))
    if not files:
        raise InputError(f"{folder} holds no results of the lab: make some with clew lab run ... --out {folder}")
    runs = [_run(file) for file in sorted((folder / RUNS).glob("*.npz"))]
    found = []
    for file in files:
        with np.load(file) as kept:
            name = str(kept["task"])
            own = tuple(run for run in runs if run.task == name)
            found.append(TaskResult(name, own, kept["oracle"], kept["one_step"]))
    return found


def _run(file: Path) -> Run:
    with np.load(file) as kept:
        values: dict[str, Any] = {name: kept[name] for name in kept.files}
    lacking = {field.name for field in fields(Run)} - set(values)
    if lacking:
        raise InputError(
            f"{file} was written by another version of Clew and lacks {', '.join(sorted(lacking))}: remove it, or make "
            "the results again with clew lab run"
        )
    for name in (*_SCALARS, *_REST):
        values[name] = values[name].item()
    values["urls"] = tuple(values["urls"].tolist())
    return Run(**values)
