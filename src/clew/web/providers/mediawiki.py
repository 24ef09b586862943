"""Search and back-links in a MediaWiki site through its action API: list=search, list=backlinks (API:Search,
API:Backlinks), with the addresses of pages from meta=siteinfo."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from clew.errors import UrlError
from clew.section import doc
from clew.text.characters import unescape
from clew.urls.canonical import Canonicaliser, canonical
from clew.web.providers.base import BacklinkProvider, Collector, Hit, ProviderContext, SearchProvider
from clew.web.providers.jsonclient import USER_AGENT, JsonClient, OnlineSettings, rows, table, text

_TAG = re.compile(r"<[^<>]*+>")
_UNESCAPED = ";@$!*(),/~:"  # what MediaWiki leaves as it is in the addresses of its pages
MOST_AT_ONCE = 500
MOST_REQUESTS = 1_000


class MediaWiki(SearchProvider, BacklinkProvider):
    """``url`` is where api.php lies, as in https://en.wikipedia.org/w.

    ``namespaces`` are numbers with ``|`` between (0: articles; "*": all). Back-links through redirects count, the
    redirects themselves do not. A URL that is no page of the wiki has no back-links.
    """

    class Settings(OnlineSettings, frozen=True, kw_only=True):
        """A provider of kind mediawiki"""

        namespaces: Annotated[str, doc("Numbers with | between (0: articles; *: all).")] = "0"

    def __init__(
        self,
        url: str,
        *,
        namespaces: str = "0",
        timeout: float = 30.0,
        spacing: float = 0.0,
        user_agent: str = USER_AGENT,
        canonicalise: Canonicaliser | None = None,
    ) -> None:
        self._api = f"{url.rstrip('/').removesuffix('/api.php')}/api.php"
        self._namespaces = namespaces
        self.name = f"mediawiki {self._api} {namespaces}"
        self._client = JsonClient(self.name, timeout=timeout, spacing=spacing, user_agent=user_agent)
        self._canonicalise = canonicalise or Canonicaliser()
        self._form = ""
        self._looking = asyncio.Lock()

    @classmethod
    def from_settings(cls, context: ProviderContext, settings: Settings) -> MediaWiki:
        return cls(**settings.arguments(), canonicalise=context.canonicalise)

    async def search(self, query: str, limit: int) -> list[Hit]:
        found = Collector(limit, self._canonicalise)
        if limit < 1 or not query.strip():
            return []
        form = await self._article_form()
        for what in ("title", "text"):
            async for title, snippet in self._found(query, what, limit):
                found.add(_address(form, title), title, snippet)
                if found.full:
                    return found.hits
        return found.hits

    async def _found(self, query: str, what: str, limit: int) -> AsyncIterator[tuple[str, str]]:
        """Titles and snippets. Wikis that search in their database look at titles or at texts, and by default at
        titles only; the others (CirrusSearch) look at both when asked for texts, and refuse to look at titles."""
        wanted = {"list": "search", "srsearch": query, "srnamespace": self._namespaces, "srprop": "snippet"}
        wanted |= {"srwhat": what, "srlimit": str(min(limit, MOST_AT_ONCE))}
        async for answer in self._answers(wanted, harmless="search-title-disabled"):
            for row in rows(answer.get("search")):
                yield text(row.get("title")), unescape(_TAG.sub("", text(row.get("snippet"))))

    async def backlinks(self, url: str, limit: int) -> list[str]:
        form = await self._article_form() if limit > 0 else ""
        title = _title(form, url) if form else ""
        if not title:
            return []
        found = Collector(limit, self._canonicalise, without=url)
        wanted = {"list": "backlinks", "bltitle": title, "blredirect": "1"}
        wanted["bllimit"] = str(min(limit, MOST_AT_ONCE))
        if self._namespaces != "*":
            wanted["blnamespace"] = self._namespaces
        async for answer in self._answers(wanted, harmless="invalidtitle"):
            for linking in _linking(answer.get("backlinks")):
                found.add(_address(form, linking))
            if found.full:
                break
        return found.urls

    async def close(self) -> None:
        await self._client.close()

    async def _answers(self, wanted: dict[str, str], harmless: str = "") -> AsyncIterator[dict[str, Any]]:
        """The ``query`` parts of an answer, which ``continue`` strings together; none after the error ``harmless``."""
        more: dict[str, str] = {}
        for _ in range(MOST_REQUESTS):
            answer = await self._ask({**wanted, **more}, harmless)
            yield table(answer.get("query"))
            last, more = more, {name: text(value) for name, value in table(answer.get("continue")).items()}
            if not more or more == last:
                return

    async def _ask(self, wanted: dict[str, str], harmless: str = "") -> dict[str, Any]:
        answer = await self._client.get(
            self._api, {"action": "query", "format": "json", "formatversion": "2", **wanted}
        )
        if not isinstance(answer, dict):
            raise self._client.error(self._api, "the answer is no JSON object", "is this a MediaWiki api.php?")
        if "error" in answer:
            error = table(answer["error"])
            if harmless and error.get("code") == harmless:
                return {}
            reason = f"the wiki answers {text(error.get('code'))}: {text(error.get('info'))}"
            raise self._client.error(self._api, reason, "check the provider's settings, or try again later")
        return answer

    async def _article_form(self) -> str:
        """The address of an article with $1 for its title, as in https://en.wikipedia.org/wiki/$1."""
        async with self._looking:
            self._form = self._form or await self._asked_form()
        return self._form

    async def _asked_form(self) -> str:
        answer = await self._ask({"meta": "siteinfo", "siprop": "general"})
        general = table(table(answer.get("query")).get("general"))
        server, path = text(general.get("server")), text(general.get("articlepath"))
        if not server or "$1" not in path:
            reason = "siteinfo gives no server and articlepath"
            raise self._client.error(self._api, reason, "is this a MediaWiki api.php?")
        scheme = f"{urlsplit(self._api).scheme}:" if server.startswith("//") else ""
        return f"{scheme}{server}{path}"


def _linking(found: Any) -> Iterator[str]:
    """The titles of pages that link, those that link through a redirect in its place; redirects are none."""
    for row in rows(found):
        for one in (row, *rows(row.get("redirlinks"))):
            if one.get("redirect", False) is False:
                yield text(one.get("title"))


def _address(form: str, title: str) -> str:
    return form.replace("$1", quote(title.replace(" ", "_"), safe=_UNESCAPED)) if title else ""


def _title(form: str, url: str) -> str:
    """The title of the page at ``url``; "" when it is no page of the wiki. http and https are the same wiki."""
    try:
        before, _, after = canonical(form.replace("$1", "TITLE")).partition("//")[2].partition("TITLE")
    except UrlError:
        return ""
    here = url.partition("#")[0].partition("//")[2]
    written = here[len(before) : len(here) - len(after)] if here.startswith(before) and here.endswith(after) else ""
    if "?" in before:
        written = written.partition("&")[0]
    elif "?" in written or not written:
        same = here.partition("/")[0] == before.partition("/")[0]
        written = parse_qs(urlsplit(url).query).get("title", [""])[0] if same else ""
        return written.replace("_", " ")
    return unquote(written).replace("_", " ")
