"""The tags of a page as the tokeniser of the HTML standard finds them, without a parser.

What counts the tags of a page to bound what it costs to parse must see those that a parser sees: neither those in
comments, scripts and quoted values (``<div a="</div>">``), nor fewer. Of the tree only so much is known as tells
whether ``<title>`` in a drawing holds tags. Every look at the text is one pass over it, whatever is left open in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_SPACE = r"[ \t\n\r\f]"
_BARE = r"[^ \t\n\r\f/>]"
_VALUE = r""""[^"]*+"?+|'[^']*+'?+|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+"""
ATTRIBUTE = rf"""{_BARE}[^ \t\n\r\f/>=]*+(?:{_SPACE}*+={_SPACE}*+(?:{_VALUE})?+)?+"""
"""A name, perhaps with a value; a quote that is never closed takes the rest of the page."""

_MARKUP = re.compile(
    rf"<(?:(?P<comment>!--(?:-?>)?+)|(?P<bogus>[!?]|/(?=[^a-z>]))"
    rf"|(?P<end>/?)(?P<name>[a-z]{_BARE}*+)(?P<attributes>(?:[ \t\n\r\f/]++|{ATTRIBUTE})*+)(?:>|\Z))",
    re.I,
)
_COMMENT_END = re.compile(r"--!?>")
_SCRIPT = re.compile(r"<!---*+>|(<!--)|(-->)|<(/?)script(?=[ \t\n\r\f/>])", re.I)
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.I)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
_FOREIGN = frozenset(("svg", "math"))
_HTML_IN_FOREIGN = frozenset(("title", "desc", "foreignobject", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"))
_END_FOREIGN = _set(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
"""Tags at which a drawing or formula ends, closed or not."""

_NEAR = 8
"""Ends of drawings and of what holds text in them are matched with so many that are open, the last ones."""


def tags(text: str) -> Iterator[tuple[re.Match[str], bool]]:
    """The tags of a page, with groups ``end`` (a slash), ``name`` and ``attributes``, and whether what the tag holds is
    text alone. A tag that the page ends in is the last one.

    An end that is missing hides no tags: what looks like a comment or script that is never closed is passed over.
    """
    place, missing, foreign = 0, set[str](), list[str]()
    while (found := _MARKUP.search(text, place)) is not None:
        place = found.end()
        name = (found["name"] or "").lower()
        if not name:
            place = _after(text, found, missing, bool(foreign) and foreign[-1] in _FOREIGN)
            continue
        raw = name in _RAW_ENDS and not (foreign and foreign[-1] in _FOREIGN)
        yield found, raw
        if found["end"]:
            _close(name, foreign)
        elif raw and name not in missing:
            place = _after_raw(text, name, place, missing)
        elif not found["attributes"].endswith("/"):
            _open(name, foreign)


def _after(text: str, found: re.Match[str], missing: set[str], foreign: bool) -> int:
    """Where a comment, declaration, instruction or CDATA section ends; right behind its start if it never does."""
    place, kind, end = found.end(), ">", -1
    if found["comment"]:
        if found["comment"].endswith(">") or "-->" in missing:
            return place
        kind = "-->"
        closed = _COMMENT_END.search(text, place)
        end = closed.end() if closed is not None else -1
    else:
        if foreign and text.startswith("[CDATA[", place):
            kind = "]]>"
        if kind not in missing:
            end = text.find(kind, place)
            end = end + len(kind) if end >= 0 else -1
    if end < 0:
        missing.add(kind)
        return place
    return end


def _after_raw(text: str, name: str, place: int, missing: set[str]) -> int:
    """Where text ends that is no markup, with its end tag."""
    found = _RAW_ENDS[name].search(text, place) if name != "script" else None
    start = _script_end(text, place) if name == "script" else found.start() if found is not None else -1
    closed = _MARKUP.match(text, start) if start >= 0 else None
    if closed is None:
        missing.add(name)
        return place
    return closed.end()


def _script_end(text: str, place: int) -> int:
    """Where the end tag of a script begins, -1 if there is none: a script in a comment in a script is part of it."""
    escaped = inner = False
    for found in _SCRIPT.finditer(text, place):
        if found.lastindex == 1:
            escaped = True
        elif found.lastindex != 3:  # the end of a comment
            escaped = inner = False
        elif not found[3]:
            inner = escaped
        elif not inner:
            return found.start()
        else:
            inner = False
    return -1


def _open(name: str, foreign: list[str]) -> None:
    inside = bool(foreign) and foreign[-1] in _FOREIGN
    if name in _FOREIGN or (inside and name in _HTML_IN_FOREIGN):
        foreign.append(name)
    elif inside and name in _END_FOREIGN:
        while foreign and foreign[-1] in _FOREIGN:
            foreign.pop()


def _close(name: str, foreign: list[str]) -> None:
    if name in _FOREIGN or name in _HTML_IN_FOREIGN:
        for back in range(1, min(len(foreign), _NEAR) + 1):
            if foreign[-back] == name:
                del foreign[-back:]
                return
