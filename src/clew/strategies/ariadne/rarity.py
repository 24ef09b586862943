"""Which of the topics is the rarer one (Ester and others 2001 section 3.3): as pages were met, or as the user says."""

from __future__ import annotations

import numpy as np

from clew.errors import ConfigError
from clew.judges.hierarchy import Hierarchy
from clew.model import Doubles
from clew.strategies.ariadne.settings import AriadneSettings
from clew.strategies.base import Pages, View
from clew.topics.formula import Formula, topics_of

PRIOR_PAGES = 20.0
"""Pages that the examples count for in the frequency of topics."""


class Rarity:
    """Frequencies of topics, float64[k], higher is more frequent. ``prior``: shares of the examples."""

    def __init__(self, view: View, settings: AriadneSettings) -> None:
        """Raises ConfigError or InputError for a ``rare_first`` that names no topic."""
        self._how, self._threshold = settings.rarity, view.interest.threshold
        labels = [example.topic for example in view.examples]
        members = Hierarchy.of(view.topics).members(labels).sum(axis=1)
        self.prior = (members + 1.0) / (len(labels) + 1.0)
        self._given = _ranks(view, settings.rare_first)

    def at_first(self) -> Doubles:
        """By the examples alone."""
        return self._given_first(self.prior)

    def estimated(self, pages: Pages, focus: Formula) -> Doubles:
        """How frequent each topic is among the pages crawled, smoothed by the examples'."""
        count = len(pages)
        if self._how == "relevant":
            found = (pages.scores >= self._threshold).sum(axis=0)
        else:
            topics = np.array(topics_of(focus))
            least = topics[np.argmin(pages.scores[:, topics], axis=1)] if len(topics) else np.empty(0, np.int64)
            found = count - np.bincount(least, minlength=len(self.prior))
        return self._given_first((found + PRIOR_PAGES * self.prior) / (count + PRIOR_PAGES))

    def _given_first(self, frequency: Doubles) -> Doubles:
        """With the topics of ``rare_first`` before all others, in their order."""
        found = np.asarray(frequency, np.float64) + len(self._given)
        for topic, rank in self._given.items():
            found[topic] = rank
        return found


def _ranks(view: View, names: tuple[str, ...]) -> dict[int, int]:
    """The topics that the user ranked, by rarity."""
    if names and view.tree is None:
        raise ConfigError("strategy.ariadne.rare_first names topics, but the project has no topics.yaml")
    return {view.tree.find(name): rank for rank, name in enumerate(names)} if view.tree is not None else {}
