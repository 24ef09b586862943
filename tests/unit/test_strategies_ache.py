"""ACHE: words of links, features, classes and weights worked out by hand; when it trains; what it says and keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.judges import calibration
from clew.model import Link, LinkBatch, LinkKind, Outcome, Response, Session, Visit
from clew.strategies.ache import Ache
from clew.strategies.ache.classifier import Classifier
from clew.strategies.ache.features import Features
from clew.strategies.ache.memory import Memory, spread
from clew.strategies.ache.neighbourhood import Neighbourhood, near, neighbourhood, url_words
from clew.strategies.ache.settings import AcheSettings
from clew.strategies.registry import make
from clew.text.terms import term_id
from support import StubView, batch_of, html_page, uints

TWICE = {"min_frequency": 1}
"""Words that occur twice are features."""


def page(body: str, relevance: float = 0.5, visit: int = 1, tunnel: int = 0, depth: int = 1) -> LinkBatch:
    """The links of a page at http://a.test/."""
    html = html_page(f"<html lang=en>{body}")
    return batch_of(html, relevance=relevance, visit=visit, tunnel=tunnel, depth=depth)


def fetched(batch: LinkBatch, number: int, relevant: bool, outcome: Outcome = Outcome.OK, index: int = 0) -> Visit:
    link = Link(batch, index, 0.5)
    return Visit(number, link, Response(link.url, outcome, 200), None, None, float(relevant), relevant, 0)


def words(anchor: str = "", around: str = "", url: str = "") -> Neighbourhood:
    anchors, arounds = (uints(*map(term_id, text.split())) for text in (anchor, around))
    return Neighbourhood(url, anchors, arounds)


def terms(ids: Sequence[int] | np.ndarray[Any, Any], text: str) -> bool:
    """Whether ids are those of the words of a text, which are their own stems, in their order."""
    return list(map(int, ids)) == [term_id(word) for word in text.split()]


def ache(view: StubView | None = None, **settings: Any) -> Ache:
    made = Ache(AcheSettings(**{"learn_every": 11, "around": 0, **settings}))
    made.begin(view or StubView())
    return made


def taught(strategy: Ache, good: int = 6, bad: int = 5) -> Ache:
    """Links named *paper* led to relevant pages, links named *cup* did not."""
    for number in range(good + bad):
        relevant = number < good
        batch = page(f"<p><a href=/{'h' if relevant else 'l'}{number}>{'paper' if relevant else 'cup'}</a>")
        strategy.learn(fetched(batch, number + 2, relevant))
    return strategy


def trained(**settings: Any) -> Ache:
    strategy = taught(ache(**settings))
    assert asyncio.run(strategy.consult())
    return strategy


def squashed(x: float) -> float:
    return 0.5 + 0.5 * x / (1 + abs(x))


class TestWordsOfLinks:
    @pytest.mark.parametrize(
        ("url", "expected"),
        [
            ("http://boats.test/Sail-boats/x_12.html?q=Harbour%20now", "sail boats x 12 html q harbour now"),
            ("http://boats.test/caf%C3%A9/", "café"),
            ("http://boats.test/", ""),
        ],
    )
    def test_path_and_query_of_a_url_without_its_host(self, url: str, expected: str) -> None:
        assert url_words(url) == expected.split()

    @pytest.mark.parametrize(("width", "around"), [(10, "red green pink"), (1, "green pink"), (0, "")])
    def test_terms_on_each_side_of_the_anchor(self, width: int, around: str) -> None:
        batch = page("<h1>red</h1><p>the green <a href=/sail/x>blue and sky</a> pink</p>")
        found = neighbourhood(batch, 0, width, first_only=True)
        assert terms(found.around, around)
        assert terms(found.anchor, "blue sky")  # without stop words
        assert found.url == "sail x"

    def test_words_of_other_anchors_are_around_and_pages_end(self) -> None:
        batch = page("<p><a href=/x>red</a> green <a href=/y>blue</a></p>")
        found = near(batch, 2, first_only=True)
        assert found.around_links.tolist() == [0, 0, 1, 1]
        assert terms(found.around, "green blue red green")
        assert found.anchor_links.tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("first_only", "anchor", "around"), [(True, "red", "green"), (False, "red blue", "green green")]
    )
    def test_the_first_anchor_of_a_page_or_all(self, first_only: bool, anchor: str, around: str) -> None:
        found = neighbourhood(page("<p><a href=/x>red</a> green <a href=/x>blue</a></p>"), 0, 1, first_only)
        assert terms(found.anchor, anchor)
        assert terms(found.around, around)

    def test_a_link_without_an_anchor_has_the_words_of_its_url(self) -> None:
        found = neighbourhood(page("<link rel=next href=/sail/next>"), 0, 10, first_only=True)
        assert (found.url, len(found.anchor), len(found.around)) == ("sail next", 0, 0)


