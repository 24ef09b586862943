"""Every error a user can meet. Each message says what is wrong, where, and what to do about it."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Mapping
from typing import Final

_CREDENTIALS = re.compile(r"\A(\s*(?:https?:[/\\]*|[a-z][\w+.-]*://|[/\\]{2,}))[^/\\?#]*@", re.IGNORECASE)

LONGEST_SHOWN = 200
"""Characters of a URL that messages show."""


def shown(url: str) -> str:
    """The beginning of a URL as messages and logs may show it: without user name and password."""
    return _CREDENTIALS.sub(r"\1", url[: 10 * LONGEST_SHOWN])[:LONGEST_SHOWN]


SHORTAGES: Final[Mapping[int, str]] = {
    errno.EMFILE: "this process may open no more files: raise ulimit -n, or lower crawl.hosts_at_once",
    errno.ENFILE: "this machine can open no more files: close other programs, raise fs.file-max, or lower "
    "crawl.hosts_at_once",
    errno.ENOBUFS: "this machine has no memory for more connections: lower crawl.hosts_at_once",
    errno.ENOMEM: "this machine has no more memory: lower crawl.hosts_at_once or crawl.workers",
    errno.EADDRNOTAVAIL: "this machine has no free port for another connection: lower crawl.hosts_at_once, or widen "
    "net.ipv4.ip_local_port_range",
}
"""What the machine that crawls may run short of, by the system's error number, and what to do. It passes when others
let go of something, and nobody on the web is to blame."""


def shortage(error: BaseException | None) -> int:
    """The number in SHORTAGES of an error, or of one that it came from; 0 when the machine lacks nothing."""
    while error is not None:
        number = error.errno if isinstance(error, OSError) and not isinstance(error, socket.gaierror) else None
        if number is not None and number in SHORTAGES:
            return number
        error = error.__cause__
    return 0


class ClewError(Exception):
    """The job failed (exit code 1)."""

    exit_code = 1


class InputError(ClewError):
    """What the user gave is wrong (exit code 2). Name the file, line, option or URL, and what to do."""

    exit_code = 2


class ConfigError(InputError):
    """A setting in clew.toml is wrong; the message names the file and the setting. ``table``, as in [strategy.clew],
    and ``setting``: where that stands, as far as whoever raised it knew."""

    def __init__(self, message: str, table: str = "", setting: str = "") -> None:
        super().__init__(message)
        self.table, self.setting = table, setting


class FormulaError(InputError):
    """A formula cannot be read: ``reason`` says why, ``start`` is the character, from 0, where it goes wrong."""

    def __init__(self, message: str, reason: str, start: int) -> None:
        super().__init__(message)
        self.reason, self.start = reason, start


class ProjectError(InputError):
    """A project folder is missing, incomplete or in use."""


class UrlError(InputError):
    """A string is no URL that can be crawled; ``reason`` says why."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"not a URL that can be crawled: {shown(url)!r}: {reason}")
        self.url = url
        self.reason = reason


class ArchiveError(InputError):
    """An archive file cannot be read; the message names the file and offset."""


class TrainingError(InputError):
    """A judge cannot be trained from the examples given."""


class StoreError(ClewError):
    """The crawl database cannot be read or written."""


class VersionError(StoreError):
    """The crawl database is one of a newer Clew, or of another program (exit code 2)."""

    exit_code = 2


class DiskFullError(StoreError):
    """There is no room to write in: a full disk, a quota, a limit on the size of files. The message names the file."""
