"""Any JSON API over HTTP, described by settings: for search or for back-links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

from msgspec import field

from clew.errors import InputError
from clew.section import doc
from clew.urls.canonical import Canonicaliser
from clew.web.providers.base import BacklinkProvider, Collector, Hit, ProviderContext, SearchProvider
from clew.web.providers.jsonclient import USER_AGENT, JsonClient, OnlineSettings, text

_PLACE = re.compile(r"\{([^{}]*)\}")
_PLACES = ("query", "limit", "page", "offset")
_LONGEST_PAGE = 100
MOST_PAGES = 100


class JsonTemplate(SearchProvider, BacklinkProvider):
    """``url`` holds {query} (the words, or the URL whose back-links are wanted) and, if the API has them, {limit},
    {page} (counted from ``first_page``) or {offset} (hits before this page).

    ``results`` is the path of names to the list in the answer, with dots between ("": the answer is the list), and
    ``fields`` say where in each item url, title and snippet are (items may also be plain URLs). Keys of an API belong
    into ``headers``, which no message shows. Pages are asked for until one brings nothing new.
    """

    class Settings(OnlineSettings, frozen=True, kw_only=True):
        """A provider of kind json"""

        results: Annotated[str, doc("Path of names to the list in the answer, with dots between.")] = ""
        fields: Annotated[dict[str, str], doc("Where in each item url, title and snippet are.")] = field(
            default_factory=dict
        )
        headers: Annotated[dict[str, str], doc("Headers, such as an API's key.")] = field(default_factory=dict)
        first_page: Annotated[int, doc("From where pages are counted.")] = 1

    def __init__(
        self,
        url: str,
        *,
        results: str = "",
        fields: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        first_page: int = 1,
        timeout: float = 30.0,
        spacing: float = 0.0,
        user_agent: str = USER_AGENT,
        canonicalise: Canonicaliser | None = None,
    ) -> None:
        self._url = url
        self._places = _checked(url)
        self._results = results
        self._fields = {"url": "url", "title": "title", "snippet": "snippet", **(fields or {})}
        self._first_page = first_page
        described = repr((url, results, sorted(self._fields.items()), first_page))
        self.name = f"json {urlsplit(url).hostname} {blake2b(described.encode(), digest_size=4).hexdigest()}"
        self._client = JsonClient(
            self.name, timeout=timeout, spacing=spacing, user_agent=user_agent, headers=headers, advice={}
        )
        self._canonicalise = canonicalise or Canonicaliser()

    @classmethod
    def from_settings(cls, context: ProviderContext, settings: Settings) -> JsonTemplate:
        return cls(**settings.arguments(), canonicalise=context.canonicalise)

    async def search(self, query: str, limit: int) -> list[Hit]:
        return (await self._gathered(query, Collector(limit, self._canonicalise), limit)).hits

    async def backlinks(self, url: str, limit: int) -> list[str]:
        return (await self._gathered(url, Collector(limit, self._canonicalise, without=url), limit)).urls

    async def close(self) -> None:
        await self._client.close()

    async def _gathered(self, query: str, found: Collector, limit: int) -> Collector:
        paged = bool(self._places & {"page", "offset"})
        offset = 0
        for page in range(MOST_PAGES if paged else 1):
            if found.full:
                break
            values = {
                "query": query,
                "limit": min(limit, _LONGEST_PAGE) if paged else limit,
                "page": self._first_page + page,
                "offset": offset,
            }
            where = _PLACE.sub(lambda place, now=values: quote(str(now[place[1]]), safe=""), self._url)  # type: ignore[misc]
            items = self._items(await self._client.get(where), where)
            offset += len(items)
            before = len(found.hits)
            for item in items:
                self._add(item, found)
            if len(found.hits) == before:
                break
        return found

    def _items(self, answer: Any, where: str) -> list[Any]:
        found = _at(answer, self._results)
        if not isinstance(found, list):
            names = ", ".join(answer) if isinstance(answer, dict) else type(answer).__name__
            reason = f"the answer has no list at results = {self._results!r}; it holds: {names[:200]}"
            raise self._client.error(where, reason, "set results to the path of the list")
        if found and not any(self._address(item) for item in found):
            names = ", ".join(found[0]) if isinstance(found[0], dict) else repr(found[0])
            reason = f"no item has the field {self._fields['url']!r}; the first holds: {names[:200]}"
            raise self._client.error(where, reason, "set fields.url to the name of the address")
        return found

    def _address(self, item: Any) -> str:
        return item if isinstance(item, str) else text(_at(item, self._fields["url"]))

    def _add(self, item: Any, found: Collector) -> None:
        title, snippet = (text(_at(item, self._fields[name])) for name in ("title", "snippet"))
        found.add(self._address(item), title, snippet)


def _at(value: Any, path: str) -> Any:
    """What lies at a path of names (or places in lists) with dots between; None: nothing does."""
    for name in filter(None, path.split(".")):
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _checked(url: str) -> set[str]:
    """The places in ``url``. Raises InputError for unknown ones, and when {query} is missing."""
    places = {match[1] for match in _PLACE.finditer(url)}
    unknown = sorted(places - set(_PLACES))
    if unknown:
        known = ", ".join(f"{{{place}}}" for place in _PLACES)
        raise InputError(f"provider url {url!r}: {{{unknown[0]}}} is not known; use {known}")
    if "query" not in places:
        raise InputError(f"provider url {url!r} has no {{query}}: put it where the words or the URL asked about belong")
    return places
