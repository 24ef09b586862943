"""The Exporter contract: a collection in one file, or in a folder of files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clew.collection.library import FOLDER, Library
from clew.registry import name_of
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.text.formats import Formats
from clew.text.pagetext import NONE


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Where pages of a collection come from: the crawl's database, the folder of its archive, its topics by number;
    and how well a WARC file is compressed (1 to 9). ``text``: which text of a page is handed over, main, full or none;
    ``fields``: names of ``collection.ALL_FIELDS``, () for the usual ones; ``library``: where texts are kept."""

    store: Store
    archive: Path
    topics: tuple[str, ...]
    gzip_level: int = 2
    text: str = NONE
    fields: tuple[str, ...] = ()
    library: Library | None = None

    @property
    def kept(self) -> Library:
        """Where texts are kept, or made from the archive."""
        return self.library or Library(self.archive.parent / FOLDER, self.archive, Formats())


class Exporter(ABC):
    """Writes pages in a form of its own. A subclass must give ``write``; it is made from the collection."""

    name: str = ""
    """How users call it; by default the name of the class, so that class SolrUpdate is solr-update."""

    text: str = NONE
    """Which text of a page it has where nobody says: main, full or none."""

    binary: bool = False
    """Whether it writes what no terminal should show."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = name_of(cls)

    @abstractmethod
    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        """Write pages in their order; returns how many were written. ``out`` need not be seekable, and stays open."""

    def write_folder(self, pages: Iterable[VisitRow], folder: Path) -> int | None:
        """Write pages as files of a folder that may not exist yet; returns how many. None: it writes files only."""
        return None
