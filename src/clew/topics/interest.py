"""What is wanted, and from which relevance on a page counts as relevant.

An interest is a formula over topics. ``A and not B`` is not evaluated as one: pages of A are crawled for,
and those that are considerably about B are excluded afterwards, because a negation rates links by what they
are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Literal

import numpy as np

from clew.errors import ConfigError, TrainingError
from clew.model import Judgement
from clew.topics.formula import And, Formula, Not, Or, Topic, check_taught, exclusions, parse, topics_of
from clew.topics.semantics import POSSIBILISTIC, FaginWimmers, Product, Semantics, steps, value
from clew.topics.tree import TopicTree

RELEVANT = "relevant"
"""The one topic of a project that was made from relevant and irrelevant pages."""


@dataclass(frozen=True, slots=True)
class Interest:
    """An interest in ``topics``; a page is relevant from ``threshold`` on, unless the formula ``excluded`` has a value
    of ``exclude_from`` or more."""

    topics: tuple[str, ...] = (RELEVANT,)
    formula: Formula = field(default_factory=lambda: Topic(0))
    threshold: float = 0.5
    excluded: Formula | None = None
    exclude_from: float = 0.5
    semantics: Semantics = POSSIBILISTIC

    @classmethod
    def of(
        cls, tree: TopicTree, text: str, threshold: float, exclude_from: float = 0.5, semantics: Semantics | None = None
    ) -> Interest:
        """The interest that ``text`` says in topics of ``tree``; without text, in any of its topics of the first level.

        Raises InputError.
        """
        if not len(tree):
            raise ConfigError("the topic tree has no topics: add some to topics.yaml, or make the project again")
        whole = parse(text, tree) if text.strip() else _any_of(tree.children())
        check_taught(whole, tree)
        parts = exclusions(whole)
        return cls(tree.paths, parts.crawl, threshold, parts.excluded, exclude_from, semantics or POSSIBILISTIC)

    @property
    def wanted(self) -> int:
        """The topic of the formula that is named first."""
        return next(iter(topics_of(self.formula)), 0)

    @property
    def wanted_topics(self) -> tuple[int, ...]:
        """All topics of the formula, but for those that are excluded."""
        return topics_of(self.formula)

    @property
    def together(self) -> tuple[tuple[int, int], ...]:
        """Pairs of topics that a wanted page is about at once, or that a page must be about to be excluded: judges must
        not take examples of one as evidence against the other."""
        pairs = dict.fromkeys(_joined(self.formula))
        if self.excluded is not None:
            pairs |= dict.fromkeys(_joined(self.excluded))
            pairs |= dict.fromkeys(product(topics_of(self.formula), topics_of(self.excluded)))
        return tuple(pairs)

    def relevance(self, judgement: Judgement) -> float:
        """Relevance in [0, 1] of a judged page."""
        if isinstance(self.formula, Topic):
            return float(judgement.scores[self.formula.index])
        return self._value(self.formula, judgement)

    def relevant(self, relevance: float, judgement: Judgement) -> bool:
        """Whether a page of this relevance is one that was asked for."""
        return relevance >= self.threshold and not self.is_excluded(judgement)

    def is_excluded(self, judgement: Judgement) -> bool:
        """Whether a page is considerably about something that is not wanted."""
        return self.excluded is not None and self._value(self.excluded, judgement) >= self.exclude_from

    def measured_by(self, judgements: Iterable[Judgement]) -> Interest:
        """The same interest with a threshold taken from pages that are wanted: the least of their positive relevances.

        Raises TrainingError when none is positive.
        """
        positive = [value for value in map(self.relevance, judgements) if value > 0]
        if not positive:
            raise TrainingError(
                "no wanted example has a positive relevance, so none can set the threshold: give [judge] threshold a "
                "number, or better examples"
            )
        return replace(self, threshold=min(positive))

    def steps(self, judgement: Judgement) -> list[tuple[str, float]]:
        """The formula's parts and their values, bottom-up, then what is excluded."""
        row = np.asarray(judgement.scores, np.float64)
        found = steps(self.formula, row, self.topics, self.semantics)
        if self.excluded is not None:
            left_out = steps(self.excluded, row, self.topics, self.semantics)
            found += [(f"excluded from {self.exclude_from:g} on: {text}", number) for text, number in left_out]
        return found

    def _value(self, formula: Formula, judgement: Judgement) -> float:
        scores = np.asarray(judgement.scores, np.float64)[None, :]
        return float(value(formula, scores, self.semantics)[0])


def semantics_of(name: Literal["possibilistic", "product", "weighted"], weights: Sequence[float] = ()) -> Semantics:
    """The semantics that settings name. Raises InputError for weights that are none."""
    if name == "weighted":
        return FaginWimmers(weights or (1.0,))
    return Product() if name == "product" else POSSIBILISTIC


def _joined(formula: Formula) -> Iterator[tuple[int, int]]:
    """Pairs of topics in different parts of a conjunction."""
    if isinstance(formula, Not):
        yield from _joined(formula.part)
    elif isinstance(formula, And | Or):
        for part in formula.parts:
            yield from _joined(part)
    if isinstance(formula, And):
        for one, other in combinations(formula.parts, 2):
            yield from product(topics_of(one), topics_of(other))


def _any_of(topics: tuple[int, ...]) -> Formula:
    parts = tuple(Topic(topic) for topic in topics)
    return parts[0] if len(parts) == 1 else Or(parts)
