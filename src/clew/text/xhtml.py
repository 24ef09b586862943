"""Pages in the syntax of XML, rewritten so that an HTML parser reads them as an XML parser would.

In XML ``<title/>`` and ``<script src="x"/>`` are empty elements; an HTML parser takes all that follows for their
content. Browsers refuse what is not well-formed. Here that is read as far as it goes, since nothing is parsed but tags,
one by one: no entity is expanded, and nothing outside the page is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from clew.text.taming import VOID

_NAMESPACE = re.compile(
    r"""xmlns:([\w.-]++)\s*+=\s*+["']\s*+http://www\.w3\.org/(?:1999/xhtml|2000/svg|1998/Math/MathML)/?\s*+["']"""
)
_START = re.compile(
    r"<(?:(!--)|(!\[CDATA\[)|(\?)|(!doctype)(?=[\s>\[])"
    r"|/([^\s/<>]++)\s*+>"
    r"|([^\W\d][^\s/<>]*+)((?:[^<>\"'/]++|/(?!>)|\"[^<\"]*+\"|'[^<']*+')*+)(/?)>)",
    re.I,
)
"""A comment, a CDATA section, an instruction, a doctype, an end tag (its name), or a start tag: its name, its
attributes, and whether it is empty. A tag ends before the next "<", which no value may hold: one look, whatever is not
closed."""

_ENDS = ("-->", "]]>", "?>")
_DOCTYPE = re.compile(r"[^<>\[]*+(>|\[)")
_SUBSET_END = re.compile(r"\]\s*+>")
_COMMENT, _CDATA, _INSTRUCTION, _DECLARED, _CLOSED, _OPENED, _GIVEN, _EMPTY = range(1, 9)


def as_html(text: str) -> str:
    """A page in XML as HTML that means the same: empty elements closed, CDATA sections as text, prefixes gone,
    instructions and declarations left out."""
    prefixes = frozenset(_NAMESPACE.findall(text)) if "xmlns:" in text else frozenset[str]()
    pieces: list[str] = []
    done = 0
    for start, end, written in _changes(text, prefixes):
        pieces += text[done:start], written
        done = end
    return "".join([*pieces, text[done:]]) if done else text


def _changes(text: str, prefixes: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Where a piece of the page begins and ends, and what is written in its place."""
    place, missing = 0, set[int]()
    while (found := _START.search(text, place)) is not None:
        place, kind = found.end(), found.lastindex or 0
        if kind <= _INSTRUCTION:
            end = text.find(_ENDS[kind - 1], place) if kind not in missing else -1
            if end < 0:
                missing.add(kind)  # not to be looked for again
                continue
            if kind != _COMMENT:
                yield found.start(), end + len(_ENDS[kind - 1]), escape(text[place:end]) if kind == _CDATA else ""
            place = end + len(_ENDS[kind - 1])
        elif kind == _DECLARED:
            if kind in missing:
                continue
            missing.add(kind)  # there is one in a page
            place = _after_doctype(text, place)
            yield found.start(), place, "<!doctype html>"
        else:
            yield from _tag(found, prefixes)


def _tag(found: re.Match[str], prefixes: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """A tag that means something else in HTML."""
    name = found[_CLOSED] or found[_OPENED]
    prefix, colon, bare = name.partition(":")
    if colon and prefix in prefixes:
        name = bare
    void = name.lower() in VOID
    if found[_CLOSED]:
        if void or colon:
            yield found.start(), found.end(), "" if void else f"</{name}>"
    elif (found[_EMPTY] and not void) or colon:
        closing = f"</{name}>" if found[_EMPTY] and not void else ""
        yield found.start(), found.end(), f"<{name}{found[_GIVEN]}>{closing}"


def _after_doctype(text: str, place: int) -> int:
    """Where a doctype ends, with the declarations in it; where it began if it never ends."""
    found = _DOCTYPE.match(text, place)
    if found is None:
        return place
    end = _SUBSET_END.search(text, found.end()) if found[1] == "[" else found
    return end.end() if end is not None else place
