"""A list of texts by byte offset, compressed in blocks: the pages that link, written once, read anywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zstandard

from clew.model import Keys

BLOCK = 16 << 10
_KEPT = 8


class LineWriter:
    """Writes lines; ``add`` returns the offset of each in the text, which is what ``LineReader`` wants."""

    def __init__(self, lines: Path, table: Path) -> None:
        self._file = lines.open("wb")
        self._table = table
        self._compressor = zstandard.ZstdCompressor(level=3)
        self._block = bytearray()
        self._start = 0
        self._starts: list[int] = []
        self._places: list[int] = []

    def add(self, line: str) -> int:
        """The offset of ``line``, which must not hold a line end."""
        if len(self._block) >= BLOCK:
            self._flush()
        offset = self._start + len(self._block)
        self._block += line.encode("utf-8", "replace") + b"\n"
        return offset

    def close(self) -> None:
        """Write what is left, and the table of blocks: uint64[2, blocks + 1], offsets in the text and in the file."""
        if self._block:
            self._flush()
        np.array([[*self._starts, self._start], [*self._places, self._file.tell()]], np.uint64).tofile(self._table)
        self._file.close()

    def _flush(self) -> None:
        self._starts.append(self._start)
        self._places.append(self._file.tell())
        self._file.write(self._compressor.compress(bytes(self._block)))
        self._start += len(self._block)
        self._block.clear()


class LineReader:
    """Reads lines by offset; the last few blocks stay in memory."""

    def __init__(self, lines: Path, table: Path) -> None:
        found: Keys = np.fromfile(table, np.uint64)
        self._starts, self._places = found.reshape(2, -1)
        self._file = lines.open("rb")
        self._kept: dict[int, bytes] = {}

    def at(self, offset: int) -> str:
        """The line that begins at ``offset``. Raises ValueError when the file is damaged."""
        number = int(np.searchsorted(self._starts, np.uint64(offset), "right")) - 1
        block = self._kept.get(number)
        if block is None:
            block = self._read(number)
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[number] = block
        begin = offset - int(self._starts[number])
        return block[begin : block.index(b"\n", begin)].decode()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self, number: int) -> bytes:
        if number + 1 >= len(self._places):
            raise ValueError(f"there is no block {number}")
        begin, end = int(self._places[number]), int(self._places[number + 1])
        self._file.seek(begin)
        try:
            return zstandard.ZstdDecompressor().decompress(self._file.read(end - begin))
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
