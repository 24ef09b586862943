"""Steering a project's crawl whether it runs or not: the running crawl is told, or the files say it to the next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.crawl.steering import checked_entry
from clew.errors import InputError, ProjectError, UrlError, shown
from clew.model import Outcome
from clew.project.folder import ProjectFolder
from clew.project.running import Running
from clew.store.base import Store
from clew.store.records import DROPPED
from clew.urls.canonical import canonical, key
from clew.urls.never import erase_never, write_never


def push(project: ProjectFolder, url: str) -> str:
    """Fetch a URL next: at once where a crawl runs, else as a seed of the next run. Says what was done; raises
    InputError for a URL that is none, out of scope or visited."""
    running = Running.find(project)
    if running is not None:
        return running.push(url)
    named = _canonical(project, url)
    why_not = project.scope.why_not(named)
    if why_not:
        raise InputError(f"{shown(named)} is out of scope: {why_not}")
    taken_back = _take_back(project, named) if project.database.is_file() else False
    path = project.path / project.settings.interest.seeds
    if named not in project.seeds():
        _append(path, named)
        return f"{shown(named)} is a seed of the next run ({path.name})"
    return f"{shown(named)} is {'a seed again' if taken_back else 'a seed already'}: the next run fetches it"


def drop(project: ProjectFolder, url: str) -> str:
    """Set a waiting URL aside for good. Says what was done; raises InputError where no link to it waits, ProjectError
    where nothing was crawled yet."""
    running = Running.find(project)
    if running is not None:
        return running.drop(url)
    named = _canonical(project, url)
    number = key(named)
    with _store(project) as store:
        _check_not_visited(store, named)
        refusal = store.links.refusal(number)
        if refusal is not None:
            raise InputError(f"{shown(named)} was set aside already: {refusal.reason}")
        place = next(iter(store.links.find(number)), None)
        if place is None:
            raise InputError(f"no link to {shown(named)} waits in this crawl")
        at = store.journal.clock
        store.links.refuse(number, named, row=place[0], index=place[1], outcome=Outcome.REFUSED, reason=DROPPED, at=at)
        store.commit()
    return f"{shown(named)} will not be fetched"


def block(project: ProjectFolder, entry: str) -> str:
    """Put a host, a host with its subdomains or the beginning of URLs onto the project's do-not-crawl list."""
    running = Running.find(project)
    if running is not None:
        return running.block(entry)
    path, entry = _never(project), checked_entry(entry)
    new = write_never(path, [entry], "blocked by a user")
    return f"{entry} is never fetched any more" if new else f"{entry} is on {path.name} already"


def unblock(project: ProjectFolder, entry: str) -> str:
    """Take an entry off the do-not-crawl list. Raises InputError where it is not on it."""
    running = Running.find(project)
    if running is not None:
        return running.unblock(entry)
    path, entry = _never(project), checked_entry(entry)
    if not erase_never(path, [entry]):
        raise InputError(f"{entry} is not on {path.name}")
    return f"{entry} may be fetched again"


def running_crawl(project: ProjectFolder) -> Running:
    """The crawl that runs. Raises ProjectError when none does."""
    found = Running.find(project)
    if found is None:
        raise ProjectError(f"no crawl of {project.path} runs; start one: clew crawl {project.path}")
    return found


def _never(project: ProjectFolder) -> Path:
    name = project.settings.scope.never
    if not name:
        raise InputError("this project has no do-not-crawl list (scope.never is empty)")
    return project.path / name


def _canonical(project: ProjectFolder, url: str) -> str:
    found = project.canonicalise(canonical(url.strip()), "")
    if found is None:
        raise UrlError(url, "this crawl writes no such URLs (its length, or parameters that are dropped)")
    return found


def _check_not_visited(store: Store, url: str) -> None:
    if store.visits.visited(key(url)):
        row = store.visits.by_key(key(url))
        raise InputError(f"{shown(url)} was visited already{f' (visit {row.number})' if row is not None else ''}")


def _take_back(project: ProjectFolder, url: str) -> bool:
    """A URL that was set aside is so no longer; False when it was not."""
    with _store(project) as store:
        _check_not_visited(store, url)
        if store.links.refusal(key(url)) is None:
            return False
        store.links.readmit(key(url))
        store.commit()
        return True


@contextmanager
def _store(project: ProjectFolder) -> Iterator[Store]:
    """The crawl database, to be written. Raises ProjectError when nothing was crawled yet, or a crawl holds it that
    cannot be asked."""
    if not project.database.is_file():
        raise ProjectError(f"nothing was crawled in {project.path} yet; start with: clew crawl {project.path}")
    store = project.open_store()
    try:
        yield store
    finally:
        store.close()


def _append(path: Path, line: str) -> None:
    try:
        old = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{'' if old.endswith(chr(10)) or not old else chr(10)}{line}\n")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
