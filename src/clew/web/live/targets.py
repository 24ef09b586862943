"""URLs taken apart into what is sent, what robots.txt holds for, and whom the pauses are kept for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import ada_url

from clew.errors import shown

_PLAIN = re.compile(r"(https?://[^/?#@\\\s%]+)(/[!$-&(-;=?-Z\[\]_a-z|~]*)")
"""Start and rest of URLs whose rest the browser's algorithm leaves as it is (unless it holds a dot segment)."""
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart: as the browser writes it, its origin (scheme, host, port) and its host without port.

    User name and password are left out: a link is no place to take credentials from.
    """

    url: str
    origin: str
    host: str

    @property
    def port(self) -> int:
        """The port to connect to."""
        _, _, port = self.origin.partition("//")[2].rpartition("]")[2].partition(":")
        return int(port) if port else _PORTS[self.origin.partition(":")[0]]


def take_apart(url: str) -> Target:
    """A URL taken apart. Raises ValueError for what is no http(s) URL.

    Canonical URLs, which nearly all are, are cut behind the host, and hosts are remembered; all others go through the
    browser's algorithm.
    """
    plain = _PLAIN.fullmatch(url)
    if plain is None or "/." in plain[2] or "/%2" in plain[2]:
        return _parsed(url)
    start = _parsed_start(plain[1])
    return Target(start.url + plain[2][1:], start.origin, start.host)


def _parsed(url: str) -> Target:
    parts = ada_url.URL(url)
    if parts.protocol not in ("http:", "https:") or not parts.hostname:
        raise ValueError(f"{shown(url)!r} is no http or https URL")
    parts.username = parts.password = ""
    return Target(parts.href.partition("#")[0], parts.origin, parts.hostname.rstrip("."))


@lru_cache(maxsize=4096)
def _parsed_start(start: str) -> Target:
    """Scheme, host and port, with the path that they stand for alone."""
    return _parsed(f"{start}/")