class TestFeatures:
    def selected(self, links: list[Neighbourhood], **settings: Any) -> Features:
        return Features.selected(links, AcheSettings(**settings))

    def test_words_must_occur_more_often_than_the_least(self) -> None:
        links = [words(anchor="paper " * 11 + "cup " * 6 + "tea " * 5)]
        assert set(self.selected(links).anchor.tolist()) == {term_id("paper"), term_id("cup")}
        assert set(self.selected(links, min_frequency=6).anchor.tolist()) == {term_id("paper")}

    def test_more_than_once_where_none_occurs_more_than_ten_times(self) -> None:
        links = [words(anchor="paper " * 10 + "cup " * 2 + "tea")]
        assert set(self.selected(links).anchor.tolist()) == {term_id("paper"), term_id("cup")}
        assert len(self.selected(links, min_frequency=0).anchor) == 3

    def test_the_most_frequent_of_each_kind(self) -> None:
        colours = {"anchor": "red red red blue blue", "around": "pink pink pink gray gray"}
        links = [words(url="sail sail sail boat boat", **colours)]
        found = self.selected(links, anchor_features=1, around_features=1, url_features=1)
        assert terms(found.anchor, "red")
        assert terms(found.around, "pink")
        assert found.url == ("sail",)
        assert len(found) == 3

    def test_words_of_urls_have_three_letters_and_say_something(self) -> None:
        links = [words(url="ab abc php www 2007")] * 2
        assert self.selected(links).url == ("2007", "abc")

    def test_a_word_of_urls_stands_for_those_that_contain_it(self) -> None:
        # job is in job (2), jobs (3) and jobsearch (1), so it counts 6; jobs is no feature then. search (3) is in
        # search and in jobsearch: 4.
        url = "job job jobs jobs jobs jobsearch search search search"
        assert self.selected([words(url=url)]).url == ("job", "search")
        assert self.selected([words(url=url)], url_features=1).url == ("job",)
        assert self.selected([words(url=url)], url_match="word").url == ("jobs", "search", "job")

    @pytest.mark.parametrize(("match", "in_url"), [("substring", [0, 1]), ("word", [])])
    def test_a_url_has_a_feature_as_a_part_of_a_word_or_as_a_word(self, match: str, in_url: list[int]) -> None:
        found = self.selected([words(url="job job job search search")], url_match=match)
        assert found.of(words(url="jobsearches")).tolist() == in_url
        assert found.of(words(url="search x job")).tolist() == [0, 1]

    def test_a_feature_is_there_once_and_each_kind_is_its_own(self) -> None:
        found = self.selected([words(anchor="red red", around="red red", url="red red")])
        assert len(found) == 3
        assert found.of(words(anchor="red red red")).tolist() == [1]
        assert found.of(words(around="red", url="red red")).tolist() == [0, 2]

    def test_links_of_a_page_have_the_features_that_each_has_by_itself(self) -> None:
        found = self.selected([words(anchor="red blue red blue", around="red red green green", url="sail sail")])
        batch = page("<p>red <a href=/sailing>blue</a> green <a href=/y>red</a> <a href=/sailing>red</a></p>")
        for width, first in ((0, True), (2, True), (2, False)):
            rows, numbers = found.of_links(batch, width, first)
            for index in range(len(batch)):
                own = found.of(neighbourhood(batch, index, width, first)).tolist()
                assert numbers[rows == index].tolist() == own
                assert own
        assert found.of_links(page("<p>no links"), 2, True)[0].tolist() == []


