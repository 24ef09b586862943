"""Content codings undone (gzip, deflate, br, zstd): piece by piece as a body comes in, or whole as an archive holds it.

Fifty kilobytes of gzip can hold gigabytes, so no decoder here may produce more than its allowance: memory stays
flat whatever a server or an archive sends. A body whose coding is announced but was never applied, or was undone by
an archiver already, is taken as it is; names that are no coding (utf-8, text/html, aws-chunked) say nothing; of a body
that breaks off inside its compression or is damaged, the part that can be decoded is kept.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import IO, Protocol, cast

import brotli
import zstandard

MAX_CODINGS = 4
"""Content codings on top of each other; nobody needs more than one."""

_ZSTD_WINDOW_BYTES = 1 << 23  # RFC 9659: senders may not ask receivers of content codings for more
_TELLING = 64  # bytes at the start of a body by which text is told from compressed data
_CONTROLS = bytes({*range(32)} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_ASCII = bytes(range(128))
_SALVAGE_STEP = 4096
_STEP = 65_536
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class BodyError(ValueError):
    """A body that cannot or must not be taken; the text says why, for people."""


class DamagedError(BodyError):
    """A body is not what its coding says, from some byte on."""


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
    for those who want the beginning of something larger. ``damaged``: why no more than ``decoded`` can be decoded.
    """

    def __init__(self, codings: tuple[str, ...], limit: int, slack: int = 1) -> None:
        self._limit = limit
        self._allowance = limit * slack
        self._codings = codings
        self._encoded: list[bytes] = []
        self._decoded: list[bytes] = []
        self._encoded_size = self._decoded_size = 0
        self._decoders = self._made_decoders()
        self.damaged = ""

    def _made_decoders(self) -> list[Decoder]:
        return [_DECODERS[name](self._allowance) for name in reversed(self._codings)]

    @property
    def full(self) -> bool:
        """Whether as many decoded bytes are here as the limit allows."""
        return (self._decoded_size if self._decoders else self._encoded_size) >= self._limit

    @property
    def coded(self) -> bool:
        """Whether the body has a coding, by what was announced."""
        return bool(self._decoders)

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

    def read(self) -> bytes:
        """What can be decoded. Raises DamagedError when something came and nothing can."""
        found = self.decoded
        if self.damaged and not found:
            raise DamagedError(self.damaged)
        return found

    def feed(self, data: bytes) -> None:
        """Take the next piece. Raises TooLargeError past the limit (what fits is kept)."""
        room = self._limit - self._encoded_size
        self._encoded.append(data if len(data) <= room else data[:room])
        self._encoded_size += len(data)
        if self._decoders and not self.damaged:
            self._decode(data)
        if self._encoded_size > self._limit:
            raise TooLargeError(f"larger than {self._limit} bytes as sent (limits.page_bytes)")

    def finish(self) -> None:
        """The body is complete as sent, or no more comes."""
        if self.damaged:
            return
        try:
            for place, decoder in enumerate(self._decoders):
                self._pass_on(decoder.finish(), self._decoders[place + 1 :])
        except DamagedError as error:
            self._salvage(error)

    def _decode(self, data: bytes) -> None:
        try:
            self._pass_on(data, self._decoders)
        except DamagedError as error:
            self._salvage(error)

    def _pass_on(self, data: bytes, decoders: list[Decoder]) -> None:
        for decoder in decoders:
            if not data:
                return
            data = decoder.feed(data)
        if data:
            room = self._limit - self._decoded_size
            self._decoded.append(data[:room])
            self._decoded_size += len(data)
            if len(data) > room:
                raise _too_large(self._limit)

    def _salvage(self, error: DamagedError) -> None:
        """Decode what came once more, up to the damage: a decoder that meets it keeps the rest of its piece to itself.

        In large steps up to the one that fails, and through that one byte by byte.
        """
        self.damaged = str(error)
        data = self.encoded
        safe = self._sound(data, 0, _SALVAGE_STEP, len(data))
        self._sound(data, safe, 1, safe + _SALVAGE_STEP)

    def _sound(self, data: bytes, safe: int, step: int, end: int) -> int:
        """Decode the first ``safe`` bytes, then step by step up to ``end``; returns how many were sound."""
        self._decoded, self._decoded_size = [], 0
        decoders = self._made_decoders()
        starts: Iterable[int] = chain(range(0, safe, _SALVAGE_STEP), range(safe, min(end, len(data)), step))
        for start in starts:
            try:
                self._pass_on(data[start : start + (_SALVAGE_STEP if start < safe else step)], decoders)
            except DamagedError:
                return start
        return len(data)


