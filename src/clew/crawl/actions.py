"""What a strategy can do to the crawl it is part of: the actions of its view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew.crawl.enqueuing import enqueue
from clew.crawl.events import decide
from clew.crawl.parts import Parts
from clew.crawl.rejudging import retrain
from clew.model import Decision
from clew.strategies.base import Retraining


@dataclass(frozen=True, slots=True)
class CrawlActions:
    """Actions of the crawl with these parts (Protocol ``strategies.base.Actions``)."""

    parts: Parts

    def decide(self, decision: Decision) -> None:
        decide(self.parts.store, decision)

    def retrain(self, archetypes: Mapping[int, Sequence[int]]) -> Retraining:
        return retrain(self.parts, archetypes)

    def enqueue(self, urls: Sequence[str], about: str = "") -> int:
        return enqueue(self.parts, urls, about)

    def at_top(self) -> None:
        self.parts.rules.at_top()

    def community(self) -> None:
        self.parts.rules.community()
