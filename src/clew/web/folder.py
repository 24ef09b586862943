"""A mirror on disk as a world: the files that ``wget --mirror`` leaves, served under the URLs they came from.

A mirror has one folder a host (``www.example.org``, ``host:8080`` or ``host+8080``), and in it the host's paths.
File names give URLs by wget's rules, undone: ``?`` (or ``@``, for Windows) begins the query, ``%XX`` is an
escape, ``index.html`` answers for its folder, and ``page.html`` also for ``page`` (``--adjust-extension``); when
two files claim a URL, the one that names it literally has it. http and https are served alike. A folder that has
an index page redirects to its form with a slash. Nothing outside the mirror is served: symbolic links to folders
are not followed, and those to files only inside the mirror.

The folder is walked once, when the world is opened; the map takes about 300 bytes a file.
"""

from __future__ import annotations

import asyncio
import mimetypes
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

from clew.config import Settings
from clew.errors import ArchiveError, InputError, UrlError
from clew.model import Outcome, Request, Response
from clew.web.archive import canonicaliser_of, default_canonicaliser, missing
from clew.web.base import Clock, World

_INDEX_NAMES = ("index.html", "index.htm")
_HOST = re.compile(r"(?P<name>[^:+\s]+|\[[0-9a-fA-F:.]+\])(?:[:+](?P<port>\d{1,5}))?")
_STRAY_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_PATH_SAFE = "%!$&'()*+,;=:@~/[]|^`{}\"<>"
_QUERY_SAFE = _PATH_SAFE + "?"
_TYPES = mimetypes.MimeTypes(filenames=()).types_map[True]  # the built-in table: the same on every machine
_SNIFF_BYTES = 1_024
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+"  # an end of a comment that was found is kept to
    rb"<(?:!doctype|html|head|title|body|meta|table|div|p|h1|a|script|\?xml)\b",
    re.I,
)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG", "image/png"),
    (b"GIF8", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
)


