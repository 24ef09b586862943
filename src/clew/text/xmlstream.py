"""XML from the web, piece by piece: what can be read of it is read, however broken, in bounded memory and linear time.

Nothing outside the text is ever looked at: document type declarations are dropped before parsing, and with them all
entities that a text declares for itself (external ones, and those that swell). Entities of HTML are known, which feeds
use without declaring them; other ampersands stand for themselves, as in URLs that nobody escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from html import escape
from html.entities import html5
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from lxml.etree import _Element

PIECE = 1 << 16
"""Characters given to the parser at a time."""

MAX_DTD_CHARS = 1 << 16
"""Of a longer document type declaration, what lies beyond is taken for content."""

MAX_ELEMENTS = 20_000
"""Elements in one entry; what comes after an entry with more is not read."""

_LENIENT: Mapping[str, Any] = {
    "recover": True,
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
    "encoding": "utf-8",
}
"""How the parser takes what is broken, and looks at nothing outside the text."""

_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_REFERENCE = re.compile(r"&(?:(#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{0,31});)?")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DOCTYPE = re.compile(r"<!DOCTYPE\b", re.I)
_DTD_PART = re.compile(r"<!--|\"[^\"]*+\"|'[^']*+'|[\[\]>]")
_ROOT = re.compile(r"<[^\W\d]")
_STRAY = re.compile(r"<(?![A-Za-z_:/!?][^<>]*>)")
_OF_XML = frozenset({"lt", "gt", "amp", "quot", "apos"})


def local(element: _Element) -> str:
    """The name of an element without its namespace, in lower case; empty for comments and instructions."""
    tag = element.tag
    return _local(tag) if isinstance(tag, str) else ""


def _local(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2].lower()


def entries(text: str, names: Collection[str]) -> Iterator[_Element]:
    """The elements with these local names, whole, and the ones outside of them as they end, in the order they end.

    What was given is taken off the tree when the next one is asked for. ``text`` may have lost its end anywhere.
    """
    from lxml import etree

    parser = etree.XMLPullParser(events=("start", "end"), **_LENIENT)
    walk = _Walk(names)
    try:
        for piece in pieces(text):
            parser.feed(piece.encode())
            yield from walk.ended(parser.read_events())
            if walk.inside > MAX_ELEMENTS:
                return
    except etree.LxmlError:  # too broken to go on: what ended before stands
        yield from walk.ended(parser.read_events())
    yield from walk.cut_off()


class Listener(Protocol):
    """Told of what is in a text, in its order. Names are local and in lower case, as those of attributes are."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """Text, in pieces."""


def tell(text: str, listener: Listener) -> None:
    """Go through all of a text, of which nothing is kept. ``text`` may have lost its end anywhere."""
    from lxml import etree

    parser = etree.XMLParser(target=_Target(listener), **_LENIENT)
    try:
        for piece in pieces(text):
            parser.feed(piece.encode())
    except etree.LxmlError:  # too broken to go on
        pass


class _Target:
    """What the parser calls."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.data = listener.data

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.listener.start(_local(tag), {_local(name): value for name, value in attributes.items()})

    def end(self, tag: str) -> None:
        self.listener.end(_local(tag))

    def close(self) -> None:
        """There is nothing to hand over."""


class _Walk:
    """Tells which elements are to be given out, and takes them off the tree afterwards."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.entry: _Element | None = None
        self.inside = 0
        self.begun: _Element | None = None  # what began last, unless something ended since

    def cut_off(self) -> Iterator[_Element]:
        """The entry in which the text ends, without the element that may have lost its end."""
        if self.entry is None:
            return
        if self.begun is not None and self.begun is not self.entry and (parent := self.begun.getparent()) is not None:
            parent.remove(self.begun)
        yield self.entry

    def ended(self, events: Iterator[tuple[str, _Element]]) -> Iterator[_Element]:
        for event, element in events:
            self.begun = element if event == "start" else None
            if event == "start":
                self.inside += self.entry is not None
                if local(element) in self.names:
                    if self.entry is not None:  # entries stand in none: that one was never closed
                        yield self.entry
                    self.entry, self.inside = element, 0
            elif element is self.entry or (self.entry is None and local(element) not in self.names):
                self.entry, self.inside = None, 0
                yield element
                _take_off(element)


def _take_off(element: _Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    element.clear()
    while element.getprevious() is not None:
        del parent[0]


def pieces(text: str) -> Iterator[str]:
    """The root element without what a parser would stumble over, a piece at a time: CDATA and stray "<" and "&"
    become escaped characters, control characters vanish, and so does a tag that lost its end with the text."""
    place = _content(text)
    while place < len(text):
        end = _whole(text, place, min(place + PIECE, len(text)))
        yield _clean(_NO_XML.sub("", text[place:end]))
        place = end


def _whole(text: str, place: int, end: int) -> int:
    """Where a piece ends that should end at ``end``, lest it end in a tag or in CDATA."""
    if end < len(text):
        end = text.rfind(">", place, end) + 1 or end
    opened = text.rfind(_CDATA, place, end)
    if opened >= 0 and text.find(_CDATA_END, opened, end) < 0:
        closed = text.find(_CDATA_END, end - len(_CDATA_END))
        return len(text) if closed < 0 else closed + len(_CDATA_END)
    return end


def _clean(text: str) -> str:
    cleaned: list[str] = []
    place = 0
    while (start := text.find(_CDATA, place)) >= 0:
        end = text.find(_CDATA_END, start)
        end = len(text) if end < 0 else end
        cleaned += _marked_up(text[place:start]), escape(text[start + len(_CDATA) : end], quote=False)
        place = end + len(_CDATA_END)
    rest = text[place:]
    cut = rest.rfind("<")
    return "".join([*cleaned, _marked_up(rest[:cut] if cut >= 0 and ">" not in rest[cut:] else rest)])


def _marked_up(text: str) -> str:
    return _REFERENCE.sub(_reference, _STRAY.sub("&lt;", text))


def _content(text: str) -> int:
    """Where the root element begins: after declarations, comments and instructions."""
    place = 0
    while (start := text.find("<", place)) >= 0:
        if text.startswith("<!--", start):
            end = text.find("-->", start)
        elif text.startswith("<?", start):
            end = text.find("?>", start)
        elif _DOCTYPE.match(text, start):
            end = _end_of_doctype(text, start)
        elif _ROOT.match(text, start):
            return start
        else:
            end = start
        if end < 0:
            return len(text)
        place = end + 1
    return len(text)


def _end_of_doctype(text: str, start: int) -> int:
    """Where its last ">" stands: that behind the brackets, if it has any, which stand in no quotes and no comment."""
    depth = 0
    place, end = start, min(len(text), start + MAX_DTD_CHARS)
    while (part := _DTD_PART.search(text, place, end)) is not None:
        place = part.end()
        if part[0] == "<!--":
            place = text.find("-->", place, end)
            if place < 0:
                break
        depth += {"[": 1, "]": -1}.get(part[0], 0)
        if part[0] == ">" and depth <= 0:
            return part.start()
    return end


def _reference(found: re.Match[str]) -> str:
    """A reference as XML knows it: its characters, or an ampersand for itself."""
    name = found[1]
    if name is None:
        return "&amp;"
    if name in _OF_XML:
        return found[0]
    if not name.startswith("#"):
        known = html5.get(f"{name};")
        return f"&amp;{name};" if known is None else escape(known, quote=False)
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    meant = chr(code) if 0 < code < 0x110000 else ""
    return escape(_NO_XML.sub("", meant), quote=False)
