"""The examples of a project: its lists, its topic tree, and the labels of its user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clew.examples.labels import LABELS
from clew.examples.refused import REFUSED, read_refused
from clew.examples.sources import Wanted
from clew.model import Keys
from clew.project.folder import ProjectFolder
from clew.urls.canonical import keys


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A project's folder as an ExampleSource. Labels may come in while a crawl runs: their file is looked at again."""

    project: ProjectFolder

    @property
    def base(self) -> Path:
        return self.project.path

    def wanted(self) -> list[Wanted]:
        return self.project.wanted()

    def labels(self) -> list[Wanted]:
        return self.project.labels()

    def refused(self) -> Keys:
        return keys(read_refused(self.project.path / REFUSED))

    def version(self) -> object:
        return tuple(_stamp(self.project.path / name) for name in (LABELS, REFUSED))


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
