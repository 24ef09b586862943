"""The index of a WARC file: which capture answers a URL, and where it lies.

An index is a SQLite file kept beside the archive (``FILE.clewidx``) or, where that folder cannot be written, in
the user's cache folder, or in memory when nothing can be written. A folder without write permission for anyone
is left alone even by root. It is valid for one size and modification time
of the archive, one version of this module and one way to write URLs canonically, and is rebuilt when any differs.
Building streams: memory does not grow with the archive. Lookups take microseconds.

Which capture answers, of several of one URL: the latest with a 2xx status; failing that, the latest redirect;
failing that, the latest.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from clew.errors import ArchiveError, UrlError
from clew.text.warcrecords import REDIRECTS, Entry, Place, WarcFile

VERSION = 2
Canonicalise = Callable[[str], str]

_PROBLEMS_KEPT = 1_000
_SAMPLES = 256
_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE problems (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE captures (
    key INTEGER PRIMARY KEY, grade INTEGER NOT NULL, date REAL NOT NULL, offset INTEGER NOT NULL, skip INTEGER NOT NULL,
    body_offset INTEGER NOT NULL, body_skip INTEGER NOT NULL
);
CREATE TEMP TABLE originals (key INTEGER, date REAL, digest INTEGER, status INTEGER, offset INTEGER, skip INTEGER);
CREATE TEMP TABLE revisits (
    key INTEGER, date REAL, digest INTEGER, status INTEGER, offset INTEGER, skip INTEGER,
    refers_key INTEGER, refers_date REAL, unmodified INTEGER, url TEXT
);
"""
_KEEP_BEST = """
INSERT INTO captures VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET grade = excluded.grade, date = excluded.date, offset = excluded.offset,
    skip = excluded.skip, body_offset = excluded.body_offset, body_skip = excluded.body_skip
WHERE (excluded.grade, excluded.date) >= (captures.grade, captures.date)
"""
_ORIGINAL = "SELECT offset, skip, status FROM temp.originals WHERE "
_BY_REFERENCE = _ORIGINAL + "key = ? AND date = ? ORDER BY offset DESC LIMIT 1"
_BY_DIGEST = _ORIGINAL + "digest = ? ORDER BY date <= ? DESC, date DESC LIMIT 1"
_BY_URL = _ORIGINAL + "key = ? AND date <= ? AND status BETWEEN 200 AND 299 ORDER BY date DESC LIMIT 1"


def url_key(url: str) -> int:
    """The signed 64-bit hash of a canonical URL."""
    return int.from_bytes(hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), signed=True)


def _digest_key(digest: str) -> int:
    return url_key(digest) if digest else 0


class _Revisit(NamedTuple):
    """A row of the table of revisits: a record whose body lies elsewhere."""

    key: int
    date: float
    digest: int
    status: int
    offset: int
    skip: int
    refers_key: int
    refers_date: float
    unmodified: int
    url: str


