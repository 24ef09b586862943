"""What a user wants, from what they have: lists, folders of pages, bookmarks, taxonomies, another project."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clew.errors import InputError, UrlError
from clew.examples.labels import LABELS, read_labels
from clew.examples.sources import Wanted
from clew.model import OTHER
from clew.project.lists import Line, example, read_list, seed_url
from clew.project.project import Project
from clew.topics.bookmarks import read_bookmarks
from clew.topics.dmoz import read_dmoz
from clew.topics.entry import Entry
from clew.topics.opml import read_opml
from clew.topics.tags import LEAST as LEAST_TAGGED
from clew.topics.tags import Tagged, by_tags
from clew.topics.topicsfile import TopicSpec, entries, read_topics
from clew.topics.tree import ROOT, TopicTree, clean_name
from clew.urls.canonical import canonical
from clew.words import many

PAGES = (".html", ".htm", ".xhtml", ".txt")
"""Endings of pages in a folder of examples."""

PER_TOPIC = 30
"""Examples that a topic keeps: each is fetched before the crawl starts."""

OUTSIDE = 200
"""Examples drawn from a taxonomy outside the focus, as negatives."""

TAKEN_OVER = 200
"""Relevant pages of another project that become examples, the best ones."""


NO_TAGS = "none"
"""Given for the tags to choose: none of them is a topic."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What was made of a file of bookmarks or topics. ``links``: those to the web, each once; ``topics``: their paths
    and the examples filed under each itself; ``skipped``: links left out, by why; ``notes``: how it was read."""

    file: str
    links: int
    topics: Mapping[str, int]
    skipped: Mapping[str, int]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Wish:
    """What goes into a new project. ``name``: that of the topic of links that are filed nowhere; ``tree`` is None for
    a single topic, ``keywords`` are those of its topics by path; ``understood`` says what a file of topics came to,
    ``notes`` what else a user should know."""

    name: str = "links"

    seeds: list[str] = field(default_factory=list)
    relevant: list[str] = field(default_factory=list)
    irrelevant: list[str] = field(default_factory=list)
    tree: TopicTree | None = None
    keywords: dict[str, dict[str, float]] = field(default_factory=dict)
    formula: str = ""
    query: str = ""
    understood: Understood | None = None
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


def is_url(text: str) -> bool:
    """Whether what a user gave is a page of the web itself, not a file that lists some."""
    return bool(re.match(r"(?i)https?:/", text))


def pages(source: str, topic: int, option: str) -> list[Wanted]:
    """The examples that ``source`` is or holds: a URL, a page (by its ending), a list file, or a folder and all pages
    in it and the folders below. Raises InputError."""
    path = Path(os.path.expanduser(source))
    if is_url(source) or (path.suffix.lower() in PAGES[:-1] and not path.is_dir()):
        return [example(Line(source, option), topic, Path())]
    if not path.is_dir():
        return [example(line, topic, path.parent) for line in read_list(path)]
    files = sorted(file for file in path.rglob("*") if file.suffix.lower() in PAGES and file.is_file())
    if not files:
        raise InputError(f"{path} holds no page: files ending in {', '.join(PAGES)} count")
    return [Wanted(str(file.resolve()), topic, str(path)) for file in files]


def add_pages(wish: Wish, relevant: Sequence[str], irrelevant: Sequence[str]) -> None:
    """Pages that are wanted, which are also where to start when they are URLs, and pages that are not."""
    good = [one for source in relevant for one in pages(source, 0, "--relevant")]
    wish.relevant += [one.line for one in good]
    wish.seeds += [one.line for one in good if one.is_url]
    wish.irrelevant += [one.line for source in irrelevant for one in pages(source, OTHER, "--irrelevant")]


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


def add_bookmarks(
    wish: Wish, file: Path, minimum: int = 0, tags: Sequence[str] = (), per_topic: int = PER_TOPIC
) -> None:
    """Folders become topics, and so do tags of links in no folder, or the ``tags`` that are chosen; links are seeds
    and examples; those that are filed nowhere are one topic more.

    ``minimum``: examples that a topic needs to stay; 0: a folder one, a tag LEAST_TAGGED. ``tags`` may be NO_TAGS
    alone. Raises InputError.
    """
    skipped, strange = Counter[str](), Counter[str]()
    found = list(_fit(wish, read_bookmarks(file, strange), skipped))
    skipped.update(_elsewhere(strange))
    notes = []
    if tuple(tags) != (NO_TAGS,) and (tags or any(entry.tags and not entry.path for entry in found if entry.url)):
        tagged = by_tags(found, minimum or LEAST_TAGGED, tags)
        notes += _on_tags(tagged, minimum or LEAST_TAGGED, tags)
        if tags and tagged.without:
            skipped["tagged otherwise"] = tagged.without
        found = list(tagged.entries)
    tree = TopicTree.of(found).pruned(max(minimum, 1))
    if loose := tree.own(ROOT):
        notes.append(f"{many(len(loose), 'link')} in no folder: examples of the topic {wish.name}")
    _add_tree(wish, tree.with_root_as(wish.name), str(file), per_topic, Counted(_distinct(found), skipped, notes))


def _elsewhere(strange: Mapping[str, int]) -> dict[str, int]:
    """Links of a bookmark file that lead nowhere on the web, by what they are."""
    named = {
        f"not on the web ({scheme})" if scheme else "notes of the bookmark service, whose address is not told": count
        for scheme, count in strange.items()
    }
    return dict(sorted(named.items()))


def _on_tags(tagged: Tagged, least: int, chosen: Sequence[str]) -> list[str]:
    """How tags became topics, in words."""
    topics = len(tagged.links)
    if chosen:
        fewer = topics < len(set(map(str.casefold, chosen)))
        more = ["a chosen tag that shares all its links with a rarer one is no topic of its own"] if fewer else []
        return [f"topics are the tags you chose: {topics} of {tagged.tags:,}", *more]
    if not topics:
        return [f"no tag is a topic: none has {many(least, 'link')} (--min-examples, --tags)"]
    return [
        f"topics of links in no folder are their tags with {many(least, 'link')} or more: {topics} of {tagged.tags:,} "
        "(--tags chooses others)"
    ]


def add_taxonomy(
    wish: Wish, file: Path, structure: Path | None, focus: str, minimum: int = 1, per_topic: int = PER_TOPIC
) -> None:
    """Topics of a taxonomy: Open Directory RDF, topics.yaml or OPML, by the file's ending.

    Leaves with fewer than ``minimum`` examples are folded into their parents. Raises InputError.
    """
    kind, skipped = file.name.lower().removesuffix(".gz"), Counter[str]()
    if kind.endswith((".yaml", ".yml")):
        described = read_topics(file)
        tree = TopicTree.of(_fit(wish, entries(described), skipped))
        wish.keywords = {"/".join(map(clean_name, spec.path)): spec.keywords for spec in described}
        tree = tree.subtree(focus) if focus else tree
    elif kind.endswith(".opml"):
        tree = TopicTree.of(_fit(wish, read_opml(file), skipped))
        tree = tree.subtree(focus) if focus else tree
    else:
        tree = TopicTree.of(_fit(wish, read_dmoz(file, structure, focus), skipped))
        if focus:
            wish.irrelevant += _outside(file, focus)
    if structure is not None and kind.endswith((".yaml", ".yml", ".opml")):
        raise InputError(f"--structure belongs to Open Directory RDF; {file} is none")
    _add_tree(wish, tree.pruned(minimum), str(file), per_topic, Counted(None, skipped))
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


def _fit(wish: Wish, found: Iterable[Entry], skipped: Counter[str]) -> Iterator[Entry]:
    """Entries whose URLs a crawl can take; a link filed under two topics is an example of the first one only."""
    filed: dict[str, tuple[str, ...]] = {}
    twice = 0
    for entry in found:
        if not entry.url:
            yield entry
            continue
        url = _canonical(entry.url)
        if not url:
            skipped["no http(s) URLs"] += 1
            continue
        first = filed.setdefault(url, entry.path)
        apart = entry.example and not _related(first, entry.path)
        twice += apart
        yield replace(entry, url=url, example=entry.example and not apart)
    if twice:
        wish.notes.append(f"{many(twice, 'link')} filed under several topics; each is an example of the first one only")


def _distinct(found: Iterable[Entry]) -> int:
    return len({entry.url for entry in found if entry.url})


def _canonical(url: str) -> str:
    """A canonical URL; an empty string for what is none."""
    try:
        return canonical(url)
    except UrlError:
        return ""


def _related(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    short = min(len(one), len(other))
    return one[:short] == other[:short]


@dataclass(frozen=True, slots=True)
class Counted:
    """``links`` of a file (None: as many as its tree has), those that were ``skipped``, and how it was read."""

    links: int | None
    skipped: Mapping[str, int]
    notes: Sequence[str] = ()


def _add_tree(wish: Wish, tree: TopicTree, origin: str, per_topic: int, counted: Counted) -> None:
    seeds = list(dict.fromkeys(url for topic in range(ROOT, len(tree)) for url in tree.seeds(topic)))
    if not len(tree) and not seeds:
        raise InputError(f"{origin} has no link to a web page: there is nothing to start from{_but(counted.skipped)}")
    notes = list(counted.notes)
    if not len(tree):
        tree = tree.with_root_as(wish.name)
        notes.append(f"no topics: all links are examples of one, {wish.name}")
    elif loose := tree.seeds(ROOT):
        notes.append(f"{many(len(loose), 'link')} in no folder: seeds, but examples of no topic")
    wish.seeds += seeds
    wish.tree = tree.capped(per_topic)
    if more := sum(len(tree.own(topic)) > per_topic for topic in range(len(tree))):
        notes.append(
            f"{many(more, 'topic has', 'topics have')} more than {per_topic} links: {per_topic} of them are examples, "
            "all are seeds"
        )
    own = {tree.path(topic): len(wish.tree.own(topic)) for topic in range(len(tree))}
    links = len(seeds) if counted.links is None else counted.links
    wish.understood = Understood(origin, links, own, dict(counted.skipped), tuple(notes))


def _but(skipped: Mapping[str, int]) -> str:
    """What a file without any link to the web has instead."""
    return f" (left out: {left_out(skipped)})" if skipped else ""


def left_out(skipped: Mapping[str, int]) -> str:
    """Links left out and why, in words."""
    return "; ".join(f"{many(count, 'link')}, {why}" for why, count in skipped.items())


def specs(wish: Wish) -> Iterator[TopicSpec]:
    """The tree for topics.yaml; its seeds stand in seeds.txt."""
    tree = wish.tree or TopicTree()
    for topic in range(len(tree)):
        path = tree.path(topic)
        keywords = wish.keywords.get(path) or dict.fromkeys(tree.keywords(topic), 1.0)
        yield TopicSpec(tuple(path.split("/")), tree.description(topic), keywords, tree.own(topic))


def seeds_of(sources: Iterable[str]) -> list[str]:
    """Canonical URLs of list files, and of what is a URL itself. Raises InputError."""
    lines = (line for one in sources for line in ([Line(one, "--seeds")] if is_url(one) else read_list(Path(one))))
    return [seed_url(line) for line in lines]
