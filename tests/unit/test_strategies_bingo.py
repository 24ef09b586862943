"""BINGO!: paths, scores, archetypes and phases, with values worked out by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import msgspec
import numpy as np
import pytest

from clew.crawl.evidence import NO_LEAVES, Evidence
from clew.errors import ConfigError
from clew.judges.base import JudgeContext
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.model import OTHER, Example, Judgement, Link, LinkBatch, LinkKind, Outcome, Response, Session, Source, Visit
from clew.strategies.base import Pages, Retraining
from clew.strategies.bingo import Bingo
from clew.strategies.bingo.archetypes import (
    BY_USER,
    NO_LONGER,
    NOT_OF_TOPIC,
    NOT_SURER,
    NOT_VISITED,
    TOO_MANY,
    TRAINED_ON,
    Candidates,
    Ranked,
    bar,
    choose,
    dealt,
    graph_of,
    most_hubs,
    ranked,
)
from clew.strategies.bingo.paths import ANY, MOVED, ROOT, Paths
from clew.strategies.bingo.retraining import Rounds, Topics, confidences
from clew.strategies.bingo.settings import BingoSettings
from clew.strategies.registry import make
from clew.text.reader import seed_links
from clew.topics.formula import Any, Or, Topic
from clew.topics.interest import Interest
from clew.urls.canonical import host, keys, url_words
from support import NoHistory, StubView, html_page, text_page

EXAMPLES = [
    Example("http://e.test/1", 0, text_page("sailing boats and harbours on the island, sails, wind and sea")),
    Example("http://e.test/2", 0, text_page("a sailing club with boats, regattas and a harbour by the sea")),
    Example("http://e.test/3", OTHER, text_page("prime numbers and theorems of algebra")),
    Example("http://e.test/4", OTHER, text_page("recipes for soup with onions and bread")),
]
TWO = Interest(("boats", "soup"), Or((Topic(0), Topic(1))))


def batch(
    number: int, url: str, links: Sequence[str], scores: Sequence[float], topic: int, depth: int = 0, tunnel: int = 0
) -> LinkBatch:
    """The links of visit ``number``."""
    html = "".join(f"<a href='{link}'>x</a> " for link in links)
    source = Source(number, url, host(url), max(scores), np.array(scores, np.float32), topic, depth, tunnel)
    return Evidence(NoHistory()).of_page(html_page(html, url), source)


def seeds(*urls: str) -> LinkBatch:
    links = seed_links(urls, keys(urls), [host(url) for url in urls], url_words, LinkKind.SEED)
    source = Source(0, "", "", 1.0, np.ones(2, np.float32), 0, 0, 0)
    return Evidence(NoHistory()).batch(source, links, NO_LEAVES)


def visit(number: int, link: Link, own: LinkBatch | None, outcome: Outcome = Outcome.OK) -> Visit:
    """A visit whose links are ``own``; judged as their source says."""
    judgement, relevance = None, 0.0
    if own is not None and outcome is Outcome.OK:
        source = own.source
        relevance = float(source.scores.max())
        judgement = Judgement(source.scores, source.topic, relevance)
    response = Response(link.url, outcome, 200)
    return Visit(number, link, response, None, judgement, relevance, relevance >= 0.5, 0, "", own)


def begun(view: StubView | None = None, **settings: object) -> Bingo:
    strategy = Bingo(BingoSettings(**settings))  # type: ignore[arg-type]
    strategy.begin(view or StubView(EXAMPLES))
    return strategy


# -- paths ------------------------------------------------------------------------------------------------


def walked(sharp: bool) -> Paths:
    """Visits: 1 seed of class 0; 2 seed of no class; 3 (from 1) class 1; 4 (from 3) class 0; 5 (from 1) a redirect, 6
    (from it) no class; 7 (from 6) no class; 8 (from 7) class 0; 9 (from 2) class 1."""
    paths = Paths(sharp)
    parents = (0, 0, 1, 3, 1, 5, 6, 7, 2)
    for place, class_ in enumerate((0, OTHER, 1, 0, MOVED, OTHER, OTHER, 0, 1)):
        paths.note(place + 1, parents[place], class_)
    return paths


def test_a_soft_focus_accepts_every_topic_of_interest() -> None:
    paths = walked(sharp=False)
    assert [paths.steps(n) for n in range(1, 10)] == [0, 0, 0, 0, 0, 1, 2, 0, 0]
    assert [paths.held(n) for n in range(10)] == [ROOT, 0, ANY, 1, 0, 0, 0, 0, 0, 1]


def test_a_sharp_focus_accepts_the_class_of_the_parent() -> None:
    """Visit 3 is of class 1 below one of class 0: rejected; 4 is of class 0 again. Seed 2 has none: 9 may be any."""
    paths = walked(sharp=True)
    assert [paths.steps(n) for n in range(1, 10)] == [0, 0, 1, 0, 0, 1, 2, 0, 0]
    assert paths.held(3) == 0
    paths.again(sharp=False)
    assert paths.steps(3) == 0


def test_paths_are_walked_again_with_the_classes_of_a_new_judge() -> None:
    """Visit 6 is of class 0 now: 7 is the first rejected after it. 1 has no class now: a seed, accepted anyway."""
    paths = walked(sharp=False)
    classes = paths.classes.copy()
    classes[[1, 6]] = [OTHER, 0]
    paths.again(classes)
    assert [paths.steps(n) for n in (1, 6, 7, 8)] == [0, 0, 1, 0]
    again = Paths.unpacked(*paths.pack(), sharp=False)
    assert [again.steps(n) for n in range(10)] == [paths.steps(n) for n in range(10)]
    assert (paths.page(5), paths.page(6)) == (1, 6)
    assert paths.counts((0, 1), after=4) == {0: 2, 1: 1}


def test_a_page_whose_parent_is_not_known_is_a_seed() -> None:
    paths = Paths(sharp=False)
    paths.note(1, 0, 0)
    paths.note(2, 7, OTHER)
    assert (paths.steps(2), paths.held(2), paths.parents.tolist()) == (0, ANY, [0, 0, 0])
    assert [paths.known(number) for number in (-1, 0, 2, 3)] == [False, True, True, False]
    assert paths.most_steps == 0
    paths.note(3, 2, OTHER)
    assert (paths.most_steps, paths.page(3)) == (1, 3)


def test_paths_grow() -> None:
    paths = Paths(sharp=False)
    for number in range(1, 3000):
        paths.note(number, number - 1, OTHER)
    assert (paths.steps(256), paths.steps(2999), paths.count) == (255, 255, 3000)
    again = Paths.unpacked(*paths.pack(), sharp=False)
    assert again.pack() == paths.pack() and again.steps(100) == paths.steps(100) == 99
    again.note(3000, 1, 0)
    assert (again.steps(3000), again.count) == (0, 3001)
    assert again.counts(()) == {}


# -- scores -----------------------------------------------------------------------------------------------


def test_scores_are_confidence_halved_for_each_rejected_page_in_a_row() -> None:
    """Seed .9 accepted; /d .4, first rejected: .4/2 = .2; /e .3, second: .3/4 = .075; /f .2, third: not followed."""
    strategy = begun(learning_pages=0)
    seed = seeds("http://a.test/")
    rows = [batch(1, "http://a.test/", ["/d"], [0.9], 0)]
    rows += [batch(n, f"http://a.test/{n}", ["/next"], [s], OTHER) for n, s in ((2, 0.4), (3, 0.3), (4, 0.2))]
    assert (strategy.tier(seed), strategy.score(seed).tolist()) == (1, [1.0])
    before = seed
    for number, own in enumerate(rows, 1):
        strategy.learn(visit(number, Link(before, 0, 0.5), own))
        before = own
    scores = [float(strategy.score(row)[0]) for row in rows]
    assert scores[:3] == pytest.approx([0.9, 0.2, 0.075])
    assert np.isnan(scores[3])
    assert "2 pages in a row were rejected (2 may be): times 0.25" in strategy.explain(rows[2], 0)
    assert strategy.explain(rows[3], 0)[-1] == "not followed: too many were rejected"
    assert asyncio.run(strategy.consult())  # nothing is left: one more rejected page is allowed
    assert strategy.score(rows[3]).tolist() == pytest.approx([0.2 / 8])
    assert not asyncio.run(strategy.consult())  # no page has more than three


def test_a_page_that_was_not_learned_is_taken_by_itself() -> None:
    """Of a class it is accepted; else as many were rejected as the crawl counted. No seed was learned either."""
    strategy = begun(learning_pages=0)
    for topic, tunnel, score in ((0, 2, 0.8), (OTHER, 0, 0.8), (OTHER, 1, 0.4), (OTHER, 3, np.nan)):
        found = strategy.score(batch(9, "http://a.test/", ["/x"], [0.8], topic, tunnel=tunnel))
        np.testing.assert_allclose(found, [score], rtol=1e-6)


def test_confidence_is_that_in_the_topic_of_the_page_or_else_the_highest() -> None:
    """Whatever the judge made the page's topic: .3 for boats, .6 for soup, .6 where it is about neither."""
    strategy = begun(StubView(EXAMPLES, TWO), learning_pages=0)
    for topic, score in ((0, 0.3), (1, 0.6), (OTHER, 0.6)):
        found = strategy.score(batch(9, "http://a.test/", ["/x"], [0.3, 0.6], topic))
        np.testing.assert_allclose(found, [score], rtol=1e-6)


