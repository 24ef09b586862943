"""What owners ask of robots with a page: ``<meta name=robots>`` and the header ``X-Robots-Tag``.

A value is a list of directives with commas between. In a header the name of a robot and a colon may stand before
directives; these are then for that robot alone, up to the next name. Dates hold commas, colons and spaces of their own:
``unavailable_after: Wed, 25 Jun 2031 15:00:00 GMT, noindex``, and other directives have values: ``max-snippet: 20``.
When in doubt a directive counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_KNOWN = frozenset(
    {
        "all", "follow", "imageindex", "index", "max-image-preview", "max-snippet", "max-video-preview", "noai",
        "noarchive", "nocache", "nofollow", "noimageai", "noimageindex", "noindex", "none", "noodp",
        "nosnippet", "notranslate", "noydir", "unavailable_after", "indexifembedded", "nositelinkssearchbox",
    }
)  # fmt: skip
_HEADER = "x-robots-tag"
_UNTIL = "unavailable_after"
_DATE_COMMAS = 2
"""Commas in a date, at most: ``Wednesday, June 25, 2031``."""

_MONTH_DAY = re.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*+\.?[ \t]++[0-9]{1,2}")
_PARTED = re.compile(r"[\s,;|:=\"']+")
_VALUED = re.compile(r"\bmax-[a-z-]++\s*+[:=]\s*+[^\s,;|]*+")
"""A directive whose value is no directive: ``max-image-preview: none``."""

_NOTHING = frozenset({"noindex", "nofollow"})


def directives(
    headers: Iterable[tuple[str, str]], metas: Iterable[tuple[str, str]], agent: str, now: float
) -> set[str]:
    """The directives for ``agent`` (a product token in lower case) or for everybody, in lower case.

    ``headers`` are those of the response, ``metas`` names (in lower case) and contents of meta elements. ``none`` means
    noindex and nofollow, and a page that is not to be shown after a time before ``now`` (Unix time) is noindex.
    """
    ours = ("", "*", "robots", agent)
    found: set[str] = set()
    for name, content in metas:
        if name in ("robots", agent):
            found |= _of(_pieces(content), now)
    for name, value in headers:
        if name.lower() == _HEADER:
            found |= _of([piece for named, piece in _addressed(_pieces(value)) if named in ours], now)
    return found | _NOTHING if "none" in found else found


def _pieces(value: str) -> list[str]:
    """What stands between commas, in lower case; a date stays whole, with its name."""
    pieces: list[str] = []
    more = 0  # parts that may still belong to the date
    for part in value.lower().split(","):
        piece = part.strip()
        if more and (piece[:1].isdigit() or _MONTH_DAY.fullmatch(piece)):
            pieces[-1] += f", {piece}"
            more -= 1
        else:
            pieces.append(piece)
            more = _DATE_COMMAS if _UNTIL in piece else 0
    return pieces


def _addressed(pieces: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Each piece with the name of the robot that it is for ("": everybody)."""
    agent = ""
    for piece in pieces:
        before, colon, after = piece.partition(":")
        name = before.strip()
        if colon and _names_a_robot(name, after):
            agent, piece = "" if name == _HEADER else name, after.strip()  # noqa: PLW2901
        yield agent, piece


def _names_a_robot(name: str, value: str) -> bool:
    """Whether what stands before a colon is the name of a robot, and no directive that has a value."""
    if not name or name[0].isdigit() or name.startswith("max-") or _PARTED.split(name)[-1] in _KNOWN:
        return False
    return not value.strip() or not _KNOWN.isdisjoint(_PARTED.split(value)) or _VALUED.search(value) is not None


def _of(pieces: Iterable[str], now: float) -> set[str]:
    """The directives in pieces."""
    found: set[str] = set()
    for piece in pieces:
        _, _, date = piece.partition(_UNTIL)
        if date and 0 < _time(date.lstrip(" \t:=")) < now:
            found.add("noindex")
        found.update(_PARTED.split(_VALUED.sub(" ", piece)))
    return found


def _time(text: str) -> float:
    """The date of unavailable_after (RFC 822, RFC 850 or ISO 8601) as Unix time; 0 for what is none."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            when = read(text.strip())
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return 0.0
