"""The Open Directory (DMOZ) and what is published in its RDF form: content.rdf.u8 and structure.rdf.u8, also gzipped.

The real dumps are no XML: control characters, bytes that are no UTF-8, character references that XML forbids. An XML
parser gives up at the first of them, so a record here is what lies between one start tag of ``Topic``, ``Alias`` or
``ExternalPage`` and the next: a fault costs its own record at most. A block of the file and the links of one topic
are all that is in memory.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from xml.sax.saxutils import unescape as unescape_xml

from clew.errors import InputError
from clew.text.characters import unescape
from clew.topics.entry import Entry

_BLOCK: Final = 1 << 20
_LONGEST: Final = 1 << 24
"""Characters of a record, beyond which the file is no dump (it would be read into memory as a whole)."""

_CONTROLS: Final = bytes(code for code in range(0x20) if code not in b"\t\n\r") + b"\x7f"
_START = re.compile(r"<(?=(?:Topic|Alias|ExternalPage)[\s>])")
_ABOUT = re.compile(r"""\w+\s[^<]*?\babout\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ID = re.compile(r"""\w+\s[^<]*?\b(?:\w+:)?id\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LINK = re.compile(r"""<(?:link|pdf|rss|atom)1?\s[^<>]*?\bresource\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_FIELD = re.compile(r"<(d:Title|d:Description)\s*>([^<]*+(?:<(?!/?d:)[^<]*+)*+)</\1\s*>")
_TOPIC = re.compile(r"<topic>([^<]*)</topic>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_QUOTES: Final = {"&quot;": '"', "&apos;": "'"}
_ROOT: Final = "Top"
_NAMED: Final = 5
"""Topics of a file that an error message names."""

Within = Callable[[str], tuple[str, ...] | None]


def read_dmoz(content: Path, structure: Path | None = None, focus: str = "") -> Iterator[Entry]:
    """Topics and links, a topic before its links; ``structure`` adds the descriptions of topics, ahead of all links.

    ``focus`` ("Top/Science/Astronomy" or "Science/Astronomy") keeps that topic and what is below it. Paths begin with
    the last name of ``focus`` (("Astronomy", "Galaxies")); without a focus they begin below "Top", which is the root
    and no topic. Names stay as they are in the dump ("Solar_System"). Links of a topic that have no record of their
    own come without a title. A topic that is in both files is declared twice, the second time without a description;
    ``narrow``, ``symbolic``, ``related`` and ``Alias`` declare nothing. Markup inside descriptions is removed.

    Raises InputError, at the latest at the end, for a file that cannot be read or is no dump, and for a focus that
    does not occur.
    """
    within = _within(focus)
    found, names = False, dict[str, None]()
    if structure is not None:
        for record in _records(structure):
            entry = _topic(record, within, names)
            if entry is not None:
                found = True
                yield entry
    for entry in _content(content, within, names):
        found = True
        yield entry
    if not found and focus:
        raise InputError(f"{content}: there is no topic {focus!r}; topics are such as {', '.join(names) or 'none'}")


def _within(focus: str) -> Within:
    """The path of a topic's name as entries carry it; None if the topic is outside ``focus``."""
    wanted = _parts(focus)
    depth, above = len(wanted), max(0, len(wanted) - 1)
    last, last_path = "", None  # records of a topic lie together

    def within(topic: str) -> tuple[str, ...] | None:
        nonlocal last, last_path
        if topic != last:
            parts = _parts(topic)
            last, last_path = topic, parts[above:] if parts[:depth] == wanted else None
        return last_path

    return within


def _parts(topic: str) -> tuple[str, ...]:
    parts = tuple(filter(None, topic.strip().split("/")))
    return parts[1:] if parts[:1] == (_ROOT,) else parts


def _content(file: Path, within: Within, names: dict[str, None]) -> Iterator[Entry]:
    """The entries of content.rdf.u8."""
    topic = ""
    waiting: dict[str, None] = {}  # the topic's links whose own record has not come
    for record in _records(file):
        if record.startswith("ExternalPage"):
            entry = _page(record, topic, within)
            if entry is not None:
                waiting.pop(entry.url, None)
        else:
            yield from _untitled(waiting, within(topic))
            topic, waiting = _attribute(_ID, record), {}
            entry = _topic(record, within, names)
            if within(topic) is not None:
                waiting = dict.fromkeys(_unquoted(found) for found in _LINK.findall(record))
        if entry is not None:
            yield entry
    yield from _untitled(waiting, within(topic))


def _untitled(urls: dict[str, None], path: tuple[str, ...] | None) -> Iterator[Entry]:
    if path is not None:
        yield from (Entry(path, url) for url in urls if _web(url))


def _topic(record: str, within: Within, names: dict[str, None]) -> Entry | None:
    name = _attribute(_ID, record)
    if not (name and record.startswith("Topic")):
        return None
    if len(names) < _NAMED:
        names[name] = None
    path = within(name)
    if not path:
        return None
    fields = dict(_FIELD.findall(record))
    return Entry(path, title=_text(fields.get("d:Title", "")), description=_text(fields.get("d:Description", "")))


def _page(record: str, topic: str, within: Within) -> Entry | None:
    own = _TOPIC.search(record)
    path = within(unescape_xml(own[1], _QUOTES).strip() if own else topic)
    url = _attribute(_ABOUT, record) if path is not None else ""
    if path is None or not _web(url):
        return None
    fields = dict(_FIELD.findall(record))
    return Entry(path, url, _text(fields.get("d:Title", "")), _text(fields.get("d:Description", "")))


def _web(url: str) -> bool:
    return url[:8].lower().startswith(("http://", "https://"))


def _attribute(pattern: re.Pattern[str], record: str) -> str:
    found = pattern.match(record)
    return _unquoted((found[1] or "", found[2] or "")) if found else ""


def _unquoted(quoted: tuple[str, str]) -> str:
    """XML's own entities only: ``&amp;copy=1`` in a URL is ``&copy=1``."""
    return unescape_xml(quoted[0] or quoted[1], _QUOTES).strip()


def _text(escaped: str) -> str:
    """Words of a title or description, which may hold escaped HTML."""
    if "&" in escaped:
        escaped = unescape(escaped)
        if "<" in escaped:
            escaped = unescape(_TAG.sub(" ", escaped))
    return " ".join(escaped.split())


def _records(file: Path) -> Iterator[str]:
    """The records, each from its name ("Topic ...") to the next; what comes before the first is left out."""
    rest, found = "", False
    with closing(_blocks(file)) as blocks:
        for block in blocks:
            before, *records = _START.split(rest + block)
            rest = "<" + records.pop() if records else before
            found = found or rest != before
            yield from records
            if len(rest) > _LONGEST:
                break
    if not found or len(rest) > _LONGEST:
        raise InputError(f"{file}: this is no Open Directory dump (content.rdf.u8 or structure.rdf.u8, also .gz)")
    yield rest[1:]


def _blocks(file: Path) -> Generator[str, None, None]:
    """The file's text in blocks, cleaned of control characters; bytes that are no UTF-8 become U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        with file.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with gzip.open(raw) if packed else raw as source:
                while block := source.read(_BLOCK):
                    yield decoder.decode(block.translate(None, _CONTROLS))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{file}: the gzip file is damaged or incomplete ({error}); download it again") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
