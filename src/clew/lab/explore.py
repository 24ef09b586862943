"""The true link graph of a task: all that any crawl could fetch from its seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from clew.crawl.setup import Setup
from clew.lab.results import Graph
from clew.lab.tasks import Task
from clew.model import Outcome, Request, Response
from clew.text.reader import Unreadable
from clew.web.providers.inverted import Inverted, look_through
from clew.web.simulated import parse_spec
from clew.web.simulated.world import links_of


async def explore(task: Task, setup: Setup) -> Graph:
    """Fetch everything that links lead to, breadth-first; pages the web lacks are no pages. Raises ClewError."""
    world = setup.world
    web = parse_spec(task.web) if task.web.startswith("sim:") else None

    exists: list[bool] = []
    moved: list[bool] = []

    async def look(url: str) -> Iterable[str]:
        if web is not None:
            exists.append(True)  # what is broken fails, and a failure is a fetch
            links, redirects = links_of(web, url, setup.canonicalise)
            moved.append(redirects)
            return dict.fromkeys(links)
        response = await world.fetch(Request(url))
        exists.append(response.outcome not in (Outcome.ABSENT, Outcome.REFUSED))
        moved.append(response.outcome is Outcome.REDIRECT)
        return dict.fromkeys(_links(setup, response))

    await world.open()
    try:
        urls, rows = await look_through(setup.seeds, look)
        graph = _graph(task, setup, urls, rows, exists)
        return replace(graph, redirects=np.flatnonzero(np.array(moved, np.bool_)[exists]).astype(np.int32))
    finally:
        await world.close()


def back_links(graph: Graph) -> Inverted:
    """Who links to whom, through redirects or not."""
    rows = np.split(graph.targets, graph.starts[1:-1])
    return Inverted.of(graph.urls, (row.tolist() for row in rows), graph.redirects.tolist())


def _links(setup: Setup, response: Response) -> list[str]:
    if response.outcome is Outcome.REDIRECT:
        target = setup.canonicalise(response.location, response.url)
        return [target] if target is not None and not setup.scope.why_not(target, 0) else []
    if response.outcome is not Outcome.OK:
        return []
    try:
        page = setup.reader.read(response)
    except Unreadable:
        return []
    if page.nofollow:
        return []
    return [url for url, barred in zip(page.links.urls, page.links.nofollow.tolist(), strict=True) if not barred]


def _graph(task: Task, setup: Setup, found: list[str], links: list[list[int]], exists: list[bool]) -> Graph:
    """Without the pages that do not exist, numbered in the order in which they were found."""
    new = np.cumsum(exists) - 1
    urls = tuple(url for url, there in zip(found, exists, strict=True) if there)
    kept = (row for row, there in zip(links, exists, strict=True) if there)
    rows = [[int(new[target]) for target in row if exists[target]] for row in kept]
    starts = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int32)
    seeds = [int(new[place]) for place in range(len(setup.seeds)) if exists[place]]
    return Graph(
        urls=urls,
        targets=np.array([target for row in rows for target in row], np.int32),
        starts=starts,
        relevant=np.array([url in task.relevant for url in urls], np.bool_),
        seeds=np.array(seeds, np.int32),
    )


async def present_in(setup: Setup, urls: Sequence[str]) -> list[str]:
    """Those of some URLs whose pages the world has and the reader can read."""
    found = []
    await setup.world.open()
    try:
        for url in urls:
            response = await setup.world.fetch(Request(url))
            if response.outcome is Outcome.OK and _readable(setup, response):
                found.append(url)
    finally:
        await setup.world.close()
    return found


def _readable(setup: Setup, response: Response) -> bool:
    try:
        setup.reader.read(response)
    except Unreadable:
        return False
    return True
