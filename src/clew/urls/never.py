"""The do-not-crawl list: hosts and pages whose owners want no crawler, one a line.

=========================  ==============================================================================
``example.org``            that host, every port; ``example.org:8080``: that port
``.example.org``           that host and its subdomains
``example.org/private/``   every page whose URL begins so, by http and https; ``https://`` may stand before
``example.org/a?b=1$``     that one page: ``$`` ends the URL
``# asked by mail``        a comment; on a line with an entry, after a space
=========================  ==============================================================================
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clew.errors import InputError, UrlError
from clew.urls.canonical import canonical, host, origin
from clew.urls.hosts import forms, host_pattern

__all__ = ["SPARED", "Never", "entries_of", "entry_of", "erase_never", "read_never", "write_never"]

SPARED: Final = "do-not-crawl list"
"""How the reason of a refusal begins that this list gives."""

_ORIGINS: Final = 1 << 16
_THREADS: Final = threading.Lock()
_COMMENT = re.compile(r"(?:\A|\s)#.*", re.DOTALL)
_HELP = "write a host (example.org), a host with its subdomains (.example.org) or the beginning of URLs"


class Never:
    """The hosts and pages of a list. ``lines`` are its entries and where each stands, ``canonicalise`` how the crawl
    writes URLs ("" or None: not at all). ``entries``: as they were written. Raises InputError naming the place of an
    entry that is none."""

    def __init__(
        self,
        lines: Iterable[tuple[str, str]] = (),
        canonicalise: Callable[[str], str | None] = lambda url: url,
    ) -> None:
        self._hosts: dict[tuple[str, str], str] = {}
        self._pages: dict[str, str] = {}
        self._beginnings: dict[str, dict[str, str]] = {}
        self._origins: dict[str, str | None] = {}
        self.entries: set[str] = set()
        for text, where in lines:
            self.entries.add(text)
            self._add(text, where, canonicalise)

    def __bool__(self) -> bool:
        return bool(self._hosts or self._pages or self._beginnings)

    def renew(self, other: Never) -> None:
        """Hold what another list holds: whoever asks this one is told by the new entries from now on."""
        self._hosts, self._pages, self._beginnings = other._hosts, other._pages, other._beginnings
        self.entries = other.entries
        self._origins.clear()

    def why_not(self, url: str) -> str | None:
        """The entry that keeps the crawl from a canonical URL, in words, beginning with SPARED; None: there is none."""
        start = origin(url)
        if start not in self._origins:
            if len(self._origins) >= _ORIGINS:
                self._origins.clear()
            self._origins[start] = next((self._hosts[form] for form in forms(f"{start}/") if form in self._hosts), None)
        where = self._origins[start]
        if where is None and (self._pages or self._beginnings):
            where = self._of_page(_without_scheme(url))
        return f"{SPARED}: {where}" if where is not None else None

    def _of_page(self, page: str) -> str | None:
        found = self._pages.get(page)
        if found is None:
            beginnings = self._beginnings.get(page.partition("/")[0], {})
            found = next((where for beginning, where in beginnings.items() if page.startswith(beginning)), None)
        return found

    def _add(self, text: str, where: str, canonicalise: Callable[[str], str | None]) -> None:
        try:
            self._add_entry(text, f"{text[:200]} ({where})", canonicalise)
        except UrlError as error:
            raise InputError(
                f"{where}: {text[:200]!r} cannot be kept from the crawl ({error.reason}): {_HELP}"
            ) from error

    def _add_entry(self, text: str, where: str, canonicalise: Callable[[str], str | None]) -> None:
        if "/" not in text:
            self._hosts.setdefault(host_pattern(text), where)
            return
        url = canonical(_with_scheme(text.removesuffix("$")))
        page = _without_scheme(canonicalise(url) or url)
        if text.endswith("$"):
            self._pages.setdefault(page, where)
        else:
            self._beginnings.setdefault(host(url), {}).setdefault(page, where)


def read_never(path: Path, canonicalise: Callable[[str], str | None] = lambda url: url) -> Never:
    """The list of a file. Raises InputError for what cannot be read, naming file and line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    entries = ((_COMMENT.sub("", line).strip(), number) for number, line in enumerate(text.splitlines(), 1))
    try:
        return Never(((entry, f"{path.name} line {number}") for entry, number in entries if entry), canonicalise)
    except InputError as error:
        raise InputError(f"{path.parent}{os.sep}{error}") from error


