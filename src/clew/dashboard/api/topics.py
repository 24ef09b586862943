"""The topics: the tree and its examples, edited; what is known of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from clew.dashboard.api.common import BASE, ShownOf
from clew.dashboard.projects import Shown
from clew.dashboard.studies import study_of
from clew.judges.quality import THIN, TopicQuality
from clew.project.edits import running, stamp
from clew.project.examplesediting import ExamplePage, add_example, examples_of, move_example, remove_example
from clew.project.previewing import relevant_by_topic
from clew.project.topicsediting import add_topic, change_topic, make_tree, remove_topic, untaught
from clew.project.understood import Told, about
from clew.store.base import Store
from clew.topics.topicsfile import TopicSpec

router = APIRouter(tags=["topics"])

LONGEST = 2_000
"""Characters of a path, a URL, a description, a formula."""

Text = Annotated[str, Field(max_length=LONGEST)]
Named = Annotated[str, Field(min_length=1, max_length=200)]
Stamp = Annotated[str, Field(max_length=16, pattern=r"^[0-9a-f]*$", description="Of what was seen; empty: no matter")]
Weight = Annotated[float, Field(ge=-1e6, le=1e6)]
Words = Annotated[dict[Annotated[str, Field(max_length=200)], Weight], Field(max_length=1000)]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic. ``own``: examples filed under it; ``inherited``: under it and all below. ``wanted``: its pages are,
    alone or together with others; ``relevant``: relevant pages that belong most to it or
    one below; null where that is not known yet."""

    path: str
    name: str
    parent: str
    description: str
    keywords: dict[str, float]
    own: int
    inherited: int
    wanted: bool
    relevant: int | None


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics in the order of the tree, parents first. ``stamp``: of the files that say so; edits that give it are
    refused (409) where somebody changed them meanwhile. ``tree``: whether there is one, else one topic of the lists
    alone. ``found``: how many topics there are, or hold the words. ``lists``: pages of relevant.txt, irrelevant.txt.
    ``untaught``: topics that need an example, a keyword or a label before the crawl can go on."""

    stamp: str
    tree: bool
    running: bool
    crawled: bool
    found: int
    topics: tuple[Topic, ...]
    lists: dict[str, int]
    untaught: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """What was done, in words; the stamp of the files now; ``path``: of the topic that was changed."""

    done: str
    stamp: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to add below ``parent`` (empty: at the first level)."""

    name: Named
    parent: Text = ""
    description: Text = ""
    keywords: Words = field(default_factory=dict)
    examples: Annotated[list[Text], Field(max_length=1000)] = field(default_factory=list)
    stamp: Stamp = ""


@dataclass(frozen=True, slots=True)
class TopicChange:
    """What is to change of a topic; null: nothing. ``parent``: the topic below which it goes; empty: the first
    level."""

    path: Text
    name: Named | None = None
    parent: Text | None = None
    description: Text | None = None
    keywords: Words | None = None
    stamp: Stamp = ""


@dataclass(frozen=True, slots=True)
class FirstTopic:
    """The first topic of a tree."""

    name: Named
    stamp: Stamp = ""


@dataclass(frozen=True, slots=True)
class NewExample:
    """A page for a topic, or for a list: ``relevant``, ``irrelevant``."""

    where: Text
    page: Text
    stamp: Stamp = ""


@dataclass(frozen=True, slots=True)
class ExampleMove:
    """A page that goes from a topic or list to another."""

    where: Text
    page: Text
    to: Text
    stamp: Stamp = ""


@contextmanager
def store_of(shown: Shown) -> Iterator[Store | None]:
    """The crawl database; None before the first crawl."""
    if not shown.project().database.is_file():
        yield None
        return
    with shown.store() as store:
        yield store


def changed(shown: Shown, done: str, path: str = "") -> Changed:
    """The answer to an edit."""
    return Changed(done, stamp(shown.project()), path)


@router.get(f"{BASE}/topics")
def topics(
    shown: ShownOf,
    request: Request,
    words: Annotated[str, Query(max_length=200, description="Only topics whose path holds these words")] = "",
    limit: Annotated[int, Query(ge=1, le=5000)] = 1000,
) -> Topics:
    """The tree of topics, quickly: nothing is read or trained for it."""
    project = shown.project()
    told = about(project, quick=True).topics
    found = list(told)
    if words.strip():
        tree = project.tree
        found = [told[topic] for topic in sorted(tree.search(words, limit))] if tree is not None else []
    with store_of(shown) as store:
        scores = study_of(request, shown).columns(shown, store) if store is not None else None
        counted = relevant_by_topic(store, scores, project.interest.topics) if store and scores else None
    counts = with_those_below(counted) if counted is not None else None
    keywords = project.topic_keywords
    return Topics(
        stamp=stamp(project),
        tree=project.tree is not None,
        running=running(project),
        crawled=project.database.is_file(),
        found=len(found),
        topics=tuple(_topic(one, keywords.get(one.path, {}), _count(counts, one.path)) for one in found[:limit]),
        untaught=tuple(untaught(project)[:100]),
        lists={where: len(examples_of(project, where)) for where in ("relevant", "irrelevant")},
    )


def with_those_below(counts: dict[str, int]) -> dict[str, int]:
    """Counts by path, each with those of the topics below."""
    found: dict[str, int] = {}
    for path, count in counts.items():
        parts = path.split("/") if count else []
        for depth in range(1, len(parts) + 1):
            above = "/".join(parts[:depth])
            found[above] = found.get(above, 0) + count
    return found


def _count(counts: dict[str, int] | None, path: str) -> int | None:
    return counts.get(path, 0) if counts is not None else None