def test_links_of_hubs_are_followed_and_come_sooner() -> None:
    strategy = begun(learning_pages=0, tunnelling=0, hub_boost=1.0)
    own = batch(1, "http://a.test/", ["/d"], [0.4], OTHER)
    below = batch(2, "http://a.test/d", ["/e"], [0.3], OTHER)
    strategy.learn(visit(1, Link(seeds("http://a.test/"), 0, 1.0), own))
    strategy.learn(visit(2, Link(own, 0, 1.0), below))
    assert np.isnan(strategy.score(below)).all()
    strategy._hubs = frozenset({2})
    assert strategy.score(below).tolist() == pytest.approx([0.3 / 2 + 1.0])
    assert "that page is one of the best hubs: plus 1" in strategy.explain(below, 0)


def test_learning_stays_near_the_seeds_and_goes_deep() -> None:
    """Depth-first: the distance is added. c.test is no seed's host; depth 3 is too deep for learning_depth 2."""
    strategy = begun(learning_order="depth-first", learning_depth=2)
    seed = seeds("http://a.test/", "http://b.test/")
    for number, place in ((1, 0), (2, 1)):
        url = seed.links.urls[place]
        strategy.learn(visit(number, Link(seed, place, 1.0), batch(number, url, ["/x"], [0.9], 0)))
    links = batch(1, "http://a.test/", ["/x", "http://b.test/y", "http://c.test/z"], [0.9], 0)
    np.testing.assert_allclose(strategy.score(links), [1.9, 1.9, np.nan])
    assert strategy.explain(links, 2)[-1] == "it waits for the harvest"
    deep = batch(3, "http://a.test/x", ["/w"], [0.8], 0, depth=2)
    strategy.learn(visit(3, Link(links, 0, 1.0), deep))
    assert np.isnan(strategy.score(deep)).all()
    assert asyncio.run(strategy.consult())  # nothing is left: the harvest
    np.testing.assert_allclose(strategy.score(links), [0.9] * 3)
    np.testing.assert_allclose(strategy.score(deep), [0.8])


