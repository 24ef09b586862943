"""Where terms stand in a text: the words to mark for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from clew.text.terms import tokeniser

MOST_CHARS = 1_000_000
"""Characters of a text that are looked through."""

_WORD = re.compile(r"[^\W_]+")


def term_places(text: str, terms: Sequence[str], language: str) -> list[tuple[int, int, int]]:
    """(start, end, place in ``terms``) of every word of ``text`` that is one of these terms, whatever its form: what
    has the same stem in ``language``. Terms of two words are marked where both stand one after the other. In the order
    of the text, none over another; of two that overlap the first of ``terms`` counts."""
    of = tokeniser(language)
    wanted = _wanted([of.ids(term).tolist() for term in terms])
    words = [(found.start(), found.end()) for found in _WORD.finditer(text, 0, MOST_CHARS)]
    ids = [tuple(row) for row in _rows(text, words, language)]
    found = [(*words[i], wanted[one]) for i, one in enumerate(ids) if one in wanted]
    for i, (one, two) in enumerate(pairwise(ids)):
        place = wanted.get((*one, *two)) if len(one) == len(two) == 1 else None
        if place is not None:
            found.append((words[i][0], words[i + 1][1], place))
    return _apart(found)


def _wanted(terms: Sequence[list[int]]) -> dict[tuple[int, ...], int]:
    """The ids of each term, to its place; those of other than one or two words are no words of a page."""
    found: dict[tuple[int, ...], int] = {}
    for place, ids in enumerate(terms):
        if 1 <= len(ids) <= 2:
            found.setdefault(tuple(ids), place)
    return found


def _rows(text: str, words: Sequence[tuple[int, int]], language: str) -> list[list[int]]:
    ids, starts = tokeniser(language).rows([text[start:end] for start, end in words])
    flat, bounds = ids.tolist(), starts.tolist()
    return [flat[first:last] for first, last in pairwise(bounds)]


def _apart(found: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    kept: list[tuple[int, int, int]] = []
    for one in sorted(found, key=lambda mark: (mark[0], mark[2])):
        if kept and one[0] < kept[-1][1]:
            if one[2] < kept[-1][2]:
                kept[-1] = one
            continue
        kept.append(one)
    return kept
