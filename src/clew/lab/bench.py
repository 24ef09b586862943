"""A project for one run of a task, in a folder of its own; all runs in a process share what was read of a web."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from clew.config import Settings, quoted
from clew.lab.tasks import Task
from clew.model import Page, Response
from clew.project.project import SETTINGS, Project
from clew.store.base import Store
from clew.text.reader import Reader, Unreadable
from clew.web.base import World
from clew.web.providers.base import BacklinkProvider

KEPT = 40_000
"""Pages of a web that are remembered, at most."""

TEMPLATE = """\
[project]
name = {name}
web = {web}
[judge]
name = {judge}
[strategy]
name = {strategy}
[crawl]
contact = "lab@localhost"
seed = {seed}
max_pages = {budget}
workers = 0
[web.archive]
closed = {closed}
[store]
archive = false
"""


class SharedReader:
    """Reads each page of a web once. What a page holds does not depend on who asks for it."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._pages: dict[str, Page | Unreadable] = {}

    @property
    def keep_text(self) -> bool:
        """As the reader's."""
        return self.reader.keep_text

    def read(self, response: Response) -> Page:
        """As ``Reader.read``."""
        found = self._pages.get(response.url)
        if found is None:
            found = self._read(response)
            if len(self._pages) < KEPT:
                self._pages[response.url] = found
        if isinstance(found, Unreadable):
            raise found
        return found

    def _read(self, response: Response) -> Page | Unreadable:
        try:
            return self.reader.read(response)
        except Unreadable as error:
            return error


class BenchProject(Project):
    """A project whose pages are read by a shared reader."""

    shared: dict[str, SharedReader]
    links: BacklinkProvider | None = None

    @classmethod
    def make(
        cls,
        folder: Path,
        task: Task,
        strategy: str,
        judge: str,
        seed: int,
        shared: dict[str, SharedReader],
        links: BacklinkProvider | None = None,
    ) -> BenchProject:
        """Write the project of a run into ``folder``; ``shared`` are the readers of this process by web, ``links`` says
        who links to a page."""
        folder.mkdir(parents=True)
        for name, urls in (("seeds", task.seeds), ("relevant", task.positive), ("irrelevant", task.negative)):
            (folder / f"{name}.txt").write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
        named = {"name": task.name, "web": task.web, "judge": judge, "strategy": strategy}
        words = {name: quoted(text) for name, text in named.items()}
        text = TEMPLATE.format(**words, seed=seed, budget=task.budget, closed=str(task.closed).lower())
        (folder / SETTINGS).write_text(text, encoding="utf-8")
        made = cls(folder)
        made.shared, made.links = shared, links
        return made

    def with_settings(self, settings: Settings) -> BenchProject:
        made = type(self)(self.path, settings)
        made.shared, made.links = self.shared, self.links
        return made

    def backlink_provider(self, store: Store, world: World) -> BacklinkProvider:
        return self.links or super().backlink_provider(store, world)

    @cached_property
    def reader(self) -> Reader:
        """The reader that all runs on this web share."""
        web = self.settings.project.web
        if web not in self.shared:
            self.shared[web] = SharedReader(super().reader)
        return self.shared[web]  # type: ignore[return-value]  # it reads as a Reader does
