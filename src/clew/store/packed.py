"""The links of a page, their evidence and their source as bytes, and back: one packed row a page.

Evidence is one version byte and one zstd frame (checksummed). Inside, little-endian: a header of seven uint32
counts, then the columns one after the other, then all texts (URLs, host names, anchors) joined, as UTF-8. Ragged
columns are kept as sizes, which compress better than starts; texts are told apart by their lengths in characters,
so they may hold anything. Keys are not in it: they lie, with host ids, in a small blob of their own (``pack_heads``)
that rebuilding a frontier reads alone.
"""

from __future__ import annotations

import struct
import threading
from itertools import accumulate, pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from clew.errors import StoreError
from clew.model import Floats, Ints, Keys, Leaves, LinkKind, Links, Source

VERSION, DATED = 1, 2
"""Rows without dates, as most are, and rows with a column of them behind ``nofollow`` (of sitemaps and feeds)."""

COMPRESSION = zstandard.ZstdCompressionParameters(
    strategy=zstandard.STRATEGY_FAST,
    min_match=4,
    hash_log=13,
    chain_log=13,
    search_log=1,
    target_length=1,
    window_log=17,
    write_checksum=True,
)
"""zstd's fastest strategy, but looking for matches of four bytes, the size of a term id: a fifth smaller than
level 3 on pages at about the same cost. The target length saves an eighth of the time for 1 % more bytes. (Frames made
with any parameters can be read.)"""

_HEADER = struct.Struct("<7I")  # links, hosts, anchors, URL terms, leaves, tokens, characters of text
_U8, _U4, _I4, _F4, _F8, _BOOL = map(np.dtype, ("<u8", "<u4", "<i4", "<f4", "<f8", "?"))
_KINDS = tuple(LinkKind)  # the order is part of the format: new kinds go to its end
_KIND_CODE = {kind: code for code, kind in enumerate(_KINDS)}


