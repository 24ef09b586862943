"""What says which pages are examples: lines that name a page and its topic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from clew.model import Keys, Outcome, Response

START = -2
"""In place of a topic: a start page. It is no example, and may set the threshold."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A line that names an example: a URL or the path of a local page, and its topic index, or START. ``origin`` says
    where it stands, for messages. ``label``: a verdict that a user gave on a page, not a line of the lists."""

    line: str
    topic: int
    origin: str
    label: bool = False

    @property
    def is_url(self) -> bool:
        return "://" in self.line


class ExampleSource(Protocol):
    """Names the examples of a crawl: the lists of a project's folder, or an ``Examples``."""

    @property
    def base(self) -> Path:
        """The folder that paths of local pages are relative to."""
        ...

    def wanted(self) -> list[Wanted]:
        """The examples, in the order of their lines. Raises InputError for a line that names no page."""
        ...

    def labels(self) -> list[Wanted]:
        """The pages a user labelled. Raises InputError."""
        ...

    def refused(self) -> Keys:
        """The pages that the user wants no archetypes made of, as keys of URLs. Raises InputError."""
        ...

    def version(self) -> object:
        """Something that changes when there are other labels, or other pages are refused."""
        ...


def local(wanted: Wanted, base: Path) -> Response:
    """A local page as a response. Raises OSError."""
    path = base / wanted.line
    kind = "text/plain" if path.suffix.lower() == ".txt" else "text/html"
    return Response(path.as_uri(), Outcome.OK, 200, (("Content-Type", kind),), path.read_bytes(), requests=0)
