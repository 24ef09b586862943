"""After a power cut: the end of the archive may be missing or empty, though the database knows of it.

What is in the database was synced by the system in its own time, and so were the archive's bytes; when the machine
dies, either may be behind. The database behind the archive is the writer's everyday work (``WarcWriter.open``). Here
is the other way round: the last visits are looked up in the archive, from the last one back to one whose record is
whole.
"""

from __future__ import annotations

import zlib
from logging import WARNING
from pathlib import Path

from clew.crawl.events import tell
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.words import form, many


def mend(store: Store, archive: Path) -> int:
    """Let visits whose records are gone from the end of the archive point nowhere, and cut off what is left of them;
    say so. Returns how many they are."""
    lost = _lost(store, archive)
    if not lost:
        return 0
    first = lost[-1]
    store.visits.unarchive(row.number for row in lost)
    name, length = store.journal.archive or ("", 0)
    if name == first.warc_file:
        store.journal.archive = name, min(length, first.warc_offset)
    store.commit()
    _cut(archive / first.warc_file, first.warc_offset)
    tell(
        "archive damaged",
        f"{archive / first.warc_file} lost its end, as after a power cut: the records of {_gone(len(lost))} "
        f"(visits {first.number} to {lost[0].number}); what is known of them stays, and the crawl goes on",
        WARNING,
        pages=len(lost),
        file=first.warc_file,
    )
    return len(lost)


def _gone(pages: int) -> str:
    return f"{many(pages, 'page')} {form(pages, 'is', 'are')} gone"


def _lost(store: Store, archive: Path) -> list[VisitRow]:
    """Visits without whole records, the last one first."""
    lost: list[VisitRow] = []
    name, end = store.journal.archive or ("", 0)
    for number in range(store.visits.next_number - 1, 0, -1):
        row = store.visits.get(number)
        if row is None or not row.warc_file:
            continue
        file = archive / row.warc_file
        if not file.is_file():  # that it was taken away is its owner's wish
            break
        if row.warc_file != name:
            name, end = row.warc_file, file.stat().st_size
        if _whole(file, row.warc_offset, end):
            break
        lost.append(row)
        end = row.warc_offset
    return lost


def _whole(file: Path, start: int, end: int) -> bool:
    """Whether whole gzip members fill the file from ``start`` to ``end``."""
    with file.open("rb") as stream:
        stream.seek(start)
        data = stream.read(end - start)
    if len(data) < end - start:
        return False
    try:
        while data:
            unpacker = zlib.decompressobj(31)
            unpacker.decompress(data)
            if not unpacker.eof:
                return False
            data = unpacker.unused_data
    except zlib.error:
        return False
    return True


def _cut(file: Path, length: int) -> None:
    if file.stat().st_size > length:
        with file.open("r+b") as stream:
            stream.truncate(length)
