"""Handing a collection over: exporters by name, summary and report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.export.base import Collection, Exporter

__all__ = ["make", "names"]


def names() -> tuple[str, ...]:
    """Every exporter that can be named."""
    from clew.export.registry import EXPORTERS

    return EXPORTERS.names()


def make(exporter: str | Callable[..., Exporter] | Exporter, collection: Collection) -> Exporter:
    """An exporter by its name, its class, or itself. Raises ConfigError."""
    from clew.export.registry import make as make_exporter

    return make_exporter(exporter, collection)
