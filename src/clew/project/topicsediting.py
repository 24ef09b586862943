"""The tree of topics of a project, edited: topics added, renamed, moved, removed, described.

What else names topics follows: the formula in clew.toml, labels in labels.tsv, and what a crawl stored by topic, which
the next run judges anew. So a change of the tree needs the database to itself: while a crawl runs it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from clew.errors import InputError
from clew.project.edits import editing, read
from clew.project.folder import ProjectFolder
from clew.project.lists import Line, seed_url
from clew.project.treewriting import apply, one_line, path_of
from clew.topics.interest import RELEVANT
from clew.topics.topicsfile import TopicSpec, read_topics
from clew.topics.tree import clean_name


@dataclass(frozen=True, slots=True)
class Edited:
    """What an edit did, in words; ``path``: of the topic, now."""

    done: str
    path: str


def add_topic(project: ProjectFolder, parent: str, spec: TopicSpec, known: str = "") -> Edited:
    """Add a topic below ``parent`` ("": at the first level), as its last child; the last name of ``spec.path`` is its
    own. ``known``: the stamp of what the user saw. Raises InputError, ProjectError."""
    with editing(project, known) as now:
        specs, name = specs_of(now), _name(spec.path[-1])
        above = found(specs, parent).path if parent else ()
        path = (*above, name)
        _check_free(specs, path)
        place = _end(specs, above) if above else len(specs)
        spec = TopicSpec(
            path,
            one_line(spec.description),
            _words(spec.keywords),
            tuple(seed_url(Line(url, "the example")) for url in spec.examples),
        )
        new = [*specs[:place], spec, *specs[place:]]
        said = apply(now, new)
        needs = "" if spec.examples or spec.keywords else "; give it an example before the crawl goes on"
        return Edited(f"{name} was added{said}{needs}", path_of(path))


def change_topic(
    project: ProjectFolder,
    path: str,
    *,
    name: str | None = None,
    parent: str | None = None,
    description: str | None = None,
    keywords: Mapping[str, float] | None = None,
    known: str = "",
) -> Edited:
    """Give a topic another name, parent ("": the first level), description or keywords; None: as it is. Raises as
    ``add_topic``."""
    with editing(project, known) as now:
        specs = specs_of(now)
        old = found(specs, path).path
        above = old[:-1] if parent is None else (found(specs, parent).path if parent else ())
        new = (*above, old[-1] if name is None else _name(name))
        if above[: len(old)] == old:
            raise InputError(f"{path} cannot be moved below itself: choose another topic")
        specs = [
            replace(one, description=one_line(description)) if description is not None and one.path == old else one
            for one in specs
        ]
        if keywords is not None:
            specs = [replace(one, keywords=dict(keywords)) if one.path == old else one for one in specs]
        if new == old:
            return Edited(f"{path} was changed{apply(now, specs)}", path)
        if path_of(new) != path_of(old):
            _check_free(specs, new)
        moved = _moved(specs, old, new, stays=above == old[:-1])
        named = {path_of(one.path): path_of((*new, *one.path[len(old) :])) for one in _family(specs, old)}
        did = f"{path} is {path_of(new)} now"
        return Edited(f"{did}{apply(now, moved, named)}", path_of(new))


def remove_topic(project: ProjectFolder, path: str, known: str = "") -> Edited:
    """Remove a topic and all below it, with their examples and the labels that name them. Raises as ``add_topic``;
    InputError too where the formula names one of them, or it is the last one."""
    with editing(project, known) as now:
        specs = specs_of(now)
        old = found(specs, path).path
        left = [one for one in specs if one.path[: len(old)] != old]
        if not left:
            raise InputError(f"{path} is the last topic: a tree needs one at least")
        gone = {path_of(one.path): None for one in _family(specs, old)}
        return Edited(f"{path} was removed{apply(now, left, gone)}", path)


def make_tree(project: ProjectFolder, name: str, known: str = "") -> Edited:
    """Turn a project of one topic into one with a tree: its first topic has the URLs of relevant.txt as examples; paths
    of local pages stay there. Raises as ``add_topic``."""
    with editing(project, known) as now:
        if now.tree is not None:
            raise InputError(f"{now.path} has a tree of topics already")
        listed = now.path / now.settings.interest.relevant
        lines = (read(listed) or "").splitlines()
        urls = [line.strip() for line in lines if "://" in line and not line.startswith("#")]
        kept = "".join(f"{line}\n" for line in lines if line.strip() not in urls)
        spec = TopicSpec((_name(name),), examples=tuple(dict.fromkeys(urls)))
        texts = {listed: kept} if urls else {}
        return Edited(
            f"{name} is a topic now{apply(now, [spec], {RELEVANT: path_of(spec.path)}, texts)}", path_of(spec.path)
        )


def specs_of(project: ProjectFolder) -> list[TopicSpec]:
    """The topics of topics.yaml. Raises InputError where there is none."""
    path = project.path / project.settings.interest.topics
    if not path.is_file():
        raise InputError(f"{project.path} has one topic only: make a tree of it first")
    return read_topics(path)


# -- the list of topics -----------------------------------------------------------------------------------


def found(specs: Sequence[TopicSpec], path: str) -> TopicSpec:
    """The topic of a path, as the tree writes it. Raises InputError."""
    for spec in specs:
        if path_of(spec.path) == path:
            return spec
    raise InputError(f"there is no topic {path[:200]!r}: look at the tree again")


def _family(specs: Sequence[TopicSpec], path: tuple[str, ...]) -> list[TopicSpec]:
    """A topic and all below it."""
    return [one for one in specs if one.path[: len(path)] == path]


def _end(specs: Sequence[TopicSpec], path: tuple[str, ...]) -> int:
    """The place after a topic and all below it."""
    return max(place for place, one in enumerate(specs) if one.path[: len(path)] == path) + 1


def _name(text: str) -> str:
    name = clean_name(one_line(text))
    if not text.strip() or name == "unnamed" != text.strip():
        raise InputError("the name of a topic is empty: write one")
    return name


def _words(keywords: Mapping[str, float]) -> dict[str, float]:
    """Keywords fit for the file. Raises InputError."""
    words = {one_line(word): float(weight) for word, weight in keywords.items()}
    if "" in words or not all(map(isfinite, words.values())):
        raise InputError("a keyword is empty, or its weight is no number")
    return words


def _check_free(specs: Sequence[TopicSpec], path: tuple[str, ...]) -> None:
    if any(path_of(one.path) == path_of(path) for one in specs):
        raise InputError(f"there is a topic {path_of(path)!r} already: choose another name")


def _moved(specs: Sequence[TopicSpec], old: tuple[str, ...], new: tuple[str, ...], *, stays: bool) -> list[TopicSpec]:
    """Topics with one and all below it under another path: where they were, or as the last child of the parent."""

    def named(one: TopicSpec) -> TopicSpec:
        return replace(one, path=(*new, *one.path[len(old) :]))

    if stays:
        return [named(one) if one.path[: len(old)] == old else one for one in specs]
    family = [named(one) for one in _family(specs, old)]
    rest = [one for one in specs if one.path[: len(old)] != old]
    place = _end(rest, new[:-1]) if len(new) > 1 else len(rest)
    return [*rest[:place], *family, *rest[place:]]


def untaught(project: ProjectFolder) -> list[str]:
    """Topics of which neither an example nor a keyword nor a label tells anything, nor of a topic below: most judges
    cannot be trained while there is one."""
    tree = project.tree
    if tree is None:
        return []
    told = {one.topic for one in (*project.wanted(), *project.labels())}
    return [
        tree.path(topic)
        for topic in range(len(tree))
        if not any(one in told or tree.keywords(one) for one in (topic, *tree.below(topic)))
    ]
