"""Host patterns: ``example.org`` is that host alone, ``.example.org`` takes in its subdomains; a port may follow."""

from __future__ import annotations

import re
from typing import Final

from clew.errors import UrlError
from clew.urls.canonical import canonical, host, parted, scheme

__all__ = ["forms", "host_pattern"]

_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_NO_HOST = re.compile(r"[/\\?#@*\s]")
_PORT = re.compile(r"[0-9]{0,5}")


def host_pattern(text: str) -> tuple[str, str]:
    """A pattern as host (with a dot before it if it takes in subdomains) and port ("": every port). Raises UrlError."""
    name, port = parted(text.removeprefix("."))
    if _NO_HOST.search(text) or not _PORT.fullmatch(port):
        raise UrlError(text, "more than a host")
    written = host(canonical(f"http://{name}/"))
    return f".{written}" if text.startswith(".") else written, port


def forms(url: str) -> list[tuple[str, str]]:
    """The patterns, as ``host_pattern`` gives them, that take in the host of a canonical URL, the narrowest first."""
    name, port = parted(host(url))
    ports = (port or _DEFAULT_PORTS[scheme(url)], "")
    return [(end, one) for end in _ends(name) for one in ports]


def _ends(name: str) -> list[str]:
    """``a.b.c``, ``.a.b.c``, ``.b.c``, ``.c``."""
    dotted = f".{name}"
    return [name, *(dotted[match.start() :] for match in re.finditer(r"\.", dotted))]
