"""Ariadne (papers/3 section 3): values worked out by hand, the paper's chain of foci, breadth-first as a case of it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.tourism import ENTRIES, ISLAND, OUTSIDE, MadeWeb, ring

from clew import Project
from clew.crawl.evidence import Evidence
from clew.errors import ConfigError
from clew.judges.background import document_shares
from clew.judges.odds import LIMIT
from clew.model import (
    OTHER,
    Example,
    Judgement,
    Keys,
    Link,
    LinkBatch,
    LinkKind,
    Outcome,
    Response,
    Session,
    Source,
    Visit,
)
from clew.project.assembly import CrawlOptions, crawl
from clew.strategies.ariadne import Ariadne, ranks
from clew.strategies.ariadne.criteria import geometric, lexicographic
from clew.strategies.ariadne.focus import Aim, Widening, ignoring, narrower
from clew.strategies.ariadne.history import PathHistory, groups
from clew.strategies.ariadne.ranks import Ranks, visited_graph
from clew.strategies.ariadne.settings import CRITERIA, AriadneSettings
from clew.strategies.ariadne.texts import TermTable, learned
from clew.strategies.base import Pages
from clew.strategies.breadth_first import BreadthFirst
from clew.strategies.registry import make
from clew.text.reader import seed_links
from clew.topics.formula import And, Not, Or, Topic, parse
from clew.topics.interest import Interest
from clew.topics.semantics import POSSIBILISTIC, FaginWimmers, Product
from clew.topics.tree import TopicTree
from clew.urls.canonical import host, keys, url_words
from clew.web.simulated import parse_spec
from support import NoHistory, StubView, batch_of, html_page, text_page, write_project

PATHS = (
    "tourism/sports/water sports/sailing",
    "tourism/sports/water sports/surfing",
    "tourism/hotels",
    "Mecklenburg-Vorpommern/Rügen",
    "Mecklenburg-Vorpommern/Schwerin",
)
NONE: dict[str, Any] = dict.fromkeys(CRITERIA, 0.0)


def only(**weights: float) -> dict[str, Any]:
    return NONE | weights


def tree() -> TopicTree:
    made = TopicTree()
    for path in PATHS:
        made.add(path, url=f"http://e.test/{len(made)}")
    return made


def example(tree: TopicTree, name: str, text: str) -> Example:
    return Example(f"http://e.test/{len(text)}", tree.find(name), text_page(text))


def examples(tree: TopicTree) -> list[Example]:
    return [
        example(tree, "sailing", "yachts and regattas with sails in the wind"),
        example(tree, "sailing", "a yacht club, regattas and sails in every harbour"),
        example(tree, "surfing", "boards and waves for surfers on the beach"),
        example(tree, "surfing", "surfers ride waves with boards"),
        example(tree, "hotels", "rooms with breakfast and beds for the night"),
        example(tree, "hotels", "double rooms with beds, breakfast included"),
        example(tree, "Rügen", "chalk cliffs of the island near Sassnitz and Binz"),
        example(tree, "Rügen", "the island of Binz and Sassnitz with chalk cliffs"),
        example(tree, "Schwerin", "the castle by the lake in the capital"),
    ]


class CrawledView(StubView):
    """A view that has crawled pages with given scores by topic."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.rows = np.zeros((0, len(self.topics)), np.float32)

    def crawled(self, counts: Mapping[str, int]) -> None:
        """So many pages about each topic, and about nothing else."""
        assert self.tree is not None
        rows = []
        for name, count in counts.items():
            row = np.zeros(len(self.topics), np.float32)
            row[self.tree.find(name)] = 1.0
            rows += [row] * count
        self.rows = np.array(rows, np.float32)

    def pages(self) -> Pages:
        n = len(self.rows)
        zeros = np.zeros(n, np.float32)
        numbers = np.arange(1, n + 1)
        return Pages(
            numbers, numbers.astype(np.uint64), np.zeros(n, np.uint32), np.zeros(n, np.int32), zeros, zeros,
            self.rows, np.zeros(n, np.bool_),
        )  # fmt: skip


def view_of(formula: str = "sailing and Rügen") -> CrawledView:
    topics = tree()
    return CrawledView(examples(topics), Interest.of(topics, formula, 0.5), topics)


def begun(view: StubView | None = None, **settings: Any) -> Ariadne:
    strategy = Ariadne(AriadneSettings(**settings))
    strategy.begin(view or StubView([]))
    return strategy


def session(number: int, relevant: int, total: int) -> Session:
    """Sessions of 100 pages."""
    return Session(number, 100 * number - 99, 100 * number, 100, relevant, 100 * number, total)


def words(strategy: Ariadne, view: StubView) -> str:
    """The focus, in the topics' last names."""
    return strategy.aim.words([path.rpartition("/")[2] for path in view.topics])


def links(html: str, scores: Mapping[str, float] | None = None, view: StubView | None = None, **more: Any) -> LinkBatch:
    """The links of a page with given topic scores (default: 0.5)."""
    batch = batch_of(html_page(f"<html lang=en>{html}"), **more)
    if view is None or view.tree is None:
        return batch
    row = np.zeros(len(view.topics), np.float32)
    for name, score in (scores or {}).items():
        row[view.tree.find(name)] = score
    return replace(batch, source=replace(batch.source, scores=row))


THREE = "<p><a href='/x'>one</a> <a href='/y/z'>two</a> <a href='http://b.test/'>three</a>"


class TestMean:
    def test_by_hand(self) -> None:
        """Relevance 0.5 with weight 3, path depth with weight 1 (1, 2 and 0 parts: 1/2, 1/3 and 1):
        (0.5³ · 1/2)^¼ = 0.0625^¼ = 0.5;  (0.5³ / 3)^¼ = 0.0416667^¼ = 0.451801;  (0.5³)^¼ = 0.594604."""
        batch = batch_of(html_page(THREE))
        assert batch.file_level.tolist() == [1, 2, 0]
        found = begun(**only(source=3.0, level=1.0)).score(batch)
        assert found == pytest.approx([0.5, 0.451801, 0.594604], abs=1e-6)

    def test_the_floor_keeps_a_zero_from_annulling_the_rest(self) -> None:
        """Relevance 0 counts as 0.01: (0.01 · 1/2)^½ = 0.0707107, and (0.01 · 1)^½ = 0.1."""
        found = begun(**only(source=1.0, transversal=1.0)).score(batch_of(html_page(THREE), relevance=0.0))
        assert found == pytest.approx([0.0707107, 0.0707107, 0.1], abs=1e-6)

    def test_a_criterion_of_weight_zero_is_ignored(self) -> None:
        assert geometric([(2.0, np.array([0.25, 0.04]))], 2, 0.01) == pytest.approx([0.25, 0.04])

    def test_a_host_with_fifteen_bad_pages(self) -> None:
        """Prior a half, worth 5 pages: no history 2.5/5 = 0.5; 15 bad ones 2.5/20 = 0.125; 15 good 17.5/20 = 0.875."""
        batch = batch_of(html_page(THREE))
        batch = replace(
            batch,
            host_visits=np.array([0, 15, 15], np.float32),
            host_relevant=np.array([0, 0, 15], np.float32),
        )
        assert begun(**only(host=1.0)).score(batch) == pytest.approx([0.5, 0.125, 0.875])

    def test_hubs_and_distance(self) -> None:
        """3 links on the page, half at 20: 3/23 = 0.130435. Distance 1 + 1 = 2: 0.01 + 0.99/3 = 0.34."""
        batch = batch_of(html_page(THREE), depth=1)
        assert begun(**only(hub=1.0)).score(batch) == pytest.approx([3 / 23] * 3)
        assert begun(**only(distance=1.0)).score(batch) == pytest.approx([0.34] * 3)

    def test_seeds_come_first(self) -> None:
        urls = ("http://a.test/", "http://b.test/")
        seeds = seed_links(urls, keys(urls), [host(url) for url in urls], url_words, LinkKind.SEED)
        source = Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0)
        batch = Evidence(NoHistory()).batch(source, seeds, batch_of(html_page("<p>nothing")).leaves)
        assert begun().score(batch).tolist() == [1.0, 1.0]


