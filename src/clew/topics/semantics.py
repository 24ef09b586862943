"""What a formula is worth on a page whose topics were judged (Ester and others 2001 section 2.3).

    μ_ANY = 1    μ_A = the judge's score    μ_¬F = 1 − μ_F
    possibilistic   μ_F∧G = min(μ_F, μ_G)                          μ_F∨G = max(μ_F, μ_G)
    product         μ_F∧G = μ_F · μ_G                              μ_F∨G = 1 − (1 − μ_F)(1 − μ_G)
    Fagin–Wimmers   Σ_i i·(θ_i − θ_{i+1}) · μ(x_1 ∧ … ∧ x_i)       the same with ∨

∧ and ∨ are those of either of the first two. θ_1 ≥ … ≥ θ_m ≥ 0 are the weights of the parts x_1 … x_m, Σθ = 1,
θ_{m+1} = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from clew.errors import InputError
from clew.model import Doubles, Floats
from clew.topics.formula import And, Any, Formula, Not, Or, Topic, unparse

__all__ = ["POSSIBILISTIC", "FaginWimmers", "Possibilistic", "Product", "Semantics", "steps", "value"]


class Semantics(Protocol):
    """Arithmetic for and, or, not. Values lie in [0, 1]; rows of [k, n] are the k parts, columns the n pages."""

    def conjunction(self, values: Doubles) -> Doubles:
        """float64[n] from float64[k, n], k ≥ 1."""
        ...

    def disjunction(self, values: Doubles) -> Doubles:
        """float64[n] from float64[k, n], k ≥ 1."""
        ...

    def negation(self, values: Doubles) -> Doubles:
        """float64[n] from float64[n]."""
        ...


class Possibilistic:
    """Minimum and maximum: a page is as relevant as its weakest part, or its strongest."""

    def conjunction(self, values: Doubles) -> Doubles:
        return np.asarray(values.min(axis=0), np.float64)

    def disjunction(self, values: Doubles) -> Doubles:
        return np.asarray(values.max(axis=0), np.float64)

    def negation(self, values: Doubles) -> Doubles:
        return np.asarray(1.0 - values, np.float64)


class Product(Possibilistic):
    """Products, as if topics were independent."""

    def conjunction(self, values: Doubles) -> Doubles:
        return np.asarray(values.prod(axis=0), np.float64)

    def disjunction(self, values: Doubles) -> Doubles:
        return np.asarray(1.0 - (1.0 - values).prod(axis=0), np.float64)


class FaginWimmers(Possibilistic):
    """Minimum and maximum, or another ``rule``, with weights for the parts in the order in which they are written.

    Any scale will do; parts beyond the weights given have the last of them. Equal weights are the plain rule. Raises
    InputError for no weights, or one that is negative or not finite, or a first one of 0.
    """

    def __init__(self, weights: Sequence[float], rule: Semantics | None = None) -> None:
        if not weights or weights[0] <= 0 or not all(0 <= weight < np.inf for weight in weights):
            raise InputError(f"weights must be numbers from 0 on, the first above 0: {list(weights)!r}")
        self.weights = tuple(map(float, weights))
        self.rule: Semantics = rule if rule is not None else POSSIBILISTIC

    def conjunction(self, values: Doubles) -> Doubles:
        return self._weighted(values, self.rule.conjunction)

    def disjunction(self, values: Doubles) -> Doubles:
        return self._weighted(values, self.rule.disjunction)

    def _weighted(self, values: Doubles, rule: Callable[[Doubles], Doubles]) -> Doubles:
        parts = len(values)
        weights = np.array((*self.weights, *(self.weights[-1:] * parts))[:parts])
        order = np.argsort(-weights, kind="stable")
        shares = weights[order] / weights.sum()
        steps_down = np.arange(1, parts + 1) * (shares - np.append(shares[1:], 0.0))
        heaviest = np.stack([rule(values[order[: count + 1]]) for count in range(parts)])
        return np.asarray(steps_down @ heaviest, np.float64)


POSSIBILISTIC = Possibilistic()


def value(formula: Formula, scores: Floats | Doubles, semantics: Semantics = POSSIBILISTIC) -> Doubles:
    """μ of the formula, float64[n], from scores [n, topics] in [0, 1]."""
    match formula:
        case Topic(index):
            return scores[:, index].astype(np.float64)
        case Not(part):
            return semantics.negation(value(part, scores, semantics))
        case And(parts):
            return semantics.conjunction(_rows(parts, scores, semantics))
        case Or(parts):
            return semantics.disjunction(_rows(parts, scores, semantics))
        case Any():
            return np.ones(len(scores), np.float64)


def _rows(parts: Sequence[Formula], scores: Floats | Doubles, semantics: Semantics) -> Doubles:
    return np.stack([value(part, scores, semantics) for part in parts])


def steps(
    formula: Formula, scores_row: npt.ArrayLike, names: Sequence[str], semantics: Semantics = POSSIBILISTIC
) -> list[tuple[str, float]]:
    """Each part of the formula and its value on one page (scores [topics]), from topics up to the whole; for people.

    ``names`` are the topics' paths, or shorter names.
    """
    scores = np.asarray(scores_row, np.float64).reshape(1, -1)
    found: dict[str, float] = {}
    for part in _bottom_up(formula):
        found.setdefault(unparse(part, names), float(value(part, scores, semantics)[0]))
    return list(found.items())


def _bottom_up(formula: Formula) -> list[Formula]:
    match formula:
        case Not(part):
            below = _bottom_up(part)
        case And(parts) | Or(parts):
            below = [inner for part in parts for inner in _bottom_up(part)]
        case _:
            below = []
    return [*below, formula]
