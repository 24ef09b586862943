"""Back-links from a file of links, such as Common Crawl's web graph.

Three forms are read: FROM<TAB>TO a line, gzip or plain text; Parquet with two text columns (``clew[parquet]``); and,
with ``vertices``, FROM_ID<TAB>TO_ID a line beside a file ID<TAB>NAME. The first two are indexed by ``edgepairs``, the
last by ``edgenumbers``, once, in a folder of the project. Memory stays under some 400 MB whatever the size.

Names are URLs, or with ``level="host"`` host names (``www.example.org``, or reversed as Common Crawl writes them,
``org.example.www``, with ``reversed_hosts``), which become ``https://host/``. With ``vertices`` the level is that of
the first name, and hosts are reversed, unless something else is said.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Literal

from msgspec import field

from clew.errors import InputError
from clew.section import doc
from clew.urls.canonical import Canonicaliser, host
from clew.web.providers import edgenumbers, edgepairs
from clew.web.providers.base import BacklinkProvider, Collector, ProviderContext, ProviderError, ProviderSettings
from clew.web.providers.edgeread import is_parquet, parquet_pairs, pyarrow, text_lines, text_pairs
from clew.web.providers.edgesort import CHUNK

VERSION = 1
_ABSOLUTE = ("http://", "https://")
_ANY = "https://any.invalid/"  # with some base the canonicaliser takes its quick way; absolute URLs ignore it
_HOST = re.compile(r"[^\s/:?#@]+(?::\d+)?")
_PLAIN = re.compile(r"(?!.*xn--)(?:[a-z0-9][a-z0-9-]*\.)+[a-z][a-z0-9-]*")  # hosts in canonical form, as most are


class EdgeList(BacklinkProvider):
    """Links of ``path``, indexed in a folder of ``folder`` when first asked (or by ``prepare``).

    ``level``: url or host; "": that of the first of the ``vertices``, without them url. ``reversed_hosts`` None: with
    ``vertices`` hosts are. ``columns``: the two columns of a Parquet file, () for those that ``parquet_pairs`` takes.
    """

    class Settings(ProviderSettings, frozen=True, kw_only=True):
        """A provider of kind edgelist"""

        path: Annotated[str, doc("The file of links, relative to the project.")]
        level: Annotated[Literal["", "url", "host"], doc("What the names are (empty: told from the file).")] = ""
        reversed_hosts: Annotated[bool | None, doc("Whether hosts are written org.example.www.")] = None
        vertices: Annotated[str, doc("File ID<TAB>NAME, if the links are between ids.")] = ""
        columns: Annotated[list[str], doc("The two columns of a Parquet file.")] = field(default_factory=list)
        spacing: Annotated[float, doc("Seconds between two questions.", ge=0)] = 0.0

    def __init__(
        self,
        path: Path,
        folder: Path,
        *,
        level: str = "",
        reversed_hosts: bool | None = None,
        vertices: Path | None = None,
        columns: Sequence[str] = (),
        canonicalise: Canonicaliser | None = None,
        chunk: int = CHUNK,
    ) -> None:
        if level not in ("", "url", "host"):
            raise InputError(f"edge list {path}: level {level!r} is not known; say url or host")
        for file, what in ((path, "edge list"), (vertices, "vertices file")):
            if file is not None and not file.is_file():
                wanted = "ID<TAB>NAME" if file is vertices else "FROM<TAB>TO"
                raise InputError(f"there is no {what} {file}; give a file of lines {wanted}, gzip or plain text")
        self._path = path
        self._vertices = vertices
        self._columns = tuple(columns)
        self._look(level)
        by_default = vertices is not None and self._level == "host"
        self._reversed = by_default if reversed_hosts is None else reversed_hosts
        shown = [path.name, *([vertices.name] if vertices else []), self._level, *(["reversed"] * self._reversed)]
        self.name = " ".join(["edgelist", *shown, *columns])
        self._canonicalise = canonicalise or Canonicaliser()
        self._chunk = chunk
        self._index = folder / f"edges-{self._fingerprint()}"
        self._opened: edgepairs.PairIndex | edgenumbers.NumberIndex | None = None
        self._lock = threading.Lock()

    @classmethod
    def from_settings(cls, context: ProviderContext, settings: Settings) -> EdgeList:
        folder = context.folder
        return cls(
            folder / settings.path,
            folder,
            level=settings.level,
            reversed_hosts=settings.reversed_hosts,
            vertices=folder / settings.vertices if settings.vertices else None,
            columns=settings.columns,
            canonicalise=context.canonicalise,
        )

    async def backlinks(self, url: str, limit: int) -> list[str]:
        return await asyncio.to_thread(self._backlinks, url, limit)

    async def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

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

    def _look(self, level: str) -> None:
        """What the files are. Raises InputError when they cannot be read or the settings do not fit them."""
        path = self._path
        try:
            self._parquet = is_parquet(path)
            self._level = level or (_level_of(self._vertices) if self._vertices else "url")
        except OSError as error:
            raise InputError(f"edge list {path}: it cannot be read: {error}") from error
        if self._parquet and self._vertices:
            raise InputError(f"edge list {path}: with vertices, links are FROM_ID<TAB>TO_ID lines, not Parquet")
        if self._columns and not self._parquet:
            raise InputError(f"edge list {path}: it is no Parquet file, so it has no columns to choose")
        if self._columns and len(self._columns) != 2:
            raise InputError(f'edge list {path}: columns must be two names, as in columns = ["from", "to"]')
        if self._parquet:
            pyarrow(path)  # better said now than in the middle of a crawl

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

    def _build(self, folder: Path) -> None:
        if self._vertices:
            lines, usable, links = edgenumbers.build(folder, self._vertices, self._path, self._url, self._chunk)
            if lines and not usable:
                hint = ' (URLs? set level = "url")' if self._level == "host" else ' (hosts? set level = "host")'
                raise InputError(f"vertices file {self._vertices}: none of {lines:,} lines is ID<TAB>NAME{hint}")
        else:
            pairs = parquet_pairs(self._path, self._columns) if self._parquet else text_pairs(self._path)
            lines, links = edgepairs.build(folder, pairs, self._url, self._chunk)
            if lines and not links:
                hint = "" if self._level == "host" else ' (host names instead of URLs? set level = "host")'
                what = "rows" if self._parquet else "lines"
                raise InputError(f"edge list {self._path}: none of {lines:,} {what} is a link FROM<TAB>TO{hint}")
        (folder / "about.json").write_text(json.dumps({"version": VERSION, "links": links, "lines": lines}))

    def _backlinks(self, url: str, limit: int) -> list[str]:
        with self._lock:
            if self._opened is None:
                self.prepare()
            wanted = f"https://{host(url)}/" if self._level == "host" else url
            found = Collector(limit, self._canonicalise, without=wanted)
            try:
                self._look_up(wanted, found)
            except (ValueError, OSError) as error:
                raise ProviderError(
                    self.name, str(self._index), f"the index is damaged: {error}", "delete this folder"
                ) from error
            return found.urls

    def _look_up(self, wanted: str, found: Collector) -> None:
        if self._opened is None:
            self._opened = (edgenumbers.NumberIndex if self._vertices else edgepairs.PairIndex)(self._index)
        for linking in self._opened.linking(wanted):
            found.add(linking)
            if found.full:
                break

    def _fingerprint(self) -> str:
        """Names the index: another file, or another way to read it, is another index."""
        rules = (self._canonicalise.drop_parameters, self._canonicalise.max_length, self._level, self._reversed)
        described: tuple[object, ...] = (VERSION, *_identity(self._path), rules)
        if self._vertices:
            described += _identity(self._vertices)
        if self._columns:
            described += (self._columns,)
        return blake2b(repr(described).encode(), digest_size=8).hexdigest()

    def _url(self, field: str) -> str | None:
        """The canonical URL that a field stands for; None: it is none."""
        field = field.strip()
        if self._level == "url":
            return self._canonicalise(field, _ANY if field.startswith(_ABSOLUTE) else "")
        if not _HOST.fullmatch(field):
            return None
        name = ".".join(field.split(".")[::-1]) if self._reversed else field
        if len(name) < 200 <= self._canonicalise.max_length and _PLAIN.fullmatch(name):
            return f"https://{name}/"
        return self._canonicalise(f"https://{name}/", _ANY)


def _level_of(vertices: Path) -> str:
    """Whether the first vertex is a URL or a host name."""
    first = next(text_lines(vertices), [""])[0]
    return "url" if first.partition("\t")[2].startswith(_ABSOLUTE) else "host"


def _identity(path: Path) -> tuple[str, int, int]:
    about = path.stat()
    return str(path.resolve()), about.st_size, about.st_mtime_ns
