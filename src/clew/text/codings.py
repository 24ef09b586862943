"""Content codings undone (gzip, deflate, br, zstd): piece by piece as a body comes in, or whole as an archive holds it.

Fifty kilobytes of gzip can hold gigabytes, so no decoder here may produce more than its allowance: memory stays
flat whatever a server or an archive sends. A body whose coding is announced but was never applied, or was undone by
an archiver already, is taken as it is; one that breaks off inside its compression gives the part that came.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import IO, Protocol, cast

import brotli
import zstandard

MAX_CODINGS = 4
"""Content codings on top of each other; nobody needs more than one."""

_ZSTD_WINDOW_BYTES = 1 << 23  # RFC 9659: senders may not ask receivers of content codings for more
_LONGEST_BLANK = 256  # bytes of blank lines before a page that was never deflated
_STEP = 65_536
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class BodyError(ValueError):
    """A body that cannot or must not be taken; the text says why, for people."""


class TooLargeError(BodyError):
    """A body is larger than the limit, as sent or decompressed."""


class Decoder(Protocol):
    """One content coding, undone piece by piece."""

    def feed(self, data: bytes) -> bytes:
        """What ``data`` adds to the decoded body. Raises BodyError, TooLargeError past the limit."""
        ...

    def finish(self) -> bytes:
        """What was held back for want of more data."""
        ...


class Collector:
    """A body under way: ``feed`` it pieces as sent, then ``finish``; ``encoded`` and ``decoded`` hold what came.

    Both are limited to ``limit`` bytes. ``slack``: a decoder may produce that many times more before it is stopped,
    for those who want the beginning of something larger.
    """

    def __init__(self, codings: tuple[str, ...], limit: int, slack: int = 1) -> None:
        self._limit = limit
        self._encoded: list[bytes] = []
        self._decoded: list[bytes] = []
        self._encoded_size = self._decoded_size = 0
        self._decoders: list[Decoder] = [_DECODERS[name](limit * slack) for name in reversed(codings)]

    @property
    def full(self) -> bool:
        """Whether as many decoded bytes are here as the limit allows."""
        return (self._decoded_size if self._decoders else self._encoded_size) >= self._limit

    @property
    def encoded(self) -> bytes:
        """The bytes as sent."""
        return self._encoded[0] if len(self._encoded) == 1 else b"".join(self._encoded)

    @property
    def decoded(self) -> bytes:
        """The bytes freed of their codings."""
        if not self._decoders:
            return self.encoded
        return self._decoded[0] if len(self._decoded) == 1 else b"".join(self._decoded)

    def feed(self, data: bytes) -> None:
        """Take the next piece. Raises BodyError, TooLargeError past the limit (what fits is kept)."""
        room = self._limit - self._encoded_size
        self._encoded.append(data if len(data) <= room else data[:room])
        self._encoded_size += len(data)
        if self._decoders:
            self._pass_on(data, 0)
        if self._encoded_size > self._limit:
            raise TooLargeError(f"larger than {self._limit} bytes as sent (limits.page_bytes)")

    def finish(self) -> None:
        """The body is complete as sent."""
        for place, decoder in enumerate(self._decoders):
            self._pass_on(decoder.finish(), place + 1)

    def _pass_on(self, data: bytes, place: int) -> None:
        for decoder in self._decoders[place:]:
            if not data:
                return
            data = decoder.feed(data)
        if data:
            room = self._limit - self._decoded_size
            self._decoded.append(data[:room])
            self._decoded_size += len(data)
            if len(data) > room:
                raise _too_large(self._limit)


def decoded(body: bytes, names: tuple[str, ...], limit: int) -> bytes:
    """A whole ``body`` freed of the codings ``names``, of at most ``limit`` bytes. Raises BodyError, TooLargeError."""
    if not names and len(body) <= limit:
        return body
    collector = Collector(names, limit)
    collector.feed(body)
    collector.finish()
    return collector.decoded


def codings(header: str) -> tuple[str, ...]:
    """The names in a Content-Encoding header, without those that stand for nothing. Raises BodyError."""
    if not header:
        return ()
    names = tuple(name for part in header.lower().split(",") if (name := part.strip()) not in ("", "identity", "none"))
    for name in names:
        if name not in _DECODERS:
            raise BodyError(f"unknown Content-Encoding {name[:40]!r}")
    if len(names) > MAX_CODINGS:
        raise BodyError(f"more than {MAX_CODINGS} content codings on top of each other")
    return names


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(f"larger than {limit} bytes after decompression (limits.page_bytes)")


def _damaged(error: Exception) -> BodyError:
    return BodyError(f"damaged compressed body: {error}")


class _Sniffing:
    """Decides by the first bytes of a body whether it is encoded at all."""

    magic_bytes = 2

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._head = b""
        self._encoded: bool | None = None

    def feed(self, data: bytes) -> bytes:
        if self._encoded is None:
            self._head += data
            return self.finish() if self.known(self._head) else b""
        return self.decode(data) if self._encoded else data

    def finish(self) -> bytes:
        """What the held-back head gives, once it is clear how to read it."""
        if self._encoded is not None or not self._head:
            return b""
        head, self._head = self._head, b""
        self._encoded = self.begin(head)
        return self.decode(head) if self._encoded else head

    def known(self, head: bytes) -> bool:
        """Whether ``head`` is enough to tell by."""
        return len(head) >= self.magic_bytes

    def begin(self, head: bytes) -> bool:
        """Whether a body that begins with ``head`` is encoded, and all set to decode it if so."""
        raise NotImplementedError

    def decode(self, data: bytes) -> bytes:
        """What ``data`` adds to the decoded body."""
        raise NotImplementedError


class _Inflating(_Sniffing):
    """zlib streams, never more than ``limit`` bytes out of them."""

    _stream: zlib._Decompress

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._left = limit

    def inflate(self, data: bytes) -> bytes:
        """At most what is left of the allowance, and one byte more to know that there is more."""
        try:
            out = self._stream.decompress(data, self._left + 1)
        except zlib.error as error:
            raise _damaged(error) from error
        self._left -= len(out)
        if self._left < 0:
            raise _too_large(self.limit)
        return out


class _Gzip(_Inflating):
    """Every gzip member of a body; what follows the last one is dropped, as by browsers."""

    _between = b""

    def begin(self, head: bytes) -> bool:
        self._stream = zlib.decompressobj(31)
        return head.startswith(_GZIP_MAGIC)

    def decode(self, data: bytes) -> bytes:
        out: list[bytes] = []
        while data:
            if self._stream.eof:
                data = self._between + data
                self._between = data if len(data) < self.magic_bytes else b""
                if self._between or not data.startswith(_GZIP_MAGIC):
                    break
                self._stream = zlib.decompressobj(31)
            out.append(self.inflate(data))
            data = self._stream.unused_data
        return b"".join(out)


class _Deflate(_Inflating):
    """zlib format as RFC 9110 says, or bare deflate data as some servers send it."""

    def known(self, head: bytes) -> bool:
        return len(head.lstrip()) >= self.magic_bytes or len(head) > _LONGEST_BLANK

    def begin(self, head: bytes) -> bool:
        zlib_header = len(head) > 1 and head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
        self._stream = zlib.decompressobj(15 if zlib_header else -15)
        return head.lstrip()[:1] != b"<"

    def decode(self, data: bytes) -> bytes:
        return b"" if self._stream.eof else self.inflate(data)


class _Brotli:
    def __init__(self, limit: int) -> None:
        self._limit = self._left = limit
        self._stream = brotli.Decompressor()
        self._held = b""  # what came before the first decoded byte: brotli has no magic number
        self._begun = self._plain = False

    def feed(self, data: bytes) -> bytes:
        if self._plain:
            return data
        if not self._begun:
            self._held += data[: 1 + self._limit - len(self._held)]
        try:
            return self._process(data)
        except brotli.error as error:
            if self._begun or self._held.lstrip()[:1] not in (b"<", b"{"):
                raise _damaged(error) from error
        self._plain = True
        return self._held

    def _process(self, data: bytes) -> bytes:
        if self._stream.is_finished() and data:
            raise brotli.error("data after the end")  # as brotli itself says of the piece that holds the end
        parts: list[bytes] = []
        while not self._stream.is_finished():
            part = self._stream.process(data, output_buffer_limit=_STEP)
            if not part and self._stream.can_accept_more_data():
                break
            self._begun, data = True, b""
            parts.append(part)
            self._left -= len(part)
            if self._left < 0:
                raise _too_large(self._limit)
        return b"".join(parts)

    def finish(self) -> bytes:
        return b""


class _Zstd(_Sniffing):
    magic_bytes = 4

    def begin(self, head: bytes) -> bool:
        self._sink = _Sink(self.limit)
        self._writer = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES).stream_writer(
            cast(IO[bytes], self._sink), write_size=_STEP, closefd=False
        )
        return head.startswith(_ZSTD_MAGIC)

    def decode(self, data: bytes) -> bytes:
        try:
            self._writer.write(data)
        except zstandard.ZstdError as error:
            raise _damaged(error) from error
        return self._sink.take()


class _Sink:
    """What zstd writes into, step by step; it protests as soon as the allowance is used up."""

    def __init__(self, limit: int) -> None:
        self._limit = self._left = limit
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._left -= len(data)
        if self._left < 0:
            raise _too_large(self._limit)
        self._parts.append(data)
        return len(data)

    def take(self) -> bytes:
        """What came since the last time."""
        out = b"".join(self._parts)
        self._parts.clear()
        return out


_DECODERS: dict[str, Callable[[int], Decoder]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
