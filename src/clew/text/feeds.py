"""Feeds as documents: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed.

The title of an entry is the text of its link, its summary stands beside it, its date is the link's. Feeds are read by
what is in them: many are served as HTML, as plain text or in broken XML.
"""

from __future__ import annotations

import math
import re
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import msgspec

from clew.model import LinkKind
from clew.text import charset
from clew.text.dates import timestamp
from clew.text.html import Anchor, Document, squeeze
from clew.text.xmlstream import entries, local

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_ENTRIES = 2_000
MAX_SUMMARY = 2_000
"""Characters of an entry's summary that are read."""

_HEAD_BYTES = 8_192
_ROOT = re.compile(rb"<(?![?!])[^\s<>/]*")
_ROOTS = frozenset({b"rss", b"rdf", b"feed"})
_JSON_VERSION = re.compile(rb"\"version\"\s*:\s*\"https?:\\?/\\?/jsonfeed\.org\\?/version\\?/")
_TAG = re.compile(r"<[^<>]*>")
_BASE, _LANG = "{http://www.w3.org/XML/1998/namespace}base", "{http://www.w3.org/XML/1998/namespace}lang"
_ENTRIES = frozenset({"item", "entry"})
_DATES = ("updated", "modified", "pubdate", "date", "published", "issued", "created")
_SUMMARIES = ("description", "summary", "encoded", "content", "subtitle")
_NEXT = frozenset({"next", "next-archive", "prev-archive"})
_NO_PAGE = frozenset({"self", "enclosure", "edit", "replies", "hub", "license", "via", "related"})


def is_feed(body: bytes) -> bool:
    """Whether a body begins as a feed does, whatever it was served as."""
    head = body[:_HEAD_BYTES].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if head.startswith(b"{"):
        return _JSON_VERSION.search(head) is not None
    if not head.startswith(b"<"):
        return False
    root = _first_tag(head)
    return root.rpartition(b":")[2].lower() in _ROOTS


def _first_tag(head: bytes) -> bytes:
    """The name of the first element, comments, instructions and declarations passed over."""
    place = 0
    while (start := head.find(b"<", place)) >= 0:
        closing = b"-->" if head.startswith(b"<!--", start) else b">"
        if head[start + 1 : start + 2] not in (b"!", b"?"):
            found = _ROOT.match(head, start)
            return found[0][1:] if found else b""
        end = head.find(closing, start)
        if end < 0:
            return b""
        place = end + len(closing)
    return b""


def parse(body: bytes, content_type: str = "") -> tuple[Document, str]:
    """The document in a feed, and the name of its charset. One that cannot be read at all is an empty document."""
    text, name = charset.decode(body, content_type)
    text = text.lstrip("\ufeff \t\r\n")
    reader = _Feed()
    if text.startswith("{"):
        reader.json(text)
    else:
        reader.xml(text)
    return reader.document, name


def plain(markup: str) -> str:
    """Text of a title or summary that may hold escaped HTML."""
    markup = markup[: 4 * MAX_SUMMARY]
    if "<" in markup:
        markup = _TAG.sub(" ", markup)
    return squeeze(unescape(markup))[:MAX_SUMMARY] if "&" in markup else squeeze(markup)[:MAX_SUMMARY]


