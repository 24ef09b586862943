"""What is wanted, as an object: for crawls that are made in Python, with a folder or without."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from clew.errors import InputError, UrlError, shown
from clew.examples.keywords import keywords_of
from clew.examples.labels import IRRELEVANT, RELEVANT
from clew.examples.sources import Wanted
from clew.model import OTHER, Keys
from clew.topics.interest import Interest
from clew.topics.semantics import Semantics
from clew.topics.tree import TopicTree
from clew.urls.canonical import canonical

Page = str | os.PathLike[str]
"""An http(s) URL, or the path of a page on disk (.html, .txt)."""


@dataclass(frozen=True)
class Examples:
    """Pages that show what is wanted. A page is an http(s) URL or the path of a file.

    ``relevant`` and ``irrelevant`` are enough for one topic. ``topics`` names several by their paths
    ("Science/Chemistry") with example pages each, or is a ``TopicTree``; ``interest`` is then a formula over them
    ("sailing and not jobs"; empty: any topic of the first level), and ``relevant`` pages belong to the first topic that
    it names.
    ``keywords`` are words or phrases with weights; ``query`` says what is wanted in English words, and those of them
    that are no stop words become keywords of weight 1. They are for judges that go by words, such as keywords.
    ``labels``: pages with a verdict, "relevant", "irrelevant" or a topic, that outweigh the lists. Raises InputError
    for what is neither.
    """

    relevant: Sequence[Page] = ()
    irrelevant: Sequence[Page] = ()
    topics: TopicTree | Mapping[str, Sequence[Page]] | None = None
    interest: str = ""
    keywords: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    base: Path = field(default_factory=Path.cwd)
    query: str = ""

    def __post_init__(self) -> None:
        if self.interest and self.topics is None:
            raise InputError("an interest is a formula over topics: give Examples(topics={...}) too")
        for name in ("relevant", "irrelevant"):
            if isinstance(getattr(self, name), str):
                raise InputError(f"Examples({name}=...) takes a list of pages, not one text: [{getattr(self, name)!r}]")
        if self.query and not keywords_of(self.query):
            raise InputError(
                f"Examples(query={shown(self.query)!r}) has no word that says what is wanted: stop words, such as the "
                "and of, do not count"
            )
        self.wanted()
        self.labels_given()

    @cached_property
    def words(self) -> dict[str, float]:
        """The keywords, those of the query among them, and their weights."""
        return {**keywords_of(self.query), **self.keywords}

    @cached_property
    def tree(self) -> TopicTree | None:
        """The topic tree; None where there is one topic."""
        if self.topics is None or isinstance(self.topics, TopicTree):
            return self.topics
        tree = TopicTree()
        for path, pages in self.topics.items():
            tree.add(path)
            for page in pages:
                tree.add(path, url=_line(page, self.base, f"topic {path}"), seed=False)
        tree = tree.ordered()
        tree.check_disjoint()
        return tree

    def interest_of(self, threshold: float, exclude_from: float = 0.5, semantics: Semantics | None = None) -> Interest:
        """What a crawl is to look for. Raises InputError for a wrong formula."""
        if self.tree is None:
            return Interest(threshold=threshold)
        return Interest.of(self.tree, self.interest, threshold, exclude_from, semantics)

    # -- as an ExampleSource ------------------------------------------------------------------------------

    def wanted(self) -> list[Wanted]:
        """The examples: relevant, those of the topics, irrelevant."""
        tree, first = self.tree, self._first
        filed = [] if tree is None else [(topic, line) for topic in range(len(tree)) for line in tree.own(topic)]
        return [
            *self._all(self.relevant, first, "relevant"),
            *(Wanted(line, topic, f"topic {tree.path(topic)}") for topic, line in filed if tree is not None),
            *self._all(self.irrelevant, OTHER, "irrelevant"),
        ]

    def labels_given(self) -> list[Wanted]:
        """The labels as examples."""
        return [
            Wanted(_line(page, self.base, "labels"), self._topic(verdict), "labels", label=True)
            for page, verdict in self.labels.items()
        ]

    @property
    def _first(self) -> int:
        return self.interest_of(0.5).wanted

    def _topic(self, verdict: str) -> int:
        if verdict == IRRELEVANT:
            return OTHER
        if verdict == RELEVANT:
            return self._first
        if self.tree is None:
            raise InputError(f"labels: {verdict!r} is no verdict; say relevant or irrelevant")
        return self.tree.find(verdict)

    def _all(self, pages: Iterable[Page], topic: int, name: str) -> list[Wanted]:
        return [Wanted(_line(page, self.base, name), topic, f"{name} page {n}") for n, page in enumerate(pages, 1)]


@dataclass(frozen=True, slots=True)
class Given:
    """An ``Examples`` as an ExampleSource."""

    examples: Examples

    @property
    def base(self) -> Path:
        return self.examples.base

    def wanted(self) -> list[Wanted]:
        return self.examples.wanted()

    def labels(self) -> list[Wanted]:
        return self.examples.labels_given()

    def refused(self) -> Keys:
        return np.empty(0, np.uint64)

    def version(self) -> object:
        """Examples do not change while a crawl runs."""
        return None


def _line(page: Page, base: Path, where: str) -> str:
    """A page as the line that names it: a canonical URL, or the absolute path of a file."""
    text = os.fspath(page)
    if "://" in text:
        try:
            return canonical(text)
        except UrlError as error:
            raise InputError(f"{where}: {error}") from error
    path = base / Path(text).expanduser()
    if not path.is_file():
        raise InputError(f"{where}: {shown(text)!r} is neither an http(s) URL nor a file that can be read")
    return str(path.resolve())