class TestMemory:
    def memory(self, **settings: Any) -> Memory:
        return Memory(AcheSettings(**settings))

    def taken(self, memory: Memory, *visits: tuple[int, int, bool, Outcome]) -> Memory:
        """Visits: number, that of the page with the link, whether relevant, outcome. The anchor is word<number>."""
        for number, parent, relevant, outcome in visits:
            memory.take(fetched(page(f"<a href=/{number}>word{number}</a>", visit=parent), number, relevant, outcome))
        return memory

    def classes(self, memory: Memory) -> list[list[int]]:
        """The visits in each class."""
        numbers = {term_id(f"word{number}"): number for number in range(40)}
        return [[numbers[int(link.anchor[0])] for link in links] for links in memory.classes()]

    def test_as_many_links_to_other_pages_spread_over_the_crawl(self) -> None:
        visits = [(number, 1, number in (5, 9), Outcome.OK) for number in range(2, 12)]
        assert self.classes(self.taken(self.memory(), *visits)) == [[5, 9], [2, 7]]  # of 2 3 4 6 | 7 8 10 11
        assert spread([1, 2, 3, 4, 5], 3) == [1, 2, 4]
        assert spread([1, 2], 3) == [1, 2]

    def test_levels_follow_the_path_back(self) -> None:
        # 1 → 2 → 3 → 4 → 5 and 4 → 6; 5 and 6 are relevant, and the seed's own link is not known.
        paths = [(2, 1), (3, 2), (4, 3), (5, 4), (6, 4)]
        memory = self.taken(self.memory(learning="levels"), *((n, p, n > 4, Outcome.OK) for n, p in paths))
        assert self.classes(memory) == [[5, 6], [4, 4], [3, 3]]

    def test_relevant_pages_on_the_path_are_in_class_0_alone(self) -> None:
        paths = [(2, 1), (3, 2), (4, 3), (5, 4)]  # 4 and 5 are relevant: from 5, one link back is 4 and two back is 3
        memory = self.taken(self.memory(learning="levels"), *((n, p, n > 3, Outcome.OK) for n, p in paths))
        assert self.classes(memory) == [[4, 5], [3], [2, 3]]

    def test_a_redirect_is_no_step(self) -> None:
        memory = self.taken(self.memory(learning="levels"), (2, 1, False, Outcome.OK), (3, 2, False, Outcome.REDIRECT))
        self.taken(memory, (4, 3, True, Outcome.OK))
        assert self.classes(memory) == [[4], [2], []]
        assert memory.pages == 2

    def test_failures_lead_to_nothing_relevant_and_are_no_pages(self) -> None:
        memory = self.taken(self.memory(), (2, 1, True, Outcome.OK), (3, 1, False, Outcome.FAILED))
        assert self.classes(memory) == [[2], [3]]
        assert memory.pages == 1

    def test_seeds_teach_nothing(self) -> None:
        memory = self.taken(self.memory(), (1, 0, True, Outcome.OK))
        assert self.classes(memory) == [[], []]
        assert memory.pages == 1

    def test_the_latest_are_remembered(self) -> None:
        visits = [(number, 1, number % 2 == 0, Outcome.OK) for number in range(2, 20)]
        assert self.classes(self.taken(self.memory(samples=5), *visits)) == [
            [10, 12, 14, 16, 18],
            [11, 13, 15, 17, 19],
        ]


