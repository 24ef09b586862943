"""The types of exported fields, for forms that have types; and streams for libraries that want more than a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import IO

INTEGERS = frozenset(("status", "depth", "tunnel", "bytes", "number", "warc_offset"))
REALS = frozenset(("relevance", "score"))
TRUTHS = frozenset(("relevant",))
TIMES = frozenset(("fetched_at",))
"""ISO 8601 in UTC; all other fields are texts."""

BATCH = 1_000
"""Records that are written at a time."""


def batches(records: Iterator[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    """Records in lists of some size, so that memory holds few."""
    while batch := list(islice(records, BATCH)):
        yield batch


class Counted:
    """A stream that only writes, and knows how far it is: what libraries want of a pipe."""

    def __init__(self, out: IO[bytes]) -> None:
        self.out = out
        self.place = 0
        self.closed = False

    def write(self, data: bytes) -> int:
        """Pass data on."""
        self.out.write(data)
        self.place += len(data)
        return len(data)

    def tell(self) -> int:
        """Bytes written so far."""
        return self.place

    def flush(self) -> None:
        """Pass on what waits."""
        self.out.flush()

    def writable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is not."""
        return False

    def seekable(self) -> bool:
        """It is not."""
        return False

    def close(self) -> None:
        """The stream below stays open."""
        self.closed = True
