"""Pages as records for people who write Python: while a crawl runs, and read back from its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from heapq import nsmallest
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from clew.errors import InputError
from clew.model import OTHER, Visit
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.text.pagetext import NO_TEXT, PageText
from clew.text.shown import whole

if TYPE_CHECKING:
    import pandas
    import pyarrow

GROUP = 256
"""Pages whose sources are looked up together."""


class StopCrawl(Exception):  # noqa: N818  # it says what to do, as StopIteration does
    """Raised by a user's ``on_page``: end the crawl after this page. The text is what ``stopped_by`` will say."""


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page that was fetched and judged.

    ``relevance`` in [0, 1]; ``topic``: the path of the topic it is most about, "other" for none of them; ``score``:
    that of its link when it was taken; ``depth``: links from the seeds; ``fetched_at``: Unix time in seconds (virtual
    time in an offline web); ``source``: URL of the page its link stood on, "" for seeds; ``reason``: why it is not
    relevant whatever its relevance. ``body``: bytes as fetched, while the crawl runs only.
    ``text``, ``date`` (ISO 8601 day) and ``author``: where a project's pages are asked for with their texts.
    """

    number: int
    url: str
    title: str
    relevance: float
    relevant: bool
    topic: str
    score: float
    depth: int
    language: str
    content_type: str
    status: int
    fetched_at: float
    source: str
    reason: str = ""
    body: bytes = field(default=b"", repr=False, compare=False)
    host: str = ""
    text: str = field(default="", repr=False)
    date: str = ""
    author: str = ""

    @classmethod
    def of_visit(cls, visit: Visit, topics: tuple[str, ...]) -> PageRecord:
        """The record of a visit that has a page."""
        page, judgement = visit.page, visit.judgement
        assert page is not None
        return cls(
            number=visit.number,
            url=visit.link.url,
            title=page.title,
            relevance=visit.relevance,
            relevant=visit.relevant,
            topic=_topic(judgement.topic if judgement is not None else OTHER, topics),
            score=visit.link.score,
            depth=visit.link.depth,
            language=page.language,
            content_type=page.content_type,
            status=visit.response.status,
            fetched_at=visit.response.fetched_at,
            source=visit.link.batch.source.url,
            reason=visit.reason,
            body=visit.response.body,
            host=visit.link.host,
        )

    @classmethod
    def of_row(cls, row: VisitRow, topics: tuple[str, ...], source: str, text: PageText = NO_TEXT) -> PageRecord:
        """The record of a stored visit."""
        return cls(
            number=row.number,
            url=row.url,
            title=row.title,
            relevance=row.relevance,
            relevant=row.relevant,
            topic=_topic(row.topic if row.topic is not None else OTHER, topics),
            score=row.score,
            depth=row.depth,
            language=row.language,
            content_type=row.content_type,
            status=row.status,
            fetched_at=row.fetched_at,
            source=source,
            reason=row.reason,
            host=row.host,
            text=text.text,
            date=text.date,
            author=text.author,
        )


OnPage: TypeAlias = Callable[[PageRecord], bool | None]
"""A user's function that sees each page before it is remembered: False leaves it out of the collection and its links
unfollowed, StopCrawl ends the crawl."""


Texts: TypeAlias = Callable[[Iterator[VisitRow]], Iterator[tuple[VisitRow, PageText]]]
"""Visits to the same visits with their texts."""

TEXT_FIELDS = ("text", "date", "author")
"""Fields of a record that are known with its text only."""


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a crawl in the order of fetching, read from its store as they are asked for. May be iterated over
    again; ``relevant``: only those that are, or are not; ``keep``: and only those it says yes to; ``texts``: where
    their texts come from, if they are wanted."""

    open: Callable[[], AbstractContextManager[Store]]
    topics: tuple[str, ...]
    relevant: bool | None = None
    keep: Callable[[VisitRow], bool] | None = None
    texts: Texts | None = None

    def __iter__(self) -> Iterator[PageRecord]:
        with self.open() as store:
            rows = self._rows(store)
            texts = self.texts(rows) if self.texts is not None else ((row, NO_TEXT) for row in rows)
            while group := list(islice(texts, GROUP)):
                sources = store.visits.urls(sorted({row.source for row, _ in group} - {0}))
                for row, text in group:
                    yield PageRecord.of_row(row, self.topics, sources.get(row.source, ""), text)

    def _rows(self, store: Store) -> Iterator[VisitRow]:
        rows = (row for row in store.visits.rows(relevant=self.relevant) if row.judged)
        return rows if self.keep is None else filter(self.keep, rows)

    def __len__(self) -> int:
        with self.open() as store:
            return sum(1 for _ in self._rows(store))

    def best(self, n: int = 20) -> list[PageRecord]:
        """The n most relevant pages, best first; ties in the order of fetching."""
        return nsmallest(n, self, key=lambda page: (-page.relevance, page.number))

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a page, indexed by ``number``. Raises InputError where pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise InputError("a DataFrame needs pandas, which is not installed: pip install pandas") from error
        names = self._names()
        rows: list[dict[str, Any]] = [{name: getattr(page, name) for name in names} for page in self]
        return pandas.DataFrame(rows, columns=names).set_index("number")

    def to_arrow(self) -> pyarrow.Table:
        """One row a page. Raises InputError where pyarrow is not installed."""
        try:
            import pyarrow
        except ImportError as error:
            raise InputError(
                "an Arrow table needs pyarrow, which is not installed: pip install 'clew[parquet]'"
            ) from error
        kinds = {"int": pyarrow.int64(), "float": pyarrow.float64(), "bool": pyarrow.bool_(), "str": pyarrow.string()}
        types = {one.name: kinds[str(one.type)] for one in fields(PageRecord) if one.name in self._names()}
        schema = pyarrow.schema([(name, types[name]) for name in self._names()])
        pages, batches = iter(self), []
        while group := list(islice(pages, GROUP)):
            rows = [{name: whole(getattr(page, name)) for name in types} for page in group]
            batches.append(pyarrow.RecordBatch.from_pylist(rows, schema=schema))
        return pyarrow.Table.from_batches(batches, schema)

    def _names(self) -> list[str]:
        absent = ("body", *(() if self.texts is not None else TEXT_FIELDS))
        return [name for name in PageRecord.__slots__ if name not in absent]


def _topic(index: int, topics: tuple[str, ...]) -> str:
    return topics[index] if 0 <= index < len(topics) else "other"
