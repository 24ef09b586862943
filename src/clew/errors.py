"""Every error a user can meet. Each message says what is wrong, where, and what to do about it."""

from __future__ import annotations

import re

_CREDENTIALS = re.compile(r"\A(\s*(?:https?:[/\\]*|[a-z][\w+.-]*://|[/\\]{2,}))[^/\\?#]*@", re.IGNORECASE)

LONGEST_SHOWN = 200
"""Characters of a URL that messages show."""


def shown(url: str) -> str:
    """The beginning of a URL as messages and logs may show it: without user name and password."""
    return _CREDENTIALS.sub(r"\1", url[: 10 * LONGEST_SHOWN])[:LONGEST_SHOWN]


class ClewError(Exception):
    """The job failed (exit code 1)."""

    exit_code = 1


class InputError(ClewError):
    """What the user gave is wrong (exit code 2). Name the file, line, option or URL, and what to do."""

    exit_code = 2


class ConfigError(InputError):
    """A setting in clew.toml is wrong; the message names the file and the setting."""


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