def arrived(url: str, relevant: bool, number: int = 2, outcome: Outcome = Outcome.OK) -> Visit:
    """A visit of a URL."""
    link = Link(batch_of(html_page(f"<a href='{url}'>x</a>")), 0, 0.5)
    return Visit(number, link, Response(url, outcome, 200), None, None, 0.9 * relevant, relevant, 0)


class TestHistory:
    """(d) with ``history = "path"`` and ``"name"`` (ARI-31): m = 5 pages of the wider group's share, ½ at first."""

    URLS = ("http://b.test/shop/x.html", "http://b.test/docs/x.html", "http://b.test/shop/item7.html")

    def scores(self, history: str, bad: list[str], **settings: Any) -> list[float]:
        strategy = begun(history=history, **only(host=1.0), **settings)
        for number, url in enumerate(bad, 2):
            strategy.learn(arrived(url, False, number))
        batch = batch_of(html_page("".join(f"<a href='{url}'>x</a>" for url in self.URLS)))
        visits = np.full(3, len(bad), np.float32)
        batch = replace(batch, host_visits=visits, host_relevant=np.zeros(3, np.float32))
        found: list[float] = strategy.score(batch).tolist()
        return found

    def test_bad_pages_of_a_folder_speak_against_its_others_more(self) -> None:
        """15 bad ones below /shop/: host 2.5/20 = 0.125 for all; below /shop/ (0 + 5 · 0.125)/(15 + 5) = 0.03125."""
        bad = [f"http://b.test/shop/item{n}.html" for n in range(20, 35)]
        assert self.scores("host", bad) == pytest.approx([0.125] * 3)
        assert self.scores("path", bad) == pytest.approx([0.03125, 0.125, 0.03125])

    def test_and_names_that_differ_in_digits_still_more(self) -> None:
        """item7 is like item20 to item34: (0 + 5 · 0.03125)/20 = 0.0078125."""
        bad = [f"http://b.test/shop/item{n}.html" for n in range(20, 35)]
        assert self.scores("name", bad, floor=0.001) == pytest.approx([0.03125, 0.125, 0.0078125])

    def test_the_strength_counts_in_every_group(self) -> None:
        bad = ["http://b.test/shop/item1.html"]
        assert self.scores("path", bad, host_strength=1.0) == pytest.approx([0.125, 0.25, 0.125])

    def test_good_pages_speak_for_their_folder(self) -> None:
        """One good page in /a/: host 3.5/6, folder (1 + 5 · 3.5/6)/6 = 0.652778."""
        strategy = begun(history="path", **only(host=1.0))
        strategy.learn(arrived("http://b.test/a/1.html", True))
        strategy.learn(arrived("http://b.test/c/1.html", False, outcome=Outcome.REDIRECT))  # no visit of its own
        batch = batch_of(html_page("<a href='http://b.test/a/2.html'>x</a><a href='http://b.test/c/2.html'>x</a>"))
        ones = np.ones(2, np.float32)
        found = strategy.score(replace(batch, host_visits=ones, host_relevant=ones))
        assert found == pytest.approx([0.652778, 3.5 / 6], abs=1e-6)

    def test_groups_of_a_url(self) -> None:
        def count(url: str, names: bool = True) -> int:
            return len(list(groups(url, names)))

        assert [count(f"http://a.test/{path}") for path in ("", "x", "d/", "d/x")] == [0, 1, 1, 2]
        assert count("http://a.test/d/x", names=False) == 1
        assert count(f"http://a.test/{'d/' * 20}", names=False) == 8
        same = [list(groups(f"http://a.test/d/p{end}", True)) for end in ("1.html", "22.html?id=3", ".html")]
        assert same[0] == same[1] != same[2]
        assert not set(groups("http://a.test/d/x", True)) & set(groups("http://b.test/d/x", True))

    def test_it_is_kept_when_a_crawl_stops(self) -> None:
        strategy, fresh, other = (begun(history="path", **only(host=1.0)) for _ in range(3))
        for n in range(3):
            strategy.learn(arrived(f"http://b.test/shop/{n}", n == 1, n + 2))
        fresh.restore(strategy.state())
        batch = batch_of(html_page("<a href='http://b.test/shop/x'>x</a>"))
        assert fresh.score(batch).tolist() == strategy.score(batch).tolist() != other.score(batch).tolist()
        assert fresh.state() == strategy.state()
        strategy.begin(StubView([]))
        assert strategy.score(batch).tolist() == other.score(batch).tolist()
        assert PathHistory(False).packed() == [b"", b""]


class LinkedView(CrawledView):
    """A view of pages that were crawled, with the links of each: hosts by the first letter of the page."""

    def __init__(self, links: Mapping[str, str], relevant: str) -> None:
        super().__init__([])
        self.names, self.targets, self.good = list(links), list(links.values()), relevant

    def url(self, name: str) -> str:
        return f"http://{name}.test/"

    def pages(self) -> Pages:
        n = len(self.names)
        numbers, zeros = np.arange(1, n + 1), np.zeros(n, np.float32)
        hosts = np.array([ord(name) for name in self.names], np.uint32)
        relevant = np.array([name in self.good for name in self.names])
        found = keys([self.url(name) for name in self.names])
        return Pages(numbers, found, hosts, np.zeros(n, np.int32), zeros, zeros, np.zeros((n, 1), np.float32), relevant)

    def link_rows(self) -> Iterator[tuple[int, Keys, npt.NDArray[np.uint32]]]:
        for number, targets in enumerate(self.targets, 1):
            yield (
                number,
                keys([self.url(name) for name in targets]),
                np.array([ord(name) for name in targets], np.uint32),
            )


