"""The piece of a text that shows why it was found."""

from __future__ import annotations

from dataclasses import dataclass

from clew.collection.query import Query
from clew.collection.tokens import places

CHARS = 240
"""A snippet's length, about."""

LOOKED_AT = 200_000
"""Characters of a text that are looked through."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """``text`` on one line; ``marks``: (start, end) of the words looked for in it; ``cut``: text goes on before it,
    after it."""

    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    cut: tuple[bool, bool] = (False, False)


def snippet(text: str, query: Query, chars: int = CHARS) -> Snippet:
    """The piece of ``chars`` characters, about, in which most of the words stand, the first of equals; the text's
    beginning where none does."""
    flat = " ".join(text[:LOOKED_AT].split())
    hits = [
        (start, end, place)
        for start, end, token in places(flat)
        for place, part in enumerate(query.wanted)
        if part.matches(token)
    ]
    start = _start(flat, hits, chars)
    end = _word_end(flat, min(start + chars, len(flat)))
    marks: list[tuple[int, int]] = []
    for first, last, _ in hits:
        if start <= first and last <= end:
            if marks and first - start <= marks[-1][1]:
                marks[-1] = marks[-1][0], max(marks[-1][1], last - start)
            else:
                marks.append((first - start, last - start))
    return Snippet(flat[start:end], tuple(marks), (start > 0, end < len(flat) or len(text) > LOOKED_AT))


def _start(flat: str, hits: list[tuple[int, int, int]], chars: int) -> int:
    """Where the best piece begins: a few words before the first hit in it."""
    best, most, last = 0, (0, 0), 0
    for first, (begin, _, _) in enumerate(hits):
        last = max(last, first)
        while last < len(hits) and hits[last][1] <= begin + chars - chars // 4:
            last += 1
        found = len({place for _, _, place in hits[first:last]}), last - first
        if found > most:
            best, most = begin, found
        if last - first > chars:  # overlapping pieces of unspaced scripts
            break
    start = max(0, best - chars // 4)
    if start and not flat[start - 1].isspace():
        space = flat.find(" ", start, best)
        start = space + 1 if space >= 0 else start
    return start


def _word_end(flat: str, end: int) -> int:
    if end >= len(flat) or flat[end].isspace():
        return end
    space = flat.rfind(" ", max(0, end - 40), end)
    return space if space > 0 else end
