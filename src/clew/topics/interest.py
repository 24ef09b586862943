"""What is wanted, and from which relevance on a page counts as relevant.

An interest is a formula over topics. ``A and not B`` is not evaluated as one: pages of A are crawled for,
and those that are considerably about B are excluded afterwards, because a negation rates links by what they
are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Literal

import numpy as np

from clew.errors import ConfigError, InputError, TrainingError
from clew.model import OTHER, Doubles, Example, Floats, Judgement, Page
from clew.topics.formula import And, Any, Formula, Not, Or, Topic, check_taught, exclusions, parse, topics_of
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
        """The topic of the formula that is named first; where all but some topics are wanted, the first of those."""
        named = self.wanted_topics or range(len(self.topics))
        return next((topic for topic in named if self.concerns(topic)), next(iter(named), 0))

    @property
    def wanted_topics(self) -> tuple[int, ...]:
        """All topics of the formula, but for those that are excluded. Topics below them are wanted as well: whoever
        asks about a topic asks ``concerns`` or ``wants``."""
        return topics_of(self.formula)

    @property
    def alternatives(self) -> tuple[Formula, ...]:
        """The parts of a formula any of which is enough: those of a disjunction, else the whole of it."""
        return self.formula.parts if isinstance(self.formula, Or) else (self.formula,)

    # -- topics and examples ------------------------------------------------------------------------------

    def concerns(self, topic: int) -> bool:
        """Whether a topic is one of the formula's or lies below one, and is not excluded."""
        if topic == OTHER or self._excludes(topic):
            return False
        named = self.wanted_topics
        return not named or any(self.is_below(topic, other) for other in named)

    def wants(self, topic: int) -> bool:
        """Whether a page is wanted of which no more is known than its topic: of ``A and B`` neither topic's pages
        are."""
        return topic != OTHER and _holds(self.formula, self._about(topic)) and not self._excludes(topic)

    def targets(
        self, examples: Sequence[Example], judge: Callable[[Sequence[Page]], Sequence[Judgement]]
    ) -> list[Example]:
        """The examples that are pages as they are wanted: those of wanted topics; of topics that are wanted together
        with others, those that ``judge`` finds relevant."""
        topics = {one.topic for one in examples}
        sure = {topic for topic in topics if self.wants(topic)}
        unsure = {topic for topic in topics - sure if self.concerns(topic)}
        places = [place for place, one in enumerate(examples) if one.topic in unsure]
        judged = judge([examples[place].page for place in places]) if places else ()
        found = {place for place, said in zip(places, judged, strict=True) if self.relevant(self.relevance(said), said)}
        return [one for place, one in enumerate(examples) if one.topic in sure or place in found]

    def _excludes(self, topic: int) -> bool:
        return self.excluded is not None and _holds(self.excluded, self._about(topic))

    def _about(self, topic: int) -> Callable[[int], bool]:
        """Whether a page of ``topic`` is one of another topic as well."""
        return lambda other: self.is_below(topic, other)

    def is_below(self, topic: int, other: int) -> bool:
        """Whether ``topic`` is ``other`` or lies below it."""
        return topic == other or self.topics[topic].startswith(f"{self.topics[other]}/")

    # -- pages --------------------------------------------------------------------------------------------

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

    def values(self, scores: Floats | Doubles) -> Doubles:
        """What each of the alternatives is worth on pages: float64[n, alternatives] from scores [n, topics]."""
        return np.stack([value(one, scores, self.semantics) for one in self.alternatives], axis=1)

    def measured_by(self, starts: Iterable[Judgement]) -> Interest:
        """The same interest with a threshold taken from the start pages: the least of their positive relevances (Ester
        and others 2001 section 3.2). Those that are excluded do not count.

        Raises TrainingError when none is positive.
        """
        relevances = (self.relevance(one) for one in starts if not self.is_excluded(one))
        positive = [number for number in relevances if number > 0]
        if not positive:
            raise TrainingError(
                "no start page has a positive relevance, so none can set the threshold: give [judge] threshold a "
                "number, or start from pages that are wanted themselves"
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
    """The semantics that settings name; products may have weights, too. Raises InputError for weights that are none, or
    that would be ignored."""
    if name == "weighted":
        return FaginWimmers(weights or (1.0,))
    if name == "product":
        return FaginWimmers(weights, Product()) if weights else Product()
    if weights:
        raise InputError(
            'interest.weights are set, but semantics = "possibilistic" has none; take semantics = "weighted" (weighted '
            'minimum and maximum) or "product", or remove the weights'
        )
    return POSSIBILISTIC


def _holds(formula: Formula, about: Callable[[int], bool]) -> bool:
    """Whether a formula holds, yes or no, for a page of which ``about`` says which topics it has."""
    match formula:
        case Topic(index):
            return about(index)
        case Not(part):
            return not _holds(part, about)
        case And(parts):
            return all(_holds(part, about) for part in parts)
        case Or(parts):
            return any(_holds(part, about) for part in parts)
        case Any():
            return True


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
