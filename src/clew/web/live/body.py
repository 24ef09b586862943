"""Bodies as they come in: decompressed piece by piece, and stopped the moment a limit is passed.

Fifty kilobytes of gzip can hold gigabytes, so no decoder here may produce more than its allowance: memory stays
flat whatever a server sends. A body whose encoding is announced but was never applied is taken as it is, and one
that breaks off inside its compression gives the part that came, as archives are read too.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable
from typing import IO, Protocol, cast

import brotli
import zstandard

MAX_CODINGS = 4
"""Content codings on top of each other; nobody needs more than one."""

_ZSTD_WINDOW_BYTES = 1 << 23  # RFC 9659: senders may not ask receivers of content codings for more
_STEP = 65_536
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class BodyError(Exception):
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


async def collect(pieces: AsyncIterator[bytes], collector: Collector) -> None:
    """Feed ``collector`` until the body ends. Raises BodyError."""
    async for piece in pieces:
        collector.feed(piece)
    collector.finish()


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
    """Decides by the first bytes of a body whether it is encoded at all, and how."""

    magic_bytes = 2

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._head = b""
        self._feed: Callable[[bytes], bytes] | None = None

    def feed(self, data: bytes) -> bytes:
        if self._feed is not None:
            return self._feed(data)
        self._head += data
        return self.finish() if len(self._head) >= self.magic_bytes else b""

    def finish(self) -> bytes:
        """What the held-back head gives, once it is clear how to read it."""
        if self._feed is not None or not self._head:
            return b""
        self._feed = self.choose(self._head)
        head, self._head = self._head, b""
        return self._feed(head)

    def choose(self, head: bytes) -> Callable[[bytes], bytes]:
        """What reads a body that begins with ``head``."""
        raise NotImplementedError


class _Inflating(_Sniffing):
    """zlib streams, never more than ``limit`` bytes out of them."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._left = limit
        self._stream = zlib.decompressobj()

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

    def choose(self, head: bytes) -> Callable[[bytes], bytes]:
        if not head.startswith(_GZIP_MAGIC):
            return _as_it_is
        self._stream = zlib.decompressobj(31)
        self._between = b""
        return self._members

    def _members(self, data: bytes) -> bytes:
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

    def choose(self, head: bytes) -> Callable[[bytes], bytes]:
        if head[:1] == b"<":
            return _as_it_is
        zlib_header = len(head) > 1 and head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
        self._stream = zlib.decompressobj(15 if zlib_header else -15)
        return self._first_stream

    def _first_stream(self, data: bytes) -> bytes:
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

    def choose(self, head: bytes) -> Callable[[bytes], bytes]:
        if not head.startswith(_ZSTD_MAGIC):
            return _as_it_is
        self._sink = _Sink(self.limit)
        self._writer = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES).stream_writer(
            cast(IO[bytes], self._sink), write_size=_STEP, closefd=False
        )
        return self._frames

    def _frames(self, data: bytes) -> bytes:
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
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What came since the last time."""
        out = b"".join(self._parts)
        self._parts.clear()
        return out


def _as_it_is(data: bytes) -> bytes:
    return data


_DECODERS: dict[str, Callable[[int], Decoder]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
