"""Providers by their settings, as in {"kind": "searxng", "url": "http://localhost:8888"}."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clew.errors import ConfigError
from clew.registry import Entry, Registry
from clew.urls.canonical import Canonicaliser
from clew.web.providers.base import Provider, ProviderContext, ProviderSettings
from clew.web.providers.ration import Rationed

__all__ = ["PROVIDERS", "RATION_FILE", "make"]

RATION_FILE = "providers.sqlite"

PROVIDERS: Registry[Provider] = Registry(
    "provider",
    "clew.providers",
    Provider,
    {
        "searxng": Entry("clew.web.providers.searxng:Searxng", "search through a SearXNG server"),
        "mediawiki": Entry("clew.web.providers.mediawiki:MediaWiki", "search and back links in a wiki"),
        "json": Entry("clew.web.providers.template:JsonTemplate", "any JSON API over HTTP, described by settings"),
        "edgelist": Entry("clew.web.providers.edgelist:EdgeList", "back links from a file of links"),
    },
    page="docs/worlds.md",
)
"""Every kind of provider."""


def make(settings: Mapping[str, Any], folder: Path, canonicalise: Canonicaliser | None = None) -> Rationed:
    """The provider that ``settings`` describe, rationed, with its cache, ledger and index in the project's ``folder``.

    ``kind`` names it; the other settings are its own. Paths are relative to ``folder``. Raises ConfigError, naming the
    setting.
    """
    given = dict(settings)
    kind = given.pop("kind", None)
    if not isinstance(kind, str):
        raise ConfigError(
            f'a provider has no kind; the kinds are {", ".join(PROVIDERS.names())}, as in kind = "searxng"'
        )
    found = PROVIDERS.get(kind)
    checked = PROVIDERS.settings(kind, given)
    assert isinstance(checked, ProviderSettings) and isinstance(found, type) and issubclass(found, Provider)
    provider = found.from_settings(ProviderContext(folder, canonicalise or Canonicaliser()), checked)
    return Rationed(provider, folder / RATION_FILE, calls=checked.calls, spacing=checked.spacing)
