"""Cookies of one run: kept in memory, sent back to the host that set them and to no other (RFC 6265, narrowed).

Every cookie is a host-only one, whatever its Domain says: nothing crosses from one host to another, not even to a
subdomain, and no list of public suffixes is needed. Hosts, cookies a host and bytes are bounded.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from clew.text.httpmessage import Headers

HOSTS: Final = 5_000
"""Hosts whose cookies are kept: those that set one last."""

COOKIES: Final = 50
"""Cookies a host: those that were set last (RFC 6265 section 6.1)."""

BYTES: Final = 4_096
"""Bytes of a cookie, name and value, and of all that are sent in one request."""

_UNFIT = re.compile(r"[\x00-\x1f\x7f;]")


@dataclass(frozen=True, slots=True)
class _Cookie:
    name: str
    value: str
    path: str
    secure: bool
    expires: float


class Jar:
    """The cookies of all hosts. Times are Unix times in seconds."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, OrderedDict[tuple[str, str], _Cookie]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._hosts.values()))

    def take(self, url: str, headers: Headers, now: float) -> bool:
        """Keep what the answer for ``url`` sets; True when that changed anything that is sent."""
        changed = False
        for name, value in headers:
            if name.lower() == "set-cookie":
                cookie = _parsed(url, value, now)
                changed = (cookie is not None and self._keep(_host(url), cookie, now)) or changed
        return changed

    def header(self, url: str, now: float) -> str:
        """The Cookie header of a request for ``url``, "" for none: longer paths first, then older cookies."""
        parts = urlsplit(url)
        kept = self._hosts.get(_host(url), OrderedDict())
        fit = [one for one in kept.values() if one.expires > now and _covers(one.path, parts.path or "/")]
        fit = [one for one in fit if parts.scheme == "https" or not one.secure]
        fit.sort(key=lambda one: -len(one.path))
        header = ""
        for one in fit:
            longer = f"{header}; {one.name}={one.value}" if header else f"{one.name}={one.value}"
            if len(longer.encode()) > BYTES:
                break
            header = longer
        return header

    def _keep(self, host: str, cookie: _Cookie, now: float) -> bool:
        place = cookie.name, cookie.path
        if cookie.expires <= now:
            return self._hosts.get(host, OrderedDict()).pop(place, None) is not None
        kept = self._hosts.setdefault(host, OrderedDict())
        self._hosts.move_to_end(host)
        while len(self._hosts) > HOSTS:
            self._hosts.popitem(last=False)
        old = kept.get(place)
        kept[place] = cookie
        while len(kept) > COOKIES:
            kept.popitem(last=False)
        return old is None or old.value != cookie.value


def _parsed(url: str, text: str, now: float) -> _Cookie | None:
    """A Set-Cookie header (section 5.2); None for what is none, too large, or for another host."""
    first, *rest = text.split(";")
    name, equals, value = first.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name or _UNFIT.search(name + value) or len((name + value).encode()) > BYTES:
        return None
    attributes = {key.strip().lower(): given.strip() for key, _, given in (part.partition("=") for part in rest)}
    host, secure = _host(url), "secure" in attributes
    domain = attributes.get("domain", "").lower().strip(".")
    if domain and host != domain and not host.endswith(f".{domain}"):
        return None
    if name.lower().startswith(("__secure-", "__host-")) and not (secure and url.startswith("https:")):
        return None
    path = attributes.get("path", "")
    own = urlsplit(url).path
    path = path if path.startswith("/") else own[: own.rfind("/")] or "/"
    return _Cookie(name, value, path, secure, _end(attributes, now))


def _end(attributes: dict[str, str], now: float) -> float:
    """When a cookie ends; never for one of the session. Max-Age beats Expires."""
    age = attributes.get("max-age", "")
    if re.fullmatch(r"-?[0-9]{1,12}", age):
        return now + int(age)
    try:
        when = parsedate_to_datetime(attributes.get("expires", "").replace("-", " "))
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return float("inf")


def _covers(path: str, asked: str) -> bool:
    """Whether a cookie of ``path`` is for ``asked`` (section 5.1.4)."""
    return asked == path or (asked.startswith(path) and (path.endswith("/") or asked[len(path)] == "/"))


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").rstrip(".")
