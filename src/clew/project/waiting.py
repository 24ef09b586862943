"""What waits in a project's frontier, whether a crawl runs or not, and what is kept out of it."""

from __future__ import annotations

from dataclasses import dataclass

from clew.crawl.waiting import WaitingLink, stored_best, waiting_link
from clew.project.folder import ProjectFolder
from clew.store.base import Store
from clew.strategies.base import Strategy
from clew.urls.never import entries_of

LOOKED_AT = 2_000
"""Links that are asked whether the scope still lets them in, for the best ones that it does."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """An entry of the do-not-crawl list: a host, a host with its subdomains (.example.org) or the beginning of URLs.
    ``why``: the comment beside it, "" for none."""

    entry: str
    why: str


def waiting_links(project: ProjectFolder, store: Store, strategy: Strategy, n: int) -> list[WaitingLink]:
    """The ``n`` best links that the next run would find waiting, best first. The strategy must have been restored.

    All links are looked through, which takes seconds for a million pages. Links that the scope excludes by now are
    left out; they are refused when their turn comes.
    """
    found: list[WaitingLink] = []
    for lease in stored_best(store, strategy, project.settings.crawl.duplicates, max(LOOKED_AT, n)):
        if len(found) == n:
            break
        url = store.links.batch(lease.row).links.urls[lease.index]
        if project.scope.why_not(url) is None:
            found.append(waiting_link(store, strategy, lease))
    return found


def blocked(project: ProjectFolder) -> list[Blocked]:
    """The do-not-crawl list of a project, in its order. Raises InputError when the file cannot be read."""
    name = project.settings.scope.never
    return [Blocked(entry, why) for entry, why in entries_of(project.path / name)] if name else []
