"""One spelling for each URL, the 64-bit key that stands for it, and what can be read off it.

The canonical form is what a browser makes of a URL (the WHATWG URL standard, by ada), and then:

* only http and https, with a host; everything else is refused, with a reason;
* no fragment, since it is never sent;
* no user name and password: a link is no place to take credentials from, and they must not end up in archives and
  exports. A page that needs them answers 401, and that is right;
* no dots at the end of the host (``www.example.com.`` is ``www.example.com``);
* percent-escapes of letters, digits, ``-._~`` are decoded, once, and the hex digits of all others are capitals. Escapes
  that mean something (``%25``, ``%23``, ``%2F`` ...) stay, and so does a stray ``%``;
* no empty query: ``/a?`` is ``/a``.

The letters of the path and the order of the parameters stay: servers may tell them apart. The form is stable:
``canonical(canonical(u)) == canonical(u)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final
from urllib.parse import quote, unquote

import ada_url
import numpy as np

from clew.errors import UrlError
from clew.model import Keys

__all__ = [
    "LONGEST",
    "Canonicaliser",
    "canonical",
    "file_level",
    "host",
    "key",
    "keys",
    "origin",
    "parted",
    "scheme",
    "url_words",
]

LONGEST: Final = 65_536
"""Longer hrefs are not even parsed, longer URLs refused; ``scope.url_length`` is the limit that users set."""

LONGEST_HOST: Final = 1_000
"""Longer hosts are not parsed: names have 253 characters at most, and parsing takes the square of the length."""

_LONG_HOST = re.compile(rf"\s*+[^/\\?#]*+[/\\]{{2,}}+[^/\\?#]{{{LONGEST_HOST}}}")

_MEMO_LONGEST: Final = 2_048
_MEMO_SIZE: Final = 1 << 15
_ORIGINS: Final = 1 << 15

_C0_OR_SPACE: Final = "".join(map(chr, range(0x21)))
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_SURROGATE = re.compile("[\ud800-\udfff]")
_HTTP: Final = ("http://", "https://")

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}|%[0-9A-Fa-f]?(?:%[0-9A-Fa-f]{2}){1,2}")
"""An escape; or a stray % and the escapes after it which, decoded, would make it look like one (``%%34%31``)."""

_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES = {
    f"%{high}{low}": character if (character := chr(int(high + low, 16))) in _UNRESERVED else f"%{high}{low}".upper()
    for high in "0123456789ABCDEFabcdef"
    for low in "0123456789ABCDEFabcdef"
}

_PLAIN = re.compile(r"(?:/(?!\.)[!$&(-.0-:=@-Z\[\]_a-z|~]*+)++(?=\#|\Z)")
"""A path in canonical form already, as most are: without dot segments, escapes, parameters and query."""

_DONE = re.compile(
    r"/(?:[!$&(-;=?-Z\[\]_a-z|~]++"  # what stays as it is both in a path and in a query
    r"|%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF]))*+(?=\#|\Z)"
)
"""Path and query in canonical form already, unless they hold a dot segment or an empty query."""


def canonical(url: str, base: str | None = None) -> str:
    """The canonical form of ``url``, relative to ``base`` (None or "": ``url`` must be absolute).

    Raises UrlError, with the reason, for what cannot be crawled.
    """
    return _canonical(url, base or None, LONGEST)


def _canonical(url: str, base: str | None, longest: int) -> str:
    if len(url) > longest:
        raise UrlError(url, f"longer than {longest:,} characters")
    if len(url) > LONGEST_HOST and _LONG_HOST.match(url):
        raise UrlError(url, f"its host is longer than {LONGEST_HOST:,} characters")
    result = _finished(_resolved(url, base), url)
    if len(result) > longest:
        raise UrlError(url, f"longer than {longest:,} characters when written in full")
    return result


def _resolved(url: str, base: str | None) -> str:
    """What a browser makes of ``url``. Raises UrlError."""
    try:
        return ada_url.join_url(base, url) if base else ada_url.normalize_url(url)
    except ValueError:
        pass
    whole, whole_base = _SURROGATE.sub("\ufffd", url), base and _SURROGATE.sub("\ufffd", base)  # as browsers do
    if whole == url and whole_base == base:
        raise UrlError(url, _why_malformed(url, base))
    return _resolved(whole, whole_base)


def _finished(href: str, url: str) -> str:
    """The rules that go beyond the browser's. ``href`` is in the browser's form, ``url`` as it was found."""
    if not href.startswith(_HTTP):
        raise UrlError(url, f"the scheme is {href.partition(':')[0]}, not http or https")
    href = href.partition("#")[0]
    start, end = href.index("//") + 2, href.index("/", 8)
    authority, tail = href[start:end], href[end:]
    if "@" in authority or authority.endswith(".") or ".:" in authority:
        bare = _bare(authority, url)
        # a host without its last dot may read anew: 0x7f.1.. is a name, 0x7f.1 an address
        return _finished(_resolved(f"{href[:start]}{bare}{tail}", None), url)
    if "%" in tail:
        tail = _ESCAPE.sub(_normal_escape, tail)
    if tail.find("?") == len(tail) - 1:
        tail = tail[:-1]
    return f"{href[:end]}{tail}"


def _bare(authority: str, url: str) -> str:
    """Host and port without credentials, and without dots at the end of the host."""
    name, port = parted(authority.rpartition("@")[2])
    name = name.rstrip(".")
    if not name:
        raise UrlError(url, "it has no host")
    return f"{name}:{port}" if port else name


def _normal_escape(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) == 3:
        return _ESCAPES[text]
    stray = 2 if len(text) % 3 == 2 else 1
    return text[:stray] + text[stray:].upper()


def _why_malformed(url: str, base: str | None) -> str:
    """What is wrong with a URL that a browser cannot parse, in words."""
    text = re.sub(r"[\t\n\r]", "", url.strip(_C0_OR_SPACE))
    found = _SCHEME.match(text)
    if base and not (ada_url.check_url(base) and (found or base.lower().startswith(_HTTP))):
        return f"it is relative to {base[:200]!r}, which is no http or https URL"
    if found and found[1].lower() not in ("http", "https"):
        return f"the scheme is {found[1].lower()}, not http or https"
    if not found and not base:
        return "it does not begin with http:// or https://"
    return _why_authority(re.split(r"[/\\?#]", text[found.end() if found else 0 :].lstrip("/\\"), maxsplit=1)[0])


def _why_authority(authority: str) -> str:
    name, _, port = authority.rpartition("@")[2].partition("]:" if "]" in authority else ":")
    if not name:
        return "it has no host"
    if port and not (port.isascii() and port.isdigit() and int(port[:9]) <= 65_535):
        return f"{port[:50]!r} is no port"
    return f"{name[:100]!r} is no host name"


class _Place:
    """A base URL taken apart, so that most links need only be put behind a piece of it."""

    __slots__ = ("base", "directory", "here", "origin", "path", "root", "scheme", "usable")

    def __init__(self, base: str, canonical: bool = False) -> None:
        """``canonical``: the base is known to be in canonical form."""
        self.base = self.here = base
        if not canonical:
            try:
                self.here = _canonical(base, None, LONGEST)
            except UrlError:
                self.here = ""
        self.usable = bool(self.here)
        self.path = self.here.partition("?")[0]
        self.directory = self.path[: self.path.rfind("/") + 1]
        self.origin = origin(self.here) if self.usable else ""
        self.root = f"{self.origin}/"
        self.scheme = self.here.partition("/")[0]

    def absolute(self, href: str) -> str | None:
        """An absolute URL that means the same as ``href`` means here; None for the unusual, which ada must resolve."""
        first = href[:1]
        if first <= " " or href[-1] <= " ":
            href = href.strip(_C0_OR_SPACE)
            first = href[:1]
        if first == "h" and href.startswith(_HTTP):
            return href
        if first == "/":
            if href[1:2] == "/":
                return self.scheme + href
            return None if href[1:2] in _CONFUSING else self.origin + href
        if first in _NO_NAME:
            return self._unnamed(href)
        before, colon, after = href.partition(":")
        if colon and "/" not in before and "?" not in before:
            return _with_scheme(href, before, after)
        return self._upwards(href) if first == "." else self.directory + href

    def _unnamed(self, href: str) -> str | None:
        """Hrefs that stay on the page: empty, a fragment, a query."""
        if href[:1] == "?":
            return self.path + href
        return None if href[:1] == "\\" else self.here

    def _upwards(self, href: str) -> str:
        """``../x``: climbing here spares the common case the parser."""
        directory = self.directory
        start = 2 if href.startswith("./") else 0
        while href.startswith("../", start):
            start += 3
            if directory != self.root:
                directory = directory[: max(directory.rfind("/", 0, -1), len(self.origin)) + 1]
        return directory + href[start:]


def _with_scheme(href: str, before: str, after: str) -> str | None:
    """``href`` if it is absolute for certain: ``http:x`` may be relative, and schemes may have tabs in them."""
    certain = before.isascii() and before.isalpha()
    return href if certain and (before.lower() not in ("http", "https") or after.startswith("//")) else None


_CONFUSING: Final = frozenset("\\\t\n\r")
_NO_NAME: Final = frozenset(("", "?", "#", "\\"))
_NEVER: Final = "(?!)"
_JSESSIONID = re.compile(r";(?i:jsessionid)=[^;/?]*")


class Canonicaliser:
    """Turns the hrefs of pages into canonical URLs of the project; quick, and never an exception.

    ``drop_parameters`` are names of parameters that are taken out, whatever their case; ``*`` stands for any letters.
    Where ``jsessionid`` is among them, ``;jsessionid=...`` is taken out of paths too. Nothing else is. URLs of more
    than ``max_length`` characters are refused.

    Nearly all links are absolute or relative in a simple way and need no parser; the others take the way of
    ``canonical``, with the same results. What was met is remembered, up to 65,536 URLs; the copies that worker
    processes get begin with nothing remembered.
    """

    def __init__(self, drop_parameters: Sequence[str] = (), max_length: int = 2_000) -> None:
        self.drop_parameters = tuple(drop_parameters)
        self.max_length = max_length
        self._longest = max(LONGEST, max_length)
        names = "|".join(_name_pattern(name) for name in self.drop_parameters if name)
        self._name = re.compile(names, re.IGNORECASE) if names else None
        self._path_parameter = bool(self._name and self._name.fullmatch("jsessionid"))
        droppable = [rf"[?&](?i:{names})(?=[=&]|\Z)"] if names else [_NEVER]
        self._droppable = re.compile("|".join(droppable + [_JSESSIONID.pattern] * self._path_parameter))
        self._place = _Place("")
        self._memo: dict[str, str | None] = {}
        self._older: dict[str, str | None] = {}
        self._origins: dict[str, bool] = {}

    def __reduce__(self) -> tuple[type[Canonicaliser], tuple[tuple[str, ...], int]]:
        return Canonicaliser, (self.drop_parameters, self.max_length)

    def __call__(self, href: str, base: str) -> str | None:
        """The canonical form of ``href`` on a page whose base URL is ``base`` ("": none); None: not to be crawled."""
        place = self._place
        if place.base != base:
            done = 0 < len(base) <= self._longest and self._end(base, place.root) == len(base)
            place = self._place = _Place(base, done)
        memo, older = self._memo, self._older
        if href in memo and place.usable:  # what is remembered is absolute, and means the same everywhere
            return memo[href]
        if len(href) > self._longest or not place.usable:
            return self._tried(href, base)
        url = place.absolute(href)
        if url is None:
            return self._tried(href, base)
        if url in memo:
            return memo[url]
        end = self._end(url, place.root)
        if end:
            found = url[:end] if end <= self.max_length else None
        else:
            found = older[url] if url in older else self._tried(href, base)
        if len(memo) >= _MEMO_SIZE:
            self._older, self._memo = memo, {}
        if len(url) <= _MEMO_LONGEST:
            self._memo[url] = found
        return found

    def why_not(self, href: str, base: str) -> str:
        """Why calling this with the same arguments gives None; "" when it gives a URL."""
        try:
            self._resolve(href, base)
        except UrlError as error:
            return error.reason
        return ""

    def _end(self, url: str, near: str) -> int:
        """Where the canonical form ends in an absolute URL that begins with it; 0 when there is work to do.

        ``near`` is an origin, with its slash, that is known to be in canonical form.
        """
        start = len(near) - 1
        if not url.startswith(near):
            start = url.find("/", 8)
            if start < 0 or not self._known(url[:start]):
                return 0
        plain = _PLAIN.match(url, start)
        return plain.end() if plain else self._end_of_query(url, start)

    def _end_of_query(self, url: str, start: int) -> int:
        """The same where the path is not of the plainest."""
        found = _DONE.match(url, start)
        if found is None:
            return 0
        end = found.end()
        done = url.find("/.", start, end) < 0 and url[end - 1] != "?" and not self._droppable.search(url, start, end)
        return end if done else 0

    def _known(self, start: str) -> bool:
        """Whether scheme, host and port are in canonical form."""
        known = self._origins.get(start)
        if known is None:
            if len(self._origins) >= _ORIGINS:
                self._origins = {}
            known = self._origins[start] = self._tried(f"{start}/", "") == f"{start}/"
        return known

    def _tried(self, href: str, base: str) -> str | None:
        try:
            return self._resolve(href, base)
        except UrlError:
            return None

    def _resolve(self, href: str, base: str) -> str:
        """The slow way, which says what is right. Raises UrlError."""
        url = self._without_dropped(_canonical(href, base or None, self._longest))
        if len(url) > self.max_length:
            raise UrlError(href, f"longer than {self.max_length:,} characters (scope.url_length)")
        return url

    def _without_dropped(self, url: str) -> str:
        """A canonical URL without the parameters to be dropped, still canonical."""
        if not self._droppable.search(url):
            return url
        path, _, query = url.partition("?")
        if self._path_parameter:
            path = _canonical(_JSESSIONID.sub("", path), None, self._longest)  # "/..;jsessionid=1/" needs it
        kept = "&".join(part for part in query.split("&") if not self._is_dropped(part))
        return f"{path}?{kept}" if kept else path

    def _is_dropped(self, parameter: str) -> bool:
        return bool(self._name and self._name.fullmatch(parameter.partition("=")[0]))


def _name_pattern(name: str) -> str:
    """A regular expression for a parameter name as it stands in a URL; ``*`` stands for any letters."""
    written = re.sub(r"\*+", "*", quote(name, safe="".join(map(chr, range(0x21, 0x7F)))))
    first, *others = map(re.escape, written.split("*"))
    if not others:
        return first
    between = "".join(f"(?>[^=&]*?{part})" for part in others[:-1])  # atomic: long names cost no backtracking
    return f"{first}{between}[^=&]*{others[-1]}"


# -- keys ---------------------------------------------------------------------------------------------------


def key(url: str) -> int:
    """The 64-bit key of a canonical URL (BLAKE2b), the same in every process and run; never 0, which means *none*."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), "little") or 1


