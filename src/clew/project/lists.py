"""Lists of a project: URLs and paths of pages, one a line."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from clew.errors import InputError, UrlError, shown
from clew.examples.sources import Wanted
from clew.urls.canonical import canonical


@dataclass(frozen=True)
class Line:
    """A line of a list: its text, and where it stands, for error messages."""

    text: str
    origin: str


def read_list(path: Path) -> list[Line]:
    """The lines of a list file, without comments (#) and blank ones. Raises InputError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    lines = (Line(line.strip(), f"{path} line {number}") for number, line in enumerate(text.splitlines(), 1))
    return [line for line in lines if line.text and not line.text.startswith("#")]


def seed_url(line: Line) -> str:
    """A line as the canonical URL of a seed. Raises InputError naming file and line."""
    try:
        return canonical(line.text)
    except UrlError as error:
        hint = f"; did you mean http://{shown(line.text)} ?" if "://" not in line.text and "." in line.text else ""
        raise InputError(f"{line.origin}: {shown(line.text)!r} is no http(s) URL ({error.reason}){hint}") from error


def example(line: Line, topic: int, base: Path) -> Wanted:
    """A line as an example: a URL, or the path of a local page relative to ``base``. Raises InputError."""
    if re.match(r"(?i)https?://", line.text):
        return Wanted(seed_url(line), topic, line.origin)
    path = base / os.path.expanduser(line.text)  # Path.expanduser raises for unknown users
    try:
        found = path.is_file()
    except OSError:  # too long for a file name, or in a folder that may not be read
        found = False
    if not found:
        raise InputError(
            f"{line.origin}: {shown(line.text)!r} is neither an http(s) URL nor a file that can be read; "
            "correct or remove that line"
        )
    return Wanted(str(path.resolve()), topic, line.origin)
