"""Tunnelling against values worked out by hand from papers/5 and its checklist."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from clew.crawl.evidence import NO_LEAVES, Evidence
from clew.errors import ConfigError
from clew.graph.paths import METRICS, distances
from clew.model import LISTS, Example, Judgement, Link, LinkBatch, LinkKind, Outcome, Response, Session, Source, Visit
from clew.strategies.registry import make
from clew.strategies.tunnelling import Tunnelling
from clew.text.reader import seed_links
from clew.topics.formula import Or, Topic
from clew.topics.interest import Interest
from clew.urls.canonical import host, keys, url_words
from support import NoHistory, StubView, batch_of, html_page

PAGE = html_page("<a href='/x'>x</a> <a href='/y'>y</a>", "http://a.test/")


def begun(view: StubView | None = None, **settings: object) -> Tunnelling:
    strategy = Tunnelling(Tunnelling.Settings(**settings))  # type: ignore[arg-type]
    strategy.begin(view or StubView())
    return strategy


def links_of(number: int, *scores: float) -> LinkBatch:
    """The links of the page of visit ``number``."""
    batch = batch_of(PAGE, relevance=max(scores), visit=number)
    return replace(batch, source=replace(batch.source, scores=np.array(scores, np.float32)))


def seeds() -> LinkBatch:
    urls = ("http://a.test/",)
    links = seed_links(urls, keys(urls), [host(urls[0])], url_words, LinkKind.SEED)
    source = Source(0, "", "", relevance=1.0, scores=np.ones(1, np.float32), topic=0, depth=0, tunnel=0)
    return Evidence(NoHistory()).batch(source, links, NO_LEAVES)


def visit(number: int, batch: LinkBatch, *scores: float, outcome: Outcome = Outcome.OK) -> Visit:
    """A page of these scores, or, without scores, one that could not be read."""
    judgement = Judgement(np.array(scores, np.float32), 0, 0.5) if scores else None
    response = Response(batch.links.urls[0], outcome, 200)
    links = links_of(number, *scores) if scores else None
    return Visit(number, Link(batch, 0, 0.5), response, None, judgement, max(scores, default=0), False, 0, "", links)


def walked(strategy: Tunnelling, *path: float) -> list[float]:
    """Distances down a path from a seed that is a nugget; each page links to the next."""
    strategy.learn(visit(1, seeds(), 0.9))
    batch = links_of(1, 0.9)
    found = []
    for number, correlation in enumerate(path, 2):
        strategy.learn(visit(number, batch, correlation))
        found.append(strategy.distance(number))
        batch = links_of(number, correlation)
    return found


def follows(strategy: Tunnelling, number: int, correlation: float) -> bool:
    return not np.isnan(strategy.score(links_of(number, correlation))).any()


# The number of consecutive duds of correlation c until d >= 20 with C = 20, from TUN-23 and TUN-24.
@pytest.mark.parametrize(
    ("metric", "duds"),
    [
        ("cumulative_max", (10, 10, 11, 12, 13, 15, 15)),
        ("cumulative_plain", (10, 11, 12, 13, 15, 17, 18)),
        ("fixed", (20, 20, 20, 20, 20, 20, 20)),
    ],
)
def test_a_path_ends_after_as_many_duds_as_the_checklist_says(metric: str, duds: tuple[int, ...]) -> None:
    for correlation, expected in zip((0.0, 0.05, 0.153, 0.25, 0.35, 0.45, 0.49), duds, strict=True):
        strategy = begun(metric=metric)
        walked(strategy, *[correlation] * 25)
        followed = [follows(strategy, number, correlation) for number in range(2, 27)]
        assert followed == [place + 1 < expected for place in range(25)], correlation


def test_the_printed_equation_ends_no_path_and_the_scaled_one_ends_it_at_once() -> None:
    # TUN-20: min(1, ...) never reaches 20. scaled, c = .3: 20·min(1, .7) = 14; then .7·e^1.4 = 2.84, so 20·1 = 20
    printed = begun(metric="as_printed")
    assert max(walked(printed, *[0.0] * 30)) == 1.0
    assert follows(printed, 31, 0.0)
    scaled = begun(metric="scaled")
    assert walked(scaled, 0.3, 0.3) == pytest.approx([14.0, 20.0])
    assert [follows(scaled, number, 0.3) for number in (2, 3)] == [True, False]


def test_distance_follows_the_formula_and_a_nugget_resets_it() -> None:
    # d1 = 0 + max(1, .8·e^0) = 1; d2 = 1 + max(1, .9·e^.1) = 1 + max(1, .9947) = 2; d3 = 2 + .9·e^.2 = 3.0993
    # (max(1, 1.0993)); then a nugget 0; then 0 + max(1, .6) = 1
    found = walked(begun(), 0.2, 0.1, 0.1, 0.5, 0.4)
    assert found == pytest.approx([1.0, 2.0, 2 + 0.9 * math.exp(0.2), 0.0, 1.0], rel=1e-6)


def test_the_papers_two_paths_differ_in_distance() -> None:
    # Section 5.3: .45 .25 .30 .35 is in a better neighbourhood than .10 .05 .09 .35. With cutoff 4 (2/C = .5):
    # good: 1; 1 + .75·e^.5 = 2.2365; + .7·e^1.11827 = 4.3782
    # bad: 1; 1 + .95·e^.5 = 2.5663; + .91·e^1.28314 = 5.8495
    good, bad = begun(cutoff=4.0), begun(cutoff=4.0)
    assert walked(good, 0.45, 0.25, 0.30) == pytest.approx([1.0, 2.2365, 4.3782], abs=2e-4)
    assert walked(bad, 0.10, 0.05, 0.09) == pytest.approx([1.0, 2.5663, 5.8495], abs=2e-4)


def test_distance_counts_from_the_page_that_led_there_and_is_not_changed_later() -> None:
    # TUN-25: visit 4 is reached from dud 3 (distance 2), although nugget 1 links to it as well
    strategy = begun(metric="fixed")
    walked(strategy, 0.1, 0.1)
    strategy.learn(visit(4, links_of(3, 0.1), 0.1))
    before = strategy.distance(4)
    strategy.learn(visit(5, links_of(1, 0.9), 0.9))
    assert (before, strategy.distance(4)) == (3.0, 3.0)


@pytest.mark.parametrize("metric", METRICS)
def test_with_cutoff_0_only_nuggets_are_expanded(metric: str) -> None:
    strategy = begun(cutoff=0.0, threshold=0.35, metric=metric)  # TUN-26; the paper's plain focused crawl, TUN-10
    walked(strategy, 0.4, 0.3, 0.49)
    assert [follows(strategy, n, c) for n, c in ((1, 0.9), (2, 0.4), (3, 0.3), (4, 0.49))] == [True, True, False, True]


def test_seeds_are_pseudo_nuggets_also_behind_a_redirect() -> None:
    # TUN-14: the seed has correlation .1, yet is expanded with cutoff 0; so is the page its redirect leads to
    strategy = begun(cutoff=0.0)
    strategy.learn(visit(1, seeds(), 0.1))
    assert strategy.distance(1) == 0.0
    assert follows(strategy, 1, 0.1)
    moved = visit(2, seeds(), outcome=Outcome.REDIRECT)
    strategy.learn(moved)
    row = Evidence(NoHistory()).of_redirect(moved.link, "http://b.test/", 2)
    assert strategy.score(row).tolist() == strategy.score(seeds()).tolist() == [1.0]
    strategy.learn(visit(3, row, 0.1))
    assert strategy.distance(3) == 0.0


def test_a_redirect_hands_on_the_distance_of_the_page_that_links_to_it() -> None:
    # nugget 1, duds 2 and 3 (distances 1, 2); 4 is a redirect found on 3; its target 5 has distance 2 + 1, not 2 + 2
    strategy = begun(metric="fixed")
    walked(strategy, 0.1, 0.1)
    moved = visit(4, links_of(3, 0.1), outcome=Outcome.REDIRECT)
    strategy.learn(moved)
    strategy.learn(visit(5, Evidence(NoHistory()).of_redirect(moved.link, "http://b.test/", 4), 0.1))
    assert (strategy.distance(4), strategy.distance(5)) == (2.0, 3.0)


@pytest.mark.parametrize("metric", METRICS)
def test_distances_are_those_that_the_log_gives_later(metric: str) -> None:
    # TUN-18: (correlation, parent) of every page is enough; here a random tree of 400 pages below 3 seeds
    rng = np.random.default_rng(5)
    correlation = rng.random(400).astype(np.float32) * 0.7
    parents = np.array([-1] * 3 + [int(rng.integers(max(0, place - 5), place)) for place in range(3, 400)])
    strategy = begun(metric=metric, cutoff=6.0)
    for place, (own, parent) in enumerate(zip(correlation.tolist(), parents.tolist(), strict=True)):
        batch = seeds() if parent < 0 else links_of(parent + 1, float(correlation[parent]))
        strategy.learn(visit(place + 1, batch, own))
    found = [strategy.distance(place + 1) for place in range(400)]
    np.testing.assert_allclose(found, distances(parents, correlation, metric=metric, cutoff=6.0), rtol=1e-3, atol=1e-6)


def test_what_could_not_be_read_is_a_dud_of_correlation_0() -> None:
    strategy = begun(metric="cumulative_plain")
    strategy.learn(visit(1, seeds(), 0.9))
    strategy.learn(visit(2, links_of(1, 0.9), outcome=Outcome.FAILED))
    assert strategy.distance(2) == 1.0  # 0 + (1 − 0)·e^0


def test_correlation_is_that_with_the_nearest_of_the_wanted_topics() -> None:
    # three topics, the first is not wanted: .9 for it makes no nugget; max(.2, .3) does not, max(.6, .1) does
    interest = Interest(("sport", "maths", "physics"), Or((Topic(1), Topic(2))))
    strategy = begun(StubView(interest=interest), cutoff=0.0)
    strategy.learn(visit(1, seeds(), 0.9, 0.2, 0.3))
    for number, scores in ((2, (0.9, 0.2, 0.3)), (3, (0.1, 0.6, 0.1))):
        strategy.learn(visit(number, links_of(1, 0.9, 0.2, 0.3), *scores))
    assert [strategy.distance(number) for number in (2, 3)] == [1.0, 0.0]
    assert strategy.score(links_of(3, 0.1, 0.6, 0.1)).tolist() == pytest.approx([0.6, 0.6], rel=1e-6)


def test_orders() -> None:
    # a nugget's links, and those of a dud of correlation .1 at distance 1 (depth 1, so the links have depth 2)
    for order, expected in (("correlation", (0.9, 0.1)), ("breadth-first", (-2, -2)), ("distance", (1.0, 0.5))):
        strategy = begun(order=order, metric="fixed")
        walked(strategy, 0.1)
        found = [float(strategy.score(links_of(number, c))[0]) for number, c in ((1, 0.9), (2, 0.1))]
        assert found == pytest.approx(expected, rel=1e-6), order


def test_barren_hosts_go_later_but_never_before_their_betters() -> None:
    # 20 pages of a host and none relevant: .8·.5 = .4. Breadth-first: depth 2 gives −2, demoted 1·.5 − 2 − 1 = −2.5
    batch = links_of(1, 0.8)
    barren = replace(batch, host_visits=np.array([20, 20], np.float32), host_relevant=np.array([0, 1], np.float32))
    for order, expected in (("correlation", [0.4, 0.8]), ("breadth-first", [-2.5, -2.0])):
        assert begun(order=order, demote_hosts_after=20).score(barren).tolist() == pytest.approx(expected)
    assert begun().score(barren).tolist() == pytest.approx([0.8, 0.8])


def test_files_with_endings_of_its_own_are_not_followed() -> None:
    page = html_page("<a href=/a.pdf>a</a><a href='/b.PS?v=1'>b</a><a href=/c>c</a>")
    assert np.isnan(begun(documents=["pdf", ".PS"]).score(batch_of(page))).tolist() == [True, True, False]
    assert np.isnan(begun().score(batch_of(page))).tolist() == [False, False, False]


def test_sessions_count_nuggets_duds_and_ended_paths() -> None:
    # fixed, C = 2: seed .9 nugget; duds at 1, 2 (ended), .5 a nugget, dud at 1
    view = StubView([Example("http://e.test/", 0, PAGE)])
    strategy = begun(view, metric="fixed", cutoff=2.0)
    walked(strategy, 0.1, 0.1, 0.5, 0.2)
    assert not strategy.adapt(Session(1, 1, 5, 5, 2, 5, 2))
    assert view.decisions[0].kind == "tunnelling"
    assert dict(view.decisions[0].facts) == {
        "session": 1,
        "nuggets": 2,
        "duds": 3,
        "paths ended at the cutoff": 1,
        "nuggets of relevant": 2,
    }
    strategy.adapt(Session(2, 6, 5, 0, 0, 5, 2))
    assert view.decisions[1].facts["nuggets"] == 0


def test_state_restored_is_the_same_bit_for_bit_beyond_any_growth() -> None:
    path = [round(0.37 * n % 1, 3) for n in range(1500)]  # more visits than there is room for at first
    whole, stopped, resumed = begun(), begun(), begun()
    walked(whole, *path)
    walked(stopped, *path[:700])
    resumed.restore(stopped.state())
    batch = links_of(701, path[699])
    for number, correlation in enumerate(path[700:], 702):
        resumed.learn(visit(number, batch, correlation))
        batch = links_of(number, correlation)
    assert resumed.state() == whole.state()
    assert len(whole.state()) < 4 * 1502 + 40


def test_the_state_holds_the_root_and_a_distance_a_visit() -> None:
    strategy = begun(metric="fixed")
    for path, kept in (((), [-1.0]), ((0.1, 0.2), [-1.0, 0.0, 1.0, 2.0])):
        if path:
            walked(strategy, *path)
        assert np.frombuffer(msgspec.msgpack.decode(strategy.state())[0], "<f4").tolist() == kept


def test_explanations_give_the_numbers() -> None:
    strategy = begun(cutoff=1.5, metric="fixed")
    walked(strategy, 0.1, 0.1)
    assert strategy.explain(seeds(), 0) == ["tunnelling: a seed, which counts as a nugget"]
    words = " ".join(strategy.explain(links_of(2, 0.1), 0))
    assert "nearest collection is relevant, correlation 0.100" in words
    assert "a dud at distance 1.00 from the last nugget (fixed), below the cutoff 1.5: its links are followed" in words
    assert "not followed, the path ends" in strategy.explain(links_of(3, 0.1), 0)[1]
    assert "a nugget" in strategy.explain(links_of(1, 0.9), 0)[1]


@pytest.mark.parametrize(
    ("order", "said"),
    [("correlation", "0.100"), ("breadth-first", "2 links from the seeds"), ("distance", "0.500")],
)
def test_explanations_end_with_what_orders_links(order: str, said: str) -> None:
    strategy = begun(metric="fixed", order=order, cutoff=2.0)
    walked(strategy, 0.1, 0.1)
    assert strategy.explain(links_of(2, 0.1), 0) == [
        "tunnelling: it stands on http://a.test/, whose nearest collection is relevant, correlation 0.100",
        "a dud at distance 1.00 from the last nugget (fixed), below the cutoff 2: its links are followed",
        f"order {order}: {said}",
    ]
    assert strategy.explain(links_of(3, 0.1), 0)[1:] == [
        "a dud at distance 2.00 from the last nugget (fixed), not below the cutoff 2: its links are not followed, the "
        "path ends",
    ]


def test_explanations_name_barren_hosts_and_endings() -> None:
    batch = links_of(1, 0.8)
    barren = replace(batch, host_visits=np.array([20, 20], np.float32), host_relevant=np.array([0, 1], np.float32))
    said = "demoted by 0.25: 20 pages of its host were seen, none relevant"
    strategy = begun(demote_hosts_after=20, demotion=0.25)
    assert [said in strategy.explain(barren, index) for index in (0, 1)] == [True, False]
    assert said not in begun(demotion=0.25).explain(barren, 0)
    files = batch_of(html_page("<a href=/a.pdf>a</a> <a href=/c>c</a>"))
    said = "not followed for its file ending (strategy.tunnelling.documents)"
    assert [begun(documents=["pdf"]).explain(files, index)[-1] == said for index in (0, 1)] == [True, False]
    assert said not in begun().explain(files, 0)


@pytest.mark.parametrize("kind", LISTS)
def test_lists_of_links_are_no_step_and_no_page(kind: LinkKind) -> None:
    """A sitemap or feed found on a dud at distance 1: what it lists is at 1 + 1."""
    view = StubView()
    strategy = begun(view, metric="fixed")
    walked(strategy, 0.1)
    batch = links_of(2, 0.1)
    listed = replace(batch, links=replace(batch.links, kinds=(kind, kind)))
    strategy.learn(visit(3, listed, 0.9))
    strategy.learn(visit(4, links_of(3, 0.9), 0.1))
    assert [strategy.distance(number) for number in (2, 3, 4)] == [1.0, 1.0, 2.0]
    strategy.adapt(Session(1, 1, 4, 4, 1, 4, 1))
    assert (view.decisions[0].facts["nuggets"], view.decisions[0].facts["duds"]) == (1, 2)


def test_nuggets_of_another_interest_are_not_counted_on() -> None:
    """Distances are kept; counts of nuggets only where there are as many collections."""
    strategy = begun()
    walked(strategy, 0.1)
    for topics, nuggets in ((("a",), [1]), (("a", "b"), [0, 0])):
        view = StubView(interest=Interest(topics, Or(tuple(map(Topic, range(len(topics)))))))
        resumed = begun(view)
        resumed.restore(strategy.state())
        assert resumed.distance(2) == strategy.distance(2)
        resumed.adapt(Session(1, 1, 2, 2, 1, 2, 1))
        assert [view.decisions[0].facts[f"nuggets of {name}"] for name in topics] == nuggets


def test_unknown_choices_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"\[strategy.tunnelling\] metric: 'euclid' is none of: fixed, cum"):
        make("tunnelling", {"metric": "euclid"})
    with pytest.raises(ConfigError, match="order: 'worst' is none of: correlation, breadth-first, distance"):
        make("tunnelling", {"order": "worst"})
