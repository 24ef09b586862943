"""Gzipped files that no header tells of: sitemaps and robots.txt under any name."""

from __future__ import annotations

import zlib

MAGIC = b"\x1f\x8b"
_LAYERS = 2
_STEP = 1024


def unpacked(body: bytes, most: int) -> tuple[bytes, bool]:
    """A body without its gzip layers, at most ``most`` bytes of it, and whether that is all of it. Of a damaged one
    there is what came before the damage."""
    whole = True
    for _ in range(_LAYERS):
        if not body.startswith(MAGIC):
            break
        body, complete = _inflated(body, most)
        whole = whole and complete
    return body[:most], whole and len(body) <= most


def _inflated(body: bytes, most: int) -> tuple[bytes, bool]:
    """All members, in small steps: zlib copies what lies behind each member."""
    parts: list[bytes] = []
    stream, place, rest = zlib.decompressobj(31), 0, b""
    while most > 0 and (rest or place < len(body)):
        if len(rest) < len(MAGIC):
            rest += body[place : place + _STEP]
            place += _STEP
        if stream.eof:
            if not rest.startswith(MAGIC):
                break
            stream = zlib.decompressobj(31)
        before = stream.copy()
        try:
            parts.append(stream.decompress(rest, most))
        except zlib.error:
            return b"".join([*parts, _before_damage(before, rest, most)]), False
        most -= len(parts[-1])
        rest = stream.unused_data if stream.eof else b""
    return b"".join(parts), stream.eof


def _before_damage(stream: zlib._Decompress, data: bytes, most: int) -> bytes:
    """What a step gives until it fails, byte by byte."""
    found = b""
    try:
        for place in range(len(data)):
            found += stream.decompress(data[place : place + 1], most)
    except zlib.error:
        pass
    return found[:most]
