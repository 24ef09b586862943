"""What is read besides pages and plain text, by what it is: sitemaps, feeds, documents. One table, one reader a form.

A reader makes a ``html.Document`` of bytes: leaves, links at their places among them, title, language. All else that a
page is made of comes from there, so that a PDF file has terms, links and anchors as a page has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clew.text import documents, feeds, sitemaps
from clew.text.html import Document

SITEMAP, FEED = "sitemap", "feed"
"""Content types of pages that are lists of links: no pages of a collection."""

MAX_TEXT = 2_000_000
"""Characters of a document's visible text that judges of texts get."""


class Unreadable(Exception):  # noqa: N818  # a verdict on a page, not a fault
    """The response holds no text for people; the message says what it holds."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Form:
    """A document, the content type it was read as, and its charset ("" for binary files)."""

    document: Document
    kind: str
    charset: str = ""


@dataclass(frozen=True, slots=True)
class Formats:
    """What is to be read: ``feeds`` as lists of links, ``documents`` as pages, their first ``pages`` pages."""

    feeds: bool = False
    documents: bool = False
    pages: int = 200

    def read(self, body: bytes, content_type: str, sitemap: Callable[[str], str] | None = None) -> Form | None:
        """The document in a body; None for pages and plain text, which others read. Raises Unreadable.

        ``sitemap``: it must be a sitemap, and this function gives the words in a URL.
        """
        if sitemap is not None:
            return self._sitemap(body, content_type, sitemap)
        if self.feeds and feeds.is_feed(body):
            return _feed(body, content_type)
        if self.documents and (kind := documents.kind_of(body)):
            return self._document(body, kind)
        return None

    def hint(self, body: bytes) -> str:
        """The setting that would let an unreadable body be read, to follow the reason why it is not; "" for none."""
        return " (limits.documents)" if not self.documents and documents.kind_of(body) else ""

    def _document(self, body: bytes, kind: str) -> Form:
        try:
            document = documents.read(body, kind, self.pages)
        except documents.DocumentError as error:
            raise Unreadable(str(error)) from error
        document.text = document.text[:MAX_TEXT]
        return Form(document, kind)

    def _sitemap(self, body: bytes, content_type: str, words_of: Callable[[str], str]) -> Form:
        plain = sitemaps.unpacked(body)
        if feeds.is_feed(plain):  # the protocol allows for feeds as sitemaps
            return _feed(plain, content_type)
        document = sitemaps.parse(plain, content_type, words_of)
        if document is None:
            raise Unreadable("is no sitemap: it lists no URLs")
        return Form(document, SITEMAP)


def _feed(body: bytes, content_type: str) -> Form:
    document, charset = feeds.parse(body, content_type)
    return Form(document, FEED, charset)
