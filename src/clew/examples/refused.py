"""Pages of the crawl of which the user wants no archetypes made: URLs in refused-archetypes.txt, one a line.

Such a page is no bad example: it may be relevant, and what it teaches is only not wanted in the judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clew.errors import InputError, UrlError
from clew.urls.canonical import canonical

REFUSED = "refused-archetypes.txt"


def read_refused(path: Path) -> list[str]:
    """Canonical URLs, each once; none when there is no file. Raises InputError naming the line that is no URL."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    found: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                found[canonical(line.strip())] = None
            except UrlError as error:
                raise InputError(f"{path} line {number}: {error}; correct or remove that line") from error
    return list(found)


def write_refused(path: Path, urls: Sequence[str]) -> None:
    """Write the list anew; the file is replaced as a whole. Raises InputError."""
    part = path.with_suffix(".part")
    try:
        part.write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
