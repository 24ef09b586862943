"""Which of the best pages are chosen where one host has most of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from clew.export.choosing import DISCOUNT, Choice, alternating, first_of_each

Item = tuple[str, float]

BIG = [("big", 1.0 - n / 1000) for n in range(20)]
SMALL = [("one", 0.95), ("two", 0.9), ("one", 0.6), ("three", 0.5)]
BEST = sorted(BIG + SMALL, key=lambda item: -item[1])


def host(item: Item) -> str:
    return item[0]


def value(item: Item) -> float:
    return item[1]


def of(choice: Choice) -> list[Item]:
    return list(choice.of_hosts(BEST, host, value))


def test_nothing_asked_nothing_changed() -> None:
    assert of(Choice()) == BEST


@pytest.mark.parametrize("most", [1, 2, 5])
def test_of_a_host_the_best_few(most: int) -> None:
    found = of(Choice(per_host=most))
    assert max(Counter(map(host, found)).values()) == min(most, 20)
    assert [item for item in found if host(item) == "big"] == BIG[:most]
    assert found == sorted(found, key=lambda item: -item[1]), "the order stays"


def test_hosts_take_turns() -> None:
    found = of(Choice(diverse=True))
    assert sorted(found) == sorted(BEST), "nothing is lost"
    assert [host(item) for item in found[:4]] == ["big", "one", "two", "big"]
    assert [item for item in found if host(item) == "big"] == BIG, "the pages of a host keep their order"
    assert host(found[-1]) == "big"


def test_the_order_is_the_greedy_one() -> None:
    """Step by step, by trying all that is left."""
    left, seen, greedy = list(BEST), Counter[str](), []
    while left:
        best = max(left, key=lambda item: (item[1] * DISCOUNT ** seen[item[0]], -BEST.index(item)))
        left.remove(best)
        seen[best[0]] += 1
        greedy.append(best)
    assert list(alternating(BEST, host, value)) == greedy


def test_equals_keep_their_order() -> None:
    same = [(name, 1.0) for name in "abcabc"]
    assert list(alternating(list(enumerate(same)), lambda one: one[1][0], lambda one: 1.0)) == list(enumerate(same))


def test_both_together() -> None:
    found = of(Choice(per_host=2, diverse=True))
    assert Counter(map(host, found)) == {"big": 2, "one": 2, "two": 1, "three": 1}
    assert all(first != second for first, second in pairwise(host(item) for item in found[:3]))


def test_the_first_of_each_group() -> None:
    assert list(first_of_each("aabbab", str, 1)) == ["a", "b"]
    assert list(first_of_each("aabbab", str, 0)) == list("aabbab")
