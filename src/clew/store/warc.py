"""What was fetched, as WARC 1.1 files that every WARC tool reads; also the crawl's page cache.

Each visit becomes a ``response`` record, a ``request`` record when a request was sent, and a ``metadata`` record
that says how the page was found, each a gzip member of its own. ``encode`` makes the bytes and is pure, so worker
processes do the compression; ``WarcWriter`` only appends them.

**How archive and database agree.** Records are appended first. ``flush`` puts them on disk and says which file has
which length; the store writes that pair in the same transaction as the rows that point at the records. A process
that is killed leaves bytes after the committed length. At the next start ``open`` gets the committed pair, cuts
off what lies behind it and deletes later files: no row points there, and those pages will be fetched again.
Without a committed pair, files of the same prefix are set aside under another name rather than deleted.

Status line, header lines and bodies are stored as they were received where the response still has those bytes
(``head``, ``encoded_body``). Not stored are chunks (their data is), trailers and interim answers. Headers that would
make the stored message wrong (Transfer-Encoding of chunks; Content-Encoding of a body that is stored decoded; a
Content-Length that disagrees, unless the body is truncated) are kept under an ``X-Archive-Orig-`` name.
"""

from __future__ import annotations

import os
import re
import time
import uuid
import zlib
from base64 import b32encode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from isal import igzip_lib

from clew.errors import ArchiveError, DiskFullError, StoreError
from clew.model import Outcome, Response
from clew.store.room import full
from clew.text.codings import BodyError, codings
from clew.text.httpmessage import HEAD_END, MessageError, first_header, parse_response
from clew.text.warcrecords import Entry, Place, StoredRecord, WarcFile, response_of

ENDING = ".warc.gz"
BODY_LIMIT = 1 << 30
"""Bytes of a decoded body that ``read`` accepts; what was fetched was bounded by limits.page_bytes."""

UNWRITTEN_BYTES = 1 << 26
"""Records that wait for room on a full disk, at most; more is refused."""

_FILE = re.compile(r"(?P<prefix>[A-Za-z0-9][A-Za-z0-9_.-]*)-(?P<number>\d{5,})\.warc\.gz")
_CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_REVISIT_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_ORIGINAL = "X-Archive-Orig-"
_LINE_BREAKS = re.compile(r"[\r\n\0]+")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_BODILESS = (204, 304)
_READABLE = ("disconnect", "time")
_BROKE_OFF = "broke off when it was fetched"
_DOUBTFUL = frozenset(("transfer-encoding", "content-length", "content-encoding"))
Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Original:
    """An earlier response with the same payload: its URL, when it was fetched, and where its record lies."""

    url: str
    fetched_at: float
    file: str
    offset: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A response in the archive: where it lies, what it was, and its metadata record's fields."""

    file: str
    offset: int
    response: Response
    metadata: Mapping[str, str]


# -- making records -----------------------------------------------------------------------------------------


def encode(response: Response, metadata: Mapping[str, str], gzip_level: int, digest: str = "") -> bytes:
    """The records of one visit, as gzip members; the response record comes first. Pure.

    The response must have a status: without one nothing was received that could be archived. ``digest`` is the
    SHA-1 of its decoded body (base 32) where that is known already; it saves computing it again.
    """
    truncated = response.truncated or ("unspecified" if _broke_off(response) else "")
    fields: Fields = (("WARC-Truncated", truncated),) if truncated else ()
    known = f"sha1:{digest}" if digest and response.encoded_body is None else ""
    return _visit("response", response, fields, metadata, gzip_level, known)


def encode_revisit(response: Response, metadata: Mapping[str, str], original: Original, gzip_level: int) -> bytes:
    """As ``encode``, but with a revisit record that names an earlier record instead of repeating its payload.

    The payload must be that of ``original``. Pure.
    """
    fields = (
        ("WARC-Profile", _REVISIT_PROFILE),
        ("WARC-Refers-To-Target-URI", original.url),
        ("WARC-Refers-To-Date", warc_date(original.fetched_at)),
        ("WARC-Refers-To-Filename", original.file),
        ("WARC-Refers-To-File-Offset", str(original.offset)),
    )
    return _visit("revisit", response, fields, metadata, gzip_level)


