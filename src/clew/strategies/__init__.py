"""Where to go next: strategies by name, as classes, and the base class for one of your own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.strategies.base import Strategy

__all__ = ["classes", "make", "names"]


def names() -> tuple[str, ...]:
    """Every strategy that can be named."""
    from clew.strategies.registry import STRATEGIES

    return STRATEGIES.names()


def make(strategy: str | Callable[..., Strategy] | Strategy, **settings: Any) -> Strategy:
    """A strategy by its name, its class, or itself, with its settings by keyword. Raises ConfigError."""
    from clew.strategies.registry import make as make_strategy

    return make_strategy(strategy, settings)


def classes() -> dict[str, type[Strategy]]:
    """The classes of the built-in strategies by their own names, all imported."""
    from clew.strategies.registry import STRATEGIES

    return STRATEGIES.classes()


def __getattr__(name: str) -> Any:
    """Built-in classes, such as ``clew.strategies.BestFirst``, imported when they are first used."""
    if not name[:1].isupper():  # a module of this room that is not imported yet: no class
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clew.strategies.registry import STRATEGIES

    return STRATEGIES.class_called(__name__, name)
