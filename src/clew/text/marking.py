"""The same document as ``html.parse`` makes, without visiting every node from Python.

Marks are put into the tree where links begin and end and where elements are leaves; the parser then gives all text
nodes, marks among them, in one call. What a page holds of links, frames and images is found by CSS selectors. It is
three times as fast as a walk and gives up (None) on pages that a walk reads better.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from clew.model import LinkKind
from clew.text.html import MAX_LEAVES, MAX_OPEN, Anchor, Document, Walk, nofollow, squeeze
from clew.text.tagnames import TagNames

BEGIN, END, LEAF, OWN = "\x01", "\x02", "\x03", "\x04"
"""Marks: a link begins, a link ends, a leaf without text (or with what follows), a leaf that is a link itself."""

_REFERENCE = re.compile(r"&#(?:x0*+[1-4](?![0-9a-f])|0*+[1-4](?![0-9]))", re.I)
"""A mark written as a character reference."""

_HIDING = re.compile(r"<(?:template|noscript|noframes)", re.I)
_WHITE = " \t\n\r\f"
_ANCHOR = LinkKind.ANCHOR
MANY_DRAWINGS = 100
_STRIPPED = ["script", "style", "noscript", "template", "noframes"]
_MEANT = {"a": "a[href]", **{name: name for name in ("area", "iframe", "img", "meta", "link", "base")}, "image": "img"}
"""What is looked for: selectors by the name of the tag that is written."""

_EMPTY = ":blank:not(img, body)"
_APART = {name: name for name in ("title", "svg", "frameset", "math")}
_WALKED = {"frameset", "math"}
"""What is left to a walk, with drawings that hold links: frames, and formulae, in which leaves may hold elements. No
selector here asks what an element stands in: lexbor answers in the square of the depth."""

# Taken and given back once, untouched: from then on glibc keeps up to 32 MB of free memory. Else it may return a page's
# tree to the system and get it back for the next, up to 100 page faults each time. No effect with other allocators.
bytes(16 << 20)


def parse(text: str, max_anchors: int, names: TagNames | None = None) -> Document | None:
    """The document in a page (its visible text left out), or None when it must be walked.

    ``names`` are the page's, if they are known already.
    """
    if any(mark in text for mark in (BEGIN, END, LEAF, OWN)) or _REFERENCE.search(text):
        return None
    if names is None:
        names = TagNames(text)
    parser = LexborHTMLParser(text)
    root, body = parser.root, parser.body
    if root is None or body is None or body.tag != "body":
        return None
    walk = Walk(max_anchors, keep_text=False)
    if stripped := [name for name in _STRIPPED if names.may_have(name)]:
        parser.strip_tags(stripped, recursive=True)
    if not _set_apart(parser, walk, text, names):
        return None
    walk.html(root)
    marked = _mark(parser, walk, names)
    if marked is None:
        return None
    links, own = marked
    for node in body.css(_EMPTY):
        node.insert_before(LEAF)
    pieces = body.text(deep=True, separator="\x00").split("\x00")
    _number(walk.document, pieces, links, own)
    return _finished(walk.document)


def _select(parser: LexborHTMLParser, selectors: Mapping[str, str], names: TagNames) -> list[LexborNode]:
    """What selectors find, in the order of the page; those of tags that it does not have would only cost time."""
    wanted = dict.fromkeys([selector for name, selector in selectors.items() if names.may_have(name)])
    return parser.css(", ".join(wanted)) if wanted else []


def _set_apart(parser: LexborHTMLParser, walk: Walk, text: str, names: TagNames) -> bool:
    """Take out titles, and make drawings leaves; False when the page must be walked."""
    found = _select(parser, _APART, names)
    tags = {node.tag for node in found} - {"title"}
    if not _WALKED.isdisjoint(tags) or ("svg" in tags and (_drawn(text) or not _drawings_marked(parser))):
        return False
    for title in parser.css("title") if tags else found:  # those inside drawings are gone
        walk.title(title)
        title.decompose()
    return True


def _drawn(text: str) -> bool:
    """Whether drawings hold elements that hide what they hold outside of drawings only, and are stripped by now."""
    if not _HIDING.search(text):
        return False
    drawings = LexborHTMLParser(text).css("svg")
    return len(drawings) > MANY_DRAWINGS or any(
        one.css_first("template, noscript, noframes") is not None for one in drawings
    )


def _drawings_marked(parser: LexborHTMLParser) -> bool:
    """Each outermost drawing becomes one leaf; False when one holds links, or there are too many to look at."""
    for _ in range(MANY_DRAWINGS):
        drawing = parser.css_first("svg")
        if drawing is None:
            return True
        if drawing.css_first("a") is not None:
            return False
        drawing.insert_before(LEAF)
        drawing.decompose()
    return False


def _mark(
    parser: LexborHTMLParser, walk: Walk, names: TagNames
) -> tuple[list[Anchor | None], list[Anchor | None]] | None:
    """Mark links and graphics in the order in which they stand; the anchors that BEGIN and OWN marks stand for. None
    when there is a document in an attribute."""
    links: list[Anchor | None] = []
    own: list[Anchor | None] = []
    anchors, room = walk.document.anchors, walk.max_anchors
    for node in _select(parser, _MEANT, names):
        tag = node.tag
        if tag == "a":
            node.insert_before(BEGIN)
            node.insert_after(END)
            attributes = node.attributes
            anchor = None
            if len(anchors) < room:
                anchor = Anchor(_ANCHOR, attributes["href"] or "", "rel" in attributes and nofollow(attributes["rel"]))
                anchors.append(anchor)
            links.append(anchor)
        elif tag == "img":
            node.insert_before(LEAF + (node.attrs.get("alt") or ""))
        elif tag in ("area", "iframe"):
            if "srcdoc" in node.attributes:
                return None
            own.append(_element(tag, node, walk))
        elif tag is not None:
            walk.head_element(tag, node)
            node.decompose()
    return links, own


def _element(tag: str, node: LexborNode, walk: Walk) -> Anchor | None:
    """One leaf, whatever it holds; a link too if it leads somewhere."""
    attributes, anchor, text = node.attributes, None, ""
    if tag == "area":
        text = attributes.get("alt") or ""
        if href := attributes.get("href"):
            anchor = walk.add(Anchor(LinkKind.AREA, href, nofollow(attributes.get("rel")), squeeze(text)))
    elif href := attributes.get("src"):
        anchor = walk.add(Anchor(LinkKind.FRAME, href, False, squeeze(attributes.get("title") or "")))
    node.insert_before(OWN + text)
    node.decompose()
    return anchor


def _number(  # noqa: PLR0912  # calls would cost more than the work
    document: Document, pieces: list[str], links: list[Anchor | None], own: list[Anchor | None]
) -> None:
    """Number the leaves, and give links the leaves between their marks."""
    leaves, coming, owners = document.leaves, iter(links), iter(own)
    opened: list[Anchor | None] = []
    deep = 0
    for piece in pieces:
        if piece >= "!":  # begins with what is neither a mark nor white space: most do
            leaves.append(piece)
            continue
        mark = piece[:1]
        if mark > OWN:
            if piece.strip(_WHITE):
                leaves.append(piece)
        elif mark == BEGIN:
            anchor = next(coming)
            if anchor is not None:
                anchor.first = anchor.last = len(leaves)
                if deep >= MAX_OPEN:
                    anchor = None  # it holds its first leaf only
                else:
                    deep += 1
            opened.append(anchor)
        elif mark == END:
            anchor = opened.pop()
            if anchor is not None:
                anchor.last = len(leaves) - 1
                deep -= 1
        elif mark == OWN:
            anchor = next(owners)
            if anchor is not None:
                anchor.first = anchor.last = len(leaves)
            leaves.append(piece[1:])
        elif mark == LEAF:
            leaves.append(piece[1:])


def _finished(document: Document) -> Document | None:
    """With the texts of anchors."""
    leaves = document.leaves
    if len(leaves) > MAX_LEAVES:
        return None  # the walk knows where to stop
    for anchor in document.anchors:
        if anchor.kind is _ANCHOR:
            anchor.text = squeeze(" ".join(leaves[anchor.first : anchor.last + 1]))
    return document
