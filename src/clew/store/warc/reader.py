"""What the files of an archive hold: single responses by their places, and all of them in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from clew.errors import ArchiveError
from clew.model import Outcome, Response
from clew.store.warc.records import ORIGINAL, READABLE, Fields, field_name
from clew.store.warc.writer import FILE, archive_files
from clew.text.httpmessage import MessageError, parse_response
from clew.text.warcrecords import Entry, Place, StoredRecord, WarcFile, response_of

BODY_LIMIT = 1 << 30
"""Bytes of a decoded body that ``read`` accepts; what was fetched was bounded by limits.page_bytes."""

_BROKE_OFF = "broke off when it was fetched"


@dataclass(frozen=True, slots=True)
class Stored:
    """A response in the archive: where it lies, what it was, and its metadata record's fields."""

    file: str
    offset: int
    response: Response
    metadata: Mapping[str, str]


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
    if not FILE.fullmatch(file):
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
    known = truncated if truncated in READABLE else ""
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
    prefix = ORIGINAL.encode().lower()
    if prefix not in found.head.lower():
        return found
    lines = found.head.split(b"\n")
    renamed = {field_name(line)[len(prefix) :] for line in lines if field_name(line).startswith(prefix)}
    kept = [line for line in lines if field_name(line) not in renamed]
    own = [line[len(prefix) :] if field_name(line).startswith(prefix) else line for line in kept]
    return replace(found, headers=_restored(found.headers), head=b"\n".join(own))


def _restored(headers: Fields) -> Fields:
    prefix = ORIGINAL.lower()
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
    last = FILE.fullmatch(committed[0]) if committed else None
    for path in archive_files(folder):
        match = FILE.fullmatch(path.name)
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
