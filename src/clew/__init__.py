"""Clew: a focused web crawler.

>>> from clew import Crawl
>>> Crawl(world="sim:pages=3000,seed=3").run_sync(max_pages=60).fetched
60
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.version import __version__

if TYPE_CHECKING:
    from clew import export as exporters
    from clew import judges, strategies
    from clew.crawl.crawl import Crawl
    from clew.crawl.pages import PageRecord, StopCrawl
    from clew.crawl.running import CrawlResult
    from clew.examples.examples import Examples
    from clew.export.base import Exporter
    from clew.judges.base import Judge
    from clew.project.project import Project
    from clew.strategies.base import Strategy
    from clew.web import providers, worlds
    from clew.web.base import World
    from clew.web.providers.base import BacklinkProvider, SearchProvider

__all__ = [
    "BacklinkProvider", "Crawl", "CrawlResult", "Examples", "Exporter", "Judge", "PageRecord", "Project",
    "SearchProvider", "StopCrawl", "Strategy", "World", "__version__", "exporters", "judges", "providers", "strategies",
    "worlds",
]  # fmt: skip

_HOMES = {
    "BacklinkProvider": "clew.web.providers.base",
    "Crawl": "clew.crawl.crawl",
    "CrawlResult": "clew.crawl.running",
    "Examples": "clew.examples.examples",
    "Exporter": "clew.export.base",
    "Judge": "clew.judges.base",
    "PageRecord": "clew.crawl.pages",
    "Project": "clew.project.project",
    "SearchProvider": "clew.web.providers.base",
    "StopCrawl": "clew.crawl.pages",
    "Strategy": "clew.strategies.base",
    "World": "clew.web.base",
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
