"""Bookmark files: the HTML that browsers and bookmark services export and import (Netscape bookmark format)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from html import escape
from pathlib import Path
from typing import Final

from clew.errors import InputError
from clew.text.characters import unescape
from clew.text.charset import decode
from clew.topics.entry import Entry

_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s>]*))?""")
# The tags that matter, wherever they stand. What looks like one and is never closed is matched, too (without its ">"):
# so that the search goes on behind it, and is linear in the file's length.
_TAG = re.compile(
    r"""<(/?)(dl|dt|dd|a|h[2-6])(?=[\s/>])((?:=\s*+"[^"]*+"|=\s*+'[^']*+'|[^<>])*+)(>?)""",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKUP = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_REFERENCE = re.compile(r"&(?:#\w+|\w+);")
_WEB = re.compile(r"https?://[^/\s]", re.IGNORECASE)
_SCHEME = re.compile(r"[a-zA-Z][\w+.-]{0,19}:")
_DOCTYPE = re.compile(r"\s*<!doctype\s+netscape-bookmark-file", re.IGNORECASE)
_APACHE_DATE = re.compile(r"(\d+)/(\w+)/(\d{4}):(.*)")
_MAX_DEPTH: Final = 200
_HEAD = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
"""


def read_bookmarks(path: Path, left_out: Counter[str] | None = None) -> Iterator[Entry]:
    """Links and folders of a bookmark file in the file's order, a folder before what lies in it.

    Links that are not on the web (``javascript:``, ``place:``, ``data:``, relative ones of a bookmark service's own
    notes) are left out and counted in ``left_out``, by their scheme or "" for relative ones; links inside a description
    are left out, too. TAGS are parted at commas, without any at spaces. A
    folder without a name adds nothing to the path. A bookmark file without a link yields nothing. Raises InputError
    at once for a file that cannot be read, is empty or is no bookmark file.
    """
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if not body.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise InputError(f"{path}: the file is empty; export the bookmarks of your browser as HTML again")
    text, _ = decode(body, "text/html")
    parser = _Parser(path)
    parser.read(text)
    if not (parser.listed or _DOCTYPE.match(text.lstrip("\ufeff"))):
        raise InputError(
            f"{path}: this is no bookmark file (no list of <DT> entries in it); use your browser's "
            "“export bookmarks as HTML”, or put the URLs into a plain list, one a line"
        )
    if left_out is not None:
        left_out.update(parser.left_out)
    return iter(parser.entries)


@dataclass(slots=True)
class _Item:
    """The link or folder (``url`` None) that is being read."""

    attributes: dict[str, str]
    url: str | None = None
    title: list[str] = field(default_factory=list)
    description: list[str] = field(default_factory=list)


class _Parser:
    """Follows DL, DT, DD, headings and A; any other markup is passed over, and nothing needs its end tag."""

    def __init__(self, file: Path) -> None:
        self.entries: list[Entry] = []
        self.left_out: Counter[str] = Counter()
        self.listed = False
        self._file = file
        self._paths: list[tuple[str, ...]] = [()]  # one more for each open DL
        self._folder = ""  # the heading whose DL is yet to come
        self._item: _Item | None = None
        self._text: list[str] | None = None  # where text goes
        self._describing = False

    def read(self, text: str) -> None:
        """Read a whole file."""
        end = text.rfind("-->") + 1  # a comment begun behind it never ends, so it is none
        text = _COMMENT.sub("", text[: end + 2]) + text[end + 2 :] if end else text
        last = 0
        for tag in _TAG.finditer(text):
            if not tag[4]:
                continue
            self._add(text, last, tag.start())
            last = tag.end()
            if tag[1]:
                self._close(tag[2].lower())
            else:
                self._open(tag[2].lower(), tag[3])
        self._add(text, last, len(text))
        self._finish()

    def _add(self, text: str, start: int, end: int) -> None:
        """Text belongs to the title or the description that is open."""
        if self._text is not None:
            self._text.append(unescape(_MARKUP.sub("", text[start:end])))

    def _open(self, tag: str, attributes: str) -> None:
        if tag == "dl":
            self._finish()
            path = (*self._paths[-1], self._folder) if self._folder else self._paths[-1]
            if len(path) > _MAX_DEPTH:
                raise InputError(f"{self._file}: folders are nested more than {_MAX_DEPTH} deep; remove some levels")
            self._paths.append(path)
            self._folder = ""
        elif tag == "dt":
            self._finish()
            self.listed = True
        elif tag == "dd":
            self._describing = True
            self._text = self._item.description if self._item else None
        elif not self._describing:
            self._finish()
            found = _attributes(attributes)
            self._item = _Item(found, found.get("href", "") if tag == "a" else None)
            self._text = self._item.title

    def _close(self, tag: str) -> None:
        if tag == "dl":
            self._finish()
            self._folder = ""
            if len(self._paths) > 1:
                self._paths.pop()
        elif tag not in {"dt", "dd"} and not self._describing:
            self._text = None

    def _finish(self) -> None:
        """The item that was open has ended: it becomes an entry, or the name of the list that follows."""
        item, self._item, self._text, self._describing = self._item, None, None, False
        if item is None:
            return
        title = " ".join("".join(item.title).split())
        path = self._paths[-1]
        if item.url is None:
            self._folder = title
            if title:
                self.entries.append(_entry((*path, title), "", "", item))
            return
        self._folder = ""
        url = re.sub(r"[\t\r\n]", "", item.url).strip()
        if _WEB.match(url):
            self.entries.append(_entry(path, url, title, item))
        elif "href" in item.attributes:
            scheme = _SCHEME.match(url)
            self.left_out[scheme[0].lower() if scheme else ""] += 1


def _entry(path: tuple[str, ...], url: str, title: str, item: _Item) -> Entry:
    description = "".join(item.description).strip() or item.attributes.get("description", "").strip()
    added = _seconds(item.attributes.get("add_date", ""))
    return Entry(path, url, title, description, _tags(item.attributes.get("tags", "")), added)


def _attributes(text: str) -> dict[str, str]:
    """Names (in lower case) and values of a start tag's attributes.

    As in browsers ``&copy=1`` in a URL is no character reference: only those that end in ";" are replaced.
    """
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(text):
        bare = value[1:-1] if value[:1] in {'"', "'"} else value
        found.setdefault(name.lower(), _REFERENCE.sub(lambda match: unescape(match[0]), bare))
    return found


def _tags(text: str) -> tuple[str, ...]:
    parts = text.split(",") if "," in text else text.split()
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in parts))))


def _seconds(text: str) -> float:
    """Unix seconds from seconds, milliseconds, microseconds (by size) or a date in words; 0 when it is neither."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 18:
        number = float(text)
        for limit, unit in ((1e14, 1e6), (1e11, 1e3)):
            if number >= limit:
                return number / unit
        return number
    try:
        return _date(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _date(text: str) -> datetime:
    """``10/Oct/2000:13:55:36 +0300`` (web server logs) or RFC 5322. Raises ValueError."""
    return parsedate_to_datetime(_APACHE_DATE.sub(r"\1 \2 \3 \4", text))


@dataclass(slots=True)
class _Folder:
    entry: Entry | None = None
    links: list[Entry] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)


def write_bookmarks(entries: Iterable[Entry], path: Path) -> None:
    """Write a file that browsers import: each folder's links in their order, then its folders.

    Tags, descriptions and dates (whole seconds) are kept; ``seed`` and ``example`` have no place in the format.
    """
    root = _Folder()
    for entry in entries:
        folder = root
        for name in entry.path:
            folder = folder.folders.setdefault(name, _Folder())
        if entry.url:
            folder.links.append(entry)
        else:
            folder.entry = folder.entry or entry
    path.write_text(_HEAD + "\n".join(_list(root, "")) + "\n", encoding="utf-8", newline="\n")


def _list(folder: _Folder, indent: str) -> Iterator[str]:
    yield f"{indent}<DL><p>"
    for entry in folder.links:
        title = escape(entry.title or entry.url, quote=False)
        yield f'{indent}    <DT><A HREF="{escape(entry.url)}"{_written(entry)}>{title}</A>'
        yield from _description(entry, indent)
    for name, inner in folder.folders.items():
        entry = inner.entry or Entry()
        yield f"{indent}    <DT><H3{_written(entry)}>{escape(name, quote=False)}</H3>"
        yield from _description(entry, indent)
        yield from _list(inner, indent + "    ")
    yield f"{indent}</DL><p>"


def _description(entry: Entry, indent: str) -> Iterator[str]:
    if entry.description:
        yield f"{indent}    <DD>{escape(entry.description, quote=False)}"


def _written(entry: Entry) -> str:
    """The attributes ADD_DATE and TAGS; a lone tag of two words gets a comma, so that it stays one."""
    tags = ",".join(entry.tags) + ("," if len(entry.tags) == 1 and " " in entry.tags[0] else "")
    added = f' ADD_DATE="{int(entry.added)}"' if entry.added else ""
    return added + (f' TAGS="{escape(tags)}"' if tags else "")
