"""Columns of uint64 on disk that are asked for a few values: by binary search, and never mapped into memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

import numpy as np

from clew.model import Keys

_BLOCK = 512


class Column:
    """A file of uint64. Raises OSError when it cannot be read, ValueError when it ends too early."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._number = self._file.fileno()
        self._length = os.fstat(self._number).st_size // 8

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: int) -> int:
        return int.from_bytes(os.pread(self._number, 8, 8 * at), sys.byteorder)

    def part(self, begin: int, end: int) -> Keys:
        """The values from ``begin`` to before ``end``."""
        return np.frombuffer(os.pread(self._number, 8 * (end - begin), 8 * begin), np.uint64)

    def place(self, value: int, side: Literal["left", "right"] = "left") -> int:
        """Where ``value`` stands, or would, in a sorted column: before (left) or after (right) those equal to it."""
        low, high = 0, self._length
        while high - low > _BLOCK:
            middle = (low + high) // 2
            here = self[middle]
            if here < value or (here == value and side == "right"):
                low = middle + 1
            else:
                high = middle
        return low + int(np.searchsorted(self.part(low, high), np.uint64(value), side))

    def range(self, value: int) -> tuple[int, int]:
        """From where to where ``value`` stands in a sorted column."""
        return self.place(value), self.place(value, "right")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
