"""The text of a robots.txt (RFC 9309): which of its rules concern us, and what they say of a URL.

Real files come with byte order marks, NUL bytes, carriage returns alone, UTF-16, gzipped, as HTML, with misspelt names
and in Latin-1. Everything that can be read is read, in time linear in the file, and a URL is matched in time linear in
the rules. Where a rule can be read in two ways, the one that keeps us out counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from clew.text.gzipped import MAGIC, unpacked

__all__ = ["Rules", "agent_token", "rules_text", "sitemaps"]

_LINE_END = re.compile(r"\r\n?|\n")
_JUNK_BEFORE = re.compile(rb"\A[^\x21-\x7e]+")
_TOKEN = re.compile(r"[^\s/;(,]*")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_HIGH = re.compile(r"%[89A-F][0-9A-F]")
_PLAIN = re.compile(r"[!#$&(-;=?-Z\[\]_a-z~]*+")
_SAFE: Final = "!#$%&()*+,/:;=?@[]"  # with letters, digits and -._~: what browsers leave as it is everywhere
_NUMBER = re.compile(r"\+?([0-9]{1,15}(?:[.,][0-9]{0,15})?|[.,][0-9]{1,15})(?:e([+-]?[0-9]{1,3})\b)?", re.IGNORECASE)
_RATE = re.compile(r"([0-9]{1,15})\s*/\s*([0-9]{1,15})\s*([smhd]?)", re.IGNORECASE)
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_ABSOLUTE = re.compile(r"https?://([^/?]*)", re.IGNORECASE)
_FIELDS: Final = frozenset(("allow", "disallow", "useragent", "crawldelay", "requestrate", "visittime", "sitemap"))
_LONGEST_FIELD: Final = 24
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES: Final = {
    f"%{high}{low}": character if (character := chr(int(high + low, 16))) in _UNRESERVED else f"%{high}{low}".upper()
    for high in "0123456789ABCDEFabcdef"
    for low in "0123456789ABCDEFabcdef"
}
_LATIN_1: Final = {f"%{byte:02X}": chr(byte) for byte in range(0x80, 0x100)}
_STRAY: Final = {0xDC00 + byte: f"%{byte:02X}" for byte in range(0x80, 0x100)}

YEAR_S: Final = 365 * 86_400.0
"""The longest pause that a file can ask for."""

LONGEST: Final = 8_192
"""Longer rules are left out: the URLs they would match are not asked for anyway."""

MOST_BYTES: Final = 512_000
"""RFC 9309 section 2.5: at least this much of a file is read."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for one agent. ``plain``: beginnings of paths and whether they are allowed; ``lengths``: theirs, the
    longest first; ``wild``: patterns with ``*`` or ``$``, the longest first, whether they allow, and the longest piece
    of text in them; ``delay_s``: the pause that is asked for, at most a year."""

    plain: dict[str, bool]
    lengths: tuple[int, ...]
    wild: tuple[tuple[str, bool, str], ...]
    delay_s: float

    @classmethod
    def of_text(cls, text: str) -> Rules:
        """The rules in a text that ``rules_text`` made."""
        plain: dict[str, bool] = {}
        wild: dict[str, bool] = {}
        delay_s = 0.0
        for line in filter(None, text.split("\n")):
            kind, value = line[0], line[1:]
            if kind == "C":
                delay_s = max(delay_s, float(value))
                continue
            rules = wild if "*" in value or value.endswith("$") else plain
            rules[value] = kind == "A" or rules.get(value, False)
        lengths = tuple(sorted({len(path) for path in plain}, reverse=True))
        longest_first = sorted(wild.items(), key=lambda rule: (-len(rule[0]), not rule[1]))
        keyed = ((pattern, allow, max(re.split(r"[*$]", pattern), key=len)) for pattern, allow in longest_first)
        return cls(plain, lengths, tuple(keyed), delay_s)

    def allows(self, path: str) -> bool:
        """Whether path and query of a URL in browsers' form may be asked for: the longest rule decides, of two equally
        long ones the one that allows (RFC 9309 section 2.2.2)."""
        path = _normal(path).replace("*", "%2A").replace("$", "%24")
        beginnings = (n for n in self.lengths if n <= len(path) and path[:n] in self.plain)
        most = next(beginnings, -1)
        allowed = most < 0 or self.plain[path[:most]]
        for pattern, allow, piece in self.wild:
            if len(pattern) < most:
                break
            if piece in path and _matches(pattern, path):
                return allow or (allowed and len(pattern) == most)
        return allowed


def rules_text(body: bytes, agent: str, host: str = "", cut: bool = False, limit: int = MOST_BYTES) -> str:
    """The rules of a robots.txt for ``agent`` (a product token), or for everybody where none are for it, a line each.

    ``host``: whose rules they are, with its port if it has one: rules that are written as URLs of other hosts are left
    out. ``cut``: the file went on, so its last line is not to be trusted. ``limit``: bytes of a gzipped file, inflated.
    """
    ours: list[str] = []
    everybody: list[str] = []
    named_us = naming = False
    groups: list[list[str]] = []
    for field, value in _fields(body, cut, limit):
        if field == "useragent":
            if not naming:
                groups = []
            naming = True
            for found in _named(value, agent):
                named_us = named_us or found == agent
                groups.append(ours if found == agent else everybody)
        elif field != "sitemap":
            naming = False
            for group in groups:
                group.extend(_rules(field, value, host))
    return "\n".join(dict.fromkeys(ours if named_us else everybody))


def sitemaps(body: bytes, cut: bool = False, limit: int = MOST_BYTES) -> list[str]:
    """The URLs of Sitemap lines, as they stand."""
    return [value for field, value in _fields(body, cut, limit) if field == "sitemap" and value]


def agent_token(user_agent: str) -> str:
    """The product token of a user agent: what comes before its version, in lower case."""
    match = _TOKEN.match(user_agent.strip().lower())
    return match[0] if match else ""


# -- lines ------------------------------------------------------------------------------------------------


def _fields(body: bytes, cut: bool, limit: int) -> Iterator[tuple[str, str]]:
    """Names, as in _FIELDS, and values of the lines that can be read."""
    if body.startswith(MAGIC):  # though no header says so
        body, whole = unpacked(body, limit)
        cut = not whole
    lines = _LINE_END.split(_decoded(body))
    if cut and len(lines) > 1:
        lines.pop()
    for line in map(str.strip, lines):
        found = _field(line.partition("#")[0].rstrip()) if line else None
        if found is not None:
            yield found


def _field(line: str) -> tuple[str, str] | None:
    """``Name: value``, ``name value``, ``two-word name value``."""
    head, colon, value = line.partition(":")
    field = _known(head) if colon else ""
    if field:
        return field, value.strip()
    words = line[: 4 * _LONGEST_FIELD].split(None, 2)
    for count in (1, 2):
        field = _known("".join(words[:count]))
        if field:
            return field, "".join(line.split(None, count)[count:])
    return None


def _known(name: str) -> str:
    """The field that a name means; "" for none."""
    return _field_called(name) if len(name) <= _LONGEST_FIELD else ""


@lru_cache(maxsize=1024)
def _field_called(name: str) -> str:
    """The same for a short name, perhaps misspelt."""
    name = re.sub(r"[\s_-]", "", name.lower())
    if name in _FIELDS:
        return name
    if name.startswith("di") and name.endswith("w") and "l" in name[2:-1] and name.isalpha():
        return "disallow"  # dissallow, disalow, diasllow, disallaw
    return "sitemap" if name == "sitemaps" else ""


def _named(value: str, agent: str) -> Iterator[str]:
    """The agents in a User-agent line that are us (``agent``) or everybody (``*``). Some name several."""
    for one in value.split(","):
        token = agent_token(one)
        if "*" in token and not token.strip("*"):
            yield "*"
        elif token and token.replace("*", "") == agent:
            yield agent


def _decoded(body: bytes) -> str:
    """Text of whatever bytes there are, without byte order mark and NUL. What is no UTF-8 becomes escapes."""
    odd, even = body[1::2].count(0), body[::2].count(0)
    if odd + even > len(body) // 3:  # UTF-16: the NULs say which byte comes first, with or without a mark
        text = body.decode("utf-16-le" if odd >= even else "utf-16-be", errors="replace")
    else:
        text = _JUNK_BEFORE.sub(b"", body).decode("utf-8", errors="surrogateescape").translate(_STRAY)
    return text.replace("\0", "").replace("\ufeff", "")


# -- rules ------------------------------------------------------------------------------------------------


def _rules(field: str, value: str, host: str) -> Iterator[str]:
    """The lines of ``rules_text`` that stand for one rule."""
    if field == "crawldelay":
        delay_s = _delay(value)
    elif field == "requestrate":
        delay_s = _rate(value)
    elif field in ("allow", "disallow") and 0 < len(value) <= LONGEST:
        yield from _path_rules(field == "allow", value, host)
        return
    else:
        return
    if delay_s > 0:
        yield f"C{delay_s!r}"


def _path_rules(allow: bool, value: str, host: str) -> Iterator[str]:
    absolute = _ABSOLUTE.match(value)
    if absolute is not None and absolute[1].lower() != host:
        return
    pattern = _pattern(value if absolute is None else value[absolute.end() :] or "/")
    yield f"{'A' if allow else 'D'}{pattern}"
    if allow and pattern.endswith("/index.html"):
        yield f"A{pattern.removesuffix('index.html')}$"  # as others read it: the folder itself is meant too
    if not allow and (twin := _as_utf8(pattern)) != pattern:
        yield f"D{twin}"


def _pattern(value: str) -> str:
    """A path pattern in the form that is matched: it begins with / or *, ``*`` and a ``$`` at the end are special."""
    path, question, query = value.partition("?")
    path = path.replace("\\", "/")
    if not path.startswith(("/", "*")):
        path = f"/{path}"
    pattern = re.sub(r"\*{2,}", "*", _normal(f"{path}{question}{query}"))
    return pattern[:-1].replace("$", "%24") + pattern[-1]


def _normal(text: str) -> str:
    """A path or pattern with escapes as RFC 9309 section 2.2.2 compares them: those of letters, digits, ``-._~`` are
    decoded, other characters than those and the reserved ones escaped, hex digits in capitals. ``'`` is the one
    reserved character that browsers escape (in queries), so it counts as its escape."""
    if _PLAIN.fullmatch(text):
        return text
    return _ESCAPE.sub(_one_escape, quote(text, _SAFE, errors="replace"))


def _one_escape(match: re.Match[str]) -> str:
    return _ESCAPES[match[0]]


def _as_utf8(pattern: str) -> str:
    """A pattern with bytes of Latin-1 as browsers write these letters in links: ``/caf%E9`` as ``/caf%C3%A9``."""
    raw = _HIGH.sub(lambda match: _LATIN_1[match[0]], pattern)
    try:
        raw.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return _normal(raw)
    return pattern


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern with ``*`` or a ``$`` at its end matches a path: each piece is looked for once, leftmost."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not rest:
        return at == len(path)
    *middle, last = rest
    for piece in middle:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if anchored:
        return len(path) - len(last) >= at and path.endswith(last)
    return path.find(last, at) >= 0


def _delay(value: str) -> float:
    """Seconds of a Crawl-delay: the number it begins with; a year for ``inf``; 0 for what is none."""
    text = value.strip().lower()
    if text.startswith(("inf", "+inf")):
        return YEAR_S
    found = _NUMBER.match(text)
    if found is None:
        return 0.0
    return min(float(f"{found[1].replace(',', '.')}e{found[2] or 0}"), YEAR_S)


def _rate(value: str) -> float:
    """Seconds between two requests of a Request-rate: 1/10, 2/10m."""
    found = _RATE.match(value.strip())
    if found is None or int(found[1]) == 0:
        return 0.0
    return min(int(found[2]) * _SECONDS[found[3].lower()] / int(found[1]), YEAR_S)
