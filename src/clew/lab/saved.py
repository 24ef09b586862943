"""Results on disk: one file of columns a run and one a task, so that a report can be made again without crawling."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from clew.errors import InputError
from clew.lab.comparison import Comparison
from clew.lab.experiment import KEPT, TITLE, title_of
from clew.lab.results import Run
from clew.lab.running import TaskResult
from clew.model import Bools
from clew.text.shown import file_name

RUNS, TASKS = "runs", "tasks"
LIMITS = ("oracle", "one_step", "look_ahead", "bound")
_SCALARS = ("task", "strategy", "judge", "repeat", "budget", "reachable", "seconds", "cpu_ms_per_page", "frontier")
_REST = (
    *("robots", "absent", "stopped_by", "seed", "web", "strategy_settings", "judge_settings", "version", "drawn"),
    *("starts", "positive", "negative", "closed", "asked", "backlinks", "keywords"),
    *("precision", "recall_of_called", "estimated_precision", "estimated_low", "estimated_high"),
)


def save(results: Iterable[TaskResult], folder: Path) -> None:
    """Write results into ``folder``; those of an earlier comparison there are replaced, file by file. Runs of other
    methods stay if they were made of the same draws of start pages and examples; others are removed."""
    for name in (RUNS, TASKS):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for result in results:
        _remove_others(result, folder)
        np.savez_compressed(
            folder / TASKS / f"{file_name(result.task)}.npz",
            task=result.task,
            **_numbered("oracle", result.oracles),
            **_numbered("one_step", result.one_step),
            **_numbered("look_ahead", result.look_ahead),
            **_numbered("bound", result.bound),
        )
        for run in result.runs:
            name = ".".join(file_name(part, 70) for part in (run.task, run.strategy, run.judge)) + f".{run.repeat}.npz"
            columns: dict[str, Any] = {field.name: getattr(run, field.name) for field in fields(Run)}
            np.savez_compressed(folder / RUNS / name, **{**columns, "urls": np.array(run.urls, np.str_)})


def _remove_others(result: TaskResult, folder: Path) -> None:
    """Remove earlier runs of the task whose oracles, and so whose draws, were others."""
    file = folder / TASKS / f"{file_name(result.task)}.npz"
    if not file.exists():
        return
    with np.load(file) as kept:
        before = {name: kept[name] for name in kept.files}
    now = _numbered("oracle", result.oracles) | _numbered("one_step", result.one_step)
    for path in (folder / RUNS).glob("*.npz"):
        with np.load(path) as run:
            task, repeat = str(run["task"]), int(run["repeat"])
        if task == result.task and not all(_same(before, now, name, repeat) for name in ("oracle", "one_step")):
            path.unlink()


def _same(before: Mapping[str, Bools], now: Mapping[str, Bools], name: str, repeat: int) -> bool:
    earlier, later = before.get(f"{name}_{repeat}", before.get(name)), now.get(f"{name}_{repeat}")
    return earlier is not None and later is not None and np.array_equal(earlier, later)


def load(folder: Path) -> list[TaskResult]:
    """The results in ``folder``, by the name of the task. Raises InputError when there are none."""
    files = sorted((folder / TASKS).glob("*.npz"))
    if not files:
        raise InputError(f"{folder} holds no results of the lab: make some with clew lab run ... --out {folder}")
    runs = [_run(file) for file in sorted((folder / RUNS).glob("*.npz"))]
    found = []
    for file in files:
        with file.open("rb") as stream, np.load(stream) as kept:
            name = str(kept["task"])
            own = tuple(run for run in runs if run.task == name)
            repeats = 1 + max((run.repeat for run in own), default=0)
            found.append(TaskResult(name, own, *(_each(kept, of, repeats) for of in LIMITS)))
    return found


def load_comparison(folder: Path) -> Comparison:
    """The results in ``folder`` as reports want them, called as the experiment beside them. Raises InputError when
    there are none, or they cannot be read."""
    try:
        return comparison_of(load(folder), title_of(folder / KEPT))
    except (OSError, ValueError, TypeError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise InputError(f"the results in {folder} are damaged ({error}): make them again with clew lab run") from error


def comparison_of(results: Sequence[TaskResult], title: str = TITLE) -> Comparison:
    """Results as reports want them."""
    return Comparison(
        runs=tuple(run for result in results for run in result.runs),
        oracles={result.task: result.oracles for result in results},
        one_step={result.task: result.one_step for result in results},
        title=title,
        look_ahead={result.task: result.look_ahead for result in results},
        bound={result.task: result.bound for result in results},
    )


def _numbered(name: str, arrays: Sequence[Bools]) -> dict[str, Any]:
    """The arrays of the repeats by the names that they are kept under."""
    return {f"{name}_{repeat}": array for repeat, array in enumerate(arrays)}


def _each(kept: Mapping[str, Any], name: str, repeats: int) -> tuple[Bools, ...]:
    """The arrays of the repeats; earlier versions kept one, as all repeats were alike, or lack some."""
    if name in kept:
        return (kept[name],) * repeats
    return tuple(kept[f"{name}_{repeat}"] for repeat in range(repeats) if f"{name}_{repeat}" in kept)


def _run(file: Path) -> Run:
    with file.open("rb") as stream, np.load(stream) as kept:  # numpy leaves a damaged file of its own open
        values: dict[str, Any] = {name: kept[name] for name in kept.files}
    lacking = {field.name for field in fields(Run) if field.default is MISSING} - set(values)
    if lacking:
        raise InputError(
            f"{file} was written by another version of Clew and lacks {', '.join(sorted(lacking))}: remove it, or make "
            "the results again with clew lab run"
        )
    for name in (*_SCALARS, *_REST):
        if name in values:  # files of earlier versions lack some
            values[name] = values[name].item()
    values["urls"] = tuple(values["urls"].tolist())
    return Run(**values)
