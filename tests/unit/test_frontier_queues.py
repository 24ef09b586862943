"""Merits, the queue of a host, and the hosts that are ready."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from clew.frontier.merits import LOW, merit_of, merits, slots_of
from clew.frontier.queues import EMPTY, HOT_LEAST, IDLE, NOTHING_COLD, HostQueue, hot_size, hot_sizes
from clew.frontier.ready import SORTED_LEAST, ReadyHosts

SCORES = [-3.4e38, -2.0, -1e-40, -0.0, 0.0, 1e-40, 0.25, 1.0, 3.4e38]


def test_merits_order_by_score_then_by_first_sight() -> None:
    scores = np.array(SCORES * 2, np.float32)
    slots = np.arange(len(scores))
    by_merit = np.argsort(merits(scores, slots))[::-1].tolist()
    assert by_merit == sorted(slots.tolist(), key=lambda slot: (-scores[slot], slot))


def test_one_merit_is_as_many() -> None:
    scores = np.array(SCORES, np.float32)
    slots = np.array([0, 1, 2, 3, 4, 5, 6, 2**31 - 1, 2**31 - 2])
    order = merits(scores, slots)
    assert [
        merit_of(score, slot) for score, slot in zip(scores.tolist(), slots.tolist(), strict=True)
    ] == order.tolist()
    assert slots_of(order).tolist() == slots.tolist()
    assert merits(scores, slots.astype(np.uint32)).tolist() == order.tolist()


def test_a_higher_tier_beats_every_score_and_goes_by_first_sight() -> None:
    scores = np.array([-1.0, 3.4e38, 0.5, 0.5, -2.0, 1.0], np.float32)
    tiers, slots = np.array([0, 0, 1, 3, 3, 1], np.uint8), np.arange(6)
    order = merits(scores, slots, tiers)
    assert np.argsort(order)[::-1].tolist() == [3, 4, 2, 5, 1, 0]
    assert slots_of(order).tolist() == slots.tolist()
    columns = scores.tolist(), slots.tolist(), tiers.tolist()
    assert [merit_of(*each) for each in zip(*columns, strict=True)] == order.tolist()


@pytest.mark.parametrize("count", [1, HOT_LEAST, HOT_LEAST + 1, 500, 5_000, 100_000])
def test_a_refill_makes_the_best_hot_and_leaves_none_out(count: int) -> None:
    order = merits(np.random.default_rng(count).random(count).astype(np.float32), np.arange(count))
    queue = HostQueue()
    hot = queue.refill(order.copy())
    assert list(queue.hot) == np.sort(order)[-len(hot) :].tolist()
    assert slots_of(np.array(queue.hot, np.uint64)).tolist() == hot.tolist()
    assert sorted([*hot.tolist(), *(queue.cold or [])]) == list(range(count))
    assert len(hot) >= min(count, HOT_LEAST)
    cold = set(queue.cold or [])
    assert all(merit <= queue.floor for merit in order.tolist() if LOW - (merit & LOW) in cold)
    assert queue.floor < queue.hot[0]
    assert (queue.floor == NOTHING_COLD) == (queue.cold is None)


def test_an_overflow_keeps_the_better_part_hot() -> None:
    order = np.sort(merits(np.random.default_rng(1).random(100).astype(np.float32), np.arange(100)))
    queue = HostQueue()
    queue.fill(order.tobytes(), b"")
    queue.limit = 60
    left = queue.overflow()
    assert list(queue.hot) == order[-30:].tolist()
    assert left.tolist() == list(queue.cold or []) == slots_of(order[:-30]).tolist()
    assert order[-31] <= queue.floor < order[-30]


@pytest.mark.parametrize("count", [10, 3 * SORTED_LEAST, 20 * SORTED_LEAST])
def test_ready_hosts_come_best_first(count: int) -> None:
    rng, ready, held = random.Random(count), ReadyHosts(), []
    assert (ready.top(), ready.pop(), len(ready)) == (0, 0, 0)
    for step in range(3 * count):
        if step < count or rng.random() < 0.5:
            merit = rng.getrandbits(64) | 1
            ready.push(merit)
            held.append(merit)
        elif held:
            best = max(held)
            assert ready.top() == best
            assert ready.pop() == best
            held.remove(best)
        assert len(ready) == len(held)
    ready.keep(lambda merit: merit % 3 == 0)
    assert [ready.pop() for _ in range(len(ready))] == sorted({m for m in held if m % 3 == 0}, reverse=True)
    assert ready.pop() == 0


def test_ready_hosts_that_get_better_and_better() -> None:
    ready = ReadyHosts()
    for merit in range(1, 10_001):
        ready.push(merit)
        if merit % 2:
            ready.push(merit)
    drained = [ready.pop() for _ in range(len(ready))]
    assert drained == sorted([*range(1, 10_001), *range(1, 10_001, 2)], reverse=True)


def test_a_queue_counts_eight_bytes_a_hot_link_and_four_a_cold_one() -> None:
    order = np.sort(merits(np.random.default_rng(1).random(300).astype(np.float32), np.arange(300)))
    queue = HostQueue()
    empty = queue.host_nbytes
    assert queue.link_nbytes == 0
    assert empty == sys.getsizeof(queue) + EMPTY + sys.getsizeof(0.0) + sys.getsizeof(-1) + sys.getsizeof(0)
    queue.fill(order[200:].tobytes(), b"")
    assert 8 * 100 <= queue.link_nbytes < 1.12 * 8 * 100
    queue.fill(order[200:].tobytes(), slots_of(order[:200]).tobytes())
    assert 8 * 100 + 4 * 200 <= queue.link_nbytes < 1.1 * (8 * 100 + 4 * 200)
    assert queue.host_nbytes == empty + EMPTY + sys.getsizeof(queue.floor) - sys.getsizeof(-1)
    queue.clear()
    assert queue.link_nbytes == 0


def test_ready_hosts_count_eight_bytes_a_host() -> None:
    ready = ReadyHosts()
    empty = ready.nbytes
    assert empty == sys.getsizeof(ready) + 2 * EMPTY
    for merit in range(1, 3_001):
        ready.push(merit)
    ready.keep(lambda merit: True)  # some sorted, the others not
    assert 8 * 3_000 <= ready.nbytes - empty < 1.15 * 8 * 3_000
    ready.clear()
    assert (len(ready), ready.nbytes) == (0, empty)


def test_a_refill_takes_32_links_or_one_in_64() -> None:
    waiting = [0, 5, 32, 33, 2_048, 2_111, 2_112, 6_400]
    assert [hot_size(n) for n in waiting] == [0, 5, 32, 32, 32, 32, 33, 100]
    assert hot_sizes(np.array(waiting)).tolist() == [0, 5, 32, 32, 32, 32, 33, 100]
    order = merits(np.arange(6_400).astype(np.float32), np.arange(6_400))
    queue = HostQueue()
    assert queue.limit == 64  # twice what a refill takes at least
    queue.refill(order.copy())
    assert (len(queue.hot), queue.limit) == (100, 200)
    queue.refill(order[:40].copy())
    assert (len(queue.hot), queue.limit) == (32, 64)
    queue.clear()
    assert (queue.limit, queue.floor, queue.waiting, queue.where) == (64, NOTHING_COLD, 0, IDLE)


def test_what_comes_just_above_the_worst_sorted_ready_host_is_in_order() -> None:
    # 513 worse and worse ones: the worse 256 are spilled, 257 stay sorted. Then one between each two of all.
    ready = ReadyHosts()
    for merit in range(2_000, 2_000 - 2 * (2 * SORTED_LEAST + 1), -2):
        ready.push(merit)
    held = list(range(2_000, 2_000 - 2 * (2 * SORTED_LEAST + 1), -2))
    for merit in [one + 1 for one in held[::-1]]:
        ready.push(merit)
        held.append(merit)
    assert [ready.pop() for _ in range(len(ready))] == sorted(held, reverse=True)