def entries_of(path: Path) -> list[tuple[str, str]]:
    """(entry, its comment) of every entry of a file, in their order, each once; none where there is no file. Raises
    InputError for what cannot be read."""
    if not path.exists():
        return []
    read_never(path)
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        entry = _COMMENT.sub("", line).strip()
        if entry:
            found.setdefault(entry, line.partition(entry)[2].strip().removeprefix("#").strip())
    return list(found.items())


def write_never(path: Path, entries: Iterable[str], why: str = "") -> list[str]:
    """Add entries that are not in the file, each with ``why`` as its comment; returns those that were added.

    The file is replaced as a whole, so a crash leaves the old or the new one. Raises InputError for an entry that is
    none, and for a file that cannot be read or written.
    """
    wanted = list(dict.fromkeys(entries))
    Never((entry, "the new entry") for entry in wanted)
    with _alone(path):
        return _added(path, wanted, why)


def _added(path: Path, wanted: Sequence[str], why: str) -> list[str]:
    old = ""
    if path.exists():
        read_never(path)
        old = path.read_text(encoding="utf-8-sig")
    known = {_COMMENT.sub("", line).strip() for line in old.splitlines()}
    new = [entry for entry in wanted if entry not in known]
    if not new:
        return []
    comment = f"  # {' '.join(why.split())}" if why.strip() else ""
    lines = "".join(f"{entry}{comment}\n" for entry in new)
    _replace(path, f"{old}{'' if old.endswith(chr(10)) or not old else chr(10)}{lines}")
    return new


def erase_never(path: Path, entries: Iterable[str]) -> list[str]:
    """Take entries out of the file, with their comments; returns those that were in it. The file is replaced as a
    whole. Raises InputError for a file that cannot be read or written."""
    with _alone(path):
        return _erased(path, set(entries))


def _erased(path: Path, unwanted: Set[str]) -> list[str]:
    if not path.exists():
        return []
    read_never(path)
    lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    named = [_COMMENT.sub("", line).strip() for line in lines]
    found = [name for name in dict.fromkeys(named) if name in unwanted]
    if found:
        _replace(path, "".join(line for line, name in zip(lines, named, strict=True) if name not in unwanted))
    return found


def entry_of(url_or_host: str) -> str:
    """The entry for one page, by its URL, or for one host. Raises UrlError."""
    if "/" not in url_or_host:
        host_pattern(url_or_host)
        return url_or_host
    return f"{canonical(_with_scheme(url_or_host))}$"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Nobody else changes a list meanwhile: no thread and, where folders can be locked, no process."""
    with _THREADS:
        folder = _locked(path.parent)
        try:
            yield
        finally:
            if folder >= 0:
                os.close(folder)


def _locked(folder: Path) -> int:
    """A folder as an open file that nobody else has locked; -1 where that cannot be."""
    try:
        found = os.open(folder, os.O_RDONLY)
    except OSError:
        return -1
    try:
        import fcntl

        fcntl.flock(found, fcntl.LOCK_EX)
    except (ImportError, OSError):
        os.close(found)
        return -1
    return found


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.new")
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def _with_scheme(text: str) -> str:
    if text.startswith("/") and not text.startswith("//"):
        raise UrlError(text, "it names no host")
    if "://" in text.partition("?")[0]:
        return text
    return f"http:{text}" if text.startswith("//") else f"http://{text}"


def _without_scheme(url: str) -> str:
    return url.partition("//")[2]
