"""Records in files, and how these agree with the database (see the package)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from clew.errors import DiskFullError, StoreError
from clew.store.room import full
from clew.store.warc.records import warcinfo

ENDING = ".warc.gz"

UNWRITTEN_BYTES = 1 << 26
"""Records that wait for room on a full disk, at most; more is refused."""

FILE = re.compile(r"(?P<prefix>[A-Za-z0-9][A-Za-z0-9_.-]*)-(?P<number>\d{5,})\.warc\.gz")


class WarcWriter:
    """Appends records to ``folder/PREFIX-00001.warc.gz`` and so on; a file is closed at about ``max_bytes``.

    Raises StoreError when the disk refuses. ``notes`` says what ``open`` found and did, for people.
    """

    def __init__(
        self,
        folder: Path,
        prefix: str,
        max_bytes: int,
        gzip_level: int,
        software: str,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        if not FILE.fullmatch(f"{prefix}-00001{ENDING}"):
            raise ValueError(f"{prefix!r} cannot begin a file name")
        self.notes: list[str] = []
        self._folder = folder
        self._prefix = prefix
        self._max_bytes = max_bytes
        self._level = gzip_level
        self._software = software
        self._now = now
        self._file: BinaryIO | None = None
        self._unwritten: list[bytes] = []
        self._name = ""
        self._length = 0
        self._holds_visits = False

    def open(self, committed: tuple[str, int] | None = None) -> None:
        """Go on after the committed file name and length, or begin. See the module's text for the protocol."""
        self.close()
        with self._disk("cannot be opened"):
            self._folder.mkdir(parents=True, exist_ok=True)
            number = self._number(committed[0]) if committed else 0
            if number and committed:
                self._resume(number, *committed)
            else:
                self._set_aside()
                self._begin(1)

    def append(self, data: bytes) -> tuple[str, int]:
        """Write the records of a visit; returns the file name and the offset of the response record."""
        if self._file is None:
            raise StoreError("the archive is not open")
        if self._length + len(data) > self._max_bytes and self._holds_visits and not self._unwritten:
            with suppress(DiskFullError):  # then the file grows a little longer than it should
                self.flush()
                with self._disk("cannot be written"):
                    self._begin(self._number(self._name) + 1)
        place = (self._name, self._length)
        self._length += len(data)
        self._unwritten.append(data)
        self._holds_visits = True
        try:
            self._settle()
        except DiskFullError:  # flush will say so, unless nobody calls it
            if sum(map(len, self._unwritten)) > UNWRITTEN_BYTES:
                raise
        return place

    def flush(self, sync: bool = True) -> tuple[str, int]:
        """Put everything on disk; returns what the store must commit: the file's name and length.

        Raises DiskFullError when there is no room: what could not be written is kept for the next call. Without
        ``sync`` it survives the end of the process, but not of the machine.
        """
        if self._file is None:
            raise StoreError("the archive is not open")
        self._settle()
        if sync:
            with self._disk("cannot be written"):
                os.fsync(self._file.fileno())
        return self._name, self._length

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        self._unwritten.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

    # -- files ------------------------------------------------------------------------------------------------

    def _resume(self, number: int, name: str, length: int) -> None:
        for later in self._files():
            if self._number(later.name) > number:
                later.unlink()
                self.notes.append(f"{later.name} was never committed; deleted")
        path = self._folder / name
        size = path.stat().st_size if path.is_file() else -1
        if size < length:
            self.notes.append(
                f"{name} {'is missing' if size < 0 else f'has {size} of {length} bytes'}; began a new file"
            )
            self._begin(number + 1)
            return
        self._file = path.open("r+b", buffering=0)
        self._file.truncate(length)
        self._file.seek(length)
        self._name, self._length, self._holds_visits = name, length, True
        self.notes += [f"{name}: cut off {size - length} bytes that were never committed"] if size > length else []

    def _set_aside(self) -> None:
        """Files that no transaction knows may still be somebody's only copy."""
        for path in self._files():
            number = 1
            while (target := path.with_name(f"{path.name}.uncommitted-{number}")).exists():
                number += 1
            path.rename(target)
            self.notes.append(f"{path.name} belongs to no crawl database; set aside as {target.name}")

    def _begin(self, number: int) -> None:
        """Begin a file; when that fails, the one before it stays open."""
        name = f"{self._prefix}-{number:05}{ENDING}"
        data = warcinfo(name, self._prefix, self._software, self._now(), self._level)
        file = (self._folder / name).open("xb", buffering=0)
        try:
            _append(file, data, 0)
            sync_folder(self._folder)
        except OSError:
            file.close()
            (self._folder / name).unlink()
            raise
        self.close()
        self._file = file
        self._name, self._length, self._holds_visits = name, len(data), False

    def _settle(self) -> None:
        """Write what could not be written before."""
        assert self._file is not None
        with self._disk("cannot be written"):
            while self._unwritten:
                _append(self._file, self._unwritten[0], self._length - sum(map(len, self._unwritten)))
                del self._unwritten[0]

    def _files(self) -> list[Path]:
        return [path for path in archive_files(self._folder) if self._number(path.name)]

    def _number(self, name: str) -> int:
        """The number in the name of one of this writer's files; 0 for other names."""
        match = FILE.fullmatch(name)
        return int(match["number"]) if match and match["prefix"] == self._prefix else 0

    @contextmanager
    def _disk(self, what: str) -> Iterator[None]:
        """Turns OSError into a StoreError that says what to do."""
        try:
            yield
        except OSError as error:
            lacking = full(self._folder / self._name, error.errno)
            if lacking is not None:
                raise lacking from error
            raise StoreError(
                f"the archive {self._folder / self._name} {what}: {error.strerror or error}; make room or check the "
                "disk, then start the crawl again: it goes on where it stopped"
            ) from error


def _append(file: BinaryIO, data: bytes, end: int) -> None:
    """Write all of ``data`` at the end of a file of length ``end``, or nothing."""
    view = memoryview(data)
    try:
        while view:
            view = view[file.write(view) :]
    except OSError:
        with suppress(OSError):
            file.truncate(end)
            file.seek(end)
        raise


def sync_folder(folder: Path) -> None:
    """A file's name lasts when its folder was synced."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def archive_files(folder: Path) -> list[Path]:
    """The WARC files of a project's archive in the order they were written."""
    found = [(path, match) for path in folder.glob(f"*{ENDING}") if (match := FILE.fullmatch(path.name))]
    return [path for path, match in sorted(found, key=lambda item: _order(item[1]))]


def _order(match: re.Match[str]) -> tuple[list[tuple[int, str]], int]:
    """By prefix (crawl2 before crawl10), then by number."""
    parts = [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", match["prefix"])]
    return parts, int(match["number"])
