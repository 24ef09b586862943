"""The true link graph of a task: all that any crawl could fetch from its seeds."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable

import numpy as np

from clew.crawl.project import Project
from clew.lab.results import Graph
from clew.lab.tasks import Task
from clew.model import Outcome, Request, Response
from clew.text.reader import Unreadable
from clew.web.registry import make as make_world
from clew.web.simulated import parse_spec
from clew.web.simulated.world import links_of

MOST = 200_000
"""Pages that are explored, at most: what no budget reaches need not be known."""


Look = Callable[[str], Awaitable[tuple[bool, Iterable[str]]]]
"""Whether a URL is a page, and what it links to."""


async def explore(task: Task, project: Project) -> Graph:
    """Fetch everything that links lead to, breadth-first; pages the web lacks are no pages. Raises ClewError."""
    world, _ = make_world(task.web, project.settings)
    web = parse_spec(task.web) if task.web.startswith("sim:") else None

    async def look(url: str) -> tuple[bool, Iterable[str]]:
        if web is not None:  # what is broken fails, and a failure is a fetch
            found = (project.canonicalise(link, url) for link in links_of(web, url))
            return True, [link for link in found if link is not None]
        response = await world.fetch(Request(url))
        return response.outcome not in (Outcome.ABSENT, Outcome.REFUSED), _links(project, response)

    await world.open()
    try:
        return await _followed(task, project, look)
    finally:
        await world.close()


async def _followed(task: Task, project: Project, look: Look) -> Graph:
    numbers = {url: number for number, url in enumerate(project.seeds())}
    waiting, links, exists = deque(numbers), list[list[str]](), list[bool]()
    while waiting:
        there, found = await look(waiting.popleft())
        exists.append(there)
        links.append(list(dict.fromkeys(found)))
        for url in links[-1]:
            if url not in numbers and len(numbers) < MOST:
                numbers[url] = len(numbers)
                waiting.append(url)
    return _graph(task, project, numbers, links, exists)


def _links(project: Project, response: Response) -> list[str]:
    if response.outcome is Outcome.REDIRECT:
        target = project.canonicalise(response.location, response.url)
        return [target] if target is not None and not project.scope.why_not(target, 0) else []
    if response.outcome is not Outcome.OK:
        return []
    try:
        page = project.reader.read(response)
    except Unreadable:
        return []
    if page.nofollow:
        return []
    return [url for url, barred in zip(page.links.urls, page.links.nofollow.tolist(), strict=True) if not barred]


def _graph(task: Task, project: Project, numbers: dict[str, int], links: list[list[str]], exists: list[bool]) -> Graph:
    """Without the pages that do not exist, numbered in the order in which they were found."""
    new = np.cumsum(exists) - 1
    urls = tuple(url for url, there in zip(numbers, exists, strict=True) if there)
    rows = [
        [int(new[numbers[url]]) for url in row if url in numbers and exists[numbers[url]]]
        for row, there in zip(links, exists, strict=True)
        if there
    ]
    starts = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int32)
    seeds = [int(new[numbers[url]]) for url in project.seeds() if exists[numbers[url]]]
    return Graph(
        urls=urls,
        targets=np.array([target for row in rows for target in row], np.int32),
        starts=starts,
        relevant=np.array([url in task.relevant for url in urls], np.bool_),
        seeds=np.array(seeds, np.int32),
    )
