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


INHERITING_TYPES = frozenset((
    *DOCUMENT_TYPES, "application/x-pdf", "application/postscript", "application/eps", "application/x-dvi",
    "image/vnd.djvu", "image/x.djvu", "application/msword", "application/rtf", "text/rtf",
    "application/vnd.ms-powerpoint", "application/vnd.oasis.opendocument.presentation",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
))  # fmt: skip
"""Content types of documents, read or not."""

PACKED_TYPES = ("application/gzip", "application/x-gzip", "application/x-compress")
"""Content types under which packed PostScript is served."""


def wanted_types(settings: Settings) -> tuple[str, ...]:
    """The content types that are downloaded: ``limits.content_types``, and those of feeds and documents where these are
    read, or fetched though they are not read."""
    more = (*FEED_TYPES,) if settings.crawl.feeds else ()
    if settings.limits.documents:
        more = (*more, *DOCUMENT_TYPES, *UNSURE_TYPES)
    if settings.crawl.documents == "fetched":
        more = (*more, *sorted(INHERITING_TYPES), *UNSURE_TYPES, *PACKED_TYPES)
    given = settings.limits.content_types
    return tuple(dict.fromkeys((*given, *more))) if given else ()


def unwanted_endings(settings: Settings) -> tuple[str, ...]:
    """``scope.exclude_endings`` without those of documents that are read or inherit."""
    wanted = {*(DOCUMENT_TYPES.values() if settings.limits.documents else ()), *inheriting_endings(settings)}
    return tuple([ending for ending in settings.scope.exclude_endings if _plain(ending) not in wanted])


def inheriting_endings(settings: Settings) -> tuple[str, ...]:
    """The file endings of documents that inherit, in lower case without a dot: those of ``crawl.document_endings`` that
    are not read; none where ``crawl.documents`` is off."""
    if settings.crawl.documents == "off":
        return ()
    read = frozenset(DOCUMENT_TYPES.values() if settings.limits.documents else ())
    return tuple([ending for name in settings.crawl.document_endings if (ending := _plain(name)) not in read])


def inheriting_suffixes(settings: Settings) -> tuple[str, ...]:
    """The same, each with a dot before it, as ``urls.aspects.has_ending`` takes them."""
    return tuple([f".{ending}" for ending in inheriting_endings(settings)])


def _plain(ending: str) -> str:
    return ending.lower().lstrip(".")
