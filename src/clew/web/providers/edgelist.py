"""Back-links from a file of links, such as Common Crawl's web graph: FROM<TAB>TO a line, gzip or plain text.

The file is indexed once, in a folder of the project. An index holds the links sorted by the key of their target
(``targets``, uint64), beside each the byte offset (``sources``, uint64) of the linking URL in a list that is
compressed in blocks (``lines``, ``blocks``). Memory stays under some 500 MB whatever the size; the disk needs 16 bytes
a link, while indexing 32. Fields are URLs, or with ``level="host"`` host names (``www.example.org``, or reversed as
Common Crawl writes them, ``org.example.www``, with ``reversed_hosts``), which become ``https://host/``.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
import zlib
from collections.abc import Iterator
from gzip import BadGzipFile
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, cast

import numpy as np
from isal import igzip, isal_zlib

from clew.errors import InputError
from clew.urls.canonical import Canonicaliser, host, key, keys
from clew.web.providers.base import Collector, ProviderError
from clew.web.providers.edgelines import LineReader, LineWriter
from clew.web.providers.edgesort import CHUNK, PairSorter, mapped

VERSION = 1
_READ = 4 << 20
_LONGEST = 16 << 20
_DAMAGED = (EOFError, BadGzipFile, zlib.error, cast(type[Exception], isal_zlib.error))
_ABSOLUTE = ("http://", "https://")
_ANY = "https://any.invalid/"  # with some base the canonicaliser takes its quick way; absolute URLs do not heed it
_HOST = re.compile(r"[^\s/:?#@]+(?::\d+)?")


class EdgeList:
    """Links of ``path``, indexed in a folder of ``folder`` when first asked (or by ``prepare``)."""

    def __init__(
        self,
        path: Path,
        folder: Path,
        *,
        level: str = "url",
        reversed_hosts: bool = False,
        canonicalise: Canonicaliser | None = None,
        chunk: int = CHUNK,
    ) -> None:
        if level not in ("url", "host"):
            raise InputError(f"edge list {path}: level {level!r} is not known; say url or host")
        if not path.is_file():
            raise InputError(f"there is no edge list {path}; give a file of lines FROM<TAB>TO, gzip or plain text")
        self.name = f"edgelist {path.name} {level}{' reversed' if reversed_hosts else ''}"
        self._path = path
        self._level = level
        self._reversed = reversed_hosts
        self._canonicalise = canonicalise or Canonicaliser()
        self._chunk = chunk
        self._index = folder / f"edges-{self._fingerprint()}"
        self._lines: LineReader | None = None
        self._lock = threading.Lock()

    async def backlinks(self, url: str, limit: int) -> list[str]:
        return await asyncio.to_thread(self._backlinks, url, limit)

    async def close(self) -> None:
        with self._lock:
            if self._lines is not None:
                self._lines.close()
                self._lines = None

    def prepare(self) -> int:
        """Index the file unless that is done; how many links the index holds. Takes minutes a hundred million links.

        Raises InputError for a file that is not such a list or cannot be read, naming the line.
        """
        if not (self._index / "about.json").exists():
            try:
                self._make()
            except OSError as error:
                reason = f"cannot be indexed in {self._index.parent}: {error}"
                raise InputError(
                    f"edge list {self._path}: {reason}; is there space, and may Clew write there?"
                ) from error
        about: dict[str, int] = json.loads((self._index / "about.json").read_bytes())
        return about["links"]

    def _make(self) -> None:
        """Build the index aside and put it in its place when it is whole."""
        self._index.parent.mkdir(parents=True, exist_ok=True)
        building = Path(mkdtemp(prefix="edges-building-", dir=self._index.parent))
        try:
            self._build(building)
            building.rename(self._index)
        except OSError:
            if not (self._index / "about.json").exists():  # else another process was quicker
                raise
        finally:
            shutil.rmtree(building, ignore_errors=True)

    def _backlinks(self, url: str, limit: int) -> list[str]:
        with self._lock:
            if self._lines is None:
                self.prepare()
            wanted = f"https://{host(url)}/" if self._level == "host" else url
            found = Collector(limit, self._canonicalise, without=wanted)
            try:
                self._look_up(key(wanted), found)
            except (ValueError, OSError) as error:
                raise ProviderError(
                    self.name, str(self._index), f"the index is damaged: {error}", "delete this folder"
                ) from error
            return found.urls

    def _look_up(self, target: int, found: Collector) -> None:
        if self._lines is None:
            self._lines = LineReader(self._index / "lines", self._index / "blocks")
            self._targets, self._sources = mapped(self._index / "targets"), mapped(self._index / "sources")
        place = np.uint64(target)
        begin, end = (int(np.searchsorted(self._targets, place, side)) for side in ("left", "right"))
        for at in range(begin, end):
            if found.full:
                break
            found.add(self._lines.at(int(self._sources[at])))

    def _fingerprint(self) -> str:
        """Names the index: another file, or another way to read it, is another index."""
        about = self._path.stat()
        rules = (self._canonicalise.drop_parameters, self._canonicalise.max_length, self._level, self._reversed)
        described = repr((VERSION, str(self._path.resolve()), about.st_size, about.st_mtime_ns, rules))
        return blake2b(described.encode(), digest_size=8).hexdigest()

    def _build(self, folder: Path) -> None:
        writer = LineWriter(folder / "lines", folder / "blocks")
        sorter = PairSorter(folder, self._chunk)
        read = 0
        last, source, offset = "", None, -1
        try:
            for lines in self._read():
                targets: list[str] = []
                offsets: list[int] = []
                for line in lines:
                    first, _, rest = line.partition("\t")
                    if first != last:
                        last, source, offset = first, self._url(first), -1
                    target = self._url(rest.partition("\t")[0])
                    if source is None or target is None or source == target:
                        continue
                    if offset < 0:
                        offset = writer.add(source)
                    targets.append(target)
                    offsets.append(offset)
                read += len(lines)
                sorter.add(keys(targets), np.array(offsets, np.uint64))
        except _DAMAGED as error:
            reason = f"the gzip data are damaged or cut off after line {read:,}: {error}"
            raise InputError(f"edge list {self._path}: {reason}; fetch the file again") from error
        finally:
            writer.close()
        if read and not sorter.pairs:
            hint = "" if self._level == "host" else ' (host names instead of URLs? set level = "host")'
            raise InputError(f"edge list {self._path}: none of {read:,} lines is a link FROM<TAB>TO{hint}")
        links = sorter.pairs
        sorter.finish(folder / "targets", folder / "sources")
        (folder / "about.json").write_text(json.dumps({"version": VERSION, "links": links, "lines": read}))

    def _url(self, field: str) -> str | None:
        """The canonical URL that a field stands for; None: it is none."""
        field = field.strip()
        if self._level == "url":
            return self._canonicalise(field, _ANY if field.startswith(_ABSOLUTE) else "")
        if not _HOST.fullmatch(field):
            return None
        name = ".".join(reversed(field.split("."))) if self._reversed else field
        return self._canonicalise(f"https://{name}/", _ANY)

    def _read(self) -> Iterator[list[str]]:
        """The lines of the file, some 100,000 at a time."""
        with self._path.open("rb") as file:
            plain = _unpacked(file)
            rest = b""
            while block := plain.read(_READ):
                whole, _, rest = (rest + block).rpartition(b"\n")
                if len(rest) > _LONGEST:
                    raise InputError(f"edge list {self._path}: a line of more than {_LONGEST >> 20} MB; is it text?")
                if whole:
                    yield whole.decode("utf-8", "replace").split("\n")
            if rest:
                yield [rest.decode("utf-8", "replace")]


def _unpacked(file: BufferedReader) -> IO[bytes]:
    """The content of a gzip file (of one or many members), or the file itself."""
    if file.peek(2)[:2] != b"\x1f\x8b":
        return file
    return cast(IO[bytes], igzip.IGzipFile(fileobj=file, mode="rb"))  # type: ignore[no-untyped-call]
