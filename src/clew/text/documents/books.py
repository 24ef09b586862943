"""EPUB books: the chapters in the order of the spine, as HTML pages."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from urllib.parse import unquote

from clew.text import charset, html
from clew.text.documents.office import Facts
from clew.text.documents.package import DocumentError, Package
from clew.text.documents.writing import Writer
from clew.text.html import Document, squeeze
from clew.text.xmlstream import tell

_CHAPTERS = (".xhtml", ".html", ".htm")
_WEB = ("http://", "https://")


def read_epub(package: Package, chapters: int) -> Document:
    """The text of a book, its first ``chapters``. Raises DocumentError."""
    writer = Writer()
    found = _Facts(package)
    for name in found.chapters()[:chapters]:
        text, _ = charset.decode(package.part(name), "")
        chapter = html.parse(text, keep_text=False)
        chapter.anchors = [anchor for anchor in chapter.anchors if anchor.href.strip().lower().startswith(_WEB)]
        writer.append(chapter)
        if writer.full:
            break
    if not writer.document.leaves:
        raise DocumentError("is a book without a chapter that can be read")
    document = writer.finished()
    document.title = squeeze(found.values.get("title", ""))
    document.lang = found.values.get("language", "").strip()
    return document


class _Facts(Facts):
    """Title, language, and which parts are chapters, from the package document (OPF)."""

    def __init__(self, package: Package) -> None:
        super().__init__()
        self._package = package
        self._root = ""
        self._items: dict[str, str] = {}
        self._spine: list[str] = []
        tell(package.text("META-INF/container.xml"), self)
        if self._root not in package.names:
            self._root = next((name for name in package.names if name.lower().endswith(".opf")), "")
        tell(package.text(self._root), self)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        super().start(name, attributes)
        if name == "rootfile":
            self._root = self._root or attributes.get("full-path", "")
        elif name == "item":
            self._items[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref":
            self._spine.append(attributes.get("idref", ""))

    def chapters(self) -> list[str]:
        """Names of the parts that are chapters, in reading order; without a spine, in the order of their names."""
        folder = posixpath.dirname(self._root)
        hrefs = [self._items.get(one, "").partition("#")[0] for one in self._spine]
        names = [posixpath.normpath(posixpath.join(folder, unquote(href))) for href in hrefs if href]
        found = [name for name in dict.fromkeys(names) if name in self._package.names]
        return found or sorted(name for name in self._package.names if name.lower().endswith(_CHAPTERS))
