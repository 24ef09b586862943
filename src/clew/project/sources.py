"""The examples of a project: its lists, its topic tree, and the labels of its user."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from clew.examples.labels import LABELS
from clew.examples.sources import Wanted
from clew.project.folder import ProjectFolder


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

    def version(self) -> object:
        found = _stat(self.project.path / LABELS)
        return (found.st_mtime_ns, found.st_size) if found is not None else None


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None
