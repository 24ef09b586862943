"""The query of a URL in the charset of the page it stands on, as browsers send it (URL standard, query state).

A form or script of a site in windows-1251 reads its own bytes; in UTF-8 it would look for other words. What the charset
lacks becomes a character reference (``&#1234;``), percent-encoded. UTF-16 and UTF-32 count as UTF-8, and so does every
charset that browsers do not know. The encoders follow the Encoding standard where Python's differ from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from clew.text import charset

_BEYOND = re.compile("[^\x00-\x7f]+")
_IGNORED = str.maketrans("", "", "\t\n\r")  # in URLs
_LITERAL = frozenset(range(0x21, 0x7F)) - frozenset(b"\"#<>'")
"""Bytes that stay as they are in the query of an http URL."""

_ROWS = 94
_PLACES = 120 * _ROWS
_IBM_AGAIN = range(8272, 8836)

_JIS_FORMS = {
    "\u301c": "\uff5e",
    "\u2016": "\u2225",
    "\u2212": "\uff0d",
    "\xa2": "\uffe0",
    "\xa3": "\uffe1",
    "\xac": "\uffe2",
}
"""Characters that Python decodes from EUC-JP and ISO-2022-JP, and what browsers decode."""

_ASCII, _ROMAN, _JIS = b"\x1b(B", b"\x1b(J", b"\x1b$B"

Encoder = Callable[[str], bytes | None]


class Queries:
    """Writes the hrefs of one page with their queries in the charset of that page; called only for those that are not
    ASCII, it finds that out when it is first called."""

    def __init__(self, body: bytes, content_type: str, name: str) -> None:
        """``name`` is that of the charset in which ``body`` was read."""
        self._page = (body, content_type, name)
        self._encode: Callable[[str], str] | None = None

    def __call__(self, href: str) -> str:
        before, mark, after = href.partition("?")
        if not mark or "#" in before or after.isascii():
            return href
        if self._encode is None:
            self._encode = _encoding(charset.of_queries(*self._page))
        query, sign, fragment = after.partition("#")
        return f"{before}?{self._encode(query.translate(_IGNORED))}{sign}{fragment}"


def _encoding(name: str) -> Callable[[str], str]:
    """What percent-encodes whole queries for a charset; characters of ASCII stay as they are."""
    if name == "iso-2022-jp":
        return _iso_2022_jp
    encode = _ENCODERS.get(name) or _of_codec(charset.codec_of(name))
    if name.startswith("utf") or name in _UNKNOWN or encode is None:
        return str
    return lambda query: _BEYOND.sub(lambda run: "".join([_escaped(encode(one), one) for one in run[0]]), query)


def _escaped(raw: bytes | None, character: str) -> str:
    if raw is None:
        return f"%26%23{_number(character)}%3B"
    return "".join([chr(byte) if byte in _LITERAL else f"%{byte:02X}" for byte in raw])


def _number(character: str) -> int:
    number = ord(character)
    return 0xFFFD if 0xD800 <= number < 0xE000 else number


# -- encoders: one character beyond ASCII to its bytes, None for what the charset lacks ---------------------------


def _of_codec(codec: str) -> Encoder | None:
    """By Python's codec."""
    if not codec:
        return None
    single = not codec.startswith(("cp949", "johab", "iso2022"))

    def encode(character: str) -> bytes | None:
        try:
            return character.encode(codec)
        except UnicodeEncodeError:
            return character.encode("latin-1") if single and "\x80" <= character <= "\x9f" else None

    return encode


def _gb18030(character: str) -> bytes | None:
    try:
        return character.encode("gb18030")
    except UnicodeEncodeError:
        return None


def _gbk(character: str) -> bytes | None:
    if character == "€":
        return b"\x80"
    raw = _gb18030(character)
    return raw if raw is not None and len(raw) < 4 else None


def _big5(character: str) -> bytes | None:
    try:
        raw = character.encode("big5hkscs")
    except UnicodeEncodeError:
        return None
    return raw if raw[0] >= 0xA1 else None  # browsers read the characters of Hong Kong before, and do not write them


def _shift_jis(character: str) -> bytes | None:
    if character in "\x80\xa5\u203e":
        return {"\x80": b"\x80", "\xa5": b"\\", "\u203e": b"~"}[character]
    if "\uff61" <= character <= "\uff9f":
        return bytes((ord(character) - 0xFF61 + 0xA1,))
    place = _jis_index(later=True).get("\uff0d" if character == "\u2212" else character)
    return None if place is None else _shifted(place)


def _euc_jp(character: str) -> bytes | None:
    if character in "\xa5\u203e":
        return b"\\" if character == "\xa5" else b"~"
    if "\uff61" <= character <= "\uff9f":
        return bytes((0x8E, ord(character) - 0xFF61 + 0xA1))
    return _jis(character, 0xA1)


def _jis(character: str, first: int) -> bytes | None:
    """Row and cell in the JIS X 0208 index, counted from ``first``."""
    place = _jis_index().get(_JIS_FORMS.get(character, character), _ROWS * _ROWS)
    return None if place >= _ROWS * _ROWS else bytes((place // _ROWS + first, place % _ROWS + first))


@lru_cache(maxsize=2)
def _jis_index(later: bool = False) -> dict[str, int]:
    """The JIS X 0208 index of the Encoding standard: character -> its first place among rows of 94.

    ``later``: without the places that Shift_JIS leaves to later copies of the same characters.
    """
    index: dict[str, int] = {}
    for place in range(_PLACES):
        character = "" if later and place in _IBM_AGAIN else _shifted(place).decode("cp932", "ignore")
        if len(character) == 1:
            index.setdefault(character, place)
    return index


def _shifted(place: int) -> bytes:
    """A place of the index in Shift_JIS."""
    lead, trail = divmod(place, 2 * _ROWS)
    return bytes((lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)))


def _iso_2022_jp(query: str) -> str:
    return "".join(_iso_2022_jp_pieces(query))


def _iso_2022_jp_pieces(query: str) -> Iterator[str]:
    """The charset in which every text begins and ends in ASCII, and changes are written as escape sequences."""
    state = _ASCII
    for one in query:
        character = _FULL_KANA.get(one, one)
        raw = character.encode() if character < "\x80" else None
        wanted = _ROMAN if state == _ROMAN and raw not in (b"\\", b"~") else _ASCII
        if character in "\xa5\u203e":
            raw, wanted = (b"\\" if character == "\xa5" else b"~"), _ROMAN
        elif raw is None and (raw := _jis(character, 0x21)) is not None:
            wanted = _JIS
        if wanted != state:
            yield _escaped(wanted, "")
            state = wanted
        yield one if one < "\x80" else _escaped(raw, one)
    if state != _ASCII:
        yield _escaped(_ASCII, "")


_FULL_KANA = dict(
    zip(
        map(chr, range(0xFF61, 0xFFA0)),
        "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜",
        strict=True,
    )
)
_ENCODERS: dict[str, Encoder] = {
    "gb18030": _gb18030,
    "gbk": _gbk,
    "big5": _big5,
    "shift_jis": _shift_jis,
    "euc-jp": _euc_jp,
}
_UNKNOWN = frozenset({"iso-2022-kr", "hz", "johab", "utf-7"})
"""Charsets that Clew reads and browsers do not."""
