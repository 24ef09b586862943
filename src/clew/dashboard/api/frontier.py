"""The frontier: the links that wait, what is kept out of it, and steering it by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from clew.crawl.waiting import WaitingLink
from clew.dashboard.api.common import BASE, Done, ShownOf
from clew.dashboard.waiting import Waiting
from clew.project import steering
from clew.project.running import Running
from clew.project.waiting import Blocked, blocked

router = APIRouter(tags=["frontier"])

Limit = Annotated[int, Query(ge=1, le=200, description="How many, at most")]


@dataclass(frozen=True, slots=True)
class BestLinks:
    """The best waiting links, best first. ``running``: as the running crawl has them at this moment; otherwise as the
    next run will find them. ``computing``: they are being looked for, so these are old ones or none; ask again."""

    running: bool
    computing: bool
    links: tuple[WaitingLink, ...]


@dataclass(frozen=True, slots=True)
class BlockedEntries:
    """The first entries of the do-not-crawl list, of ``total``."""

    total: int
    entries: tuple[Blocked, ...]


@dataclass(frozen=True, slots=True)
class OneUrl:
    """A URL."""

    url: Annotated[str, Field(min_length=1, max_length=4_000)]


@dataclass(frozen=True, slots=True)
class OneEntry:
    """An entry of the do-not-crawl list: a host (example.org), a host with its subdomains (.example.org), or the
    beginning of URLs (example.org/private/)."""

    entry: Annotated[str, Field(min_length=1, max_length=4_000)]


@router.get(f"{BASE}/frontier")
def frontier(shown: ShownOf, limit: Limit = 50) -> BestLinks:
    """The best waiting links with the parts of their scores in words. While no crawl runs, the first answer after
    something changed may take some time: ``computing`` says so at once."""
    running = Running.find(shown.project())
    if running is not None:
        return BestLinks(True, False, tuple(running.best(limit)))
    found = shown.kept(Waiting).best(limit)
    return BestLinks(False, found.computing, found.links)


@router.get(f"{BASE}/frontier/blocked")
def blocked_entries(shown: ShownOf, limit: Annotated[int, Query(ge=1, le=10_000)] = 500) -> BlockedEntries:
    """The do-not-crawl list: hosts and pages that are never asked for anything."""
    found = blocked(shown.project())
    return BlockedEntries(len(found), tuple(found[:limit]))


# -- what changes something -------------------------------------------------------------------------------


@router.post(f"{BASE}/frontier/push")
def push(shown: ShownOf, said: OneUrl) -> Done:
    """Fetch a URL next: at once where a crawl runs, else as a seed of the next run."""
    done = steering.push(shown.project(), said.url)
    shown.kept(Waiting).forget()
    return Done(done)


@router.post(f"{BASE}/frontier/drop")
def drop(shown: ShownOf, said: OneUrl) -> Done:
    """Set a waiting URL aside for good; ``push`` takes it back."""
    return Done(steering.drop(shown.project(), said.url))


@router.post(f"{BASE}/frontier/block")
def block(shown: ShownOf, said: OneEntry) -> Done:
    """Put a host, a host with its subdomains or the beginning of URLs onto the do-not-crawl list: it is not asked for
    anything any more, neither by this run nor by a later one."""
    return Done(steering.block(shown.project(), said.entry))


@router.post(f"{BASE}/frontier/unblock")
def unblock(shown: ShownOf, said: OneEntry) -> Done:
    """Take an entry off the do-not-crawl list."""
    return Done(steering.unblock(shown.project(), said.entry))
