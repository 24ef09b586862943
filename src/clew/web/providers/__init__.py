"""Who finds pages by words and back-links by URL: search engines, wikis, link files."""

from __future__ import annotations

__all__ = ["names"]


def names() -> tuple[str, ...]:
    """Every kind of provider that can be named."""
    from clew.web.providers.registry import PROVIDERS

    return PROVIDERS.names()