@pytest.mark.parametrize(
    ("settings", "waiting"),
    [
        ({}, [False, True, True]),
        ({"learning_hosts": False}, [False, False, True]),
        ({"learning_depth": 0}, [False, True, False]),
        ({"learning_depth": 3}, [False, True, False]),
    ],
)
def test_how_far_from_the_seeds_is_too_far_while_learning(settings: dict[str, object], waiting: list[bool]) -> None:
    """A link to a seed's host, one to another host, one at depth 3."""
    strategy = begun(**{"learning_depth": 2, **settings})
    seed, near = seeds("http://a.test/"), batch(1, "http://a.test/", ["/x", "http://c.test/z"], [0.9], 0)
    strategy.learn(visit(1, Link(seed, 0, 1.0), near))
    deep = batch(2, "http://a.test/x", ["/w"], [0.8], 0, depth=2)
    strategy.learn(visit(2, Link(near, 0, 1.0), deep))
    assert np.isnan([*strategy.score(near), *strategy.score(deep)]).tolist() == waiting


def test_pages_that_were_asked_for_do_not_widen_the_learning_phase() -> None:
    """A page that links to an authority is on no seed's host."""
    strategy, seed = begun(), seeds("http://a.test/")
    strategy.learn(visit(1, Link(seed, 0, 1.0), batch(1, "http://a.test/", ["/x"], [0.9], 0)))
    links = seed_links(["http://p.test/"], keys(["http://p.test/"]), ["p.test"], url_words, LinkKind.BACKLINK)
    asked = Evidence(NoHistory()).batch(seed.source, links, NO_LEAVES)
    own = batch(2, "http://p.test/", ["/y"], [0.9], 0)
    strategy.learn(visit(2, Link(asked, 0, 1.0), own))
    assert np.isnan(strategy.score(own)).all()


def test_widening_is_kept_and_a_setting_that_allows_more_wins() -> None:
    before = begun(learning_pages=0, tunnelling=2)
    before._tunnelling = 3
    for setting, expected in ((2, 3), (5, 5)):
        strategy = begun(learning_pages=0, tunnelling=setting)
        strategy.restore(before.state())
        assert strategy._tunnelling == expected


def test_decisions_when_no_link_is_left() -> None:
    """The learning phase ends, and a round is due; then more rejected pages are allowed."""
    view = StubView(EXAMPLES)
    strategy = begun(view, tunnelling=0, learning_pages=99)
    seed, own = seeds("http://a.test/"), batch(1, "http://a.test/", ["/x"], [0.9], 0)
    below = batch(2, "http://a.test/x", ["/y"], [0.2], OTHER)
    strategy.learn(visit(1, Link(seed, 0, 1.0), own))
    strategy.learn(visit(2, Link(own, 0, 1.0), below))
    assert [asyncio.run(strategy.consult()) for _ in range(3)] == [True, True, False]
    assert [(one.kind, dict(one.facts)) for one in view.decisions] == [
        ("bingo harvests", {"after visit": 2, "retrainings": 0}),
        ("bingo tunnels deeper", {"rejected pages in a row": 1}),
    ]
    assert strategy._is_time(Session(1, 1, 2, 2, 1, 2, 1), ending=False)
    assert not begun(view)._is_time(Session(1, 1, 2, 2, 1, 2, 1), ending=False)


def test_links_of_a_topic_with_too_few_pages_come_sooner() -> None:
    """Two topics, N_min = 2: soup has one page in the end, boats two. Soup's links, and those reached from it, gain."""
    view = StubView([*EXAMPLES[:2], Example("http://e.test/4", 1, EXAMPLES[3].page)], TWO)
    strategy = begun(view, learning_pages=0, min_positives=2, fill_boost=1.0)
    seed = seeds("http://a.test/1", "http://a.test/2", "http://a.test/3")
    rows = [batch(n, f"http://a.test/{n}", ["/x"], scores, topic) for n, scores, topic in (
        (1, [0.9, 0.1], 0), (2, [0.8, 0.1], 0), (3, [0.1, 0.7], 1))]  # fmt: skip
    for number, own in enumerate(rows, 1):
        strategy.learn(visit(number, Link(seed, number - 1, 1.0), own))
    beyond = batch(4, "http://a.test/x", ["/y"], [0.2, 0.4], OTHER)
    strategy.learn(visit(4, Link(rows[2], 0, 1.0), beyond))
    assert strategy.adapt(Session(1, 1, 4, 4, 3, 4, 3))
    scores = [float(strategy.score(row)[0]) for row in (*rows, beyond)]
    assert scores == pytest.approx([0.9, 0.8, 0.7 + 1, 0.4 / 2 + 1])
    fill = next(one for one in view.decisions if one.kind == "bingo fill")
    assert (fill.facts["pages of boats"], fill.facts["pages of soup"]) == (2, 1)


@pytest.mark.parametrize(
    ("focus", "expected"), [("soft", [0.9, 0.7, 0.2, 0.075, 0.8]), ("sharp", [0.9, 0.35, 0.1, np.nan, 0.8])]
)
def test_the_example_of_the_manual(focus: str, expected: list[float]) -> None:
    """docs/strategies/bingo.md, Example."""
    view = StubView([*EXAMPLES[:2], Example("http://e.test/4", 1, EXAMPLES[3].page)], TWO)
    strategy = begun(view, learning_pages=0, harvesting_focus=focus, fill_boost=0.0)
    scores = ([0.9, 0.1], [0.2, 0.7], [0.4, 0.1], [0.3, 0.2], [0.8, 0.1])
    before, found = seeds("http://a.test/0"), []
    for number, (row, topic) in enumerate(zip(scores, (0, 1, OTHER, OTHER, 0), strict=True), 1):
        own = batch(number, f"http://a.test/{number}", ["/next"], row, topic)
        strategy.learn(visit(number, Link(before, 0, 0.5), own))
        found.append(float(strategy.score(own)[0]))
        before = own
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# -- archetypes -------------------------------------------------------------------------------------------