class TestClassifier:
    def test_weights_of_naive_bayes(self) -> None:
        # F = {paper, cup}; 6 links of class 0 have paper, 5 of class 1 have cup. θ_0 = 7/8, 1/8; θ_1 = 1/7, 6/7.
        found = Classifier.trained([[words("paper")] * 6, [words("cup")] * 5], AcheSettings())
        assert found is not None
        paper, cup = (int(found.features.of(words(one))[0]) for one in ("paper", "cup"))
        np.testing.assert_allclose(np.exp(found.weights[[paper, cup]]), [[7 / 8, 1 / 7], [1 / 8, 6 / 7]])
        np.testing.assert_allclose(np.exp(found.shifts), [6 / 11, 5 / 11])
        rows, numbers = np.array([0, 1, 2, 2]), np.array([paper, cup, paper, cup])
        x = [log(6 / 5 * 49 / 8), log(6 / 5 * 7 / 48), log(6 / 5 * 49 / 8 * 7 / 48), log(6 / 5)]
        np.testing.assert_allclose(found.odds(rows, numbers, 4), [[one, -one] for one in x])

    def test_pseudo_counts(self) -> None:
        found = Classifier.trained([[words("paper")] * 6, [words("cup")] * 5], AcheSettings(smoothing=0.5))
        assert found is not None
        (paper,) = found.features.of(words("paper"))
        np.testing.assert_allclose(np.exp(found.weights[paper]), [6.5 / 7, 0.5 / 6])

    def test_three_classes(self) -> None:
        # Every class has 5 links and a word of its own: θ = 6/8 for that, 1/8 for the others. Pr(0 | a) = 6/8.
        classes = [[words(one)] * 5 for one in ("paper", "cup", "tea")]
        found = Classifier.trained(classes, AcheSettings())
        assert found is not None
        numbers = np.array([int(found.features.of(words(one))[0]) for one in ("paper", "tea")])
        odds = found.odds(np.array([0, 1]), numbers, 2)
        np.testing.assert_allclose(odds, np.log([[3, 1 / 7, 1 / 7], [1 / 7, 1 / 7, 3]]))

    def test_too_few_links(self) -> None:
        few, enough = [words("paper")] * 4, [words("cup")] * 5
        for classes in ([few, enough], [enough, few], [few, enough, enough], [enough]):
            assert Classifier.trained(classes, AcheSettings()) is None
        found = Classifier.trained([enough, few, [words("tea")] * 5], AcheSettings())
        assert found is not None
        assert found.ranks == (0, 2)

    def test_a_plane_and_its_curve(self) -> None:
        # One word for each side: w = (1, −1), no shift, so the values are 1 and −1, and Platt's curve is symmetric.
        found = Classifier.trained([[words("paper")] * 5, [words("cup")] * 5], AcheSettings(classifier="svm"))
        assert found is not None
        (paper,), (cup,) = (found.features.of(words(one)) for one in ("paper", "cup"))
        odds = found.odds(np.array([0, 1]), np.array([paper, cup]), 3)
        x = calibration.fit([1.0] * 5 + [-1.0] * 5, [True] * 5 + [False] * 5).slope
        assert x > 1
        np.testing.assert_allclose(odds, [[x, -x], [-x, x], [0.0, 0.0]], atol=0.01)

    def test_the_curve_stands_between_the_classes(self) -> None:
        # With C = .001 all links count C: paper weighs .009, tea .002, cup −.009, and the shift is .002.
        classes = [[words("paper")] * 9 + [words("tea")] * 2, [words("cup")] * 9]
        found = Classifier.trained(classes, AcheSettings(classifier="svm", cost=1e-3))
        assert found is not None
        numbers = np.array([int(found.features.of(words(one))[0]) for one in ("paper", "tea", "cup")])
        values = np.array([0.011, 0.004, -0.007])
        curve = calibration.fit(np.repeat(values, [9, 2, 9]), np.arange(20) < 11)
        x = curve.slope * (values - curve.centre) / curve.scale
        assert abs(curve.centre) > 1e-4
        np.testing.assert_allclose(found.odds(np.arange(3), numbers, 3)[:, 0], x, rtol=1e-3)

    @pytest.mark.parametrize(("cost", "share"), [(1e-3, 2 / 9), (10.0, 1.0)])
    def test_cost(self, cost: float, share: float) -> None:
        # Of class 0 nine links have paper and two have tea. With a small C every link is within the margin and counts
        # C, so tea weighs 2/9 of paper; with a large one every link stands on its margin, and both weigh the same.
        classes = [[words("paper")] * 9 + [words("tea")] * 2, [words("cup")] * 9]
        found = Classifier.trained(classes, AcheSettings(classifier="svm", cost=cost))
        assert found is not None
        paper, tea = (found.weights[int(found.features.of(words(one))[0]), 0] for one in ("paper", "tea"))
        assert tea / paper == pytest.approx(share, rel=0.01)

    def test_a_plane_for_each_of_three_classes(self) -> None:
        classes = [[words(one)] * 5 for one in ("paper", "cup", "tea")]
        found = Classifier.trained(classes, AcheSettings(classifier="svm"))
        assert found is not None
        numbers = np.array([int(found.features.of(words(one))[0]) for one in ("paper", "cup", "tea")])
        odds = found.odds(np.arange(3), numbers, 3)
        assert odds.argmax(axis=1).tolist() == [0, 1, 2]
        p = 1 / (1 + np.exp(-(found.weights[numbers] + found.shifts)))  # each against all others, then their shares
        np.testing.assert_allclose(1 / (1 + np.exp(-odds)), p / p.sum(axis=1, keepdims=True))

    def test_links_without_a_word_in_common(self) -> None:
        """Nothing tells them apart."""
        assert Classifier.trained([[words()] * 6, [words("paper")] + [words()] * 5], AcheSettings()) is None


