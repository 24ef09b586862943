"""The strategy ``random`` on the web of 12 pages that tests/e2e/test_lab.py draws, worked out by hand.

S links to a, b, c, x; a to d; b to e, f; d to g; e to h; f to i; g to j; j to k.

Every URL has a number of its own, as if drawn from [0, 1), and the highest that waits is fetched. Within four fetches
only h can be found, by S b e h. That happens when b > a, c, x; then e > f, a, c, x; then h > f, a, c, x. With m the
highest of a, c, x (density 3 m²) and the number of f free:

    ∫ 3m²(1 − m) [ m (1 − m)² + ∫_m^1 (1 − f)² df ] dm  =  ∫ 3m³(1 − m)³ + m²(1 − m)⁴ dm
    =  3 · 3!3!/7! + 2!4!/7!  =  156/5040  =  13/420

(Draws with equal chances at every fetch would make it 1/4 · 1/5 · 1/5 = 1/100.)
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
import pytest

from clew.lab.measures import area
from clew.model import LinkBatch
from clew.strategies.random import RandomOrder, fractions
from support import batch_of, html_page

LINKS = {"S": "abcx", "a": "d", "b": "ef", "d": "g", "e": "h", "f": "i", "g": "j", "j": "k"}
FOUR = 13 / 420
TRIALS = 2000


class Seeded:
    """The one part of a view that the strategy looks at."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def rng(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self.seed, len(name)])


def page_of(links: str) -> LinkBatch:
    anchors = " ".join(f"<a href='http://w.test/{link}.html'>go</a>" for link in links)
    return batch_of(html_page(f"<p>{anchors}</p>"))


PAGES = {page: page_of(links) for page, links in LINKS.items()}


def strategy_of(seed: int) -> RandomOrder:
    strategy = RandomOrder()
    strategy.begin(Seeded(seed))  # type: ignore[arg-type]
    return strategy


def order_of(scores: dict[str, float], budget: int) -> str:
    """The crawl by hand: the seed, then the highest number that waits."""
    waiting, order = [(-2.0, "S")], ""
    while waiting and len(order) < budget:
        page = heappop(waiting)[1]
        order += page
        for link in LINKS.get(page, ""):
            heappush(waiting, (-scores[link], link))
    return order


def scores_of(seed: int) -> dict[str, float]:
    strategy = strategy_of(seed)
    return {
        link: score
        for page, batch in PAGES.items()
        for link, score in zip(LINKS[page], strategy.score(batch).tolist(), strict=True)
    }


def test_an_order_worked_out_by_hand() -> None:
    # S shows a b c x, x is first; then b shows e f: c .7, f .6, which shows i .8; then a shows d .1; then e shows h
    scores = dict(zip("abcxefhidgjk", (0.4, 0.8, 0.7, 0.9, 0.3, 0.6, 0.5, 0.8, 0.1, 0.2, 0.9, 0.0), strict=True))
    order = order_of(scores, 13)
    assert order == "Sxbcfiaehdgjk"
    found = np.array([page in "hik" for page in order])
    # i with fetch 6, h with 9, k with 13: the found-curve is five times 0, three 1, four 2, one 3
    assert area(found, 13) == pytest.approx((3 * 1 + 4 * 2 + 3) / 13)


def test_the_chance_of_a_find_over_many_seeds() -> None:
    hits = sum(order_of(scores_of(seed), 4) == "Sbeh" for seed in range(TRIALS))
    spread = (FOUR * (1 - FOUR) / TRIALS) ** 0.5
    assert abs(hits / TRIALS - FOUR) < 4 * spread  # 4 standard deviations: .0155
    assert abs(0.01 - FOUR) > 5 * spread  # so equal chances at every fetch would be told apart


def test_the_first_of_four_is_each_as_often() -> None:
    firsts = [max("abcx", key=scores.__getitem__) for scores in map(scores_of, range(TRIALS))]
    for page in "abcx":
        assert abs(firsts.count(page) / TRIALS - 0.25) < 4 * (0.25 * 0.75 / TRIALS) ** 0.5


def test_a_url_has_one_score_from_whatever_page_and_another_with_another_seed() -> None:
    strategy = strategy_of(1)
    alone, beside = strategy.score(page_of("b")), strategy.score(PAGES["S"])
    assert alone[0] == beside[1]
    assert strategy_of(1).score(PAGES["S"]).tolist() == beside.tolist()
    assert strategy_of(2).score(PAGES["S"]).tolist() != beside.tolist()


def test_the_mixer_is_the_published_one() -> None:
    """SplitMix64 from state 0 gives E220A8397B1DCDAF first: its finaliser of 9E3779B97F4A7C15."""
    value = fractions(np.array([0x9E3779B97F4A7C15], np.uint64))[0]
    assert value == (0xE220A8397B1DCDAF >> 11) / 2**53
    spread = fractions(np.arange(10_000, dtype=np.uint64))
    assert spread.min() >= 0 and spread.max() < 1
    assert np.histogram(spread, 10, (0, 1))[0].tolist() == pytest.approx([1000] * 10, abs=130)  # 4 deviations