class TestRanks:
    """ARI-62. a, b, c and e were visited; c and e are relevant. a links to c and v; b to c, e, v and w; and to j, which
    was visited and is not relevant, so that it says nothing of b. b leads to two relevant pages and a to one:
    y_b > y_a > 0. Then x_c = x_v = y_a + y_b, x_e = x_w = x_j = y_b."""

    LINKS: ClassVar = {"a": "cv", "b": "cevwj", "c": "", "e": "", "j": "jjj"}

    def ranked(self, **settings: Any) -> Ariadne:
        strategy = Ariadne(AriadneSettings(**settings))
        strategy.begin(LinkedView(self.LINKS, relevant="ce"))
        strategy.adapt(session(1, 1, 1))
        return strategy

    def batch(self, source: str, targets: str, visit: int) -> LinkBatch:
        made = batch_of(html_page("".join(f"<a href='http://{name}.test/'>x</a>" for name in targets)))
        return replace(made, source=replace(made.source, url=f"http://{source}.test/", visit=visit))

    def test_hubs(self) -> None:
        """Of two hubs, b has rank 1 and a ½; c is none. d was visited later and is worth ``neutral``."""
        strategy = self.ranked(neutral=0.4, **only(hub_rank=1.0))
        for source, visit, score in (("b", 2, 1.0), ("a", 1, 0.5), ("c", 3, 0.01), ("d", 6, 0.4)):
            assert strategy.score(self.batch(source, "xy", visit)) == pytest.approx([score] * 2)

    def test_authorities(self) -> None:
        """Of five, c and v have rank 1, the others ⅗. x has no weight where a page that was looked at links to it, and
        is worth ``neutral`` where a later one does."""
        strategy = self.ranked(neutral=0.4, **only(authority_rank=1.0))
        assert strategy.score(self.batch("b", "cvwx", 2)) == pytest.approx([1.0, 1.0, 0.6, 0.01])
        assert strategy.score(self.batch("d", "cx", 6)) == pytest.approx([1.0, 0.4])

    def test_links_to_anything_make_no_hub(self) -> None:
        """j links to many pages, none of them relevant; with a link to a relevant one it would be a hub."""
        for targets, hubs in (("xyz", 2), ("xyzc", 3)):
            strategy = Ariadne(AriadneSettings(**only(hub_rank=1.0)))
            strategy.begin(LinkedView(self.LINKS | {"j": targets}, relevant="ce"))
            strategy.adapt(session(1, 1, 1))
            assert len(strategy.ranks.hub_keys) == hubs

    def test_before_the_first_session_nothing_is_ranked(self) -> None:
        strategy = begun(neutral=0.4, **only(hub_rank=1.0, authority_rank=1.0))
        assert strategy.score(batch_of(html_page(THREE))) == pytest.approx([0.4] * 3)

    def test_only_where_they_count(self) -> None:
        assert self.ranked(**only(source=1.0)).ranks.last == 0
        assert self.ranked(combine="lexicographic", order=("hub_rank", "source")).ranks.last == 5
        assert self.ranked(combine="lexicographic", order=("source",), **only(hub_rank=1.0)).ranks.last == 0

    def test_they_are_kept_when_a_crawl_stops(self) -> None:
        strategy = self.ranked(**only(hub_rank=1.0, authority_rank=2.0))
        resumed = begun(**only(hub_rank=1.0, authority_rank=2.0))
        resumed.restore(strategy.state())
        batch = self.batch("b", "cvwx", 2)
        np.testing.assert_array_equal(resumed.score(batch), strategy.score(batch))
        assert resumed.state() == strategy.state()
        assert Ranks.unpacked(Ranks.none().packed()).last == 0

    def test_pages_without_links_lead_nowhere(self) -> None:
        """The store has no row of them; c is a page like that."""

        class Bare(LinkedView):
            def link_rows(self) -> Iterator[tuple[int, Keys, npt.NDArray[np.uint32]]]:
                return (row for row in super().link_rows() if len(row[1]))

        view = Bare(self.LINKS, relevant="ce")
        graph, plain = (visited_graph(one, one.pages(), inside=False) for one in (view, LinkedView(self.LINKS, "ce")))
        assert graph.sources.tolist() == plain.sources.tolist() and graph.keys.tolist() == plain.keys.tolist()

    def test_every_page_has_its_own_host(self) -> None:
        """Of v and w, which were not visited, the links to them say it."""
        view = LinkedView(self.LINKS, relevant="ce")
        for inside, names in ((False, "abcejvw"), (True, "abcej")):
            graph = visited_graph(view, view.pages(), inside=inside)
            hosts = dict(zip(graph.keys.tolist(), graph.hosts.tolist(), strict=True))
            assert hosts == {int(keys([view.url(name)])[0]): ord(name) for name in names}

    def test_on_a_web_of_one_host_its_links_count(self) -> None:
        view = LinkedView(self.LINKS, relevant="ce")
        pages = view.pages()
        graph = visited_graph(view, pages, inside=False)
        apart, together = (Ranks.of(replace(graph, hosts=graph.hosts * many), pages) for many in (1, 0))
        assert len(apart.hub_keys) == len(together.hub_keys) == 2
        assert len(apart.authority_keys) == len(together.authority_keys) == 5
        for name in ("hub_keys", "hub_ranks", "authority_keys", "authority_ranks"):
            np.testing.assert_array_equal(getattr(apart, name), getattr(together, name), name)

    def test_the_best_are_kept_of_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ranks, "MOST", 2)
        strategy = self.ranked(neutral=0.4, **only(authority_rank=1.0))
        assert strategy.score(self.batch("b", "cvw", 2)) == pytest.approx([1.0, 1.0, 0.01])

    def test_a_crawl_is_led_by_them(self, tmp_path: Path) -> None:
        """Through the whole loop, killed in between or not."""
        weights = '[strategy.ariadne]\nhub_rank = 2.0\nauthority_rank = 2.0\nhistory = "name"\nrescore = "always"\n'
        ours = visited(tmp_path / "ours", "ariadne", weights)
        assert ours != visited(tmp_path / "plain", "ariadne")
        assert ours == visited(tmp_path / "again", "ariadne", weights, stops=(30, 50))


def test_a_state_of_the_version_before_is_taken_up() -> None:
    view = view_of()
    strategy, resumed = begun(view), begun(view)
    strategy.adapt(session(1, 50, 50))
    strategy.adapt(session(2, 0, 50))
    before = msgspec.msgpack.encode(msgspec.msgpack.decode(strategy.state())[:4])
    resumed.restore(before)
    assert resumed.chain == strategy.chain and len(resumed.chain) == 2


class TestLexicographic:
    def test_by_hand(self) -> None:
        """Two criteria, 2¹² = 4096 steps each. 0.5 -> 2048; 0.25 -> 1024; 1 -> 4095 (the last step).
        (0.5, 0.25) -> (2048·4096 + 1024)/4096²;  (0.5, 1) -> (2048·4096 + 4095)/4096²."""
        found = lexicographic([np.array([0.5, 0.5]), np.array([0.25, 1.0])], 2)
        assert found.tolist() == [(2048 * 4096 + 1024) / 4096**2, (2048 * 4096 + 4095) / 4096**2]

    def test_float32_keeps_the_order_of_all_vectors_of_steps(self) -> None:
        steps = np.arange(16) / 16
        grid = [axis.ravel() for axis in np.meshgrid(*[steps] * 4, indexing="ij")]
        codes = lexicographic(grid, 16**4).astype(np.float32)
        assert np.all(np.diff(codes) > 0)

    def test_the_first_criterion_decides_first(self) -> None:
        strategy = begun(combine="lexicographic", order=("transversal", "level"))
        assert np.argsort(-strategy.score(batch_of(html_page(THREE)))).tolist() == [2, 0, 1]


def visited(folder: Path, strategy: str, more: str = "", stops: tuple[int, ...] = ()) -> list[str]:
    """The URLs that a crawl of 80 pages of a simulated web visits, in their order; ``stops``: where it is taken up."""
    spec = "sim:pages=1000,seed=5,words=60,broken=0.1,redirects=0.2"
    web = parse_spec(spec)
    settings = f"""
[project]
web = "{spec}"
[judge]
name = "naive-bayes"
[strategy]
name = "{strategy}"
[crawl]
contact = "lab@localhost"
workers = 0
session_pages = 20
max_pages = 80
[store]
archive = false
{more}"""
    write_project(folder, web.sample(3, web.topics(1)[0]), settings=settings)
    (folder / "relevant.txt").write_text("".join(f"{url}\n" for url in web.examples(5, web.topics(1)[0])))
    for pages in stops:
        crawl(Project(folder), CrawlOptions(max_pages=pages))
    project = Project(folder)
    crawl(project, CrawlOptions())
    store = project.open_store(read_only=True)
    try:
        return [row.url for row in store.visits.rows()]
    finally:
        store.close()


class TestBreadthFirst:
    def test_strictly_decreasing_in_float32_down_to_distance_1000(self) -> None:
        """Even beyond distance 99, where 1/(1 + d) falls below the floor."""
        strategy, batch = begun(**only(distance=1.0)), batch_of(html_page(THREE))
        batches = (replace(batch, source=replace(batch.source, depth=depth)) for depth in range(1000))
        scores = [strategy.score(one) for one in batches]
        assert all(len(set(row.tolist())) == 1 for row in scores)  # ties: first in, first out
        assert np.all(np.diff(np.array(scores, np.float32)[:, 0]) < 0)

    def test_the_order_is_that_of_breadth_first(self) -> None:
        rng = np.random.default_rng(5)
        batches = [batch_of(html_page(THREE), rng.random(), int(depth)) for depth in rng.integers(0, 40, 50)]
        ours = np.concatenate([begun(**only(distance=2.5)).score(batch) for batch in batches])
        theirs = np.concatenate([BreadthFirst().score(batch) for batch in batches])
        assert np.argsort(-ours, kind="stable").tolist() == np.argsort(-theirs, kind="stable").tolist()

    def test_a_crawl_visits_in_the_order_of_breadth_first(self, tmp_path: Path) -> None:
        """ARI-38 through the whole loop, with redirects, broken links and sessions; best-first takes another order."""
        weights = "".join(f"{name} = {1 if name == 'distance' else 0}\n" for name in CRITERIA)
        ours = visited(tmp_path / "ours", "ariadne", f"[strategy.ariadne]\n{weights}")
        assert len(ours) == 80
        assert ours == visited(tmp_path / "theirs", "breadth-first")
        assert ours != visited(tmp_path / "others", "best-first")


