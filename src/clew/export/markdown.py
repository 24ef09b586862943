"""A collection as Markdown: a file a page with its facts in front, and an index by topic; or all pages as one document.

Texts come from anybody: what Markdown would take for HTML, a link or an image is escaped, and file names are made of
letters and digits alone.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import IO
from urllib.parse import quote

from clew.errors import InputError
from clew.export.base import Exporter
from clew.export.collection import NO_TOPIC, records
from clew.store.records import VisitRow
from clew.text.pagetext import MAIN
from clew.text.shown import file_name, json_text, shown, shown_lines

INDEX = "index.md"
MARK = ".clew-export"
"""A file that says: what is here was made by an export, and may be made again."""

PAGES, TOPICS = "pages", "topics"
NAME_CHARS = 60

NO_FILE = frozenset(("text", "text_kind"))
"""Fields that do not stand in front of a page's text."""

_FRONT = (
    "url",
    "title",
    "date",
    "author",
    "language",
    "topic",
    "relevance",
    "relevant",
    "outcome",
    "fetched_at",
    "number",
)
_BLANKS = re.compile(r"\n{3,}")
_HOSTILE = re.compile(r"([\\`<\[\]])")
_SLUG = re.compile(r"[^\w]+")


class Markdown(Exporter):
    """``write`` makes one document, ``write_folder`` a file a page: ``index.md``, ``topics/`` and ``pages/HOST/``."""

    name = "markdown"
    text = MAIN

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        count = 0
        for count, (_, page) in enumerate(self._pages(pages), 1):  # noqa: B007  # it is what is returned
            out.write(f"{page}\n".encode())
        return count

    def write_folder(self, pages: Iterable[VisitRow], folder: Path) -> int:
        """The folder may hold an earlier export, which this one replaces, and files of others beside it. Raises
        InputError where it holds anything else."""
        _check(folder)
        part = folder / f"{MARK}.part"
        shutil.rmtree(part, ignore_errors=True)
        (part / TOPICS).mkdir(parents=True)
        (part / PAGES).mkdir()
        (folder / MARK).touch()
        index = _Index(part)
        try:
            for record, page in self._pages(pages):
                place = Path(PAGES) / file_name(str(record["host"])) / _file(record)
                file = part / place
                file.parent.mkdir(exist_ok=True)
                file.write_text(page, encoding="utf-8")
                index.add(record, place)
            index.write()
            for name in (PAGES, TOPICS):
                shutil.rmtree(folder / name, ignore_errors=True)
                os.replace(part / name, folder / name)
            os.replace(part / INDEX, folder / INDEX)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return index.count

    def _pages(self, pages: Iterable[VisitRow]) -> Iterator[tuple[dict[str, object], str]]:
        """Each page's facts, and its file."""
        front = self.collection.fields or _FRONT
        needed = tuple(dict.fromkeys((*front, *_FRONT, "host", "text", "text_kind")))
        for record in records(replace(self.collection, fields=needed), pages):
            shown_first = {
                name: record[name] for name in front if name not in NO_FILE and record[name] not in ("", None)
            }
            yield record, _page(record, shown_first)


def _page(record: dict[str, object], front: dict[str, object]) -> str:
    """A page as a Markdown file: YAML in front (JSON is YAML), a heading, paragraphs."""
    facts = "".join(f"{name}: {json_text(value)}\n" for name, value in front.items())
    first, _, rest = str(record["text"] or "").partition("\n")
    repeated = " ".join(first.split()) == " ".join(str(record["title"] or "").split())
    text = escaped(rest if repeated else f"{first}\n{rest}").replace("\n", "\n\n")
    body = _BLANKS.sub("\n\n", text).strip() or "*No text of this page was kept.*"
    return f"---\n{facts}---\n\n# {_title(record)}\n\n{body}\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, but for emphasis and lists: no HTML, no link, no image, no code."""
    return _HOSTILE.sub(r"\\\1", shown_lines(text).replace("&", "&amp;"))


def _title(record: dict[str, object]) -> str:
    return escaped(shown(" ".join(str(record["title"] or "").split()))) or escaped(shown(str(record["url"])))


def _file(record: dict[str, object]) -> str:
    """A file name that is the same every time, and no other page's: words of the title, and a hash of the URL."""
    words = _SLUG.sub("-", str(record["title"] or "").lower()).strip("-_")
    short = words.encode("utf-8", "ignore")[:NAME_CHARS].decode("utf-8", "ignore").strip("-_")
    mark = blake2b(str(record["url"]).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return f"{short or 'page'}-{mark}.md"


def _check(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: Markdown is written as a folder of files; name another")
    if folder.is_dir() and not (folder / MARK).exists() and any(folder.iterdir()):
        raise InputError(f"{folder} holds files that no export made: name a new folder, or an empty one")


class _Index:
    """A page a topic that lists its pages, best first, and one that lists the topics."""

    def __init__(self, part: Path) -> None:
        self.part = part
        self.counts: Counter[str] = Counter()

    @property
    def count(self) -> int:
        return self.counts.total()

    def add(self, record: dict[str, object], place: Path) -> None:
        topic = str(record["topic"] or NO_TOPIC)
        first = not self.counts[topic]
        self.counts[topic] += 1
        relevance = record["relevance"]
        known = f"relevance {relevance:.3f}, " if isinstance(relevance, float) else ""
        with (self.part / self._place(topic)).open("a", encoding="utf-8") as file:
            if first:
                file.write(f"# {escaped(shown(topic))}\n\n")
            file.write(
                f"- [{_title(record)}](../{quote(place.as_posix())}) ({known}{escaped(shown(str(record['host'])))})\n"
            )

    def write(self) -> None:
        """The page of all topics."""
        lines = [
            f"- [{escaped(shown(topic))}]({quote(self._place(topic).as_posix())}): {count:,}\n"
            for topic, count in sorted(self.counts.items())
        ]
        text = f"# Collection\n\n{self.count:,} pages, by topic:\n\n{''.join(lines)}"
        (self.part / INDEX).write_text(text, encoding="utf-8")

    def _place(self, topic: str) -> Path:
        return Path(TOPICS) / f"{file_name(topic)}.md"
