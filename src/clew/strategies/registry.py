"""Strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from clew.config import Section
from clew.errors import ConfigError
from clew.strategies.apprentice import Apprentice
from clew.strategies.ariadne import Ariadne
from clew.strategies.base import Strategy
from clew.strategies.best_first import BestFirst
from clew.strategies.bingo import Bingo
from clew.strategies.breadth_first import BreadthFirst
from clew.strategies.context_graph import ContextGraph
from clew.strategies.random import RandomOrder
from clew.strategies.tunnelling import Tunnelling

STRATEGIES: dict[str, Callable[..., Strategy]] = {
    BreadthFirst.name: BreadthFirst,
    BestFirst.name: BestFirst,
    RandomOrder.name: RandomOrder,
    ContextGraph.name: ContextGraph,
    Bingo.name: Bingo,
    Ariadne.name: Ariadne,
    Apprentice.name: Apprentice,
    Tunnelling.name: Tunnelling,
}
"""Every strategy: the name that users write, and its class, which takes its settings if it has any."""


def make(name: str, settings: Mapping[str, Any]) -> Strategy:
    """The strategy called ``name`` with its table of clew.toml. Raises ConfigError for a wrong name or setting."""
    if name not in STRATEGIES:
        raise ConfigError(f"there is no strategy {name!r}; choose one of: {', '.join(sorted(STRATEGIES))}")
    form = settings_of(name)
    if form is not None:
        return STRATEGIES[name](_checked(name, form, settings))
    if settings:
        unknown = ", ".join(sorted(settings))
        raise ConfigError(f"[strategy.{name}] has no settings, but clew.toml sets {unknown}: remove that")
    return STRATEGIES[name]()


def settings_of(name: str) -> type[Section] | None:
    """The settings that a strategy has, its nested class ``Settings``; None when it has none."""
    return getattr(STRATEGIES[name], "Settings", None)


def _checked(name: str, form: type[Section], settings: Mapping[str, Any]) -> Section:
    known = [field.name for field in msgspec.structs.fields(form)]
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise ConfigError(f"[strategy.{name}] has no setting {unknown[0]!r}; it has: {', '.join(known)}")
    try:
        return msgspec.convert(dict(settings), form)
    except msgspec.ValidationError as error:
        raise ConfigError(f"[strategy.{name}]: {error}; see docs/strategies/{name}.md") from None