def payload_digest(response: Response) -> str:
    """The digest that ``encode`` writes for a response's payload: equal payloads may be revisits."""
    return _digest(_payload(response))


def warc_date(when: float) -> str:
    """A Unix time as a WARC date, to the microsecond."""
    return datetime.fromtimestamp(when, UTC).isoformat().replace("+00:00", "Z")


def _visit(
    kind: str, response: Response, fields: Fields, metadata: Mapping[str, str], gzip_level: int, digest: str = ""
) -> bytes:
    """The members of one visit: ``kind`` (response or revisit), request if one was sent, metadata."""
    if not response.status:
        raise ValueError(f"{response.url}: nothing was received that could be archived")
    payload = _payload(response)
    digest = digest or _digest(payload)
    ip = (("WARC-IP-Address", response.ip),) if response.ip else ()
    common = _lines((("WARC-Target-URI", response.url), ("WARC-Date", warc_date(response.fetched_at)), *ip))
    identity = f"{response.url} {response.fetched_at!r} {response.status} {digest}"
    record_id = _record_id(f"{kind} {identity}")
    concurrent = f"{common}WARC-Concurrent-To: {record_id}\r\n"
    about = f"{common}WARC-Payload-Digest: {digest}\r\n{_lines(fields)}"
    message, body = _http_head(response), b"" if kind == "revisit" else payload
    records = [_record(kind, record_id, about, "application/http; msgtype=response", message, body)]
    if response.request_headers:
        request_id, message = _record_id(f"request {identity}"), _http_request(response)
        records.append(_record("request", request_id, concurrent, "application/http; msgtype=request", message))
    found = _bytes(_warc_fields({"fetchTimeMs": f"{response.elapsed_s * 1000:.0f}", **metadata}))
    metadata_id = _record_id(f"metadata {identity}")
    records.append(_record("metadata", metadata_id, concurrent, "application/warc-fields", found))
    return b"".join([_member(record, gzip_level) for record in records])


def _record(kind: str, record_id: str, about: str, content_type: str, block: bytes, rest: bytes = b"") -> bytes:
    """``about``: header lines; ``block`` and ``rest`` are its content, in two parts since one of them may be large."""
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {record_id}\r\n{about}"
        f"WARC-Block-Digest: {_digest(block, rest)}\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(block) + len(rest)}\r\n\r\n"
    )
    return b"".join((_bytes(head), block, rest, b"\r\n\r\n"))


def _record_id(name: str) -> str:
    """The same visit, by its name, gives the same id in every run."""
    if not name.isascii():
        name = name.encode("utf-8", "surrogatepass").decode("latin-1")
    return f"<{uuid.uuid5(uuid.NAMESPACE_URL, name).urn}>"


def _digest(data: bytes, rest: bytes = b"") -> str:
    hashed = sha1(data, usedforsecurity=False)
    hashed.update(rest)
    return f"sha1:{b32encode(hashed.digest()).decode()}"


def _lines(fields: Sequence[tuple[str, str]]) -> str:
    """Header lines. Line breaks within a name or a value would let a server write headers of its own."""
    text = "".join([f"{name}: {value}\r\n" for name, value in fields])
    if text.count("\n") == text.count("\r") == len(fields) and "\0" not in text:
        return text
    return "".join([f"{_clean(name)}: {_clean(value)}\r\n" for name, value in fields])


def _warc_fields(fields: Mapping[str, str]) -> str:
    return _lines(tuple(fields.items()))


def _clean(text: str) -> str:
    """Text that fits into one header line."""
    return _LINE_BREAKS.sub(" ", text)


