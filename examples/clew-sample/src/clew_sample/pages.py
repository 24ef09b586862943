"""Pages in a file of JSON lines, which the world and the provider share: {"url": ..., "title": ..., "html": ...}."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from clew.errors import InputError, UrlError
from clew.urls.canonical import canonical


class Line(msgspec.Struct, frozen=True):
    """A page, or a redirect to the URL ``location``."""

    url: str
    title: str = ""
    html: str = ""
    location: str = ""


def read(path: Path) -> Iterator[Line]:
    """The lines of a file, their URLs in canonical form. Raises InputError, naming file and line."""
    decoder = msgspec.json.Decoder(Line)
    try:
        with path.open("rb") as file:
            for number, text in enumerate(file, 1):
                try:
                    line = decoder.decode(text)
                    yield msgspec.structs.replace(line, url=canonical(line.url))
                except (msgspec.DecodeError, UrlError, UnicodeDecodeError) as error:
                    raise InputError(
                        f'{path} line {number}: {error}; a line is an object such as {{"url": "http://a.test/", '
                        '"title": "A page", "html": "<p>text"}'
                    ) from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give a file of JSON lines") from error
