"""What a search asks for: words that must all occur, "quoted phrases", -exclusions and beginnings*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.collection.tokens import tokens, unspaced
from clew.errors import InputError

HINT = 'write words, "quoted phrases", -word for what must not occur, and begin* for words that begin so'

_QUOTES = str.maketrans("“”„«»", '"""""')
_PART = re.compile(r'(-?)"([^"]*)"|(\S[^\s"]*)')


@dataclass(frozen=True, slots=True)
class Part:
    """``words`` one after the other, the last one as a beginning where it is a ``prefix``."""

    words: tuple[str, ...]
    prefix: bool = False

    def matches(self, token: str) -> bool:
        """Whether a token of a text is one of the words."""
        return token in self.words or (self.prefix and token.startswith(self.words[-1]))


@dataclass(frozen=True, slots=True)
class Query:
    """All of ``wanted`` must occur, none of ``unwanted`` may."""

    wanted: tuple[Part, ...]
    unwanted: tuple[Part, ...] = ()


def parse(text: str) -> Query:
    """A query as people write it. Words are found in any order; what joins letters (e-mail, don't) joins a phrase.

    Raises InputError for a quotation that is not closed, for exclusions alone, and where there is no word.
    """
    plain = text.translate(_QUOTES)
    if plain.count('"') % 2:
        rest = plain[plain.rindex('"') :][:40]
        raise InputError(f'the quotation {rest} is not closed: end it with ", or leave the mark out')
    wanted: list[Part] = []
    unwanted: list[Part] = []
    for minus, part in _parts(plain):
        (unwanted if minus else wanted).append(part)
    if not wanted and unwanted:
        raise InputError(f"{text!r} only says what must not occur: add a word that must")
    if not wanted:
        raise InputError(f"{text!r} holds no word to look for: {HINT}")
    return Query(tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted)))


def _parts(text: str) -> Iterator[tuple[bool, Part]]:
    """(whether it must not occur, what) for each word and quotation; what holds no letter is left out."""
    for minus, quoted, word in _PART.findall(text):
        bare = word.removeprefix("-") if word else quoted
        _check(text, word, bare)
        found = tuple(tokens(bare))
        if not found and bare.endswith("*"):
            raise InputError(f"{word or quoted!r}: a * needs the beginning of a word before it")
        if found:
            prefix = bare.endswith("*") or (len(found) == 1 == len(found[0]) and unspaced(found[0]))
            yield bool(minus) or word.startswith("-"), Part(found, prefix)


def _check(text: str, word: str, bare: str) -> None:
    if word and not bare:
        raise InputError(f'nothing stands after a - in {text!r}: write -word or -"a phrase", without a space')
    if "*" in bare[:-1]:
        raise InputError(f"{word or bare!r}: a * stands at the end, for all words that begin so")
