"""Search through a SearXNG server: GET /search?q=...&format=json (its documentation: Search API)."""

from __future__ import annotations

from typing import Annotated, Any

from clew.section import doc
from clew.urls.canonical import Canonicaliser
from clew.web.providers.base import Collector, Hit, ProviderContext, SearchProvider
from clew.web.providers.jsonclient import USER_AGENT, JsonClient, OnlineSettings, rows, text

_NO_JSON = "this server does not give JSON: add json to search.formats in its settings.yml, or use another server"
MOST_PAGES = 50


class Searxng(SearchProvider):
    """``url`` is the server's root; ``language`` such as ``en`` or ``de-AT``, ``categories`` such as ``general``."""

    class Settings(OnlineSettings, frozen=True, kw_only=True):
        """A provider of kind searxng"""

        language: Annotated[str, doc("Language of the pages, such as en or de-AT (empty: any).")] = ""
        categories: Annotated[str, doc("Categories of the server that are searched, such as general.")] = ""

    def __init__(
        self,
        url: str,
        *,
        language: str = "",
        categories: str = "",
        timeout: float = 30.0,
        spacing: float = 0.0,
        user_agent: str = USER_AGENT,
        canonicalise: Canonicaliser | None = None,
    ) -> None:
        self._url = url.rstrip("/").removesuffix("/search")
        self.name = " ".join(filter(None, ("searxng", self._url, language, categories)))
        self._fixed = {"format": "json", "language": language, "categories": categories}
        advice = {403: _NO_JSON}
        self._client = JsonClient(self.name, timeout=timeout, spacing=spacing, user_agent=user_agent, advice=advice)
        self._canonicalise = canonicalise or Canonicaliser()

    @classmethod
    def from_settings(cls, context: ProviderContext, settings: Settings) -> Searxng:
        return cls(**settings.arguments(), canonicalise=context.canonicalise)

    async def search(self, query: str, limit: int) -> list[Hit]:
        found = Collector(limit, self._canonicalise)
        if not query.strip():
            return []  # SearXNG answers such a question with status 400
        for number in range(1, MOST_PAGES + 1):
            if found.full or not await self._page(query, number, found):
                break
        return found.hits

    async def close(self) -> None:
        await self._client.close()

    async def _page(self, query: str, number: int, found: Collector) -> bool:
        """Whether page ``number`` had hits that were not on the pages before it."""
        parameters = {"q": query, "pageno": str(number), **self._fixed}
        where = f"{self._url}/search"
        answer = await self._client.get(where, {name: value for name, value in parameters.items() if value})
        if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
            raise self._client.error(where, "the answer has no results list", "is this a SearXNG server?")
        silent = _silent(answer)
        if number == 1 and not answer["results"] and silent:
            raise self._client.error(where, f"nothing found, and no answer from {silent}", "try again later")
        results = rows(answer["results"])
        new = [found.add(text(hit.get("url")), text(hit.get("title")), text(hit.get("content"))) for hit in results]
        return any(new)


def _silent(answer: dict[str, Any]) -> str:
    """The engines behind the server that did not answer, with reasons: ``[["google", "timeout"], ...]``."""
    engines = answer.get("unresponsive_engines")
    pairs = [pair for pair in engines if isinstance(pair, list) and pair] if isinstance(engines, list) else []
    return ", ".join(f"{pair[0]} ({', '.join(map(str, pair[1:]))})" for pair in pairs)
