"""Is this page it: judges by name, as classes, and the base class for one of your own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.judges.base import Judge, JudgeContext

__all__ = ["classes", "make", "names"]


def names() -> tuple[str, ...]:
    """Every judge that can be named."""
    from clew.judges.registry import JUDGES

    return JUDGES.names()


def make(judge: str | Callable[..., Judge] | Judge, context: JudgeContext | None = None, **settings: Any) -> Judge:
    """A judge by its name, its class, or itself, untrained, with its settings by keyword. Raises ConfigError.

    ``context``: topics, keywords and so on; by default there is one topic, relevant.
    """
    from clew.judges.registry import make as make_judge

    return make_judge(judge, context, **settings)


def classes() -> dict[str, type[Judge]]:
    """The classes of the built-in judges by their own names, all imported."""
    from clew.judges.registry import JUDGES

    return JUDGES.classes()


def __getattr__(name: str) -> Any:
    """Built-in classes, such as ``clew.judges.SvmJudge``, imported when they are first used."""
    if not name[:1].isupper():  # a module of this room that is not imported yet: no class
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clew.judges.registry import JUDGES

    return JUDGES.class_called(__name__, name)
