"""Worlds by what users write: live, archive:FILE, folder:DIR, sim:pages=N,seed=S, or package.module:Class."""

from __future__ import annotations

from pathlib import Path

from clew.config import Settings
from clew.errors import ConfigError
from clew.registry import Entry, Registry
from clew.web.base import Clock, World
from clew.web.clock import VIRTUAL_START, LiveClock, VirtualClock

WORLDS: Registry[World] = Registry(
    "web",
    "clew.worlds",
    World,  # type: ignore[type-abstract]  # it is what classes are checked against
    {
        "live": Entry("clew.web.live.world:LiveWorld", "the web itself, over HTTP"),
        "archive": Entry("clew.web.archive:ArchiveWorld", "a WARC file of any tool", "archive:FILE"),
        "folder": Entry("clew.web.folder:FolderWorld", "a mirror on disk, as wget makes it", "folder:DIR"),
        "sim": Entry("clew.web.simulated.world:SimulatedWorld", "a web computed from a seed", "sim:pages=N,seed=S"),
    },
)
"""Every world."""


def make(world: str | World, settings: Settings, now: float = 0.0) -> tuple[World, Clock]:
    """A world that users name, or one that they made, and its clock: a virtual one begins at ``now`` or VIRTUAL_START.

    Raises InputError for a web that does not exist or cannot be understood.
    """
    if isinstance(world, str):
        name, rest = _apart(world)
        kind = WORLDS.get(name)
        assert isinstance(kind, type) and issubclass(kind, World)
        clock: Clock = LiveClock() if kind.live else VirtualClock(max(now, VIRTUAL_START))
        return kind.from_spec(rest, settings, clock), clock
    made = WORLDS.make(world)
    if isinstance(made.clock, VirtualClock) and made.clock.now() < now:
        made.clock.advance(now - made.clock.now())
    return made, made.clock


def absolute(spec: str, base: Path) -> str:
    """The same web with the path in it made absolute, relative to ``base``."""
    name, rest = _apart(spec)
    if not rest:
        return spec
    try:
        kind = WORLDS.get(name)
    except ConfigError:  # said when the world is made
        return spec
    return f"{name}:{(base / rest).resolve()}" if getattr(kind, "takes_path", False) else spec


def _apart(spec: str) -> tuple[str, str]:
    """The name of a world and what follows it: archive:FILE, or package.module:Class:REST."""
    name, _, rest = spec.partition(":")
    if name in WORLDS or not rest:
        return name, rest
    own, _, after = rest.partition(":")
    return (f"{name}:{own}", after) if own.isidentifier() else (name, rest)
