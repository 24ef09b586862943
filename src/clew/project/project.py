"""A project as people use it from Python: crawl it, and read what was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from clew.collection.library import Hit
from clew.crawl.pages import Pages
from clew.crawl.running import CrawlResult
from clew.errors import InputError
from clew.project.assembly import CrawlOptions, crawl
from clew.project.finding import SearchOptions, search, topics_below
from clew.project.folder import ProjectFolder
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.text.pagetext import FULL, MAIN, NONE


class Project(ProjectFolder):
    """A project folder. Raises ProjectError when there is none, ConfigError when its settings are wrong."""

    def crawl(self, **options: Any) -> CrawlResult:
        """Start this project's crawl or resume it; blocks until it stops. ``options``: fields of CrawlOptions.

        Raises ClewError. Inside a running event loop await ``clew.project.assembly.run`` instead.
        """
        return crawl(self, CrawlOptions(**options))

    def pages(
        self,
        relevant: bool | None = None,
        *,
        topic: str = "",
        host: str = "",
        language: str = "",
        text: str = NONE,
    ) -> Pages:
        """The pages that were judged, in the order of fetching. ``relevant``: only those that are, or are not;
        ``topic``: of it and those below it; ``host``: of it and its subdomains; ``text``: with their text, main or
        full, from the archive.

        They are read as they are asked for, also while a crawl runs; as records, ``to_dataframe`` or ``to_arrow``.
        Raises ProjectError when nothing was crawled yet, InputError for a topic or text that there is not.
        """
        topics = topics_below(self.interest.topics, topic) if topic else None
        if text not in (NONE, MAIN, FULL):
            raise InputError(f"text={text!r}: pages come with text main, full or none")
        keep = _Keep(topics, host.strip().lower(), language.strip().lower()) if topics or host or language else None
        texts = None if text == NONE else partial(self.library.texts, main=text == MAIN)
        return Pages(self._reading, self.interest.topics, relevant, keep, texts)

    def search(self, query: str, update: bool = True, **options: Any) -> list[Hit]:
        """The pages that answer a query, best first; ``options``: fields of SearchOptions, such as ``topic="..."`` or
        ``limit=50``. ``update``: add pages that were visited since the last search first. Raises as
        ``clew.project.finding.search``, which also says what a user should know of the answer."""
        return list(search(self, query, SearchOptions(**options), update=update).found.hits)

    @contextmanager
    def _reading(self) -> Iterator[Store]:
        store = self.open_store(read_only=True)
        try:
            yield store
        finally:
            store.close()


@dataclass(frozen=True, slots=True)
class _Keep:
    """Says which visits are asked for: of these topics (None: all), host and language."""

    topics: frozenset[int] | None
    host: str
    language: str

    def __call__(self, row: VisitRow) -> bool:
        if self.topics is not None and row.topic not in self.topics:
            return False
        if self.language and row.language != self.language:
            return False
        return not self.host or row.host == self.host or f".{row.host.partition(':')[0]}".endswith(f".{self.host}")
