"""Clew: a focused web crawler.

>>> from clew import Project
>>> result = Project("mytopic").crawl(max_pages=1000)  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew import export as exporters
    from clew import judges, strategies
    from clew.export.base import Exporter
    from clew.judges.base import Judge
    from clew.project.project import Project
    from clew.project.run import CrawlResult
    from clew.strategies.base import Strategy
    from clew.web import providers, worlds
    from clew.web.base import World
    from clew.web.providers.base import BacklinkProvider, SearchProvider

__version__ = "0.1.0"

__all__ = [
    "BacklinkProvider", "CrawlResult", "Exporter", "Judge", "Project", "SearchProvider", "Strategy", "World",
    "__version__", "exporters", "judges", "providers", "strategies", "worlds",
]  # fmt: skip

_HOMES = {
    "Project": "clew.project.project",
    "CrawlResult": "clew.project.run",
    "Strategy": "clew.strategies.base",
    "Judge": "clew.judges.base",
    "World": "clew.web.base",
    "SearchProvider": "clew.web.providers.base",
    "BacklinkProvider": "clew.web.providers.base",
    "Exporter": "clew.export.base",
}
_MODULES = {
    "strategies": "clew.strategies",
    "judges": "clew.judges",
    "worlds": "clew.web.worlds",
    "providers": "clew.web.providers",
    "exporters": "clew.export",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used, so that ``import clew`` stays quick."""
    if name not in _HOMES and name not in _MODULES:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    from importlib import import_module

    return import_module(_MODULES[name]) if name in _MODULES else getattr(import_module(_HOMES[name]), name)
