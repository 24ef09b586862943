"""Weighted keywords and phrases, made by hand (Ester and others 2001 section 2).

    h_k(d)       = 1 − exp(−n(d,k) · min(1, 300 / |d|))
    score(d) = Σ_k w_k · h_k(d) / Σ_{w_k>0} w_k,   cut to [0, 1]

=========  ==========================================================
symbol     name
=========  ==========================================================
k, w_k     keyword or phrase and its weight (negative: speaks against)
n(d,k)     how often it occurs in the title and body of page d
|d|        terms on the page: long pages must repeat a keyword
=========  ==========================================================

With weights of 1 and a threshold of 0.5, two keywords must both occur; one of three is not enough.
Words are matched by stem in the language of the page; a phrase is matched word after word within a DOM leaf. A keyword
between slashes, such as ``/boats? for (sale|hire)/``, is a regular expression: it is looked for in the title and the
visible text as they stand, in capitals or not. Pages then must carry their text (``needs_text``).

In a tree of topics each may have keywords of its own; a topic scores as high as the best at or below it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from clew.errors import TrainingError
from clew.judges.base import Judge, JudgeContext
from clew.judges.hierarchy import Hierarchy
from clew.judges.trained import judgement
from clew.model import Doubles, Example, Judgement, Page, TermIds
from clew.text.terms import tokeniser

FULL_LENGTH = 300.0


class KeywordsJudge(Judge):
    """A hand-made judge; it needs no examples, and text only where a keyword is a regular expression."""

    name = "keywords"

    def __init__(self, context: JudgeContext) -> None:
        super().__init__(context)
        self.tree = Hierarchy.of(context.topics)
        given = dict(context.keywords_by_topic)
        if context.keywords or not given:
            given[context.topics[0]] = context.keywords
        self.lists = tuple(WeightedWords(given.get(topic, {})) for topic in context.topics)
        self.needs_text = any(one.patterns for one in self.lists)
        if not any(one.whole > 0 for one in self.lists):
            raise TrainingError(
                "the keywords judge has no keyword with a positive weight: "
                "set [interest] keywords in clew.toml, or clew init --keywords"
            )

    @classmethod
    def reads_text(cls, context: JudgeContext) -> bool:
        lists = (context.keywords, *context.keywords_by_topic.values())
        return any(is_pattern(word) for words in lists for word in words)

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        return [judgement(self.tree, self._scores(page)) for page in pages]

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        parts = self.lists[topic].parts(page)
        return sorted(((word, part) for word, part in parts if part), key=lambda pair: -abs(pair[1]))[:limit]

    def _scores(self, page: Page) -> Doubles:
        sums = [sum(part for _, part in one.parts(page)) for one in self.lists]
        return self.tree.lifted(np.clip(np.array(sums, np.float64), 0.0, 1.0))


class WeightedWords:
    """The keywords of one topic. ``whole`` is the sum of the positive weights."""

    def __init__(self, keywords: Mapping[str, float]) -> None:
        self.keywords = dict(keywords)
        self.whole = sum(weight for weight in keywords.values() if weight > 0)
        self.patterns = {word: _pattern(word) for word in keywords if is_pattern(word)}
        self._ids: dict[str, list[TermIds]] = {}

    def parts(self, page: Page) -> list[tuple[str, float]]:
        """What each keyword adds to the score; nothing for a topic without keywords that speak for it."""
        if self.whole <= 0:
            return []
        length = len(page.leaves.ids) + len(page.title_ids)
        share = min(1.0, FULL_LENGTH / max(length, 1))
        phrases = self._phrases(page.language)
        parts = []
        for (word, weight), phrase in zip(self.keywords.items(), phrases, strict=True):
            pattern = self.patterns.get(word)
            count = occurrences(page, phrase) if pattern is None else matches(page, pattern)
            parts.append((word, weight * (1.0 - float(np.exp(-count * share))) / self.whole))
        return parts

    def _phrases(self, language: str) -> list[TermIds]:
        """The term ids of each keyword as a page in ``language`` would have them."""
        if language not in self._ids:
            terms = tokeniser(language)
            self._ids[language] = [terms.ids(word) for word in self.keywords]
        return self._ids[language]


def is_pattern(word: str) -> bool:
    """Whether a keyword is a regular expression."""
    return len(word) > 2 and word.startswith("/") and word.endswith("/")


def _pattern(word: str) -> re.Pattern[str]:
    try:
        return re.compile(word[1:-1], re.IGNORECASE)
    except re.error as error:
        where = f" at column {error.pos + 2}" if error.pos is not None else ""
        raise TrainingError(f"keyword {word} is no regular expression: {error.msg}{where}") from error


def matches(page: Page, pattern: re.Pattern[str]) -> int:
    """How often a regular expression matches in the title and the visible text of a page."""
    return sum(1 for text in (page.title, page.text) for _ in pattern.finditer(text))


def occurrences(page: Page, phrase: TermIds) -> int:
    """How often a phrase (term ids in order) stands in the title or within a leaf of a page."""
    if not len(phrase):
        return 0
    return _runs(page.title_ids, phrase, None) + _runs(page.leaves.ids, phrase, page.leaves.starts)


def _runs(ids: TermIds, phrase: TermIds, starts: np.ndarray[tuple[int], np.dtype[np.int32]] | None) -> int:
    last = len(ids) - len(phrase) + 1
    if last <= 0:
        return 0
    hits = np.flatnonzero(ids[:last] == phrase[0])
    for step in range(1, len(phrase)):
        hits = hits[ids[hits + step] == phrase[step]]
    if starts is not None and len(phrase) > 1:
        leaf = np.searchsorted(starts, hits, side="right")
        hits = hits[leaf == np.searchsorted(starts, hits + len(phrase) - 1, side="right")]
    return len(hits)
