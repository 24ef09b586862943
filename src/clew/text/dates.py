"""Dates as sitemaps and feeds write them: W3C profile of ISO 8601, or RFC 822 with its many deviations."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import mktime_tz, parsedate_tz

MAX_CHARS = 64

_W3C = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T\s]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d*)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?", re.I
)


def timestamp(text: str) -> float:
    """Unix time in seconds, or NaN for what is no date. A date without time is its first second, in UTC."""
    text = text.strip()
    if not text or len(text) > MAX_CHARS:
        return math.nan
    found = _W3C.fullmatch(text)
    try:
        return _w3c(found) if found is not None else _rfc822(text)
    except (ValueError, OverflowError, TypeError):
        return math.nan


def _w3c(found: re.Match[str]) -> float:
    year, month, day, hour, minute, second = (int(part) if part else 0 for part in found.groups()[:6])
    moment = datetime(year, month or 1, day or 1, hour, minute, min(second, 59), tzinfo=_zone(found[7] or "Z"))
    return moment.timestamp()


def _zone(text: str) -> timezone:
    if text in "zZ":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _rfc822(text: str) -> float:
    parsed = parsedate_tz(text)
    return math.nan if parsed is None else float(mktime_tz(parsed))
