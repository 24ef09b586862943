"""A small web on which every setting of every strategy can make a difference, and crawls of it to compare."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from clew.config import settings_from
from clew.crawl.assembling import setup_of
from clew.crawl.running import run
from clew.crawl.setup import Setup
from clew.examples.examples import Examples
from clew.model import Outcome, Page, Request, Response, Visit
from clew.store.sqlite import SqliteStore
from clew.text.reader import Reader
from clew.web.base import World
from clew.web.providers.base import Hit, SearchProvider
from clew.web.providers.inverted import Inverted
from support import READER

PAGES, HOSTS, SEEDS, EXAMPLES = 100, 9, 4, 4
BOATS, SOUP, OTHER = "Sport/Boats", "Food/Soup", "other"
CRAWL = {"workers": 0, "session_pages": 6, "contact": "me@example.org"}
WORDS = {
    BOATS: ("sail", "boat", "harbour", "mast", "wind", "anchor", "regatta", "keel", "hull", "deck", "rope", "tide"),
    SOUP: ("soup", "onion", "bread", "broth", "spoon", "pepper", "carrot", "kettle", "garlic", "salt", "leek", "stock"),
    OTHER: (
        "prime",
        "theorem",
        "algebra",
        "ring",
        "field",
        "proof",
        "lemma",
        "group",
        "integer",
        "matrix",
        "graph",
        "vertex",
    ),
}
TOPICS = (BOATS, SOUP, OTHER)
COMMON = [word for words in WORDS.values() for word in words]

INTERESTS = {"one": BOATS, "or": f"{BOATS} or {SOUP}", "and": f"{BOATS} and {SOUP}", "nested": "Sport or Food"}


class SmallWeb(World):
    """100 pages on nine hosts, and example pages; what it lacks is a 404."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = pages

    async def fetch(self, request: Request) -> Response:
        html = self.pages.get(request.url)
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        now = self.clock.now()
        if html is None:
            return Response(request.url, Outcome.FAILED, 404, headers, reason="HTTP 404", fetched_at=now)
        if html.startswith("http"):
            return Response(request.url, Outcome.REDIRECT, 301, headers, location=html, fetched_at=now)
        return Response(request.url, Outcome.OK, 200, headers, html.encode(), fetched_at=now)


class WordSearch(SearchProvider):
    """Pages by how many of the words of a query they hold."""

    name = "words"

    async def search(self, query: str, limit: int) -> list[Hit]:
        words = set(query.lower().split())
        found = [(-len(words & set(html.split())), url) for url, html in web().items() if "/e/" not in url]
        return [Hit(url) for score, url in sorted(found)[:limit] if score]


class Remembering(Reader):
    """Reads each page once for all crawls: pages are the same in all of them."""

    known: dict[str, Page] = {}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__(READER.canonicalise, READER.key_of, READER.host_of, READER.words_of)

    def read(self, response: Response, *others: Any, **named: Any) -> Page:
        if response.url not in self.known:
            self.known[response.url] = super().read(response, *others, **named)
        return self.known[response.url]


def address(number: int) -> str:
    folders = "".join(f"d{level}/" for level in range(number % 4))
    return f"http://h{number % HOSTS}.test/{folders}p{number}.html"


@cache
def topics() -> list[str]:
    """The topic of each page: hosts lean towards one; every seventh page is of two."""
    rng = np.random.default_rng(11)
    lean = [TOPICS[host % 3] for host in range(HOSTS)]
    return [lean[n % HOSTS] if rng.random() < 0.5 else TOPICS[rng.integers(3)] for n in range(PAGES)]


@cache
def targets() -> list[list[int]]:
    """The pages each page links to: some near, some anywhere, more to its own topic."""
    rng, kinds = np.random.default_rng(12), topics()
    found = []
    for number in range(PAGES):
        alike = [n for n in range(PAGES) if kinds[n] == kinds[number]]
        chosen = [*rng.choice(alike, 3), *rng.integers(0, PAGES, int(rng.integers(2, 6))), (number * 2 + 3) % PAGES]
        found.append([n for n in dict.fromkeys(map(int, chosen)) if n != number])
    return found


@cache
def web() -> dict[str, str]:
    """HTML by URL; of a redirect, where it leads."""
    rng = np.random.default_rng(13)
    pages = {address(number): _html(rng, number) for number in range(PAGES)}
    pages["http://h1.test/moved"] = address(40)
    pages |= {example_address(topic, n): _document(rng, topic) for topic in TOPICS for n in range(EXAMPLES)}
    return pages


def example_address(topic: str, number: int) -> str:
    return f"http://{topic.rpartition('/')[2].lower()}.test/e/{number}.html"


