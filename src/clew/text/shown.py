"""Text from outside, made safe to show: in a terminal, a table, a log line, a spreadsheet, JSON.

A page's title, a URL, a header or a reason may hold what is not read but obeyed or overlooked: escape sequences that
set a terminal's title or clear it (ECMA-48), line ends that forge a line, bidirectional marks that turn text around
(Unicode TR36, CVE-2021-42574), characters without width that hide in a name, formulas that a spreadsheet evaluates
(OWASP, *CSV Injection*). They are shown as text instead: ``\\x1b``, ``\\u202e``.

``shown`` is for one piece of text from outside, ``shown_lines`` for text of several lines that is about to leave: it
lets line ends pass. Whoever puts outside text into lines of his own needs the first; the second is the net below.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

import msgspec

_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What has no width or turns text around: Unicode's Default_Ignorable_Code_Point, and the line separators; without the
selectors of emoji (U+FE00 to U+FE0F) and the two joiners, which have a rule of their own."""

_JOINED = "\u0600-\u08ff\u0900-\u0dff\u0e80-\u0fff\u1000-\u109f\u1780-\u18af\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
"""Arabic, the scripts of India and their neighbours, emoji: a joiner between two of these is part of the writing."""

_JOINER = f"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{_IGNORABLE}]|{_JOINER}")
_UNSAFE_IN_LINES = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff{_IGNORABLE}]|{_JOINER}")

_FORMULA = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What a spreadsheet may take for the start of a formula, the wide forms of East Asian keyboards included."""

_CELL_START = re.compile(f"\\A(?=[\\s\"']*[{_FORMULA}])")
_AFTER_SEPARATOR = re.compile(f'([;|\t\r\n][\\s"]*)(?=[{_FORMULA}])')

_NO_NAME = re.compile(r"[^\w.-]+")


def shown(text: str) -> str:
    """One piece of text from outside with everything that would be obeyed or overlooked shown as text."""
    return _UNSAFE.sub(_as_text, text) if not text.isascii() or not text.isprintable() else text


def shown_lines(text: str) -> str:
    """The same, but for line feeds."""
    return _UNSAFE_IN_LINES.sub(_as_text, text)


def _as_text(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cell(text: str) -> str:
    """Text for a cell of a table that a spreadsheet may open: ``shown``, and a ' before what would begin a formula.

    That is at the start, and after ; | or tab, where spreadsheets of other countries part cells (OWASP).
    """
    marked = _AFTER_SEPARATOR.sub(r"\1'", _CELL_START.sub("'", text))
    return shown(marked)


def plot_label(text: str) -> str:
    """Text for a plot: ``shown``, and no formula, which matplotlib sees between two $."""
    return shown(text).replace("$", r"\$")


def file_name(text: str, most: int = 100) -> str:
    """A name of outside text as the name of a file: letters, digits, - . and _, at most ``most`` bytes, never hidden,
    never in another folder. What had to be changed for that ends in a hash, so that two names stay two."""
    name = _NO_NAME.sub("-", text).strip("-.")
    if name and name == text and len(name.encode()) <= most:
        return name
    short = name.encode()[: most - 9].decode("utf-8", "ignore")
    return f"{short or 'x'}-{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


def json_text(value: Any) -> str:
    """``value`` as one line of JSON that shows nothing unsafe: such characters are written \\uXXXX, so that whoever
    reads the JSON gets them back. Lone surrogates, which JSON readers refuse, become U+FFFD."""
    try:
        line = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        line = msgspec.json.encode(whole(msgspec.to_builtins(value))).decode()
    return _UNSAFE.sub(_as_json, line) if not line.isascii() or "\x7f" in line else line


def _as_json(match: re.Match[str]) -> str:
    pair = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{pair[start : start + 4]}" for start in range(0, len(pair), 4))


def whole(value: Any) -> Any:
    """The same with lone surrogates in its texts as U+FFFD, so that they can be written as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {whole(name): whole(one) for name, one in value.items()}
    if isinstance(value, list):
        return [whole(one) for one in value]
    return value
