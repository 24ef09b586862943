"""A project as people use it from Python: crawl it, and read what was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clew.crawl.pages import Pages
from clew.crawl.running import CrawlResult
from clew.project.assembly import CrawlOptions, crawl
from clew.project.folder import ProjectFolder
from clew.store.base import Store


class Project(ProjectFolder):
    """A project folder. Raises ProjectError when there is none, ConfigError when its settings are wrong."""

    def crawl(self, **options: Any) -> CrawlResult:
        """Start this project's crawl or resume it; blocks until it stops. ``options``: fields of CrawlOptions.

        Raises ClewError. Inside a running event loop await ``clew.project.assembly.run`` instead.
        """
        return crawl(self, CrawlOptions(**options))

    def pages(self, relevant: bool | None = None) -> Pages:
        """The pages that were judged, in the order of fetching; ``relevant``: only those that are, or are not.

        They are read as they are asked for, also while a crawl runs. Raises ProjectError when nothing was crawled yet.
        """
        return Pages(self._reading, self.interest.topics, relevant)

    @contextmanager
    def _reading(self) -> Iterator[Store]:
        store = self.open_store(read_only=True)
        try:
            yield store
        finally:
            store.close()