class ArchiveIndex:
    """Looks up captures in a finished index. Raises sqlite3.Error when the index file is damaged."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def find(self, url: str) -> tuple[Place, Place] | None:
        """Where the record that answers a canonical URL lies, and the record that holds its body."""
        query = "SELECT offset, skip, body_offset, body_skip FROM captures WHERE key = ?"
        row = self._database.execute(query, (url_key(url),)).fetchone()
        return (Place(row[0], row[1]), Place(row[2], row[3])) if row else None

    def problems(self) -> list[str]:
        """What could not be read, by file and offset."""
        return [row[0] for row in self._database.execute("SELECT text FROM problems ORDER BY number")]

    def __len__(self) -> int:
        count: int = self._database.execute("SELECT count(*) FROM captures").fetchone()[0]
        return count

    def close(self) -> None:
        """Let go of the index file; safe to call twice."""
        self._database.close()


def open_index(archive: Path, canonicalise: Canonicalise) -> ArchiveIndex:
    """The valid index of an archive, built if need be. Raises ArchiveError when the archive cannot be read."""
    for path in _index_paths(archive):
        found = _valid(path, archive, canonicalise)
        if found is not None:
            return found
    return _build(archive, canonicalise)


def _index_paths(archive: Path) -> tuple[Path, Path]:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clew"
    name = hashlib.sha256(os.fsencode(archive.resolve())).hexdigest()[:32]
    return archive.with_name(archive.name + ".clewidx"), cache / f"{name}.clewidx"


# -- validity -------------------------------------------------------------------------------------------------


def _valid(path: Path, archive: Path, canonicalise: Canonicalise) -> ArchiveIndex | None:
    if not path.is_file():
        return None
    database = None
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        facts = dict(database.execute("SELECT name, value FROM facts"))
        if facts.get("state") == _state(archive) and _same_urls(facts.get("samples", ""), canonicalise):
            return ArchiveIndex(database)
    except (sqlite3.Error, ValueError):
        pass  # damaged or of another program: built anew
    if database is not None:
        database.close()
    return None


def _state(archive: Path) -> str:
    try:
        state = archive.stat()
    except OSError as error:
        raise ArchiveError(f"{archive} cannot be read: {error.strerror}") from error
    return json.dumps([VERSION, state.st_size, state.st_mtime_ns])


def _same_urls(samples: str, canonicalise: Canonicalise) -> bool:
    """Whether the sample URLs of the archive are still written as they were when the index was built."""
    return all(_canonical(url, canonicalise) == written for url, written in json.loads(samples).items())


def _canonical(url: str, canonicalise: Canonicalise) -> str | None:
    try:
        return canonicalise(url)
    except UrlError:
        return None


class _Samples:
    """URLs that show whether another canonicaliser writes this archive's URLs alike.

    One for every name of a query parameter (that is what settings change), and some others.
    """

    def __init__(self) -> None:
        self.written: dict[str, str | None] = {}
        self._seen: set[str] = set()

    def offer(self, url: str, written: str | None) -> None:
        if len(self._seen) >= _SAMPLES:
            return
        try:
            parts = urlsplit(url)
        except ValueError:
            return
        names = {part.partition("=")[0] for part in parts.query.split("&")} or {""}
        names |= {f"port {parts.netloc.rpartition(':')[2]}"} if ":" in parts.netloc else set()
        if not names <= self._seen or len(self.written) < 8:
            self._seen |= names
            self.written[url] = written


# -- building -------------------------------------------------------------------------------------------------


def _build(archive: Path, canonicalise: Canonicalise) -> ArchiveIndex:
    """Build the index in the first place that can be written, else in memory."""
    for path in _index_paths(archive):
        with suppress(OSError, sqlite3.Error):
            _build_file(path, archive, canonicalise)
            found = _valid(path, archive, canonicalise)
            if found is not None:
                return found
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _fill(database, archive, canonicalise)
    return ArchiveIndex(database)


def _build_file(path: Path, archive: Path, canonicalise: Canonicalise) -> None:
    """Build beside the final name and rename, so nobody ever opens half an index."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.parent.stat().st_mode & 0o222:
        raise PermissionError(f"{path.parent} is read-only")
    handle, name = tempfile.mkstemp(prefix=path.name[:80], suffix=".tmp", dir=path.parent)
    os.close(handle)
    try:
        with closing(sqlite3.connect(name, isolation_level=None)) as database:
            _fill(database, archive, canonicalise)
        os.chmod(
            name, stat.S_IMODE(archive.stat().st_mode) | stat.S_IRUSR | stat.S_IWUSR
        )  # whoever reads one reads both
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _fill(database: sqlite3.Connection, archive: Path, canonicalise: Canonicalise) -> None:
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.executescript(_SCHEMA)
    state = _state(archive)  # before reading: an archive that grows meanwhile gets a new index next time
    with WarcFile(archive) as file:
        database.execute("BEGIN")
        builder = _Builder(database, file, canonicalise)
        builder.run()
        samples = json.dumps(builder.samples.written)
        database.executemany("INSERT INTO facts VALUES (?, ?)", [("state", state), ("samples", samples)])
        database.execute("COMMIT")


