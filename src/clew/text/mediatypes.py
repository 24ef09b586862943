"""Content types and file endings of what is read besides pages, and which of them a crawl downloads."""

from __future__ import annotations

from collections.abc import Mapping

from clew.config import Settings

FEED_TYPES = (
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json", "application/xml",
    "text/xml",
)  # fmt: skip
"""Under which feeds are served, and announced in <link rel=alternate>."""

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"

DOCUMENT_TYPES: Mapping[str, str] = {
    PDF: "pdf",
    DOCX: "docx",
    ODT: "odt",
    EPUB: "epub",
}
"""Documents that are read, and their file endings."""

UNSURE_TYPES = (
    "application/octet-stream", "binary/octet-stream", "application/x-pdf", "application/x-download",
    "application/download", "application/force-download", "application/zip",
)  # fmt: skip
"""Other content types under which documents are served."""


def wanted_types(settings: Settings) -> tuple[str, ...]:
    """The content types that are downloaded: ``limits.content_types``, and those of feeds and documents where these are
    read."""
    more = (*FEED_TYPES,) if settings.crawl.feeds else ()
    if settings.limits.documents:
        more = (*more, *DOCUMENT_TYPES, *UNSURE_TYPES)
    given = settings.limits.content_types
    return tuple(dict.fromkeys((*given, *more))) if given else ()


def unwanted_endings(settings: Settings) -> tuple[str, ...]:
    """``scope.exclude_endings`` without those of documents, where documents are read."""
    endings = settings.scope.exclude_endings
    if not settings.limits.documents:
        return endings
    read = set(DOCUMENT_TYPES.values())
    return tuple(ending for ending in endings if ending.lower().lstrip(".") not in read)
