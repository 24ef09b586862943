"""What a search provider and a back-link provider are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from clew.errors import ClewError
from clew.registry import name_of
from clew.section import Section, doc
from clew.urls.canonical import Canonicaliser

__all__ = [
    "BacklinkProvider", "Collector", "Hit", "Provider", "ProviderContext", "ProviderError", "ProviderSettings",
    "SearchProvider",
]  # fmt: skip


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


class ProviderSettings(Section, frozen=True):
    """Settings of every provider. ``spacing`` also keeps the pages of one answer apart."""

    calls: Annotated[int, doc("Questions that may be asked in the life of the project (0: no limit).", ge=0)] = 0
    spacing: Annotated[float, doc("Seconds between two questions.", ge=0)] = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class ProviderContext:
    """What a provider may be made from besides its settings: the project's folder, and URLs as the project writes
    them."""

    folder: Path = field(default_factory=Path)
    canonicalise: Canonicaliser = field(default_factory=Canonicaliser)


class Provider:
    """Somebody who can be asked about the web: a subclass of SearchProvider, BacklinkProvider, or both.

    A nested class ``Settings``, a subclass of ProviderSettings, holds what its table in clew.toml may set.
    """

    name: str = ""
    """Stands for the provider and the settings that its answers depend on; by default the name of the class."""

    Settings: ClassVar[type[ProviderSettings]] = ProviderSettings

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = name_of(cls)

    @classmethod
    def from_settings(cls, context: ProviderContext, settings: Any) -> Provider:
        """The provider with its ``Settings``; by default the class is called with both. Raises ClewError."""
        made: Provider = cls(context, settings)  # type: ignore[call-arg]  # a subclass may take them
        return made

    async def close(self) -> None:
        """Free connections and files. May be called twice."""


class SearchProvider(Provider, ABC):
    """Finds pages by words. A subclass must give ``search``."""

    @abstractmethod
    async def search(self, query: str, limit: int) -> list[Hit]:
        """At most ``limit`` hits, best first, no URL twice. Raises ProviderError."""


class BacklinkProvider(Provider, ABC):
    """Finds the pages that link to a page. A subclass must give ``backlinks``."""

    @abstractmethod
    async def backlinks(self, url: str, limit: int) -> list[str]:
        """At most ``limit`` canonical URLs of pages that link to canonical ``url``, none twice, never ``url`` itself.

        Raises ProviderError.
        """


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
