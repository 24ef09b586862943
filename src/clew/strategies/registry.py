"""Strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clew.errors import ConfigError
from clew.strategies.base import Strategy
from clew.strategies.best_first import BestFirst
from clew.strategies.breadth_first import BreadthFirst

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    BreadthFirst.name: BreadthFirst,
    BestFirst.name: BestFirst,
}
"""Every strategy: the name that users write, and what makes it from its settings."""


def make(name: str, settings: Mapping[str, Any]) -> Strategy:
    """The strategy called ``name`` with its table of clew.toml. Raises ConfigError for a wrong name or setting."""
    if name not in STRATEGIES:
        raise ConfigError(f"there is no strategy {name!r}; choose one of: {', '.join(sorted(STRATEGIES))}")
    if settings:
        unknown = ", ".join(sorted(settings))
        raise ConfigError(f"[strategy.{name}] has no settings, but clew.toml sets {unknown}: remove that")
    return STRATEGIES[name]()
