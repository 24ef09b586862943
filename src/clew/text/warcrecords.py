"""WARC files by anyone, read record by record: in one pass that steps over damage, or at a known place.

The web room serves such files as a world, the store room reads its own pages back; both stand on this module.
Files may be plain or compressed (gzip, zstd, lz4), best with a record a member. Records that share a member are
read by stepping through it, which is slow in large members.
"""

from __future__ import annotations

import io
import mmap
import os
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Self

import ada_url
import zstandard
from fastwarc.stream_io import GzipReader, Lz4Reader, ZstdReader
from fastwarc.warc import ArchiveIterator, WarcRecord

from clew.errors import ArchiveError
from clew.model import Outcome, Response
from clew.text.codings import BodyError, TooLargeError
from clew.text.httpmessage import decode_content, first_header, interim, parse_response, status_of, without_chunks

HEAD_BYTES = 262_144
"""Allowance for WARC and HTTP headers beside a body."""

REDIRECTS = frozenset((300, 301, 302, 303, 307, 308))

_READERS = {"gzip": GzipReader, "zstd": ZstdReader, "lz4": Lz4Reader}
_MAGIC = {"gzip": b"\x1f\x8b\x08", "zstd": b"\x28\xb5\x2f\xfd", "lz4": b"\x04\x22\x4d\x18"}
_ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"
_STEP = 65_536
_PLAIN_START = re.compile(rb"WARC/\d\.\d\r*\n(?=[A-Za-z][A-Za-z-]*:)")
_BLANK_LINE = re.compile(rb"\n\r*+\n")
_CLEAN_START = re.compile(rb"\s*WARC/\d\.\d\r\n")
_BREAKS = (OSError, ValueError, EOFError, OverflowError)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a record lies: the offset of its compressed member (or of itself), and its number in the member."""

    offset: int
    skip: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """What one pass over a file notes of a record. ``status`` is that of the HTTP response in it, or 0."""

    place: Place
    kind: str
    url: str
    date: float
    digest: str
    status: int
    content_type: str
    profile: str
    refers_to: str
    refers_date: float
    concurrent: str = ""
    record_id: str = ""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record read back: its WARC fields and the first bytes of its block. ``length`` is the block's full length."""

    fields: tuple[tuple[str, str], ...]
    block: bytes
    length: int

    def field(self, name: str) -> str:
        """The first WARC field called ``name`` (case-insensitive), or an empty string."""
        return first_header(self.fields, name)

    @property
    def kind(self) -> str:
        """The record's type: response, resource, revisit, metadata ..."""
        return self.field("WARC-Type").lower()

    @property
    def url(self) -> str:
        """The URI that the record is about."""
        return self.field("WARC-Target-URI").strip("<> ")

    @property
    def date(self) -> float:
        """When it was captured, Unix time; 0 when unknown."""
        return warc_time(self.field("WARC-Date"))


def warc_time(text: str) -> float:
    """A WARC date as Unix time; 0 when it is none."""
    try:
        when = datetime.fromisoformat(text.strip())
    except ValueError:
        return 0.0
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


