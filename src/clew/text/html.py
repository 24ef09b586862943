"""HTML to a document: DOM leaves in reading order, the links among them, title, language, robots and visible text.

The page is parsed as browsers do (lexbor) and walked once, without recursion. How leaves are numbered (Chakrabarti and
others 2002 section 2.2.1), and what we decided where the paper is silent:

* Leaves are numbered from 0, left to right, over the body; tables come out row by row.
* Every element without content is a leaf (``img``, ``br``, ``input``, an empty ``td``), and so is every text node.
* Text nodes of white space only are dropped; an element that holds nothing else is a leaf itself.
  White space is what HTML calls so: a no-break space is text.
* Not counted, with all they hold: comments, ``script``, ``style``, ``noscript``, ``template``, ``noframes``, and
  ``meta``, ``link``, ``base``, ``title`` wherever they stand. ``svg`` and ``iframe`` are one leaf each.
* Ours, not the paper's: the alternative text of an image is the text of its leaf, and so is that of an ``iframe`` whose
  document stands in its ``srcdoc``. Links in drawings (``svg``), in formulae and in ``srcdoc`` are links of that leaf.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from clew.model import LinkKind
from clew.text.mediatypes import FEED_TYPES
from clew.text.refresh import refresh_target
from clew.text.taming import tame

NOFOLLOW = frozenset({"nofollow", "ugc", "sponsored"})
"""Values of ``rel`` that ask crawlers not to follow a link."""

MAX_OPEN = 8
"""Links inside each other that hold all leaves up to their ends; one further in holds its first leaf only. Else a page
could make each of ten thousand links hold all its text."""

LINK_LEVELS = 8
"""How far below a link in a drawing its text may stand."""

MAX_SRCDOC = 3
"""Documents inside each other that are read."""

MAX_LEAVES = 100_000
"""What follows the leaf of this number is not read; real pages have some hundreds, the longest some ten thousand."""


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_WHITE = " \t\n\r\f"
_TEXT = "-text"
_BREAK = " \x00 "
_SKIP = ""
"""Ends nothing; marks elements whose content is passed over."""

_SKIPPED = frozenset({"script", "style", "noscript", "template", "noframes"})
_BLOCKS = _set(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search "
    "section summary table tbody tfoot thead tr ul"
)
_ENDS: dict[str, str] = {**dict.fromkeys(_BLOCKS, _BREAK), "td": " ", "th": " "}
"""What stands around elements in the visible text."""

_HEAD_RELS = _set("next prev previous first last up index contents start chapter section subsection alternate")
_PAGE_TYPES = ("", "text/html", "application/xhtml+xml")


@dataclass(slots=True)
class Anchor:
    """A link as it stands on a page: leaves ``first``..``last`` of the document; (0, -1) when it has none.

    ``text`` is given for links that are no ``<a>``; an anchor's text is that of its leaves. ``date``: Unix time at
    which the page changed, where a sitemap or feed says so.
    """

    kind: LinkKind
    href: str
    nofollow: bool = False
    text: str = ""
    first: int = 0
    last: int = -1
    date: float = math.nan


@dataclass(slots=True)
class Document:
    """What a page holds. ``leaves`` has one text a leaf ("" for leaves without); URLs are as written."""

    leaves: list[str] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    title: str = ""
    lang: str = ""
    base: str = ""
    canonicals: list[str] = field(default_factory=list)
    robots: list[tuple[str, str]] = field(default_factory=list)
    text: str = ""


def parse(text: str, max_anchors: int = 100_000, keep_text: bool = True, depth: int = 0) -> Document:
    """The document in an HTML page, however broken. Links after the first ``max_anchors`` are left out.

    Without ``keep_text`` the visible text is not put together: ``Document.text`` is empty. ``depth``: how many
    documents this one stands in.
    """
    root = LexborHTMLParser(tame(text)).root
    walk = Walk(max_anchors, keep_text, depth)
    if root is not None:
        walk.run(root)
    return walk.document


def squeeze(text: str) -> str:
    """Text with every run of white space as one space."""
    return " ".join(text.split())


class Walk:
    """One pass over the nodes of a page in document order.

    ``ids`` and ``ends`` are the stack of open elements: their identity, and what is to be done when they end.
    ``pending`` is the place on the stack (from 1) of an element that is a leaf if nothing countable follows in it.
    """

    def __init__(self, max_anchors: int, keep_text: bool, depth: int = 0) -> None:
        self.document = Document()
        self.max_anchors = max_anchors
        self.keep_text = keep_text
        self.depth = depth
        self.opened = 0
        self.formulae: set[int] = set()
        self.parts: list[str] = []
        self.ids: list[int] = []
        self.ends: list[Anchor | str | None] = []
        self.in_body = self.based = False
        self.pending = 0

    def run(self, root: LexborNode) -> None:  # noqa: PLR0912  # calls would cost more than the work
        """Fill the document. One loop with local names: it sees every node of every page."""
        ids, ends, leaves, parts, pending = self.ids, self.ends, self.document.leaves, self.parts, 0
        keep, in_body, top = self.keep_text, False, 0
        for node in root.traverse(include_text=True):
            parent = node.parent
            above = parent.mem_id if parent else 0
            while top != above and ids:  # elements end
                if len(ids) == pending:
                    leaves.append("")
                    pending = 0
                ids.pop()
                top = ids[-1] if ids else 0
                end = ends.pop()
                if end:
                    if end.__class__ is str:
                        if keep:
                            parts.append(end)
                    else:
                        end.last = len(leaves) - 1  # type: ignore[union-attr]
                        self.opened -= 1
            tag = node.tag
            if tag == _TEXT:
                if in_body and ends[-1] is not _SKIP:
                    text = node.text_content or ""
                    if not text.isspace() or text.strip(_WHITE):
                        leaves.append(text)
                        pending = 0
                    if keep:
                        parts.append(text)
                continue
            top = node.mem_id
            ids.append(top)
            if (ends and ends[-1] is _SKIP) or not tag or tag[0] in "-!":  # passed over; a comment; a doctype
                ends.append(_SKIP)
            elif tag in _SPECIAL:
                self.pending = pending
                ends.append(_SPECIAL[tag](self, node))
                pending, in_body = self.pending, self.in_body
            elif in_body:
                pending = len(ids)
                end = _ENDS.get(tag)
                ends.append(end)
                if end and keep:
                    parts.append(end)
            else:
                ends.append(None)
            if len(leaves) > MAX_LEAVES:
                break
        self._finish(pending)

    def _end(self, end: Anchor | str) -> None:
        if isinstance(end, str):
            self.parts.append(end)
        else:
            end.last = len(self.document.leaves) - 1

    # -- elements with a meaning: each method returns what is to be done when its element ends ---------------

    def _body(self, node: LexborNode) -> str | None:
        self.in_body = True
        return None

    def html(self, node: LexborNode) -> str | None:
        attributes = node.attributes
        self.document.lang = attributes.get("lang") or attributes.get("xml:lang") or ""
        return None

    def _skip(self, node: LexborNode) -> str | None:
        return _SKIP

    def _leaf(self, text: str = "", separator: str = "") -> str:
        """Count an element whose content does not matter."""
        self.pending = 0
        self.document.leaves.append(text)
        self.parts.append(separator or f" {text} ")
        return _SKIP

    def _graphic(self, node: LexborNode) -> str | None:
        self._add_drawn(node, lambda tag: tag == "a")
        return self._leaf()

    def _formula(self, node: LexborNode) -> str | None:
        if node.mem_id not in self.formulae:  # else it stands in one, and its links are known
            self._add_drawn(node, lambda tag: tag == "math" or tag not in _SPECIAL)
        self.pending = len(self.ids)
        return None

    def _add_drawn(self, drawing: LexborNode, may_link: Callable[[str], bool]) -> None:
        """Links in a drawing or formula: of the leaf that comes next. Their text is what stands right in them."""
        place = len(self.document.leaves)
        found: dict[int, tuple[Anchor, list[str]]] = {}
        for node in drawing.traverse(include_text=True):
            tag = node.tag or ""
            if tag == _TEXT:
                if (parts := _text_of_link(node, found)) is not None:
                    parts.append(node.text_content or "")
                continue
            if tag == "math":
                self.formulae.add(node.mem_id)
            if may_link(tag):
                attributes = node.attributes
                href = attributes["href"] if "href" in attributes else attributes.get("xlink:href")
                if href is not None:
                    anchor = Anchor(LinkKind.AREA, href, nofollow(attributes.get("rel")), "", place, place)
                    found[node.mem_id] = anchor, []
                    self.add(anchor)
        for anchor, parts in found.values():
            anchor.text = squeeze("".join(parts))

    def _line_break(self, node: LexborNode) -> str | None:
        return self._leaf("", _BREAK)

    def _image(self, node: LexborNode) -> str | None:
        return self._leaf(node.attrs.get("alt") or "")

    def _link(self, node: LexborNode) -> Anchor | str | None:
        self.pending = len(self.ids)
        href = node.attrs.get("href")
        if href is None and "href" in node.attrs:  # <a href>: a link to the base
            href = ""
        if href is None:
            return None
        anchor = Anchor(LinkKind.ANCHOR, href, nofollow(node.attrs.get("rel")), first=len(self.document.leaves))
        if self.opened >= MAX_OPEN:
            anchor.last = anchor.first
            self.add(anchor)
            return None
        if (added := self.add(anchor)) is not None:
            self.opened += 1
        return added

    def _area(self, node: LexborNode) -> str | None:
        attributes = node.attributes
        alt = attributes.get("alt") or ""
        self._own_leaf(LinkKind.AREA, attributes.get("href"), alt, nofollow(attributes.get("rel")))
        return self._leaf(alt)

    def _frame(self, node: LexborNode) -> str | None:
        attributes = node.attributes
        if "srcdoc" in attributes and node.tag == "iframe":
            return self._leaf(self._inner(attributes["srcdoc"] or ""))
        self._own_leaf(LinkKind.FRAME, attributes.get("src"), attributes.get("title") or "", False)
        return self._leaf()

    def _inner(self, text: str) -> str:
        """Take in the links of a document that stands in an attribute; its text."""
        place, room = len(self.document.leaves), self.max_anchors - len(self.document.anchors)
        if self.depth >= MAX_SRCDOC:
            return ""
        inner = parse(text, room, depth=self.depth + 1)
        for anchor in inner.anchors:
            kind = LinkKind.AREA if anchor.kind is LinkKind.ANCHOR else anchor.kind
            href = _joined(inner.base, anchor.href)
            self.add(replace(anchor, kind=kind, href=href, first=place, last=place))
        return inner.text

    def _own_leaf(self, kind: LinkKind, href: str | None, text: str, nofollow: bool) -> None:
        """A link that is a leaf itself."""
        if href:
            place = len(self.document.leaves)
            self.add(Anchor(kind, href, nofollow, squeeze(text), place, place))

    def title(self, node: LexborNode) -> str | None:
        if not self.document.title:
            self.document.title = squeeze(node.text())
        return _SKIP

    def _base(self, node: LexborNode) -> str | None:
        attributes = node.attributes
        if not self.based and "href" in attributes:  # the first that has one counts, even if it is empty
            self.document.base, self.based = (attributes["href"] or "").strip(), True
        return _SKIP

    def _head_link(self, node: LexborNode) -> str | None:
        attributes = node.attributes
        rels = (attributes.get("rel") or "").lower().split()
        href = (attributes.get("href") or "").strip()
        if href and "canonical" in rels:
            self.document.canonicals.append(href)
        if href and (found := head_link(href, rels, attributes.get("type") or "", attributes.get("title") or "")):
            self.add(found)
        return _SKIP

    def _meta(self, node: LexborNode) -> str | None:
        attributes = node.attributes
        content = attributes.get("content") or ""
        meaning = (attributes.get("http-equiv") or "").strip().lower()
        if meaning == "refresh" and (target := refresh_target(content)):
            self.add(Anchor(LinkKind.REFRESH, target))
        elif meaning == "content-language" and not self.document.lang:
            self.document.lang = content
        if (name := attributes.get("name")) and content:
            self.document.robots.append((name.strip().lower(), content))
        return _SKIP

    def head_element(self, tag: str, node: LexborNode) -> None:
        """Take in a ``meta``, ``link`` or ``base``, wherever it stands."""
        _SPECIAL[tag](self, node)

    def add(self, anchor: Anchor) -> Anchor | None:
        if len(self.document.anchors) >= self.max_anchors:
            return None
        self.document.anchors.append(anchor)
        return anchor

    def _finish(self, pending: int) -> None:
        """End what is open, and make the texts of the page and of its anchors."""
        document = self.document
        if pending:
            document.leaves.append("")
        for end in reversed(self.ends):
            if end:
                self._end(end)
        if self.keep_text:
            lines = " ".join("".join(self.parts).split()).split("\x00")
            document.text = "\n".join(filter(None, map(str.strip, lines)))
        for anchor in document.anchors:
            if anchor.last >= len(document.leaves):  # the page was not read to its end
                anchor.first, anchor.last = 0, -1
            if anchor.kind is LinkKind.ANCHOR:
                anchor.text = squeeze(" ".join(document.leaves[anchor.first : anchor.last + 1]))


def head_link(href: str, rels: Sequence[str], kind: str, title: str) -> Anchor | None:
    """A link that a page has beside its text, if it leads to another page or a feed; ``rels`` are in lower case."""
    kind = kind.strip().lower()
    feed = kind in FEED_TYPES and "alternate" in rels
    if not feed and (kind not in _PAGE_TYPES or "stylesheet" in rels or _HEAD_RELS.isdisjoint(rels)):
        return None
    return Anchor(LinkKind.FEED if feed else LinkKind.HEAD, href, not NOFOLLOW.isdisjoint(rels), squeeze(title))


def _text_of_link(node: LexborNode, links: Mapping[int, tuple[Anchor, list[str]]]) -> list[str] | None:
    """Where the text of the innermost link around a text node goes; it is looked for LINK_LEVELS up."""
    for _ in range(LINK_LEVELS):
        above = node.parent
        if above is None:
            return None
        if (found := links.get(above.mem_id)) is not None:
            return found[1]
        node = above
    return None


def _joined(base: str, href: str) -> str:
    """``href`` relative to the base of a document that stands in another one."""
    try:
        return urljoin(base, href) if base else href
    except ValueError:
        return href


def nofollow(rel: str | None) -> bool:
    """Whether a link with this ``rel`` attribute asks not to be followed."""
    return rel is not None and not NOFOLLOW.isdisjoint(rel.lower().split())


_SPECIAL: dict[str, Callable[[Walk, LexborNode], Anchor | str | None]] = {
    **dict.fromkeys(_SKIPPED, Walk._skip),
    "html": Walk.html,
    "head": lambda walk, node: None,
    "body": Walk._body,
    "frameset": Walk._body,
    "a": Walk._link,
    "area": Walk._area,
    "frame": Walk._frame,
    "iframe": Walk._frame,
    "img": Walk._image,
    "br": Walk._line_break,
    "svg": Walk._graphic,
    "math": Walk._formula,
    "title": Walk.title,
    "base": Walk._base,
    "link": Walk._head_link,
    "meta": Walk._meta,
}
