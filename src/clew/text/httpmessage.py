"""Stored HTTP messages: status line and headers parsed, and bodies freed of their encodings.

Archives are written by many tools, so parsing is lenient: bare line feeds, folded or broken header lines, a
missing reason phrase or a missing blank line are taken as browsers take them. Archivers also store bodies that
are already decoded under headers that say otherwise; such bodies are recognised and left as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.text.codings import codings, decoded

Headers = tuple[tuple[str, str], ...]

# No quantifier gives back what it took, and a run of CR is looked through from its beginning only: all are linear.
_STATUS_LINE = re.compile(rb"(HTTP/\d(?:\.\d)?)[ \t]++(\d{3})(?:[ \t]++([^\r\n]*+))?+\r*+(?:\n|$)")
_HEAD_END = re.compile(rb"\n\r*+\n")
_FOLD = re.compile(rb"(?<!\r)\r*+\n[ \t]++")
_CHUNK_SIZE = re.compile(rb"[ \t]*+([0-9a-fA-F]{1,15})[ \t]*+(?:;[^\n]*+|\r)?+\n")


class MessageError(ValueError):
    """A stored message is no HTTP response; the text says why, for people."""


@dataclass(frozen=True, slots=True)
class HttpMessage:
    """A response as stored: ``body`` is still encoded as the headers say. ``phrase`` may be empty."""

    version: str
    status: int
    phrase: str
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """The first header called ``name`` (case-insensitive), or an empty string."""
        return first_header(self.headers, name)


def first_header(headers: Headers, name: str) -> str:
    """The first header called ``name`` (case-insensitive), or an empty string."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), "")


def parse_response(block: bytes) -> HttpMessage:
    """A stored HTTP response. Raises MessageError when there is no status line."""
    status_line = _STATUS_LINE.match(block)
    if status_line is None:
        raise MessageError(f"no HTTP status line but {block[:40]!r}")
    version, status, phrase = status_line.groups(b"")
    end = _HEAD_END.search(block, max(status_line.end() - 2, 0))
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    return HttpMessage(
        version.decode("ascii"), int(status), header_text(phrase.strip()), _headers(head[status_line.end() :]), body
    )


def status_of(line: bytes) -> int:
    """The status in an HTTP status line, 0 when it is none."""
    match = _STATUS_LINE.match(line)
    return int(match[2]) if match else 0


def _headers(block: bytes) -> Headers:
    lines = _FOLD.sub(b" ", block).splitlines()
    pairs = (line.partition(b":") for line in lines)
    return tuple(
        (header_text(name.strip()), header_text(value.strip()))
        for name, colon, value in pairs
        if colon and name.strip()
    )


def header_text(value: bytes) -> str:
    """A header's name or value as text: UTF-8, or Latin-1 where it is none."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


# -- bodies -----------------------------------------------------------------------------------------------


def without_chunks(headers: Headers, body: bytes) -> bytes:
    """The body without ``Transfer-Encoding: chunked``. A broken chunk ends it, as in browsers.

    A body whose first line is no chunk size was already freed of its chunks by the archiver.
    """
    coding = first_header(headers, "Transfer-Encoding").lower()
    return _dechunk(body) if "chunked" in coding else body


def _dechunk(body: bytes) -> bytes:
    parts: list[bytes] = []
    position = 0
    while (size := _CHUNK_SIZE.match(body, position)) and (length := int(size[1], 16)):
        parts.append(body[size.end() : size.end() + length])
        position = size.end() + length
        position += 2 if body[position : position + 2] == b"\r\n" else body[position : position + 1] == b"\n"
    return b"".join(parts) if position or _CHUNK_SIZE.match(body) else body


def decode_content(headers: Headers, body: bytes, limit: int) -> bytes:
    """The body freed of its Content-Encoding, of at most ``limit`` bytes.

    Raises BodyError when the body is damaged or has a coding that is not known, TooLargeError when it is larger.
    """
    names = [value for name, value in headers if name.lower() == "content-encoding"]
    return decoded(body, codings(",".join(names)), limit)
