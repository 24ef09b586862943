"""What a user wants, from what they have: lists, folders of pages, bookmarks, taxonomies, another project."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from clew.errors import InputError, UrlError
from clew.examples.labels import LABELS, read_labels
from clew.examples.sources import Wanted
from clew.model import OTHER
from clew.project.lists import example, read_list, seed_url
from clew.project.project import Project
from clew.topics.bookmarks import read_bookmarks
from clew.topics.dmoz import read_dmoz
from clew.topics.entry import Entry
from clew.topics.opml import read_opml
from clew.topics.topicsfile import TopicSpec, entries, read_topics
from clew.topics.tree import TopicTree, clean_name
from clew.urls.canonical import canonical

PAGES = (".html", ".htm", ".xhtml", ".txt")
"""Endings of pages in a folder of examples."""

PER_TOPIC = 30
"""Examples that a topic keeps: each is fetched before the crawl starts."""

OUTSIDE = 200
"""Examples drawn from a taxonomy outside the focus, as negatives."""

TAKEN_OVER = 200
"""Relevant pages of another project that become examples, the best ones."""


@dataclass(slots=True)
class Wish:
    """What goes into a new project. ``tree`` is None for a single topic, ``keywords`` are those of its topics by
    path; ``notes`` tell what was left out."""

    seeds: list[str] = field(default_factory=list)
    relevant: list[str] = field(default_factory=list)
    irrelevant: list[str] = field(default_factory=list)
    tree: TopicTree | None = None
    keywords: dict[str, dict[str, float]] = field(default_factory=dict)
    formula: str = ""
    query: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def has_pages(self) -> bool:
        """Whether there are example pages; a query is none."""
        tree = self.tree
        return bool(self.relevant) or (tree is not None and any(map(tree.own, range(len(tree)))))

    def lists(self) -> dict[str, list[str]]:
        """Lines of the project's list files, each once."""
        named = {"seeds.txt": self.seeds, "relevant.txt": self.relevant, "irrelevant.txt": self.irrelevant}
        return {name: list(dict.fromkeys(lines)) for name, lines in named.items()}


# -- pages ------------------------------------------------------------------------------------------------


def pages(source: Path, topic: int) -> list[Wanted]:
    """Examples of a list file, or all pages of a folder and the folders below. Raises InputError."""
    if not source.is_dir():
        return [example(line, topic, source.parent) for line in read_list(source)]
    files = sorted(path for path in source.rglob("*") if path.suffix.lower() in PAGES and path.is_file())
    if not files:
        raise InputError(f"{source} holds no page: files ending in {', '.join(PAGES)} count")
    return [Wanted(str(path.resolve()), topic, str(source)) for path in files]


def add_pages(wish: Wish, relevant: Path | None, irrelevant: Path | None) -> None:
    """Pages that are wanted, which are also where to start when they are URLs, and pages that are not."""
    good = pages(relevant, 0) if relevant else []
    wish.relevant += [one.line for one in good]
    wish.seeds += [one.line for one in good if one.is_url]
    wish.irrelevant += [one.line for one in pages(irrelevant, OTHER)] if irrelevant else []


def add_project(wish: Wish, folder: Path) -> None:
    """The best pages that another project found, and what its user labelled. Raises ClewError."""
    project = Project(folder)
    store = project.open_store(read_only=True)
    try:
        rows = sorted(store.visits.rows(relevant=True), key=lambda row: (-row.relevance, row.number))
    finally:
        store.close()
    labels = {label.line: label.verdict for label in read_labels(project.path / LABELS)}
    best = [row.url for row in rows if labels.get(row.url) != "irrelevant"][:TAKEN_OVER]
    if not best:
        raise InputError(f"{folder} has found no relevant page yet: crawl it first")
    wish.relevant += best
    wish.seeds += best
    wish.irrelevant += [line for line, verdict in labels.items() if verdict == "irrelevant"]


# -- trees ------------------------------------------------------------------------------------------------


def add_bookmarks(wish: Wish, file: Path, per_topic: int = PER_TOPIC) -> None:
    """Folders become topics, links seeds and examples. Without folders, all links are one topic."""
    _add_tree(wish, TopicTree.of(_fit(wish, read_bookmarks(file))).pruned(1), str(file), per_topic)


