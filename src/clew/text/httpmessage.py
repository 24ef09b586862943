"""Stored HTTP messages: status line and headers parsed, and bodies freed of their transfer and content encodings.

Archives are written by many tools, so parsing is lenient: bare line feeds, folded or broken header lines, a
missing reason phrase or a missing blank line are taken as browsers take them. Archivers also store bodies that
are already decoded under headers that say otherwise; such bodies are recognised and left as they are.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import brotli
import zstandard

Headers = tuple[tuple[str, str], ...]

_STATUS_LINE = re.compile(rb"(HTTP/\d(?:\.\d)?)[ \t]+(\d{3})(?:[ \t]+([^\r\n]*))?[ \t]*\r*(?:\n|$)")
_HEAD_END = re.compile(rb"\r*\n\r*\n")
_FOLD = re.compile(rb"\r*\n[ \t]+")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_WINDOW_BYTES = 1 << 23  # RFC 9659: senders may not ask for more
_STEP = 65_536


class MessageError(ValueError):
    """A stored message is no HTTP response, or its body cannot be decoded; the text says why, for people."""


class TooLargeError(MessageError):
    """A body is larger than the limit."""


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
        version.decode("ascii"), int(status), _text(phrase.strip()), _headers(head[status_line.end() :]), body
    )


def status_of(line: bytes) -> int:
    """The status in an HTTP status line, 0 when it is none."""
    match = _STATUS_LINE.match(line)
    return int(match[2]) if match else 0


def _headers(block: bytes) -> Headers:
    lines = _FOLD.sub(b" ", block).splitlines()
    pairs = (line.partition(b":") for line in lines)
    return tuple((_text(name.strip()), _text(value.strip())) for name, colon, value in pairs if colon and name.strip())


def _text(value: bytes) -> str:
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
    """The body freed of its Content-Encoding (gzip, deflate, br, zstd), of at most ``limit`` bytes.

    A compressed body that breaks off gives the part that came. Raises MessageError when the body is larger,
    is damaged, or has an encoding that is not known (TooLargeError when it is larger).
    """
    for name in reversed(first_header(headers, "Content-Encoding").lower().split(",")):
        decoder = _DECODERS.get(name.strip())
        if decoder is None:
            raise MessageError(f"unknown Content-Encoding {name.strip()[:40]!r}")
        body = decoder(body, limit)
    return _bounded(body, limit)


def _bounded(body: bytes, limit: int) -> bytes:
    if len(body) > limit:
        raise TooLargeError(f"larger than {limit} bytes (limits.page_bytes)")
    return body


def _identity(body: bytes, limit: int) -> bytes:
    return body


def _gunzip(body: bytes, limit: int) -> bytes:
    """Every gzip member of the body; what follows the last one is dropped, as by browsers."""
    if not body.startswith(_GZIP_MAGIC):
        return body
    parts: list[bytes] = []
    while body.startswith(_GZIP_MAGIC):
        part, body = _inflate(body, limit - sum(map(len, parts)), 31)
        parts.append(part)
    return b"".join(parts)


def _inflate(body: bytes, limit: int, window_bits: int) -> tuple[bytes, bytes]:
    """What a zlib stream holds, and the bytes after its end."""
    stream = zlib.decompressobj(window_bits)
    try:
        data = stream.decompress(body, limit + 1)
    except zlib.error as error:
        raise MessageError(f"damaged compressed body: {error}") from error
    return _bounded(data, limit), stream.unused_data


def _deflate(body: bytes, limit: int) -> bytes:
    """zlib format as RFC 9110 says, or bare deflate data as some servers send it."""
    try:
        return _inflate(body, limit, 15)[0]
    except TooLargeError:
        raise
    except MessageError:
        if body[:1] == b"\x78" or body.lstrip()[:1] == b"<":
            return _as_stored(body, b"")
        return _inflate(body, limit, -15)[0]


def _brotli(body: bytes, limit: int) -> bytes:
    stream = brotli.Decompressor()
    parts: list[bytes] = []
    size, rest = 0, body
    try:
        while size <= limit and not stream.is_finished():
            part = stream.process(rest, output_buffer_limit=_STEP)
            if not part and not rest:
                break
            parts.append(part)
            size, rest = size + len(part), b""
    except brotli.error:
        return _as_stored(body, b"".join(parts))
    return _bounded(b"".join(parts), limit)


def _zstd(body: bytes, limit: int) -> bytes:
    if not body.startswith(_ZSTD_MAGIC):
        return body
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
    reader = decompressor.stream_reader(io.BytesIO(body), read_across_frames=True)
    try:
        return _bounded(reader.read(limit + 1), limit)
    except zstandard.ZstdError as error:
        raise MessageError(f"damaged compressed body: {error}") from error


def _as_stored(body: bytes, decoded: bytes) -> bytes:
    """A body that was not encoded after all; MessageError when it was, and is damaged."""
    if decoded or body.lstrip()[:1] not in (b"<", b"{"):
        raise MessageError("damaged compressed body")
    return body


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "": _identity,
    "identity": _identity,
    "none": _identity,
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
