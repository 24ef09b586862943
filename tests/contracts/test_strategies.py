"""One suite over every strategy."""

from __future__ import annotations

import asyncio
import copy

import numpy as np
import pytest

from clew.crawl.evidence import Evidence
from clew.errors import ConfigError
from clew.model import OTHER, Example, Link, LinkBatch, Outcome, Response, Session, Visit
from clew.strategies.base import Strategy
from clew.strategies.registry import STRATEGIES, make
from support import NoHistory, StubView, batch_of, html_page, text_page

HTML = """<p>Boats <a href="/sailing">sailing</a> and <a href="http://b.test/x/y">far away</a>
<a href="/z" rel="nofollow">more</a></p>"""


EXAMPLES = [
    Example("http://e.test/1", 0, text_page("sailing boats and harbours on the island, sails, wind and sea")),
    Example("http://e.test/2", 0, text_page("a sailing club with boats, regattas and a harbour by the sea")),
    Example("http://e.test/3", OTHER, text_page("prime numbers and theorems of algebra")),
    Example("http://e.test/4", OTHER, text_page("recipes for soup with onions and bread")),
]


def begun(name: str) -> Strategy:
    strategy = make(name, {})
    strategy.begin(StubView(EXAMPLES))
    for _ in range(3):  # what it must ask before it follows links; nobody answers
        asyncio.run(strategy.consult())
    return strategy


def visit(batch: LinkBatch, index: int, number: int, relevance: float) -> Visit:
    link = Link(batch, index, 0.5)
    response = Response(link.url, Outcome.OK, 200)
    return Visit(number, link, response, None, None, relevance, relevance >= 0.5, 0)


@pytest.mark.parametrize("name", STRATEGIES.builtin)
class TestStrategy:
    def test_score_is_pure(self, name: str) -> None:
        strategy, batch = begun(name), batch_of(html_page(HTML), relevance=0.7)
        before = copy.deepcopy(batch)
        first, second = strategy.score(batch), strategy.score(batch)
        np.testing.assert_array_equal(first, second)
        assert first.dtype == np.float64
        assert len(first) == len(batch) == 3
        for column in ("same_host", "file_level", "host_visits", "host_relevant"):
            np.testing.assert_array_equal(getattr(batch, column), getattr(before, column))

    def test_a_page_without_links_is_fine(self, name: str) -> None:
        assert len(begun(name).score(batch_of(html_page("<p>no links")))) == 0

    def test_state_and_later_visits_restore_it(self, name: str) -> None:
        batch = batch_of(html_page(HTML), relevance=0.7)
        undisturbed, stopped = begun(name), begun(name)
        first = [visit(batch, i, i + 1, 0.9 * i) for i in range(2)]
        later = visit(batch, 2, 3, 0.4)
        for one in first:
            undisturbed.learn(one)
            stopped.learn(one)
        resumed = begun(name)
        resumed.restore(stopped.state())
        for strategy in (undisturbed, resumed):
            strategy.learn(later)
            strategy.adapt(Session(1, 1, 3, 3, 2, 3, 2))
        np.testing.assert_array_equal(undisturbed.score(batch), resumed.score(batch))

    def test_explains_every_link_in_words(self, name: str) -> None:
        strategy, batch = begun(name), batch_of(html_page(HTML))
        for index in range(len(batch)):
            parts = strategy.explain(batch, index)
            assert parts and all(isinstance(part, str) and part for part in parts)

    def test_a_redirect_keeps_the_score_of_the_link_that_led_to_it(self, name: str) -> None:
        strategy, batch = begun(name), batch_of(html_page(HTML), relevance=0.7)
        link = Link(batch, 1, 0.5)
        moved = Evidence(NoHistory()).of_redirect(link, "http://c.test/new", number=9)
        if name != "random":  # its scores belong to URLs, and the target is another one
            assert strategy.score(moved)[0] == strategy.score(batch)[1]
        assert Link(moved, 0, 0.5).hops == 1
        assert Link(moved, 0, 0.5).depth == link.depth


def test_breadth_first_scores_by_depth_alone() -> None:
    shallow, deep = (batch_of(html_page(HTML), relevance=r, depth=d) for r, d in ((0.0, 1), (1.0, 4)))
    assert begun("breadth-first").score(shallow).tolist() == [-2.0, -2.0, -2.0]
    assert begun("breadth-first").score(deep).tolist() == [-5.0, -5.0, -5.0]


def test_best_first_scores_by_the_source_page() -> None:
    assert begun("best-first").score(batch_of(html_page(HTML), relevance=0.25)).tolist() == [0.25, 0.25, 0.25]


def test_wrong_names_and_settings_are_refused_clearly() -> None:
    with pytest.raises(
        ConfigError,
        match=r"strategy 'worst-first' \(did you mean best-first.*\?\); choose one of: apprentice, ariadne, best",
    ):
        make("worst-first", {})
    with pytest.raises(ConfigError, match=r"\[strategy.best-first\] has no settings, but speed is set"):
        make("best-first", {"speed": 11})
