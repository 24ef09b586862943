"""Text of any script as a PDF shows it that is made without a shaping engine: letters in the form they have where they
join (Arabic), and lines in the order in which they are seen (Unicode's bidirectional algorithm, UAX 9).

What outside text could do to a page (control characters, marks that turn text around) is shown as text, as everywhere
(``clew.text.shown``)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from clew.text.shown import shown

MOST = 300
"""Characters of one text that are printed; a row of a table must fit on a page."""

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_JOINS = re.compile("[\u0620-\u06ff\u0750-\u077f\u08a0-\u08ff]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\u200c\u200d]")
"""Selectors and joiners: they choose among glyphs, and are none themselves."""

_MIRRORED = str.maketrans("()[]{}<>«»‹›≤≥", ")(][}{><»«›‹≥≤")
"""What opens on the left closes there where text runs to the left (rule L4)."""

_LAM = "\u0644"
_FORMS = ("isolated", "final", "initial", "medial")

_BREAKS = "-/_=&?,;(."
"""Behind these a word may break."""

Width = Callable[[str], float]


def printable(text: str, most: int = MOST) -> str:
    """Outside text on one line, composed (NFC), at most ``most`` characters, in the order in which it is read."""
    plain = unicodedata.normalize("NFC", shown(text[: most * 4]))
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def lines(text: str, width_of: Width, width: float) -> list[str]:
    """``text`` in lines of at most ``width``, each in the order in which it is seen; ``width_of``: of a text. Lines
    break between words, and after characters where a word is wider than a line or its script has no spaces."""
    found: list[str] = []
    current = ""
    for word in joined(text).split(" "):
        longer = f"{current} {word}" if current else word
        if width_of(longer) <= width:
            current = longer
            continue
        if current:
            found.append(current)
        *whole, current = _pieces(word, width_of, width)
        found += whole
    return [seen(line) for line in (*found, current)]


def _pieces(word: str, width_of: Width, width: float) -> list[str]:
    """A word in pieces that fit, of one character at least each; behind a hyphen or slash rather than elsewhere, if
    there is one in the second half of the line."""
    found, current = [], ""
    for character in word:
        if current and width_of(current + character) > width:
            place = 1 + max(current.rfind(sign) for sign in _BREAKS)
            place = place if 2 * place > len(current) else len(current)
            found.append(current[:place])
            current = current[place:]
        current += character
    return [*found, current]


def seen(line: str) -> str:
    """A line in the order in which it is seen, from the left; it runs as its first letter does."""
    if not _RIGHT_TO_LEFT.search(line):
        return line
    from fpdf.bidi import BidiParagraph

    characters = BidiParagraph(text=line, preserve_bn_chars=True).get_reordered_characters()
    return "".join(
        one.character.translate(_MIRRORED) if one.embedding_level % 2 else one.character for one in characters
    )


def joined(text: str) -> str:
    """``text`` with Arabic letters in the forms they have beside their neighbours (Unicode 16, section 9.2), as far as
    Unicode has characters for them, and without what only chooses among glyphs."""
    if not _JOINS.search(text):
        return _SELECTORS.sub("", text)
    forms, found = _forms(), []
    letters = _with_ligatures(text, forms)
    for place, letter in enumerate(letters):
        own = forms.get(letter)
        if own is None:
            found.append(letter)
            continue
        before = _joins_after(_neighbour(letters, place, -1), forms) and "final" in own
        after = _joins_before(_neighbour(letters, place, 1), forms) and "initial" in own
        form = _FORMS[before + 2 * after]
        found.append(own.get(form) or own.get("isolated", letter))
    return _SELECTORS.sub("", "".join(found))


def _with_ligatures(text: str, forms: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The letters of a text; lam and alef, which are always written as one sign, as one."""
    found: list[str] = []
    for letter in text:
        if found and found[-1] == _LAM and _LAM + letter in forms:
            found[-1] += letter
        else:
            found.append(letter)
    return found


def _neighbour(letters: Sequence[str], place: int, step: int) -> str:
    """The next letter on one side, over the marks on letters; "" for none."""
    place += step
    while 0 <= place < len(letters) and unicodedata.combining(letters[place][0]):
        place += step
    return letters[place] if 0 <= place < len(letters) else ""


_TATWEEL = "\u0640\u200d"
"""What joins on both sides without being a letter."""


def _joins_after(letter: str, forms: Mapping[str, Mapping[str, str]]) -> bool:
    return letter != "" and (letter in _TATWEEL or "initial" in forms.get(letter, {}))


def _joins_before(letter: str, forms: Mapping[str, Mapping[str, str]]) -> bool:
    return letter != "" and (letter in _TATWEEL or "final" in forms.get(letter, {}))


@cache
def _forms() -> Mapping[str, Mapping[str, str]]:
    """By letter (or lam and alef): its characters by form, from Unicode's own table of presentation forms."""
    found: dict[str, dict[str, str]] = {}
    for code in (*range(0xFB50, 0xFBB2), *range(0xFBD3, 0xFBEA), *range(0xFBFC, 0xFC00), *range(0xFE80, 0xFEFD)):
        form, _, letters = unicodedata.decomposition(chr(code)).partition(" ")
        name = "".join(chr(int(letter, 16)) for letter in letters.split())
        if form.strip("<>") in _FORMS and (len(name) == 1 or name[0] == _LAM):
            found.setdefault(name, {}).setdefault(form.strip("<>"), chr(code))
    return found