class TestFocus:
    def test_the_chain_of_the_paper(self) -> None:
        """ARI-45: sailing ∧ Rügen -> water sports ∧ Rügen -> sports ∧ Rügen -> tourism ∧ Rügen -> tourism ∧ MV.

        The rarer topic goes up: 5, 10 and 20 pages about sailing, water sports and sports are fewer than the 30 about
        Rügen, and tourism (first level) cannot go up, so then Rügen does. Session 1 has 50 of 100 relevant pages,
        sessions 2 to 6 none: s < 0.5 r each time. After the top, the stopping rule is told."""
        view = view_of()
        strategy = begun(view)
        view.crawled(
            {"sailing": 5, "water sports": 10, "sports": 20, "tourism": 100, "Rügen": 30, "Mecklenburg-Vorpommern": 90}
        )
        seen = [words(strategy, view)]
        assert not strategy.adapt(session(1, 50, 50))  # s = r = 0.5: nothing to undo
        for number in range(2, 7):
            asked = strategy.adapt(session(number, 0, 50))
            assert asked == (number < 6)
            seen.append(words(strategy, view))
        assert seen == [
            "sailing and Rügen",
            "water sports and Rügen",
            "sports and Rügen",
            "tourism and Rügen",
            "tourism and Mecklenburg-Vorpommern",
            "tourism and Mecklenburg-Vorpommern",
        ]
        assert view.tops == 1
        assert [decision.kind for decision in view.decisions] == ["focus generalised"] * 4 + ["focus at the top"]
        assert view.decisions[0].facts["precision"] == 0.0
        assert view.decisions[0].facts["precision_total"] == 0.25  # 50 of 200
        assert view.decisions[0].facts["to"] == "tourism/sports/water sports and Mecklenburg-Vorpommern/Rügen"

    def test_specialises_step_by_step(self) -> None:
        """s > 0.8 r undoes one step a session; 0.5 r ≤ s ≤ 0.8 r changes nothing. After three sessions of 50, 0 and 0
        of 100: r = 50/300. Session 4 with 10: s = 0.1, r = 60/400 = 0.15, 0.075 ≤ s ≤ 0.12: nothing. Session 5 with 30:
        s = 0.3 > 0.8 · 90/500. Session 6 with 30: s = 0.3 > 0.8 · 120/600. Session 7: nothing left to undo."""
        view = view_of()
        strategy = begun(view)
        view.crawled({"sailing": 1, "water sports": 2, "sports": 3, "Rügen": 30})
        for number, relevant, total in ((1, 50, 50), (2, 0, 50), (3, 0, 50)):
            strategy.adapt(session(number, relevant, total))
        assert words(strategy, view) == "sports and Rügen"
        found = []
        for number, relevant, total in ((4, 10, 60), (5, 30, 90), (6, 30, 120), (7, 30, 150)):
            found.append((strategy.adapt(session(number, relevant, total)), words(strategy, view)))
        assert found == [
            (False, "sports and Rügen"),
            (True, "water sports and Rügen"),
            (True, "sailing and Rügen"),
            (False, "sailing and Rügen"),
        ]

    def test_shares_are_of_the_session_and_of_the_crawl_with_it(self) -> None:
        """100 pages with 50 relevant ones, then 100 with 15: s = 0.15, r = 65/200 = 0.325 (0.5 without the session).
        With a = 0.48, a·r = 0.156; with a = 0.4, 0.13."""
        second = session(2, 15, 65)
        assert (second.precision, second.precision_total) == (0.15, 0.325)
        for a, asked in ((0.48, True), (0.4, False)):
            strategy = begun(view_of(), generalise_at=a)
            assert not strategy.adapt(session(1, 50, 50))
            assert strategy.adapt(second) is asked

    def test_exactly_a_times_r_is_not_less(self) -> None:
        """s = 0.25, r = (75 + 25)/200 = 0.5: s = 0.5 r."""
        view = view_of()
        strategy = begun(view)
        assert not strategy.adapt(session(2, 25, 100))
        assert strategy.adapt(session(2, 24, 99))  # 0.24 < 0.5 · 0.495 = 0.2475

    def test_nothing_found_at_all_changes_nothing_unless_asked_to(self) -> None:
        view = view_of()
        assert not begun(view).adapt(session(1, 0, 0))  # 0 < 0.5 · 0 is false
        assert begun(view, barren=True).adapt(session(1, 0, 0))

    def test_pages_are_relevant_by_the_interest_whatever_the_focus(self) -> None:
        """ARI-23: the focus changes the score of a page's links, not its relevance."""
        view = view_of()
        strategy = begun(view, **only(source=1.0))
        batch = links(THREE, {"sailing": 0.1, "water sports": 0.8, "Rügen": 0.6}, view)
        assert strategy.score(batch) == pytest.approx([0.1] * 3)
        view.crawled({"Rügen": 30})
        strategy.adapt(session(1, 50, 50))
        strategy.adapt(session(2, 0, 50))
        assert strategy.score(batch) == pytest.approx([0.6] * 3)  # min(0.8, 0.6)
        assert view.interest.relevance(Judgement(batch.source.scores, 0, 1.0)) == pytest.approx(0.1)

    def test_ignoring_the_more_frequent_topic(self) -> None:
        """G1: A ∧ B -> A, the rarer; then there is nothing left to ignore."""
        assert ignoring(And((Topic(0), Topic(1))), [3.0, 9.0]) == Topic(0)
        assert ignoring(Or((And((Topic(0), Topic(1))), Topic(2))), [9.0, 3.0, 1.0]) == Or((Topic(1), Topic(2)))
        assert ignoring(Topic(0), [3.0]) is None

    def test_the_frequency_of_a_part_is_at_most_that_of_its_topics(self) -> None:
        """Of A ∨ B the sum, of A ∧ B the least; what is excluded is the most frequent of all."""
        either, both = Or((Topic(0), Topic(1))), And((Topic(0), Topic(1)))
        for part, third, kept in (
            (either, 5.0, Topic(2)), (either, 8.0, either), (both, 5.0, both), (both, 2.0, Topic(2)),
            (Not(Topic(0)), 99.0, Topic(2)),
        ):  # fmt: skip
            assert ignoring(And((part, Topic(2))), [3.0, 4.0, third]) == kept
            weighed = Widening("weigh")._weighed(Aim(And((part, Topic(2)))), [3.0, 4.0, third], POSSIBILISTIC)
            assert (weighed[0] > weighed[1]) is (kept == part)

    def test_weighing_the_rarer_topic(self) -> None:
        """G2, A the rarer: weights ½, ½ -> 1, ½ -> ⅔, ⅓. With A = 0.9 and B = 0.2: 1·(⅔ − ⅓)·0.9 + 2·⅓·0.2 = 0.433333.
        Then ⅘, ⅕, then 8/9, 1/9, then 16/17, 1/17: more than 0.9, the top."""
        widening, aim, shares = Widening("weigh"), Aim(And((Topic(0), Topic(1)))), []
        first = widening.wider(aim, None, [1.0, 2.0], POSSIBILISTIC)
        assert first is not None
        assert first.value(np.array([[0.9, 0.2]]), POSSIBILISTIC) == pytest.approx([0.433333], abs=1e-6)
        while (wider := widening.wider(aim, None, [1.0, 2.0], POSSIBILISTIC)) is not None:
            aim = wider
            shares.append(aim.weights[0])
        assert shares == pytest.approx([2 / 3, 4 / 5, 8 / 9, 16 / 17])

    def test_the_last_weight_given_is_that_of_all_further_parts(self) -> None:
        """2 : 1 of A ∧ B ∧ C is 2, 1, 1; C is the rarest: 2, 1, 2. A weight of 0 becomes 2 of a million."""
        aim = Aim(And((Topic(0), Topic(1), Topic(2))))
        widening = Widening("weigh")
        found = widening._weighed(aim, [2.0, 3.0, 1.0], FaginWimmers([2, 1]))
        assert found == pytest.approx([2 / 5, 1 / 5, 2 / 5])
        none = widening._weighed(Aim(And((Topic(0), Topic(1))), (1.0, 0.0)), [2.0, 1.0], POSSIBILISTIC)
        assert none == pytest.approx([1.0, 2e-6], rel=1e-3)

    def test_weights_of_products(self) -> None:
        """G2 by the interest's own rule. Weights ⅔, ⅓ of A = 0.9, B = 0.2: ⅓·0.9 + ⅔·(0.9 · 0.2) = 0.42, whether or not
        the interest has weights itself; 2 : 1 there doubled for A is ⅘, ⅕: ⅗·0.9 + ⅖·0.18 = 0.612."""
        aim, scores = Aim(And((Topic(0), Topic(1)))), np.array([[0.9, 0.2]])
        for semantics, expected in ((Product(), 0.42), (FaginWimmers([2, 1], Product()), 0.612)):
            wider = Widening("weigh").wider(aim, None, [1.0, 2.0], semantics)
            assert wider is not None
            assert wider.value(scores, semantics) == pytest.approx([expected])

    def test_specialising_the_more_frequent_topic(self) -> None:
        """ARI-47. Chain: sailing ∧ Rügen -> water sports ∧ Rügen -> water sports ∧ MV -> sports ∧ MV. Of sports and
        MV, MV is the more frequent one and goes back to Rügen; then sports (to water sports), then water sports.
        Undoing takes sports first."""
        for specialise, seen in (
            ("frequent", ["sports and Rügen", "water sports and Rügen", "sailing and Rügen", "sailing and Rügen"]),
            ("undo", ["water sports and Mecklenburg-Vorpommern", "water sports and Rügen", *["sailing and Rügen"] * 2]),
        ):
            view = view_of()
            strategy = begun(view, specialise=specialise)
            assert view.tree is not None
            find = view.tree.find
            sports, water = find("sports"), find("water sports")
            sailing, ruegen, land = find("sailing"), find("Rügen"), find("Mecklenburg-Vorpommern")
            pairs = ((sailing, ruegen), (water, ruegen), (water, land), (sports, land))
            strategy.chain = tuple(Aim(And((Topic(one), Topic(two)))) for one, two in pairs)
            view.crawled({"sailing": 1, "water sports": 2, "sports": 30, "Rügen": 9, "Mecklenburg-Vorpommern": 40})
            found = []
            for number in range(2, 6):
                strategy.adapt(session(number, 90, 90))
                found.append(words(strategy, view))
            assert found == seen
            assert len(strategy.chain) == 1
            assert [decision.kind for decision in view.decisions] == ["focus specialised"] * 3

    def test_what_is_excluded_is_not_lifted(self) -> None:
        """sailing ∨ (Rügen ∧ ¬sailing): sailing, then Rügen was lifted; the exclusion stays as it is."""
        topics = tree()
        texts = ("sailing or (Rügen and not sailing)", "water sports or (Rügen and not sailing)")
        aims = [
            Aim(parse(text, topics)) for text in (*texts, "water sports or (Mecklenburg-Vorpommern and not sailing)")
        ]
        frequency = [1.0] * len(topics)
        frequency[topics.find("water sports")] = 2.0
        narrow = Aim(parse("sailing or (Mecklenburg-Vorpommern and not sailing)", topics))
        assert narrower(tuple(aims), topics, frequency) == (aims[0], narrow)

    def test_equally_frequent_topics_go_back_as_they_came(self) -> None:
        topics = tree()
        sailing, ruegen = topics.find("sailing"), topics.find("Rügen")
        aims = [Aim(parse(text, topics)) for text in ("sailing and Rügen", "water sports and Rügen")]
        aims.append(Aim(And((Topic(topics.parent(sailing)), Topic(topics.parent(ruegen))))))
        assert narrower(tuple(aims), topics, [1.0] * len(topics)) == tuple(aims[:2])
        halved = (*aims, replace(aims[-1], halved=1))
        assert narrower(halved, topics, [1.0] * len(topics)) == tuple(aims)

    def test_a_topic_that_others_were_lifted_into_goes_back_for_the_last_of_them(self) -> None:
        """sailing ∨ surfing, both lifted to water sports, which stands once: the step of surfing is undone."""
        topics = tree()
        chain = tuple(
            Aim(parse(text, topics)) for text in ("sailing or surfing", "water sports or surfing", "water sports")
        )
        found = narrower(chain, topics, [1.0] * len(topics))
        assert found == chain[:2]

    def test_steps_of_other_options_are_undone_in_order(self) -> None:
        """The chain was begun with G1 or G2, and the settings changed between two runs."""
        topics = tree()
        narrow, one = Aim(parse("sailing and Rügen", topics)), Aim(parse("sailing", topics))
        weighed = replace(narrow, weights=(2 / 3, 1 / 3))
        for chain in ((narrow, one), (narrow, weighed), (narrow, one, Aim(Topic(topics.find("water sports"))))):
            assert narrower(chain, topics, [1.0] * len(topics)) == chain[:-1]

    def test_the_boost_of_the_rarer_topic(self) -> None:
        """½, ½ -> 9/2, ½: 0.9 and 0.1; by three 3/2, ½: ¾ and ¼."""
        found = Widening("weigh", 3.0).wider(Aim(And((Topic(0), Topic(1)))), None, [1.0, 2.0], POSSIBILISTIC)
        assert found is not None and found.weights == pytest.approx([3 / 4, 1 / 4])
        view = view_of()
        strategy = begun(view, generalise="weigh", boost=9.0)
        view.crawled({"sailing": 5, "Rügen": 30})
        for number in (1, 2):
            strategy.adapt(session(number, 50 * (number == 1), 50))
        assert words(strategy, view) == "sailing and Rügen (weights 0.90, 0.10)"

    def test_options_reach_the_crawl(self) -> None:
        for option, text in (("ignore", "sailing"), ("weigh", "sailing and Rügen (weights 0.67, 0.33)")):
            view = view_of()
            strategy = begun(view, generalise=option)
            view.crawled({"sailing": 5, "Rügen": 30})
            strategy.adapt(session(1, 50, 50))
            strategy.adapt(session(2, 0, 50))
            assert words(strategy, view) == text

    def test_one_topic_without_a_tree_is_at_the_top(self) -> None:
        view = StubView([])
        strategy = begun(view)
        assert not strategy.adapt(session(2, 0, 50))
        assert not strategy.adapt(session(3, 0, 50))
        assert view.tops == 2
        assert [decision.kind for decision in view.decisions] == ["focus at the top"]

    def test_relevance_may_weigh_less_at_the_top(self) -> None:
        """Not in the paper. Weights 2 and 2, relevance 0.25, level ½: (0.25 · 0.5)^½ = 0.353553. With the weight of (a)
        halved: (0.25¹ · 0.5²)^⅓ = 0.0625^⅓ = 0.396850."""
        view = StubView([])
        strategy = begun(view, widen=1, **only(source=2.0, level=2.0))
        batch = batch_of(html_page("<p><a href='/x'>x</a>"), relevance=0.25)
        assert strategy.score(batch) == pytest.approx([0.353553], abs=1e-6)
        assert strategy.adapt(session(2, 0, 50))
        assert strategy.score(batch) == pytest.approx([0.396850], abs=1e-6)
        assert not strategy.adapt(session(3, 0, 50))
        assert view.tops == 1

    def test_rarity_may_be_told(self) -> None:
        """ARI-46: domain knowledge says that Rügen is rarer, whatever was crawled."""
        view = view_of()
        strategy = begun(view, rare_first=("Rügen",))
        view.crawled({"sailing": 1, "Rügen": 30})
        strategy.adapt(session(1, 50, 50))
        strategy.adapt(session(2, 0, 50))
        assert words(strategy, view) == "sailing and Mecklenburg-Vorpommern"

    def test_frequencies_by_hand(self) -> None:
        """Nine examples: two of sailing, six below tourism, two of Rügen, so priors of 3/10, 7/10 and 3/10, which count
        for 20 pages. 35 pages crawled: 5 of sailing, 30 of Rügen; by ``least``, of the two topics sailing is the least
        on 30 pages and Rügen on 5."""
        for rarity, sailing, island in (("relevant", 5, 30), ("least", 5, 30)):
            view = view_of()
            strategy = begun(view, rarity=rarity)
            assert view.tree is not None
            places = [view.tree.find(name) for name in ("sailing", "tourism", "Rügen")]
            assert strategy.frequency[places] == pytest.approx([0.3, 0.7, 0.3])
            view.crawled({"sailing": 5, "Rügen": 30})
            strategy.adapt(session(1, 50, 50))
            found = strategy.frequency[[places[0], places[2]]]
            assert found == pytest.approx([(sailing + 6) / 55, (island + 6) / 55])
        ranked = begun(view_of(), rare_first=("Rügen", "sailing")).frequency[places]
        assert ranked == pytest.approx([1, 2.7, 0])

    def test_rarity_by_the_least_of_the_formula(self) -> None:
        """Rügen is the least on 3 of 4 pages, though both topics are found on none: Rügen goes up."""
        view = view_of()
        strategy = begun(view, rarity="least")
        assert view.tree is not None
        view.rows = np.zeros((4, len(view.topics)), np.float32)
        view.rows[:, view.tree.find("sailing")] = 0.3
        view.rows[:, view.tree.find("Rügen")] = [0.2, 0.2, 0.2, 0.4]
        strategy._rarity.prior[:] = 0.5  # no opinion from the examples
        strategy.adapt(session(1, 50, 50))
        strategy.adapt(session(2, 0, 50))
        assert words(strategy, view) == "sailing and Mecklenburg-Vorpommern"

    def test_new_links_only_or_always(self) -> None:
        for rescore, expected in (("new", False), ("all", True), ("always", True)):
            view = view_of()
            strategy = begun(view, rescore=rescore)
            strategy.adapt(session(1, 50, 50))
            assert strategy.adapt(session(2, 0, 50)) is expected
            assert len(strategy.chain) == 2
        assert begun(view_of(), rescore="always").adapt(session(1, 50, 50))


