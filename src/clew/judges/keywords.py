"""Weighted keywords and phrases, made by hand (papers/3 section 2, ARI-12).

    h_k(d)       = 1 − exp(−n(d,k) · min(1, 300 / |d|))
    relevance(d) = Σ_k w_k · h_k(d) / Σ_{w_k>0} w_k,   cut to [0, 1]

=========  ==========================================================
symbol     name
=========  ==========================================================
k, w_k     keyword or phrase and its weight (negative: speaks against)
n(d,k)     how often it occurs in the title and body of page d
|d|        terms on the page: long pages must repeat a keyword
=========  ==========================================================

With weights of 1 and a threshold of 0.5, two keywords must both occur; one of three is not enough.
Words are matched by stem in the language of the page; a phrase is matched word after word within a DOM leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clew.errors import TrainingError
from clew.model import OTHER, Example, Judgement, Page, TermIds
from clew.text.terms import tokeniser

FULL_LENGTH = 300.0


class KeywordsJudge:
    """A hand-made judge of one topic; it needs no examples."""

    name = "keywords"

    def __init__(self, topics: tuple[str, ...], keywords: Mapping[str, float]) -> None:
        if not any(weight > 0 for weight in keywords.values()):
            raise TrainingError(
                "the keywords judge has no keyword with a positive weight: "
                "set [interest] keywords in clew.toml, or clew init --keywords"
            )
        self.topics = topics
        self.keywords = dict(keywords)
        self._ids: dict[str, list[TermIds]] = {}

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        return [self._judge(page) for page in pages]

    def explain(self, page: Page, limit: int = 12) -> list[tuple[str, float]]:
        parts = zip(self.keywords, self._parts(page), strict=True)
        return sorted(((word, part) for word, part in parts if part), key=lambda pair: -abs(pair[1]))[:limit]

    def _judge(self, page: Page) -> Judgement:
        relevance = min(1.0, max(0.0, sum(self._parts(page))))
        scores = np.zeros(len(self.topics), np.float32)
        scores[0] = relevance
        return Judgement(scores, 0 if relevance >= 0.5 else OTHER, abs(2 * relevance - 1))

    def _parts(self, page: Page) -> list[float]:
        """What each keyword adds to the relevance."""
        length = len(page.leaves.ids) + len(page.title_ids)
        share = min(1.0, FULL_LENGTH / max(length, 1))
        whole = sum(weight for weight in self.keywords.values() if weight > 0)
        counts = [occurrences(page, ids) for ids in self._phrases(page.language)]
        return [
            weight * (1.0 - float(np.exp(-count * share))) / whole
            for weight, count in zip(self.keywords.values(), counts, strict=True)
        ]

    def _phrases(self, language: str) -> list[TermIds]:
        """The term ids of each keyword as a page in ``language`` would have them."""
        if language not in self._ids:
            terms = tokeniser(language)
            self._ids[language] = [terms.ids(word) for word in self.keywords]
        return self._ids[language]


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
