"""Settings of strategies that are one of several names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clew.config import Section
from clew.errors import ConfigError


def check_choices(strategy: str, settings: Section, choices: Mapping[str, Sequence[str]]) -> None:
    """Raise ConfigError for a setting whose value is none of its ``choices``."""
    for name, known in choices.items():
        value = getattr(settings, name)
        if value not in known:
            raise ConfigError(f"[strategy.{strategy}] {name} is {value!r}; choose one of: {', '.join(known)}")
