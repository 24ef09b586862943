"""ZIP packages, of which office documents and books are made, unpacked with care."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import IO

from clew.text import charset
from clew.text.mediatypes import DOCX, EPUB, ODT

MAX_UNPACKED = 50 << 20
"""Bytes that the parts of a document may unpack to, in all."""

MAX_PART = 20 << 20
"""Bytes of one part; what follows is not read."""

MAX_PARTS = 20_000

_MIMETYPES = {ODT.encode(): ODT, EPUB.encode(): EPUB}
_ENCRYPTED = 0x1


class DocumentError(Exception):
    """A document cannot be read; the message says why, for people."""


class Package:
    """The parts of a ZIP file by name. Raises DocumentError for what is none, and as soon as it unpacks to too much."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError) as error:
            raise DocumentError(f"is a damaged ZIP archive: {error}") from error
        self.names = {info.filename: info for info in self._zip.infolist()[:MAX_PARTS]}
        self._left = MAX_UNPACKED

    def kind(self) -> str:
        """The content type of the document that this is; empty for other archives."""
        if "word/document.xml" in self.names:
            return DOCX
        if "mimetype" in self.names:
            return _MIMETYPES.get(self.part("mimetype")[:200].strip(), "")
        return EPUB if "META-INF/container.xml" in self.names else ""

    def part(self, name: str) -> bytes:
        """The bytes of a part, at most MAX_PART; nothing for one that is missing."""
        info = self.names.get(name)
        if info is None:
            return b""
        if info.flag_bits & _ENCRYPTED:
            raise DocumentError("is encrypted")
        if self._left <= 0:
            raise DocumentError(f"unpacks to more than {MAX_UNPACKED >> 20} MB")
        try:
            with self._zip.open(info) as part:
                data = _as_far_as_it_goes(part, min(MAX_PART, self._left))
        except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise DocumentError(f"is a damaged document: {error}") from error
        self._left -= len(data)
        return data

    def text(self, name: str) -> str:
        """The text of an XML part."""
        return charset.decode(self.part(name), "")[0]


def _as_far_as_it_goes(part: IO[bytes], most: int) -> bytes:
    """What a part unpacks to, until its end, the limit, or damage."""
    pieces: list[bytes] = []
    try:
        while most > 0 and (piece := part.read(min(most, 1 << 16))):
            pieces.append(piece)
            most -= len(piece)
    except (zlib.error, zipfile.BadZipFile, EOFError):
        if not pieces:
            raise EOFError("its parts cannot be unpacked") from None
    return b"".join(pieces)
