"""Forgetting a page or a host: erased from databases, archive, examples and lists, and never fetched again."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew.errors import InputError, UrlError
from clew.examples.labels import LABELS
from clew.examples.refused import REFUSED
from clew.project.folder import SETTINGS, ProjectFolder
from clew.store.forgetting import erase_records
from clew.store.sqlite.forgetting import erase
from clew.urls.canonical import canonical
from clew.urls.never import Never, entry_of, write_never

REPORT, PDF = "report.html", "report.pdf"
"""What ``clew report`` writes, and writes again."""

_CHUNK = 1 << 20


@dataclass(slots=True)
class Forgotten:
    """What was erased. ``lists``: lines of the project's lists; ``removed``: files; ``still``: other files of the
    project that spell the URL or the host out, which are the user's to change."""

    entry: str
    visits: int = 0
    examples: int = 0
    refused: int = 0
    records: int = 0
    lists: int = 0
    removed: list[str] = field(default_factory=list)
    still: list[str] = field(default_factory=list)


def forget(project: ProjectFolder, what: str) -> Forgotten:
    """Erase a URL or a host from a project, and add it to the do-not-crawl list first: if this is cut short, nothing of
    it is fetched again, and the same command goes on. Raises InputError, ProjectError while a crawl runs, StoreError.
    """
    entry = _entry(what)
    asked = Never([(entry, "the command line")], lambda url: project.canonicalise(url, ""))
    found = Forgotten(entry)
    project.put_on_hold()
    write_never(project.path / project.settings.scope.never, [entry], "clew forget")

    def matches(url: str) -> bool:
        try:
            return asked.why_not(canonical(url)) is not None
        except UrlError:
            return False

    databases = [*project.earlier_databases(), *([project.database] if project.database.is_file() else [])]
    for database in databases:
        erased = erase(database, matches)
        found.visits += erased.visits
        found.examples += erased.examples
        found.refused += erased.refused
    archive = sorted(project.archive.glob("*.warc.gz*")) if project.archive.is_dir() else []
    found.records = sum(erase_records(file, matches) for file in archive if not file.name.endswith(".new"))
    project.library.erase(matches)
    found.lists = sum(_erase_lines(file, matches) for file in _lists(project))
    _look_elsewhere(project, found, [*databases, *archive])
    return found


def _entry(what: str) -> str:
    try:
        return entry_of(what)
    except UrlError as error:
        raise InputError(f"{what[:200]!r} is neither a URL nor a host ({error.reason})") from error


def _lists(project: ProjectFolder) -> list[Path]:
    interest = project.settings.interest
    names = (interest.seeds, interest.relevant, interest.irrelevant, LABELS, REFUSED)
    return [path for path in (project.path / name for name in names) if path.is_file()]


def _erase_lines(path: Path, matches: Callable[[str], bool]) -> int:
    """Take lines that name what matches out of a list; returns how many."""
    lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    left = [line for line in lines if not _named(line.partition("\t")[0].strip(), matches)]
    if len(left) < len(lines):
        part = path.with_name(f"{path.name}.new")
        part.write_text("".join(left), encoding="utf-8")
        os.replace(part, path)
    return len(lines) - len(left)


def _named(text: str, matches: Callable[[str], bool]) -> bool:
    return "://" in text and matches(text)


def _look_elsewhere(project: ProjectFolder, found: Forgotten, done: list[Path]) -> None:
    """The report goes, for it can be made again, and as a PDF in any case, since its text is packed; other files that
    spell the name out are told."""
    name = found.entry.removesuffix("$").partition("://")[2] or found.entry
    own = {
        *done,
        *project.library.folder.rglob("*"),
        project.path / SETTINGS,
        project.path / project.settings.scope.never,
    }
    for file in sorted(path for path in project.path.rglob("*") if path.is_file() and not path.is_symlink()):
        is_pdf = file == project.path / PDF
        if file in own or not (is_pdf or _holds(file, name.rstrip("/").encode())):
            continue
        if is_pdf or file == project.path / REPORT:
            file.unlink()
            found.removed.append(file.name)
        else:
            found.still.append(str(file.relative_to(project.path)))


def _holds(file: Path, needle: bytes) -> bool:
    """Whether a file holds some bytes, as it stands or unpacked."""
    tail = b""
    for piece in _pieces(file):
        if needle in tail + piece:
            return True
        tail = piece[-len(needle) :]
    return False


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        unpacker = zlib.decompressobj(31)
        while piece := stream.read(_CHUNK):
            while packed and piece:
                try:
                    yield unpacker.decompress(piece)
                except zlib.error:
                    return
                piece = unpacker.unused_data
                unpacker = zlib.decompressobj(31) if unpacker.eof else unpacker
            if not packed:
                yield piece