class _Builder:
    """Reads an archive once and fills the tables of its index."""

    def __init__(self, database: sqlite3.Connection, file: WarcFile, canonicalise: Canonicalise) -> None:
        self.samples = _Samples()
        self._database = database
        self._file = file
        self._canonicalise = canonicalise

    def run(self) -> None:
        for entry in self._file.scan():
            take = _TAKERS.get(entry.kind)
            if take is not None and entry.url[:4].lower() == "http":
                self._take(entry, take)
        self._resolve_revisits()
        kept = self._file.problems[:_PROBLEMS_KEPT]
        dropped = len(self._file.problems) - len(kept)
        kept += [f"{self._file.path}: {dropped} more problems"] if dropped else []
        self._database.executemany("INSERT INTO problems (text) VALUES (?)", ((text,) for text in kept))

    def _take(self, entry: Entry, take: Callable[[_Builder, Entry, int], None]) -> None:
        try:
            written = self._canonicalise(entry.url)
        except UrlError as error:
            self.samples.offer(entry.url, None)
            self._note(entry.place, str(error))
            return
        self.samples.offer(entry.url, written)
        take(self, entry, url_key(written))

    def _response(self, entry: Entry, key: int) -> None:
        if not entry.status:
            self._note(entry.place, f"no HTTP response for {entry.url[:200]}")
            return
        self._keep(key, entry.status, entry.date, entry.place, entry.place)
        self._original(entry, key, entry.status)

    def _resource(self, entry: Entry, key: int) -> None:
        self._keep(key, 200, entry.date, entry.place, entry.place)
        self._original(entry, key, 200)

    def _revisit(self, entry: Entry, key: int) -> None:
        refers = _canonical(entry.refers_to, self._canonicalise) if entry.refers_to else None
        unmodified = "server-not-modified" in entry.profile
        row = _Revisit(
            key=key,
            date=entry.date,
            digest=0 if unmodified else _digest_key(entry.digest),  # that of an empty 304 says nothing
            status=entry.status,
            offset=entry.place.offset,
            skip=entry.place.skip,
            refers_key=url_key(refers) if refers else 0,
            refers_date=entry.refers_date,
            unmodified=unmodified,
            url=entry.url,
        )
        self._database.execute(f"INSERT INTO revisits VALUES ({', '.join('?' * len(row))})", row)

    def _original(self, entry: Entry, key: int, status: int) -> None:
        row = (key, entry.date, _digest_key(entry.digest), status, entry.place.offset, entry.place.skip)
        self._database.execute("INSERT INTO originals VALUES (?, ?, ?, ?, ?, ?)", row)

    def _keep(self, key: int, status: int, date: float, place: Place, body: Place) -> None:
        grade = 2 if 200 <= status < 300 else 1 if status in REDIRECTS else 0
        row = (key, grade, date, place.offset, place.skip, body.offset, body.skip)
        self._database.execute(_KEEP_BEST, row)

    # -- revisits -------------------------------------------------------------------------------------------

    def _resolve_revisits(self) -> None:
        self._database.execute("CREATE INDEX temp.by_key ON originals (key, date)")
        self._database.execute("CREATE INDEX temp.by_digest ON originals (digest, date)")
        for row in self._database.execute("SELECT * FROM revisits ORDER BY rowid"):
            self._resolve(_Revisit(*row))

    def _resolve(self, revisit: _Revisit) -> None:
        """Index a revisit by the record that holds its body; note a problem when this file has none."""
        found = next(self._originals(revisit), None)
        place = Place(revisit.offset, revisit.skip)
        if found is None:
            self._note(place, f"the page that this revisit of {revisit.url[:200]} repeats is not in this file")
            return
        body = Place(found[0], found[1])
        if revisit.unmodified or not revisit.status:  # it has no answer of its own that could be served
            self._keep(revisit.key, found[2], revisit.date, body, body)
        else:
            self._keep(revisit.key, revisit.status, revisit.date, place, body)

    def _originals(self, revisit: _Revisit) -> Iterator[tuple[int, int, int]]:
        """Records that may hold the body (offset, skip, status), the surest first."""
        yield from self._database.execute(_BY_REFERENCE, (revisit.refers_key, revisit.refers_date))
        if revisit.digest:
            yield from self._database.execute(_BY_DIGEST, (revisit.digest, revisit.date))
        else:
            yield from self._database.execute(_BY_URL, (revisit.refers_key or revisit.key, revisit.date))

    def _note(self, place: Place, what: str) -> None:
        self._file.problems.append(f"{self._file.path} offset {place.offset}: {what}")


_TAKERS: dict[str, Callable[[_Builder, Entry, int], None]] = {
    "response": _Builder._response,
    "resource": _Builder._resource,
    "revisit": _Builder._revisit,
}