FOUND = Candidates(
    np.arange(1, 9),
    np.array([0.9, 0.8, 0.7, 0.6, 0.95, 0.85, 0.5, 0.75]),
    np.array([False] * 4 + [True] + [False] * 3),
    np.zeros(8, np.bool_),
)
"""Pages 1 to 8 of a topic and how sure the judge is of each; 5 is an example."""


def test_archetypes_are_surer_than_the_mean_of_what_was_trained_on() -> None:
    """Trained on .6 and .8: mean .7. Page 6 was an archetype before, 17 is not of the topic any more. Authorities, best
    first: an example, 6, two that were not visited, 9 (not of the topic), 4 (.6), 2, 8, 1: the two best that may be one
    are 2 and 8. The two surest are 1 and 2. One of each is admitted."""
    settings = BingoSettings(authorities=2, confident=2)
    least = bar([0.6, 0.8], settings)
    choice = choose(FOUND, [5, 6, 0, 0, 9, 4, 2, 8, 1], [6, 17], least, settings)
    assert least == pytest.approx(0.7)
    assert (choice.kept, choice.by_links, choice.by_judge) == ((6,), (2,), (1,))
    assert choice.archetypes == (6, 2, 1)
    assert choice.refused == {
        NOT_VISITED: [0, 0], NOT_OF_TOPIC: [9], NOT_SURER: [4], TRAINED_ON: [5], NO_LONGER: [17], TOO_MANY: [8],
    }  # fmt: skip


def test_pages_that_the_user_refused_are_no_archetypes_and_take_no_place() -> None:
    """Refused are 1, the second surest, and 6, an archetype before: 2 is the surest and 8 the best authority left."""
    barred = np.isin(FOUND.numbers, [1, 6])
    found = Candidates(FOUND.numbers, FOUND.confidence, FOUND.examples, barred)
    choice = choose(found, [1, 8], [6], 0.7, BingoSettings(authorities=2, confident=2))
    assert (choice.kept, choice.by_links, choice.by_judge) == ((), (8,), (2,))
    assert sorted(choice.refused[BY_USER]) == [1, 6]


def test_pages_kept_and_examples_take_no_place_from_new_ones() -> None:
    """The surest are an example and two that were kept: the one that may be new is the next."""
    one = BingoSettings(authorities=0, confident=1)
    assert choose(FOUND, [], [1, 6], 0.7, one).archetypes == (1, 6, 2)
    assert choose(FOUND, [5, 1, 6, 8], [1, 6], 0.7, BingoSettings(authorities=1, confident=0)).by_links == (8,)
    assert choose(FOUND, [], [1, 2, 6, 8], 0.7, one).admitted == ()


def test_earlier_archetypes_are_kept_or_replaced() -> None:
    assert choose(FOUND, [], [3], 0.75, BingoSettings(archetypes="add")).archetypes == (3, 1, 6, 2)
    assert choose(FOUND, [], [3], 0.75, BingoSettings(archetypes="replace")).archetypes == (1, 6, 2)


