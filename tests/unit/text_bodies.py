"""Bodies with content codings, for tests."""

from __future__ import annotations

import gzip
import zlib

import brotli
import zstandard


def bare_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "x-gzip": lambda data: gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :]),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": lambda data: zstandard.compress(data[: len(data) // 2]) + zstandard.compress(data[len(data) // 2 :]),
}


def bomb(name: str, size: int = 1_000_000_000) -> bytes:
    """``size`` zero bytes, compressed, without ever holding them."""
    block = bytes(1_000_000)
    if name == "br":
        stream = brotli.Compressor(quality=5)
        return b"".join(stream.process(block) for _ in range(size // len(block))) + stream.finish()
    if name == "zstd":
        packer = zstandard.ZstdCompressor().compressobj()
        return b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    zipper = zlib.compressobj(9, wbits=31 if name == "gzip" else 15)
    return b"".join(zipper.compress(block) for _ in range(size // len(block))) + zipper.flush()
