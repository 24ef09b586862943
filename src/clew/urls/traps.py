"""What URLs look like that lead into webs without end: repeated and growing paths, calendars, parameters, numbers.

A look proves nothing: all of these are found on honest sites too. It says which pages are counted together, and from
how many in a row that bring nothing new on their links are left (``clew.crawl.traps``).
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

DEEP = 8
"""Paths of more segments, each below the last page's, grow."""

REPEATED = 3
"""Names that a path has said before, from which on it repeats itself."""

HOPELESS = 6
"""A path that repeats so many names is a trap whatever its pages say."""

MANY_PARAMETERS = 4
"""From here on parameters are combinations, even if all their values are numbers."""

_DIGITS = re.compile(r"\d+")
_CALENDAR = re.compile(
    r"(?i)(?:^|[/?&;_.=-])(?:calend\w*|kalend\w*|agenda|termine|veranstaltungskalender|events?|months?|monat|mois|"
    r"years?|jahr|annee|weeks?|woche|day|date|yr|cal)(?:[/?&;_.=-]|$)|(?:^|[/=_-])(?:1[89]|2\d)\d\d[/_-]?[01]?\d(?:[/_&-]|$)"
)
_SLUG = re.compile(r"(?i)\d/(?=[^/]*[a-z])(?!index\.)[^/]*$")
"""What is filed under a date, and no date itself."""

_SEARCH = re.compile(r"(?i)(?:^|&)(?:q|query|search|s|keywords?|terms?|text|find|suche)=")
_SORT = re.compile(r"C=[NMSD][;&]O=[AD]")


class Kind(StrEnum):
    """What a URL looks like."""

    PATH = "a path that repeats itself or grows"
    CALENDAR = "a calendar"
    PARAMETERS = "combinations of parameters"
    NUMBERED = "numbered pages"


class Shape(NamedTuple):
    """URLs of one kind that belong together: those of one pattern, in which # stands for digits."""

    kind: Kind
    pattern: str


def parts(url: str) -> tuple[str, str, str]:
    """Host, path and query of a canonical URL."""
    rest = url.partition("//")[2]
    name, _, tail = rest.partition("/")
    path, _, query = tail.partition("?")
    return name, f"/{path}", query


def repetition(path: str) -> int:
    """How many segments of a path, numbers apart, stood in it before."""
    names = [segment for segment in path.split("/") if segment and not segment.isdecimal()]
    return len(names) - len(set(names))


def level(path: str) -> int:
    """How many segments a path has."""
    return len([segment for segment in path.split("/") if segment])


@lru_cache(maxsize=1 << 12)
def shape(url: str) -> Shape | None:
    """What a canonical URL looks like; None for nothing that could go on without end."""
    name, path, query = parts(url)
    if repetition(path) >= REPEATED or level(path) > DEEP:
        return Shape(Kind.PATH, name)
    if not query and not any(map(str.isdecimal, path)):
        return None
    pattern = _DIGITS.sub("#", path)
    fields = [field.partition("=") for field in re.split("[&;]", query)] if query else []
    names = sorted({field[0] for field in fields})
    if _CALENDAR.search(f"{path}?{query}" if query else path) and not _SLUG.search(path):
        return Shape(Kind.CALENDAR, f"{name}{pattern}{'?' if names else ''}{'&'.join(names)}")
    numeric = all(value.isdecimal() for _, _, value in fields)
    if len(fields) >= MANY_PARAMETERS or (len(fields) > 1 and not numeric) or _SEARCH.search(query):
        return Shape(Kind.PARAMETERS, f"{name}{pattern}?")
    return Shape(Kind.NUMBERED, f"{name}{pattern}{'?' if names else ''}{'&'.join(names)}")


def goes_on(url: str, source: str) -> bool:
    """Whether a link on page ``source`` leads on in what both look like: to more of the same shape; for paths, further
    down one that repeats itself, or that grew already."""
    found = shape(url)
    if found is None:
        return False
    if found.kind is not Kind.PATH:
        return found == shape(source)
    (name, path, _), (other, before, _) = parts(url), parts(source)
    if name != other:
        return False
    if repetition(path) >= REPEATED:
        return repetition(before) >= REPEATED - 1
    return level(before) >= DEEP and path.startswith(before[: before.rfind("/") + 1])


def is_hopeless(url: str) -> bool:
    """Whether a path repeats itself so often that no page there is worth a look."""
    return repetition(parts(url)[1]) >= HOPELESS


def is_sort_order(url: str, source: str) -> bool:
    """Whether a link sorts the directory listing that it stands on (the links of Apache's mod_autoindex)."""
    if not url.partition("?")[2]:
        return False
    name, path, query = parts(url)
    return bool(_SORT.fullmatch(query)) and (name, path) == parts(source)[:2]
