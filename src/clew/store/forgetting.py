"""Erasing pages from WARC files: their records give way to one that says nothing, of the same length.

Offsets of all other records stay what they are, so that database and archive agree at every instant: a file is written
beside its place and renamed over it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from clew.errors import ArchiveError
from clew.store.warc import sync_folder
from clew.text.warcrecords import Entry, WarcFile

Span = tuple[int, int]

RECORD = (
    b"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
    b"WARC-Date: 1970-01-01T00:00:00Z\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nforgotten\r\n\r\n"
)


def erase_records(path: Path, matches: Callable[[str], bool]) -> int:
    """Erase every record of a gzipped WARC file, a member a record, that is about a URL that matches, with the records
    that belong to it. Returns how many were erased. Raises ArchiveError.
    """
    spans, count = _spans(path, matches)
    if not spans:
        return 0
    part = path.with_name(f"{path.name}.new")
    try:
        _write(path, part, spans)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ArchiveError(f"{path} cannot be written anew: {error.strerror}; it is as it was") from error
    sync_folder(path.parent)
    return count


def _spans(path: Path, matches: Callable[[str], bool]) -> tuple[list[Span], int]:
    """Where records that must go begin and end, those that follow each other as one, and how many they are."""
    with WarcFile(path) as file:
        entries = list(file.scan())
    size = path.stat().st_size
    ends = [*(entry.place.offset for entry in entries[1:]), size]
    spans: list[Span] = []
    count = 0
    for entry, end in zip(entries, ends, strict=True):
        if not _about(entry, matches):
            continue
        if entry.place.skip or end == entry.place.offset:
            raise ArchiveError(f"{path} offset {entry.place.offset}: several records share a member; erase it by hand")
        count += 1
        if spans and spans[-1][1] == entry.place.offset:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((entry.place.offset, end))
    return spans, count


def _about(entry: Entry, matches: Callable[[str], bool]) -> bool:
    return any("://" in url and matches(url) for url in (entry.url, entry.refers_to))


def _write(path: Path, part: Path, spans: list[Span]) -> None:
    with path.open("rb") as source, part.open("wb") as target:
        for piece in _pieces(source.fileno(), spans, path.stat().st_size):
            target.write(piece)
        target.flush()
        os.fsync(target.fileno())


def _pieces(handle: int, spans: list[Span], size: int) -> Iterator[bytes]:
    position = 0
    for start, end in [*spans, (size, size)]:
        while position < start:
            piece = os.pread(handle, min(1 << 20, start - position), position)
            position += len(piece)
            yield piece
        if end > start:
            yield filler(end - start)
        position = end


def filler(length: int) -> bytes:
    """A gzip member of this length with a record that says nothing; what is too much stands in its header's comment.
    Too short for that: an empty member."""
    for text in (RECORD, b""):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        body = packer.compress(text) + packer.flush()
        body += struct.pack("<II", zlib.crc32(text), len(text))
        room = length - len(body) - 11
        if room >= 0:
            return b"\x1f\x8b\x08\x10\0\0\0\0\0\xff" + b" " * room + b"\0" + body
    raise ValueError(f"no gzip member has only {length} bytes")
