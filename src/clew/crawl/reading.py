"""How a crawl reads pages and writes URLs, as its settings say."""

from __future__ import annotations

from pathlib import Path

from clew.config import ScopeSettings, Settings
from clew.errors import ConfigError
from clew.text import documents
from clew.text.formats import Formats
from clew.text.mediatypes import inheriting_endings, unwanted_endings
from clew.text.reader import Reader
from clew.urls.canonical import Canonicaliser, host, keys, url_words
from clew.urls.never import Never, read_never
from clew.urls.scope import Scope


def scope_of(settings: Settings, folder: Path | None = None) -> Scope:
    """Which URLs belong to the crawl. ``folder``: where a relative ``scope.never`` begins; None: the
    working directory, where only a list that is named counts. Raises InputError for a bad line of that list."""
    scope = settings.scope
    names = ("hosts", "exclude_hosts", "paths", "exclude_paths", "schemes", "exclude_endings", "max_depth")
    rules = {name: getattr(scope, name) for name in names} | {"exclude_endings": unwanted_endings(settings)}
    rules["endings"] = inheriting_endings(settings)
    return Scope(**rules, url_length=scope.url_length, never=never_of(settings, folder))


def never_of(settings: Settings, folder: Path | None) -> Never:
    """What is never crawled: the list that ``scope.never`` names, relative to ``folder``."""
    name, usual = settings.scope.never, ScopeSettings().never
    if not name or (folder is None and name == usual):
        return Never()
    path = (folder or Path()) / name
    if path.is_file():
        return read_never(path, lambda url: canonicaliser_of(settings)(url, ""))
    if name != usual:
        raise ConfigError(f"scope.never = {name!r}: there is no file {path}; make it, or take the setting out")
    return Never()


def canonicaliser_of(settings: Settings) -> Canonicaliser:
    """URLs as this crawl writes them."""
    return Canonicaliser(settings.scope.drop_parameters, settings.scope.url_length)


def reader_of(settings: Settings, canonicalise: Canonicaliser, scope: Scope, *, keep_text: bool = False) -> Reader:
    """Turns responses into pages. ``keep_text``: the judge reads the visible text of pages. Raises ConfigError where
    documents are to be read and what reads them is not installed."""
    limits = settings.limits
    if limits.documents and (library := documents.missing()):
        raise ConfigError(
            f"limits.documents = true needs {library}, which is not installed: pip install 'clew[documents]'"
        )
    return Reader(
        canonicalise,
        keys,
        host,
        url_words,
        links_per_page=settings.limits.links_per_page,
        user_agent=settings.crawl.user_agent,
        scope=scope.accepts,
        keep_text=keep_text,
        formats=Formats(settings.crawl.feeds, limits.documents, limits.document_pages),
        lists_scope=scope.accepts_lists,
    )