def keys(urls: Sequence[str]) -> Keys:
    """The keys of n canonical URLs, uint64[n]."""
    digests = b"".join([blake2b(url.encode(), digest_size=8).digest() for url in urls])
    found = np.frombuffer(digests, "<u8").astype(np.uint64)
    found[found == 0] = 1
    return found


# -- what can be read off a canonical URL ---------------------------------------------------------------------


def origin(url: str) -> str:
    """Scheme, host and port of a canonical URL, without the slash behind."""
    return url[: url.index("/", 8)]


def parted(authority: str) -> tuple[str, str]:
    """Host and port of what ``host`` gives; "" for the scheme's own port."""
    if authority.endswith("]") or ":" not in authority:
        return authority, ""
    name, _, port = authority.rpartition(":")
    return name, port


def scheme(url: str) -> str:
    """``http`` or ``https``."""
    return url.partition(":")[0]


def host(url: str) -> str:
    """The host of a canonical URL, with the port where it is not the scheme's own.

    It is "the substring of the URL between the protocol and the file section" (Ester and others 2001, section 2);
    two ports of a machine are two servers, to be visited, and spared, one by one.
    """
    return url.split("/", 3)[2]


def file_level(url: str) -> int:
    """How deep in its host a canonical URL lies: its number of path segments (Ester and others 2001, criterion (f))."""
    path = url.partition("?")[0] if "?" in url else url
    empty = path.count("//") - 1 + path.endswith("/")
    return path.count("/") - 2 - empty if "///" not in path else len([part for part in path.split("/")[3:] if part])


_SEPARATORS = bytes(c if chr(c).isalnum() and c < 0x80 else 0x20 for c in range(256))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[\W_]+")


def url_words(url: str) -> str:
    """The words in host, path and query of a canonical URL, with spaces between (Ester and others 2001, criterion (b)).

    Escapes are decoded (UTF-8), camelCase is parted; without scheme, ``www`` and numbers. Case is kept.
    """
    text = url.partition("//")[2].removeprefix("www.")
    if "%" in text or "xn--" in text:
        text = _NOT_WORD.sub(" ", _readable(text))
    else:
        text = text.encode().translate(_SEPARATORS).decode()
    if not text.islower():
        text = _CAMEL.sub(" ", text)
    return " ".join([word for word in text.split() if not word.isdecimal()])


def _readable(text: str) -> str:
    """Without escapes and Punycode; what is not UTF-8 becomes a space."""
    name, slash, tail = text.partition("/")
    if "xn--" in name:
        name = ada_url.idna_to_unicode(name)
    return f"{name}{slash}{unquote(tail, errors='replace')}".replace("\ufffd", " ")
