"""Responses as WARC 1.1 records: each a gzip member of its own."""

from __future__ import annotations

import re
import uuid
import zlib
from base64 import b32encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from urllib.parse import urlsplit

from isal import igzip_lib

from clew.model import Outcome, Response
from clew.text.codings import BodyError, codings
from clew.text.httpmessage import HEAD_END, first_header

_CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_REVISIT_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
ORIGINAL = "X-Archive-Orig-"
"""Before the names of headers that would make the stored message wrong."""

_LINE_BREAKS = re.compile(r"[\r\n\0]+")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_BODILESS = (204, 304)
READABLE = ("disconnect", "time")
_DOUBTFUL = frozenset(("transfer-encoding", "content-length", "content-encoding"))
Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Original:
    """An earlier response with the same payload: its URL, when it was fetched, and where its record lies."""

    url: str
    fetched_at: float
    file: str
    offset: int


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


def encode_about(url: str, when: float, metadata: Mapping[str, str], gzip_level: int) -> bytes:
    """A metadata record alone, as a gzip member: what is known of a URL that was not fetched. Pure."""
    about = _lines((("WARC-Target-URI", url), ("WARC-Date", warc_date(when))))
    record_id = _record_id(f"metadata {url} {when!r}")
    record = _record("metadata", record_id, about, "application/warc-fields", _bytes(_warc_fields(metadata)))
    return _member(record, gzip_level)


def warcinfo(name: str, prefix: str, software: str, when: float, gzip_level: int) -> bytes:
    """The record that a file begins with: what it is called, of which archive it is, and who wrote it."""
    about = {
        "software": software,
        "format": "WARC File Format 1.1",
        "conformsTo": _CONFORMS_TO,
        "isPartOf": prefix,
    }
    date = warc_date(when)
    fields = _lines((("WARC-Date", date), ("WARC-Filename", name)))
    record_id = _record_id(f"warcinfo {name} {date}")
    record = _record("warcinfo", record_id, fields, "application/warc-fields", _bytes(_warc_fields(about)))
    return _member(record, gzip_level)


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
    hashed = sha1(uuid.NAMESPACE_URL.bytes + name.encode(), usedforsecurity=False).hexdigest()  # uuid.uuid5, but faster
    variant = "89ab"[int(hashed[16], 16) & 3]
    return f"<urn:uuid:{hashed[:8]}-{hashed[8:12]}-5{hashed[13:16]}-{variant}{hashed[17:20]}-{hashed[20:32]}>"


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
    return b"\n".join([ORIGINAL.encode() + line if field_name(line) in wrong else line for line in lines]) + b"\r\n"


def field_name(line: bytes) -> bytes:
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