class WarcFile:
    """An open WARC file. ``problems`` names what could not be read: file, offset, and what is wrong.

    Raises ArchiveError when it cannot be opened or is no WARC file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        try:
            self._file: BinaryIO = path.open("rb", buffering=0)
        except OSError as error:
            raise ArchiveError(f"{path} cannot be read: {error.strerror}") from error
        try:
            self._compression, self._quirks = self._detect()
            self._dictionary = _zstd_dictionary(self._file) if self._compression == "zstd" else None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _detect(self) -> tuple[str, bool]:
        """The compression, and whether lines end oddly, which needs lenient parsing."""
        start = self._file.read(4_096)
        name = next((name for name, magic in _MAGIC.items() if start.startswith(magic)), "")
        if start.startswith(_ZSTD_DICTIONARY):
            name = "zstd"
        text = _first_bytes(start) if name == "gzip" else start
        if text.startswith(b"filedesc:"):
            raise ArchiveError(f"{self.path} is an ARC file, not a WARC file; convert it: warcio recompress OLD NEW")
        if name in ("zstd", "lz4"):
            return name, False
        if text.lstrip()[:5] == b"WARC/":
            return name, _CLEAN_START.match(text) is None
        found = f"starts with {text[:20]!r}" if text else "is empty"
        raise ArchiveError(f"{self.path} is no WARC file: it {found}")

    # -- at a place -------------------------------------------------------------------------------------------

    def read(self, place: Place, limit: int) -> StoredRecord:
        """The record at a place, with at most ``limit`` bytes of its block.

        Raises ArchiveError, naming file and offset, when there is none or it breaks off.
        """
        try:
            return self._read(place, limit)
        except _BREAKS as error:
            raise ArchiveError(f"{self._at(place.offset)}: the record cannot be read: {error}") from error

    def _read(self, place: Place, limit: int) -> StoredRecord:
        self._file.seek(place.offset)
        for number, record in enumerate(self._records(self._reader())):
            if number == place.skip:
                return _stored(record, limit)
        raise EOFError("the file ends here")

    def _reader(self) -> Any:
        reader = _READERS.get(self._compression)
        if reader is None:
            return self._file
        return reader(self._file, dictionary=self._dictionary) if self._dictionary else reader(self._file)

    def _records(self, reader: Any) -> Iterator[WarcRecord]:
        return iter(ArchiveIterator(reader, parse_http=False, quirks_mode=self._quirks))

    def _at(self, offset: int) -> str:
        return f"{self.path} offset {offset}"

    # -- in one pass ------------------------------------------------------------------------------------------

    def scan(self) -> Iterator[Entry]:
        """Every whole record, in order; what is damaged is noted in ``problems`` and stepped over.

        Do not ``read`` from the same object meanwhile.
        """
        start: int | None = 0
        while start is not None:
            start = yield from self._stretch(start)

    def _stretch(self, start: int) -> Generator[Entry, None, int | None]:
        """The records up to the next damage. Returns where to go on, or None at the end.

        A record is handed out only when what follows it is sound: a false Content-Length shows there.
        """
        self._file.seek(start)
        reader = self._reader()
        last = _Last(Place(start, -1))
        try:
            for record in self._records(reader):
                if last.entry is not None:
                    yield last.entry
                last = self._next(last, record, reader)
                last = self._examined(last, record, reader)
        except _BREAKS as error:
            return (yield from self._step_over(last, self._member(reader, last), str(error)))
        if last.entry is not None:
            yield last.entry
            self._look_for_torn_tail(last.place.offset)
        return None

    def _look_for_torn_tail(self, offset: int) -> None:
        """fastwarc takes a gzip member that breaks off before its first record for the end of the file."""
        if self._compression != "gzip":
            return
        self._file.seek(offset)
        stream, rest = zlib.decompressobj(31), b""
        while data := rest or self._file.read(_STEP):
            if stream.eof:  # the last record may go on in the next member
                if not data.startswith(_MAGIC["gzip"]):
                    break
                stream, offset = zlib.decompressobj(31), self._file.tell() - len(data)
            stream.decompress(data)
            rest = stream.unused_data
        rest += self._file.read(_STEP)
        if not stream.eof or rest.strip(b"\x00"):
            where = self._file.tell() - len(rest) if stream.eof else offset
            self.problems.append(f"{self._at(where)}: damaged (the file breaks off); nothing follows")

    def _member(self, reader: Any, last: _Last) -> int:
        """Where the compressed member begins that was read last."""
        offset = reader.frame_start_position() if self._compression else None
        return last.place.offset if offset is None else int(offset)

    def _next(self, last: _Last, record: WarcRecord, reader: Any) -> _Last:
        """The place of the record that comes after ``last``."""
        if not self._compression:
            return _Last(Place(record.stream_pos))
        offset = self._member(reader, last)
        same = offset == last.place.offset
        if not same or last.place.skip < 0:
            self._check_start(offset)
        return _Last(Place(offset, last.place.skip + 1 if same else 0))

    def _check_start(self, offset: int) -> None:
        """Raise ArchiveError when a gzip member begins in the middle of a record, which then cannot be found again.

        gzip is a stream of members (RFC 1952, 2.2), and some programs begin one every so many bytes.
        """
        if self._compression != "gzip":
            return
        text = _first_bytes(os.pread(self._file.fileno(), 4_096, offset))
        if text and not text.lstrip().startswith(b"WARC/"):
            raise ArchiveError(
                f"{self._at(offset)}: a gzip member that does not begin with a record, so pages cannot be looked up; "
                f"write the file anew, a member a record: warcio recompress {self.path.name} NEW.warc.gz"
            )

    def _examined(self, last: _Last, record: WarcRecord, reader: Any) -> _Last:
        """The record's entry, its block having been read to the end. Raises EOFError when it breaks off."""
        if record.headers.get("Content-Length") is None or not record.headers.get("WARC-Type"):
            raise EOFError("the record's header is not complete")
        line = _status_line(record)
        missing = record.content_length - len(line) - record.consume()
        if missing > 0:
            raise EOFError(f"the file breaks off, {missing} bytes are missing")
        return _Last(last.place, _entry(record, line, last.place), self._member(reader, last) > last.place.offset)

    def _step_over(self, last: _Last, member: int, error: str) -> Generator[Entry, None, int | None]:
        """After damage: hand out the last record if it is sound, and find the next one."""
        with closing(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)) as data:
            resume = self._next_start(data, last)
            end = member if self._compression else _plain_end(data, last.place.offset)
        if last.entry is not None and not last.spilt and (self._compression or resume is None or resume >= end):
            yield last.entry
            where = end
        else:
            where = last.place.offset
        on = "nothing follows" if resume is None else f"went on at {resume}"
        self.problems.append(f"{self._at(where)}: damaged ({error}); {on}")
        return resume

    def _next_start(self, data: mmap.mmap, last: _Last) -> int | None:
        position = last.place.offset + 1
        if not self._compression:
            return _plain_start(data, position)
        magic = _MAGIC[self._compression]
        while (position := data.find(magic, position)) >= 0:
            if self._compression != "gzip" or _first_bytes(data[position : position + 4_096])[:5] == b"WARC/":
                return position
            position += 1
        return None


