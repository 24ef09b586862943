"""External sort of (key, offset) pairs on disk with bounded memory: sort chunks, then merge them by ranges of keys."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from clew.model import Keys

CHUNK = 4 << 20  # pairs; a chunk costs about 40 bytes a pair while it is sorted, so 170 MB
_TOP = (1 << 64) - 1


class PairSorter:
    """Takes pairs of uint64 and writes them to two files, sorted by key; equal keys keep the order of arrival.

    The runs lie in ``folder`` until ``finish`` has merged them: 16 bytes a pair, and the same again for the result.
    """

    def __init__(self, folder: Path, chunk: int = CHUNK) -> None:
        self._folder = folder
        self._chunk = chunk
        self._keys: list[Keys] = []
        self._offsets: list[Keys] = []
        self._waiting = 0
        self._runs: list[tuple[Path, Path]] = []
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
        maps = [_map(path) for paths in self._runs for path in paths]
        arrays = [np.frombuffer(item, np.uint64) for item in maps]
        runs = list(zip(arrays[::2], arrays[1::2], strict=True))
        with keys.open("wb") as key_file, offsets.open("wb") as offset_file:
            for part_keys, part_offsets in self._merged(runs, 0, _TOP):
                part_keys.tofile(key_file)
                part_offsets.tofile(offset_file)
                _forget(maps)
        for paths in self._runs:
            for path in paths:
                path.unlink()
        self._runs.clear()

    def _spill(self) -> None:
        if not self._waiting:
            return
        keys, offsets = np.concatenate(self._keys), np.concatenate(self._offsets)
        self._keys, self._offsets, self._waiting = [], [], 0
        order = np.argsort(keys, kind="stable")
        number = len(self._runs)
        paths = self._folder / f"run{number}.keys", self._folder / f"run{number}.offsets"
        keys[order].tofile(paths[0])
        offsets[order].tofile(paths[1])
        self._runs.append(paths)

    def _merged(self, runs: list[tuple[Keys, Keys]], low: int, high: int) -> Iterator[tuple[Keys, Keys]]:
        """The pairs with low ≤ key ≤ high in order, at most a chunk at a time; halves ranges that hold more."""
        parts = [part for run in runs if len((part := _between(run, low, high))[0])]
        if sum(len(keys) for keys, _ in parts) <= self._chunk:
            if parts:
                keys = np.concatenate([keys for keys, _ in parts])
                offsets = np.concatenate([offsets for _, offsets in parts])
                order = np.argsort(keys, kind="stable")
                yield keys[order], offsets[order]
        elif low == high:  # one target with very many links: the runs are in order already
            yield from parts
        else:
            middle = (low + high) // 2
            yield from self._merged(parts, low, middle)
            yield from self._merged(parts, middle + 1, high)


def _between(run: tuple[Keys, Keys], low: int, high: int) -> tuple[Keys, Keys]:
    start = int(np.searchsorted(run[0], np.uint64(low), "left"))
    end = int(np.searchsorted(run[0], np.uint64(high), "right"))
    return run[0][start:end], run[1][start:end]


def mapped(path: Path) -> Keys:
    """A file of uint64 as an array that is read as it is used."""
    return np.frombuffer(_map(path), np.uint64) if path.stat().st_size else np.empty(0, np.uint64)


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _forget(maps: list[mmap.mmap]) -> None:
    """Give back the memory of what was read, where the system can: the files are read once, from start to end."""
    if hasattr(mmap, "MADV_DONTNEED"):
        for item in maps:
            item.madvise(mmap.MADV_DONTNEED)