def _words(rng: np.random.Generator, topic: str, own: int, mixed: int) -> str:
    return " ".join([*rng.choice(WORDS[topic], own), *rng.choice(COMMON, mixed)])


def _document(rng: np.random.Generator, topic: str, rest: str = "") -> str:
    text = _words(rng, topic, int(rng.integers(4, 9)), int(rng.integers(3, 14)))
    return f"<html lang=en><title>page</title><p>{text}</p>{rest}</html>"


def _html(rng: np.random.Generator, number: int) -> str:
    kinds = topics()
    items = []
    for place, target in enumerate(targets()[number]):
        about = kinds[target] if rng.random() < 0.7 else TOPICS[rng.integers(3)]
        near = kinds[target] if rng.random() < 0.5 else TOPICS[rng.integers(3)]
        items.append(f"<li>{_words(rng, near, 1, 1)} <a href='{address(target)}'>{_words(rng, about, 2, 1)}</a></li>")
        if place == 0:
            items.append(f"<li><a href='{address(target)}'>{_words(rng, TOPICS[rng.integers(3)], 2, 0)}</a></li>")
    items.append(f"<li><a href='http://gone{number % 5}.test/{rng.choice(WORDS[kinds[number]])}'>gone</a></li>")
    if number % 10 == 1:
        items.append("<li><a href='http://h1.test/moved'>a boat that moved</a></li>")
    topic = kinds[number]
    second = f"<p>{_words(rng, SOUP if topic == BOATS else BOATS, 9, 0)}</p>" if number % 5 == 0 else ""
    return _document(rng, topic, f"{second}<ul>{' '.join(items)}</ul>")


def crawled(
    strategy: str,
    table: Mapping[str, Any],
    interest: str = "or",
    backlinks: bool = True,
    threshold: float = 0.5,
    pages: int = 48,
) -> list[str]:
    """What a crawl did: visits in order with scores and relevance, decisions, the scores of all links.

    ``interest``: one of INTERESTS. ``backlinks``: whether anybody knows which pages link to a page."""
    store = SqliteStore(None)
    store.open()
    try:
        setup = _setup(store, strategy, table, interest, backlinks, threshold, pages)
        if "another" in table.values():
            _others()
        asyncio.run(run(setup))
        return _told(store)
    finally:
        store.close()


def _setup(
    store: SqliteStore,
    strategy: str,
    table: Mapping[str, Any],
    interest: str,
    backlinks: bool,
    threshold: float,
    pages: int,
) -> Setup:
    examples = Examples(
        topics={topic: [example_address(topic, n) for n in range(EXAMPLES)] for topic in (BOATS, SOUP)},
        irrelevant=[example_address(OTHER, n) for n in range(EXAMPLES)],
        interest=INTERESTS[interest],
    )
    world = SmallWeb(web())
    made = setup_of(
        settings_from(
            {
                "crawl": {**CRAWL, "max_pages": pages},
                "judge": {"name": "naive-bayes", "threshold": threshold},
                "strategy": {"name": strategy, strategy: dict(table)},
            }
        ),
        examples,
        [address(number) for number in range(SEEDS)],
        world=world,
        clock=world.clock,
        store=store,
        web="small",
        reader=Remembering(),
        backlinks=_backlinks if backlinks else partial(Inverted.of, (), ()),
    )
    return replace(made, search=WordSearch, others=_other)


def read_page(url: str) -> Page:
    """A page of the web, read."""
    body = web()[url].encode()
    return READER.read(Response(url, Outcome.OK, 200, (("Content-Type", "text/html; charset=utf-8"),), body))


def _backlinks() -> Inverted:
    """The links between pages, backwards; examples are linked from every third page of their topic."""
    urls, kinds = list(web()), topics()
    places = {url: place for place, url in enumerate(urls)}
    rows = [list(row) for row in targets()]
    for number in range(0, PAGES, 3):
        rows[number] += [places[example_address(kinds[number], n)] for n in range(EXAMPLES) if (number + n) % 2]
    return Inverted.of(urls, [*rows, *[[]] * (len(urls) - PAGES)])


@cache
def _others() -> SqliteStore:
    store = SqliteStore(None)
    store.open()
    asyncio.run(run(_setup(store, "breadth-first", {}, "or", False, 0.5, 48)))
    return store


def _other(folder: str) -> Iterator[Visit]:
    """The visits of a crawl breadth-first."""
    return _others().visits.replay()


def _told(store: SqliteStore) -> list[str]:
    visits = [f"{row.url} {row.score:.6g} {row.relevance:.6g} {row.relevant}" for row in store.visits.rows()]
    decided = [str(row.decision) for row in store.journal.decisions()]
    scores = [f"{row}: {np.round(store.links.scores(row), 6).tolist()}" for row, _ in store.links.batches()]
    return [*visits, *decided, *scores]