@pytest.mark.parametrize(
    ("share", "links", "judge", "expected"),
    [
        (0.5, [1, 2, 3, 4], [5, 6, 7, 8], ((1, 2), (5, 6))),
        (0.25, [1, 2, 3, 4], [5, 6, 7, 8], ((1,), (5, 6, 7))),
        (0.0, [1, 2, 3, 4], [5, 6, 7, 8], ((), (5, 6, 7, 8))),
        (1.0, [1, 2, 3, 4], [5, 6, 7, 8], ((1, 2, 3, 4), ())),
        (0.5, [1, 2, 3, 4], [5], ((1, 2, 3), (5,))),  # too few of the surest: authorities fill up
        (0.5, [1], [5, 6, 7, 8], ((1,), (5, 6, 7))),
        (0.5, [1, 2, 3], [2, 3, 4], ((1, 2), (3, 4))),  # 2 is both
        (0.5, [1, 2], [1, 2], ((1, 2), ())),
        (0.5, [1, 2, 3, 4], [3], ((1, 2, 4), (3,))),  # 3 does not fill up: it is admitted already
    ],
)
def test_each_source_has_its_share_of_a_round(
    share: float, links: list[int], judge: list[int], expected: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    assert dealt(links, judge, BingoSettings(authorities=4, confident=5, authority_share=share)) == expected


def test_the_guard_can_be_looser() -> None:
    assert bar([0.6, 0.8], BingoSettings(drift_guard="least")) == 0.6
    assert bar([0.6, 0.8], BingoSettings(drift_guard="off")) == bar([], BingoSettings()) == -np.inf


def said(left_out: Sequence[int], training: Sequence[Example], topics: tuple[str, ...]) -> list[tuple[str, float]]:
    """What a judge that was trained without some pages says of them."""
    judge = NaiveBayesJudge(JudgeContext(topics))
    judge.fit([one for place, one in enumerate(training) if place not in left_out])
    pages = [training[place] for place in left_out]
    return [
        (one.url, float(judgement.scores[one.topic]))
        for one, judgement in zip(pages, judge.judge([one.page for one in pages]), strict=True)
    ]


def test_confidence_in_training_pages_is_that_of_judges_that_did_not_see_them() -> None:
    """Two examples of boats, two archetypes: four folds of one page each. Soup has a single page: nothing is known."""
    view = StubView([*EXAMPLES[:3], Example("http://e.test/4", 1, EXAMPLES[3].page)], TWO)
    crawled(begun(view), view)
    view.retrained = [{0: (1, 2)}]
    assert [one.url for one in view.training][4:] == ["http://a.test/", "http://b.test/"]
    expected = [said([place], view.training, TWO.topics)[0] for place in (0, 1, 4, 5)]
    assert confidences(view, (0, 1)) == {0: expected, 1: []}
    known = confidences(view, (0,), held_out=False)[0]
    judged = view.judge.judge([view.training[place].page for place in (0, 1, 4, 5)])
    assert [score for _, score in known] == [float(one.scores[0]) for one in judged]


def test_a_fifth_of_the_pages_of_each_topic_is_left_out_at_a_time() -> None:
    words = ["sail", "boat", "harbour", "mast", "wind", "anchor", "regatta", "keel"]
    boats = [Example(f"http://b.test/{n}", 0, text_page(f"{words[n]} {words[n - 1]} boats")) for n in range(7)]
    soup = [Example(f"http://s.test/{n}", 1, text_page(f"onion soup {words[n]}")) for n in range(2)]
    view = StubView([*boats, *soup, EXAMPLES[2]], TWO)
    found = confidences(view, (0, 1))
    first = said([0, 5, 7], view.training, TWO.topics)
    assert (found[0][:2], found[1][0]) == (first[:2], first[2])
    assert sorted(url for url, _ in found[0]) == [one.url for one in boats]


def test_who_was_trained_on_is_judged_without() -> None:
    """archetypes = "replace": those before are candidates again, as sure as a judge is that does not know them. The
    judge trained on b.test is surer of it than of a.test; one trained without it is not."""
    texts = {"http://b.test/": "boats" + " kayak paddle" * 5 + " prime numbers"}
    texts["http://a.test/"] = "sailing boats, harbour, sea, wind and prime numbers"
    stub = StubView(EXAMPLES)
    crawled(begun(stub), stub, texts)
    stub.retrained = [{0: (2,)}]
    judge = NaiveBayesJudge(JudgeContext(stub.topics))
    judge.fit(stub.training)
    view = StubView(EXAMPLES, judge=judge)
    strategy = begun(view, learning_pages=3, archetypes="replace", drift_guard="off", authorities=0, confident=1)
    crawled(strategy, view, texts)
    view.retrained = [{0: (2,)}]
    scores, held_out = view.pages().scores[:, 0], dict(confidences(view, (0,))[0])
    assert held_out["http://b.test/"] < scores[0] < scores[1]
    strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    assert view.retrained[1:] == [{0: (1,)}]


def test_when_it_is_time_to_train_again() -> None:
    """N_max = 200 new pages of some topic, N_min = 10 of every topic; whatever the others have from 400 on."""
    rounds = Rounds(BingoSettings(retrain_pages=500))
    assert rounds.due({0: 200, 1: 0}, {0: 300, 1: 10}, 250, ending=False)
    assert not rounds.due({0: 199, 1: 199}, {0: 300, 1: 300}, 400, ending=False)
    assert not rounds.due({0: 399, 1: 0}, {0: 399, 1: 9}, 400, ending=False)
    assert rounds.due({0: 400, 1: 0}, {0: 400, 1: 0}, 400, ending=False)
    assert rounds.due({0: 200}, {0: 200}, 300, ending=False)
    assert rounds.due({0: 10}, {0: 10}, 500, ending=False)
    assert not rounds.due({0: 9}, {0: 9}, 500, ending=False)
    assert rounds.due({0: 1}, {0: 1}, 60, ending=True)
    assert not rounds.due({0: 0}, {0: 5}, 60, ending=True)


def pages_of(numbers: Sequence[int], hosts: Sequence[int]) -> Pages:
    count = len(numbers)
    return Pages(
        np.array(numbers, np.int64), np.array(numbers, np.uint64) * np.uint64(100), np.array(hosts, np.uint32),
        np.zeros(count, np.int32), np.ones(count, np.float32), np.ones(count, np.float32),
        np.ones((count, 1), np.float32), np.ones(count, np.bool_),
    )  # fmt: skip


def test_the_aim_is_so_many_archetypes_for_each_example() -> None:
    view = StubView(EXAMPLES)  # two of them about the topic
    topics = Topics.of(view)
    crawled(begun(view), view)
    for factor, needed in ((1.0, 2), (1.5, 3), (0.1, 1)):
        rounds = Rounds(BingoSettings(learning_archetypes=factor))
        for count in (1, 2, 3):
            view.retrained = [{0: tuple(range(1, count + 1))}]
            assert rounds.enough(view, topics) == (count >= needed), (factor, count)
    assert not Rounds(BingoSettings(learning_archetypes=0)).enough(view, topics)


def test_hubs_are_a_share_of_the_pages_read() -> None:
    """Of 200 pages a tenth: 20 for three topics together, 7 for each; N_hub where that is less."""
    assert [most_hubs(200, 3, BingoSettings()), most_hubs(200, 1, BingoSettings(hubs=15))] == [7, 15]
    assert most_hubs(3, 1, BingoSettings()) == 1


def test_so_many_retrainings_end_the_learning_phase() -> None:
    view = StubView(EXAMPLES)
    for adopted, enough in ((1, False), (2, True), (3, True)):
        rounds = Rounds(BingoSettings(learning_retrainings=2, learning_archetypes=0), adopted)
        assert rounds.enough(view, Topics.of(view)) is enough


def test_every_topic_must_have_its_archetypes() -> None:
    """One for each example: two of boats and one of soup."""
    view = StubView([*EXAMPLES[:2], Example("http://e.test/4", 1, EXAMPLES[3].page)], TWO)
    crawled(begun(view), view)
    rounds, topics = Rounds(BingoSettings()), Topics.of(view)
    for found, enough in (({0: (1, 2)}, False), ({0: (1,), 1: (3,)}, False), ({0: (1, 2), 1: (3,)}, True)):
        view.retrained = [found]
        assert rounds.enough(view, topics) is enough


@pytest.mark.parametrize("guard_by", ["held-out", "trained"])
def test_the_guard_goes_by_judges_that_know_the_pages_or_do_not(guard_by: str) -> None:
    """The bar is the mean of the two examples, as the judge says that was trained on both, or on the other one."""
    view = StubView(EXAMPLES)
    strategy = begun(view, learning_pages=3, guard_by=guard_by)
    crawled(strategy, view)
    without, knowing = (np.mean([sure for _, sure in confidences(view, (0,), each)[0]]) for each in (True, False))
    strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    facts = next(one.facts for one in view.decisions if one.kind == "bingo archetypes")
    assert abs(without - knowing) > 0.01
    assert facts["had to exceed"] == pytest.approx({"held-out": without, "trained": knowing}[guard_by], abs=1e-4)


@pytest.mark.parametrize("hosts", [[1, 2, 3, 4], [1, 1, 1, 1]])
def test_hubs_and_authorities_of_a_topic(hosts: list[int]) -> None:
    """Pages 1 and 2 link to 3 and to an unvisited page; 1 links to 4 too. On four hosts, or all on one: then links
    within it count. Hubs: 1, then 2. Authorities: 3 and the unvisited page have two hubs each, 4 one."""
    pages = pages_of([1, 2, 3, 4], hosts)
    row = {1: [300, 999, 400], 2: [300, 999]}
    owner = {300: hosts[2], 400: hosts[3], 999: 9 if hosts[0] != hosts[1] else 1}
    rows = [(n, np.array(to, np.uint64), np.array([owner[t] for t in to], np.uint32)) for n, to in row.items()]
    settings = BingoSettings(hubs=1)
    members = np.array([True, True, True, False])
    found = ranked(graph_of(pages, rows), pages, members, np.random.default_rng(1), settings)
    assert found.hubs == (1,)
    assert sorted(found.authorities[:2]) == [0, 3]
    assert found.authorities[2:] == (4,)
    capped = BingoSettings(hubs=100, hub_share=0.5)  # two of four pages for two topics
    again = ranked(graph_of(pages, rows), pages, members, np.random.default_rng(1), capped, topics=2)
    assert again.hubs == (1,)


def crawled(strategy: Bingo, view: StubView, others: Mapping[str, str] = MappingProxyType({})) -> None:
    """Two seeds about boats and one about soup, with ``others`` as their texts, judged as they are."""
    texts = {
        "http://a.test/": "sailing boats with sails on the sea and wind in the harbour",
        "http://b.test/": "regattas, boats, harbour, sea, sails and wind",
        "http://c.test/": "onion soup with bread",
        **others,
    }
    seed = seeds(*texts)
    for number, (url, text) in enumerate(texts.items(), 1):
        page = html_page(f"<html lang=en><p>{text} <a href='http://a.test/'>x</a> <a href='http://d.test/'>y</a>", url)
        (judgement,) = view.judge.judge([page])
        source = Source(number, url, host(url), float(judgement.scores[0]), judgement.scores, judgement.topic, 0, 0)
        view.seen.append(visit(number, Link(seed, number - 1, 1.0), Evidence(NoHistory()).of_page(page, source)))
        strategy.learn(view.seen[-1])


def test_the_learning_phase_ends_with_training_and_the_harvest() -> None:
    """Both pages about boats become archetypes; the decision log says so, and whose links come sooner."""
    view = StubView(EXAMPLES)
    strategy = begun(view, learning_pages=3, drift_guard="off", ask_backlinks=5)
    crawled(strategy, view)
    assert strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    assert view.retrained == [{0: (1, 2)}] or view.retrained == [{0: (2, 1)}]
    assert strategy.harvesting
    facts = {one.kind: one.facts for one in view.decisions}
    assert facts["bingo archetypes"]["admitted"] == 2
    assert facts["bingo archetypes"]["refused, not visited"] == 1  # http://d.test/, an authority
    assert facts["bingo trained"]["archetypes"] == 2
    assert facts["bingo harvests"] == {"after visit": 3, "retrainings": 1}
    again = begun(view, learning_pages=3, drift_guard="off", ask_backlinks=5)
    again.restore(strategy.state())
    assert again.state() == strategy.state()
    view.parents = {"http://a.test/": ["http://p.test/"]}
    assert again.wants_to_consult()
    asyncio.run(again.consult())
    assert view.enqueued == [("http://p.test/", "http://a.test/")]
    assert not again.wants_to_consult()


def test_authorities_become_archetypes() -> None:
    """All three pages link to a.test and to a page that was not visited: a.test is the authority."""
    view = StubView(EXAMPLES)
    strategy = begun(view, learning_pages=3, drift_guard="off", confident=0)
    crawled(strategy, view)
    strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    assert view.retrained == [{0: (1,)}]
    facts = next(one.facts for one in view.decisions if one.kind == "bingo archetypes")
    assert (facts["as authorities"], facts["as surest"]) == (1, 0)


@pytest.mark.parametrize(("hubs", "boosted"), [(2, 2), (0, 0)])
def test_the_hubs_that_were_found_come_sooner(hubs: int, boosted: int) -> None:
    """After a round the links of so many of the three pages have the boost, in this run and in one that goes on."""
    view = StubView(EXAMPLES)
    strategy = begun(view, learning_pages=3, drift_guard="off", hubs=hubs, hub_share=1.0, hub_boost=5.0)
    crawled(strategy, view)
    assert strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    again = begun(view, learning_pages=3, hubs=hubs, hub_share=1.0, hub_boost=5.0)
    again.restore(strategy.state())
    for one in (strategy, again):
        found = [one.score(visit.links)[0] for visit in view.seen if visit.links is not None]
        assert sum(score >= 5 for score in found) == boosted


def test_a_round_is_not_repeated_for_the_same_pages() -> None:
    """Two new pages call for a round; the next session brings none, one that goes on remembers that."""
    view = StubView(EXAMPLES)
    settings = {"learning_pages": 0, "retrain_new": 2, "drift_guard": "off", "archetypes": "replace"}
    strategy = begun(view, **settings)
    crawled(strategy, view)
    strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    again = begun(view, **settings)
    again.restore(strategy.state())
    for one in (strategy, again):
        one.adapt(Session(2, 4, 4, 1, 0, 4, 2))
        assert len(view.retrained) == 1


@pytest.mark.parametrize(
    ("settings", "asked"),
    [({}, True), ({"authorities": 0, "confident": 0}, False), ({"authorities": 0, "confident": 0, "hubs": 2}, True)],
)
def test_links_are_scored_anew_when_the_judge_or_the_hubs_changed(settings: dict[str, int], asked: bool) -> None:
    view = StubView(EXAMPLES)
    rules = {"learning_pages": 0, "retrain_new": 2, "drift_guard": "off", "hubs": 0, "hub_share": 1.0}
    strategy = begun(view, **{**rules, **settings})
    crawled(strategy, view)
    assert strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2)) is asked


