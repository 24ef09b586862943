"""OPML outlines: subscription lists of feed readers, link directories."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from clew.errors import InputError
from clew.topics.entry import Entry

_MAX_DEPTH = 200


def read_opml(path: Path) -> Iterator[Entry]:
    """Links and folders of an outline in the file's order.

    ``htmlUrl`` and ``url`` are seeds and examples; ``xmlUrl`` (a feed) and a ``url`` of type ``include`` (another
    outline) are seeds only, as they say little about their topic. An outline without any of them declares a folder;
    below one that has a link, the link's name is a folder, too. Links that are not on the web are left out. Raises
    InputError, naming file, line and column, for what is no OPML or declares entities (they could grow without end).
    """
    reader = _Reader(path)
    parser = reader.parser
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, "not well-formed")
        raise InputError(
            f"{path}:{error.lineno}:{error.offset + 1}: no XML: {why}; export the outline again"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, LookupError) as error:  # an encoding that expat cannot read
        raise InputError(f"{path}: {error}; save the outline as UTF-8") from error
    return iter(reader.entries)


class _Reader:
    """Collects the entries while expat reads."""

    def __init__(self, path: Path) -> None:
        self.entries: list[Entry] = []
        self._file = path
        self._folders: list[str] = []
        self._root = True
        self.parser = parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EntityDeclHandler = self._entity

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2].lower()
        if self._root and name != "opml":
            self._fail(f"this is no OPML (its first element is <{tag[:40]}>); export an outline as OPML")
        self._root = False
        if name == "outline":
            self._outline({key.lower(): value.strip() for key, value in attributes.items()})

    def _outline(self, attributes: dict[str, str]) -> None:
        if len(self._folders) == _MAX_DEPTH:
            self._fail(f"outlines are nested more than {_MAX_DEPTH} deep")
        name = " ".join((attributes.get("text") or attributes.get("title", "")).split())
        path = tuple(filter(None, self._folders))
        links = list(_links(attributes))
        if links:
            for url, example in links:
                self.entries.append(_entry(path, url, name, attributes, example=example))
        elif name and not any(attributes.get(key) for key in ("htmlurl", "url", "xmlurl")):
            self.entries.append(_entry((*path, name), "", "", attributes, example=True))
        self._folders.append(name)

    def _end(self, tag: str) -> None:
        if tag.rpartition(":")[2].lower() == "outline":
            self._folders.pop()

    def _entity(self, name: str, *_: object) -> None:
        self._fail(f"the file declares an entity ({name[:40]!r}), which an outline does not need; remove it")

    def _fail(self, why: str) -> NoReturn:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        raise InputError(f"{self._file}:{line}:{column}: {why}")


def _links(attributes: dict[str, str]) -> Iterator[tuple[str, bool]]:
    """URLs of an outline, each once, and whether they are examples."""
    seen = set()
    include = attributes.get("type", "").lower() == "include"
    for key, example in (("htmlurl", True), ("url", not include), ("xmlurl", False)):
        url = attributes.get(key, "")
        if url not in seen and url.lower().startswith(("http://", "https://")):
            seen.add(url)
            yield url, example


def _entry(path: tuple[str, ...], url: str, title: str, attributes: dict[str, str], *, example: bool) -> Entry:
    tags = tuple(filter(None, (tag.strip().strip("/") for tag in attributes.get("category", "").split(","))))
    try:
        added = parsedate_to_datetime(attributes.get("created", "")).timestamp()
    except (ValueError, TypeError, OverflowError):
        added = 0.0
    return Entry(path, url, title, attributes.get("description", ""), tags, added, example=example)
