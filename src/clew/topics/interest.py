"""What is wanted, and from which relevance on a page counts as relevant."""

from __future__ import annotations

from dataclasses import dataclass

from clew.model import Judgement

RELEVANT = "relevant"
"""The one topic of a project that was made from relevant and irrelevant pages."""


@dataclass(frozen=True, slots=True)
class Interest:
    """An interest in one topic of ``topics``; a page is relevant from ``threshold`` on."""

    topics: tuple[str, ...] = (RELEVANT,)
    wanted: int = 0
    threshold: float = 0.5

    def relevance(self, judgement: Judgement) -> float:
        """Relevance in [0, 1] of a judged page."""
        return float(judgement.scores[self.wanted])

    def relevant(self, relevance: float) -> bool:
        """Whether a page of this relevance is one that was asked for."""
        return relevance >= self.threshold