class Refusing(StubView):
    """A view of a crawl whose labels speak against every new judge."""

    def retrain(self, archetypes: Mapping[int, Sequence[int]]) -> Retraining:
        super().retrain(archetypes)
        return Retraining("labels were judged worse")


def test_a_judge_that_is_refused_is_no_retraining() -> None:
    view = Refusing(EXAMPLES)
    strategy = begun(view, learning_pages=0, retrain_new=2, drift_guard="off", hubs=0)
    crawled(strategy, view)
    assert not strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    assert len(view.retrained) == 1 and strategy._rounds.adopted == 0
    facts = [dict(one.facts) for one in view.decisions if one.kind == "bingo trained"]
    assert facts == [{"refused": "labels were judged worse"}]


class Rejudging(StubView):
    """A view of a crawl whose new judge finds b.test to be about nothing."""

    def retrain(self, archetypes: Mapping[int, Sequence[int]]) -> Retraining:
        super().retrain(archetypes)
        judged = Judgement(np.array([0.1], np.float32), OTHER, 0.8)
        self.seen = [replace(one, judgement=judged) if one.number == 2 else one for one in self.seen]
        return Retraining(archetypes=2, pages=3, relevant=1, relevant_before=2)


def test_pages_are_of_the_class_that_the_new_judge_gives_them() -> None:
    view = Rejudging(EXAMPLES)
    strategy = begun(view, learning_pages=0, retrain_new=2, drift_guard="off")
    crawled(strategy, view)
    assert strategy._paths.classes.tolist() == [OTHER, 0, 0, OTHER]
    assert strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    assert strategy._paths.classes.tolist() == [OTHER, 0, OTHER, OTHER]
    facts = {one.kind: dict(one.facts) for one in view.decisions}
    assert facts["bingo trained"] == {"archetypes": 2, "pages judged again": 3, "relevant": 1, "relevant before": 2}
    assert facts["bingo fill"] == {"session": 1, "phase": "harvesting", "pages of relevant": 1}


