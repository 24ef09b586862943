"""HTML before it is parsed: what would take a parser for ever is taken out.

Every look at the text is one pass over it, whatever is left open in it.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from clew.text.tagnames import TagNames, among, codes
from clew.text.tags import ATTRIBUTE, tags

MAX_TAGS = 10_000
"""Pages with more tags are checked for their depth before they are parsed, others that look deep, too."""

MAX_DEPTH = 512
"""Elements nested deeper are read as if their tags were not there; browsers draw the same line. Parsing takes
time in the square of the depth: 200,000 nested ``div`` would take minutes."""

MANY_TAGS = 2_000
"""Pages with more tags are checked for formatting that is never closed before they are parsed."""

MAX_UNCLOSED = 64
"""Formatting elements that may stay open; browsers open each of them again in every paragraph, so that 24 kB with
500 unclosed ``font`` become two million elements. With more, a page is read without formatting tags."""

MAX_ATTRIBUTES = 1_000
"""Tags with more lose them all: parsing takes time in the square of their number. Browsers read them, but nobody
writes them."""

MAX_ROOTS = 8
"""``html`` and ``body`` tags that keep their attributes: all go to the one element there is."""

LONG_PAGE = 32_768
"""Only in longer pages tags can have so many attributes that it takes noticeable time."""

LONG_VALUE = 16_384
"""Values of so many characters may be the rest of a page behind a quote that is never closed."""


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


VOID = _set("area base br col embed hr img input link meta param source track wbr")
"""Elements without content, which no end tag closes."""

_CLOSED_BY_NEXT = _set("p li dd dt td th tr tbody thead tfoot option optgroup html head body")
_UNCOUNTED = codes(VOID | _CLOSED_BY_NEXT - {"html", "head", "body"})
_FORMATTING_NAMES = _set("big b code em font i nobr small strike strong s tt u")
_FORMATTING_CODES = codes(_FORMATTING_NAMES)
_FORMATTING = re.compile(r"<(/?)(big|b|code|em|font|i|nobr|small|strike|strong|s|tt|u)(?=[\s/>])[^<>]*+>", re.I)
_SHADOW = re.compile(r"\sshadowrootmode\s*+=\s*+[\"']?(?:open|closed)(?=[\"'\s/>])", re.I)
_GIVEN = re.compile(r"<(?:big|b|code|em|font|i|nobr|small|strike|strong|s|tt|u)[\s/]", re.I)
"""Formatting that may have attributes: of elements that are the same, parsers keep three open."""

_ROOTS = codes(("html", "body"))
_ONE = re.compile(ATTRIBUTE)
SHORT_TAG = 2 * MAX_ATTRIBUTES
"""Without quotes, shorter tags have no room for too many attributes: one and what parts it from the next take two
characters."""

_IDLE = bytes(set(range(256)) - set(b"<>\"'="))
_QUOTED_END = re.compile(rb"""=(?:"[^">]*+>|'[^'>]*+>)""")
"""In a page without its idle bytes: a > that may stand in a quoted value."""

_MODEST = re.compile(
    rf"""(?:[^<]++|<(?![a-zA-Z/])|</(?![a-zA-Z])
    |</?[a-zA-Z][^ \t\n\r\f/>]{{0,{LONG_VALUE}}}+
     (?:[ \t\n\r\f/]++
       |(?!=[ \t\n\r\f]*+["'])[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+
        (?:[ \t\n\r\f]*+=[ \t\n\r\f]*+
         (?:"[^"]{{0,{LONG_VALUE}}}+"|'[^']{{0,{LONG_VALUE}}}+'|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+|(?=>)))?+
     ){{0,{MAX_ATTRIBUTES}}}+>
    )*+""",
    re.X,
)
"""As much of a page as holds no tag with too many attributes, whatever its quotes and comments hide."""


def tame(text: str, names: TagNames | None = None) -> str:
    """The page without what would take a parser for ever: far too deep nesting, far too many attributes.

    ``names`` are the page's, if they are known already.
    """
    if names is None:
        names = TagNames(text)
    before = text
    if len(text) > LONG_PAGE and not _modest(text, names):
        text = _shorten(text)
    if names.may_have("template") and "shadowrootmode" in text.lower():
        text = _show_shadows(text)
    if text is not before:
        names = TagNames(text)
    if len(names) > MANY_TAGS and _many_unclosed(text, names):
        text = _without_formatting(text)
    return _flatten(text) if len(names) > MAX_TAGS or (len(names) > 2 * MAX_DEPTH and _looks_deep(names)) else text


def _modest(text: str, names: TagNames) -> bool:
    """Whether all tags have few attributes, by looks that take no notice of comments and scripts."""
    if names.starts(_ROOTS) > MAX_ROOTS:
        return False
    if names.longest() <= SHORT_TAG and not _QUOTED_END.search(names.raw.translate(None, _IDLE)):
        return True
    found = _MODEST.match(text)
    return found is not None and found.end() == len(text)


def _show_shadows(text: str) -> str:
    """The page with declared shadow roots as elements: browsers show what is in them, unlike in other templates."""
    pieces: list[str] = []
    shown: list[bool] = []  # of the templates that are open
    done = 0
    for tag, _ in tags(text):
        if tag["name"].lower() != "template":
            continue
        if not tag["end"]:
            shown.append(_SHADOW.search(tag[0]) is not None and (not shown or shown[-1]))
            show = shown[-1]
        else:
            show = bool(shown) and shown.pop()
        if show:
            pieces += text[done : tag.start()], f"<{tag['end']}div>"
            done = tag.end()
    return "".join([*pieces, text[done:]]) if done else text


def _shorten(text: str) -> str:
    """The page without the attributes of tags that have too many, and of ``html`` and ``body`` tags but the first."""
    pieces: list[str] = []
    done = roots = 0
    for tag, _ in tags(text):
        name = tag["name"].lower()
        roots += name in ("html", "body")
        if (roots > MAX_ROOTS and name in ("html", "body")) or _has_too_many(tag["attributes"]):
            pieces += text[done : tag.start()], f"<{tag['end']}{tag['name']}>" if tag[0].endswith(">") else ""
            done = tag.end()
    return "".join([*pieces, text[done:]]) if done else text


def _has_too_many(attributes: str) -> bool:
    return len(attributes) > MAX_ATTRIBUTES and len(_ONE.findall(attributes)) > MAX_ATTRIBUTES


def _many_unclosed(text: str, names: TagNames) -> bool:
    """Whether too many formatting elements are open at the end."""
    if names.starts(_FORMATTING_CODES) <= MAX_UNCLOSED:
        return False
    if _unclosed(text) > MAX_UNCLOSED:
        return True
    if len(_GIVEN.findall(text)) <= MAX_UNCLOSED:
        return False
    found = ((tag["end"], tag["name"].lower()) for tag, _ in tags(text))  # those in quotes and comments left out
    return _unclosed("".join([f"<{end}{name}>" for end, name in found])) > MAX_UNCLOSED


def _unclosed(text: str) -> int:
    """How many formatting elements are open at the end."""
    opened: Counter[str] = Counter()
    for match in _FORMATTING.finditer(text):
        tag = match[2].lower()
        opened[tag] = max(opened[tag] + (-1 if match[1] else 1), 0)
    return opened.total()


def _without_formatting(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for tag, _ in tags(text):
        if tag["name"].lower() in _FORMATTING_NAMES:
            pieces.append(text[done : tag.start()])
            done = tag.end()
    return "".join([*pieces, text[done:]])


def _looks_deep(names: TagNames) -> bool:
    """Whether elements seem to be nested deeper than MAX_DEPTH: by all tags at once, those in comments among them."""
    counted = (names.names > 0) & ~among(names.names, _UNCOUNTED)
    depth = np.cumsum(np.where(names.ends, -1, 1) * counted)
    return bool((depth - np.minimum.accumulate(np.minimum(depth, 0))).max(initial=0) > MAX_DEPTH)


def _flatten(text: str) -> str:
    """The page without the tags of elements nested deeper than MAX_DEPTH."""
    opened: list[tuple[str, bool]] = []  # tag, whether it is kept
    pieces: list[str] = []
    done = 0
    for match, raw in tags(text):
        tag = match["name"].lower()
        if raw or tag in VOID or tag in _CLOSED_BY_NEXT:
            continue
        keep = _closes_kept(tag, opened) if match["end"] else len(opened) < MAX_DEPTH
        if not match["end"]:
            opened.append((tag, keep or tag == "a"))
        if not keep and tag != "a":
            pieces.append(text[done : match.start()])
            done = match.end()
    return "".join([*pieces, text[done:]]) if done else text


def _closes_kept(tag: str, opened: list[tuple[str, bool]]) -> bool:
    """Take the element that an end tag closes off the stack; whether its start tag was kept."""
    for back in range(1, min(len(opened), 8) + 1):
        if opened[-back][0] == tag:
            kept = opened[-back][1]
            del opened[-back:]
            return kept
    return len(opened) < MAX_DEPTH