class TestScores:
    X = log(6 / 5 * 49 / 8), log(6 / 5 * 7 / 48), log(6 / 5)
    """Of links named paper, cup, and neither: the log-odds of class 0."""

    BATCH = page("<p><a href=/x>paper</a><a href=/y>cup</a><a href=/z>map</a>", relevance=0.3)

    def test_before_the_first_training_as_the_page_is_relevant_or_breadth_first(self) -> None:
        assert ache().score(self.BATCH).tolist() == [0.3] * 3
        deep = page("<p><a href=/x>paper</a>", depth=3)
        assert ache(initial="breadth-first").score(deep).tolist() == [1 / 5]

    def test_by_class_and_then_by_the_posterior(self) -> None:
        paper, cup, other = self.X
        expected = [(2 + squashed(paper)) / 3, (1 + squashed(cup)) / 3, (2 + squashed(other)) / 3]
        np.testing.assert_allclose(trained().score(self.BATCH), expected)

    def test_the_surest_of_the_rejected_first_as_in_the_program(self) -> None:
        np.testing.assert_allclose(trained(rejected="surest").score(self.BATCH)[1], (1 + squashed(-self.X[1])) / 3)

    def test_levels_are_queues(self) -> None:
        strategy = ache(learning="levels", learn_every=1)
        batches = [page(f"<p><a href=/{n}>{('tea', 'cup', 'paper')[n % 3]}</a>", visit=n or 99) for n in range(18)]
        for number, batch in enumerate(batches, 1):  # three in a row make a path: tea, cup, paper
            strategy.learn(fetched(batch, number, number % 3 == 0))
        assert asyncio.run(strategy.consult())
        scores = strategy.score(page("<p><a href=/x>paper</a><a href=/y>cup</a><a href=/z>tea</a>"))
        assert np.floor(3 * scores).tolist() == [2, 1, 0]
        assert (np.diff(strategy.classifier.weights, axis=1) != 0).any()  # type: ignore[union-attr]

    def test_seeds_come_first(self) -> None:
        strategy = trained()
        for kind in (LinkKind.SEED, LinkKind.BACKLINK):
            batch = page("<p><a href=/x>cup</a>")
            batch = replace(batch, links=replace(batch.links, kinds=(kind,)))
            assert strategy.score(batch).tolist() == [1.0]
            assert "start page" in strategy.explain(batch, 0)[0]

    def test_a_hard_focus_follows_no_link_of_an_irrelevant_page(self) -> None:
        there, off = page("<p><a href=/x>paper</a>"), page("<p><a href=/x>paper</a>", tunnel=1)
        for strategy in (ache(focus="hard"), trained(focus="hard")):
            assert np.isnan(strategy.score(off)).all()
            assert not np.isnan(strategy.score(there)).any()
        assert not np.isnan(trained().score(off)).any()

    def test_websites_with_few_pages_first(self) -> None:
        strategy, plain = trained(selector="websites"), trained()
        batch = page("<p><a href=http://a.test/x>paper</a><a href=http://b.test/x>paper</a>")
        np.testing.assert_allclose(strategy.score(batch), plain.score(batch) - [11, 0])
        assert strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
        assert not plain.adapt(Session(1, 1, 3, 3, 2, 3, 2))


