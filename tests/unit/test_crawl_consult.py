"""What a strategy may ask of the loop: whole pages, and pages that no page it visited need link to."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import numpy as np
import pytest

from clew import Project
from clew.model import Doubles, LinkBatch, Visit
from clew.project.explaining import explain
from clew.strategies.base import Strategy, View, enqueued
from clew.strategies.registry import STRATEGIES
from clew.urls.canonical import Canonicaliser
from clew.web.clock import VirtualClock
from clew.web.folder import FolderWorld
from clew.web.providers.inverted import Inverted, LookedThrough, look_through
from clew.web.simulated import SimulatedWorld, parse_spec
from support import READER, write_project

# Links of the site: index -> p, q; p -> p1, p2, p3; q -> q1; p1 -> x; parent -> target, other; nothing leads to parent.
SITE = {
    "index.html": "start <a href=p.html>p</a> <a href=q.html>q</a>",
    "p.html": "sailing <a href=p1.html>1</a> <a href=p2.html>2</a> <a href=p3.html>3</a>",
    "q.html": "boats <a href=q1.html>1</a>",
    "p1.html": "sailing boats <a href=x.html>x</a>",
    "p2.html": "two",
    "p3.html": "three",
    "q1.html": "one",
    "x.html": "sailing",
    "parent.html": "a list <a href=target.html>target</a> <a href=other.html>other</a>",
    "target.html": "sailing boats",
    "other.html": "other",
}
BY_PAGE = {"": 5.0, "index": 1.0, "p": 2.0, "q": 1.0, "p1": 9.0}
"""Scores of the links of each page: p1's only link is better than what is left of p's."""


class Fixed(Strategy):
    """Scores by source page; whole pages or not."""

    name = "fixed"

    def begin(self, view: View) -> None:
        self.view = view

    def score(self, links: LinkBatch) -> Doubles:
        page = links.source.url.rpartition("/")[2].removesuffix(".html")
        return np.full(len(links), BY_PAGE.get(page or ("index" if links.source.url else ""), 0.0))

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        return ["fixed"]


class Whole(Fixed):
    name = "whole"
    opened_tier = 1


class Asking(Fixed):
    """Follows nothing until it has fetched the pages that link to the target; then everything."""

    name = "asking"

    def begin(self, view: View) -> None:
        self.view, self.asked, self.found = view, 0, list[str]()

    def score(self, links: LinkBatch) -> Doubles:
        return np.full(len(links), 1.0 if self.asked > 1 or enqueued(links) else np.nan)

    def tier(self, links: LinkBatch) -> int:
        return int(enqueued(links))

    def learn(self, visit: Visit) -> None:
        if visit.link.kind == "backlink":
            self.found.append(visit.link.url)

    async def consult(self) -> bool:
        self.asked += 1
        if self.asked == 1:
            target = "http://a.test/target.html"
            self.view.actions.enqueue(await self.view.lookups.backlinks(target, 10), target)
            return False
        return self.asked == 2

    def state(self) -> bytes:
        return msgspec.msgpack.encode((self.asked, self.found))

    def restore(self, state: bytes) -> None:
        self.asked, self.found = msgspec.msgpack.decode(state, type=tuple[int, list[str]])


@pytest.fixture(autouse=True)
def strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Fixed, Whole, Asking):
        monkeypatch.setitem(STRATEGIES.added, kind.name, kind)


def project(folder: Path, strategy: str, duplicates: str = "best") -> Path:
    mirror = folder / "mirror" / "a.test"
    mirror.mkdir(parents=True, exist_ok=True)
    for name, body in SITE.items():
        (mirror / name).write_text(f"<html lang=en><p>{body}", encoding="utf-8")
    edges = folder / "edges.tsv"
    edges.write_text("http://a.test/parent.html\thttp://a.test/target.html\n", encoding="utf-8")
    settings = "\n".join(
        (
            f'[project]\nweb = "folder:{mirror.parent}"\n[strategy]\nname = "{strategy}"',
            '[judge]\nname = "keywords"\n[interest.keywords]\nsailing = 1.0',
            '[crawl]\ncontact = "me@example.org"\nworkers = 0\nsession_pages = 4',
            f'duplicates = "{duplicates}"',
            f'[providers.backlinks]\nkind = "edgelist"\npath = "{edges}"\n',
        )
    )
    relevant = {"target.html": "<p>sailing"}
    found = write_project(folder / "p", ["http://a.test/index.html"], relevant, settings=settings)
    (found / "relevant.txt").write_text("http://a.test/target.html\n", encoding="utf-8")
    return found


def order(folder: Path) -> list[str]:
    store = Project(folder).open_store(read_only=True)
    names = [row.url.rpartition("/")[2].removesuffix(".html") for row in store.visits.rows()]
    store.close()
    return names


def test_link_by_link_the_best_link_comes_next(tmp_path: Path) -> None:
    folder = project(tmp_path, "fixed")
    Project(folder).crawl()
    assert order(folder) == ["index", "p", "p1", "x", "p2", "p3", "q", "q1"]


@pytest.mark.parametrize("duplicates", ["best", "first", "mean"])
def test_whole_pages_are_fetched_before_the_next_page(tmp_path: Path, duplicates: str) -> None:
    """index is expanded whole (p, q), then p, the best (p1, p2, p3), then p1 (x), then q (q1)."""
    folder = project(tmp_path, "whole", duplicates)
    Project(folder).crawl()
    assert order(folder) == ["index", "p", "q", "p1", "p2", "p3", "x", "q1"]


@pytest.mark.parametrize(("name", "duplicates"), [("whole", "best"), ("whole", "mean"), ("asking", "first")])
def test_stops_change_nothing(tmp_path: Path, name: str, duplicates: str) -> None:
    whole, parts = project(tmp_path / "1", name, duplicates), project(tmp_path / "2", name, duplicates)
    Project(whole).crawl()
    for budget in range(1, 12):
        Project(parts).crawl(max_pages=budget)
    assert order(whole) == order(parts)


def test_a_link_in_a_higher_tier_is_never_too_low(tmp_path: Path) -> None:
    """index's links score 1 and p's 2. Once p was taken, q comes for its page's sake."""
    folder = project(tmp_path, "whole")
    toml = folder / "clew.toml"
    plain = toml.read_text()
    toml.write_text(plain + "[stop]\nmin_score = 3.0\n", encoding="utf-8")
    assert Project(folder).crawl().stopped_by == "min_score"
    assert order(folder) == ["index"]
    toml.write_text(plain, encoding="utf-8")
    Project(folder).crawl(max_pages=2)
    toml.write_text(plain + "[stop]\nmin_score = 3.0\n", encoding="utf-8")
    assert Project(folder).crawl().stopped_by == "min_score"
    assert order(folder) == ["index", "p", "q"]


