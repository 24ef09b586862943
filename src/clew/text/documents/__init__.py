"""Office documents, books and PDF files as documents: text, title, language and links, as of HTML pages.

What a file really is, its bytes tell. Each reader is bounded in pages, bytes and elements, so that no file swells or
goes on for ever; what cannot be read is ``DocumentError`` with a reason for people.
"""

from __future__ import annotations

from importlib.util import find_spec

from clew.text.documents.package import DocumentError, Package
from clew.text.html import Document
from clew.text.mediatypes import DOCX, EPUB, ODT, PDF

__all__ = ["DocumentError", "kind_of", "missing", "read"]

_PDF_HEAD_BYTES = 1024
"""How far into a file its PDF header may stand: readers in wide use look as far."""

_ZIP = b"PK\x03\x04"


def missing() -> str:
    """The library that must be installed before documents can be read; empty when all are."""
    return "" if find_spec("pypdf") is not None else "pypdf"


def kind_of(body: bytes) -> str:
    """The content type of a document by its bytes; empty when it is none that is read."""
    if b"%PDF-" in body[:_PDF_HEAD_BYTES] and body.lstrip()[:1] != b"<":
        return PDF
    if not body.startswith(_ZIP):
        return ""
    try:
        package = Package(body)
        return package.kind()
    except DocumentError:
        return ""


def read(body: bytes, kind: str, pages: int) -> Document:
    """The document in a file of a kind that ``kind_of`` gave; of longer ones the first ``pages`` pages or chapters.
    Raises DocumentError."""
    if kind == PDF:
        from clew.text.documents.pdf import read as read_pdf  # pypdf is optional

        return read_pdf(body, pages)
    from clew.text.documents import books, office

    readers = {DOCX: office.read_docx, ODT: office.read_odt}
    package = Package(body)
    return books.read_epub(package, pages) if kind == EPUB else readers[kind](package)