class TestLearning:
    def test_after_every_so_many_pages(self) -> None:
        view = StubView()
        strategy = ache(view)
        for number, batch in enumerate([page(f"<p><a href=/{n}>paper</a>") for n in range(11)]):
            assert not strategy.wants_to_consult()
            strategy.learn(fetched(batch, number + 2, number % 2 == 0))
        assert strategy.wants_to_consult()
        assert asyncio.run(strategy.consult())
        assert strategy.memory.pages == 0
        assert not strategy.wants_to_consult()
        assert not asyncio.run(strategy.consult())  # as when no link is left
        facts = view.decisions[-1].facts
        assert (view.decisions[-1].kind, facts["class 0"], facts["class 1"], facts["training"]) == (
            "ache trained", 6, 5, 1,
        )  # fmt: skip
        assert facts["features of anchors"] == 1

    def test_with_too_few_links_the_next_time_is_waited_for(self) -> None:
        strategy = taught(ache(), good=4, bad=7)
        assert strategy.wants_to_consult()
        assert not asyncio.run(strategy.consult())
        assert strategy.classifier is None
        assert not strategy.wants_to_consult()

    def test_never_in_the_crawl(self) -> None:
        assert not taught(ache(learn_every=0)).wants_to_consult()

    def test_it_follows_the_crawl(self) -> None:
        """What was learned first is unlearned when later links say otherwise."""
        strategy, batch = trained(samples=6), page("<p><a href=/x>paper</a>")
        first = strategy.score(batch)[0]
        for number in range(20, 31):
            name = "cup" if number % 2 else "paper"
            strategy.learn(fetched(page(f"<p><a href=/{number}>{name}</a>"), number, name == "cup"))
        assert asyncio.run(strategy.consult())
        assert strategy.score(batch)[0] < first

    def test_another_crawl_teaches_it_before_the_first_page(self) -> None:
        view = StubView()
        view.others["old"] = [
            fetched(page(f"<p><a href=/{n}>{'paper' if n < 6 else 'cup'}</a>"), n + 2, n < 6) for n in range(11)
        ]
        strategy = ache(view, learn_from="old")
        np.testing.assert_array_equal(strategy.score(TestScores.BATCH), trained().score(TestScores.BATCH))
        assert strategy.memory.pages == 0
        assert view.decisions[-1].facts["links from"] == "the crawl of old"

    @pytest.mark.parametrize(
        "settings",
        [
            {},
            {"learning": "levels"},
            {"classifier": "svm", "selector": "websites"},
            {"around": 3, "anchors": "all", "url_match": "word"},
        ],
    )
    def test_a_stop_changes_nothing(self, settings: dict[str, Any]) -> None:
        """Before the first training, between visits, and after it."""
        whole, batch = ache(**settings), page("<p>cup <a href=/papers/h1>paper</a> cup <a href=/y>cup</a>")
        resumed = ache(**settings)
        for number in range(2, 40):
            name, outcome = ("cup", "paper", "tea")[number % 3], Outcome.REDIRECT if number == 9 else Outcome.OK
            links = page(f"<p>see <a href=/{name}s/{number}>{name}</a> map", visit=number - 1)
            for strategy in (whole, resumed):
                strategy.learn(fetched(links, number, name == "paper", outcome))
                if strategy.wants_to_consult():
                    asyncio.run(strategy.consult())
            again = ache(**settings)
            again.restore(resumed.state())
            resumed = again
            np.testing.assert_array_equal(whole.score(batch), resumed.score(batch))
            assert whole.state() == resumed.state()
        assert whole.trainings == 2  # the first time there were too few relevant pages
        assert whole.classifier is not None


