"""A judge that reads nothing but titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from clew import Judge
from clew.errors import TrainingError
from clew.judges.base import JudgeContext
from clew.model import OTHER, Example, Judgement, Page
from clew.section import Section, doc


class TitleWords(Judge):
    """Knows a topic by words in the titles of its examples that are in no title of another topic.

    score = 1 - (1 - weight) ** n for a title with n such words.
    """

    class Settings(Section, frozen=True):
        """[judge.title-words]"""

        weight: Annotated[float, doc("How much a single word says.", gt=0, lt=1)] = 0.6
        letters: Annotated[int, doc("Shorter words do not count.", ge=1)] = 4

    def __init__(self, context: JudgeContext, settings: Settings) -> None:
        super().__init__(context)
        self.settings = settings
        self.known: list[frozenset[str]] = [frozenset() for _ in self.topics]

    def fit(self, examples: Sequence[Example]) -> None:
        words: dict[int, set[str]] = {}
        for example in examples:
            words.setdefault(example.topic, set()).update(self.words(example.page))
        for topic in range(len(self.topics)):
            others = set().union(*(found for other, found in words.items() if other != topic))
            self.known[topic] = frozenset(words.get(topic, set()) - others)
        if not any(self.known):
            raise TrainingError(
                "the title-words judge found no word in the titles of the relevant examples that is not in others too: "
                "add examples with telling titles, or set [judge.title-words] letters lower"
            )

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        return [self.judgement(page) for page in pages]

    def judgement(self, page: Page) -> Judgement:
        """The judgement of one page."""
        words = self.words(page)
        counts = np.array([len(words & known) for known in self.known])
        scores = (1.0 - (1.0 - self.settings.weight) ** counts).astype(np.float32)
        best = int(scores.argmax())
        return Judgement(scores, best if scores[best] >= 0.5 else OTHER, float(abs(scores[best] - 0.5) * 2))

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        return [(word, self.settings.weight) for word in sorted(self.words(page) & self.known[topic])][:limit]

    def words(self, page: Page) -> set[str]:
        """The words of a page's title that are long enough."""
        return {word for word in re.findall(r"\w+", page.title.lower()) if len(word) >= self.settings.letters}