def test_explain_says_that_a_page_s_other_links_come_next(tmp_path: Path) -> None:
    folder = project(tmp_path, "whole")
    Project(folder).crawl(max_pages=5)
    assert order(folder) == ["index", "p", "q", "p1", "p2"]
    store = Project(folder).open_store(read_only=True)
    next_one, x, q1 = (
        explain(Project(folder), store, f"http://a.test/{name}.html").verdict for name in ("p3", "x", "q1")
    )
    store.close()
    assert "waits with score 2.000 in tier 1, before all links of lower tiers, about 0 links before it" in next_one
    assert "a link of its page was taken, so the page's others come next" in next_one
    assert "waits with score 9.000, about 1 links before it" in x
    assert "waits with score 1.000, about 2 links before it" in q1


def test_scores_that_were_given_are_remembered_not_the_place_in_the_queue(tmp_path: Path) -> None:
    folder = project(tmp_path, "whole")
    Project(folder).crawl()
    store = Project(folder).open_store(read_only=True)
    scores = {row.url.rpartition("/")[2]: row.score for row in store.visits.rows()}
    store.close()
    assert scores["p1.html"] == scores["p3.html"] == 2.0


def test_pages_asked_for_are_fetched_first_and_count(tmp_path: Path) -> None:
    """Nobody links to parent, so only the back link leads there; its links are followed once the strategy says so."""
    folder = project(tmp_path, "asking")
    result = Project(folder).crawl()
    found = order(folder)
    assert found[0] == "parent"
    assert sorted(found) == sorted(name.removesuffix(".html") for name in SITE)
    assert result.fetched == len(SITE)
    store = Project(folder).open_store(read_only=True)
    first = store.visits.get(1)
    ledger = store.journal.ledger()
    store.close()
    assert first is not None and (first.kind, first.depth, first.source) == ("backlink", 0, 0)
    assert ledger["backlink questions"] == 1