def _bytes(lines: str) -> bytes:
    return lines.encode("utf-8", "surrogateescape")


def _payload(response: Response) -> bytes:
    return response.body if response.encoded_body is None else response.encoded_body


def _broke_off(response: Response) -> bool:
    """Whether of a good answer no body was taken (a limit, a content type that is not wanted)."""
    return response.outcome is Outcome.FAILED and 200 <= response.status < 300 and not response.encoded_body


def _http_head(response: Response) -> bytes:
    """Status line and headers, as they were received but for those that are wrong of the message as it is stored."""
    head = response.head or _made_head(response)
    length = str(len(_payload(response)))
    chunked = "chunked" in first_header(response.headers, "Transfer-Encoding").lower()
    wrong = {
        lower.encode()
        for name, value in response.headers
        if (lower := name.lower()) in _DOUBTFUL and _wrong(response, lower, value, length, chunked)
    }
    if wrong:
        added = f"Content-Length: {length}\r\n".encode() if b"content-length" in wrong else b""
        head = _renamed(head, wrong) + added + b"\r\n"
    return head if HEAD_END.search(head) else head.rstrip(b"\r\n") + b"\r\n\r\n"


def _made_head(response: Response) -> bytes:
    status = f"{response.http_version} {response.status} {_PHRASES.get(response.status, '')}\r\n"
    lines = _lines([(name.replace(":", ""), value) for name, value in response.headers])
    return status.encode("ascii", "replace") + _bytes(lines) + b"\r\n"


def _renamed(head: bytes, wrong: Collection[bytes]) -> bytes:
    """The lines of a head, without the empty one, with a prefix before the headers named ``wrong``."""
    lines = head.rstrip(b"\r\n").split(b"\n")
    return b"\n".join([_ORIGINAL.encode() + line if _name(line) in wrong else line for line in lines]) + b"\r\n"


def _name(line: bytes) -> bytes:
    """The name of a header line, in lower case."""
    return line.partition(b":")[0].replace(b"\0", b"").strip().lower() if b":" in line else b""


def _wrong(response: Response, lower: str, value: str, length: str, chunked: bool) -> bool:
    """Whether a header of ``_DOUBTFUL`` says something that is not so of the message as it is stored."""
    if lower == "transfer-encoding":
        return "chunked" in value.lower()
    if lower == "content-length":
        kept = response.status in _BODILESS or (response.truncated and not chunked)
        return value.strip() != length and not kept
    return response.encoded_body is None and _names_a_coding(value)


def _names_a_coding(value: str) -> bool:
    try:
        return bool(codings(value))
    except BodyError:
        return True