class TestTexts:
    def test_weights_by_hand(self) -> None:
        """ "sails" is on 2 of 2 pages about sailing and on none of the 4 about surfing and hotels; those about places
        do not speak against it, as places are wanted at the same time: log(2.5/0.5) − log(0.5/4.5) = log 45 = 3.806662.
        A text with it alone: σ(logit 0.3 + log 45) = 45/(45 + 7/3) = 0.950704."""
        view = view_of()
        assert view.tree is not None
        topic = view.tree.find("sailing")
        table = learned(view.examples, view.interest, view.tree, (topic,), neutral=0.3, strong=0.0)
        ids = text_page("sails castle xyzzy").leaves.ids
        weights = [float(table.weights[table.ids == term, 0].sum()) for term in ids]
        assert weights == pytest.approx([math.log(45), 0.0, 0.0])
        values = table.values(np.array([0, 1]), np.array([ids[0], ids[2]]), 3, (topic,), None)
        assert values[:, 0] == pytest.approx([0.950704, 0.3, 0.3], abs=1e-6)

    def test_no_term_weighs_more_than_the_limit(self) -> None:
        """On 20 of 20 pages and none of 20: log(20.5/0.5) · 2 = 7.4."""
        pages = [Example(f"http://e.test/{n}", 0, text_page("regattas")) for n in range(20)]
        pages += [Example(f"http://f.test/{n}", OTHER, text_page("taxes")) for n in range(20)]
        table = learned(pages, Interest(), None, (0,), neutral=0.3, strong=0.0)
        assert sorted(table.weights[:, 0]) == [-LIMIT, LIMIT]

    def test_names_weigh_without_examples(self) -> None:
        """Two words of a name of weight 2: σ(logit 0.3 + 4); topics below speak for those above."""
        topics = tree()
        interest = Interest.of(topics, "sailing", 0.5)
        places = (topics.find("water sports"), topics.find("hotels"))
        table = learned([], interest, topics, places, neutral=0.3, strong=2.0)
        ids = text_page("water sailing").leaves.ids
        assert len(ids) == 2
        values = table.values(np.zeros(2, np.int64), ids, 1, places, None)
        assert values[0] == pytest.approx([1 / (1 + 7 / 3 * math.exp(-4)), 0.3])

    def test_anchors_naming_the_rarer_topic_come_first(self) -> None:
        """ARI-36: of sailing ∧ Rügen only the rarer topic counts in texts, here sailing; or either."""
        html = "<p><a href='/1'>regattas</a> <a href='/2'>chalk cliffs</a> <a href='/3'>more</a>"
        for texts, order in (("rarer", [0]), ("either", [0, 1])):
            view = view_of()
            strategy = begun(view, texts=texts, rare_first=("sailing",), **only(anchor=1.0))
            scores = strategy.score(links(html, view=view))
            assert scores[2] == pytest.approx(0.3)
            assert [index for index in range(3) if scores[index] > 0.5] == order

    def test_a_wider_focus_does_not_widen_what_texts_are_about_unless_asked_to(self) -> None:
        """After one step the focus is water sports ∧ Rügen, of which surfing is a part; of the interest it is not."""
        for about, expected in (("interest", False), ("focus", True)):
            view = view_of()
            strategy = begun(view, texts_about=about, rare_first=("sailing", "water sports"), **only(anchor=1.0))
            strategy.adapt(session(1, 50, 50))
            strategy.adapt(session(2, 0, 50))
            assert words(strategy, view) == "water sports and Rügen"
            sailing, surfing = strategy.score(links("<a href='/1'>sailing</a> <a href='/2'>surfing</a>", view=view))
            assert sailing > 0.5
            assert bool(surfing > 0.5) is expected

    def test_urls_speak_too(self) -> None:
        view = view_of()
        strategy = begun(view, rare_first=("sailing",), **only(url=1.0))
        first, second = strategy.score(links("<a href='/regattas/a.html'>x</a> <a href='/q/b.html'>x</a>", view=view))
        assert first > 0.5 > second

    def test_close_text_counts_when_wanted(self) -> None:
        html = "<p>regattas</p><p><a href='/1'>more</a></p><p>words</p>"
        view = view_of()
        far = begun(view, rare_first=("sailing",), **only(anchor=1.0)).score(links(html, view=view))
        near = begun(view, rare_first=("sailing",), close=2, **only(anchor=1.0)).score(links(html, view=view))
        assert far == pytest.approx([0.3])
        assert near[0] > 0.5

    def test_close_text_counts_the_less_the_farther_away_it_is(self) -> None:
        """One leaf away by half of its weight, two by a quarter, on either side."""
        view = view_of()
        strategy = begun(view, rare_first=("sailing",), close=2, **only(anchor=1.0))
        term = text_page("regattas").leaves.ids[0]
        assert view.tree is not None
        column = strategy.table.columns[view.tree.find("sailing")]
        weight = float(strategy.table.weights[strategy.table.ids == term, column].sum())
        for html, share in (
            ("<p>regattas</p><a href='/1'>xyzzy</a>", 0.5), ("<a href='/1'>xyzzy</a><p>plugh</p><p>regattas</p>", 0.25),
            ("<a href='/1'>regattas</a>", 1.0), ("<a href='/1'>xyzzy</a><p>plugh</p><p>plugh</p><p>regattas</p>", 0.0),
        ):  # fmt: skip
            assert strategy.score(links(html, view=view)) == pytest.approx(
                [1 / (1 + 7 / 3 * math.exp(-share * weight))]
            )

    def test_no_text_counts_more_than_twice_the_limit(self) -> None:
        """Three names of weight 9: σ(logit 0.3 + 8)."""
        topics = tree()
        interest = Interest.of(topics, "sailing", 0.5)
        place = topics.find("water sports")
        table = learned([], interest, topics, (place,), neutral=0.3, strong=9.0)
        ids = text_page("water sailing surfing").leaves.ids
        values = table.values(np.zeros(3, np.int64), ids, 2, (place, topics.find("hotels")), None)
        assert values == pytest.approx(np.array([[1 / (1 + 7 / 3 * math.exp(-8)), 0.3], [0.3, 0.3]]))

    def test_nor_does_any_speak_against_a_topic_by_more(self) -> None:
        """Words of weight −4: one, two and three of them; σ(logit 0.3 − 4), then σ(logit 0.3 − 8) twice."""
        table = TermTable((0,), np.array([7], np.uint32), np.array([[-4.0]]), math.log(3 / 7))
        values = table.values(np.array([0, 1, 1, 2, 2, 2]), np.full(6, 7, np.uint32), 3, (0,), None)
        expected = [1 / (1 + 7 / 3 * math.exp(against)) for against in (4, 8, 8)]
        assert values[:, 0] == pytest.approx(expected)

    def test_of_a_description_words_weigh_half(self) -> None:
        topics = TopicTree()
        topics.add("sailing", url="http://e.test/", description="regattas of yachts", keywords=("jib",))
        place = topics.find("sailing")
        table = learned([], Interest.of(topics, "sailing", 0.5), topics, (place,), neutral=0.3, strong=2.0)
        found = {word: table.weights[table.ids == text_page(word).leaves.ids[0], 0].tolist() for word in
                 ("sailing", "jib", "yachts", "tax")}  # fmt: skip
        assert found == {"sailing": [2.0], "jib": [2.0], "yachts": [1.0], "tax": []}

    def test_where_nothing_speaks_against_a_topic_general_text_does(self) -> None:
        """A word on both pages: log(2.5/0.5) − log(q + ½)/(20 − q + ½), q of 20 pages of 200 words of general text."""
        pages = [Example(f"http://e.test/{n}", 0, text_page(f"regattas people {n}")) for n in range(2)]
        table = learned(pages, Interest(), None, (0,), neutral=0.3, strong=0.0)
        ids, shares = document_shares(["en"])
        for word in ("regattas", "people"):
            term = text_page(word).leaves.ids[0]
            q = 20 * shares[ids == term].sum()
            odds = math.log(5) - math.log((q + 0.5) / (20 - q + 0.5))
            deviation = math.sqrt(1 / 2.5 + 1 / 0.5 + 1 / (q + 0.5) + 1 / (20 - q + 0.5))
            expected = [min(max(odds, -LIMIT), LIMIT)] if abs(odds) >= 0.9 * deviation else []
            assert table.weights[table.ids == term, 0] == pytest.approx(expected)

    def test_one_page_of_one_against_none_of_one_just_counts(self) -> None:
        """log 9; of two against one of one it does not: log 5 − log 3 is less than 0.9 deviations."""

        def found(*texts: tuple[int, str]) -> list[float]:
            pages = [Example(f"http://e.test/{n}", topic, text_page(text)) for n, (topic, text) in enumerate(texts)]
            table = learned(pages, Interest(), None, (0,), neutral=0.3, strong=0.0)
            weights: list[float] = table.weights[table.ids == text_page("regattas").leaves.ids[0], 0].tolist()
            return weights

        assert found((0, "regattas"), (OTHER, "taxes")) == pytest.approx([math.log(9)])
        assert found((0, "regattas"), (0, "regattas"), (OTHER, "regattas"), (OTHER, "taxes")) == []

    def test_of_any_topic_texts_say_nothing(self) -> None:
        view = view_of("ANY")
        scores = begun(view, **only(anchor=1.0)).score(links("<a href='/1'>regattas</a> <a href='/2'>x</a>", view=view))
        assert scores == pytest.approx([0.3, 0.3])


