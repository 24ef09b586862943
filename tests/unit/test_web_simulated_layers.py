"""Layered sites and traps in simulated webs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import numpy as np
import pytest

from clew.errors import InputError
from clew.web.simulated import PageKind, SimParameters, SimulatedWeb, parse_spec
from clew.web.simulated.layout import Layout
from clew.web.simulated.sites import ORDINARY, Sites, depths, parents, widths

LAYERED = "sim:pages=900,seed=4,branching=3,depth=2,pages_per_host=60,layers=1,tunnels=0,redirects=0,broken=0"
TRAPPED = "sim:pages=1500,seed=3,branching=3,depth=2,pages_per_host=25,tunnels=0,traps=0.5"
NEXT = {"home": {"people", "list 1", "list 2"}, "people": {"person"}, "person": {""}}


@pytest.fixture(scope="module")
def web() -> SimulatedWeb:
    return parse_spec(LAYERED)


@pytest.fixture(scope="module")
def trapped() -> SimulatedWeb:
    return parse_spec(TRAPPED)


def test_webs_without_layers_and_traps_are_what_they_were() -> None:
    """The digest was made before there were layers and traps."""
    whole = hashlib.sha256()
    for spec in ("sim:pages=50000,seed=11", "sim:pages=20000,seed=2,locality=0,host_locality=0"):
        web = parse_spec(spec)
        for url in web.sample(12):
            page, truth = web.page(url), web.truth(url)
            assert page is not None
            whole.update(repr((page.html, web.links(url), truth.kind, truth.topic, truth.number)).encode())
    assert whole.hexdigest() == "8388541e65d079e500a750b6b01e2b77b50d798ad670736374dc26623d3e92ff"


# layers


def test_the_shape_of_a_site() -> None:
    # 1 + 2 + 4 + 8 = 15 pages fill width 2; a 16th makes it 3. 20 pages: lists 1-3, entries 4-12, ends 13-19
    assert widths(np.array([11, 15, 16, 20])).tolist() == [2, 2, 3, 3]
    sizes, locals_ = np.full(20, 20), np.arange(20)
    assert depths(sizes, locals_).tolist() == [0] + [1] * 3 + [2] * 9 + [3] * 7
    # entries are dealt to lists 1, 2, 3 in turn, ends to entries 4, 5, 6 ...
    assert parents(sizes, locals_).tolist() == [0] + [0] * 3 + [1, 2, 3] * 3 + [4, 5, 6, 7, 8, 9, 10]


def test_below_is_the_inverse_of_above() -> None:
    layout = Layout(3_000, 4, SimParameters(branching=3, depth=2, pages_per_host=60, layers=1.0, tunnels=0.0))
    sites = Sites(layout, 4)
    for host in (0, 5, layout.hosts - 1):
        for local in range(1, layout.size(host)):
            assert local in sites.below(host, sites.above(host, local))
        assert sum(len(sites.below(host, local)) for local in range(layout.size(host))) == layout.size(host) - 1


def test_papers_are_reached_through_persons_only(web: SimulatedWeb) -> None:
    truths = {url: web.truth(url) for url in web.urls()}
    papers = [url for url, truth in truths.items() if truth.kind is PageKind.CONTENT]
    sources: dict[str, set[str]] = {paper: set() for paper in papers}
    for url, truth in truths.items():
        for link in web.links(url):
            if link in sources:
                sources[link].add(truth.layer)
    assert len(papers) > 90
    assert all(sources[paper] == {"person"} for paper in papers)


def test_each_layer_leads_to_the_next_and_from_elsewhere_to_homes(web: SimulatedWeb) -> None:
    for url in web.sample(60):
        truth = web.truth(url)
        for link in web.links(url):
            target = web.truth(link)
            if target.number < 0 or target.layer == "home":
                continue
            assert target.host == truth.host
            down = target.layer in NEXT.get(truth.layer, set())
            up = truth.layer in NEXT.get(target.layer, set())
            decoys = truth.layer[-1:].isdigit() or target.layer[-1:].isdigit()
            assert down or up or decoys, (truth, target)


def test_there_are_decoys_and_layers_are_not_relevant(web: SimulatedWeb) -> None:
    layers = Counter(web.truth(url).layer for url in web.urls())
    assert layers["people"] >= web.hosts
    assert layers["list 1"] > 2 and layers["list 2"] > 2
    topic = web.topics()[0]
    wanted = list(web.relevant(topic))
    assert len(wanted) == web.count_relevant(topic) >= 10
    assert all(web.truth(url).relevant_to(topic) and web.truth(url).layer == "" for url in wanted)
    assert all(web.truth(url).layer == "" for url in web.examples(10, topic))
    assert any(web.truth(url).layer for url in web.examples(10, topic, relevant=False))


def test_layer_pages_of_all_topics_share_words_and_papers_do_not(web: SimulatedWeb) -> None:
    """Cosines of counts of words of more than four letters, which are made up, of pages on hosts of other topics."""

    def bag(url: str) -> Counter[str]:
        page = web.page(url)
        assert page is not None
        return Counter(re.findall(r"[a-z]{5,}", page.html.partition("<main>")[2]))

    def cosine(one: Counter[str], two: Counter[str]) -> float:
        dot = sum(one[word] * two[word] for word in one)
        return float(dot / np.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in two.values())))

    by_layer: dict[str, dict[tuple[str, ...], str]] = {"person": {}, "people": {}, "": {}}
    for url in web.urls():
        truth = web.truth(url)
        if truth.layer in by_layer:
            by_layer[truth.layer].setdefault(truth.topic[:1], url)
    first = {layer: [bag(url) for url in list(urls.values())[:2]] for layer, urls in by_layer.items()}
    alike = {layer: cosine(*pair) for layer, pair in first.items()}
    assert alike["person"] > 2 * alike[""]
    assert alike["person"] > 1.5 * cosine(first["person"][0], first["people"][1])


def test_half_the_hosts_layered() -> None:
    web = parse_spec("sim:pages=5000,seed=2,layers=0.5,tunnels=0")
    homes = [web.truth(f"http://h{host}.sim.test/") for host in range(web.hosts)]
    assert 0.3 < sum(truth.layer == "home" for truth in homes) / len(homes) < 0.7
    layered = {truth.host for truth in homes if truth.layer}
    for url in web.sample(60):
        here = web.truth(url).host
        targets = [web.truth(link) for link in web.links(url)]
        away = [truth for truth in targets if truth.host in layered - {here} and truth.number >= 0]
        assert all(truth.layer == "home" for truth in away)


def test_layers_and_tunnels_exclude_each_other() -> None:
    with pytest.raises(InputError, match="set tunnels=0"):
        SimParameters(layers=0.5)
    layout = Layout(2_000, 1, SimParameters())
    assert (Sites(layout, 1).layers(np.arange(20), np.zeros(20, np.int64)) == ORDINARY).all()


# traps


def _entrances(web: SimulatedWeb) -> tuple[str, list[str]]:
    """A page with ways into traps, and these."""
    for url in web.sample(100):
        ways = [link for link in web.links(url) if web.truth(link).kind in (PageKind.TRAP, PageKind.DUPLICATE)]
        if ways and web.truth(url).kind is PageKind.CONTENT:
            return url, ways
    raise AssertionError("no page leads into a trap")


def test_calendars_have_no_end_and_are_about_nothing(trapped: SimulatedWeb) -> None:
    url, (month, _, _) = _entrances(trapped)
    seen = {month}
    for _ in range(30):
        page = trapped.page(month)
        assert page is not None and page.status == 200
        truth = trapped.truth(month)
        assert truth.kind is PageKind.TRAP and truth.number == -1
        assert not any(truth.relevant_to(topic) for topic in trapped.topics())
        match = re.search(r'href="(/calendar/month-\d+\.html)">next year', page.html)
        assert match
        month = f"http://{truth.host}{match[1]}"
        assert month not in seen
        seen.add(month)
    far = trapped.page(f"http://{trapped.truth(url).host}/calendar/month-999999999999.html")
    assert far is not None and far.status == 200 and "next month" not in far.html


def test_duplicates_say_the_same_under_other_urls(trapped: SimulatedWeb) -> None:
    url, (_, printed, ticket) = _entrances(trapped)
    page, copy, same = trapped.page(url), trapped.page(printed), trapped.page(ticket)
    assert page and copy and same

    def said(html: str) -> list[str]:
        return re.sub("<[^>]+>", " ", html.partition("<main>")[2]).split()

    assert said(same.html) == said(page.html)
    assert len(said(page.html)) - 40 <= len(said(copy.html)) < len(said(page.html))
    topic = "/".join(trapped.truth(url).topic)
    for each in (printed, ticket):
        assert trapped.truth(each).kind is PageKind.DUPLICATE
        assert trapped.truth(each).copy_of == url
        assert not trapped.truth(each).relevant_to(topic)
    assert trapped.truth(url).relevant_to(topic)
    assert set(trapped.links(printed)) < set(trapped.links(url))


def test_tickets_go_on_for_ever(trapped: SimulatedWeb) -> None:
    _, (_, _, url) = _entrances(trapped)
    tickets = set()
    for _ in range(10):
        page = trapped.page(url)
        assert page is not None and page.status == 200
        match = re.search(r'href="(/[^"?]*\.html\?ticket=(\d+))"', page.html)
        assert match
        tickets.add(match[2])
        url = f"http://{trapped.truth(url).host}{match[1]}"
    assert len(tickets) == 10


def test_hosts_without_traps_know_no_traps(trapped: SimulatedWeb) -> None:
    free = next(
        host
        for host in range(trapped.hosts)
        if not any("ticket" in x for x in trapped.links(f"http://h{host}.sim.test/"))
    )
    root = f"http://h{free}.sim.test"
    for path in ("/calendar/month-5.html", "/print/page-3.html"):
        page = trapped.page(root + path)
        assert page is not None and page.status == 404
    assert trapped.truth(f"{root}/?ticket=5").kind is PageKind.MISSING
    assert (
        0.3
        < sum("ticket" in " ".join(trapped.links(f"http://h{h}.sim.test/")) for h in range(trapped.hosts))
        / (trapped.hosts)
        < 0.7
    )


def test_links_are_those_of_the_page(trapped: SimulatedWeb, web: SimulatedWeb) -> None:
    for each in (trapped, web):
        for url in each.sample(40):
            page = each.page(url)
            assert page is not None
            root = "http://" + each.truth(url).host
            found = {href if "://" in href else root + href for href in re.findall(r'href="([^"]+)"', page.html)}
            assert found == set(each.links(url))
