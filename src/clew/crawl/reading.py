"""How a crawl reads pages and writes URLs, as its settings say."""

from __future__ import annotations

from clew.config import Settings
from clew.text.reader import Reader
from clew.urls.canonical import Canonicaliser, host, keys, url_words
from clew.urls.scope import Scope


def scope_of(settings: Settings) -> Scope:
    """Which URLs belong to the crawl."""
    scope = settings.scope
    names = ("hosts", "exclude_hosts", "paths", "exclude_paths", "schemes", "exclude_endings", "max_depth")
    return Scope(**{name: getattr(scope, name) for name in names}, url_length=scope.url_length)


def canonicaliser_of(settings: Settings) -> Canonicaliser:
    """URLs as this crawl writes them."""
    return Canonicaliser(settings.scope.drop_parameters, settings.scope.url_length)


def reader_of(settings: Settings, canonicalise: Canonicaliser, scope: Scope, *, keep_text: bool = False) -> Reader:
    """Turns responses into pages. ``keep_text``: the judge reads the visible text of pages."""
    return Reader(
        canonicalise,
        keys,
        host,
        url_words,
        links_per_page=settings.limits.links_per_page,
        user_agent=settings.crawl.user_agent,
        scope=scope.accepts,
        keep_text=keep_text,
    )