class TestRest:
    def test_pruning(self) -> None:
        """ARI-49: the links of a page below the threshold of 0.5 are not followed."""
        strategy = begun(prune=True)
        assert np.isnan(strategy.score(batch_of(html_page(THREE), relevance=0.49))).all()
        assert not np.isnan(strategy.score(batch_of(html_page(THREE), relevance=0.5))).any()

    def test_pruning_goes_by_the_interest_whatever_the_focus(self) -> None:
        """The focus is on water sports by then; a page about surfing on Rügen is of the focus, and irrelevant. One
        about sailing there is both."""
        view = view_of()
        strategy = begun(view, prune=True)
        view.crawled({"Rügen": 30})
        strategy.adapt(session(1, 50, 50))
        strategy.adapt(session(2, 0, 50))
        assert words(strategy, view) == "water sports and Rügen"
        for scores, pruned in (
            ({"water sports": 0.9, "sailing": 0.1, "Rügen": 0.9}, True),
            ({"water sports": 0.9, "sailing": 0.9, "Rügen": 0.9}, False),
        ):
            batch = links(THREE, scores, view)
            relevance = view.interest.relevance(Judgement(batch.source.scores, 0, 1.0))
            batch = replace(batch, source=replace(batch.source, relevance=relevance))
            assert np.isnan(strategy.score(batch)).tolist() == [pruned] * 3

    def test_a_resumed_crawl_goes_on_as_an_undisturbed_one(self) -> None:
        view = view_of()
        undisturbed, stopped = begun(view), begun(view)
        view.crawled({"sailing": 5, "water sports": 10, "Rügen": 30})
        for strategy in (undisturbed, stopped):
            strategy.adapt(session(1, 50, 50))
            strategy.adapt(session(2, 0, 50))
        resumed = begun(view)
        resumed.restore(stopped.state())
        assert resumed.state() == stopped.state()
        batch = links(THREE, {"sailing": 0.1, "water sports": 0.8, "Rügen": 0.6}, view)
        for strategy in (undisturbed, resumed):
            np.testing.assert_array_equal(strategy.score(batch), stopped.score(batch))
            strategy.adapt(session(3, 0, 50))
        assert words(resumed, view) == words(undisturbed, view) == "sports and Rügen"
        np.testing.assert_array_equal(resumed.score(batch), undisturbed.score(batch))

    def test_a_page_without_links_has_no_scores(self) -> None:
        assert begun().score(batch_of(html_page("<p>nothing"))).tolist() == []

    def test_the_top_is_told_again_after_the_focus_was_narrower(self) -> None:
        view = view_of()
        strategy = begun(view, generalise="ignore")
        view.crawled({"sailing": 5, "Rügen": 30})
        for number, relevant, total in (
            (1, 50, 50),
            (2, 0, 50),
            (3, 0, 50),
            (4, 0, 50),
            (5, 90, 140),
            (6, 0, 140),
            (7, 0, 140),
        ):
            strategy.adapt(session(number, relevant, total))
        assert [one.kind.removeprefix("focus ") for one in view.decisions] == [
            "generalised", "at the top", "specialised", "generalised", "at the top",
        ]  # fmt: skip
        assert view.tops == 3

    def test_the_focus_on_topics_that_are_no_more_is_forgotten(self) -> None:
        """A topic is gone, or there is one more: its number may be another's."""
        old = begun(view_of())
        for number in (1, 2):
            old.adapt(session(number, 50 * (number == 1), 50))
        assert len(old.chain) == 2
        for gone, more in (("tourism/sports/water sports", None), (None, "tourism/sports/golf")):
            topics = TopicTree()
            for path in (*(path for path in PATHS if gone is None or not path.startswith(gone)), *filter(None, [more])):
                topics.add(path, url=f"http://e.test/{len(topics)}")
            strategy = begun(
                CrawledView([], Interest.of(topics, "Rügen" if gone else "sailing and Rügen", 0.5), topics)
            )
            strategy.restore(old.state())
            assert len(strategy.chain) == 1

    def test_the_focus_of_another_interest_is_forgotten(self) -> None:
        view, other = view_of(), view_of("surfing and Rügen")
        old = begun(view)
        old.adapt(session(1, 50, 50))
        old.adapt(session(2, 0, 50))
        strategy = begun(other)
        strategy.restore(old.state())
        assert words(strategy, other) == "surfing and Rügen"

    def test_community_stops_when_asked_to(self) -> None:
        """Three relevant pages link to each other, and one of them to an irrelevant one: each has two links inside
        and at most one out, so three pages are a community, and there is none of four."""
        for size, told in ((3, 1), (4, 0), (0, 0)):
            view = StubView([])
            names = ("a", "b", "c", "d")
            for number, name in enumerate(names, 1):
                others = "".join(f"<a href='http://{o}.test/'>{o}</a>" for o in "abc" if o != name and name != "d")
                others += "<a href='http://d.test/'>d</a>" if name == "a" else ""
                page = html_page(f"<p>{others}", f"http://{name}.test/")
                urls = (f"http://{name}.test/",)
                seed = seed_links(urls, keys(urls), [host(urls[0])], url_words, LinkKind.SEED)
                source = Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0)
                link = Link(Evidence(NoHistory()).batch(source, seed, page.leaves), 0, 1.0)
                judged = Judgement(np.array([0.9], np.float32), 0, 0.9)
                response = Response(urls[0], Outcome.OK, 200)
                good = name != "d"
                view.seen.append(Visit(number, link, response, page, judged, 0.9, good, 0, links=batch_of(page)))
            begun(view, community_pages=size).adapt(session(1, 75, 75))
            assert view.communities == told
            assert [decision.kind for decision in view.decisions].count("community found") == told

    def test_explains_in_words(self) -> None:
        view = view_of()
        lines = begun(view).explain(links(THREE, {"sailing": 0.25, "Rügen": 0.5}, view), 0)
        assert lines[0].startswith("ariadne: the focus is tourism/sports/water sports/sailing and ")
        assert lines[1] == "(a) relevance of the page it stands on to the focus: 0.250, weight 4"
        assert lines[-1].startswith("mean: 0.")

    def test_explanations_give_every_criterion_of_the_score(self) -> None:
        """Relevance 0.25, level 1/3 and ½, three links on the page: 3/23; of weight 0 are the others."""
        view = view_of()
        strategy = begun(view, rare_first=("sailing",), **only(source=2.0, level=1.0, hub=0.5, anchor=0.5))
        batch = links(THREE, {"sailing": 0.25, "Rügen": 0.5}, view)
        mean = (0.25**2 * (1 / 3) * (3 / 23 * 0.3) ** 0.5) ** (1 / 4)
        sailing, island = "tourism/sports/water sports/sailing", "Mecklenburg-Vorpommern/Rügen"
        assert strategy.explain(batch, 1) == [
            f"ariadne: the focus is {sailing} and {island}",
            "(a) relevance of the page it stands on to the focus: 0.250, weight 2",
            f"(c) what its anchor says of it ({sailing}): 0.300, weight 0.5",
            "(f) depth of its URL's path: 0.333, weight 1",
            "(h) links on the page it stands on: 0.130, weight 0.5",
            f"mean: {mean:.4f}",
        ]
        assert strategy.explain(batch, 0)[3] == "(f) depth of its URL's path: 0.500, weight 1"
        seed = replace(batch, links=replace(batch.links, kinds=(LinkKind.SEED,) * 3))
        assert strategy.explain(seed, 0) == ["ariadne: a seed, so its score is 1"]

    def test_explanations_of_other_ways_to_score(self) -> None:
        """Digits instead of weights; pages that are pruned; a focus that is wider."""
        batch = batch_of(html_page(THREE), relevance=0.25)
        strategy = begun(combine="lexicographic", order=("level", "source"))
        score = (2048 * 4096 + 1024) / 4096**2
        assert strategy.explain(batch, 0)[1:] == [
            "(f) depth of its URL's path: 0.500",
            "(a) relevance of the page it stands on to the focus: 0.250",
            f"lexicographic: {score:.4f}",
        ]
        assert begun(prune=True).explain(batch, 0)[1:] == ["not followed: it stands on an irrelevant page"]
        view = view_of()
        strategy = begun(view)
        for number in (1, 2, 3):
            strategy.adapt(session(number, 50 * (number == 1), 50))
        assert strategy.explain(links(THREE, view=view), 0)[0].endswith(", 2 steps wider")

    def test_decisions_say_what_the_focus_was_and_is(self) -> None:
        view = view_of()
        strategy = begun(view)
        view.crawled({"sailing": 1, "water sports": 2, "Rügen": 30})
        for number, relevant, total in ((1, 50, 50), (2, 10, 60), (3, 50, 110)):
            strategy.adapt(session(number, relevant, total))
        sports, island = "tourism/sports/water sports", "Mecklenburg-Vorpommern/Rügen"
        narrow, wide = f"{sports}/sailing and {island}", f"{sports} and {island}"
        assert [(one.kind, dict(one.facts)) for one in view.decisions] == [
            ("focus generalised", {
                "session": 2, "precision": 0.1, "precision_total": 0.3, "from": narrow, "to": wide, "steps": 1,
            }),
            ("focus specialised", {
                "session": 3, "precision": 0.5, "precision_total": 0.3667, "from": wide, "to": narrow, "steps": 0,
            }),
        ]  # fmt: skip

    def test_shares_in_decisions_have_four_digits(self) -> None:
        """Of 30 pages 2 were relevant, of 70 in all 22."""
        view = view_of()
        begun(view).adapt(Session(2, 41, 70, 30, 2, 70, 22))
        facts = view.decisions[0].facts
        assert (facts["precision"], facts["precision_total"]) == (0.0667, 0.3143)

    def test_an_aim_in_words(self) -> None:
        """Weights and halvings are named where there are any."""
        both = And((Topic(0), Topic(1)))
        for aim, said in (
            (Aim(both), "a and b"),
            (Aim(both, (2 / 3, 1 / 3)), "a and b (weights 0.67, 0.33)"),
            (Aim(Topic(0), (), 2), "a (relevance weighs 0.25 of what it did)"),
        ):
            assert aim.words(("a", "b")) == said

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            (
                {"combine": "sum"},
                "[strategy.ariadne] combine: 'sum' is none of: mean, lexicographic; see docs/strat",
            ),
            ({"order": ("source", "colour")}, "order[1]: 'colour' is none of: source, url"),
            ({"order": ("source", "source")}, "must name criteria, each once"),
            (NONE, "every criterion has weight 0"),
            ({"generalise_at": 0.9}, "must not be greater than specialise_at"),
            (
                {"generalise": "weigh", "specialise": "frequent"},
                'specialise = "frequent" needs generalise = "taxonomy"',
            ),
        ],
    )
    def test_wrong_settings_are_refused(self, settings: dict[str, Any], message: str) -> None:
        with pytest.raises(ConfigError, match=re.escape(message)):
            make("ariadne", settings)

    def test_ranking_topics_needs_topics(self) -> None:
        with pytest.raises(ConfigError, match="rare_first names topics, but the project has no topics"):
            begun(StubView([]), rare_first=("sailing",))