class _Codecs(threading.local):
    """A compressor and a decompressor for each thread: making them costs more than using them."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(compression_params=COMPRESSION).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_codecs = _Codecs()


# -- evidence ---------------------------------------------------------------------------------------------


def pack_evidence(links: Links, leaves: Leaves) -> bytes:
    """All columns of ``links`` but the keys, and the leaves, as bytes."""
    texts = (*links.urls, *links.host_names, *links.anchors)
    text = "".join(texts)
    counts = (len(links.urls), len(links.host_names), len(links.anchors))
    header = _HEADER.pack(*counts, len(links.url_term_ids), len(leaves), len(leaves.ids), len(text))
    columns = (
        header,
        _bytes(leaves.ids, _U4),
        _bytes(links.url_term_ids, _U4),
        _bytes(_sizes(leaves.starts), _I4),
        _bytes(_sizes(links.url_term_starts), _I4),
        _bytes(links.spans, _I4),
        _bytes(links.host_index, _I4),
        np.fromiter(map(len, texts), _I4, len(texts)).tobytes(),
        bytes(map(_KIND_CODE.__getitem__, links.kinds)),
        _bytes(links.nofollow, _BOOL),
        b"" if links.dates is None else _bytes(links.dates, _F8),
        text.encode("utf-8", "surrogatepass"),
    )
    return bytes((VERSION if links.dates is None else DATED,)) + _codecs.compress(b"".join(columns))


def unpack_evidence(data: bytes, keys: Keys) -> tuple[Links, Leaves]:
    """What ``pack_evidence`` packed; ``keys`` come from the heads. The arrays are read-only.

    Raises StoreError when the bytes are damaged or made by a newer Clew.
    """
    if not data or data[0] not in (VERSION, DATED):
        raise StoreError(f"link evidence has format {data[:1].hex() or 'none'}, made by a newer Clew or damaged")
    try:
        return _unpacked(_codecs.decompress(memoryview(data)[1:]), keys, data[0] == DATED)
    except (zstandard.ZstdError, struct.error, ValueError, IndexError) as error:
        raise StoreError(f"link evidence is damaged: {error}") from error


def _unpacked(raw: bytes, keys: Keys, dated: bool) -> tuple[Links, Leaves]:
    n, hosts, anchors, terms, leaves, tokens, characters = _HEADER.unpack_from(raw)
    if n != len(keys):
        raise ValueError(f"{n} links but {len(keys)} keys")
    column = _Columns(raw)
    ids = column.take("<u4", tokens)
    url_term_ids = column.take("<u4", terms)
    leaf_starts, url_term_starts = _starts(column.take("<i4", leaves)), _starts(column.take("<i4", n))
    spans, host_index = column.take("<i4", 3 * anchors).reshape(anchors, 3), column.take("<i4", n)
    lengths = column.take("<i4", n + hosts + anchors)
    kinds, nofollow = column.take("u1", n), column.take("?", n)
    dates = column.take("<f8", n) if dated else None
    texts = _split(column.rest(), lengths, characters)
    links = Links(
        urls=texts[:n],
        keys=keys,
        host_names=texts[n : n + hosts],
        host_index=host_index,
        nofollow=nofollow,
        kinds=tuple([_KINDS[code] for code in kinds.tobytes()]),
        url_term_ids=url_term_ids,
        url_term_starts=url_term_starts,
        anchors=texts[n + hosts :],
        spans=spans,
        dates=dates,
    )
    return links, Leaves(ids, leaf_starts)


class _Columns:
    """Takes columns off a buffer, one after the other."""

    __slots__ = ("at", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = _HEADER.size

    def take(self, dtype: str, count: int) -> npt.NDArray[Any]:
        column = np.frombuffer(self.raw, dtype, count, self.at) if count else np.empty(0, dtype)
        self.at += column.nbytes
        return column

    def rest(self) -> str:
        return self.raw[self.at :].decode("utf-8", "surrogatepass")


def _bytes(column: npt.NDArray[Any], dtype: np.dtype[Any]) -> bytes:
    return column.astype(dtype, copy=False).tobytes()


def _sizes(starts: Ints) -> Ints:
    return starts[1:] - starts[:-1]


def _starts(sizes: npt.NDArray[Any]) -> Ints:
    starts = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=starts[1:])
    return starts


def _split(text: str, lengths: npt.NDArray[Any], characters: int) -> tuple[str, ...]:
    ends = list(accumulate(lengths.tolist(), initial=0))
    if len(text) != characters or ends[-1] != characters:
        raise ValueError(f"{len(text)} characters of text instead of {characters}")
    return tuple([text[start:end] for start, end in pairwise(ends)])


# -- heads and scores -------------------------------------------------------------------------------------


def pack_heads(keys: Keys, hosts: npt.NDArray[np.uint32]) -> bytes:
    """Keys and host ids, 12 bytes a link, uncompressed."""
    if len(keys) != len(hosts):
        raise ValueError(f"{len(keys)} keys but {len(hosts)} hosts")
    return _bytes(keys, _U8) + _bytes(hosts, _U4)


def unpack_heads(data: bytes) -> tuple[Keys, npt.NDArray[np.uint32]]:
    """(keys uint64[n], hosts uint32[n]), read-only."""
    n = len(data) // 12
    return np.frombuffer(data, "<u8", n), np.frombuffer(data, "<u4", n, 8 * n)


def pack_floats(values: npt.NDArray[np.floating]) -> bytes:
    """Numbers as float32."""
    return _bytes(values, _F4)


def unpack_floats(data: bytes) -> Floats:
    """float32[n], read-only."""
    return np.frombuffer(data, "<f4")


# -- sources ----------------------------------------------------------------------------------------------

_SourceFields = tuple[int, int, str, str, float, bytes, int, int, int, int]
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_SourceFields).decode


def pack_source(source: Source) -> bytes:
    """What is known of the page the links stand on."""
    fields: _SourceFields = (
        VERSION,
        int(source.visit),
        source.url,
        source.host,
        float(source.relevance),
        pack_floats(source.scores),
        int(source.topic),
        int(source.depth),
        int(source.tunnel),
        int(source.hops),
    )
    return _encode(fields)


def unpack_source(data: bytes) -> Source:
    """What ``pack_source`` packed. Raises StoreError when it is damaged."""
    try:
        _, visit, url, host, relevance, scores, topic, depth, tunnel, hops = _decode(data)
    except msgspec.MsgspecError as error:
        raise StoreError(f"the source of a row of links is damaged: {error}") from error
    return Source(visit, url, host, relevance, unpack_floats(scores), topic, depth, tunnel, hops)
