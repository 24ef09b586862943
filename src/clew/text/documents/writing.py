"""Puts documents together: leaves in reading order, and links over some of them."""

from __future__ import annotations

from clew.model import LinkKind
from clew.text.html import MAX_LEAVES, Anchor, Document, squeeze

MAX_ANCHORS = 10_000
"""Links of a document; what comes after is text."""


class Writer:
    """A document being read: text comes in pieces, links begin and end among them, paragraphs end."""

    def __init__(self) -> None:
        self.document = Document()
        self._pieces: list[str] = []
        self._opened: Anchor | None = None

    @property
    def full(self) -> bool:
        """Whether no more leaves are wanted."""
        return len(self.document.leaves) >= MAX_LEAVES

    def text(self, piece: str) -> None:
        """More text of this paragraph."""
        if not self.full:
            self._pieces.append(piece)

    def end_leaf(self) -> None:
        """What comes next is another leaf; also the end of a paragraph."""
        text = squeeze("".join(self._pieces))
        self._pieces.clear()
        if text and not self.full:
            self.document.leaves.append(text)

    def begin_link(self, href: str) -> None:
        """What comes next is the text of a link."""
        self.end_link()
        if len(self.document.anchors) >= MAX_ANCHORS:
            return
        self.end_leaf()
        self._opened = Anchor(LinkKind.ANCHOR, href, first=len(self.document.leaves))

    def end_link(self) -> None:
        """The link ends, if one has begun."""
        anchor, self._opened = self._opened, None
        if anchor is None:
            return
        self.end_leaf()
        anchor.last = len(self.document.leaves) - 1
        anchor.text = squeeze(" ".join(self.document.leaves[anchor.first : anchor.last + 1]))
        self.document.anchors.append(anchor)

    def append(self, other: Document) -> None:
        """All of another document, its leaves after those that are here."""
        offset = len(self.document.leaves)
        self.document.leaves += other.leaves[: MAX_LEAVES - offset]
        for anchor in other.anchors:
            if anchor.last < anchor.first or anchor.last + offset < MAX_LEAVES:
                anchor.first, anchor.last = anchor.first + offset, anchor.last + offset
                self.document.anchors.append(anchor)

    def finished(self) -> Document:
        """The document, with the texts of its leaves as its text."""
        self.end_link()
        self.end_leaf()
        self.document.text = "\n".join(filter(None, self.document.leaves))
        return self.document
