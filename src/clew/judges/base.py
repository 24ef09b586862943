"""The Judge contract: is this page it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from clew.model import Example, Judgement, Page


class Judge(Protocol):
    """Scores pages against topics. A judge is picklable: worker processes get a copy.

    ``topics`` are the topic names, in the order of ``Judgement.scores``.
    """

    name: str
    topics: tuple[str, ...]

    def fit(self, examples: Sequence[Example]) -> None:
        """Train. Raises TrainingError, saying what is missing, when the examples cannot make a judge."""
        ...

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        """One judgement a page, in order. Pure: the same pages give the same judgements, in any batching."""
        ...

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        """The terms of ``page`` that weighed most on a topic's score, as (term, signed weight), heaviest first."""
        ...
