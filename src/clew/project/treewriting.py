"""Writing a changed tree of topics, and whatever else names topics: the formula, labels, what a crawl stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clew.crawl.interests import record, recorded, standing_of, take_over_topics
from clew.errors import InputError, ProjectError
from clew.examples.labels import IRRELEVANT, LABELS, RELEVANT
from clew.project.edits import read, running, write
from clew.project.folder import SETTINGS, ProjectFolder
from clew.project.interestediting import with_interest
from clew.topics.formula import And, Formula, Not, Or, Topic, parse, topics_of, unparse
from clew.topics.interest import Interest, semantics_of
from clew.topics.topicsfile import TopicSpec, entries, parse_topics, topics_text
from clew.topics.tree import TopicTree, clean_name
from clew.words import many

BACKUP = ".bak"
"""What is appended to the name of topics.yaml for a copy of one whose comments an edit does not keep."""


def path_of(parts: Sequence[str]) -> str:
    """The path of a topic as the tree writes it."""
    return "/".join(map(clean_name, parts))


def one_line(text: str) -> str:
    """Text fit for a line of a file: without control characters and half characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def apply(
    project: ProjectFolder,
    specs: Sequence[TopicSpec],
    named: Mapping[str, str | None] | None = None,
    others: Mapping[Path, str] | None = None,
) -> str:
    """Write topics, and whatever else names them; what that means for a crawl, in words. ``named``: the new paths of
    topics that had another one, None of those that are gone; ``others``: further files to write."""
    named = named or {}
    tree = _tree_of(specs)
    tree.check_disjoint()
    formula = _formula(project, tree, named)
    settings = project.settings.interest
    Interest.of(tree, formula, 0.5, settings.exclude_from, semantics_of(settings.semantics, settings.weights))
    path = project.path / settings.topics
    texts = {path: topics_text(specs, _head(read(path) or "")), **(others or {})}
    if tuple(_tree_of(parse_topics(texts[path].encode(), path)).paths) != tree.paths:
        raise InputError(f"{path} could not be changed safely: change it yourself")
    labels, dropped = _labels(project, tree, named)
    if labels is not None:
        texts[project.path / LABELS] = labels
    if formula != settings.formula:
        texts[project.path / SETTINGS] = with_interest(project, formula)
    said = f", with {many(dropped, 'label')}" if dropped else ""
    if formula != settings.formula:
        said += f"; the formula is {formula} now"
    _keep_comments(path)
    if tree.paths == project.interest.topics or not project.database.is_file():
        write(texts)
        return said
    return said + _with_store(
        project, tree.paths, {old: new for old, new in named.items() if new}, lambda: write(texts)
    )


def _tree_of(specs: Sequence[TopicSpec]) -> TopicTree:
    return TopicTree.of(entries(specs))


def _with_store(
    project: ProjectFolder, topics: Sequence[str], named: Mapping[str, str], save: Callable[[], None]
) -> str:
    """Save, and put what a crawl stored under the topics' numbers."""
    if running(project):
        raise ProjectError(
            "a crawl is running, and keeps its pages by the topics that it knows: stop it, change the tree, and start "
            "it again"
        )
    store = project.open_store()
    try:
        if recorded(store) is None:  # crawled by an earlier version
            record(store, standing_of(project.interest))
        save()
        moved = take_over_topics(store, topics, named)
    finally:
        store.close()
    return "; the next run judges the stored pages anew" if moved else ""


def _formula(project: ProjectFolder, tree: TopicTree, named: Mapping[str, str | None]) -> str:
    """The formula as it must be written for the new tree: as it was, where it means the same."""
    text, old = project.settings.interest.formula, project.tree
    if old is None or not text.strip():
        return text
    formula = parse(text, old)
    new = {topic: named.get(old.path(topic), old.path(topic)) for topic in topics_of(formula)}
    gone = next((topic for topic, path in new.items() if path is None), None)
    if gone is not None:
        raise InputError(f"the formula names {old.path(gone)}: change the formula first, then remove the topic")
    places = {path: place for place, path in enumerate(tree.paths)}
    same = _renumbered(formula, {topic: places[path] for topic, path in new.items() if path is not None})
    try:
        return text if parse(text, tree) == same else unparse(same, tree.paths)
    except InputError:
        return unparse(same, tree.paths)


def _renumbered(formula: Formula, places: Mapping[int, int]) -> Formula:
    match formula:
        case Topic(index):
            return Topic(places[index])
        case Not(part):
            return Not(_renumbered(part, places))
        case And(parts):
            return And(tuple(_renumbered(part, places) for part in parts))
        case Or(parts):
            return Or(tuple(_renumbered(part, places) for part in parts))
    return formula


def _labels(project: ProjectFolder, tree: TopicTree, named: Mapping[str, str | None]) -> tuple[str | None, int]:
    """The text of labels.tsv for the new tree, None where it need not change; and how many labels name topics that are
    gone, and go with them."""
    text, old = read(project.path / LABELS), project.tree
    if text is None or old is None or not named:
        return None, 0
    lines, dropped = [], 0
    for line in text.splitlines():
        url, tab, verdict = line.partition("\t")
        new = _verdict(verdict.strip(), old, tree, named) if tab and not line.startswith("#") else verdict
        if new is None:
            dropped += 1
        else:
            lines.append(f"{url}{tab}{new}\n")
    changed = "".join(lines)
    return (changed if changed != text else None), dropped


def _verdict(verdict: str, old: TopicTree, tree: TopicTree, named: Mapping[str, str | None]) -> str | None:
    """What a label says of the new tree; None where its topic is gone."""
    if verdict in (RELEVANT, IRRELEVANT):
        return verdict
    try:
        before = old.path(old.find(verdict))
    except InputError:  # it names no topic, as its line says when labels are read
        return verdict
    path = named.get(before, before)
    if path is None:
        return None
    try:
        return verdict if tree.path(tree.find(verdict)) == path else path
    except InputError:
        return path


# -- the file ---------------------------------------------------------------------------------------------


def _head(text: str) -> str:
    """The comments at the beginning of a file, which an edit keeps."""
    lines = text.splitlines(keepends=True)
    kept = next((place for place, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    return "".join(lines[:kept])


def _keep_comments(path: Path) -> None:
    """A copy of a file that has comments below its beginning, which an edit does not keep, unless there is one."""
    text = read(path)
    copy = path.with_name(f"{path.name}{BACKUP}")
    if text is None or copy.exists():
        return
    rest = text[len(_head(text)) :]
    if any(line.lstrip().startswith("#") or " #" in line for line in rest.splitlines()):
        write({copy: text})
