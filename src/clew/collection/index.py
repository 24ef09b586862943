"""The search index over the texts of pages (tantivy, ``search/index-N``): which visits hold what words, with BM25.

What changes when pages are judged again (relevance, topic) is not in it, and a page's text never changes: documents
are only added. A page is one field: its title twice, the words of its URL, its text, with a mark between them that no
phrase reaches over. So title words count as words that occur oftener (Robertson and others 2004).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.collection.query import Part, Query
from clew.collection.texts import TextRow
from clew.collection.tokens import tokens
from clew.errors import StoreError
from clew.model import Floats

VERSION = 1
"""Of what is indexed and how. Another version is another folder, made anew."""

HEAP_BYTES = 64_000_000
INDEXED_CHARS = 1_000_000
_GAP = "\u00b6"
_FIELD = "words"
_TOKENISER = "clew"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the index itself can leave out: pages of other hosts (``host`` takes its subdomains in), of other
    languages (codes of two or three letters), and of days outside ``since`` to ``until``, both included (days since
    1970; None: no limit)."""

    host: str = ""
    language: str = ""
    since: int | None = None
    until: int | None = None


class Index:
    """The index in a folder, which is made when it is missing. ``mend``: also when it is damaged; only who holds the
    lock may say so. Raises StoreError when it cannot be opened."""

    def __init__(self, folder: Path, *, mend: bool = False) -> None:
        self.folder = folder / f"index-{VERSION}"
        self._schema = _schema()
        try:
            self._index = self._opened()
        except (ValueError, OSError) as error:  # of another program, damaged, or half made
            if not mend:
                raise StoreError(
                    f"{self.folder} cannot be read ({error}); search again, without --no-update"
                ) from error
            self.remove()  # it can be made from the texts
            self._index = self._opened()
        self._writer: Any = None

    def _opened(self) -> Any:
        import tantivy

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.folder} cannot be made: {error.strerror}") from error
        index = tantivy.Index(self._schema, path=str(self.folder))
        index.register_tokenizer(_TOKENISER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
        return index

    def remove(self) -> None:
        """Delete it from the disk."""
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- writing ------------------------------------------------------------------------------------------

    def add(self, rows: Iterable[TextRow]) -> int:
        """Index these texts; returns how many. They can be found after ``commit``. Raises StoreError."""
        import tantivy

        try:
            self._writer = self._writer or self._index.writer(heap_size=HEAP_BYTES, num_threads=1)
            count = 0
            for row in rows:
                document = tantivy.Document()
                document.add_unsigned("number", row.number)
                document.add_integer("day", row.day)
                document.add_text(_FIELD, _words(row))
                document.add_text("language", row.language)
                for host in _hosts(row.host):
                    document.add_text("host", host)
                self._writer.add_document(document)
                count += 1
        except (ValueError, OSError) as error:
            raise self._error(error) from error
        return count

    def commit(self) -> None:
        """Let what was added be found, by other processes too. Raises StoreError."""
        if self._writer is None:
            return
        try:
            self._writer.commit()
            self._writer.wait_merging_threads()
        except (ValueError, OSError) as error:
            raise self._error(error) from error
        finally:
            self._writer = None
        self._index.reload()

    def _error(self, error: Exception) -> StoreError:
        return StoreError(f"{self.folder} cannot be written ({error}); make room, or delete it: it is made again")

    # -- reading ------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    @property
    def last(self) -> int:
        """The highest visit number in it, 0 for none."""
        import tantivy

        numbers, _ = self._found(tantivy.Query.all_query(), 1, order_by_field="number")
        return int(numbers[0]) if len(numbers) else 0

    def find(self, query: Query, limits: Limits, most: int) -> tuple[npt.NDArray[np.int64], Floats]:
        """The ``most`` pages that answer a query best: visit numbers int64[n], BM25 float32[n], best first."""
        import tantivy

        clauses = [(tantivy.Occur.Must, self._clause(part)) for part in query.wanted]
        clauses += [(tantivy.Occur.MustNot, self._clause(part)) for part in query.unwanted]
        clauses += [(tantivy.Occur.Must, tantivy.Query.const_score_query(one, 0.0)) for one in self._filters(limits)]
        return self._found(clauses[0][1] if len(clauses) == 1 else tantivy.Query.boolean_query(clauses), most)

    def _found(self, query: Any, most: int, **order: Any) -> tuple[npt.NDArray[np.int64], Floats]:
        searcher = self._index.searcher()
        hits = searcher.search(query, limit=most, count=False, **order).hits
        numbers = searcher.fast_field_values("number", [address for _, address in hits]) if hits else []
        scores = [score or 0.0 for score, _ in hits]
        return np.array(numbers, np.int64), np.array(scores, np.float32)

    def _clause(self, part: Part) -> Any:
        import tantivy

        words: Sequence[str] = part.words
        if part.prefix and len(words) > 1:
            return tantivy.Query.phrase_prefix_query(self._schema, _FIELD, list(words))
        if part.prefix:
            return tantivy.Query.regex_query(self._schema, _FIELD, f"{words[0]}.*")
        if len(words) > 1:
            return tantivy.Query.phrase_query(self._schema, _FIELD, list(words))
        return tantivy.Query.term_query(self._schema, _FIELD, words[0], "freq")

    def _filters(self, limits: Limits) -> list[Any]:
        import tantivy

        terms = [(name, value) for name, value in (("host", limits.host), ("language", limits.language)) if value]
        found = [tantivy.Query.term_query(self._schema, name, value, "basic") for name, value in terms]
        if limits.since is not None or limits.until is not None:
            kind = tantivy.FieldType.Integer
            found.append(tantivy.Query.range_query(self._schema, "day", kind, limits.since, limits.until))
        return found


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", fast=True)
    builder.add_integer_field("day", indexed=True, fast=True)
    builder.add_text_field(_FIELD, tokenizer_name=_TOKENISER, index_option="position")
    for name in ("host", "language"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _words(row: TextRow) -> str:
    """What is indexed of a page: tokens with a space between."""
    title = " ".join(tokens(row.title))
    url = " ".join(tokens(row.url.partition("://")[2]))
    return f" {_GAP} ".join((title, title, url, " ".join(tokens(row.text[:INDEXED_CHARS]))))


def _hosts(host: str) -> list[str]:
    """A host, the same without its port, and the domains above it, without the top one."""
    name = host.partition(":")[0] if host.count(":") == 1 else host
    parts = name.split(".")
    above = [".".join(parts[start:]) for start in range(max(len(parts) - 1, 1))]
    return list(dict.fromkeys([host, *(above if not parts[-1].isdigit() else [name])]))
