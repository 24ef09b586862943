"""The simulated web: the same everywhere, any size at once, and shaped as its parameters say."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tracemalloc
from collections import Counter, deque
from collections.abc import Container, Iterable
from statistics import mean

import numpy as np
import pytest

from clew.errors import InputError
from clew.model import Outcome, Request
from clew.web.base import World
from clew.web.simulated import (
    PageKind,
    SimParameters,
    SimulatedWeb,
    SimulatedWorld,
    demo_web,
    describe,
    parse_spec,
)
from clew.web.simulated.hashing import draw, draws, key
from clew.web.simulated.layout import MIN_HOST_PAGES, Layout
from clew.web.simulated.lexicon import FUNCTION_WORDS
from clew.web.simulated.madeup import MadeUp
from clew.web.simulated.wordlists import TOPICS

SMALL = SimParameters(branching=3, depth=2, pages_per_host=25, island_hosts=2, tunnels=0.5, tunnel_length=3)


@pytest.fixture(scope="module")
def web() -> SimulatedWeb:
    return SimulatedWeb(200_000, 7)


@pytest.fixture(scope="module")
def small() -> SimulatedWeb:
    return SimulatedWeb(1_500, 3, SMALL)


class Clock:
    """A virtual clock that stands at one time."""

    virtual = True

    def __init__(self, time: float) -> None:
        self.time = time

    def now(self) -> float:
        return self.time

    async def sleep_until(self, when: float) -> None:
        self.time = max(self.time, when)


# purity


def test_scalar_and_column_draws_agree() -> None:
    base = key(5, "x")
    rows, columns = np.array([0, 1, 2**40, 123]), np.arange(3)
    got = draws(base, rows[:, None], columns[None, :])
    assert got.tolist() == [[draw(base, int(r), int(c)) for c in columns] for r in rows]
    assert len(np.unique(draws(base, np.arange(100_000)))) == 100_000


def _digest(web: SimulatedWeb, urls: list[str]) -> str:
    parts = [repr((web.page(url), web.links(url), web.truth(url))) for url in urls]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def test_pages_are_the_same_twice_and_in_another_process() -> None:
    spec = "sim:pages=50000,seed=11"
    first, second = parse_spec(spec), parse_spec(spec)
    urls = first.sample(30)
    assert _digest(first, urls) == _digest(first, urls) == _digest(second, urls[::-1][::-1])
    code = (
        "from test_web_simulated import _digest, parse_spec\n"
        f"web = parse_spec({spec!r})\nweb.page(web.url_of(4))\nprint(_digest(web, web.sample(30)))"
    )
    path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONHASHSEED": "4242", "PYTHONPATH": path}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == _digest(first, urls)


def test_another_seed_is_another_web() -> None:
    one, two = SimulatedWeb(50_000, 1), SimulatedWeb(50_000, 2)
    assert set(one.topics()).isdisjoint(two.topics())
    assert one.links("http://h1.sim.test/") != two.links("http://h1.sim.test/")


def test_a_page_stays_as_it_is_when_only_the_port_changes(small: SimulatedWeb) -> None:
    url = small.sample(1)[0]
    other = small.at_port(8081)
    moved = other.page(url.replace(".sim.test", ".sim.test:8081"))
    here = small.page(url)
    assert moved is not None and here is not None
    assert moved.html.replace(":8081", "") == here.html
    assert other.page(url) is None


def test_a_hundred_million_pages_cost_nothing_until_fetched() -> None:
    tracemalloc.start()
    web = SimulatedWeb(100_000_000, 5)
    pages = [web.page(web.url_of(number)) for number in (0, 1, 31_415_926, 99_999_999)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(page is not None and page.status == 200 for page in pages)
    assert peak < 20_000_000
    assert [web.truth(url).number for url in web.sample(20)] == [
        draw(key(5, "sample sample"), i) % 100_000_000 for i in range(20)
    ]


# layout


@pytest.mark.parametrize("skew", [0, 1, 2, 4])
def test_hosts_partition_the_pages(skew: int) -> None:
    layout = Layout(12_345, 3, SimParameters(branching=3, depth=2, pages_per_host=40, host_skew=skew))
    hosts = np.arange(layout.hosts)
    sizes = layout.sizes(hosts)
    assert sizes.sum() == 12_345 and sizes.min() >= MIN_HOST_PAGES
    assert [layout.number(*layout.locate(n)) for n in (0, 1, 777, 12_344)] == [0, 1, 777, 12_344]
    assert sizes.max() / sizes.min() < 1.2 if skew == 0 else sizes[0] > 2 * sizes.mean()
    leaves = layout.host_leaves(hosts)
    assert set(Counter(leaves.tolist()).values()) == {layout.blocks}
    assert (layout.hosts_of(leaves, hosts // layout.leaves) == hosts).all()


def test_topics_of_pages_follow_host_locality(web: SimulatedWeb) -> None:
    home = {url: web.truth(re.sub(r"(http://[^/]*/).*", r"\1", url)) for url in web.sample(1_500)}
    same = mean(web.truth(url).topic == truth.topic for url, truth in home.items())
    assert 0.85 <= same <= 0.93  # a page that strays may come back to the same topic


def test_kinds_come_in_the_shares_asked_for(web: SimulatedWeb) -> None:
    kinds = Counter(web.truth(url).kind for url in web.sample(2_000))
    assert kinds[PageKind.HUB] / 2_000 == pytest.approx(0.05, abs=0.015)
    assert kinds[PageKind.NAVIGATION] / 2_000 == pytest.approx(0.08, abs=0.02)
    assert kinds[PageKind.MISSING] == kinds[PageKind.REDIRECT] == 0


def test_counting_agrees_with_the_truth_of_single_pages(small: SimulatedWeb) -> None:
    for topic in (small.topics()[4], small.topics(1)[2]):
        one_by_one = {url for url in map(small.url_of, range(1_500)) if small.truth(url).relevant_to(topic)}
        assert set(small.relevant(topic)) == one_by_one
        assert small.count_relevant(topic) == len(one_by_one) > 0


# links


def test_links_lead_where_the_parameters_say(web: SimulatedWeb) -> None:
    """Broken and redirected shares, resolving targets, out-degree, topical locality above chance."""
    kinds: Counter[PageKind] = Counter()
    degrees, same, same_elsewhere = [], [], []
    for url in web.sample(180):
        truth, links = web.truth(url), web.links(url)
        assert len(set(links)) == len(links) and url not in links
        degrees.append(len(links))
        for link in map(web.truth, links):
            kinds[link.kind] += 1
            if link.number >= 0:
                same.append(link.topic == truth.topic)
                if link.host != truth.host:
                    same_elsewhere.append(same[-1])
    total = sum(kinds.values())
    assert kinds[PageKind.MISSING] / total == pytest.approx(0.03, abs=0.008)
    assert kinds[PageKind.REDIRECT] / total == pytest.approx(0.03, abs=0.008)
    assert mean(degrees) == pytest.approx(40, rel=0.12)
    chance = 1 / len(web.topics())
    assert mean(same) > 20 * chance
    assert 0.5 < mean(same_elsewhere) < 0.75


def test_locality_is_tunable() -> None:
    shares = []
    for locality in (0.0, 0.5, 1.0):
        web = SimulatedWeb(50_000, 3, SimParameters(locality=locality, hubs=0.0))
        pairs = [(web.truth(url), web.truth(link)) for url in web.sample(35) for link in web.links(url)]
        away = [a.topic == b.topic for a, b in pairs if b.number >= 0 and a.host != b.host]
        shares.append(mean(away))
    assert shares[0] < 0.25 < shares[1] - 0.1 < shares[2] - 0.3


def test_same_topic_grows_rarer_with_distance(web: SimulatedWeb) -> None:
    shares = []
    ends = {url: url for url in web.sample(120, "walk")}
    for step in range(5):
        for start, end in ends.items():
            links = [link for link in web.links(end) if not re.search("/(go|turn|old)/|[.]gone[.]", link)]
            ends[start] = links[draw(key(step, start), 0) % len(links)]
        shares.append(mean(web.truth(a).topic == web.truth(b).topic for a, b in ends.items()))
    assert shares[0] > shares[2] > shares[4] > 2 / 64


def test_html_holds_exactly_the_links(small: SimulatedWeb) -> None:
    for url in small.sample(40):
        page = small.page(url)
        assert page is not None and page.status == 200
        root = re.match(r"http://[^/]*", url)[0]  # type: ignore[index]
        hrefs = re.findall(r'<a href="([^"]*)">', page.html)
        assert {root + href if href.startswith("/") else href for href in hrefs} == set(small.links(url))
        assert 2_000 < len(page.html) < 40_000


class Graph:
    """All pages of a small web, what is true of them, and where their links end after redirects."""

    def __init__(self, web: SimulatedWeb) -> None:
        self.truth = {url: web.truth(url) for url in map(web.url_of, range(web.pages))}
        self.links = {url: self._ends(web, url) for url in self.truth}

    def _ends(self, web: SimulatedWeb, url: str) -> list[str]:
        return [end for end in (_resolve(web, link) for link in web.links(url)) if end in self.truth]

    def reached(self, seeds: Iterable[str], through: Container[str]) -> set[str]:
        """Pages reached from ``seeds``, following the links of those pages only that are in ``through``."""
        seen, queue = set(seeds), deque(seeds)
        while queue:
            url = queue.popleft()
            fresh = set(self.links[url]) - seen if url in through else set()
            seen |= fresh
            queue.extend(fresh)
        return seen


def _resolve(web: SimulatedWeb, url: str) -> str:
    while "/go/" in url:
        page = web.page(url)
        assert page is not None and page.status == 301
        url = page.location
    return url


@pytest.fixture(scope="module")
def graph(small: SimulatedWeb) -> Graph:
    return Graph(small)


def test_every_page_can_be_reached(small: SimulatedWeb, graph: Graph) -> None:
    seeds = small.seeds(3, small.topics()[0])
    assert len(graph.reached(seeds, graph.truth)) == small.pages


# tunnels


@pytest.mark.parametrize(
    "parameters",
    [
        SMALL,
        SimParameters(branching=2, depth=3, pages_per_host=20, tunnels=0.7, out_degree=20, words=60),
        SimParameters(branching=5, depth=1, pages_per_host=20, tunnels=0.7, out_degree=20, island_hosts=3),
    ],
)
def test_isolated_islands_are_reached_only_through_other_branches(parameters: SimParameters) -> None:
    web = SimulatedWeb(800, 3, parameters)
    graph = Graph(web)
    islands = 0
    for topic in web.topics(1):
        branch = {url for url, truth in graph.truth.items() if truth.topic[0] == topic}
        at_home = {url for url in branch if web.truth(f"http://{graph.truth[url].host}/").topic[0] == topic}
        isolated = {url for url in at_home if graph.truth[url].isolated}
        seeds = {url for url in branch if not graph.truth[url].isolated}
        assert not graph.reached(seeds, branch) & isolated
        assert isolated <= graph.reached(seeds, graph.truth)
        islands += bool(isolated)
    assert islands > 0


def test_tunnels_lead_step_by_step_to_their_island(graph: Graph) -> None:
    stages = {url: truth for url, truth in graph.truth.items() if truth.tunnel}
    assert {truth.tunnel for truth in stages.values()} == {1, 2, 3}
    for url, truth in stages.items():
        ahead = [graph.truth[end] for end in graph.links[url]]
        if truth.tunnel > 1:
            assert any(page.tunnel == truth.tunnel - 1 for page in ahead)
        else:
            homes = [page for page in ahead if page.isolated and page.kind is PageKind.HOME]
            assert any(page.topic[0] != truth.topic[0] for page in homes)


def test_each_isolated_island_has_a_tunnel_from_its_own_topic(graph: Graph) -> None:
    """Backwards from the homes of isolated hosts: off-topic pages only, then a page of the same topic."""
    sources: dict[str, set[str]] = {}
    for url, ends in graph.links.items():
        for end in ends:
            sources.setdefault(end, set()).add(url)
    homes = [url for url, truth in graph.truth.items() if truth.isolated and truth.kind is PageKind.HOME]
    for home in homes:
        topic, layer = graph.truth[home].topic, {home}
        for step in (1, 2, 3):
            layer = {url for end in layer for url in sources[end] if graph.truth[url].tunnel == step}
            layer = {url for url in layer if graph.truth[url].topic[0] != topic[0]}
            starts = {url for end in layer for url in sources[end] if graph.truth[url].topic == topic}
            if starts:
                break
        assert starts
    assert len(homes) > 3


# text


def test_words_are_distinct_and_new() -> None:
    lexicon = MadeUp(5, SimParameters())
    words = [lexicon.word(number) for number in range(40_000)]
    assert len(set(words)) == 40_000
    assert not set(words) & set(FUNCTION_WORDS)
    assert all(re.fullmatch(r"([bdfghjklmnprstvz][aeiou]){2,4}[kmpnx]", word) for word in words)


def _words(web: SimulatedWeb, url: str) -> Counter[str]:
    page = web.page(url)
    assert page is not None
    return Counter(re.findall(r"[a-z]+", re.sub(r"<[^>]*>", " ", page.html).lower()))


def test_texts_tell_topics_and_share_words_along_the_tree(web: SimulatedWeb) -> None:
    own, sister = web.topics()[0], web.topics()[1]
    far = web.topics()[-1]
    counts = {topic: sum((_words(web, u) for u in web.examples(8, topic)), Counter()) for topic in (own, sister, far)}
    names = own.split("/")
    assert counts[own][names[-1]] > 5 * counts[far][names[-1]]
    assert counts[own][names[-1]] > 5 * counts[sister][names[-1]]
    assert counts[sister][names[0]] > 5 * counts[far][names[0]]  # the top-level word is shared
    top = counts[own].most_common(30)
    assert top[0][0] in FUNCTION_WORDS and top[0][1] > 4 * top[-1][1]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_anchor_texts_are_as_informative_as_asked(share: float) -> None:
    web = SimulatedWeb(20_000, 3, SimParameters(anchor_informative=share, broken=0.0, redirects=0.0))
    generic = told = 0
    for url in web.sample(6):
        page = web.page(url)
        assert page is not None
        for href, text in re.findall(r'<a href="(http[^"]*)">([^<]*)</a>', page.html):
            target = web.page(href)
            assert target is not None
            title = re.search("<title>(.*)</title>", target.html)[1].lower()  # type: ignore[index]
            told += title.startswith(text)
            generic += not title.startswith(text)
    assert (generic, told > 50) == (0, True) if share else (generic > 50, told) == (True, 0)


# truth and start pages


def test_truth_is_consistent(web: SimulatedWeb) -> None:
    for url in web.sample(50):
        truth = web.truth(url)
        assert web.url_of(truth.number) == url
        assert "/".join(truth.topic) in web.topics()
        about = truth.kind is not PageKind.NAVIGATION
        assert truth.relevant_to("/".join(truth.topic)) is truth.relevant_to(truth.topic[0]) is about
        assert not truth.relevant_to(web.topics(1)[0][:-1])
        page = web.page(url)
        assert page is not None and page.status == 200


def test_examples_and_seeds(web: SimulatedWeb) -> None:
    topic = web.topics(2)[5]
    good, bad = web.examples(20, topic), web.examples(20, topic, relevant=False)
    assert len({*good, *bad}) == 40
    assert all(web.truth(url).relevant_to(topic) for url in good)
    assert not any(web.truth(url).relevant_to(topic) for url in bad)
    near, far = web.seeds(4, topic), web.seeds(4, topic, distance=2)
    assert all(web.truth(url).relevant_to(topic) and web.truth(url).kind is PageKind.HOME for url in near)
    for url in far:
        assert web.truth(url).topic[0] != topic.split("/")[0]
        assert not any(web.truth(_resolve(web, link)).relevant_to(topic) for link in web.links(url))
    with pytest.raises(InputError, match="0 to 3"):
        web.seeds(1, topic, distance=9)
    with pytest.raises(InputError, match="ask for fewer"):
        web.seeds(5_000, topic)


def test_unknown_topics_pages_and_levels_are_refused(small: SimulatedWeb) -> None:
    top = small.topics(1)[0]
    with pytest.raises(InputError, match=f"no topic '{top}/nonsense'; the topics below {top} are: "):
        small.examples(1, f"{top}/nonsense")
    with pytest.raises(InputError, match="0 to 1499"):
        small.url_of(2_000)
    with pytest.raises(InputError, match="levels 1 to 2"):
        small.topics(3)


# specs


def test_specs_open_webs() -> None:
    web = parse_spec("sim:pages=20_000, seed=7, locality=.4, domain=toy.test")
    assert (web.pages, web.seed, web.parameters.locality) == (20_000, 7, 0.4)
    assert web.url_of(0) == "http://h0.toy.test/"
    assert parse_spec(web.spec).spec == web.spec == "sim:pages=20000,seed=7,locality=0.4,domain=toy.test"
    assert parse_spec("sim:").pages == 100_000
    assert {name for name, _, _ in describe()} >= {"pages", "seed", "locality", "tunnels"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("live", "names no simulated web"),
        ("sim:colour=red", "'colour=red' is no known parameter.*pages, seed, .*locality"),
        ("sim:pages", "'pages' is no known parameter"),
        ("sim:pages=many", "pages must be a whole number, not 'many'"),
        ("sim:locality=high", "locality must be a number"),
        ("sim:locality=1.5", "locality=1.5 lies outside 0.0 to 1.0"),
        ("sim:broken=nan", "broken=nan lies outside"),
        ("sim:seed=1,seed=2", "given twice"),
        ("sim:pages=10", "pages=10 lies outside 640"),
        ("sim:domain=Über", "no lower-case domain"),
        ("sim:language=klingon", "language=klingon is none of: made-up, english"),
        ("sim:language=english,branching=5", r"at most 16 topics apart .*, not 5\^2"),
    ],
)
def test_bad_specs_are_refused(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_spec(spec)


def test_whole_numbers_are_asked_for() -> None:
    with pytest.raises(InputError, match=r"branching=2\.5 must be a whole number"):
        SimParameters(branching=2.5)  # type: ignore[arg-type]


# as a world


async def test_world_answers_everything_with_a_response(small: SimulatedWeb) -> None:
    world = SimulatedWorld(small, Clock(100.0), delay_s=2.0, latency_s=0.25)
    await world.open()
    url = small.sample(1)[0]
    answer = await world.fetch(Request(url))
    page = small.page(url)
    assert page is not None and answer.body == page.html.encode()
    assert (answer.outcome, answer.status, answer.requests) == (Outcome.OK, 200, 1)
    assert (answer.fetched_at, answer.elapsed_s, answer.ready_at) == (100.0, 0.25, 102.25)
    assert answer.header("Content-Type") == "text/html; charset=utf-8"
    host = url.split("/")[2]
    for bad in (f"http://{host}/no/such-1.html", "http://elsewhere.example/", f"http://{host}/x?y", "mailto:a@b", ""):
        failed = await world.fetch(Request(bad))
        assert (failed.outcome, failed.status, bool(failed.reason)) == (Outcome.FAILED, 404, True)
    gone = {(await world.fetch(Request(f"http://h{n}.gone.sim.test/"))).reason for n in range(12)}
    assert gone == {"no such host", "timed out while connecting"}
    assert (world.closed, world.name) == (False, small.spec)
    await world.close()
    await world.close()


async def test_redirects_chains_and_loops(small: SimulatedWeb) -> None:
    world = SimulatedWorld(small, Clock(0.0))
    target = next(url for url in small.sample(20) if not url.endswith("/"))
    number = re.search(r"-(\d+)\.html", target)[1]  # type: ignore[index]
    root = re.match("http://[^/]*", target)[0]  # type: ignore[index]
    chain = [f"{root}/go/c/{number}"]
    while (answer := await world.fetch(Request(chain[-1]))).outcome is Outcome.REDIRECT:
        assert answer.status == 301 and answer.header("location") == answer.location
        chain.append(answer.location)
    assert chain[-1] == target and len(chain) == 4 and answer.outcome is Outcome.OK
    there = await world.fetch(Request(f"{root}/turn/a/{number}"))
    back = await world.fetch(Request(there.location))
    assert back.location == f"{root}/turn/a/{number}"
    assert (await world.fetch(Request(f"{root}/go/a/999999"))).status == 404


def test_redirect_loops_and_dead_hosts_occur_but_loops_are_rare() -> None:
    web = SimulatedWeb(20_000, 3, SimParameters(broken=0.4))
    links = [link for url in web.sample(150) for link in web.links(url)]
    loops, dead = sum("/turn/" in link for link in links), sum(".gone." in link for link in links)
    assert 0 < loops < 0.02 * len(links) < dead


def test_the_truth_cannot_be_reached_through_a_world(small: SimulatedWeb) -> None:
    world = SimulatedWorld(small, Clock(0.0))
    public = {name for name in dir(world) if not name.startswith("_")}
    assert public == {name for name in dir(World) if not name.startswith("_")}  # what every world has, and no more
    assert small not in vars(world).values()


# the demo's web


@pytest.mark.parametrize("seed", [1, 2])
def test_in_the_demo_relevance_beats_breadth(seed: int) -> None:
    demo = demo_web(seed)
    assert (demo.web.pages, len(demo.relevant), len(demo.irrelevant), len(demo.seeds)) == (4_000, 10, 20, 5)
    assert demo.web.hosts == 96
    assert demo.topic in TOPICS
    assert all(demo.web.truth(url).relevant_to(demo.topic) for url in demo.relevant)
    assert not any(demo.web.truth(url).relevant_to(demo.topic) for url in demo.irrelevant)
    assert any(demo.web.truth(url).isolated for url in demo.web.relevant(demo.topic))
    best, breadth = _harvest(demo.web, demo.seeds, demo.topic, True), _harvest(demo.web, demo.seeds, demo.topic, False)
    assert best > 2 * breadth
    assert best > 120


def _harvest(web: SimulatedWeb, seeds: tuple[str, ...], topic: str, focused: bool, budget: int = 400) -> int:
    """Relevant pages among ``budget`` fetches: breadth first, or links of relevant pages first."""
    queues = deque(seeds), deque[str]()
    seen, relevant = set(seeds), 0
    for _ in range(budget):
        url = (queues[1] or queues[0]).popleft()
        page = web.page(url)
        assert page is not None
        links = (page.location,) if page.status == 301 else web.links(url)
        good = web.truth(url).relevant_to(topic)
        relevant += good
        fresh = [link for link in dict.fromkeys(links) if link not in seen]
        seen.update(fresh)
        queues[good and focused].extend(fresh)
    return relevant