@dataclass(frozen=True, slots=True)
class _Last:
    """The record read last: its entry if it is whole, and whether its block ran into the next member."""

    place: Place
    entry: Entry | None = None
    spilt: bool = False


def _status_line(record: WarcRecord) -> bytes:
    """The first bytes of a record's block: as many as tell the status of the answer in it, interim ones skipped."""
    line: bytes = record.reader.readline()
    if not line.strip() or interim(status_of(line)):
        line += record.reader.read(min(record.content_length - len(line), HEAD_BYTES))
    return line


def _entry(record: WarcRecord, line: bytes, place: Place) -> Entry:
    headers = record.headers

    def field(name: str) -> str:
        return (headers.get(name) or "").strip()

    return Entry(
        place=place,
        kind=field("WARC-Type").lower(),
        url=field("WARC-Target-URI").strip("<> "),
        date=warc_time(field("WARC-Date")),
        digest=field("WARC-Payload-Digest").lower(),
        status=status_of(line),
        content_type=field("Content-Type"),
        profile=field("WARC-Profile"),
        refers_to=field("WARC-Refers-To-Target-URI").strip("<> "),
        refers_date=warc_time(field("WARC-Refers-To-Date")),
        concurrent=field("WARC-Concurrent-To"),
        record_id=field("WARC-Record-ID"),
    )


def _stored(record: WarcRecord, limit: int) -> StoredRecord:
    length = record.content_length
    wanted = min(length, limit)
    block = record.reader.read(wanted) if wanted else b""
    if len(block) < wanted:
        raise EOFError(f"the file breaks off: {wanted - len(block)} bytes are missing")
    return StoredRecord(tuple(record.headers.to_tuples()), block, length)


