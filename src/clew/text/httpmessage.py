"""HTTP answers, on the wire and stored: status line and header lines, read as browsers read them.

Servers and archivers write much that the standards forbid. What browsers take is taken here, once for the live web
and for archives: bare line feeds, blank or odd things before the status line, ``HTTP/1.0``, ``ICY``, status lines
without a reason, interim answers before the one that counts, folded lines, a space before the colon. A line that is no
header (no colon, no name, a name with characters that no name may have) is skipped, not the page. NUL bytes are
dropped and a bare CR stands for a space (RFC 9112 section 2.2); every scan is linear in the bytes it looks at.

Archivers also store bodies that are already decoded under headers that say otherwise; such bodies are recognised and
left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.text.codings import codings, decoded
from clew.text.httpframing import Dechunker, transfer_codings

Headers = tuple[tuple[str, str], ...]
Fields = tuple[tuple[bytes, bytes], ...]

MOST_INTERIM = 20
"""Interim answers (100, 102, 103) before the one that counts."""

HEAD_END = re.compile(rb"\n\r{0,3}\n")
"""The empty line after the headers, with the line end before it."""

START = re.compile(rb".{0,4}(?:HTTP|ICY)", re.I | re.S)
"""How an answer begins: browsers overlook up to four bytes before it."""

_STATUS = re.compile(
    rb".{0,4}(?:(HTTP)(?:/(\d{1,3}(?:\.\d{1,3})?))?[-/:;,.\d]{0,8}|ICY)[ \t]+([1-9]\d\d)(?!\d)[ \t]*(.*)", re.I | re.S
)
_NO_STATUS = re.compile(rb".{0,4}(HTTP)/(\d{1,3}\.\d{1,3})(?:[ \t]++()(?![-+]?\d)(.*)|()()\s*)", re.I | re.S)
"""A status line that lacks its status: browsers take it for 200."""

_TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PLAIN_FIELD = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]++):([^\r\n\0]*+)\r\n")
_PLAIN_FIELDS = re.compile(rb"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]++:[^\r\n\0]*+\r\n)*+\r\n")
"""Header lines as they should be, and nothing else: nearly all heads."""

_BLANK = b" \t\r"


class MessageError(ValueError):
    """What came or was stored is no HTTP answer; the text says why, for people."""


@dataclass(frozen=True, slots=True)
class Head:
    """Status line and headers. ``fields``: name and value as sent, ``raw``: all bytes, the empty line included.

    ``phrase`` may be empty. ``headers`` are the fields as text.
    """

    version: str
    status: int
    phrase: str
    fields: Fields
    headers: Headers
    raw: bytes


@dataclass(frozen=True, slots=True)
class HttpMessage:
    """A response as stored: ``body`` is still encoded as the headers say. ``phrase`` may be empty."""

    version: str
    status: int
    phrase: str
    headers: Headers
    body: bytes
    head: bytes = b""
    location: str = ""

    def header(self, name: str) -> str:
        """The first header called ``name`` (case-insensitive), or an empty string."""
        return first_header(self.headers, name)


def first_header(headers: Headers, name: str) -> str:
    """The first header called ``name`` (case-insensitive), or an empty string."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), "")


def parse_response(block: bytes) -> HttpMessage:
    """A stored HTTP response. Raises MessageError when there is no status line."""
    start = len(block) - len(block.lstrip(b"\r\n")) if block[:1] in (b"\r", b"\n") else 0
    for _ in range(MOST_INTERIM):
        end = HEAD_END.search(block, start)
        head = parse_head(block[start : end.end()] if end else block[start:])
        if end is None or not interim(head.status) or not _STATUS.match(block, end.end()):
            break
        start = end.end()
    body = block[end.end() :] if end else b""
    return HttpMessage(head.version, head.status, head.phrase, head.headers, body, head.raw, location(head.fields))


