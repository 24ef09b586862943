"""The Exporter contract: a collection in one file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clew.registry import name_of
from clew.store.base import Store
from clew.store.records import VisitRow


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Where pages of a collection come from: the crawl's database, the folder of its archive, its topics by number;
    and how well a WARC file is compressed (1 to 9)."""

    store: Store
    archive: Path
    topics: tuple[str, ...]
    gzip_level: int = 2


class Exporter(ABC):
    """Writes pages in a form of its own. A subclass must give ``write``; it is made from the collection."""

    name: str = ""
    """How users call it; by default the name of the class, so that class SolrUpdate is solr-update."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = name_of(cls)

    @abstractmethod
    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        """Write pages in their order; returns how many were written. ``out`` need not be seekable, and stays open."""
