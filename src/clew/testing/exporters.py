"""What every exporter promises."""

from __future__ import annotations

import io
import tempfile
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from clew.crawl.crawl import ARCHIVE, DATABASE, Crawl
from clew.export.base import Collection, Exporter
from clew.export.collection import chosen
from clew.store.records import VisitRow
from clew.store.sqlite import SqliteStore
from clew.testing.contract import Contract, SkipTest

WEB = "sim:pages=2000,seed=3"
PAGES = 40
ODD = ('"half a quotation', "a|b\tc\nd", "<b>&amp;</b> ]]> [x](y)", "Ελλάδα 日本", "", "=1+1, `x` {y} \\z")


class Pipe(io.BytesIO):
    """A stream that cannot be sought in, as a pipe."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: object) -> int:
        raise io.UnsupportedOperation("a pipe cannot be sought in")

    def tell(self) -> int:
        raise io.UnsupportedOperation("a pipe has no place")


class ExporterContract(Contract):
    """An exporter: ``make`` gives one made from ``self.collection``, a crawl of some 40 pages, for every test.

    Give ``urls`` where the URLs can be read back from what was written; ``in_order`` is False where the form has an
    order of its own.
    """

    collection: ClassVar[Collection]
    in_order = True

    @classmethod
    def setup_class(cls) -> None:
        """Called by pytest before the first test: crawl a simulated web."""
        cls._crawled = tempfile.TemporaryDirectory(prefix="clew-testing-")
        folder = Path(cls._crawled.name)
        Crawl(world=WEB, strategy="best-first", settings={"crawl": {"workers": 0}}, folder=folder).run_sync(PAGES)
        store = SqliteStore(folder / DATABASE)
        store.open(read_only=True)
        cls.collection = Collection(store, folder / ARCHIVE, ("relevant",))

    @classmethod
    def teardown_class(cls) -> None:
        """Called by pytest after the last test."""
        cls.collection.store.close()
        cls._crawled.cleanup()

    _crawled: ClassVar[tempfile.TemporaryDirectory[str]]

    @abstractmethod
    def make(self) -> Exporter:
        """An exporter of ``self.collection``."""

    def urls(self, data: bytes) -> list[str]:
        """The URLs in what was written, in its order."""
        raise SkipTest("no way was given to read the URLs back")

    def pages(self) -> list[VisitRow]:
        """The relevant pages, best first, as ``clew export`` hands them over."""
        return list(chosen(self.collection.store, everything=False))

    def written(self, pages: Sequence[VisitRow]) -> tuple[int, bytes]:
        """What the exporter returns, and what it writes into a pipe."""
        out = Pipe()
        count = self.make().write(iter(pages), out)
        assert not out.closed, "the stream must stay open"
        return count, out.getvalue()

    def test_it_has_a_name(self) -> None:
        """Users call it by that."""
        assert self.make().name

    def test_it_writes_every_page_and_says_how_many(self) -> None:
        """Into a stream that cannot be sought in."""
        pages = self.pages()
        assert len(pages) > 5
        count, data = self.written(pages)
        assert count == len(pages)
        assert data

    def test_what_was_written_can_be_read_back(self) -> None:
        """Every URL, in the order of the pages."""
        pages = self.pages()
        given, found = [page.url for page in pages], self.urls(self.written(pages)[1])
        assert found == given if self.in_order else sorted(found) == sorted(given)

    def test_odd_titles_spoil_nothing(self) -> None:
        """Titles come from anybody: quotation marks, line ends, markup."""
        pages = self.pages()[: len(ODD)]
        odd = [replace(page, title=title) for page, title in zip(pages, ODD, strict=True)]
        count, data = self.written(odd)
        assert count == len(ODD)
        assert sorted(self.urls(data)) == sorted(page.url for page in odd)

    def test_no_pages_are_fine(self) -> None:
        """A crawl that found nothing has an empty collection."""
        count, data = self.written([])
        assert count == 0
        assert self.urls(data) == []
