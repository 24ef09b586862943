"""Providers by their settings, as in {"kind": "searxng", "url": "http://localhost:8888"}."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from clew.errors import ConfigError
from clew.urls.canonical import Canonicaliser
from clew.web.providers.base import BacklinkProvider, SearchProvider
from clew.web.providers.jsonclient import USER_AGENT
from clew.web.providers.ration import Rationed

__all__ = ["KINDS", "RATION_FILE", "make"]

RATION_FILE = "providers.sqlite"
Provider = SearchProvider | BacklinkProvider


class _Common(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    calls: int = 0
    spacing: float = 1.0


class _Online(_Common, frozen=True, kw_only=True):
    url: str
    timeout: float = 30.0
    user_agent: str = USER_AGENT


class _Searxng(_Online, frozen=True, kw_only=True):
    language: str = ""
    categories: str = ""


class _MediaWiki(_Online, frozen=True, kw_only=True):
    namespaces: str = "0"


class _Json(_Online, frozen=True, kw_only=True):
    results: str = ""
    fields: dict[str, str] = {}
    headers: dict[str, str] = {}
    first_page: int = 1


class _EdgeList(_Common, frozen=True, kw_only=True):
    path: str
    level: str = ""
    reversed_hosts: bool | None = None
    vertices: str = ""
    columns: list[str] = []
    spacing: float = 0.0


def _searxng(given: dict[str, Any], canonicalise: Canonicaliser, folder: Path) -> Provider:
    from clew.web.providers.searxng import Searxng

    return Searxng(**given, canonicalise=canonicalise)


def _mediawiki(given: dict[str, Any], canonicalise: Canonicaliser, folder: Path) -> Provider:
    from clew.web.providers.mediawiki import MediaWiki

    return MediaWiki(**given, canonicalise=canonicalise)


def _json(given: dict[str, Any], canonicalise: Canonicaliser, folder: Path) -> Provider:
    from clew.web.providers.template import JsonTemplate

    return JsonTemplate(**given, canonicalise=canonicalise)


def _edgelist(given: dict[str, Any], canonicalise: Canonicaliser, folder: Path) -> Provider:
    from clew.web.providers.edgelist import EdgeList

    del given["spacing"]
    path, vertices = folder / given.pop("path"), given.pop("vertices")
    return EdgeList(path, folder, **given, vertices=folder / vertices if vertices else None, canonicalise=canonicalise)


KINDS: dict[str, tuple[type[_Common], Callable[[dict[str, Any], Canonicaliser, Path], Provider]]] = {
    "searxng": (_Searxng, _searxng),
    "mediawiki": (_MediaWiki, _mediawiki),
    "json": (_Json, _json),
    "edgelist": (_EdgeList, _edgelist),
}


def make(settings: Mapping[str, Any], folder: Path, canonicalise: Canonicaliser | None = None) -> Rationed:
    """The provider that ``settings`` describe, rationed, with its cache, ledger and index in the project's ``folder``.

    ``calls`` and ``spacing`` are of the ration (``spacing`` also keeps the pages of one answer apart); the others are
    arguments of the provider. Paths are relative to ``folder``. Raises ConfigError, naming the setting.
    """
    given = dict(settings)
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        kinds = ", ".join(KINDS)
        said = "has no kind" if kind is None else f"of kind {kind!r} is not known"
        raise ConfigError(f'a provider {said}; the kinds are {kinds}, as in kind = "searxng"')
    form, build = KINDS[kind]
    checked = msgspec.structs.asdict(_checked(kind, form, given))
    calls = checked.pop("calls")
    provider = build(dict(checked), canonicalise or Canonicaliser(), folder)
    return Rationed(provider, folder / RATION_FILE, calls=calls, spacing=checked["spacing"])


def _checked(kind: str, form: type[_Common], given: dict[str, Any]) -> _Common:
    known = [field.name for field in msgspec.structs.fields(form)]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ConfigError(f"provider {kind}: there is no setting {unknown[0]!r}; there are {', '.join(known)}")
    try:
        found = msgspec.convert(given, form)
    except msgspec.ValidationError as error:
        raise ConfigError(f"provider {kind}: {error}") from None
    for name, least in (("calls", 0), ("spacing", 0.0), ("timeout", 0.001)):
        if getattr(found, name, least) < least:
            raise ConfigError(f"provider {kind}: {name} must be {'positive' if least else '0 or more'}")
    url = getattr(found, "url", "http://")
    if not url.startswith(("http://", "https://")) or (hasattr(found, "url") and not urlsplit(url).hostname):
        raise ConfigError(f"provider {kind}: url {url!r} must begin with http:// or https:// and name a server")
    return found
