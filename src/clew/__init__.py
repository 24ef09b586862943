"""Clew: a focused web crawler.

>>> from clew import Project
>>> result = Project("mytopic").crawl(max_pages=1000)  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.project.project import Project
    from clew.project.run import CrawlResult

__version__ = "0.1.0"

__all__ = ["CrawlResult", "Project", "__version__"]

_HOMES = {"Project": "clew.project.project", "CrawlResult": "clew.project.run"}


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used, so that ``import clew`` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
