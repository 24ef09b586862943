"""The API: a module a subject, each with a ``router``. Paths begin with /api/projects/{name}.

Functions are plain ``def``: they run in threads, open the store for themselves, and may take their time. They return
frozen dataclasses, which describe themselves in /api/openapi.json.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fastapi import APIRouter

from clew.dashboard.api.common import Problem

SUBJECTS = (
    "projects", "crawl", "pages", "explaining", "archived", "search", "labels", "topics", "interest", "frontier",
    "metrics", "compare", "report",
)  # fmt: skip
"""The modules here that have a router, in the order of the description."""

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The input is wrong"},
    401: {"model": Problem, "description": "No token"},
    403: {"model": Problem, "description": "Wrong host or origin, or a change without the header x-clew"},
    404: {"model": Problem, "description": "There is no such thing"},
    409: {
        "model": Problem,
        "description": "The project is not ready for it: nothing crawled yet, no crawl running, ...",
    },
    422: {"model": Problem, "description": "A parameter or body makes no sense"},
    503: {
        "model": Problem,
        "description": "The crawl database cannot be read, or the running crawl is too busy to answer",
    },
}


def routers() -> list[APIRouter]:
    """All routers."""
    return [import_module(f"{__name__}.{subject}").router for subject in SUBJECTS]
