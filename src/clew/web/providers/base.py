"""What a search provider and a back-link provider are (CFC-2, BNG-20, TUN-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from clew.errors import ClewError
from clew.urls.canonical import Canonicaliser

__all__ = ["BacklinkProvider", "Collector", "Hit", "ProviderError", "SearchProvider"]


class ProviderError(ClewError):
    """A provider gave no usable answer; the message names it, the URL or file asked, and what to do."""

    def __init__(self, provider: str, where: str, reason: str, advice: str = "") -> None:
        super().__init__(f"{provider}: {reason} ({where[:300]}){f'; {advice}' if advice else ''}")
        self.provider = provider
        self.where = where
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Hit:
    """An answer of a search provider: canonical URL, plain text, place in the answer from 1."""

    url: str
    title: str = ""
    snippet: str = ""
    rank: int = 0


@runtime_checkable
class SearchProvider(Protocol):
    """Finds pages by words. ``name`` stands for the provider and the settings that its answers depend on."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, limit: int) -> list[Hit]:
        """At most ``limit`` hits, best first, no URL twice. Raises ProviderError."""
        ...

    async def close(self) -> None:
        """Free connections and files. May be called twice."""
        ...


@runtime_checkable
class BacklinkProvider(Protocol):
    """Finds the pages that link to a page. ``name`` as for SearchProvider."""

    @property
    def name(self) -> str: ...

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """At most ``limit`` canonical URLs of pages that link to canonical ``url``, none twice, never ``url`` itself.

        Raises ProviderError.
        """
        ...

    async def close(self) -> None:
        """Free connections and files. May be called twice."""
        ...


class Collector:
    """Gathers hits up to ``limit``: canonical URLs, none twice, none that cannot be crawled, and not ``without``."""

    def __init__(self, limit: int, canonicalise: Canonicaliser, without: str = "") -> None:
        self.hits: list[Hit] = []
        self._limit = limit
        self._canonicalise = canonicalise
        self._seen = {without}

    def add(self, url: str, title: str = "", snippet: str = "", base: str = "") -> bool:
        """Whether this was a new hit. ``url`` may be relative to ``base``."""
        found = self._canonicalise(url, base)
        if found is None or found in self._seen or self.full:
            return False
        self._seen.add(found)
        self.hits.append(Hit(found, " ".join(title.split()), " ".join(snippet.split()), len(self.hits) + 1))
        return True

    @property
    def full(self) -> bool:
        return len(self.hits) >= self._limit

    @property
    def urls(self) -> list[str]:
        return [hit.url for hit in self.hits]