def _first_bytes(compressed: bytes) -> bytes:
    """The first bytes that gzip members hold; none when it is no member."""
    text = b""
    while compressed and len(text) < 64:
        stream = zlib.decompressobj(31)
        try:
            text += stream.decompress(compressed, 64)
        except zlib.error:
            break
        compressed = stream.unused_data
    return text


def _plain_start(data: mmap.mmap, position: int) -> int | None:
    """Where the next plain record may begin: of several starts before the end of a head the last, since a head holds
    none but its own. So nothing is looked at twice, however many starts a file pretends to have."""
    found = _PLAIN_START.search(data, position)
    head_end = _BLANK_LINE.search(data, found.end()) if found else None
    if found is None or head_end is None:
        return None
    others = _PLAIN_START.finditer(data, found.end(), head_end.end())
    return max((other.start() for other in others), default=found.start())


def _plain_end(data: mmap.mmap, offset: int) -> int:
    """Where a plain record ends by its own Content-Length."""
    head_end = _BLANK_LINE.search(data, offset)
    start = head_end.end() if head_end else offset
    length = re.compile(rb"(?i)\ncontent-length:[ \t]*(\d{1,18})").search(data, offset, start)
    return start + (int(length[1]) if length else 0)


def _zstd_dictionary(file: BinaryIO) -> bytes | None:
    """The dictionary in a leading skippable frame, perhaps compressed itself (IIPC's WARC-zstd note)."""
    file.seek(0)
    start = file.read(8)
    if not start.startswith(_ZSTD_DICTIONARY):
        return None
    data = file.read(int.from_bytes(start[4:8], "little"))
    if not data.startswith(_MAGIC["zstd"]):
        return data
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()


# -- records as responses -----------------------------------------------------------------------------------


def response_of(url: str, record: StoredRecord, limit: int, payload: StoredRecord | None = None) -> Response:
    """What a stored record answers for ``url``; bodies are decoded, up to ``limit`` bytes.

    ``payload`` is the record that holds the body of a revisit. A record that cannot be understood gives a
    FAILED response with a reason.
    """
    found = replace(_EMPTY, url=url, fetched_at=record.date, ip=record.field("WARC-IP-Address"))
    try:
        if max(record.length, payload.length if payload else 0) > limit + HEAD_BYTES:
            raise TooLargeError(f"larger than {limit} bytes (limits.page_bytes)")
        if record.kind == "resource":
            headers = (("Content-Type", record.field("Content-Type")),)
            return replace(found, outcome=Outcome.OK, status=200, headers=headers, body=record.block, reason="")
        return _http_response(found, record, limit, payload)
    except ValueError as error:
        return replace(found, reason=f"the archived answer cannot be read: {error}")


_EMPTY = Response(url="", outcome=Outcome.FAILED)


def _http_response(found: Response, record: StoredRecord, limit: int, payload: StoredRecord | None) -> Response:
    source = parse_response((payload or record).block)
    message = parse_response(record.block) if payload is not None and status_of(record.block[:4_096]) else source
    found = replace(
        found, status=message.status, headers=message.headers, http_version=message.version, head=message.head
    )
    encoded = without_chunks(source.headers, source.body)
    try:
        body = decode_content(source.headers, encoded, limit)
    except BodyError as error:
        if message.status not in REDIRECTS:
            return replace(found, reason=str(error))
        body = encoded = b""
    found = replace(found, body=body, encoded_body=None if body == encoded else encoded)
    if message.status in REDIRECTS and message.location:
        return _redirect(found, record.url, message.location)
    if 200 <= message.status < 300:
        return replace(found, outcome=Outcome.OK)
    return replace(found, reason=f"HTTP {message.status}")


def _redirect(found: Response, base: str, location: str) -> Response:
    try:
        target = ada_url.join_url(base, location)
    except ValueError:
        return replace(found, reason=f"redirects to what is no web address: {location[:200]!r}")
    return replace(found, outcome=Outcome.REDIRECT, location=target)
