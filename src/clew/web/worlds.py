"""Where pages come from, for programs: each function gives what a crawl takes as its ``world``.

>>> from clew import worlds
>>> worlds.sim("pages=3000,seed=3")
'sim:pages=3000,seed=3'
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clew.config import Settings
from clew.web.base import Clock, World

__all__ = ["World", "archive", "folder", "live", "make", "names", "sim", "simulated"]


def live() -> str:
    """The web itself, over HTTP and politely."""
    return "live"


def archive(path: Path | str) -> str:
    """The pages of a WARC file, of any tool."""
    return f"archive:{Path(path).expanduser().resolve()}"


def folder(path: Path | str) -> str:
    """The pages of a mirror on disk, as wget makes it."""
    return f"folder:{Path(path).expanduser().resolve()}"


def sim(parameters: str = "") -> str:
    """A web computed from a seed, by parameters as users write them: pages=3000,seed=3 (docs/worlds.md has all)."""
    return f"sim:{parameters.removeprefix('sim:')}"


def simulated(**parameters: Any) -> str:
    """The same by keyword: ``simulated(pages=3000, seed=3)``."""
    return sim(",".join(f"{name}={value}" for name, value in parameters.items()))


def names() -> tuple[str, ...]:
    """Every world that can be named."""
    from clew.web.registry import WORLDS

    return WORLDS.names()


def make(world: str | World, settings: Settings | None = None, now: float = 0.0) -> tuple[World, Clock]:
    """A world by how users write it, or itself, and its clock. Raises InputError."""
    from clew.web.registry import make as make_world

    return make_world(world, settings or Settings(), now)