class TestWordsForPeople:
    def test_it_explains_itself(self) -> None:
        batch = page("<p><a href=/x>paper</a>", relevance=0.3)
        assert ache().explain(batch, 0) == [
            "ache: not trained yet (0 pages of 11), so it scores 0.300, the relevance of http://a.test/"
        ]
        assert "distance from the seeds, 2" in ache(initial="breadth-first").explain(batch, 0)[0]
        first, *parts = trained().explain(batch, 0)
        assert first == "ache, class 0: it seems to lead to a relevant page; log-odds +1.99 order its class"
        assert parts == ["“paper” in its anchor: +1.81 for that class"]  # log(49/8)
        cup, *_ = trained().explain(page("<p><a href=/x>cup</a>"), 0)
        assert cup.startswith("ache, class 1: it seems to lead to no relevant page; log-odds -1.74")
        off = page("<p><a href=/x>paper</a>", tunnel=2)
        assert "focus is hard" in trained(focus="hard").explain(off, 0)[0]
        assert trained(selector="websites").explain(batch, 0)[-1] == "11 pages of a.test were fetched: minus as much"

    def test_it_names_words_of_urls_and_around(self) -> None:
        strategy = ache(around=2, **TWICE)
        for number in range(11):
            relevant = number < 6
            name = "violet" if relevant else "soup"
            strategy.learn(fetched(page(f"<p>{name} <a href=/{name}/{number}>went</a>"), number + 2, relevant))
        assert asyncio.run(strategy.consult())
        parts = " ".join(strategy.explain(page("<p>violet <a href=/viola/>went</a>"), 0))
        assert "“violet” around its anchor" in parts
        assert "in its URL" not in parts
        assert "“violet” in its URL" in " ".join(strategy.explain(page("<p><a href=/myviolets/>went</a>"), 0))


def test_presets() -> None:
    paper, program = (make("ache", {"preset": name}).settings for name in ("paper", "program"))  # type: ignore[attr-defined]
    assert (paper.learning, paper.classifier, paper.url_match, paper.focus) == (
        "levels", "naive-bayes", "substring", "soft",
    )  # fmt: skip
    assert (program.learning, program.classifier, program.url_match, program.learn_every, program.rejected) == (
        "binary", "svm", "word", 1000, "surest",
    )  # fmt: skip


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"\[strategy.ache\] samples: Expected"):
        make("ache", {"samples": 4})
    with pytest.raises(ConfigError, match=r"\[strategy.ache\] classifier"):
        make("ache", {"classifier": "tree"})
    with pytest.raises(ConfigError, match=r"\[strategy.ache\] .*set one of them only, or learn_from"):
        make("ache", {"learning": "levels", "focus": "hard"})
    assert make("ache", {"learning": "levels", "focus": "hard", "learn_from": "old"}).name == "ache"
