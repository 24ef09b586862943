"""One suite over every frontier, and thousands of random operations against a plain one."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from clew.frontier import batches, columns, queues
from clew.frontier import hosts as host_queues
from clew.frontier.base import Frontier, Lease
from clew.frontier.columns import ColumnFrontier
from clew.frontier.resting import Waits

sys.path.insert(0, str(Path(__file__).parent))

from reference_frontier import ReferenceFrontier

MAKERS: list[Callable[[str], Frontier]] = [ColumnFrontier, ReferenceFrontier]  # type: ignore[list-item]


def keys(*values: int) -> np.ndarray:
    return np.array(values, np.uint64)


def hosts(*values: int) -> np.ndarray:
    return np.array(values, np.uint32)


def scores(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def drain(frontier: Frontier, now: float = 0.0) -> list[int]:
    """The keys in the order they are handed out when hosts have no delay."""
    order = []
    while (lease := frontier.lease(now)) is not None:
        order.append(lease.key)
        frontier.done(lease, now)
    return order


@pytest.mark.parametrize("make", MAKERS, ids=["columns", "reference"])
class TestFrontier:
    def test_best_first_and_ties_by_first_sight(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        assert frontier.add(keys(1, 2, 3, 4), hosts(0, 1, 0, 1), scores(0.5, 0.9, 0.5, 0.5), row=7) == 4
        assert len(frontier) == 4
        assert drain(frontier) == [2, 1, 3, 4]
        assert len(frontier) == 0
        frontier.add(keys(*range(10, 60)), hosts(*[0] * 50), scores(*[0.5] * 50), row=8)  # many links at once
        assert drain(frontier) == list(range(10, 60))

    def test_a_lease_says_where_the_link_lies(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(5), hosts(3), scores(0.25), row=-2, indices=np.array([9], np.int32))
        lease = frontier.lease(0.0)
        assert lease is not None
        assert (lease.key, lease.host, lease.row, lease.index, lease.score) == (5, 3, -2, 9, 0.25)

    def test_each_url_once(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1), hosts(0), scores(0.5), row=1)
        lease = frontier.lease(0.0)
        assert lease is not None
        assert frontier.add(keys(1, 1), hosts(0, 0), scores(0.9, 0.8), row=2) == 0
        frontier.done(lease)
        assert frontier.add(keys(1), hosts(0), scores(0.9), row=3) == 0
        assert frontier.lease(10.0) is None

    def test_a_busy_or_waiting_host_never_blocks_another(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2, 3), hosts(0, 0, 1), scores(0.9, 0.8, 0.1), row=1)
        first = frontier.lease(0.0)
        second = frontier.lease(0.0)
        assert first is not None and second is not None
        assert (first.key, second.key) == (1, 3)
        assert frontier.lease(0.0) is None
        assert frontier.next_ready() is None  # only the busy host has links
        frontier.done(first, ready_at=5.0)
        assert frontier.next_ready() == 5.0
        assert frontier.lease(4.9) is None
        third = frontier.lease(5.0)
        assert third is not None and third.key == 2

    def test_retry_puts_a_link_back_and_keeps_its_place(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.5, 0.5), row=1)
        lease = frontier.lease(0.0)
        assert lease is not None
        frontier.retry(lease, ready_at=3.0)
        assert len(frontier) == 2
        assert frontier.lease(2.0) is None
        assert drain(frontier, now=3.0) == [1, 2]

    def test_a_postponed_link_waits_alone(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.9, 0.5), row=1)
        lease = frontier.lease(0.0)
        assert lease is not None and lease.key == 1
        frontier.postpone(lease, ready_at=2.0, again_at=5.0)
        assert (len(frontier), frontier.waiting_on(0), frontier.waiting_on(7), frontier.hosts_busy) == (2, 2, 0, 0)
        assert frontier.next_ready() == 2.0
        assert [lease.key for lease in frontier.best(9)] == [2]
        for end in (frontier.done, frontier.retry):
            with pytest.raises(ValueError, match="has ended already"):
                end(lease, 0.0)
        other = frontier.lease(2.0)
        assert other is not None and other.key == 2
        frontier.done(other, 2.0)
        assert frontier.lease(4.9) is None
        assert frontier.next_ready() == 5.0
        assert drain(frontier, now=5.0) == [1]
        assert (frontier.waiting_on(0), frontier.next_ready()) == (0, None)

    def test_a_postponed_link_may_be_recalled(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2, 3), hosts(0, 1, 2), scores(0.9, 0.8, 0.7), row=1)
        leases = [lease for _ in range(3) if (lease := frontier.lease(0.0)) is not None]
        for lease, again_at in zip(leases, (50.0, 2.0, 60.0), strict=True):
            frontier.postpone(lease, 1.0, again_at)
        frontier.recall(leases[:2], 5.0)  # the second comes before that anyway
        assert (frontier.next_ready(), drain(frontier, now=2.0), frontier.next_ready()) == (2.0, [2], 5.0)
        again = frontier.lease(5.0)
        assert again is not None and again.key == 1
        frontier.postpone(again, 5.0, 70.0)  # and is not back when it would have been before
        assert (frontier.next_ready(), drain(frontier, now=60.0), len(frontier)) == (60.0, [3], 1)
        frontier.recall(leases, 65.0)
        assert drain(frontier, now=65.0) == [1]

    def test_a_postponed_link_may_be_finished_or_scored_again(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2, 3), hosts(0, 1, 2), scores(0.9, 0.8, 0.7), row=1)
        for _ in range(3):
            lease = frontier.lease(0.0)
            assert lease is not None
            frontier.postpone(lease, 0.0, 5.0 + lease.key)
        frontier.finish(keys(1))
        assert (len(frontier), frontier.next_ready()) == (2, 7.0)
        frontier.rescore([(1, keys(1, 2, 3), scores(0.1, np.nan, 0.2), 0)])
        assert drain(frontier, now=99.0) == [3]
        assert (len(frontier), frontier.parked) == (0, 1)

    def test_hold_keeps_a_host_back(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 1), scores(0.9, 0.1), row=1)
        frontier.hold(0, 2.0)
        lease = frontier.lease(1.0)
        assert lease is not None and lease.key == 2

    def test_nan_is_parked_until_a_better_link_comes(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1), hosts(0), scores(np.nan), row=1)
        assert (len(frontier), frontier.parked) == (0, 1)
        assert frontier.lease(0.0) is None
        frontier.add(keys(1), hosts(0), scores(0.2), row=2)
        assert (len(frontier), frontier.parked) == (1, 0)
        lease = frontier.lease(0.0)
        assert lease is not None and lease.row == 2

    @pytest.mark.parametrize("size", [1, 40])
    @pytest.mark.parametrize(("rule", "score", "row"), [("best", 0.75, 2), ("first", 0.25, 1), ("mean", 0.5, 2)])
    def test_several_links_to_one_url(
        self, make: Callable[[str], Frontier], rule: str, score: float, row: int, size: int
    ) -> None:
        frontier = make(rule)
        for number, value in ((1, 0.25), (2, 0.75), (3, 0.5)):
            others = range(100 * number + 1, 100 * number + size)
            frontier.add(keys(1, *others), hosts(*[0] * size), scores(value, *[0.0] * (size - 1)), row=number)
        lease = frontier.lease(0.0)
        assert lease is not None
        assert (lease.score, lease.row) == (score, row)

    @pytest.mark.parametrize("size", [1, 40])
    def test_higher_tiers_come_first_and_go_by_first_sight(self, make: Callable[[str], Frontier], size: int) -> None:
        frontier = make("best")
        for number, (tier, score) in enumerate([(0, 1e9), (1, -0.5), (3, 0.0), (1, 0.9), (0, np.inf), (2, -np.inf)]):
            ks = np.arange(number * size, (number + 1) * size).astype(np.uint64)
            frontier.add(ks, ks.astype(np.uint32) % 3, np.full(size, score), row=number, tier=tier)
        assert [lease.key // size for lease in frontier.best(6 * size)] == np.repeat([2, 5, 1, 3, 4, 0], size).tolist()
        assert [key // size for key in drain(frontier)] == np.repeat([2, 5, 1, 3, 4, 0], size).tolist()

    def test_a_lease_says_tier_and_score(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1), hosts(0), scores(0.25), row=1, tier=2)
        frontier.add(keys(2), hosts(1), scores(0.75), row=1)
        first, second = frontier.lease(0.0), frontier.lease(0.0)
        assert first is not None and second is not None
        assert (first.tier, first.score, second.tier, second.score) == (2, 0.25, 0, 0.75)
        assert frontier.best(1) == []
        frontier.retry(first, 0.0)
        assert frontier.best(1) == [first]
        assert first.priority > second.priority

    @pytest.mark.parametrize("few", [True, False])
    @pytest.mark.parametrize(("rule", "score", "row"), [("best", 0.25, 2), ("first", 0.25, 2), ("mean", 0.5, 2)])
    def test_of_several_links_the_highest_tier_counts(
        self, make: Callable[[str], Frontier], rule: str, score: float, row: int, few: bool
    ) -> None:
        """By "best" links of one tier above 0 do not take each other's place: nothing but first sight orders them."""
        ks = np.arange(1 if few else 30).astype(np.uint64)
        frontier = make(rule)
        for number, (value, tier) in enumerate([(0.5, 0), (0.25, 2), (0.75, 2), (np.nan, 3), (0.5, 1), (0.5, 0)], 1):
            frontier.add(ks, ks.astype(np.uint32), np.full(len(ks), value), row=number, tier=tier)
        frontier.add(np.array([99], np.uint64), hosts(99), scores(100.0), row=9)
        assert {(lease.tier, lease.score, lease.row) for lease in frontier.best(len(ks))} == {(2, score, row)}
        assert drain(frontier) == [*range(len(ks)), 99]

    def test_nan_is_parked_in_every_tier(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1), hosts(0), scores(np.nan), row=1, tier=3)
        assert (len(frontier), frontier.parked) == (0, 1)
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.1, 0.2), row=2)
        assert drain(frontier) == [2, 1]

    @pytest.mark.parametrize("rule", ["best", "first", "mean"])
    def test_a_promoted_row_is_as_one_added_in_that_tier(self, make: Callable[[str], Frontier], rule: str) -> None:
        rng = np.random.default_rng(8)
        rows = [(rng.permutation(90)[:20].astype(np.uint64), rng.random(20).round(1)) for _ in range(12)]
        for _, ss in rows:
            ss[::7] = np.nan
        promoted, added = make(rule), make(rule)
        for row, (ks, ss) in enumerate(rows):
            promoted.add(ks, (ks % 5).astype(np.uint32), ss, row)
            added.add(ks, (ks % 5).astype(np.uint32), ss, row, tier=2 if row in (3, 7) else 0)
        for row in (3, 7):
            promoted.promote(row, *rows[row], 2)
        assert promoted.best(90) == added.best(90)
        assert drain(promoted) == drain(added)

    def test_a_leased_link_is_not_promoted(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.5, 0.4), row=1)
        lease = frontier.lease(0.0)
        assert lease is not None and lease.key == 1
        frontier.promote(1, keys(1, 2), scores(0.5, 0.4), 1)
        frontier.retry(lease, 0.0)
        assert drain(frontier) == [2, 1]

    def test_rescoring_gives_new_tiers(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.1, 0.2), row=1, tier=1)
        frontier.add(keys(3, 4), hosts(0, 0), scores(0.3, 0.4), row=2)
        frontier.rescore([(1, keys(1, 2), scores(0.1, 0.2), 0), (2, keys(3, 4), scores(0.3, 0.4), 1)])
        assert drain(frontier) == [3, 4, 2, 1]

    @pytest.mark.parametrize("tier", [-1, 4])
    def test_a_tier_that_does_not_exist_is_refused(self, make: Callable[[str], Frontier], tier: int) -> None:
        if make is ReferenceFrontier:
            return
        frontier = make("best")
        with pytest.raises(ValueError, match="row 7: a tier must be 0 to 3"):
            frontier.add(keys(1), hosts(0), scores(0.5), row=7, tier=tier)
        with pytest.raises(ValueError, match="row 7: a tier must be 0 to 3"):
            frontier.promote(7, keys(1), scores(0.5), tier)
        with pytest.raises(ValueError, match="row 7: a tier must be 0 to 3"):
            frontier.rescore([(7, keys(1), scores(0.5), tier)])

    def test_finish_takes_links_away(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2, 3), hosts(0, 0, 0), scores(0.9, 0.5, np.nan), row=1)
        frontier.finish(keys(1, 3, 99))
        assert (len(frontier), frontier.parked) == (1, 0)
        assert frontier.known(keys(1, 2, 3, 99, 100)).tolist() == [True, True, True, True, False]
        assert frontier.add(keys(99), hosts(0), scores(1.0), row=2) == 0
        assert drain(frontier) == [2]

    def test_best_looks_without_leasing(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2, 3), hosts(0, 1, 2), scores(0.1, 0.9, 0.5), row=1)
        frontier.hold(1, 100.0)
        assert [lease.key for lease in frontier.best(2)] == [2, 3]
        assert len(frontier) == 3

    def test_rescore_equals_a_frontier_rebuilt_with_the_new_scores(self, make: Callable[[str], Frontier]) -> None:
        rng = np.random.default_rng(4)
        rows = [(row, rng.integers(1, 60, 8).astype(np.uint64), rng.random(8).round(1)) for row in range(20)]
        new = [(row, ks, np.where(rng.random(8) < 0.2, np.nan, rng.random(8).round(1)), row % 3) for row, ks, _ in rows]
        for rule_ in ("best", "first", "mean"):
            old, rebuilt = make(rule_), make(rule_)
            for row, ks, ss in rows:
                old.add(ks, (ks % 5).astype(np.uint32), ss, row)
            for row, ks, ss, tier in new:
                rebuilt.add(ks, (ks % 5).astype(np.uint32), ss, row, tier=tier)
            assert old.rescore(new) == len(rebuilt)
            assert old.best(60) == rebuilt.best(60)
            assert drain(old) != []
            again = make(rule_)
            for row, ks, ss in rows:
                again.add(ks, (ks % 5).astype(np.uint32), ss, row)
            again.rescore(new)
            assert drain(again) == drain(rebuilt)

    def test_many_links_to_one_url_on_one_page(self, make: Callable[[str], Frontier]) -> None:
        for rule_, score, place in (("best", 1.0, 2_999), ("first", 0.0, 0), ("mean", 0.5, 2_999)):
            frontier = make(rule_)
            assert frontier.add(keys(*[7] * 3_000), hosts(*[0] * 3_000), np.linspace(0, 1, 3_000), row=4) == 1
            lease = frontier.lease(0.0)
            assert lease is not None
            assert (lease.score, lease.index) == (pytest.approx(score), place)
            assert frontier.lease(0.0) is None

    @pytest.mark.parametrize("size", [1, 40])
    def test_scores_beyond_float32_order_first_and_last(self, make: Callable[[str], Frontier], size: int) -> None:
        for rule_ in ("best", "first", "mean"):
            frontier = make(rule_)
            extremes = (0.5, -np.inf, 1e300, -1e300, np.inf, -0.5)
            for copy in range(size):
                ks = np.arange(6).astype(np.uint64) + np.uint64(100 * copy)
                frontier.add(ks, (ks % np.uint64(100)).astype(np.uint32), scores(*extremes), row=copy)
            order = [key % 100 for key in drain(frontier)]
            assert order == [2, 4] * size + [0] * size + [5] * size + [1, 3] * size
            assert len(frontier) == 0

    def test_infinities_have_a_mean(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("mean")
        for row, score in enumerate((np.inf, -np.inf)):
            frontier.add(keys(1), hosts(0), scores(score), row=row)
        assert (len(frontier), frontier.parked) == (1, 0)
        lease = frontier.lease(0.0)
        assert lease is not None and lease.score == 0.0

    def test_what_was_finished_never_comes_back(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(np.arange(1, 21).astype(np.uint64), hosts(*[0] * 20), np.linspace(0.1, 0.2, 20), row=1)
        frontier.finish(keys(5, 6, 7))
        frontier.add(np.arange(100, 200).astype(np.uint64), hosts(*[0] * 100), np.linspace(0.5, 0.9, 100), row=2)
        left = [key for key in range(20, 0, -1) if key not in (5, 6, 7)]
        assert drain(frontier) == [*range(199, 99, -1), *left]

    def test_what_was_finished_while_leased_is_done_after_a_retry(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.9, 0.1), row=1)
        lease = frontier.lease(0.0)
        assert lease is not None
        frontier.finish(keys(1))
        frontier.retry(lease, 0.0)
        assert (len(frontier), frontier.parked, frontier.hosts_busy) == (1, 0, 0)
        assert drain(frontier) == [2]

    def test_a_lease_ends_once(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.9, 0.1), row=1)
        lease = frontier.lease(0.0)
        assert lease is not None
        frontier.done(lease)
        for end in (frontier.done, frontier.retry):
            with pytest.raises(ValueError, match="has ended already"):
                end(lease, 0.0)
        assert frontier.hosts_busy == 0
        assert drain(frontier) == [2]

    def test_of_several_holds_the_longest_counts(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1), hosts(0), scores(0.5), row=1)
        for ready_at in (3.0, 9.0, 6.0):
            frontier.hold(0, ready_at)
        assert frontier.next_ready() == 9.0
        assert frontier.lease(8.9) is None
        assert frontier.next_ready() == 9.0
        assert frontier.lease(9.0) is not None

    def test_a_clock_that_goes_back_breaks_no_promise_to_a_host(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2), hosts(0, 1), scores(0.9, 0.1), row=1)
        frontier.hold(0, 5.0)
        frontier.hold(1, 6.0)
        lease = frontier.lease(7.0)
        assert lease is not None and lease.key == 1
        assert frontier.lease(5.5) is None
        later = frontier.lease(6.0)
        assert later is not None and later.key == 2

    def test_one_slow_host_with_the_best_links_holds_nobody_up(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(np.arange(200).astype(np.uint64), hosts(*[0] * 200), np.linspace(0.9, 1, 200), row=1)
        frontier.add(np.arange(200, 300).astype(np.uint64), hosts(*range(1, 101)), np.linspace(0, 0.1, 100), row=2)
        slow = frontier.lease(0.0)
        assert slow is not None and slow.host == 0
        assert drain(frontier) == list(range(299, 199, -1))

    @pytest.mark.parametrize("better", [1, 2])
    def test_a_link_waits_while_so_many_hosts_have_better_ones(
        self, make: Callable[..., Frontier], better: int
    ) -> None:
        frontier = make("best", Waits(better, 3.0))
        frontier.add(keys(1, 2, 3), hosts(0, 0, 0), scores(0.9, 0.8, 0.7), row=1)
        frontier.add(keys(4, 5, 6, 7), hosts(1, 1, 2, 3), scores(0.6, 0.5, 0.4, 0.8), row=2)
        first, equal = frontier.lease(0.0), frontier.lease(0.0)
        assert first is not None and equal is not None
        assert (first.key, equal.key) == (1, 7)  # as good as the one that waits
        if better == 2:
            second = frontier.lease(0.0)
            assert second is not None and second.key == 4  # one host has a better one
        assert frontier.lease(0.0) is None
        assert frontier.next_ready() == 3.0  # the busy ones count no longer
        frontier.done(first, 1.0)
        assert (frontier.lease(0.5), frontier.next_ready()) == (None, 1.0)
        best = frontier.lease(1.0)
        assert best is not None and best.key == 2
        left = frontier.lease(4.0)
        assert left is not None and left.key == (4 if better == 1 else 6)

    def test_a_host_that_takes_long_is_not_waited_for(self, make: Callable[..., Frontier]) -> None:
        frontier = make("best", Waits(1, 3.0))
        frontier.add(keys(1, 2, 3), hosts(0, 0, 0), scores(0.9, 0.9, 0.9), row=1)
        frontier.add(keys(4, 5, 6), hosts(1, 2, 3), scores(0.3, 0.2, 0.1), row=1)
        slow = frontier.lease(0.0)
        assert slow is not None and frontier.lease(2.9) is None
        frontier.done(slow, 30.0)
        assert [lease.key for _ in range(2) if (lease := frontier.lease(2.9)) is not None] == [4, 5]
        again = frontier.lease(30.0)
        assert again is not None and again.key == 2
        other = frontier.lease(30.0)  # it may be silent: it does not count while it is asked again
        assert other is not None and other.key == 6

    def test_links_in_higher_tiers_neither_wait_nor_are_waited_for(self, make: Callable[..., Frontier]) -> None:
        frontier = make("best", Waits(1, 3.0))
        frontier.add(keys(1, 2), hosts(0, 0), scores(0.9, 0.9), row=1, tier=1)
        frontier.add(keys(3, 4), hosts(1, 1), scores(0.5, 0.4), row=2)
        assert [lease.key for _ in range(2) if (lease := frontier.lease(0.0)) is not None] == [1, 3]
        frontier.add(keys(5, 6), hosts(2, 3), scores(0.1, 0.1), row=3, tier=2)
        frontier.add(keys(7), hosts(4), scores(0.3), row=4)
        assert [lease.key for _ in range(2) if (lease := frontier.lease(0.0)) is not None] == [5, 6]
        assert frontier.lease(0.0) is None

    def test_links_for_a_resting_host_wait_for_it(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.hold(0, 4.0)
        frontier.add(keys(1), hosts(0), scores(0.5), row=1)
        assert frontier.lease(1.0) is None
        frontier.finish(keys(1))
        assert frontier.next_ready() is None
        frontier.add(keys(2), hosts(0), scores(0.5), row=1)
        assert frontier.next_ready() == 4.0
        assert drain(frontier, now=4.0) == [2]

    def test_columns_of_unequal_length_are_refused(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        with pytest.raises(ValueError):
            frontier.add(keys(1, 2), hosts(0), scores(0.5, 0.6), row=1)

    def test_nothing_in_an_empty_frontier(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        assert frontier.add(keys(), hosts(), scores(), row=1) == 0
        frontier.finish(keys())
        assert frontier.rescore([]) == 0
        assert (frontier.lease(0.0), frontier.next_ready(), frontier.best(3), len(frontier)) == (None, None, [], 0)
        assert frontier.known(keys(1)).tolist() == [False]

    def test_figures(self, make: Callable[[str], Frontier]) -> None:
        frontier = make("best")
        frontier.add(keys(1, 2, 3), hosts(0, 1, 1), scores(0.9, 0.5, 0.4), row=1)
        assert frontier.hosts_waiting == 2
        lease = frontier.lease(0.0)
        assert lease is not None
        assert (frontier.hosts_waiting, frontier.hosts_busy) == (1, 1)
        frontier.done(lease)
        assert frontier.hosts_busy == 0
        assert frontier.nbytes > 0


# Sizes at which the columns change their way of working. Small ones lead few links through every part.
TUNINGS = {
    "shipped": {},
    "tiny": {"HOT_LEAST": 2, "HOT_SHARE": 4, "FEW": 2, "MANY": 5, "BULK": 16},
    "one by one": {"HOT_LEAST": 4, "FEW": 10**9},
    "in bulk": {"HOT_LEAST": 3, "FEW": 0, "MANY": 1, "BULK": 1},
}


@contextmanager
def tuned(name: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for constant, value in TUNINGS[name].items():
            for module in (batches, columns, host_queues, queues):
                if hasattr(module, constant):
                    patch.setattr(module, constant, value)
        yield


class Pull:
    """A combination: links of a row pull as their row does, and by their scores and hosts; all may be turned around."""

    fields = np.dtype([("pull", "i4"), ("thousandths", "i4")])

    def __init__(self) -> None:
        self.pulls: dict[int, int] = {}
        self.sign = 1.0

    def added(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        more = np.zeros(len(scores), self.fields)
        more["pull"] = [self.pulls.get(row, row % 5) for row in rows.tolist()]
        more["thousandths"] = np.clip(scores, -1, 1) * 1000
        return more

    def combined(self, links: np.ndarray, best: np.ndarray, sums: np.ndarray, hosts: np.ndarray) -> np.ndarray:
        return self.sign * (sums["pull"] + sums["thousandths"] / links / 1000.0 - 0.5 * best + hosts % 3)

    def grown(self) -> list[tuple[int, np.ndarray]]:
        return []

    def stale(self) -> bool:
        return False


COMBINED = "combined"


class Twin:
    """The same operations on both frontiers; every answer must be the same."""

    def __init__(self, rule: str, host_count: int, waits: Waits | None = None) -> None:
        self.pull = Pull() if rule == COMBINED else None
        how = self.pull or rule
        self.one, self.other = ColumnFrontier(how, waits), ReferenceFrontier(how, waits)  # type: ignore[arg-type]
        self.host_count = host_count
        self.leases: list[tuple[Lease, Lease]] = []
        self.put_off: list[tuple[Lease, Lease]] = []
        self.rows: list[tuple[np.ndarray, np.ndarray]] = []
        self.now = 0.0

    def add(self, ks: np.ndarray, ss: np.ndarray, tier: int) -> None:
        hs = (ks * np.uint64(2654435761) % np.uint64(self.host_count)).astype(np.uint32)
        row = len(self.rows)
        self.rows.append((ks, ss))
        assert self.one.add(ks, hs, ss, row, tier=tier) == self.other.add(ks, hs, ss, row, tier=tier)

    def promote(self, row: int, tier: int) -> None:
        self.one.promote(row, *self.rows[row], tier)
        self.other.promote(row, *self.rows[row], tier)

    def grow(self, row: int, by: int) -> None:
        if self.pull is None:
            return
        self.pull.pulls[row] = self.pull.pulls.get(row, row % 5) + by
        more = np.array((by, 0), self.pull.fields)
        self.one.grow(row, *self.rows[row], more)
        self.other.grow(row, *self.rows[row], more)

    def rank(self) -> None:
        if self.pull is not None:
            self.pull.sign = -self.pull.sign
            self.one.rank()
            self.other.rank()

    def lease(self, oldest: bool = False) -> bool:
        if oldest:
            mine, theirs = self.one.lease_oldest(self.now), self.other.lease_oldest(self.now)
        else:
            mine, theirs = self.one.lease(self.now), self.other.lease(self.now)
        assert mine == theirs
        if mine is None or theirs is None:
            return False
        self.leases.append((mine, theirs))
        return True

    def postpone(self, which: int, pause: float, more: float) -> None:
        mine, theirs = self.leases.pop(which)
        self.put_off.append((mine, theirs))
        self.one.postpone(mine, self.now + pause, self.now + pause + more)
        self.other.postpone(theirs, self.now + pause, self.now + pause + more)

    def recall(self, wait: float) -> None:
        """All that were put off, by whatever lease."""
        for frontier, leases in zip((self.one, self.other), zip(*self.put_off, strict=True), strict=False):
            frontier.recall(leases, self.now + wait)

    def end(self, which: int, again: bool, pause: float) -> None:
        mine, theirs = self.leases.pop(which)
        ends = (self.one.retry, self.other.retry) if again else (self.one.done, self.other.done)
        ends[0](mine, self.now + pause)
        ends[1](theirs, self.now + pause)

    def hold(self, host: int, ready_at: float) -> None:
        self.one.hold(host, ready_at)
        self.other.hold(host, ready_at)

    def finish(self, ks: np.ndarray) -> None:
        self.one.finish(ks)
        self.other.finish(ks)

    def reopen(self, key: int) -> None:
        host = key * 2654435761 % self.host_count
        self.one.reopen(key, host)
        self.other.reopen(key, host)

    def park(self, hosts: list[int]) -> None:
        ids = np.array(hosts, np.uint32)
        assert self.one.park(ids) == self.other.park(ids)

    def rescore(self, new: list[np.ndarray], tiers: list[int]) -> None:
        self.rows = [(ks, ss) for (ks, _), ss in zip(self.rows, new, strict=True)]
        rows = [(row, ks, ss, tier) for row, ((ks, ss), tier) in enumerate(zip(self.rows, tiers, strict=True))]
        assert self.one.rescore(rows) == self.other.rescore(rows)

    def check(self) -> None:
        assert len(self.one) == len(self.other)
        assert self.one.parked == self.other.parked
        assert self.one.hosts_waiting == self.other.hosts_waiting
        assert self.one.hosts_busy == self.other.hosts_busy
        assert self.one.waiting_on(0) == self.other.waiting_on(0)
        self.check_figures()
        mine, theirs = self.one.next_ready(), self.other.next_ready()
        assert (mine is None) == (theirs is None)
        assert mine is None or theirs is None or max(mine, self.now) == max(theirs, self.now)
        assert self.one.best(1) == self.other.best(1)
        assert self.one.best(3) == self.other.best(3)

    def check_figures(self) -> None:
        for mine, theirs in zip(self.one.waiting_scores(), self.other.waiting_scores(), strict=True):
            np.testing.assert_array_equal(np.sort(mine), np.sort(theirs))
        ours, others = self.one.hosts(), self.other.hosts()
        for column in ("hosts", "waiting", "busy"):
            np.testing.assert_array_equal(getattr(ours, column), getattr(others, column), column)
        for key in [*list(self.other.urls)[:3], 0]:
            found, expected = self.one.look_up(key), self.other.look_up(key)
            assert (found and found.state) == (expected and expected.state)
            assert found == expected or (found and found.state != "waiting")  # else its score may be an old one, or NaN

    def drain(self) -> None:
        """Everything that waits comes out of both in the same order."""
        while self.leases:
            self.end(0, again=False, pause=0.0)
        while self.lease() or (self.other.next_ready() or 0.0) > self.now:
            if self.leases:
                self.end(0, again=False, pause=0.0)
            else:
                self.now = self.other.next_ready() or self.now
        assert len(self.one) == len(self.other) == 0


class Operations:
    """Random operations on a twin. Few links are in a tier above 0: of ten rows one, and none when ``flat``."""

    def __init__(self, twin: Twin, seed: int, key_space: int, levels: int, flat: bool) -> None:
        self.twin, self.rng, self.key_space, self.levels = twin, random.Random(seed), key_space, levels
        self.flat = flat

    def tier(self) -> int:
        return 0 if self.flat or self.rng.random() < 0.9 else self.rng.randrange(1, 4)

    def keys(self, size: int) -> np.ndarray:
        return np.array([self.rng.randrange(1, self.key_space) for _ in range(size)], np.uint64)

    def scores(self, size: int) -> np.ndarray:
        values = (self.rng.randrange(self.levels) / self.levels for _ in range(size))
        return np.array([np.nan if self.rng.random() < 0.1 else value for value in values])

    def add(self) -> None:
        size = self.rng.choice([1, 3, 20, 60, 200])
        self.twin.add(self.keys(size), self.scores(size), self.tier())

    def promote(self) -> None:
        if self.twin.rows and not self.flat:
            self.twin.promote(self.rng.randrange(len(self.twin.rows)), self.rng.randrange(4))

    def grow(self) -> None:
        if self.twin.rows:
            self.twin.grow(self.rng.randrange(len(self.twin.rows)), self.rng.randrange(-3, 4))

    def rank(self) -> None:
        self.twin.rank()

    def lease(self) -> None:
        for _ in range(self.rng.choice([1, 5, 40])):
            self.twin.now += self.rng.choice([0.0, 0.1, 2.0])
            if not self.twin.lease(oldest=self.rng.random() < 0.2):
                return
            if self.rng.random() < 0.7:
                self.end()

    def end(self) -> None:
        if self.twin.leases:
            which = self.rng.randrange(len(self.twin.leases))
            if self.rng.random() < 0.1:
                return self.twin.postpone(which, self.rng.choice([0.0, 0.5]), self.rng.choice([0.0, 0.3, 4.0]))
            self.twin.end(which, self.rng.random() < 0.15, self.rng.choice([0.0, 0.5, 3.0]))

    def hold(self) -> None:
        self.twin.hold(self.rng.randrange(self.twin.host_count), self.twin.now + self.rng.random())

    def finish(self) -> None:
        known = list(self.twin.other.urls)
        some = self.rng.sample(known, min(len(known), self.rng.choice([1, 5, 100])))
        self.twin.finish(np.concatenate([np.array(some, np.uint64), self.keys(2)]))

    def reopen(self) -> None:
        done = [key for key, url in self.twin.other.urls.items() if url.state == "done"]
        for key in self.rng.sample(done, min(len(done), 3)):
            self.twin.reopen(key)

    def park(self) -> None:
        self.twin.park([self.rng.randrange(self.twin.host_count) for _ in range(self.rng.choice([1, 3]))])

    def rescore(self) -> None:
        rows = self.twin.rows
        self.twin.rescore([self.scores(len(ks)) for ks, _ in rows], [self.tier() for _ in rows])

    def step(self) -> None:
        steps = [self.add, self.promote, self.lease, self.end, self.hold, self.finish, self.rescore]
        weights = [30, 8, 40, 15, 8, 5, 2]
        steps, weights = [*steps, self.reopen, self.park], [*weights, 6, 2]
        if self.twin.pull is not None:
            steps, weights = [*steps, self.grow, self.rank], [*weights, 20, 3]
        self.rng.choices(steps, weights)[0]()


@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("rule_", ["best", "first", "mean", COMBINED])
@pytest.mark.parametrize(
    ("key_space", "host_count", "levels"), [(400, 1, 4), (3_000, 7, 1_000), (3_000, 400, 3), (50_000, 2, 50)]
)
def test_thousands_of_random_operations(rule_: str, key_space: int, host_count: int, levels: int, tuning: str) -> None:
    with tuned(tuning):
        twin = Twin(rule_, host_count)
        operations = Operations(twin, key_space + len(tuning), key_space, levels, flat=levels == 3)
        for _ in range(100):
            operations.step()
            twin.check()
        if len(twin.other) < 500:  # the plain frontier takes long for more
            twin.drain()


@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("rule_", ["best", COMBINED])
@pytest.mark.parametrize("better", [1, 3])
@pytest.mark.parametrize(("key_space", "host_count", "levels"), [(100, 4, 4), (800, 40, 1_000)])
def test_random_operations_where_links_wait(
    rule_: str, better: int, key_space: int, host_count: int, levels: int, tuning: str
) -> None:
    with tuned(tuning):
        twin = Twin(rule_, host_count, Waits(better, 2.0))
        operations = Operations(twin, better, key_space, levels, flat=True)
        for _ in range(100):
            operations.step()
            twin.check()
        twin.drain()


SCORES = st.one_of(st.sampled_from([0.0, -0.0, 0.5, 1.0, float("nan"), float("inf"), -1e300]), st.floats(width=32))


TIERS = st.sampled_from([0, 0, 0, 1, 2, 3])


class Machine(RuleBasedStateMachine):
    """Any operations whatever, which hypothesis makes smaller when an answer differs."""

    duplicates: ClassVar[str]

    @initialize(
        tuning=st.sampled_from(list(TUNINGS)),
        host_count=st.integers(1, 4),
        waits=st.sampled_from([None, None, Waits(1, 0.7), Waits(2, 1.2)]),
    )
    def begin(self, tuning: str, host_count: int, waits: Waits | None) -> None:
        self.tuning = tuned(tuning)
        self.tuning.__enter__()
        self.twin = Twin(self.duplicates, host_count, waits)
        self.tiered = waits is None  # else links of higher tiers may keep others from being known at once

    def teardown(self) -> None:
        if hasattr(self, "tuning"):
            self.twin.drain()
            self.tuning.__exit__(None, None, None)

    @rule(links=st.lists(st.tuples(st.integers(0, 30), SCORES), max_size=24), tier=TIERS)
    def add(self, links: list[tuple[int, float]], tier: int) -> None:
        tier = tier if self.tiered else 0
        self.twin.add(keys(*(key for key, _ in links)), scores(*(score for _, score in links)), tier)

    @precondition(lambda self: self.twin.rows)
    @rule(row=st.integers(0, 99), tier=TIERS)
    def promote(self, row: int, tier: int) -> None:
        self.twin.promote(row % len(self.twin.rows), tier if self.tiered else 0)

    @rule(step=st.sampled_from([0.0, 0.5, 2.0]))
    def lease(self, step: float) -> None:
        self.twin.now += step
        self.twin.lease()

    @precondition(lambda self: self.twin.leases)
    @rule(which=st.integers(0, 9), again=st.booleans(), pause=st.sampled_from([0.0, 1.0]))
    def end(self, which: int, again: bool, pause: float) -> None:
        self.twin.end(which % len(self.twin.leases), again, pause)

    @precondition(lambda self: self.twin.leases)
    @rule(which=st.integers(0, 9), pause=st.sampled_from([0.0, 1.0]), more=st.sampled_from([0.0, 0.5, 3.0]))
    def postpone(self, which: int, pause: float, more: float) -> None:
        self.twin.postpone(which % len(self.twin.leases), pause, more)

    @precondition(lambda self: self.twin.put_off)
    @rule(wait=st.sampled_from([0.0, 0.5, 1.0]))
    def recall(self, wait: float) -> None:
        self.twin.recall(wait)

    @rule(host=st.integers(0, 4), pause=st.sampled_from([0.0, 0.5, 1.0]))
    def hold(self, host: int, pause: float) -> None:
        self.twin.hold(host, self.twin.now + pause)

    @rule(known=st.lists(st.integers(0, 33), max_size=9))
    def finish(self, known: list[int]) -> None:
        self.twin.finish(keys(*known))

    @rule(key=st.integers(0, 33))
    def reopen(self, key: int) -> None:
        self.twin.reopen(key)

    @rule(hosts=st.lists(st.integers(0, 4), max_size=3))
    def park(self, hosts: list[int]) -> None:
        self.twin.park(hosts)

    @rule(data=st.data())
    def rescore(self, data: st.DataObject) -> None:
        rows = self.twin.rows
        size = sum(len(ks) for ks, _ in rows)
        of = TIERS if self.tiered else st.just(0)
        tiers = data.draw(st.lists(of, min_size=len(rows), max_size=len(rows)))
        drawn = scores(*data.draw(st.lists(SCORES, min_size=size, max_size=size)))
        self.twin.rescore(np.split(drawn, np.cumsum([len(ks) for ks, _ in rows])[:-1]) if rows else [], tiers)

    @rule(data=st.data(), by=st.integers(-2, 2))
    def grow(self, data: st.DataObject, by: int) -> None:
        if self.twin.rows:
            self.twin.grow(data.draw(st.integers(0, len(self.twin.rows) - 1)), by)

    @rule()
    def rank(self) -> None:
        self.twin.rank()

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "twin"):
            self.twin.check()


@pytest.mark.parametrize("rule_", ["best", "first", "mean", COMBINED])
def test_any_operations(rule_: str) -> None:
    machine = type("Machine", (Machine,), {"duplicates": rule_})
    config = settings(
        max_examples=40,
        stateful_step_count=25,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=config)


def test_equal_operations_give_equal_frontiers() -> None:
    runs = []
    for _ in range(2):
        frontier, rng = ColumnFrontier(), np.random.default_rng(9)
        for row in range(50):
            ks = rng.integers(1, 10_000, 60).astype(np.uint64)
            frontier.add(ks, (ks % np.uint64(30)).astype(np.uint32), rng.random(60), row)
        runs.append(drain(frontier))
    assert runs[0] == runs[1]


def test_a_batch_and_its_links_one_by_one_give_equal_frontiers() -> None:
    rng = np.random.default_rng(6)
    ks = rng.integers(1, 2_000, 6_000).astype(np.uint64)
    hs, ss = (ks % np.uint64(40)).astype(np.uint32), rng.random(6_000).round(2)
    together, apart = ColumnFrontier(), ColumnFrontier()
    new = together.add(ks, hs, ss, 3)
    assert new == sum(
        apart.add(ks[i : i + 1], hs[i : i + 1], ss[i : i + 1], 3, np.array([i], np.int32)) for i in range(6_000)
    )
    assert together.best(6_000) == apart.best(6_000)
    assert drain(together) == drain(apart)


def test_a_single_host_with_many_links_comes_out_in_order() -> None:
    frontier, rng = ColumnFrontier(), np.random.default_rng(3)
    values = rng.random(20_000)
    for start in range(0, 20_000, 50):
        ks = np.arange(start + 1, start + 51).astype(np.uint64)
        frontier.add(ks, np.zeros(50, np.uint32), values[start : start + 50], start)
    expected = (np.argsort(-values.astype(np.float32), kind="stable") + 1).tolist()
    assert drain(frontier) == expected


def test_a_combined_frontier_equals_one_that_is_rebuilt() -> None:
    """Sums of integers do not depend on the order in which links came, and a row's links may grow meanwhile."""
    pull, rng = Pull(), np.random.default_rng(4)
    frontier, rows = ColumnFrontier(pull), []
    for row in range(1, 60):
        ks, ss = rng.choice(np.arange(1, 900), 30, replace=False).astype(np.uint64), rng.random(30)
        rows.append((row, ks, ss, 0))
        frontier.add(ks, (ks % np.uint64(9)).astype(np.uint32), ss, row)
        if row % 3 == 0:
            pull.pulls[row - 1] = (row - 1) % 5 + 4
            frontier.grow(row - 1, *rows[row - 2][1:3], np.array((4, 0), pull.fields))
    again = ColumnFrontier(pull)
    for row, ks, _, _ in rows:
        again.add(ks, (ks % np.uint64(9)).astype(np.uint32), np.full(len(ks), np.nan), row)
    again.rescore(rows)
    assert again.best(900) == frontier.best(900)
    assert len({lease.evidence for lease in frontier.best(900)}) > 100


def test_only_a_frontier_that_adds_up_can_grow() -> None:
    with pytest.raises(ValueError, match="row 3: this frontier adds nothing up"):
        ColumnFrontier("best").grow(3, keys(1), scores(0.5), np.zeros((), Pull.fields))
