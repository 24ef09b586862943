"""Results of the lab, to compare: the folder is given by ``clew serve --results``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath

from clew.dashboard.api.common import ShelfOf
from clew.dashboard.projects import NotThereError, Shelf
from clew.errors import InputError, ProjectError
from clew.lab.folders import ResultFolder, Stamp, result_folder, result_folders, stamp
from clew.lab.shown import Results, ShownCurve, results

router = APIRouter(tags=["compare"])

KEPT = 4
"""Folders whose results stay in memory, as reading and testing them takes seconds where there are many."""


@dataclass(frozen=True, slots=True)
class ResultFolders:
    """The folders of results, the newest first. ``base``: where they were looked for, "" where no folder was given;
    names lead on from there, "." is the folder itself."""

    base: str
    folders: list[ResultFolder]


@router.get("/api/results")
def listed(shelf: ShelfOf) -> ResultFolders:
    """The folders with results of the lab that can be compared."""
    if shelf.results is None:
        return ResultFolders("", [])
    return ResultFolders(str(shelf.results), result_folders(shelf.results))


@router.get("/api/results/{folder:path}")
def compared(
    shelf: ShelfOf,
    folder: Annotated[
        str, InPath(max_length=1000, description="Name as /api/results lists it; empty is the same as .")
    ],
) -> Results:
    """All methods of a folder of results by task, and all pairs of them tested. Its curves are empty here:
    ``/api/curves`` has those of a task."""
    return replace(_read(shelf, folder), curves=[])


@router.get("/api/curves")
def curves(
    shelf: ShelfOf,
    task: Annotated[str, Query(max_length=1000, description="Name of a task of these results")],
    folder: Annotated[str, Query(max_length=1000, description="Name as /api/results lists it")] = ".",
) -> list[ShownCurve]:
    """The found-curves of a task, a run each, and those of what was possible. Of a task that there is not: none."""
    return [curve for curve in _read(shelf, folder).curves if curve.task == task]


def _read(shelf: Shelf, name: str) -> Results:
    if shelf.results is None:
        raise ProjectError("no results of the lab are shown here: start clew serve with --results DIR")
    try:
        folder = result_folder(shelf.results, name)
    except InputError as error:
        raise NotThereError(str(error)) from error
    return _results(folder, stamp(folder))


@lru_cache(maxsize=KEPT)
def _results(folder: Path, _: Stamp) -> Results:
    """``results``, read again when a file of theirs changed."""
    return results(folder)
