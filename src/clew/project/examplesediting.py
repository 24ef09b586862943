"""Example pages of a project, listed and edited: those of topics in topics.yaml, and the lists of pages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clew.errors import InputError
from clew.examples.gathering import asked_for
from clew.examples.labels import IRRELEVANT, LABELS, RELEVANT, read_labels
from clew.model import OTHER
from clew.project.edits import editing, read, write
from clew.project.folder import ProjectFolder
from clew.project.lists import Line, example
from clew.project.topicsediting import found, specs_of
from clew.project.treewriting import apply, path_of
from clew.store.base import Store
from clew.urls.canonical import key

LISTS = (RELEVANT, IRRELEVANT)
"""Where examples may stand besides topics: the lists of pages, by these names."""


@dataclass(frozen=True, slots=True)
class ExamplePage:
    """An example. ``line``: a URL, or the path of a page on disk; ``state``: read, when the judge was trained with it;
    unread, when no crawl began since it was added; missing, when the page could not be had. ``label``: the user's label
    on the page, which counts instead; ``visit``: its number where the crawl visited it, else 0."""

    line: str
    state: str
    title: str = ""
    label: str = ""
    visit: int = 0


def examples_of(
    project: ProjectFolder, where: str, store: Store | None = None, offset: int = 0, limit: int = 1_000_000
) -> list[ExamplePage]:
    """The examples of a topic, or of a list (relevant, irrelevant), ``limit`` of them from ``offset`` on. Raises
    InputError."""
    lines = _lines(project, where)[offset : offset + limit]
    labels = {one.line: one.verdict for one in read_labels(project.path / LABELS)}
    kept = set(store.examples.names()) if store is not None else set()
    topic = OTHER if where == IRRELEVANT else _topic(project, where)
    asked = asked_for(store) if store is not None else set()
    return [_page(line, labels, (_kept(project, line), topic) in kept, asked, store) for line in lines]


def _kept(project: ProjectFolder, line: str) -> str:
    """An example under the name by which a crawl keeps it."""
    return line if "://" in line else str((project.path / os.path.expanduser(line)).resolve())


def _topic(project: ProjectFolder, where: str) -> int:
    if where == RELEVANT or project.tree is None:
        return project.interest.wanted
    return project.interest.topics.index(where)


def _page(line: str, labels: Mapping[str, str], kept: bool, asked: set[str], store: Store | None) -> ExamplePage:
    if store is None:
        return ExamplePage(line, "unread", label=labels.get(line, ""))
    row = store.visits.by_key(key(line)) if "://" in line else None
    state = "read" if kept else "missing" if line in asked else "unread"
    title, number = (row.title, row.number) if row is not None else ("", 0)
    return ExamplePage(line, state, title, labels.get(line, ""), number)


def add_example(project: ProjectFolder, where: str, text: str, known: str = "") -> str:
    """Add a page to a topic or list; what was done, in words. A topic takes URLs, a list paths of local pages too.
    ``known``: the stamp of what the user saw. Raises InputError, ProjectError."""
    with editing(project, known) as now:
        line = _checked(now, where, text)
        _check_new(now, line)
        return f"{line} is an example of {where} now{_save(now, {where: [*_lines(now, where), line]})}"


def remove_example(project: ProjectFolder, where: str, text: str, known: str = "") -> str:
    """Remove a page from a topic or list. Raises as ``add_example``."""
    with editing(project, known) as now:
        return f"{text} is no example of {where} any more{_save(now, {where: _without(now, where, text)})}"


def move_example(project: ProjectFolder, where: str, text: str, to: str, known: str = "") -> str:
    """Move a page from a topic or list to another. Raises as ``add_example``."""
    with editing(project, known) as now:
        left = _without(now, where, text)
        line = _checked(now, to, text)
        if to == where:
            raise InputError(f"{text} is an example of {to} already")
        if line in _lines(now, to):
            return f"{line} was an example of {to} too{_save(now, {where: left})}"
        return f"{line} is an example of {to} now{_save(now, {where: left, to: [*_lines(now, to), line]})}"


def _checked(project: ProjectFolder, where: str, text: str) -> str:
    """A page as its line is written. Raises InputError."""
    if any(not char.isprintable() for char in text) or not text.strip() or text.lstrip().startswith("#"):
        raise InputError("an example is the URL of a page, or the path of one on this machine")
    wanted = example(Line(text.strip(), "the example"), 0, project.path)
    if not wanted.is_url and where not in LISTS:
        raise InputError(f"topics take URLs; put a page on disk into {RELEVANT} or {IRRELEVANT}")
    return wanted.line if wanted.is_url else text.strip()


def _check_new(project: ProjectFolder, line: str) -> None:
    places = [where for where in (*_places(project), *LISTS) if line in _lines(project, where)]
    if places:
        raise InputError(f"{line} is an example of {places[0]} already: move it from there")


def _places(project: ProjectFolder) -> Sequence[str]:
    return () if project.tree is None else project.tree.paths


def _lines(project: ProjectFolder, where: str) -> list[str]:
    """The examples that stand under a topic itself, or in a list, as the judge knows them."""
    if where not in LISTS or where in _places(project):
        return [*found(specs_of(project), where).examples]
    lines = (line.strip() for line in (read(_list(project, where)) or "").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _list(project: ProjectFolder, where: str) -> Path:
    interest = project.settings.interest
    return project.path / (interest.relevant if where == RELEVANT else interest.irrelevant)


def _without(project: ProjectFolder, where: str, text: str) -> list[str]:
    lines = _lines(project, where)
    if text not in lines:
        raise InputError(f"{text[:200]!r} is no example of {where}: look at the list again")
    return [line for line in lines if line != text]


def _save(project: ProjectFolder, new: Mapping[str, Sequence[str]]) -> str:
    """Write the examples of some topics and lists; what else that changed, in words."""
    listed = [where for where in new if where in LISTS and where not in _places(project)]
    texts = {_list(project, where): _text(project, where, new[where]) for where in listed}
    filed = {where: tuple(lines) for where, lines in new.items() if where not in listed}
    if not filed:
        write(texts)
        return ""
    specs = [replace(one, examples=filed.get(path_of(one.path), one.examples)) for one in specs_of(project)]
    return apply(project, specs, None, texts)


def _text(project: ProjectFolder, where: str, lines: Sequence[str]) -> str:
    """The text of a list with these lines: comments, and lines that stay, are as they were."""
    old = (read(_list(project, where)) or "").splitlines()
    wanted = set(lines)
    left = [line for line in old if not line.strip() or line.strip().startswith("#") or line.strip() in wanted]
    there = {line.strip() for line in left}
    left += [line for line in lines if line not in there]
    return "".join(f"{line}\n" for line in left)
