"""What Ariadne looks for at present, and how that is widened (Ester and others 2001 section 3.3).

    G1 "ignore"    A ∧ B → A, B the more frequent topic
    G2 "weigh"     the weight of the rarest part of A ∧ B is multiplied by ``boost``, and the conjunction valued by
                   Fagin and Wimmers' formula, until the part has NEARLY_ALL of the weight
    G3 "taxonomy"  the most infrequent topic is replaced by its parent

Back again: the last step is undone; or, with ``specialise`` "frequent", after steps of G3 the most frequent of the
topics that were put in is replaced by the one that it stands for, and the other steps stay.

What no option can widen, a single topic in G1 and G2 or topics of the first level in G3, is at the top; then the
weight of criterion (a) may be halved, ``widen`` times (not in the paper).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any as Anything
from typing import Literal, TypeAlias

import numpy as np

from clew.model import Doubles, Floats
from clew.topics.formula import (
    And,
    Any,
    Formula,
    Frequency,
    Not,
    Or,
    Topic,
    conjunction,
    disjunction,
    generalise,
    replaced,
    topics_of,
    unparse,
)
from clew.topics.semantics import FaginWimmers, Semantics, value
from clew.topics.tree import TopicTree

Option: TypeAlias = Literal["taxonomy", "weigh", "ignore"]
"""G3, G2, G1."""

NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True)
class Aim:
    """A formula; ``weights`` of the parts of its conjunction where G2 changed them; how often (a) was halved."""

    formula: Formula
    weights: tuple[float, ...] = ()
    halved: int = 0

    def value(self, scores: Floats | Doubles, semantics: Semantics) -> Doubles:
        """μ of the aim, float64[n], from scores [n, topics]."""
        if not self.weights or not isinstance(self.formula, And):
            return value(self.formula, scores, semantics)
        parts = np.stack([value(part, scores, semantics) for part in self.formula.parts])
        rule = semantics.rule if isinstance(semantics, FaginWimmers) else semantics
        return FaginWimmers(self.weights, rule).conjunction(parts)

    def words(self, names: Sequence[str]) -> str:
        """For people; ``names`` are the topics' paths."""
        text = unparse(self.formula, names)
        if self.weights:
            text += f" (weights {', '.join(f'{weight:.2f}' for weight in self.weights)})"
        return text + (f" (relevance weighs {0.5**self.halved:g} of what it did)" if self.halved else "")

    def packed(self, names: Sequence[str]) -> list[Anything]:
        """As lists, texts and numbers; topics by their paths."""
        return [_packed(self.formula, names), list(self.weights), self.halved]

    @classmethod
    def unpacked(cls, packed: Sequence[Anything], numbers: Mapping[str, int]) -> Aim:
        """From ``packed``. Raises KeyError when a topic is no more."""
        return cls(_unpacked(packed[0], numbers), tuple(packed[1]), packed[2])


def narrower(chain: tuple[Aim, ...], tree: TopicTree, frequency: Frequency) -> tuple[Aim, ...]:
    """The aims from the interest on, without the step of G3 that put in the most frequent topic of the present focus;
    of equally frequent ones, the last. ``chain`` has two aims at least. Without its last step if that, or one before
    it, was none of G3: the settings were others then."""
    found = [_lifted(one, wider, tree) for one, wider in pairwise(chain)]
    lifted = [topic for topic in found if topic is not None]
    parents = [tree.parent(topic) for topic in lifted]
    inside = topics_of(chain[-1].formula, negated=False)
    present = [(frequency[parent], step) for step, parent in enumerate(parents) if parent in inside]
    if len(lifted) < len(found) or not present:
        return chain[:-1]
    undone = max(present)[1]
    aims = list(chain[: undone + 1])
    for topic, parent in zip(lifted[undone + 1 :], parents[undone + 1 :], strict=True):
        aims.append(Aim(replaced(aims[-1].formula, topic, Topic(parent))))
    return tuple(aims)


