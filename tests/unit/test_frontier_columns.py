"""What the columns promise beyond the contract: memory, and that stale entries stay few."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from clew.frontier import columns, queues
from clew.frontier.columns import ColumnFrontier, Duplicates

PAGE = 60


def filled(links: int, hosts: int, duplicates: Duplicates = "best") -> ColumnFrontier:
    frontier, rng = ColumnFrontier(duplicates), np.random.default_rng(2)
    for start in range(0, links, PAGE):
        keys = np.arange(start, start + PAGE).astype(np.uint64)
        frontier.add(keys, (keys % np.uint64(hosts)).astype(np.uint32), rng.random(PAGE), start)
    return frontier


@pytest.mark.parametrize("links", [99_960, 150_000, 200_040])
def test_a_waiting_link_takes_at_most_48_bytes(links: int) -> None:
    frontier = filled(links, 500)
    assert len(frontier) == links
    assert 30 < frontier.nbytes / links <= 48


def test_all_links_on_one_host_take_at_most_48_bytes() -> None:
    assert filled(150_000, 1).nbytes / 150_000 <= 48


def test_a_tier_takes_a_byte_a_link_from_the_first_one_on() -> None:
    frontier = filled(150_000, 500)
    before = frontier.link_nbytes
    frontier.add(np.array([10**9], np.uint64), np.array([3], np.uint32), np.array([0.5]), 7, tier=1)
    assert 150_000 < frontier.link_nbytes - before < 1.2 * 150_000
    assert frontier.nbytes / 150_001 <= 48
    lease = frontier.lease(0.0)
    assert lease is not None and (lease.key, lease.tier) == (10**9, 1)


def test_a_host_with_few_links_takes_less_than_half_a_kilobyte() -> None:
    frontier = filled(30_000, 10_000)
    assert frontier.hosts_waiting == 10_000
    assert frontier.host_nbytes / 10_000 < 512


def test_a_host_that_must_wait_takes_a_pair_of_numbers_more() -> None:
    """In the heap of those that wait: a place, a pair, a float and an int; among the ready 8 bytes."""
    numbers = np.arange(2_000).astype(np.uint64)
    ready, waiting = ColumnFrontier(), ColumnFrontier()
    for host in range(2_000):
        waiting.hold(host, 5.0)
    for frontier in (ready, waiting):
        frontier.add(numbers, numbers.astype(np.uint32), np.full(2_000, 0.5), 1)
    more = 8 + sys.getsizeof((1, 2)) + sys.getsizeof(5.0) + sys.getsizeof(2_000) - 8
    assert waiting.host_nbytes - ready.host_nbytes == pytest.approx(2_000 * more, rel=0.1)
    assert waiting.link_nbytes == ready.link_nbytes
    assert waiting.nbytes == waiting.link_nbytes + waiting.host_nbytes


def test_memory_counts_all_columns() -> None:
    assert filled(60_000, 10, "mean").nbytes > filled(60_000, 10).nbytes + 16 * 60_000


@pytest.mark.parametrize("rule", ["best", "mean"])
def test_scores_that_change_all_the_time_leave_little_behind(rule: Duplicates) -> None:
    frontier, rng = filled(6_000, 3, rule), np.random.default_rng(5)
    before = frontier.nbytes
    for row in range(600):
        keys = rng.choice(6_000, PAGE, replace=False).astype(np.uint64)
        frontier.add(keys, (keys % np.uint64(3)).astype(np.uint32), rng.random(PAGE) + row, row)
    assert len(frontier) == 6_000
    assert frontier.nbytes < before + 8 * 6_000


def test_links_that_stay_cold_are_not_queued_again() -> None:
    frontier = ColumnFrontier("mean")
    frontier.add(np.arange(2_000).astype(np.uint64), np.zeros(2_000, np.uint32), np.linspace(0, 1, 2_000), 0)
    before = frontier.link_nbytes
    low = np.arange(1_000).astype(np.uint64)
    frontier.add(low, np.zeros(1_000, np.uint32), np.linspace(0.5, 0, 1_000), 1)
    assert frontier.link_nbytes == before


def test_holding_a_host_again_and_again_leaves_nothing_behind() -> None:
    frontier = filled(600, 10)
    frontier.hold(3, 1.0)
    before = frontier.nbytes
    for second in range(2, 5_000):
        frontier.hold(3, float(second))
    assert frontier.nbytes == before
    assert frontier.lease(4_998.0) is not None


def test_the_best_link_of_a_resting_host_that_gets_better_leaves_nothing_behind() -> None:
    frontier = ColumnFrontier()
    frontier.add(np.arange(40).astype(np.uint64), np.zeros(40, np.uint32), np.full(40, 0.5), 0)
    frontier.hold(0, 100.0)
    before = frontier.host_nbytes
    for number in range(1, 500):
        frontier.add(np.array([7], np.uint64), np.array([0], np.uint32), np.array([float(number)]), number)
    assert frontier.host_nbytes == before
    assert frontier.next_ready() == 100.0
    lease = frontier.lease(100.0)
    assert lease is not None and (lease.key, lease.score) == (7, 499.0)


def test_links_that_wait_take_four_to_nine_bytes_of_queues() -> None:
    frontier = filled(60_000, 1)
    before = frontier.link_nbytes
    frontier.finish(np.arange(60_000).astype(np.uint64))
    assert 4 * 60_000 <= before - frontier.link_nbytes < 9 * 60_000


def test_ever_better_links_leave_few_stale_entries() -> None:
    frontier = ColumnFrontier()
    for number in range(20_000):
        frontier.add(np.array([number], np.uint64), np.array([number % 5], np.uint32), np.array([number / 1e5]), 0)
    lease = frontier.lease(0.0)
    assert lease is not None and lease.key == 19_999
    assert frontier.host_nbytes < 20_000


def test_finishing_the_best_links_of_many_hosts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (queues, columns):
        if hasattr(module, "HOT_LEAST"):
            monkeypatch.setattr(module, "HOT_LEAST", 2)
    frontier = ColumnFrontier()
    numbers = np.arange(3_000).astype(np.uint64)
    for start in range(0, 3_000, 300):  # later rounds are better: each becomes the head of its host
        part = numbers[start : start + 300]
        frontier.add(part, (part % np.uint64(300)).astype(np.uint32), part.astype(np.float64), start)
    frontier.finish(numbers[600:])
    assert frontier.hosts_waiting == 300
    order = []
    while (lease := frontier.lease(0.0)) is not None:
        order.append(lease.key)
        frontier.done(lease)
    assert order == list(range(599, -1, -1))


def test_a_rule_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="best, first, mean"):
        ColumnFrontier("sum")  # type: ignore[arg-type]


class Turned:
    """A combination that turns the order of scores around once rows add anything."""

    fields = np.dtype([("turned", "i4")])

    def added(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        return np.zeros(len(scores), self.fields)

    def combined(self, links: np.ndarray, best: np.ndarray, sums: np.ndarray, hosts: np.ndarray) -> np.ndarray:
        return np.where(sums["turned"] > 0, -best, best).astype(np.float64)

    def grown(self) -> list[tuple[int, np.ndarray]]:
        return []

    def stale(self) -> bool:
        return False


def test_links_that_become_hot_while_others_change() -> None:
    """All hot links of a host sink below its cold ones, which are hot by the time that it is their turn to change."""
    frontier = ColumnFrontier(Turned())
    keys, scores = np.arange(1, 41, dtype=np.uint64), np.arange(40, 0, -1).astype(np.float64)
    frontier.add(keys, np.zeros(40, np.uint32), scores, 1)
    frontier.rank()
    frontier.grow(1, keys, scores, np.array((1,), Turned.fields))
    taken = []
    while (lease := frontier.lease(0.0)) is not None:
        taken.append(lease.key)
        frontier.done(lease)
    assert taken == list(range(40, 0, -1))
