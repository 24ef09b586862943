"""SearXNG, MediaWiki and JSON templates: what is asked, what is read, and what is said when it goes wrong."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web
from providers_servers import Wiki, searxng, serving

from clew import __version__
from clew.errors import InputError
from clew.urls.canonical import Canonicaliser
from clew.web.providers.base import Hit, ProviderError
from clew.web.providers.mediawiki import MediaWiki, _title
from clew.web.providers.searxng import Searxng
from clew.web.providers.template import JsonTemplate


def answering(body: object, status: int = 200, log: list[str] | None = None):  # type: ignore[no-untyped-def]
    async def handle(request: web.Request) -> web.Response:
        if log is not None:
            log.append(f"{request.rel_url.raw_path_qs} {request.headers.get('X-Key', '')}".strip())
        if isinstance(body, str):
            return web.Response(text=body, status=status)
        return web.json_response(body, status=status)

    return handle


async def failure(made: Searxng | MediaWiki | JsonTemplate, query: str = "q") -> str:
    try:
        with pytest.raises(ProviderError) as caught:
            await made.search(query, 5)
    finally:
        await made.close()
    assert caught.value.exit_code == 1
    return str(caught.value)


async def test_searxng_is_asked_page_by_page_until_the_limit() -> None:
    log: list[dict[str, str]] = []
    urls = [f"http://{n}.test/" for n in range(9)]
    async with serving({"/search": searxng(urls, 3, log)}) as root:
        made = Searxng(f"{root}/", language="de", categories="science")
        hits = await made.search("räder & mehr", 5)
        await made.close()
    assert hits[4] == Hit("http://4.test/", "Title of http://4.test/", "some text", 5)
    fixed = {"format": "json", "language": "de", "categories": "science", "agent": f"clew/{__version__}"}
    assert log == [{"q": "räder & mehr", "pageno": page, **fixed} for page in ("1", "2")]


async def test_searxng_is_not_asked_for_nothing() -> None:
    made = Searxng("http://127.0.0.1:1")
    assert await made.search(" ", 5) == []
    await made.close()


async def test_searxng_that_repeats_its_page_is_not_asked_for_ever() -> None:
    results = [{"url": "http://a.test/"}, "rubbish", {"url": None}, {"title": "no url"}]
    log: list[str] = []
    async with serving({"/search": answering({"results": results}, log=log)}) as root:
        made = Searxng(root)
        assert [hit.url for hit in await made.search("q", 10)] == ["http://a.test/"]
        await made.close()
    assert len(log) == 2


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("Forbidden", 403, "search.formats in its settings.yml"),
        ("Too many", 429, "spacing"),
        ("oops", 500, "status 500"),
        ("<html>", 200, "not JSON but begins '<html>'"),
        ({"items": []}, 200, "is this a SearXNG server?"),
        ({"results": [], "unresponsive_engines": [["google", "timeout"]]}, 200, "no answer from google (timeout)"),
        ({"error": "No query"}, 400, "status 400"),
    ],
)
async def test_searxng_failures_say_what_to_do(body: object, status: int, words: str) -> None:
    async with serving({"/search": answering(body, status)}) as root:
        said = await failure(Searxng(root))
    assert words in said and f"searxng {root}" in said and f"{root}/search" in said


async def test_a_server_that_is_not_there_or_does_not_answer() -> None:
    async def never(request: web.Request) -> web.Response:
        await asyncio.sleep(1.0)
        return web.Response()

    async with serving({"/search": never}) as root:
        assert "no answer within 0.1 s" in await failure(Searxng(root, timeout=0.1))
    assert "cannot be reached" in await failure(Searxng(root))


async def test_requests_keep_their_spacing() -> None:
    async with serving({"/search": searxng([f"http://{n}.test/" for n in range(3)], 1)}) as root:
        made = Searxng(root, spacing=0.1)
        start = asyncio.get_running_loop().time()
        await made.search("q", 3)
        assert asyncio.get_running_loop().time() - start >= 0.2
        await made.close()


async def test_mediawiki_search_reads_snippets_and_follows_continue() -> None:
    wiki = Wiki(["A", "B", "C", "D"], most=3)
    async with serving({"/w/api.php": wiki.handle}) as root:
        made = MediaWiki(f"{root}/w/api.php", namespaces="0|14")
        hits = await made.search("sailing", 4)
        await made.close()
    assert hits[3] == Hit(f"{root}/wiki/D", "D", "about this & that", 4)
    asked = [(asked.get("srwhat"), asked.get("sroffset")) for asked in wiki.log]
    assert asked == [(None, None), ("title", None), ("text", None), ("text", "3")]  # siteinfo first
    assert wiki.log[2]["srnamespace"] == "0|14" and wiki.log[3]["continue"] == "-||"


async def test_mediawiki_that_searches_in_its_database_is_asked_for_titles_first() -> None:
    """Such a wiki answers for titles or for texts, never both, and without srwhat for titles."""
    wiki = Wiki(["A", "B", "Regatta"], by_title=["Regatta", "Regatta 1900"])
    async with serving({"/w/api.php": wiki.handle}) as root:
        made = MediaWiki(f"{root}/w")
        assert [hit.title for hit in await made.search("regatta", 9)] == ["Regatta", "Regatta 1900", "A", "B"]
        assert [hit.title for hit in await made.search("regatta", 2)] == ["Regatta", "Regatta 1900"]
        await made.close()
    assert [asked.get("srwhat") for asked in wiki.log] == [None, "title", "text", "title"]


async def test_mediawiki_backlinks_through_redirects_count_and_redirects_do_not() -> None:
    wiki = Wiki([], articlepath="/w/index.php?title=$1")
    inner = [{"ns": 0, "title": "Through", "pageid": 3}, {"ns": 0, "title": "Twice", "pageid": 4, "redirect": True}]
    wiki.linking["Ernst Chernoff"] = [
        {"ns": 0, "title": "Straight", "pageid": 1},
        {"ns": 0, "title": "Old name", "pageid": 2, "redirect": True, "redirlinks": inner},
    ]
    async with serving({"/w/api.php": wiki.handle}) as root:
        made = MediaWiki(f"{root}/w")
        page = f"{root}/w/index.php?title="
        found = await made.backlinks(f"{page}Ernst_Chernoff", 10)
        assert await made.backlinks(f"{page}A%5Bb", 10) == []  # no title, so no page
        await made.close()
    assert found == [f"{page}Straight", f"{page}Through"]
    assert wiki.log[1]["blredirect"] == "1" and wiki.log[1]["blnamespace"] == "0"


@pytest.mark.parametrize(
    ("form", "url", "title"),
    [
        ("https://w.test/wiki/$1", "https://w.test/wiki/A_b", "A b"),
        ("https://w.test/wiki/$1", "http://w.test/wiki/D/e%3F#part", "D/e?"),
        ("https://w.test/wiki/$1", "https://w.test/w/index.php?title=A_b&action=view", "A b"),
        ("https://w.test/wiki/$1", "https://w.test/w/index.php?curid=5", ""),
        ("https://w.test/wiki/$1", "https://other.test/wiki/A", ""),
        ("https://w.test/wiki/$1", "https://other.test/?title=A", ""),
        ("https://w.test/wiki/$1", "https://w.test/wiki/", ""),
        ("https://w.test/index.php?title=$1", "https://w.test/index.php?title=%C3%89_x", "É x"),
        ("https://w.test/$1", "https://w.test/A", "A"),
    ],
)
def test_titles_of_addresses(form: str, url: str, title: str) -> None:
    assert _title(form, url) == title


async def test_mediawiki_errors_are_passed_on() -> None:
    async with serving({"/w/api.php": Wiki([]).handle}) as root:
        assert "cirrussearch-error: bad query" in await failure(MediaWiki(f"{root}/w"), "insource:")
        assert "HTTP status 404" in await failure(MediaWiki(root))


async def test_template_encodes_values_and_stops_at_one_page_without_page_or_offset() -> None:
    log: list[str] = []
    body = ["http://a.test/?sid=1", "http://b.test/", "http://a.test/"]
    async with serving({"/q": answering(body, log=log)}) as root:
        headers = {"X-Key": "secret"}
        made = JsonTemplate(f"{root}/q?u={{query}}&n={{limit}}", headers=headers, canonicalise=Canonicaliser(("sid",)))
        assert await made.backlinks("http://x.test/a?b=c&d", 9) == ["http://a.test/", "http://b.test/"]
        await made.close()
    assert log == ["/q?u=http%3A%2F%2Fx.test%2Fa%3Fb%3Dc%26d&n=9 secret"]


async def test_template_counts_offsets() -> None:
    log: list[str] = []

    async def handle(request: web.Request) -> web.Response:
        log.append(request.query["from"])
        start = int(request.query["from"])
        return web.json_response({"r": [{"url": f"http://{n}.test/"} for n in range(start, min(start + 3, 5))]})

    async with serving({"/q": handle}) as root:
        made = JsonTemplate(f"{root}/q?u={{query}}&from={{offset}}", results="r")
        assert len(await made.search("x", 10)) == 5
        await made.close()
    assert log == ["0", "3", "5"]


async def test_template_errors_name_what_the_answer_holds() -> None:
    async with serving({"/q": answering({"hits": [{"href": "http://a.test/"}]})}) as root:
        said = await failure(JsonTemplate(f"{root}/q?{{query}}", results="items"))
        assert "no list at results = 'items'" in said and "it holds: hits" in said
        said = await failure(JsonTemplate(f"{root}/q?{{query}}", results="hits"))
        assert "no item has the field 'url'" in said and "href" in said


def test_template_places_are_checked() -> None:
    with pytest.raises(InputError, match=r"\{words\} is not known; use \{query\}, \{limit\}"):
        JsonTemplate("http://a.test/?q={words}")
    with pytest.raises(InputError, match=r"has no \{query\}"):
        JsonTemplate("http://a.test/?p={page}")