class _Feed:
    """A feed being read."""

    def __init__(self) -> None:
        self.document = Document()
        self._entries = 0

    # -- what all feeds have in common --------------------------------------------------------------------

    def _head(self, text: str) -> None:
        if text:
            self.document.leaves.append(text)

    def _entry(self, href: str, title: str, summary: str, date: float) -> None:
        """A link with its title as a leaf, and its summary as the next one."""
        leaves, self._entries = self.document.leaves, self._entries + 1
        place = len(leaves)
        leaves.append(title)
        if href:
            self.document.anchors.append(Anchor(LinkKind.ENTRY, href, text=title, first=place, last=place, date=date))
        if summary and summary != title:
            leaves.append(summary)

    # -- RSS and Atom -------------------------------------------------------------------------------------

    def xml(self, text: str) -> None:
        for element in entries(text, _ENTRIES):
            name = local(element)
            self.document.lang = self.document.lang or element.get(_LANG, "")
            if name in _ENTRIES:
                self._xml_entry(element)
                if self._entries >= MAX_ENTRIES:
                    break
            else:
                self._channel(name, element)
        self.document.text = "\n".join(filter(None, self.document.leaves))

    def _channel(self, name: str, element: _Element) -> None:
        """What stands outside of entries: title and description of the feed, its language, its further pages."""
        above = element.getparent()
        if above is None or local(above) not in ("channel", "feed"):
            return
        text = plain(_text(element))
        if name == "title" and not self.document.title:
            self.document.title = text
        elif name in ("description", "subtitle", "tagline"):
            self._head(text)
        elif name == "language" and not self.document.lang:
            self.document.lang = text
        elif name == "link" and element.get("rel", "").lower() in _NEXT and element.get("href"):
            href = _resolved(element, element.get("href", ""))
            self.document.anchors.append(Anchor(LinkKind.FEED, href))

    def _xml_entry(self, element: _Element) -> None:
        parts: dict[str, _Element] = {}
        links: list[_Element] = []
        for part in element.iter():  # its children, or what broken markup put deeper
            name = local(part)
            if name == "link":
                links.append(part)
            elif name not in parts and part is not element:
                parts[name] = part
        texts = [_text(parts[name]) for name in _SUMMARIES if name in parts]
        summary = next(filter(None, map(plain, texts)), "")
        title = plain(_text(parts["title"])) if "title" in parts else ""
        dates = (timestamp(_text(parts[name])) for name in _DATES if name in parts)
        date = next((one for one in dates if not math.isnan(one)), math.nan)
        self._entry(_href(links, parts.get("guid")), title or summary[:200], summary, date)

    # -- JSON Feed ----------------------------------------------------------------------------------------

    def json(self, text: str) -> None:
        try:
            feed = msgspec.json.decode(text.encode("utf-8", "replace"))
        except (msgspec.MsgspecError, RecursionError):
            return
        if not isinstance(feed, dict):
            return
        self.document.title, self.document.lang = plain(_said(feed, "title")), _said(feed, "language")
        self._head(plain(_said(feed, "description")))
        if following := _said(feed, "next_url"):
            self.document.anchors.append(Anchor(LinkKind.FEED, following))
        items = feed.get("items")
        for item in items[:MAX_ENTRIES] if isinstance(items, list) else ():
            if isinstance(item, dict):
                self._json_entry(item)
        self.document.text = "\n".join(filter(None, self.document.leaves))

    def _json_entry(self, item: dict[str, Any]) -> None:
        texts = (_said(item, name) for name in ("summary", "content_text", "content_html"))
        summary = next(filter(None, map(plain, texts)), "")
        dates = (timestamp(_said(item, name)) for name in ("date_modified", "date_published"))
        date = next((one for one in dates if not math.isnan(one)), math.nan)
        href = next(filter(None, (_said(item, name) for name in ("url", "external_url"))), "")
        own = _said(item, "id")
        href = href or (own if own.startswith(("http://", "https://")) else "")
        self._entry(href, plain(_said(item, "title")) or summary[:200], summary, date)


def _said(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _text(element: _Element) -> str:
    """All text in an element, markup of XHTML left out."""
    pieces, size = [], 0
    for piece in element.itertext():
        pieces.append(str(piece))
        size += len(pieces[-1])
        if size > 4 * MAX_SUMMARY:
            break
    return " ".join(pieces) if len(pieces) > 1 else "".join(pieces)


def _href(links: list[_Element], guid: _Element | None) -> str:
    """Where an entry leads: its own page, by Atom's rel=alternate, by the text of RSS, else by a guid that is a URL."""
    for link in links:
        rel = link.get("rel", "alternate").lower()
        href = (link.get("href") or _text(link)).strip()
        if href and rel not in _NO_PAGE and rel not in _NEXT:
            return _resolved(link, href)
    if guid is not None and guid.get("ispermalink", guid.get("isPermaLink", "true")).lower() != "false":
        href = _text(guid).strip()
        return href if href.startswith(("http://", "https://", "/")) else ""
    return ""


def _resolved(element: _Element, href: str) -> str:
    """A URL under the ``xml:base`` of its element and of those around it."""
    around: _Element | None = element
    while around is not None:
        base = around.get(_BASE)
        if base:
            try:
                href = urljoin(base.strip(), href)
            except ValueError:
                return href
        around = around.getparent()
    return href
