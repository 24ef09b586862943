"""docx (ECMA-376) and odt (OpenDocument) files: paragraphs, links, title, language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clew.text.documents.package import Package
from clew.text.documents.writing import Writer
from clew.text.html import Document, squeeze
from clew.text.xmlstream import tell

_FIELD = re.compile(r'\s*HYPERLINK\s+"([^"]{1,4096})"', re.I)
_MAX_FIELD = 8_192


def read_docx(package: Package) -> Document:
    """The text of a docx file. Raises DocumentError."""
    reader = _Docx(_targets(package.text("word/_rels/document.xml.rels")))
    tell(package.text("word/document.xml"), reader)
    return _described(reader.writer, package.text("docProps/core.xml"))


def read_odt(package: Package) -> Document:
    """The text of an odt file. Raises DocumentError."""
    reader = _Odt()
    tell(package.text("content.xml"), reader)
    return _described(reader.writer, package.text("meta.xml"))


def _described(writer: Writer, facts: str) -> Document:
    """The document with the title and language that a part of Dublin Core elements gives."""
    document, found = writer.finished(), Facts()
    tell(facts, found)
    document.title = squeeze(found.values.get("title", ""))
    document.lang = found.values.get("language", "").strip()
    return document


class Facts:
    """The first text of each element of the names title and language."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self._name = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._name = name if name in ("title", "language") and name not in self.values else ""

    def end(self, name: str) -> None:
        self._name = ""

    def data(self, text: str) -> None:
        if self._name:
            self.values[self._name] = (self.values.get(self._name, "") + text)[:1_000]


class _Targets:
    """The relationships of a part: where links to the outside lead, by their ids."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "relationship" and attributes.get("targetmode", "").lower() == "external":
            self.found[attributes.get("id", "")] = attributes.get("target", "")

    def end(self, name: str) -> None:
        """Relationships hold nothing."""

    def data(self, text: str) -> None:
        """Relationships hold nothing."""


def _targets(text: str) -> dict[str, str]:
    listener = _Targets()
    tell(text, listener)
    return listener.found


class _Docx:
    """Paragraphs (w:p) of runs of text (w:t), links (w:hyperlink, or fields of the form HYPERLINK "...")."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self.writer = Writer()
        self._targets = targets
        self._in_text = self._in_field = False
        self._field = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._in_text = name == "t"
        self._in_field = name == "instrtext"
        if name in ("tab", "br", "cr"):
            self.writer.text(" ")
        elif name == "hyperlink":
            self._begin_link(self._targets.get(attributes.get("id", ""), ""))
        elif name == "fldsimple":
            self._begin_link(_field_target(attributes.get("instr", "")))
        elif name == "fldchar":
            self._field_mark(attributes.get("fldchartype", ""))

    def _begin_link(self, href: str) -> None:
        if href:
            self.writer.begin_link(href)

    def _field_mark(self, mark: str) -> None:
        """A field begins, its code ends and its result begins, or it ends."""
        if mark == "separate":
            self._begin_link(_field_target(self._field))
        elif mark == "end":
            self.writer.end_link()
        self._field = ""

    def end(self, name: str) -> None:
        self._in_text = self._in_field = False
        if name in ("hyperlink", "fldsimple"):
            self.writer.end_link()
        elif name == "p":
            self.writer.end_leaf()

    def data(self, text: str) -> None:
        if self._in_text:
            self.writer.text(text)
        elif self._in_field and len(self._field) < _MAX_FIELD:
            self._field += text


def _field_target(code: str) -> str:
    found = _FIELD.match(code)
    return found[1] if found else ""


class _Odt:
    """Paragraphs and headings (text:p, text:h), links (text:a); deleted text and notes of the editors are left out."""

    def __init__(self) -> None:
        self.writer = Writer()
        self._depth = 0  # of paragraphs in each other: text boxes
        self._out = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._out or name in ("tracked-changes", "annotation"):
            self._out += 1
        elif name in ("p", "h"):
            self.writer.end_leaf()
            self._depth += 1
        elif name == "a" and attributes.get("href"):
            self.writer.begin_link(attributes["href"])
        elif name in ("s", "tab", "line-break"):
            self.writer.text(" ")

    def end(self, name: str) -> None:
        if self._out:
            self._out -= 1
        elif name in ("p", "h"):
            self.writer.end_leaf()
            self._depth -= 1
        elif name == "a":
            self.writer.end_link()

    def data(self, text: str) -> None:
        if self._depth and not self._out:
            self.writer.text(text)
