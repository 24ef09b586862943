"""PDF files, read by pypdf within limits: text by lines, links with the text over which they lie."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from typing import Any

from pypdf import PdfReader, apply_configuration
from pypdf.errors import DependencyError, PyPdfError

from clew.model import LinkKind
from clew.text.documents.package import DocumentError
from clew.text.html import MAX_LEAVES, Anchor, Document, squeeze

MAX_OPERATIONS = 500_000
"""Drawing operations of a document that are followed."""

MAX_LINKS = 1_000
"""Links of a document; what comes after is not looked at."""

MAX_CHUNKS = 2_000
"""Pieces of text on a page among which the texts of its links are looked for."""

LIMITS: dict[str, Any] = {
    "zlib_maximum_output_length": 20_000_000,
    "lzw_maximum_output_length": 20_000_000,
    "run_length_maximum_output_length": 20_000_000,
    "array_based_stream_maximum_output_length": 20_000_000,
    "stream_decoding_work_maximum_length": 100_000_000,
    "stream_parsing_work_maximum_count": MAX_OPERATIONS,
    "xform_maximum_invocations_per_extraction": 500,
    "page_tree_maximum_entries": 20_000,
    "page_tree_maximum_page_entries": 50_000,
    "disable_legacy_handling": True,
}
"""Of the library: bytes after decompression, operations parsed, entries of the page tree."""

_HYPHEN = re.compile(r"(?<=\w)[-\u00ad]\n(?=[^\W\d_])")
_WRONG = (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, ArithmeticError,
          OSError, AssertionError, NotImplementedError, UnicodeError)  # fmt: skip
"""What the library raises for files that break the rules."""

Rect = tuple[float, float, float, float]


class _Enough(Exception):  # noqa: N818  # it says that there is enough, not that something is wrong
    """No more operations are followed."""


def read(body: bytes, pages: int) -> Document:
    """The text of the first pages of a PDF file. Raises DocumentError."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it has something to say about most files
    with apply_configuration(**LIMITS):
        try:
            reader = PdfReader(io.BytesIO(body), strict=False)
            if reader.is_encrypted and not reader.decrypt(""):
                raise DocumentError("is encrypted")
            return _Pdf(reader).read(pages)
        except DependencyError as error:
            raise DocumentError(f"is encrypted: {error}") from error
        except _WRONG as error:
            raise DocumentError(f"is a damaged PDF document: {type(error).__name__}: {error}") from error


class _Pdf:
    """A file being read."""

    def __init__(self, reader: PdfReader) -> None:
        self.reader = reader
        self.document = Document()
        self._operations = 0

    def read(self, pages: int) -> Document:
        document, faults = self.document, 0
        document.title, document.lang = self._title(), self._language()
        for number, page in enumerate(self._pages()):
            if number >= pages or self._operations >= MAX_OPERATIONS or len(document.leaves) >= MAX_LEAVES:
                break
            try:
                self._page(page)
            except _WRONG:  # one page less
                faults += 1
        if faults and not document.leaves:
            raise DocumentError("is a damaged PDF document: none of its pages can be read")
        document.text = "\n".join(document.leaves)
        return document

    def _pages(self) -> Iterator[Any]:
        """The pages; a tree that breaks off ends them."""
        try:
            yield from self.reader.pages
        except _WRONG:
            if not self.document.leaves:
                raise

    def _title(self) -> str:
        try:
            facts = self.reader.metadata
            return squeeze(str(facts.title or ""))[:1_000] if facts is not None else ""
        except _WRONG:
            return ""

    def _language(self) -> str:
        try:
            return str(self.reader.root_object.get("/Lang", ""))[:40]
        except _WRONG:
            return ""

    def _page(self, page: Any) -> None:
        chunks: list[tuple[float, float, str]] = []

        def drawn(operator: Any, operands: Any, *_: Any) -> None:
            self._operations += 1
            if self._operations > MAX_OPERATIONS:
                raise _Enough

        def written(text: str, cm: Any, tm: Any, *_: Any) -> None:
            if text.strip():
                x, y = tm[4], tm[5]
                chunks.append((x * cm[0] + y * cm[2] + cm[4], x * cm[1] + y * cm[3] + cm[5], text))

        try:
            text = page.extract_text(visitor_operand_before=drawn, visitor_text=written)
        except _Enough:
            text = "\n".join(chunk for _, _, chunk in chunks)
        leaves = self.document.leaves
        first = len(leaves)
        lines = map(squeeze, _HYPHEN.sub("", text).split("\n"))
        leaves += [line for line in lines if line][: MAX_LEAVES - first]
        self._links(page, chunks, first)

    def _links(self, page: Any, chunks: list[tuple[float, float, str]], first: int) -> None:
        """The links of a page, each with the text in its frame, and the line where that stands."""
        anchors, end = self.document.anchors, min(len(self.document.leaves), first + MAX_CHUNKS)
        for href, frame in _links(page, MAX_LINKS - len(anchors)):
            text = squeeze(" ".join(chunk for x, y, chunk in chunks[:MAX_CHUNKS] if _inside(x, y, frame)))[:500]
            lines = range(first, end) if text else ()
            place = next((line for line in lines if text in self.document.leaves[line]), -1)
            span = (place, place) if place >= 0 else (0, -1)
            anchors.append(Anchor(LinkKind.ANCHOR, href, False, text, *span))


def _links(page: Any, most: int) -> Iterator[tuple[str, Rect]]:
    """URLs of the links among the first ``most`` annotations of a page, and their frames."""
    annotations = page.get("/Annots")
    annotations = annotations.get_object() if annotations is not None else None
    for one in list(annotations or ())[:most]:
        try:
            annotation = one.get_object()
            action = annotation["/A"].get_object()
            x0, y0, x1, y1 = (float(number) for number in annotation["/Rect"].get_object())
            yield str(action["/URI"]), (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        except _WRONG:  # no link, or one that leads within the document
            continue


def _inside(x: float, y: float, frame: Rect) -> bool:
    """Whether a text that begins there lies in a frame, which may fit tightly around the letters."""
    x0, y0, x1, y1 = frame
    return x0 - 2 <= x <= x1 and y0 - 2 <= y <= y1