def _http_request(response: Response) -> bytes:
    parts = urlsplit(response.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    names = {name.lower() for name, _ in response.request_headers}
    headers = response.request_headers if "host" in names else (("Host", parts.netloc), *response.request_headers)
    return _bytes(f"GET {_clean(target)} HTTP/1.1\r\n{_lines(headers)}\r\n")


def _member(data: bytes, level: int) -> bytes:
    """``data`` as one gzip member. Levels 1 to 3 are ISA-L's: a fifth to a tenth of zlib's cost at level 6, for
    pages that come out a twentieth larger."""
    if level <= igzip_lib.ISAL_BEST_COMPRESSION:
        return igzip_lib.compress(data, level, igzip_lib.COMP_GZIP)
    return zlib.compress(data, level, 31)


# -- writing files --------------------------------------------------------------------------------------------


class WarcWriter:
    """Appends records to ``folder/PREFIX-00001.warc.gz`` and so on; a file is closed at about ``max_bytes``.

    Raises StoreError when the disk refuses. ``notes`` says what ``open`` found and did, for people.
    """

    def __init__(
        self,
        folder: Path,
        prefix: str,
        max_bytes: int,
        gzip_level: int,
        software: str,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        if not _FILE.fullmatch(f"{prefix}-00001{ENDING}"):
            raise ValueError(f"{prefix!r} cannot begin a file name")
        self.notes: list[str] = []
        self._folder = folder
        self._prefix = prefix
        self._max_bytes = max_bytes
        self._level = gzip_level
        self._software = software
        self._now = now
        self._file: BinaryIO | None = None
        self._unwritten: list[bytes] = []
        self._name = ""
        self._length = 0
        self._holds_visits = False

    def open(self, committed: tuple[str, int] | None = None) -> None:
        """Go on after the committed file name and length, or begin. See the module's text for the protocol."""
        self.close()
        with self._disk("cannot be opened"):
            self._folder.mkdir(parents=True, exist_ok=True)
            number = self._number(committed[0]) if committed else 0
            if number and committed:
                self._resume(number, *committed)
            else:
                self._set_aside()
                self._begin(1)

    def append(self, data: bytes) -> tuple[str, int]:
        """Write the records of a visit; returns the file name and the offset of the response record."""
        if self._file is None:
            raise StoreError("the archive is not open")
        if self._length + len(data) > self._max_bytes and self._holds_visits and not self._unwritten:
            with suppress(DiskFullError):  # then the file grows a little longer than it should
                self.flush()
                with self._disk("cannot be written"):
                    self._begin(self._number(self._name) + 1)
        place = (self._name, self._length)
        self._length += len(data)
        self._unwritten.append(data)
        self._holds_visits = True
        try:
            self._settle()
        except DiskFullError:  # flush will say so, unless nobody calls it
            if sum(map(len, self._unwritten)) > UNWRITTEN_BYTES:
                raise
        return place

    def flush(self, sync: bool = True) -> tuple[str, int]:
        """Put everything on disk; returns what the store must commit: the file's name and length.

        Raises DiskFullError when there is no room: what could not be written is kept for the next call. Without
        ``sync`` it survives the end of the process, but not of the machine.
        """
        if self._file is None:
            raise StoreError("the archive is not open")
        self._settle()
        if sync:
            with self._disk("cannot be written"):
                os.fsync(self._file.fileno())
        return self._name, self._length

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        self._unwritten.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

    # -- files ------------------------------------------------------------------------------------------------

    def _resume(self, number: int, name: str, length: int) -> None:
        for later in self._files():
            if self._number(later.name) > number:
                later.unlink()
                self.notes.append(f"{later.name} was never committed; deleted")
        path = self._folder / name
        size = path.stat().st_size if path.is_file() else -1
        if size < length:
            self.notes.append(
                f"{name} {'is missing' if size < 0 else f'has {size} of {length} bytes'}; began a new file"
            )
            self._begin(number + 1)
            return
        self._file = path.open("r+b", buffering=0)
        self._file.truncate(length)
        self._file.seek(length)
        self._name, self._length, self._holds_visits = name, length, True
        self.notes += [f"{name}: cut off {size - length} bytes that were never committed"] if size > length else []

    def _set_aside(self) -> None:
        """Files that no transaction knows may still be somebody's only copy."""
        for path in self._files():
            number = 1
            while (target := path.with_name(f"{path.name}.uncommitted-{number}")).exists():
                number += 1
            path.rename(target)
            self.notes.append(f"{path.name} belongs to no crawl database; set aside as {target.name}")

    def _begin(self, number: int) -> None:
        """Begin a file; when that fails, the one before it stays open."""
        name = f"{self._prefix}-{number:05}{ENDING}"
        data = _member(self._warcinfo(name), self._level)
        file = (self._folder / name).open("xb", buffering=0)
        try:
            _append(file, data, 0)
            _sync_folder(self._folder)
        except OSError:
            file.close()
            (self._folder / name).unlink()
            raise
        self.close()
        self._file = file
        self._name, self._length, self._holds_visits = name, len(data), False

    def _warcinfo(self, name: str) -> bytes:
        about = {
            "software": self._software,
            "format": "WARC File Format 1.1",
            "conformsTo": _CONFORMS_TO,
            "isPartOf": self._prefix,
        }
        date = warc_date(self._now())
        record_id = _record_id(f"warcinfo {name} {date}")
        fields = _lines((("WARC-Date", date), ("WARC-Filename", name)))
        return _record("warcinfo", record_id, fields, "application/warc-fields", _bytes(_warc_fields(about)))

    def _settle(self) -> None:
        """Write what could not be written before."""
        assert self._file is not None
        with self._disk("cannot be written"):
            while self._unwritten:
                _append(self._file, self._unwritten[0], self._length - sum(map(len, self._unwritten)))
                del self._unwritten[0]

    def _files(self) -> list[Path]:
        return [path for path in archive_files(self._folder) if self._number(path.name)]

    def _number(self, name: str) -> int:
        """The number in the name of one of this writer's files; 0 for other names."""
        match = _FILE.fullmatch(name)
        return int(match["number"]) if match and match["prefix"] == self._prefix else 0

    @contextmanager
    def _disk(self, what: str) -> Iterator[None]:
        """Turns OSError into a StoreError that says what to do."""
        try:
            yield
        except OSError as error:
            lacking = full(self._folder / self._name, error.errno)
            if lacking is not None:
                raise lacking from error
            raise StoreError(
                f"the archive {self._folder / self._name} {what}: {error.strerror or error}; make room or check the "
                "disk, then start the crawl again: it goes on where it stopped"
            ) from error


def _append(file: BinaryIO, data: bytes, end: int) -> None:
    """Write all of ``data`` at the end of a file of length ``end``, or nothing."""
    view = memoryview(data)
    try:
        while view:
            view = view[file.write(view) :]
    except OSError:
        with suppress(OSError):
            file.truncate(end)
            file.seek(end)
        raise


def _sync_folder(folder: Path) -> None:
    """A file's name lasts when its folder was synced."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- reading back -----------------------------------------------------------------------------------------------


def archive_files(folder: Path) -> list[Path]:
    """The WARC files of a project's archive in the order they were written."""
    found = [(path, match) for path in folder.glob(f"*{ENDING}") if (match := _FILE.fullmatch(path.name))]
    return [path for path, match in sorted(found, key=lambda item: _order(item[1]))]


def _order(match: re.Match[str]) -> tuple[list[tuple[int, str]], int]:
    """By prefix (crawl2 before crawl10), then by number."""
    parts = [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", match["prefix"])]
    return parts, int(match["number"])


def read(folder: Path, file: str, offset: int) -> Response:
    """The response whose record lies at ``offset`` of ``folder/file``; its body is decoded, as when it was fetched.

    Raises ArchiveError, naming file and offset, when it cannot be read.
    """
    record, payload = _record_at(folder, file, offset), None
    if record.kind not in ("response", "revisit"):
        raise ArchiveError(f"{folder / file} offset {offset}: a {record.kind or 'nameless'} record, not a response")
    if record.kind == "revisit":
        payload = _record_at(folder, *_original_place(record, f"{folder / file} offset {offset}"))
    return _response(record, payload)


def stored_digest(folder: Path, file: str, offset: int) -> str:
    """The payload digest of the response record at ``offset`` of ``folder/file``; "" where it is another record.

    Raises ArchiveError when it cannot be read.
    """
    record = _record_at(folder, file, offset)
    return record.field("WARC-Payload-Digest") if record.kind == "response" else ""


def _record_at(folder: Path, file: str, offset: int) -> StoredRecord:
    if not _FILE.fullmatch(file):
        raise ArchiveError(f"{file!r} is no file of an archive")
    with WarcFile(folder / file) as warc:
        return warc.read(Place(offset), BODY_LIMIT)


def _original_place(record: StoredRecord, where: str) -> tuple[str, int]:
    offset = record.field("WARC-Refers-To-File-Offset")
    if not offset.isdigit():
        raise ArchiveError(f"{where}: this revisit record does not say where the page lies")
    return record.field("WARC-Refers-To-Filename"), int(offset)


def _response(record: StoredRecord, payload: StoredRecord | None) -> Response:
    """As fetched: with the headers under their own names again, and as failed when nothing of it could be read."""
    truncated = record.field("WARC-Truncated").lower()
    if truncated == "length":
        return _too_large(record)
    found = _under_own_names(response_of(record.url, record, BODY_LIMIT, payload))
    known = truncated if truncated in _READABLE else ""
    if not truncated or not 200 <= found.status < 300 or (known and found.body):
        return replace(found, truncated=known) if known else found
    return replace(found, outcome=Outcome.FAILED, reason=_BROKE_OFF, truncated=known)


def _too_large(record: StoredRecord) -> Response:
    """The beginning of what was larger than the limit is not decoded again: that is what the limit is for."""
    kept = parse_response(record.block).body
    head = replace(record, block=record.block[: len(record.block) - len(kept)])
    found = _under_own_names(response_of(record.url, head, BODY_LIMIT))
    failed = 200 <= found.status < 300
    return replace(
        found,
        outcome=Outcome.FAILED if failed else found.outcome,
        reason=_BROKE_OFF if failed else found.reason,
        encoded_body=kept or None,
        truncated="length",
    )


def _under_own_names(found: Response) -> Response:
    prefix = _ORIGINAL.encode().lower()
    if prefix not in found.head.lower():
        return found
    lines = found.head.split(b"\n")
    renamed = {_name(line)[len(prefix) :] for line in lines if _name(line).startswith(prefix)}
    kept = [line for line in lines if _name(line) not in renamed]
    own = [line[len(prefix) :] if _name(line).startswith(prefix) else line for line in kept]
    return replace(found, headers=_restored(found.headers), head=b"\n".join(own))


def _restored(headers: Fields) -> Fields:
    prefix = _ORIGINAL.lower()
    kept = {name.lower()[len(prefix) :] for name, _ in headers if name.lower().startswith(prefix)}
    return tuple(
        (name[len(prefix) :] if name.lower().startswith(prefix) else name, value)
        for name, value in headers
        if name.lower() not in kept
    )


def iterate(folder: Path, committed: tuple[str, int] | None = None) -> Iterator[Stored]:
    """Every response of a project's archive, in the order written. Damaged records are stepped over.

    ``committed`` (file name, length) ends the last crawl's part where its database says; pass it while a crawl
    may be running.
    """
    last = _FILE.fullmatch(committed[0]) if committed else None
    for path in archive_files(folder):
        match = _FILE.fullmatch(path.name)
        assert match is not None
        if last is not None and match["prefix"] == last["prefix"] and int(match["number"]) > int(last["number"]):
            continue
        end = committed[1] if committed and path.name == committed[0] else None
        with WarcFile(path) as warc:
            yield from _iterate_file(folder, warc, end)


def _iterate_file(folder: Path, warc: WarcFile, end: int | None) -> Iterator[Stored]:
    """The visits of one file: a visit is whole when its metadata record came, the last of its records."""
    visit: Entry | None = None
    with WarcFile(warc.path) as reader:
        for entry in warc.scan():
            if end is not None and entry.place.offset >= end:
                return
            if entry.kind in ("response", "revisit"):
                visit = entry
            elif entry.kind == "metadata" and visit is not None and entry.concurrent == visit.record_id:
                with suppress(ArchiveError, MessageError):
                    fields = reader.read(entry.place, BODY_LIMIT).block
                    response = read(folder, warc.path.name, visit.place.offset)
                    yield Stored(warc.path.name, visit.place.offset, response, _metadata(fields))
                visit = None


def _metadata(block: bytes) -> dict[str, str]:
    return dict(parse_response(b"HTTP/1.1 200\r\n" + block + b"\r\n").headers)