def test_the_log_names_three_of_what_was_admitted_and_refused() -> None:
    """Six pages about boats: four surer than the bar, 0; the user gave two. One authority is not visited."""
    texts = {f"http://{name}.test/": "sailing boats, harbour, sea, wind and sails" for name in "abefgh"}
    view = StubView([*EXAMPLES, *(Example(url, 0, EXAMPLES[0].page) for url in list(texts)[:2])])
    strategy = begun(view, learning_pages=3, drift_guard="off", authorities=0, confident=9)
    crawled(strategy, view, texts)
    strategy.adapt(Session(1, 1, 7, 7, 6, 7, 6))
    facts = next(dict(one.facts) for one in view.decisions if one.kind == "bingo archetypes")
    admitted = str(facts.pop("admitted for example")).split()
    refused = str(facts.pop("refused, an example already for example")).split()
    assert len(admitted) == 3 and set(admitted) <= set(list(texts)[2:])
    assert sorted(refused) == list(texts)[:2]
    assert facts == {
        "topic": "relevant", "kept": 0, "admitted": 4, "as authorities": 0, "as surest": 4, "had to exceed": -np.inf,
        "refused, an example already": 2,
    }  # fmt: skip


def test_topics_that_are_not_of_interest_are_other() -> None:
    topics = Topics(own=np.array([False, True, False]))
    assert [topics.class_of(topic) for topic in (0, 1, 2, 3, OTHER)] == [OTHER, 1, OTHER, OTHER, OTHER]
    assert topics.classes(np.array([0, 1, 2, OTHER], np.int32)).tolist() == [OTHER, 1, OTHER, OTHER]


def test_without_examples_the_topics_of_the_interest_are_counted() -> None:
    """Those of the formula; where it names none but what is excluded, the first that is wanted."""
    for interest, taught in ((TWO, (0, 1)), (replace(TWO, formula=Any(), excluded=Topic(0)), (1,))):
        assert Topics.of(StubView(EXAMPLES[2:], interest)).taught == taught


def test_example_files_have_no_url_to_know_them_by() -> None:
    view = StubView([Example("good.html", 0, EXAMPLES[0].page), *EXAMPLES])
    assert Topics.of(view).examples.tolist() == Topics.of(StubView(EXAMPLES)).examples.tolist()
    assert len(Topics.of(view).examples) == len(EXAMPLES)


class Labelled(StubView):
    """A view of a crawl some pages of which the user labelled."""

    labels: tuple[Example, ...] = ()

    @property
    def training(self) -> Sequence[Example]:
        return [*super().training, *self.labels]


