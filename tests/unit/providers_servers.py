"""Small servers on loopback that speak the documented answers of SearXNG, MediaWiki and a plain JSON API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(routes: dict[str, Handler]) -> AsyncIterator[str]:
    """The root address of a server with these paths."""
    app = web.Application()
    app.add_routes([web.get(path, handler) for path, handler in routes.items()])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def searxng(urls: list[str], page: int = 10, log: list[dict[str, str]] | None = None) -> Handler:
    """GET /search of SearXNG with ``page`` results a page; the query ``nothing`` has none."""

    async def handle(request: web.Request) -> web.Response:
        if log is not None:
            log.append({**request.query, "agent": request.headers["User-Agent"]})
        if request.query.get("format") != "json":
            return web.Response(text="<html>", content_type="text/html")
        query = request.query["q"]
        start = (int(request.query.get("pageno", "1")) - 1) * page
        found = [] if query == "nothing" else urls[start : start + page]
        results = [
            {"url": url, "title": f"Title  of {url}", "content": "some\ntext", "engine": "e", "score": 1.0}
            for url in found
        ]
        answer = {"query": query, "number_of_results": 0, "results": results, "answers": [], "corrections": []}
        return web.json_response({**answer, "infoboxes": [], "suggestions": [], "unresponsive_engines": []})

    return handle


class Wiki:
    """GET /w/api.php of MediaWiki, formatversion 2, which gives at most ``most`` rows an answer.

    With ``by_title`` it finds these when asked for titles, as wikis do that search in their database.
    """

    def __init__(
        self,
        titles: list[str],
        most: int = 3,
        articlepath: str = "/wiki/$1",
        by_title: list[str] | None = None,
    ) -> None:
        self.titles = titles
        self.most = most
        self.articlepath = articlepath
        self.by_title = by_title
        self.linking: dict[str, list[dict[str, object]]] = {}
        self.log: list[dict[str, str]] = []

    async def handle(self, request: web.Request) -> web.Response:
        asked = request.query
        self.log.append(dict(asked))
        assert asked["action"] == "query" and asked["format"] == "json" and asked["formatversion"] == "2"
        if asked.get("meta") == "siteinfo":
            general = {"server": f"//{request.host}", "articlepath": self.articlepath, "scriptpath": "/w"}
            return web.json_response({"batchcomplete": True, "query": {"general": general}})
        if asked["list"] == "search":
            return self._search(asked)
        if set(asked["bltitle"]) & set("[]{}|<>"):
            return web.json_response({"error": {"code": "invalidtitle", "info": f'Bad title "{asked["bltitle"]}".'}})
        rows = self.linking.get(asked["bltitle"], [])
        return self._answer("backlinks", rows, int(asked["bllimit"]), int(asked.get("blcontinue", "0")), "blcontinue")

    def _search(self, asked: Mapping[str, str]) -> web.Response:
        query, limit, start = asked["srsearch"], int(asked["srlimit"]), int(asked.get("sroffset", "0"))
        if query == "insource:":
            error = {"code": "cirrussearch-error", "info": "bad query"}
            return web.json_response({"error": error})
        if asked.get("srwhat", "title") == "title" and self.by_title is None:
            return web.json_response({"error": {"code": "search-title-disabled", "info": "title search is disabled."}})
        known = self.titles if asked.get("srwhat") == "text" else self.by_title
        titles = [] if query == "nothing" else known or []
        snippet = 'about <span class="searchmatch">this</span> &amp; that'
        rows: list[dict[str, object]] = [{"ns": 0, "title": title, "pageid": 1, "snippet": snippet} for title in titles]
        return self._answer("search", rows, limit, start, "sroffset")

    def _answer(self, name: str, rows: list[dict[str, object]], limit: int, start: int, more: str) -> web.Response:
        end = start + min(limit, self.most)
        answer: dict[str, object] = {"query": {name: rows[start:end]}}
        if end < len(rows):
            answer["continue"] = {more: end, "continue": "-||"}
        else:
            answer["batchcomplete"] = True
        return web.json_response(answer)


def items(urls: list[str], page: int = 4) -> Handler:
    """A plain JSON API: /find?what=...&page=0 answers {"data": {"items": [{"link": {"href": ...}, "name": ...}]}}."""

    async def handle(request: web.Request) -> web.Response:
        start = int(request.query["page"]) * page
        found = [] if request.query["what"] in ("nothing", "http://nothing.test/") else urls[start : start + page]
        rows = [{"link": {"href": url}, "name": f"Name {url}"} for url in found]
        return web.json_response({"data": {"items": rows}})

    return handle
