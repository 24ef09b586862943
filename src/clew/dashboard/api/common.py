"""What the modules of the API share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request

from clew.dashboard.projects import Shelf, Shown


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and what to do about it, in one sentence."""

    error: str


@dataclass(frozen=True, slots=True)
class Done:
    """Something was done: what, in words."""

    done: str


def shelf_of(request: Request) -> Shelf:
    """The projects that are shown."""
    shelf: Shelf = request.app.state.shelf
    return shelf


def shown_of(
    request: Request, name: Annotated[str, Path(description="Name of the project, as /api/projects lists it")]
) -> Shown:
    """The project that the path names."""
    return shelf_of(request).get(name)


ShelfOf = Annotated[Shelf, Depends(shelf_of)]
ShownOf = Annotated[Shown, Depends(shown_of)]
BASE = "/api/projects/{name}"