def decoded(body: bytes, names: tuple[str, ...], limit: int) -> bytes:
    """A whole ``body`` freed of the codings ``names``, of at most ``limit`` bytes; of a damaged one what comes before
    the damage. Raises BodyError when that is nothing, TooLargeError when it is larger."""
    if not names and len(body) <= limit:
        return body
    collector = Collector(names, limit)
    collector.feed(body)
    collector.finish()
    return collector.read()


def codings(header: str) -> tuple[str, ...]:
    """The codings in a Content-Encoding header; what is none says nothing. Raises BodyError when there are too many."""
    if not header:
        return ()
    names = tuple(name for part in header.lower().split(",") if (name := part.strip(" \t\"'")) in _DECODERS)
    if len(names) > MAX_CODINGS:
        raise BodyError(f"more than {MAX_CODINGS} content codings on top of each other")
    return names


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(f"larger than {limit} bytes after decompression (limits.page_bytes)")


def _damaged(error: Exception) -> DamagedError:
    return DamagedError(f"damaged compressed body: {error}")


def _text(head: bytes) -> bool:
    """Whether the beginning of a body looks like text: no control characters, and most of it ASCII."""
    beyond = len(head.translate(None, _ASCII))
    return len(head) == len(head.translate(None, _CONTROLS)) and beyond <= 0.3 * len(head)


class _Sniffing:
    """Decides by the first ``magic_bytes`` of a body whether it is encoded at all."""

    magic_bytes = 2

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._head = b""
        self._encoded: bool | None = None

    def feed(self, data: bytes) -> bytes:
        if self._encoded is None:
            self._head += data
            return self.finish() if len(self._head) >= self.magic_bytes else b""
        return self.decode(data) if self._encoded else data

    def finish(self) -> bytes:
        """What the held-back head gives, once it is clear how to read it."""
        if self._encoded is not None or not self._head:
            return b""
        head, self._head = self._head, b""
        self._encoded = self.begin(head)
        return self.decode(head) if self._encoded else head

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
    """Every gzip member of a body; what follows the last one is dropped, as by browsers.

    In small steps: a body can be a hundred thousand empty members, and zlib copies what lies behind each.
    """

    _between = b""
    _over = False

    def begin(self, head: bytes) -> bool:
        self._stream = zlib.decompressobj(31)
        return head.startswith(_GZIP_MAGIC)

    def decode(self, data: bytes) -> bytes:
        if len(data) <= _STEP:
            return b"".join(self._members(data))
        steps = range(0, len(data), _STEP)
        return b"".join([part for start in steps for part in self._members(data[start : start + _STEP])])

    def _members(self, data: bytes) -> Iterator[bytes]:
        while data and not self._over:
            if self._stream.eof:
                data = self._between + data
                self._between = data if len(data) < self.magic_bytes else b""
                if self._between:
                    break
                if not data.startswith(_GZIP_MAGIC):
                    self._over = True
                    break
                self._stream = zlib.decompressobj(31)
            yield self.inflate(data)
            data = self._stream.unused_data


class _Deflate(_Inflating):
    """zlib format as RFC 9110 says, or bare deflate data as some servers send it."""

    magic_bytes = _TELLING

    def begin(self, head: bytes) -> bool:
        head = head[:_TELLING]
        zlib_header = len(head) > 1 and head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
        bits = 15 if zlib_header else -15
        self._stream = zlib.decompressobj(bits)
        return not _text(head) or self._holds_text(head, bits)

    def _holds_text(self, head: bytes, bits: int) -> bool:
        stream = zlib.decompressobj(bits)
        try:
            out = stream.decompress(head, _TELLING)
        except zlib.error:
            return False
        return stream.eof or (bool(out) and _text(out))

    def decode(self, data: bytes) -> bytes:
        return b"" if self._stream.eof else self.inflate(data)


class _Brotli(_Sniffing):
    """brotli has no magic number: what looks like text is text, unless text comes out of it."""

    magic_bytes = _TELLING

    def begin(self, head: bytes) -> bool:
        self._left = self.limit
        self._stream = brotli.Decompressor()
        head = head[:_TELLING]
        return not _text(head) or self._holds_text(head)

    def _holds_text(self, head: bytes) -> bool:
        stream = brotli.Decompressor()
        try:
            out = stream.process(head, output_buffer_limit=_TELLING)
        except brotli.error:
            return False
        return bool(stream.is_finished()) or (bool(out) and _text(out))

    def decode(self, data: bytes) -> bytes:
        parts: list[bytes] = []
        try:
            if self._stream.is_finished() and data:
                raise brotli.error("data after the end")  # as brotli itself says of the piece that holds the end
            while not self._stream.is_finished():
                part = self._stream.process(data, output_buffer_limit=_STEP)
                if not part and self._stream.can_accept_more_data():
                    break
                data = b""
                parts.append(part)
                self._left -= len(part)
                if self._left < 0:
                    raise _too_large(self.limit)
        except brotli.error as error:
            raise _damaged(error) from error
        return b"".join(parts)


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