def replaced(view: StubView) -> set[int]:
    """The archetypes of a round in which b.test was one before."""
    strategy = begun(view, learning_pages=3, archetypes="replace", drift_guard="off", authorities=0, confident=2)
    crawled(strategy, view)
    view.retrained = [{0: (2,)}]
    strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    return set(view.retrained[-1][0])


def test_earlier_archetypes_may_be_chosen_anew_but_not_what_the_user_gave() -> None:
    """a.test and b.test are about boats. The user labels one, or takes one among the examples."""
    assert replaced(StubView(EXAMPLES)) == {1, 2}
    labelled = Labelled(EXAMPLES)
    labelled.labels = (Example("http://a.test/", 0, EXAMPLES[0].page),)
    assert replaced(labelled) == {2}
    assert replaced(StubView([*EXAMPLES, Example("http://b.test/", 0, EXAMPLES[1].page)])) == {1}


def test_what_cannot_be_trained_without_is_left_out_of_the_mean() -> None:
    """Of two examples one has no text: without the other there is no judge."""
    view = StubView([EXAMPLES[0], Example("http://e.test/none", 0, text_page("")), *EXAMPLES[2:]])
    assert confidences(view, (0,)) == {0: said([1], view.training, view.topics)}


def test_topics_share_the_hubs_of_a_crawl() -> None:
    """Half of three pages for two topics: one hub each."""
    view = StubView([*EXAMPLES[:3], Example("http://e.test/4", 1, EXAMPLES[3].page)], TWO)
    crawled(begun(view), view)
    found = Rounds(BingoSettings(hub_share=0.5)).rank(view, view.pages(), Topics.of(view), 1)
    assert len(found[0].hubs) == 1


def test_the_best_authorities_that_were_read_are_asked_about() -> None:
    view = StubView(EXAMPLES, parents={f"http://{name}.test/": [f"http://p.test/{name}"] for name in "abc"})
    strategy = begun(view, ask_backlinks=5, authorities=2)
    crawled(strategy, view)
    strategy._ask_about(view, {0: Ranked((), (0, 3, 0, 1, 2))})
    asyncio.run(strategy.consult())
    assert sorted(view.enqueued) == [("http://p.test/a", "http://a.test/"), ("http://p.test/c", "http://c.test/")]


def test_a_state_of_before_is_understood() -> None:
    """It ends with how sure earlier judges were of archetypes, which is no longer asked."""
    view = StubView(EXAMPLES)
    strategy = begun(view, learning_pages=3, drift_guard="off", hub_share=1.0)
    crawled(strategy, view)
    strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
    before = msgspec.msgpack.encode([*msgspec.msgpack.decode(strategy.state()), {1: 0.98, 2: 0.97}])
    again = begun(view, learning_pages=3)
    again.restore(before)
    assert again.state() == strategy.state()


def test_explanations_give_every_part_of_a_score() -> None:
    """A seed of no class is accepted; the page below it is rejected, a hub, and stands in for soup, which has none."""
    view = StubView([*EXAMPLES[:2], Example("http://e.test/4", 1, EXAMPLES[3].page)], TWO)
    strategy = begun(view, learning_order="depth-first", hub_boost=0.5, fill_boost=2.0, min_positives=1)
    seed = seeds("http://a.test/")
    assert strategy.explain(seed, 0) == [
        "bingo: a seed, or a page that links to an authority: fetched before all others"
    ]
    own = batch(1, "http://a.test/", ["/d"], [0.1, 0.75], 1)
    below = batch(2, "http://a.test/d", ["/e", "http://b.test/"], [0.4, 0.3], OTHER, depth=1)
    strategy.learn(visit(1, Link(seed, 0, 1.0), own))
    strategy.learn(visit(2, Link(own, 0, 1.0), below))
    strategy._hubs = frozenset({2})
    assert strategy.explain(own, 0) == [
        "bingo, learning: it stands on http://a.test/, confidence 0.750",
        "the page's topic has too few pages yet: plus 2",
        "depth-first: plus 1 links from the seeds",
    ]
    parts = [
        "bingo, learning: it stands on http://a.test/d, confidence 0.400",
        "1 pages in a row were rejected (2 may be): times 0.5",
        "that page is one of the best hubs: plus 0.5",
        "the page's topic has too few pages yet: plus 2",
        "depth-first: plus 2 links from the seeds",
    ]
    assert strategy.explain(below, 0) == parts
    assert strategy.explain(below, 1) == [*parts, "it waits for the harvest"]
    assert strategy.score(below)[0] == pytest.approx(0.4 / 2 + 0.5 + 2 + 2)
    asyncio.run(strategy.consult())
    assert strategy.explain(own, 0)[0] == "bingo, harvesting: it stands on http://a.test/, confidence 0.750"


def test_without_archetypes_the_judge_stays() -> None:
    view = StubView(EXAMPLES)
    strategy = begun(view, learning_pages=3, authorities=0, confident=0)
    crawled(strategy, view)
    assert strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))  # the harvest begins
    assert view.retrained == []
    assert strategy.harvesting


def test_before_it_begins_there_is_nothing_to_change() -> None:
    strategy = Bingo(BingoSettings(learning_pages=0, widen=True))
    strategy.learn(visit(1, Link(seeds("http://a.test/"), 0, 1.0), batch(1, "http://a.test/", ["/x"], [0.9], 0)))
    assert not strategy.adapt(Session(1, 1, 1, 1, 1, 1, 1))
    assert not asyncio.run(strategy.consult())


def test_wrong_names_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"\[strategy.bingo\] drift_guard: 'median' is none of: mean, least, off"):
        make("bingo", {"drift_guard": "median"})