def test_back_links_of_a_web_that_was_looked_through(tmp_path: Path) -> None:
    """Pages are numbered as they are found: a 0, b 1, c 2; a -> b, c; b -> c, a; c -> c."""
    links = {"a": ["b", "c"], "b": ["c", "a"], "c": ["c"]}

    async def look() -> tuple[list[str], list[list[int]]]:
        async def of(url: str) -> list[str]:
            return links[url]

        return await look_through(["a"], of)

    urls, rows = asyncio.run(look())
    assert (urls, rows) == (["a", "b", "c"], [[1, 2], [2, 0], [2]])
    web = Inverted.of(urls, rows)
    assert asyncio.run(web.backlinks("c", 5)) == ["a", "b"]
    assert asyncio.run(web.backlinks("c", 1)) == ["a"]
    assert asyncio.run(web.backlinks("nowhere", 5)) == []


def test_redirects_are_no_parents_but_lead_to_some() -> None:
    """a links to r, r redirects to s and s to b; c links to b and to r; p and q redirect to each other, a links to p.
    t redirects to what the web lacks."""
    names = ["a", "r", "s", "b", "c", "p", "q", "t"]
    links = {"a": "rp", "r": "s", "s": "b", "b": "", "c": "brt", "p": "q", "q": "p", "t": ""}
    rows = [[names.index(target) for target in links[name]] for name in names]
    web = Inverted.of(names, rows, [names.index(name) for name in "rspqt"])
    parents = {name: asyncio.run(web.backlinks(name, 9)) for name in names}
    assert parents == {
        **{"a": [], "b": ["a", "c"], "c": []},
        **{"r": ["a", "c"], "s": ["a", "c"], "p": ["a"], "q": ["a"], "t": ["c"]},
    }


def test_back_links_of_a_simulated_web_go_through_redirects(tmp_path: Path) -> None:
    """By ``SimulatedWeb.linked``, which does not look at URLs; nine tenths of its links are redirected."""
    web = parse_spec("sim:pages=60,seed=3,depth=1,redirects=.9,broken=0")
    known = Canonicaliser()
    urls = [known(url, url) for url in web.urls()]
    expected: dict[str | None, list[str | None]] = {url: [] for url in urls}
    for source, row in zip(urls, web.linked(*web.located(0, web.pages)), strict=True):
        for target in dict.fromkeys(row.tolist()):
            if urls[target] != source:
                expected[urls[target]].append(source)
    starts = [url for url in urls if url is not None]
    world, file = SimulatedWorld(web, VirtualClock()), tmp_path / "backlinks.msgpack"
    for _ in range(2):  # looked through, then read from the file
        made = LookedThrough(world, READER, known, starts, file)
        assert {url: asyncio.run(made.backlinks(url, 1000)) for url in starts} == expected


def test_back_links_kept_by_a_version_that_took_redirects_for_pages_are_looked_up_again(tmp_path: Path) -> None:
    world = SimulatedWorld(parse_spec("sim:pages=60,seed=3,depth=1"), VirtualClock())
    starts = list(parse_spec("sim:pages=60,seed=3,depth=1").urls())[:3]
    file = tmp_path / "backlinks.msgpack"
    file.write_bytes(msgspec.msgpack.encode((world.name, starts, [[1], [2], [0]])))
    fresh, old = (LookedThrough(world, READER, Canonicaliser(), starts, one) for one in (None, file))
    for url in starts:
        assert asyncio.run(old.backlinks(url, 99)) == asyncio.run(fresh.backlinks(url, 99))


def test_what_was_looked_through_is_kept(tmp_path: Path) -> None:
    folder = project(tmp_path, "asking")
    known = Project(folder)
    world = FolderWorld(tmp_path / "mirror", clock=VirtualClock())
    file = folder / "models" / "backlinks.msgpack"

    def provider() -> LookedThrough:
        return LookedThrough(world, READER, known.canonicalise, ["http://a.test/parent.html"], file)

    asyncio.run(world.open())
    found = asyncio.run(provider().backlinks("http://a.test/target.html", 3))
    assert found == ["http://a.test/parent.html"]
    (tmp_path / "mirror" / "a.test" / "parent.html").unlink()
    assert asyncio.run(provider().backlinks("http://a.test/target.html", 3)) == found
