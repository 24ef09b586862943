"""Where the body of an HTTP answer ends (RFC 9112 section 6.3), and chunks taken apart piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST_LINE = 16_384
"""Bytes of a line between chunks; a longer one is none."""

MOST_CHUNKS = 250_000
"""Chunks of one body: a page of 5 MB in pieces of 20 bytes."""

TRAILER_BYTES = 65_536
"""Bytes after the last chunk that are waited for."""

_LONGEST_SIZE = 15  # hexadecimal digits
_HEX = frozenset(b"0123456789abcdefABCDEF")


@dataclass(frozen=True, slots=True)
class Framing:
    """How an answer's body ends: with its last chunk, after ``length`` bytes, or (None) with the connection.

    ``conflict``: it gives different lengths, so nobody can say.
    """

    chunked: bool = False
    length: int | None = None
    conflict: str = ""


def framing(status: int, lengths: Sequence[bytes], transfer: Sequence[bytes]) -> Framing:
    """The framing of an answer to a GET, from the values of its Content-Length and Transfer-Encoding fields.

    Transfer-Encoding beats Content-Length; lengths that are equal are one; what is no number says nothing, and what
    follows a number after a blank neither (a header line that begins with one continues the line before it).
    """
    if status < 200 or status in (204, 304):
        return Framing(length=0)
    chunked = bool(transfer) and "chunked" in transfer_codings([value.decode("latin-1") for value in transfer])
    named = [words[0] for value in lengths for part in value.split(b",") if (words := part.split(None, 1))]
    numbers = {int(text[:40]) if text.isdigit() else None for text in named}
    if chunked:
        return Framing(True, next(iter(numbers)) if len(numbers) == 1 else None)
    if len(numbers) > 1:
        shown = ", ".join(text.decode("latin-1") for text in dict.fromkeys(named))
        return Framing(length=0, conflict=f"different Content-Lengths: {shown[:80]}")
    return Framing(length=next(iter(numbers), None))


def transfer_codings(values: Iterable[str]) -> list[str]:
    """The names in Transfer-Encoding headers, in lower case, without parameters."""
    return [part.partition(";")[0].strip(" \t\"'").lower() for value in values for part in value.split(",")]


class Dechunker:
    """A chunked body, piece by piece. A line that should be a chunk's size and is none ends it.

    ``begun``: a size came; ``over``: it ends here; ``complete``: its last chunk came; ``surplus``: more came after it;
    ``first``: what earlier pieces held of a first line.
    """

    def __init__(self) -> None:
        self.begun = self.over = self.complete = self.surplus = False
        self.first = b""
        self._held = b""
        self._left = 0  # bytes that the chunk still holds
        self._chunks = self._trailer = 0
        self._gap = False  # the line end behind a chunk's data may come

    @property
    def between(self) -> bool:
        """Whether no chunk has begun that is not here in full."""
        return not self._left and not self._held.strip()

    def feed(self, data: bytes) -> bytes:
        """What ``data`` adds to the body."""
        if self._held:
            self.first = self._held if not self.begun else b""
            data, self._held = self._held + data, b""
        out: list[bytes] = []
        position, size = 0, len(data)
        while position < size and not self.over:
            if self._left:
                piece = data[position : position + self._left]
                out.append(piece)
                position += len(piece)
                self._left -= len(piece)
                self._gap = not self._left
                continue
            end = data.find(b"\n", position)
            if end < 0:
                self._hold(data[position:])
                position = size
                break
            self._line(data[position:end])
            position = end + 1
        self.surplus = self.surplus or position < size
        return out[0] if len(out) == 1 else b"".join(out)

    def _hold(self, data: bytes) -> None:
        """Part of a line: the rest may come, unless it is no size already."""
        self._held = data
        digits, _, _ = data.partition(b";")
        self.over = len(data) > LONGEST_LINE or (not self.complete and not _HEX.issuperset(digits.strip(b" \t\r")))

    def _line(self, line: bytes) -> None:
        if self.complete:
            self._trailer += len(line) + 1
            self.over = not line.strip() or self._trailer > TRAILER_BYTES
            return
        gap, self._gap = self._gap, False
        if gap and not line.strip():
            return
        digits = line.partition(b";")[0].strip(b" \t\r")
        short = digits.lstrip(b"0") if len(digits) > 1 else digits
        self._chunks += 1
        if not digits or len(short) > _LONGEST_SIZE or not _HEX.issuperset(digits) or self._chunks > MOST_CHUNKS:
            self.over = True
            return
        self.begun = True
        self._left = int(short or b"0", 16)
        self.complete = not self._left