def _lifted(one: Aim, wider: Aim, tree: TopicTree) -> int | None:
    """The topic whose parent stands in the wider aim instead; None where that is not the difference."""
    gone = set(topics_of(one.formula, negated=False)) - set(topics_of(wider.formula, negated=False))
    topic = gone.pop() if len(gone) == 1 else None
    if topic is None or wider != Aim(replaced(one.formula, topic, Topic(tree.parent(topic)))):
        return None
    return topic


@dataclass(frozen=True, slots=True)
class Widening:
    """How an aim is widened: the option, ``boost`` > 1 of G2, and how often (a) may be halved at the top."""

    option: Option = "taxonomy"
    boost: float = 2.0
    widen: int = 0

    def wider(self, aim: Aim, tree: TopicTree | None, frequency: Frequency, semantics: Semantics) -> Aim | None:
        """One step further; None at the top."""
        found = self._wider(aim, tree, frequency, semantics)
        if found is None and aim.halved < self.widen:
            return replace(aim, halved=aim.halved + 1)
        return found

    def _wider(self, aim: Aim, tree: TopicTree | None, frequency: Frequency, semantics: Semantics) -> Aim | None:
        if aim.halved:
            return None
        if self.option == "weigh":
            weights = self._weighed(aim, frequency, semantics)
            return replace(aim, weights=weights) if weights else None
        if self.option == "ignore":
            formula = ignoring(aim.formula, frequency)
        else:
            formula = None if tree is None else generalise(aim.formula, tree, frequency)
        return None if formula is None else Aim(formula)

    def _weighed(self, aim: Aim, frequency: Frequency, semantics: Semantics) -> tuple[float, ...]:
        if not isinstance(aim.formula, And):
            return ()
        parts = aim.formula.parts
        given = semantics.weights if isinstance(semantics, FaginWimmers) else (1.0,)
        now = list(aim.weights) or [*given, *(given[-1:] * len(parts))][: len(parts)]
        total = sum(now)
        rarest = min(range(len(parts)), key=lambda index: _frequency(parts[index], frequency))
        if now[rarest] >= NEARLY_ALL * total:
            return ()
        now[rarest] = max(now[rarest], total / 1e6) * self.boost
        return tuple(weight / sum(now) for weight in now)


def ignoring(formula: Formula, frequency: Frequency) -> Formula | None:
    """Every conjunction without its most frequent part; None when there is none."""
    match formula:
        case And(parts):
            drop = max(range(len(parts)), key=lambda index: _frequency(parts[index], frequency))
            return conjunction(part for index, part in enumerate(parts) if index != drop)
        case Or(parts):
            wider = [ignoring(part, frequency) for part in parts]
            if any(part is not None for part in wider):
                return disjunction(new or old for new, old in zip(wider, parts, strict=True))
    return None


def renumbered(formula: Formula, places: Mapping[int, int]) -> Formula:
    """The formula with other topic numbers, for scores that have columns of its topics only."""
    match formula:
        case Topic(index):
            return Topic(places[index])
        case Not(part):
            return Not(renumbered(part, places))
        case And(parts):
            return And(tuple(renumbered(part, places) for part in parts))
        case Or(parts):
            return Or(tuple(renumbered(part, places) for part in parts))
    return formula


def _frequency(formula: Formula, frequency: Frequency) -> float:
    """How frequent a formula may be, at most; what only negates is more frequent than any topic."""
    match formula:
        case Topic(index):
            return frequency[index]
        case And(parts):
            return min(_frequency(part, frequency) for part in parts)
        case Or(parts):
            return sum(_frequency(part, frequency) for part in parts)
    return math.inf


def _packed(formula: Formula, names: Sequence[str]) -> Anything:
    match formula:
        case Topic(index):
            return names[index]
        case Not(part):
            return ["not", _packed(part, names)]
        case And(parts):
            return ["and", *(_packed(part, names) for part in parts)]
        case Or(parts):
            return ["or", *(_packed(part, names) for part in parts)]
    return ["any"]


def _unpacked(packed: Anything, numbers: Mapping[str, int]) -> Formula:
    if isinstance(packed, str):
        return Topic(numbers[packed])
    kind, *rest = packed
    parts = tuple(_unpacked(part, numbers) for part in rest)
    return {"not": Not, "and": And, "or": Or}[kind](parts[0] if kind == "not" else parts) if parts else Any()
