"""One HTTP answer as its bytes come in, read as browsers read them: bytes in, head and body out, no I/O.

The head is bounded: a line by ``line_bytes``, all lines (those of interim answers included) by four times as much.
"""

from __future__ import annotations

from clew.text.httpframing import Dechunker, Framing, framing
from clew.text.httpmessage import HEAD_END, MOST_INTERIM, START, Head, MessageError, interim, parse_head

HEAD_LINES = 4
"""All lines of a head together may have this many times the bytes of one line."""

_START_BYTES = 8  # enough to tell whether an answer begins here
_FRAMING_FIELDS = (b"content-length", b"transfer-encoding", b"connection")
_LINE_ENDS = (b"\r", b"\n")
_END_BYTES = 5  # the longest end of a head


class HeadTooLargeError(MessageError):
    """A line of the head is too long, or there are too many."""


class Answer:
    """The answer to one GET. ``feed`` it what comes, then ``end`` it when the connection is gone.

    ``head`` is there as soon as it is known. ``over``: nothing more belongs to the answer. ``broke`` says why the body
    ended early; ``lacking`` bytes of it are known to be missing (None: nobody knows how many). ``surplus``: more came
    than belongs to the answer. ``keep``: the connection can take another request.
    """

    def __init__(self, line_bytes: int) -> None:
        self.head: Head | None = None
        self.begun = self.over = self.surplus = self.keep = False
        self.broke = self.conflict = ""
        self.lacking: int | None = 0
        self._line_bytes = line_bytes
        self._held = bytearray()
        self._room = HEAD_LINES * line_bytes
        self._interim = 0
        self._framing = Framing()
        self._left = 0
        self._chunks: Dechunker | None = None

    @property
    def length(self) -> int | None:
        """Bytes of the body, where that is known beforehand."""
        return None if self._chunks is not None else self._framing.length

    def feed(self, data: bytes) -> bytes:
        """What ``data`` adds to the body. Raises MessageError for what is no HTTP, HeadTooLargeError."""
        if self.head is None:
            self.begun = self.begun or bool(data)
            data = self._feed_head(data)
            if self.head is None:
                return b""
        if self.over:
            self.surplus = self.surplus or bool(data)
            return b""
        return self._feed_body(data)

    def end(self, clean: bool) -> None:
        """The connection is gone; ``clean``: by the other side, in good order. Raises MessageError, as ``feed``.

        A head that lacks its end is taken as browsers take it, if one header line is whole.
        """
        if self.head is None and clean and self._held.count(b"\n") > 1:
            self._begin_body(parse_head(bytes(self._held[: self._held.rfind(b"\n") + 1])))
            self.broke, self.lacking = "connection closed inside the headers", None
        if self.head is None or self.over:
            return
        self.over, self.keep = True, False
        if self._chunks is not None:
            if not self._chunks.complete:
                self.broke = "connection closed before the last chunk"
                self.lacking = 0 if self._chunks.between else None
        elif self._framing.length is not None:
            self.lacking = self._left
            got = self._framing.length - self._left
            self.broke = f"connection closed after {got} of {self._framing.length} bytes"
        elif not clean:
            self.broke, self.lacking = "connection broke", None

    # -- the head -----------------------------------------------------------------------------------------

    def _feed_head(self, data: bytes) -> bytes:
        """Takes the head, and interim ones before it; returns what comes after it."""
        looked = max(len(self._held) - _END_BYTES, 0)
        held: bytes | bytearray = data  # nearly always a head comes in one piece
        if self._held:
            self._held += data
            held = self._held
        start = 0
        while self.head is None:
            while held[start : start + 1] in _LINE_ENDS:
                start += 1
                self._room -= 1
            if len(held) - start >= _START_BYTES and START.match(held, start) is None:
                raise MessageError(f"no HTTP status line but {bytes(held[start : start + 40])!r}")
            end = HEAD_END.search(held, max(looked, start))
            size = (end.end() if end is not None else len(held)) - start
            self._bound(held, start, size, looked)
            if end is None:
                if start or held is data:
                    self._held = bytearray(held[start:])
                return b""
            self._take_head(parse_head(bytes(held[start : start + size])), size)
            start += size
        self._held = bytearray()
        return bytes(held[start:])

    def _take_head(self, head: Head, size: int) -> None:
        self._room -= size
        self._interim += 1
        if not interim(head.status):
            self._begin_body(head)
        elif self._interim > MOST_INTERIM:
            raise HeadTooLargeError(f"more than {MOST_INTERIM} interim answers")

    def _bound(self, held: bytes | bytearray, start: int, size: int, looked: int) -> None:
        """Looks at what is new of a head: its lines, or the one under way, may not be too long."""
        most = self._line_bytes
        if size > self._room:
            raise HeadTooLargeError(f"the headers are longer than {HEAD_LINES * most} bytes (limits.header_bytes)")
        if size <= most:
            return
        line = max(held.rfind(b"\n", start, max(looked, start)) + 1, start)
        while (end := held.find(b"\n", line, start + size)) >= 0 and end - line <= most:
            line = end + 1
        if (start + size if end < 0 else end) - line > most:
            raise HeadTooLargeError(f"a header is longer than {most} bytes (limits.header_bytes)")

    def _begin_body(self, head: Head) -> None:
        self.head = head
        said: dict[bytes, list[bytes]] = {name: [] for name in _FRAMING_FIELDS}
        for name, value in head.fields:
            if (lower := name.lower()) in said:
                said[lower].append(value)
        self._framing = framing(head.status, said[b"content-length"], said[b"transfer-encoding"])
        self.conflict = self._framing.conflict
        self._left = self._framing.length or 0
        if self._framing.chunked:
            self._chunks = Dechunker()
        elif self._framing.length == 0:
            self.over = True
        ends = self._chunks is not None or self._framing.length is not None
        self.keep = ends and not self.conflict and _keeps(head.version, said[b"connection"])

    # -- the body -----------------------------------------------------------------------------------------

    def _feed_body(self, data: bytes) -> bytes:
        if self._chunks is not None:
            return self._feed_chunks(self._chunks, data)
        if self._framing.length is None:
            return data
        body = data[: self._left]
        self._left -= len(body)
        self.over = not self._left
        self.surplus = len(data) > len(body)
        return body

    def _feed_chunks(self, chunks: Dechunker, data: bytes) -> bytes:
        body = chunks.feed(data)
        if not chunks.over:
            return body
        if not chunks.begun:
            return self._unchunked(data)
        self.over, self.surplus = True, chunks.surplus
        if not chunks.complete:
            self.broke, self.lacking, self.keep = "a broken chunk", None, False
        return body

    def _unchunked(self, data: bytes) -> bytes:
        """The body was never chunked, whatever its header says: it goes by its length, or to the end."""
        assert self._chunks is not None
        data, self._chunks, self.keep = self._chunks.first + data, None, False
        self._framing = Framing(length=self._framing.length)
        self.over = self._framing.length == 0
        return b"" if self.over else self._feed_body(data)


def _keeps(version: str, connection: list[bytes]) -> bool:
    """Whether the connection is kept, by the answer's version and its Connection fields."""
    options = [option.strip() for option in b",".join(connection).lower().split(b",")]
    if version in ("HTTP/1.0", "HTTP/0.9"):
        return b"keep-alive" in options
    return b"close" not in options
