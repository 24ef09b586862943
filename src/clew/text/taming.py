"""HTML before it is parsed: what would take a parser for ever is taken out.

Every look at the text is one pass over it, whatever is left open in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

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

MAX_TAG_CHARS = 65_536
"""Longer tags lose their attributes: parsing takes time in the square of the number of attributes."""


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


VOID = _set("area base br col embed hr img input link meta param source track wbr")
"""Elements without content, which no end tag closes."""

_CLOSED_BY_NEXT = _set("p li dd dt td th tr tbody thead tfoot option optgroup html head body")
_UNCOUNTED = np.array(
    [int.from_bytes(tag[:4].encode(), "little") for tag in VOID | _CLOSED_BY_NEXT - {"html", "head", "body"}], np.uint32
)
_START = re.compile(r"<(?:(!(?=--))|(script|style|textarea)(?=[\s/>])|(/?)([a-z][^\s/<>]*+)[^<>]*+>)", re.I)
"""A comment, an element whose content is no markup, or a tag. No quantifier gives back what it took, and a tag ends at
the next "<": a page of tags that are never closed is looked through once."""

_ENDS_OF = {
    "!": re.compile("--!?(?=>)"),
    **{tag: re.compile(rf"</{tag}(?=[\s/>])", re.I) for tag in ("script", "style", "textarea")},
}
_FORMATTING = re.compile(r"<(/?)(big|b|code|em|font|i|nobr|small|strike|strong|s|tt|u)(?=[\s/>])[^<>]*+>", re.I)
_SHADOW = re.compile(r"\sshadowrootmode\s*+=\s*+[\"']?(?:open|closed)(?=[\"'\s/>])", re.I)
_TAG_START = re.compile(r"<([a-zA-Z][^\s/<>]{0,32}+)[\s/]")


def tame(text: str) -> str:
    """The page without what would take a parser for ever: far too deep nesting, far too long tags."""
    if len(text) > MAX_TAG_CHARS:
        text = _shorten(text)
    if "shadowrootmode" in text:
        text = _show_shadows(text)
    tags = text.count("<")
    if tags > MANY_TAGS and _unclosed(text) > MAX_UNCLOSED:
        text = _FORMATTING.sub("", text)
    return _flatten(text) if tags > MAX_TAGS or (tags > 2 * MAX_DEPTH and _looks_deep(text)) else text


def _show_shadows(text: str) -> str:
    """The page with declared shadow roots as elements: browsers show what is in them, unlike in other templates."""
    pieces: list[str] = []
    shown: list[bool] = []  # of the templates that are open
    done = 0
    for tag in _tags(text):
        if tag[4].lower() != "template":
            continue
        if not tag[3]:
            shown.append(_SHADOW.search(tag[0]) is not None and (not shown or shown[-1]))
            show = shown[-1]
        else:
            show = bool(shown) and shown.pop()
        if show:
            pieces += text[done : tag.start()], f"<{tag[3]}div>"
            done = tag.end()
    return "".join([*pieces, text[done:]]) if done else text


def _shorten(text: str) -> str:
    """The page with tags of more than MAX_TAG_CHARS without their attributes."""
    pieces: list[str] = []
    done = before = 0
    while (end := text.find(">", before)) >= 0:
        if end - before > MAX_TAG_CHARS:
            start = _TAG_START.search(text, before, end - MAX_TAG_CHARS)
            if start is not None:
                pieces += text[done : start.start()], f"<{start[1]}>"
                done = end + 1
        before = end + 1
    return "".join([*pieces, text[done:]]) if done else text


def _tags(text: str) -> Iterator[re.Match[str]]:
    """The tags of a page, without those in comments, scripts, styles and text areas. One pass, whatever is not closed:
    an end that was looked for in vain is not looked for again."""
    place, missing = 0, set[str]()
    while (match := _START.search(text, place)) is not None:
        place = match.end()
        opened = (match[1] or match[2] or "").lower()
        if not opened:
            yield match
        elif opened not in missing:
            end = _ENDS_OF[opened].search(text, place)
            closed = text.find(">", end.end()) if end is not None else -1
            if closed < 0:
                missing.add(opened)
            else:
                place = closed + 1


def _unclosed(text: str) -> int:
    """How many formatting elements are open at the end."""
    opened: Counter[str] = Counter()
    for match in _FORMATTING.finditer(text):
        tag = match[2].lower()
        opened[tag] = max(opened[tag] + (-1 if match[1] else 1), 0)
    return opened.total()


def _looks_deep(text: str) -> bool:
    """Whether elements seem to be nested deeper than MAX_DEPTH: by all tags at once, those in comments among them."""
    raw = np.frombuffer(text.encode("utf-8", "replace") + b" " * 8, np.uint8)
    at = np.flatnonzero(raw[:-8] == ord("<")) + 1
    ends = raw[at] == ord("/")
    names = _names(raw, at + ends)
    counted = (names > 0) & ~np.isin(names, _UNCOUNTED)
    depth = np.cumsum(np.where(ends, -1, 1) * counted)
    return bool((depth - np.minimum.accumulate(np.minimum(depth, 0))).max(initial=0) > MAX_DEPTH)


def _names(raw: npt.NDArray[np.uint8], at: npt.NDArray[np.intp]) -> npt.NDArray[np.uint32]:
    """The names that begin at these places, by their first four letters: uint32[n], 0 for what is no name."""
    names = np.zeros(len(at), np.uint32)
    inside = np.ones(len(at), np.bool_)
    for place in range(4):
        letter = raw[at + place] | 0x20
        inside &= (letter >= ord("a")) & (letter <= ord("z"))
        names |= np.where(inside, letter, 0).astype(np.uint32) << (8 * place)
    return names


def _flatten(text: str) -> str:
    """The page without the tags of elements nested deeper than MAX_DEPTH."""
    opened: list[tuple[str, bool]] = []  # tag, whether it is kept
    pieces: list[str] = []
    done = 0
    for match in _tags(text):
        tag = match[4].lower()
        if tag in VOID or tag in _CLOSED_BY_NEXT:
            continue
        keep = _closes_kept(tag, opened) if match[3] else len(opened) < MAX_DEPTH
        if not match[3]:
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
