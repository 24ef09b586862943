"""Clew: a focused web crawler.

>>> from clew import Crawl
>>> Crawl(world="sim:pages=3000,seed=3").run_sync(max_pages=60).fetched
60
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.crawl.crawl import Crawl
    from clew.crawl.pages import PageRecord, StopCrawl
    from clew.crawl.running import CrawlResult
    from clew.examples.examples import Examples
    from clew.project.project import Project

__version__ = "0.1.0"

__all__ = ["Crawl", "CrawlResult", "Examples", "PageRecord", "Project", "StopCrawl", "__version__"]

_HOMES = {
    "Crawl": "clew.crawl.crawl",
    "CrawlResult": "clew.crawl.running",
    "Examples": "clew.examples.examples",
    "PageRecord": "clew.crawl.pages",
    "Project": "clew.project.project",
    "StopCrawl": "clew.crawl.pages",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used, so that ``import clew`` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
