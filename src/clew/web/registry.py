"""Worlds by what users write: live, archive:FILE, folder:DIR, sim:pages=N,seed=S."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from clew.config import Settings
from clew.errors import InputError, UrlError
from clew.urls.canonical import Canonicaliser
from clew.web.base import Clock, World
from clew.web.clock import LiveClock, VirtualClock

VIRTUAL_START = 946_684_800.0
"""Virtual clocks begin at 2000-01-01T00:00:00Z."""

FORMS = "live, archive:FILE.warc.gz, folder:DIR or sim:pages=100000,seed=7"


def absolute(spec: str, base: Path) -> str:
    """The same web with the path in it made absolute, relative to ``base``."""
    kind, _, rest = spec.partition(":")
    return f"{kind}:{(base / rest).resolve()}" if kind in ("archive", "folder") and rest else spec


def make(spec: str | World, settings: Settings, now: float = 0.0) -> tuple[World, Clock]:
    """The world that ``spec`` names and its clock, a virtual one beginning at ``now`` (or VIRTUAL_START).

    Raises InputError for a web that does not exist or cannot be understood.
    """
    if not isinstance(spec, str):
        return spec, VirtualClock(max(now, VIRTUAL_START))
    kind, _, rest = spec.partition(":")
    if spec == "live":
        return _live(settings)
    clock = VirtualClock(max(now, VIRTUAL_START))
    if kind == "archive" and rest:
        return _archive(Path(rest), settings, clock), clock
    if kind == "folder" and rest:
        return _folder(Path(rest), settings, clock), clock
    if kind == "sim":
        return _simulated(spec, clock), clock
    raise InputError(f"there is no web {spec!r}; say {FORMS}")


def _live(settings: Settings) -> tuple[World, Clock]:
    from clew.web.live import LiveWorld

    clock = LiveClock()
    crawl = settings.crawl
    world = LiveWorld(settings.politeness, settings.limits, settings.web.live, crawl.user_agent, crawl.contact, clock)
    return world, clock


def _archive(path: Path, settings: Settings, clock: Clock) -> World:
    from clew.web.archive import ArchiveWorld

    if not path.is_file():
        raise InputError(f"there is no archive file {path}; give a WARC file, as in --web archive:crawl.warc.gz")
    return ArchiveWorld(
        path,
        closed=settings.web.archive.closed,
        clock=clock,
        canonicalise=_canonical(settings),
        page_bytes=settings.limits.page_bytes,
    )


def _folder(path: Path, settings: Settings, clock: Clock) -> World:
    from clew.web.folder import FolderWorld

    if not path.is_dir():
        raise InputError(f"there is no folder {path}; give a mirror made by wget, as in --web folder:mirror/")
    return FolderWorld(
        path,
        closed=settings.web.archive.closed,
        clock=clock,
        canonicalise=_canonical(settings),
        page_bytes=settings.limits.page_bytes,
    )


def _canonical(settings: Settings) -> Callable[[str], str]:
    """Canonical URLs as the project writes them: what an archive calls a page must be what links call it."""
    canonicalise = Canonicaliser(settings.scope.drop_parameters, settings.scope.url_length)

    def canonical(url: str) -> str:
        found = canonicalise(url, "")
        if found is None:
            raise UrlError(url, canonicalise.why_not(url, ""))
        return found

    return canonical


def _simulated(spec: str, clock: Clock) -> World:
    from clew.web.simulated import SimulatedWorld, parse_spec

    return SimulatedWorld(parse_spec(spec), clock)
