"""What every strategy promises."""

from __future__ import annotations

import asyncio
import copy
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.crawl.evidence import Evidence
from clew.model import OTHER, Example, Judgement, Link, Session, Visit
from clew.strategies.base import Strategy
from clew.testing.contract import Contract, SkipTest
from clew.testing.pages import NoHistory, batch_of, html_page, text_page, visit_of
from clew.testing.view import StubView

HTML = """<p>Boats <a href="/sailing">sailing</a> and <a href="http://b.test/x/y">far away</a>
<a href="/z" rel="nofollow">more</a></p>"""

LINKS = 3

EXAMPLES = [
    Example("http://e.test/1", 0, text_page("sailing boats and harbours on the island, sails, wind and sea")),
    Example("http://e.test/2", 0, text_page("a sailing club with boats, regattas and a harbour by the sea")),
    Example("http://e.test/3", OTHER, text_page("prime numbers and theorems of algebra")),
    Example("http://e.test/4", OTHER, text_page("recipes for soup with onions and bread")),
]

EVIDENCE = ("same_host", "file_level", "host_visits", "host_relevant")


class StrategyContract(Contract):
    """A strategy: ``make`` gives a new one that has learned nothing.

    ``keeps_score``: whether a redirect is worth what the link that led to it was; set it to False for a strategy that
    scores URLs. ``consults``: how often the strategy may ask before it follows links; nobody answers.
    """

    keeps_score = True
    consults = 3
    examples: Sequence[Example] = EXAMPLES

    @abstractmethod
    def make(self) -> Strategy:
        """A strategy that has learned nothing."""

    def begun(self, view: StubView | None = None) -> Strategy:
        """A strategy at the start of a crawl."""
        strategy = self.make()
        strategy.begin(view or StubView(self.examples))
        for _ in range(self.consults):
            asyncio.run(strategy.consult())
        return strategy

    def visits(self) -> list[Visit]:
        """Visits of the links of a page, as they are learned again when a crawl is resumed."""
        batch = batch_of(html_page(HTML), relevance=0.7)
        return [visit_of(batch, index, index + 1, relevance) for index, relevance in enumerate((0.0, 0.9, 0.4))]

    def test_it_has_a_name(self) -> None:
        """Users call it by that."""
        assert self.make().name

    def test_score_is_pure(self) -> None:
        """The same links have the same scores, one each, and scoring changes nothing."""
        strategy, batch = self.begun(), batch_of(html_page(HTML), relevance=0.7)
        before = copy.deepcopy(batch)
        first, second = strategy.score(batch), strategy.score(batch)
        np.testing.assert_array_equal(first, second)
        assert first.dtype == np.float64, "scores are float64"
        assert first.shape == (len(batch),) == (LINKS,), "one score a link"
        for column in EVIDENCE:
            np.testing.assert_array_equal(getattr(batch, column), getattr(before, column), f"score changed {column}")
        np.testing.assert_array_equal(batch.leaves.ids, before.leaves.ids, "score changed the terms of the page")

    def test_scores_are_numbers_or_nan(self) -> None:
        """NaN is "do not follow". Infinite scores cannot be compared, nor averaged."""
        scores = self.begun().score(batch_of(html_page(HTML), relevance=0.7))
        assert not np.isinf(scores).any()

    def test_a_page_without_links_is_fine(self) -> None:
        """Many pages have none."""
        assert len(self.begun().score(batch_of(html_page("<p>no links")))) == 0

    def test_scoring_asks_nobody(self) -> None:
        """Whoever wants to ask about the web does so in ``consult``."""
        view = StubView(self.examples)
        strategy = self.begun(view)
        asked, enqueued = view.asked, len(view.enqueued)
        strategy.score(batch_of(html_page(HTML), relevance=0.7))
        assert (view.asked, len(view.enqueued)) == (asked, enqueued)

    def test_tiers_are_0_to_3_and_stay(self) -> None:
        """A crawl that goes on asks again."""
        strategy, batch = self.begun(), batch_of(html_page(HTML))
        assert strategy.tier(batch) in range(4)
        assert strategy.tier(batch) == strategy.tier(batch)
        assert strategy.opened_tier in range(4)

    def test_state_and_later_visits_restore_it(self) -> None:
        """A crawl that was stopped and resumed scores as one left alone."""
        *first, later = self.visits()
        undisturbed, stopped, resumed = self.begun(), self.begun(), self.begun()
        for one in first:
            undisturbed.learn(one)
            stopped.learn(one)
        resumed.restore(stopped.state())
        for strategy in (undisturbed, resumed):
            strategy.learn(later)
            strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
        batch = later.link.batch
        np.testing.assert_array_equal(undisturbed.score(batch), resumed.score(batch))

    def test_learning_does_without_page_and_body(self) -> None:
        """They are not there when visits are learned again, and must make no difference when they are."""
        without, having = self.begun(), self.begun()
        for visit in self.visits():
            page = html_page("<title>A sailing club</title><p>boats <a href='/more'>more</a>", visit.link.url)
            scores = np.array([visit.relevance], np.float32)
            judged = Judgement(scores, 0 if visit.relevant else OTHER, 0.9)
            links = batch_of(page, visit.relevance, depth=2, visit=visit.number)
            again = replace(visit, judgement=judged, links=links)
            headers = (("Content-Type", "text/html"),)
            now = replace(again, page=page, response=replace(visit.response, headers=headers, body=b"<p>boats"))
            without.learn(again)
            having.learn(now)
        for strategy in (without, having):
            strategy.adapt(Session(1, 1, 3, 3, 1, 3, 1))
        batch = batch_of(html_page(HTML), relevance=0.7)
        np.testing.assert_array_equal(without.score(batch), having.score(batch))
        assert without.state() == having.state()

    def test_explains_every_link_in_words(self) -> None:
        """For ``clew explain``."""
        strategy, batch = self.begun(), batch_of(html_page(HTML))
        for index in range(len(batch)):
            parts = strategy.explain(batch, index)
            assert parts and all(isinstance(part, str) and part for part in parts)

    def test_what_it_says_of_its_queues_is_for_people_and_changes_nothing(self) -> None:
        """Who watches a crawl asks for them again and again."""
        strategy, batch = self.begun(), batch_of(html_page(HTML), relevance=0.7)
        for visit in self.visits():
            strategy.learn(visit)
        before, state = strategy.score(batch), strategy.state()
        queues = strategy.queues()
        assert queues == strategy.queues()
        for queue in queues:
            assert queue.name and isinstance(queue.words, str)
            assert queue.value is None or np.isfinite(queue.value)
            assert queue.scores is None or queue.scores[0] < queue.scores[1]
        assert strategy.state() == state
        np.testing.assert_array_equal(strategy.score(batch), before)

    def test_a_redirect_keeps_the_score_of_the_link_that_led_to_it(self) -> None:
        """It is the same link with another URL."""
        strategy, batch = self.begun(), batch_of(html_page(HTML), relevance=0.7)
        link = Link(batch, 1, 0.5)
        moved = Evidence(NoHistory()).of_redirect(link, "http://c.test/new", number=9)
        if not self.keeps_score:
            raise SkipTest("its scores belong to URLs, and the target is another one")
        np.testing.assert_array_equal(strategy.score(moved)[0], strategy.score(batch)[1])
