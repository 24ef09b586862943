"""Strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import msgspec

from clew.config import Section
from clew.errors import ConfigError
from clew.strategies.base import Strategy

Kind = Callable[..., Strategy]

STRATEGIES: dict[str, str | Kind] = {
    "breadth-first": "breadth_first.BreadthFirst",
    "best-first": "best_first.BestFirst",
    "random": "random.RandomOrder",
    "context-graph": "context_graph.ContextGraph",
    "bingo": "bingo.Bingo",
    "ariadne": "ariadne.Ariadne",
    "apprentice": "apprentice.Apprentice",
    "tunnelling": "tunnelling.Tunnelling",
}
"""Every strategy: the name that users write, and its class, which takes its settings if it has any.

A class may be given as module.Class of this room: it is imported when somebody asks for it, since a crawl uses one
strategy and pays for the start of no other.
"""


def kind_of(name: str) -> Kind:
    """The class of a strategy. Raises ConfigError for a name that there is not."""
    if name not in STRATEGIES:
        raise ConfigError(f"there is no strategy {name!r}; choose one of: {', '.join(sorted(STRATEGIES))}")
    kind = STRATEGIES[name]
    if not isinstance(kind, str):
        return kind
    module, _, wanted = kind.partition(".")
    found: Kind = getattr(import_module(f"clew.strategies.{module}"), wanted)
    return found


def make(name: str, settings: Mapping[str, Any]) -> Strategy:
    """The strategy called ``name`` with its table of clew.toml. Raises ConfigError for a wrong name or setting."""
    kind, form = kind_of(name), settings_of(name)
    if form is not None:
        return kind(_checked(name, form, settings))
    if settings:
        unknown = ", ".join(sorted(settings))
        raise ConfigError(f"[strategy.{name}] has no settings, but clew.toml sets {unknown}: remove that")
    return kind()


def settings_of(name: str) -> type[Section] | None:
    """The settings that a strategy has, its nested class ``Settings``; None when it has none."""
    return getattr(kind_of(name), "Settings", None)


def _checked(name: str, form: type[Section], settings: Mapping[str, Any]) -> Section:
    known = [field.name for field in msgspec.structs.fields(form)]
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise ConfigError(f"[strategy.{name}] has no setting {unknown[0]!r}; it has: {', '.join(known)}")
    try:
        return msgspec.convert(dict(settings), form)
    except msgspec.ValidationError as error:
        raise ConfigError(f"[strategy.{name}]: {error}; see docs/strategies/{name}.md") from None
