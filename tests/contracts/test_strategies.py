"""One suite over every strategy (``clew.testing.StrategyContract``), and the numbers of the plain ones."""

from __future__ import annotations

import numpy as np
import pytest

from clew.crawl.evidence import Evidence
from clew.errors import ConfigError
from clew.frontier.columns import ColumnFrontier
from clew.model import Link
from clew.strategies.base import Strategy
from clew.strategies.registry import STRATEGIES, make
from clew.testing import StrategyContract
from clew.testing.strategies import EXAMPLES, HTML
from support import NoHistory, StubView, batch_of, html_page


class TestStrategy(StrategyContract):
    @pytest.fixture(autouse=True, params=STRATEGIES.builtin)
    def named(self, request: pytest.FixtureRequest) -> None:
        self.name = request.param
        self.keeps_score = self.name != "random"  # its scores belong to URLs

    def make(self) -> Strategy:
        return make(self.name, {})

    def test_links_of_irrelevant_pages_wait_their_turn(self) -> None:
        """They go after better ones, not never."""
        scores = self.begun().score(batch_of(html_page(HTML), relevance=0.0))
        frontier = ColumnFrontier("best")
        frontier.add(np.array([1, 2], np.uint64), np.zeros(2, np.uint32), np.array([scores[0], 99.0]), 1)
        taken = []
        while (lease := frontier.lease(0.0)) is not None:
            taken.append(lease.index)
            frontier.done(lease)
        assert taken == [1, 0]


def begun(name: str) -> Strategy:
    strategy = make(name, {})
    strategy.begin(StubView(EXAMPLES))
    return strategy


def test_a_redirect_is_one_hop_further_and_no_deeper() -> None:
    link = Link(batch_of(html_page(HTML), relevance=0.7), 1, 0.5)
    moved = Link(Evidence(NoHistory()).of_redirect(link, "http://c.test/new", number=9), 0, 0.5)
    assert (moved.hops, moved.depth) == (1, link.depth)


def test_breadth_first_scores_by_depth_alone() -> None:
    shallow, deep = (batch_of(html_page(HTML), relevance=r, depth=d) for r, d in ((0.0, 1), (1.0, 4)))
    assert begun("breadth-first").score(shallow).tolist() == [-2.0, -2.0, -2.0]
    assert begun("breadth-first").score(deep).tolist() == [-5.0, -5.0, -5.0]


def test_best_first_scores_by_the_source_page() -> None:
    assert begun("best-first").score(batch_of(html_page(HTML), relevance=0.25)).tolist() == [0.25, 0.25, 0.25]


def test_wrong_names_and_settings_are_refused_clearly() -> None:
    with pytest.raises(
        ConfigError,
        match=r"strategy 'worst-first' \(did you mean best-first.*\?\); choose one of: ache, apprentice, ariadne, best",
    ):
        make("worst-first", {})
    with pytest.raises(ConfigError, match=r"\[strategy.best-first\] has no settings, but speed is set"):
        make("best-first", {"speed": 11})