def parse_head(block: bytes) -> Head:
    """Status line and header lines, with or without the empty line. Raises MessageError when there is no status."""
    line, _, rest = block.partition(b"\n")
    line = line.replace(b"\0", b"")
    match = _STATUS.match(line) or _NO_STATUS.fullmatch(line)
    if match is None:
        raise MessageError(f"no HTTP status line but {line[:40]!r}")
    protocol, number, status, phrase = match.groups(b"")[:4]
    fields = header_fields(rest)
    return Head(
        version=f"HTTP/{number.decode()}" if number and protocol else "HTTP/1.0",
        status=int(status or 200),
        phrase=header_text(phrase.strip(_BLANK).replace(b"\r", b" ")),
        fields=fields,
        headers=_texts(fields, block.isascii()),
        raw=block,
    )


def _texts(fields: Fields, ascii_only: bool) -> Headers:
    if ascii_only:
        return tuple([(name.decode(), value.decode()) for name, value in fields])
    return tuple([(name.decode(), header_text(value)) for name, value in fields])


def interim(status: int) -> bool:
    """Whether another answer follows this one (101, a change of protocol, is the last)."""
    return 100 <= status < 200 and status != 101


def status_of(block: bytes) -> int:
    """The status of the answer that ``block`` begins with, interim ones skipped; 0 when it is none."""
    try:
        return parse_response(block).status
    except MessageError:
        return 0


def header_fields(lines: bytes) -> Fields:
    """Names and values of header lines; what is no header is skipped, with the lines that continue it."""
    if _PLAIN_FIELDS.fullmatch(lines):
        return tuple([(name, value.strip(b" \t")) for name, value in _PLAIN_FIELD.findall(lines)])
    if b"\0" in lines:
        lines = lines.replace(b"\0", b"")
    found: list[tuple[bytes, list[bytes]]] = []
    kept = False
    for line in lines.split(b"\n"):
        if line[:1] in (b" ", b"\t"):
            if kept:
                found[-1][1].append(line)
            continue
        name, colon, value = line.partition(b":")
        name = name.rstrip(_BLANK)
        kept = bool(colon) and _TOKEN.fullmatch(name) is not None
        if kept:
            found.append((name, [value]))
    return tuple([(name, _joined(parts)) for name, parts in found])


def _joined(parts: Sequence[bytes]) -> bytes:
    """A value of one line or of several."""
    if len(parts) == 1:
        value = parts[0].strip(_BLANK)
    else:
        value = b" ".join([text for part in parts if (text := part.strip(_BLANK))])
    return value.replace(b"\r", b" ") if b"\r" in value else value


def header_text(value: bytes) -> str:
    """A header's name or value as text: UTF-8, or Latin-1 where it is none."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def location(fields: Fields) -> str:
    """The first Location as text for a URL parser, or an empty string."""
    return next((url_text(value) for name, value in fields if name.lower() == b"location"), "")


def url_text(value: bytes) -> str:
    """A URL in a header: bytes beyond ASCII are percent-encoded as they came, whatever their charset."""
    if value.isascii():
        return value.decode("ascii")
    return "".join([chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in value])


# -- bodies -----------------------------------------------------------------------------------------------


def without_chunks(headers: Headers, body: bytes) -> bytes:
    """The body without ``Transfer-Encoding: chunked``. A broken chunk ends it, as in browsers.

    A body whose first line is no chunk size was already freed of its chunks by the archiver.
    """
    if "chunked" not in transfer_codings([v for name, v in headers if name.lower() == "transfer-encoding"]):
        return body
    chunks = Dechunker()
    plain = chunks.feed(body)
    return plain if chunks.begun else body


def content_codings(headers: Headers) -> tuple[str, ...]:
    """The codings to undo, the outermost last: those of the content and compressions of the transfer.

    Archives keep Transfer-Encoding under the name X-Archive-Orig-Transfer-Encoding. Raises BodyError.
    """
    content, transfer = [], []
    for name, value in headers:
        if "encoding" not in (lower := name.lower()):
            continue
        if lower == "content-encoding":
            content.append(value)
        elif lower.endswith("transfer-encoding"):
            transfer.append(value)
    return codings(",".join([*content, *transfer])) if content or transfer else ()


def decode_content(headers: Headers, body: bytes, limit: int) -> bytes:
    """The body freed of its codings, of at most ``limit`` bytes; of a damaged one the part before the damage.

    Raises BodyError when nothing can be decoded, TooLargeError when it is larger.
    """
    return decoded(body, content_codings(headers), limit)