def _topic(told: Told, keywords: dict[str, float], relevant: int | None) -> Topic:
    parent, _, name = told.path.rpartition("/")
    return Topic(told.path, name, parent, told.description, keywords, told.own, told.inherited, told.wanted, relevant)


@router.post(f"{BASE}/topics")
def add(shown: ShownOf, topic: NewTopic) -> Changed:
    """Add a topic. What was crawled is kept; the next run judges it anew. Refused while a crawl runs."""
    spec = TopicSpec((topic.name,), topic.description, topic.keywords, tuple(dict.fromkeys(topic.examples)))
    edited = add_topic(shown.project(), topic.parent, spec, topic.stamp)
    return changed(shown, edited.done, edited.path)


@router.patch(f"{BASE}/topics")
def change(shown: ShownOf, topic: TopicChange) -> Changed:
    """Rename, move or describe a topic. Formula and labels that name it follow. A new name or place is refused while a
    crawl runs."""
    edited = change_topic(
        shown.project(), topic.path, name=topic.name, parent=topic.parent, description=topic.description,
        keywords=topic.keywords, known=topic.stamp,
    )  # fmt: skip
    return changed(shown, edited.done, edited.path)


@router.delete(f"{BASE}/topics")
def remove(
    shown: ShownOf,
    path: Annotated[str, Query(max_length=LONGEST)],
    seen: Annotated[str, Query(alias="stamp", max_length=16)] = "",
) -> Changed:
    """Remove a topic and all below it, with their examples. Refused while a crawl runs, or the formula names one."""
    edited = remove_topic(shown.project(), path, seen)
    return changed(shown, edited.done, edited.path)


@router.post(f"{BASE}/topics/tree")
def plant(shown: ShownOf, topic: FirstTopic) -> Changed:
    """Give a project of one topic a tree: its first topic has the URLs of relevant.txt as examples."""
    edited = make_tree(shown.project(), topic.name, topic.stamp)
    return changed(shown, edited.done, edited.path)


# -- examples ---------------------------------------------------------------------------------------------


@router.get(f"{BASE}/topics/examples")
def examples(
    shown: ShownOf,
    where: Annotated[str, Query(max_length=LONGEST, description="A topic's path, or relevant, irrelevant")],
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> list[ExamplePage]:
    """The examples filed under a topic itself, or in a list, and whether the judge has read them."""
    with store_of(shown) as store:
        return examples_of(shown.project(), where, store, offset, limit)


@router.post(f"{BASE}/topics/examples")
def file(shown: ShownOf, example: NewExample) -> Changed:
    """Add an example. It trains the judge of the next run."""
    return changed(shown, add_example(shown.project(), example.where, example.page, example.stamp))


@router.patch(f"{BASE}/topics/examples")
def move(shown: ShownOf, example: ExampleMove) -> Changed:
    """Move an example to another topic or list."""
    return changed(shown, move_example(shown.project(), example.where, example.page, example.to, example.stamp))


@router.delete(f"{BASE}/topics/examples")
def unfile(
    shown: ShownOf,
    where: Annotated[str, Query(max_length=LONGEST)],
    page: Annotated[str, Query(max_length=LONGEST)],
    seen: Annotated[str, Query(alias="stamp", max_length=16)] = "",
) -> Changed:
    """Remove an example."""
    return changed(shown, remove_example(shown.project(), where, page, seen))


# -- what is known of topics ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Studied:
    """A topic as its examples tell it. ``typical`` terms, and those that set it ``apart``. Cross-validated: of the
    examples that the judge files under it the share that belong there (``precision``), the share of its own that it
    finds (``recall``), and the average precision; null where nothing can be told. ``thin``: too few examples to rely on
    these. ``confused``: the topics that win its examples, and what share."""

    path: str
    typical: tuple[str, ...]
    apart: tuple[str, ...]
    positives: int
    precision: float | None
    recall: float | None
    average_precision: float | None
    thin: bool
    confused: dict[str, float]


@dataclass(frozen=True, slots=True)
class Study:
    """``state``: none, computing, ready or failed; ``stale``: the project changed since; ``problem``: why it failed."""

    state: str
    stale: bool = False
    problem: str = ""
    topics: tuple[Studied, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyAsked:
    """``fetch``: read example pages that no crawl has read yet."""

    fetch: bool = False


@router.get(f"{BASE}/topics/about")
def study(shown: ShownOf, request: Request) -> Study:
    """What the examples tell of each topic, as it was computed last."""
    kept = study_of(request, shown)
    if kept.computing:
        return Study("computing")
    told = kept.told
    if told is None:
        return Study("none")
    stale = told.stamp != stamp(shown.project())
    if told.about is None:
        return Study("failed", stale, told.problem)
    return Study("ready", stale, "", tuple(map(_studied, told.about.topics)), told.about.warnings)


@router.post(f"{BASE}/topics/about")
def begin_study(shown: ShownOf, request: Request, asked: StudyAsked) -> Study:
    """Compute what the examples tell of each topic, in the background: the judge is trained several times for it."""
    study_of(request, shown).begin(shown, fetch=asked.fetch)
    return Study("computing")


def _studied(told: Told) -> Studied:
    rated = told.quality
    return Studied(
        path=told.path,
        typical=told.typical,
        apart=told.distinct,
        positives=rated.positives if rated else told.inherited,
        precision=_number(rated.precision) if rated else None,
        recall=_number(rated.recall) if rated else None,
        average_precision=_number(rated.average_precision) if rated else None,
        thin=rated is None or rated.positives < THIN,
        confused=dict(_most(rated)) if rated else {},
    )


def _most(rated: TopicQuality) -> Sequence[tuple[str, float]]:
    return sorted(rated.confused, key=lambda pair: -pair[1])[:3]


def _number(value: float) -> float | None:
    return round(value, 4) if isfinite(value) else None
