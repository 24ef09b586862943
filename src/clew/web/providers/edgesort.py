"""External sort of (key, offset) pairs on disk with bounded memory: sort chunks, then merge them a piece of each at a
time. Files are read, not mapped: the pages of a mapped file count as memory, and how many it maps is up to the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import IO, Literal

import numpy as np

from clew.model import Keys

CHUNK = 2 << 20  # pairs; a chunk costs up to 80 bytes a pair while it is merged, so 170 MB
_LEAST = 64
_NONE = np.empty(0, np.uint64)

Pair = tuple[Keys, Keys]


class PairSorter:
    """Takes pairs of uint64 and writes them to two files, sorted by key; equal keys keep the order of arrival.

    The runs lie in two files of ``folder`` until ``finish`` has merged them: 16 bytes a pair, and the same again for
    the result.
    """

    def __init__(self, folder: Path, chunk: int = CHUNK) -> None:
        self._chunk = chunk
        self._keys: list[Keys] = []
        self._offsets: list[Keys] = []
        self._waiting = 0
        self._files = folder / "runs.keys", folder / "runs.offsets"
        self._ends = [0]
        self.pairs = 0

    def add(self, keys: Keys, offsets: Keys) -> None:
        """Add n pairs, uint64[n] each."""
        self._keys.append(keys)
        self._offsets.append(offsets)
        self._waiting += len(keys)
        self.pairs += len(keys)
        if self._waiting >= self._chunk:
            self._spill()

    def finish(self, keys: Path, offsets: Path) -> None:
        """Write all pairs, and remove the runs."""
        self._spill()
        with ExitStack() as stack:
            written = [stack.enter_context(path.open("wb")) for path in (keys, offsets)]
            files = [stack.enter_context(path.open("rb")) for path in self._files if self.pairs]
            runs = [_Run(files, start, end) for start, end in pairwise(self._ends)]
            for columns in _merged(runs, self._chunk):
                for file, column in zip(written, columns, strict=True):
                    column.tofile(file)
        for path in self._files:
            path.unlink(missing_ok=True)

    def _spill(self) -> None:
        """Append what waits, in order, to the files of runs."""
        if not self._waiting:
            return
        keys, offsets = np.concatenate(self._keys), np.concatenate(self._offsets)
        self._keys, self._offsets, self._waiting = [], [], 0
        order = np.argsort(keys, kind="stable")
        for path, values in zip(self._files, (keys, offsets), strict=True):
            with path.open("ab") as file:
                values[order].tofile(file)
        self._ends.append(self._ends[-1] + len(keys))


class _Run:
    """What is left of a run: its first pairs in memory (``keys``, ``offsets``), the others in the files."""

    def __init__(self, files: Sequence[IO[bytes]], start: int, end: int) -> None:
        self._files = files
        self._next, self._end = start, end
        self.keys, self.offsets = _NONE, _NONE

    @property
    def whole(self) -> bool:
        """Whether all that is left is in memory."""
        return self._next == self._end

    def fill(self, count: int) -> None:
        """Read on until ``count`` pairs are in memory, unless half as many are."""
        more = min(count - len(self.keys), self._end - self._next)
        if more <= 0 or 2 * len(self.keys) > count:
            return
        keys, offsets = (_read(file, self._next, more) for file in self._files)
        self.keys, self.offsets = np.concatenate([self.keys, keys]), np.concatenate([self.offsets, offsets])
        self._next += more

    def take(self, limit: np.uint64 | None, side: Literal["left", "right"]) -> Pair:
        """The pairs in memory with key < ``limit`` (left) or ≤ ``limit`` (right); None: all. They are left no more."""
        end = len(self.keys) if limit is None else int(np.searchsorted(self.keys, limit, side))
        taken = self.keys[:end], self.offsets[:end]
        self.keys, self.offsets = self.keys[end:], self.offsets[end:]
        return taken

    def equal(self, limit: np.uint64, count: int) -> Iterator[Pair]:
        """The pairs with key ``limit``, where none is less, ``count`` at a time."""
        while True:
            self.fill(count)
            taken = self.take(limit, "right")
            if not len(taken[0]):
                return
            yield taken


def _merged(runs: list[_Run], chunk: int) -> Iterator[Pair]:
    """The pairs of all runs in order, at most a chunk at a time."""
    piece = max(chunk // max(len(runs), 1), _LEAST)
    while runs:
        for run in runs:
            run.fill(piece)
        runs = [run for run in runs if len(run.keys)]
        last = [run.keys[-1] for run in runs if not run.whole]
        limit = min(last) if last else None  # further on, a run may have keys of its files between
        parts = [part for run in runs if len((part := run.take(limit, "left"))[0])]
        if parts:
            yield _sorted(parts)
        elif limit is not None:  # one target with very many links: each run has them in order
            for run in runs:
                yield from run.equal(limit, piece)


def _sorted(parts: list[Pair]) -> Pair:
    """All pairs in one, sorted by key. Empties ``parts``."""
    keys, offsets = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    parts.clear()
    order = np.argsort(keys, kind="stable")
    return keys[order], offsets[order]


def _read(file: IO[bytes], start: int, count: int) -> Keys:
    file.seek(8 * start)
    return np.fromfile(file, np.uint64, count)
