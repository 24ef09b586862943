"""Keywords of what users say in words."""

from __future__ import annotations

from clew.text.terms import tokeniser


def keywords_of(query: str, language: str = "en") -> dict[str, float]:
    """The content words of a query in a language (ISO 639-1), each with a weight of 1; {} where it has none.

    ``"moons and the planets"`` gives ``{"moons": 1.0, "planets": 1.0}``: stop words are dropped, and of words with one
    stem all but the first.
    """
    return dict.fromkeys(tokeniser(language).words(query), 1.0)
