"""The hosts of a crawl, for people: which are asked now, which wait, which rest or were refused and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.crawl.standing import HostState, refused_hosts
from clew.project.running import Running
from clew.store.base import Store

MOST = 1_000
"""A running crawl tells of so many hosts of a state, at most."""


@dataclass(frozen=True, slots=True)
class HostLine:
    """A host. ``links``: that wait, or were refused; ``why``: why it rests or was refused; ``until``: when it may be
    visited again, by the crawl's clock, None where that is now or not known; ``visits`` and ``relevant``: pages of it
    so far, None where nobody looked."""

    name: str
    links: int | None = None
    why: str = ""
    until: float | None = None
    visits: int | None = None
    relevant: int | None = None


@dataclass(frozen=True, slots=True)
class HostPage:
    """Some of the ``total`` hosts in a state. ``says``: what to know of the list, "" where nothing is."""

    state: str
    total: int
    hosts: tuple[HostLine, ...]
    says: str = ""


def hosts_live(running: Running, state: HostState, limit: int, offset: int) -> HostPage:
    """Hosts as a running crawl knows them."""
    found = running.hosts(state, min(offset + limit, MOST))
    lines = tuple(HostLine(one.name, one.links, one.why, one.until or None) for one in found.hosts[offset:])
    return HostPage(state, found.of, lines, _sampled(found.sample))


def hosts_stored(store: Store, state: str, limit: int, offset: int) -> HostPage:
    """Hosts as the database of a crawl knows them, running or not."""
    if state == "visited":
        return _visited(store, limit, offset)
    if state == "resting":
        rows = [HostLine(store.hosts.name(host), why=why) for host, why in store.hosts.silent().items()]
        rows.sort(key=lambda one: one.name)
        says = "did not answer when they were asked last; the next run asks again"
        return HostPage(state, len(rows), tuple(rows[offset : offset + limit]), says if rows else "")
    if state == "refused":
        found = refused_hosts(store, offset + limit)
        lines = tuple(HostLine(one.name, one.links, one.why) for one in found.hosts[offset:])
        return HostPage(state, found.of, lines, _sampled(found.sample))
    return HostPage(state, 0, (), f"which hosts are {state} is known while a crawl runs")


def _visited(store: Store, limit: int, offset: int) -> HostPage:
    """Those with most relevant pages first, then those with fewest others."""
    ids = np.arange(store.hosts.count(), dtype=np.uint32)
    visits, relevant = store.hosts.stats(ids)
    seen = ids[visits > 0]
    order = seen[np.lexsort((visits[seen], -relevant[seen]))]
    lines = tuple(
        HostLine(store.hosts.name(int(host)), visits=int(visits[host]), relevant=int(relevant[host]))
        for host in order[offset : offset + limit]
    )
    return HostPage("visited", len(seen), lines)


def _sampled(sample: int) -> str:
    return f"of {sample:,} refused URLs that were looked at; there are more" if sample else ""
