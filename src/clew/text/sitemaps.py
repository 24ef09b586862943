"""Sitemaps (sitemaps.org, protocol 0.9): what pages a site says it has, and when they changed.

A sitemap is XML (a list of URLs, or an index of sitemaps), plain text with a URL a line, or a feed; perhaps gzipped,
whatever its name says. Namespaces, encodings and broken markup are taken as they come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.model import LinkKind
from clew.text import charset, gzipped
from clew.text.dates import timestamp
from clew.text.html import Anchor, Document, squeeze
from clew.text.xmlstream import entries, local

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_URLS = 50_000
"""URLs of a sitemap, and sitemaps of an index, as the protocol limits them; what follows is not read."""

MAX_BYTES = 50 << 20
"""Bytes of a sitemap after decompression, as the protocol limits them; what follows is not read."""

MAX_LINE = 4_096
MAX_TEXT = 300

_KINDS = {"url": LinkKind.LISTED, "sitemap": LinkKind.SITEMAP}
_SAID = frozenset({"title", "caption", "keywords", "description"})
"""Elements of the extensions for news, images and videos that say in words what a page is about."""

_NO_PLACE = frozenset({"image", "video"})
"""Elements whose ``loc`` is a picture or film on the page."""


@dataclass(slots=True)
class Entry:
    """A URL as it stands in a sitemap (``kind`` LISTED), or a sitemap in an index (SITEMAP).

    ``date``: Unix time of the last change, NaN where it does not say · ``priority``: 0 to 1, 0.5 by default · ``text``:
    titles, captions and keywords.
    """

    kind: LinkKind
    url: str
    date: float = math.nan
    priority: float = 0.5
    text: str = ""


def parse(body: bytes, content_type: str = "", words_of: Callable[[str], str] = str) -> Document | None:
    """The entries of a sitemap as links of a document, each a leaf with the words of its URL; None: it is no sitemap.

    Newest first where dates differ, then by priority, then as they stand.
    """
    found = list(read(body, content_type))
    if not found and not _claims(body):
        return None
    found.sort(key=lambda entry: (math.inf if math.isnan(entry.date) else -entry.date, -entry.priority))
    document = Document()
    for place, entry in enumerate(found):
        text = entry.text or words_of(entry.url)
        document.leaves.append(text)
        document.anchors.append(Anchor(entry.kind, entry.url, text=text, first=place, last=place, date=entry.date))
    return document


def read(body: bytes, content_type: str = "") -> Iterator[Entry]:
    """The entries in the order in which they stand, at most MAX_URLS; nothing where there is no sitemap."""
    text, _ = charset.decode(unpacked(body), content_type)
    text = text.lstrip("\ufeff \t\r\n")
    found = _of_xml(text) if text.startswith("<") else _of_lines(text)
    for _, entry in zip(range(MAX_URLS), found, strict=False):
        yield entry


def unpacked(body: bytes, most: int = MAX_BYTES) -> bytes:
    """A body without its gzip layers, at most ``most`` bytes of it; of a damaged one what came before the damage."""
    return gzipped.unpacked(body, most)[0]


def _claims(body: bytes) -> bool:
    """Whether an empty one is a sitemap all the same."""
    head = unpacked(body, 4096).replace(b"\0", b"").lower()
    return b"<urlset" in head or b"<sitemapindex" in head


def _of_lines(text: str) -> Iterator[Entry]:
    """A URL a line; other lines say nothing."""
    for line in text.splitlines():
        url = line.strip()
        if url[:8].lower().startswith(("http://", "https://")) and len(url) <= MAX_LINE and " " not in url:
            yield Entry(LinkKind.LISTED, url)


def _of_xml(text: str) -> Iterator[Entry]:
    for element in entries(text, _KINDS):
        name = local(element)
        if name in _KINDS:
            entry = _entry(_KINDS[name], element)
            if entry is not None:
                yield entry


def _entry(kind: LinkKind, element: _Element) -> Entry | None:
    entry = Entry(kind, "")
    said: list[str] = []
    for part in element.iter():
        name, text = local(part), (part.text or "").strip()
        above = part.getparent()
        if name == "loc" and not entry.url and (above is None or local(above) not in _NO_PLACE):
            entry.url = "".join(text.split())
        elif name == "lastmod" and math.isnan(entry.date):
            entry.date = timestamp(text)
        elif name == "priority":
            entry.priority = _priority(text)
        elif name in _SAID and text:
            said.append(text[:MAX_TEXT])
    entry.text = squeeze(" ".join(said))[:MAX_TEXT]
    return entry if entry.url and len(entry.url) <= MAX_LINE else None


def _priority(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.5
    return 0.5 if math.isnan(value) else min(max(value, 0.0), 1.0)