def test_formulas_come_back_from_state() -> None:
    topics = tree()
    names = topics.paths
    for text in ("sailing", "sailing and (Rügen or Schwerin)", "not sailing and Rügen", "ANY"):
        aim = Aim(parse(text, topics), (0.75, 0.25), 1)
        assert Aim.unpacked(aim.packed(names), {path: index for index, path in enumerate(names)}) == aim


def test_the_examples_of_no_topic_speak_against_the_only_one() -> None:
    view = StubView(
        [
            Example("http://e.test/1", 0, text_page("yachts and regattas")),
            Example("http://e.test/2", 0, text_page("regattas and sails")),
            Example("http://e.test/3", OTHER, text_page("taxes and pensions")),
            Example("http://e.test/4", OTHER, text_page("budgets and taxes")),
        ]
    )
    good, bad = begun(view, **only(anchor=1.0)).score(links("<a href='/1'>regattas</a> <a href='/2'>taxes</a>"))
    assert good > 0.3 > bad


def test_the_webs_of_the_benchmark_are_what_the_paper_assumes() -> None:
    """Islands link to no other island, and only pages of generalised topics link to islands: the nearer, the more. The
    shares of links of the rings are 0.05, 0.03, 0.015 and 0.006, and 0 outside."""
    assert [ring(f"tourism/{activity}", f"mecklenburg/{place}") for activity, place in (
        ("sports/water/sailing", "ruegen"), ("sports/water/diving", "ruegen"), ("sports/land/golf", "ruegen"),
        ("hotels", "ruegen"), ("sports/water/sailing", "schwerin"),
    )] == [0, 1, 2, 3, 4]  # fmt: skip
    assert (
        ring("tourism/sports/water/sailing", "saxony/dresden") == ring("science/maths", "mecklenburg/ruegen") == OUTSIDE
    )
    web = MadeWeb(3, 2000)
    into = np.zeros((OUTSIDE + 1, 2))
    for page, targets in enumerate(web.links):
        for target in targets:
            if web.rings[page] == 0:
                assert web.rings[target] > 0 or target // ISLAND == page // ISLAND
            into[web.rings[page]] += (web.rings[target] == 0, 1)
    shares = into[1:, 0] / into[1:, 1]
    assert shares[-1] == 0
    assert shares[:-1] == pytest.approx(np.array(ENTRIES[1:-1]), rel=0.6)
    assert shares[0] > shares[1] > shares[3] > 0
