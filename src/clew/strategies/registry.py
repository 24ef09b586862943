"""Strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clew.registry import NOTHING, Entry, Registry
from clew.strategies.base import Strategy

STRATEGIES: Registry[Strategy] = Registry(
    "strategy",
    "clew.strategies",
    Strategy,  # type: ignore[type-abstract]  # it is what classes are checked against
    {
        "breadth-first": Entry("clew.strategies.breadth_first:BreadthFirst", "nearest to the seeds first"),
        "best-first": Entry("clew.strategies.best_first:BestFirst", "links of the most relevant pages first"),
        "clew": Entry("clew.strategies.clew:Clew", "all links to a page, weighed by what proved right so far"),
        "random": Entry("clew.strategies.random:RandomOrder", "in an order fixed by chance, the floor to compare with"),
        "context-graph": Entry(
            "clew.strategies.context_graph:ContextGraph", "pages that look few links away from a target first"
        ),
        "bingo": Entry("clew.strategies.bingo:Bingo", "learns from the best pages that it finds, then harvests"),
        "ariadne": Entry(
            "clew.strategies.ariadne:Ariadne", "ten criteria under a focus that widens when less is found"
        ),
        "apprentice": Entry(
            "clew.strategies.apprentice:Apprentice", "learns which words around links lead to relevant pages"
        ),
        "tunnelling": Entry(
            "clew.strategies.tunnelling:Tunnelling",
            "follows paths between relevant pages, and ends those that lead nowhere",
        ),
        "ache": Entry("clew.strategies.ache:Ache", "a link classifier that is trained after every so many pages"),
    },
    table="[strategy.{name}]",
    page="docs/strategies/{name}.md",
)
"""Every strategy."""


def make(strategy: str | Callable[..., Strategy] | Strategy, settings: Mapping[str, Any] = NOTHING) -> Strategy:
    """A strategy by its name, its class, or itself, with its table of clew.toml. Raises ConfigError.

    One that is made by name is called by that name, so that a crawl which goes on finds it again.
    """
    made = STRATEGIES.make(strategy, settings)
    if isinstance(strategy, str):
        made.name = strategy
    return made
