"""One suite over every frontier, and thousands of random operations against a plain one."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from clew.frontier.base import Frontier, Lease
from clew.frontier.columns import ColumnFrontier

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

    @pytest.mark.parametrize(("rule", "score", "row"), [("best", 0.75, 2), ("first", 0.25, 1), ("mean", 0.5, 2)])
    def test_several_links_to_one_url(self, make: Callable[[str], Frontier], rule: str, score: float, row: int) -> None:
        frontier = make(rule)
        for number, value in ((1, 0.25), (2, 0.75), (3, 0.5)):
            frontier.add(keys(1), hosts(0), scores(value), row=number)
        lease = frontier.lease(0.0)
        assert lease is not None
        assert (lease.score, lease.row) == (score, row)

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
        new = [(row, ks, np.where(rng.random(8) < 0.2, np.nan, rng.random(8).round(1))) for row, ks, _ in rows]
        for rule in ("best", "first", "mean"):
            old, rebuilt = make(rule), make(rule)
            for row, ks, ss in rows:
                old.add(ks, (ks % 5).astype(np.uint32), ss, row)
            for row, ks, ss in new:
                rebuilt.add(ks, (ks % 5).astype(np.uint32), ss, row)
            assert old.rescore(new) == len(rebuilt)
            assert drain(old) != []
            again = make(rule)
            for row, ks, ss in rows:
                again.add(ks, (ks % 5).astype(np.uint32), ss, row)
            again.rescore(new)
            assert drain(again) == drain(rebuilt)

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


class Twin:
    """The same operations on both frontiers; every answer must be the same."""

    def __init__(self, rule: str, seed: int, key_space: int, host_count: int, levels: int) -> None:
        self.rng = random.Random(seed)
        self.one, self.other = ColumnFrontier(rule), ReferenceFrontier(rule)  # type: ignore[arg-type]
        self.key_space, self.host_count, self.levels = key_space, host_count, levels
        self.leases: list[tuple[Lease, Lease]] = []
        self.rows: list[np.ndarray] = []
        self.now = 0.0

    def score(self) -> float:
        return float("nan") if self.rng.random() < 0.1 else self.rng.randrange(self.levels) / self.levels

    def add(self) -> None:
        size = self.rng.choice([1, 3, 20, 60, 200])
        ks = np.array([self.rng.randrange(1, self.key_space) for _ in range(size)], np.uint64)
        ss = scores(*(self.score() for _ in range(size)))
        hs = (ks * np.uint64(2654435761) % np.uint64(self.host_count)).astype(np.uint32)
        row = len(self.rows)
        self.rows.append(ks)
        assert self.one.add(ks, hs, ss, row) == self.other.add(ks, hs, ss, row)

    def lease(self) -> None:
        for _ in range(self.rng.choice([1, 5, 40])):
            self.now += self.rng.choice([0.0, 0.1, 2.0])
            mine, theirs = self.one.lease(self.now), self.other.lease(self.now)
            assert mine == theirs
            if mine is None or theirs is None:
                return
            self.leases.append((mine, theirs))
            if self.rng.random() < 0.7:
                self.end()

    def end(self) -> None:
        if not self.leases:
            return
        mine, theirs = self.leases.pop(self.rng.randrange(len(self.leases)))
        ready_at = self.now + self.rng.choice([0.0, 0.5, 3.0])
        if self.rng.random() < 0.15:
            self.one.retry(mine, ready_at)
            self.other.retry(theirs, ready_at)
        else:
            self.one.done(mine, ready_at)
            self.other.done(theirs, ready_at)

    def hold(self) -> None:
        host, ready_at = self.rng.randrange(self.host_count), self.now + self.rng.random()
        self.one.hold(host, ready_at)
        self.other.hold(host, ready_at)

    def finish(self) -> None:
        ks = np.array([self.rng.randrange(1, self.key_space) for _ in range(5)], np.uint64)
        self.one.finish(ks)
        self.other.finish(ks)

    def rescore(self) -> None:
        rows = [(row, ks, scores(*(self.score() for _ in ks))) for row, ks in enumerate(self.rows)]
        assert self.one.rescore(rows) == self.other.rescore(rows)

    def check(self) -> None:
        assert len(self.one) == len(self.other)
        assert self.one.parked == self.other.parked
        assert self.one.hosts_waiting == self.other.hosts_waiting
        assert self.one.hosts_busy == self.other.hosts_busy
        mine, theirs = self.one.next_ready(), self.other.next_ready()
        assert (mine is None) == (theirs is None)
        assert mine is None or theirs is None or max(mine, self.now) == max(theirs, self.now)
        assert self.one.best(3) == self.other.best(3)


@pytest.mark.parametrize("rule", ["best", "first", "mean"])
@pytest.mark.parametrize(
    ("key_space", "host_count", "levels"), [(400, 1, 4), (3_000, 7, 1_000), (3_000, 400, 3), (50_000, 2, 50)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_thousands_of_random_operations(rule: str, key_space: int, host_count: int, levels: int, seed: int) -> None:
    twin = Twin(rule, seed, key_space, host_count, levels)
    for _ in range(150):
        step = twin.rng.choices(
            [twin.add, twin.lease, twin.end, twin.hold, twin.finish, twin.rescore], [30, 40, 15, 8, 5, 2]
        )[0]
        step()
        twin.check()


def test_equal_operations_give_equal_frontiers() -> None:
    runs = []
    for _ in range(2):
        frontier, rng = ColumnFrontier(), np.random.default_rng(9)
        for row in range(50):
            ks = rng.integers(1, 10_000, 60).astype(np.uint64)
            frontier.add(ks, (ks % np.uint64(30)).astype(np.uint32), rng.random(60), row)
        runs.append(drain(frontier))
    assert runs[0] == runs[1]


def test_a_single_host_with_many_links_comes_out_in_order() -> None:
    frontier, rng = ColumnFrontier(), np.random.default_rng(3)
    values = rng.random(20_000)
    for start in range(0, 20_000, 50):
        ks = np.arange(start + 1, start + 51).astype(np.uint64)
        frontier.add(ks, np.zeros(50, np.uint32), values[start : start + 50], start)
    expected = (np.argsort(-values.astype(np.float32), kind="stable") + 1).tolist()
    assert drain(frontier) == expected