def add_taxonomy(
    wish: Wish, file: Path, structure: Path | None, focus: str, minimum: int = 1, per_topic: int = PER_TOPIC
) -> None:
    """Topics of a taxonomy: Open Directory RDF, topics.yaml or OPML, by the file's ending.

    Leaves with fewer than ``minimum`` examples are folded into their parents. Raises InputError.
    """
    kind = file.name.lower().removesuffix(".gz")
    if kind.endswith((".yaml", ".yml")):
        described = read_topics(file)
        tree = TopicTree.of(_fit(wish, entries(described)))
        wish.keywords = {"/".join(map(clean_name, spec.path)): spec.keywords for spec in described}
        tree = tree.subtree(focus) if focus else tree
    elif kind.endswith(".opml"):
        tree = TopicTree.of(_fit(wish, read_opml(file)))
        tree = tree.subtree(focus) if focus else tree
    else:
        tree = TopicTree.of(_fit(wish, read_dmoz(file, structure, focus)))
        if focus:
            wish.irrelevant += _outside(file, focus)
    if structure is not None and kind.endswith((".yaml", ".yml", ".opml")):
        raise InputError(f"--structure belongs to Open Directory RDF; {file} is none")
    _add_tree(wish, tree.pruned(minimum), str(file), per_topic)
    if focus and wish.tree is not None and not wish.formula:
        name = focus.rstrip("/").rpartition("/")[2]
        wish.formula = f'"{wish.tree.path(wish.tree.find(name))}"'


def _outside(file: Path, focus: str) -> list[str]:
    """A sample of links outside the focus, the same one every time."""
    parts = tuple(part for part in focus.split("/") if part and part != "Top")
    rng, chosen = random.Random(1), list[str]()
    outside = (entry for entry in read_dmoz(file) if entry.url and entry.path[: len(parts)] != parts)
    for number, entry in enumerate(outside):
        place = number if number < OUTSIDE else rng.randrange(number + 1)
        if place < OUTSIDE and (url := _canonical(entry.url)):
            chosen[place : place + 1] = [url]
    return chosen


def _fit(wish: Wish, found: Iterable[Entry]) -> Iterator[Entry]:
    """Entries whose URLs a crawl can take; a link filed under two topics is an example of the first one only."""
    filed: dict[str, tuple[str, ...]] = {}
    wrong = twice = 0
    for entry in found:
        if not entry.url:
            yield entry
            continue
        url = _canonical(entry.url)
        if not url:
            wrong += 1
            continue
        first = filed.setdefault(url, entry.path)
        apart = entry.example and not _related(first, entry.path)
        twice += apart
        yield replace(entry, url=url, example=entry.example and not apart)
    if wrong:
        wish.notes.append(f"{_links(wrong)} left out: no http(s) URLs")
    if twice:
        wish.notes.append(f"{_links(twice)} filed under several topics; each is an example of the first one only")


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"


def _canonical(url: str) -> str:
    """A canonical URL; an empty string for what is none."""
    try:
        return canonical(url)
    except UrlError:
        return ""


def _related(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    short = min(len(one), len(other))
    return one[:short] == other[:short]


def _add_tree(wish: Wish, tree: TopicTree, origin: str, per_topic: int) -> None:
    loose = list(tree.seeds(-1))
    if not len(tree):
        if not loose:
            raise InputError(f"{origin} has no link to a web page: there is nothing to start from")
        wish.relevant += loose[:per_topic]
        wish.seeds += loose
        wish.notes.append("no folders: all links are examples of one topic")
        return
    if loose:
        wish.notes.append(f"{_links(len(loose))} in no folder: seeds, but examples of no topic")
    wish.seeds += [url for topic in range(-1, len(tree)) for url in tree.seeds(topic)]
    wish.tree = tree.capped(per_topic)


def specs(wish: Wish) -> Iterator[TopicSpec]:
    """The tree for topics.yaml; its seeds stand in seeds.txt."""
    tree = wish.tree or TopicTree()
    for topic in range(len(tree)):
        path = tree.path(topic)
        keywords = wish.keywords.get(path) or dict.fromkeys(tree.keywords(topic), 1.0)
        yield TopicSpec(tuple(path.split("/")), tree.description(topic), keywords, tree.own(topic))


def seeds_of(file: Path | None) -> list[str]:
    """Canonical URLs of a list file. Raises InputError."""
    return [seed_url(line) for line in read_list(file)] if file else []