class FolderWorld(World):
    """Serves the mirror at ``root``. ``problems`` names folders and files that have no URL or lead outside.

    ``canonicalise`` writes URLs as the crawl does and raises UrlError for what is none (default: the canonical
    form of ``clew.urls``). A closed mirror calls pages that it lacks ABSENT; an open one answers 404.
    """

    takes_path = True

    def __init__(
        self,
        root: Path,
        closed: bool = True,
        *,
        clock: Clock,
        canonicalise: Callable[[str], str] | None = None,
        page_bytes: int = 5_000_000,
    ) -> None:
        self.name = f"folder:{root.name}"
        self.closed = closed
        self.problems: list[str] = []
        self._root = root
        self.clock = self._clock = clock
        self._canonicalise = canonicalise or default_canonicaliser()
        self._page_bytes = page_bytes
        self._files: dict[str, str] = {}
        self._folders: set[str] = set()

    @classmethod
    def from_spec(cls, rest: str, settings: Settings, clock: Clock) -> FolderWorld:
        path = Path(rest)
        if not path.is_dir():
            raise InputError(f"there is no folder {path}; give a mirror made by wget, as in --web folder:mirror/")
        return cls(
            path,
            closed=settings.web.archive.closed,
            clock=clock,
            canonicalise=canonicaliser_of(settings),
            page_bytes=settings.limits.page_bytes,
        )

    async def open(self) -> None:
        await asyncio.to_thread(self._walk)

    async def close(self) -> None:
        self._files, self._folders = {}, set()

    def __len__(self) -> int:
        """How many URLs the mirror can answer (http and https counted once)."""
        return len(self._files)

    async def fetch(self, request: Request) -> Response:
        now = self._clock.now()
        try:
            return self._answer(request, now)
        except (OSError, ValueError) as error:
            reason = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else str(error)
            return Response(request.url, Outcome.FAILED, reason=reason, fetched_at=now)

    def _answer(self, request: Request, now: float) -> Response:
        key = self._key(request.url)
        found = self._files.get(key) if key is not None else None
        if found is not None:
            return self._page(request.url, self._root / found, now)
        if key in self._folders:
            location = f"{request.url.partition('?')[0]}/"
            return Response(request.url, Outcome.REDIRECT, status=301, location=location, fetched_at=now)
        return missing(request, self.closed, now, "mirror")

    def _page(self, url: str, path: Path, now: float) -> Response:
        if not self._inside(path):
            raise ValueError(f"{path} leads out of the mirror")
        with path.open("rb") as file:
            body = file.read(self._page_bytes + 1)
        if len(body) > self._page_bytes:
            raise ValueError(f"larger than {self._page_bytes} bytes (limits.page_bytes)")
        headers = (("Content-Type", content_type(path.name, body)), ("Content-Length", str(len(body))))
        return Response(url, Outcome.OK, status=200, headers=headers, body=body, fetched_at=now)

    def _inside(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._root))

    def _key(self, url: str) -> str | None:
        """A URL's canonical form without its scheme; None when it is no URL."""
        try:
            return self._canonicalise(url).partition("://")[2]
        except UrlError:
            return None

    # -- the walk -------------------------------------------------------------------------------------------

    def _walk(self) -> None:
        """Map every file to its URLs. Raises ArchiveError when there is no page under any host folder."""
        self._files, self._folders, self.problems = {}, set(), []
        second_choice: list[tuple[str, str]] = []
        for host_folder, authority in self._hosts():
            for file in self._files_of(host_folder):
                self._claim(authority, file, file.relative_to(host_folder), second_choice)
        for key, relative in second_choice:
            self._files.setdefault(key, relative)
        if not self._files:
            raise ArchiveError(
                f"{self._root} holds no pages in host folders; a mirror looks like "
                f"{self._root}/www.example.org/index.html"
            )

    def _hosts(self) -> Iterator[tuple[Path, str]]:
        """The host folders and the authority part of their URLs."""
        try:
            entries = sorted(self._root.iterdir())
        except OSError as error:
            raise ArchiveError(f"{self._root} cannot be read: {error.strerror}") from error
        for entry in entries:
            if not entry.is_dir() or entry.is_symlink():
                continue
            match = _HOST.fullmatch(entry.name)
            authority = match["name"] + (f":{match['port']}" if match["port"] else "") if match else ""
            if match is None or self._key(f"http://{authority}/") is None:
                self.problems.append(f"{entry} is not named like a host; its files are not served")
            else:
                yield entry, authority

    def _files_of(self, folder: Path) -> Iterator[Path]:
        for parent, folders, names in os.walk(folder, onerror=self._unreadable):
            folders.sort()
            for name in sorted(names):
                path = Path(parent, name)
                if path.is_symlink() and not self._inside(path):
                    self.problems.append(f"{path} leads out of the mirror; it is not served")
                elif path.is_file():
                    yield path

    def _unreadable(self, error: OSError) -> None:
        self.problems.append(f"{error.filename} cannot be read: {error.strerror}")

    def _claim(self, authority: str, file: Path, inner: Path, second_choice: list[tuple[str, str]]) -> None:
        """Enter a file under the URL it names; its other names wait until all first ones are known."""
        relative = str(file.relative_to(self._root))
        base = f"http://{authority}/" + "".join(f"{_escape(part, _PATH_SAFE)}/" for part in inner.parts[:-1])
        for rank, name in enumerate(url_names(inner.name)):
            key = self._key(base + name)
            if key is None:
                self.problems += [] if rank else [f"{file} has no URL; it is not served"]
            elif rank == 0:
                self._files[key] = relative
            else:
                second_choice.append((key, relative))
        folder_key = self._key(base[:-1]) if inner.name in _INDEX_NAMES and len(inner.parts) > 1 else None
        if folder_key is not None:
            self._folders.add(folder_key)


def url_names(name: str) -> list[str]:
    """What a file may be called in a URL (last path segment and query), the literal name first."""
    bare = re.sub(r"\.html?$", "", name)
    names = [_url_name(part, mark) for part in (name, bare) if part for mark in "?@"]
    names += [found.replace("%2F", "/").replace("%2f", "/") for found in names if "?" in found]
    names += [found[len(index) :] for found in names for index in _INDEX_NAMES if _is_index(found, index)]
    return list(dict.fromkeys(names))


def _is_index(name: str, index: str) -> bool:
    return name == index or name.startswith(f"{index}?")


def _url_name(name: str, mark: str) -> str:
    path, found, query = name.partition(mark)
    if not path or not found:
        return _escape(name, _PATH_SAFE)
    return f"{_escape(path, _PATH_SAFE)}?{_escape(query, _QUERY_SAFE)}"


def _escape(name: str, safe: str) -> str:
    """A file name as it stands in a URL: escapes in it stay, what cannot stand is escaped."""
    return quote(os.fsencode(_STRAY_PERCENT.sub("%25", name)), safe=safe)


def content_type(name: str, body: bytes) -> str:
    """A file's content type by its ending, else by its first bytes."""
    path = urlsplit(name).path if "?" in name else name
    known = _TYPES.get(os.path.splitext(path)[1].lower())
    return known if known is not None else sniffed(body)


def sniffed(body: bytes) -> str:
    """A content type by a body's first bytes: markup, a few binary formats, plain text, or unknown binary."""
    start = body[:_SNIFF_BYTES]
    if _MARKUP.match(start):
        return "text/html"
    found = next((kind for magic, kind in _MAGIC if start.startswith(magic)), "")
    return found or ("application/octet-stream" if _BINARY.search(start) else "text/plain")
