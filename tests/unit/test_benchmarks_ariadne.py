"""What the benchmarks of Ariadne's effect measure, on values worked out by hand."""

from __future__ import annotations

import pytest
from benchmarks.effects_ariadne import INTERESTS, before
from benchmarks.tourism import ISLAND, ISLANDS, MadeWeb

SAILING, SURFING, HOTELS = "tourism/sports/water/sailing", "tourism/sports/water/surfing", "tourism/hotels"
RUEGEN, MUNICH = "mecklenburg/ruegen", "bavaria/munich"


def test_the_way_to_a_find_ends_at_the_last_relevant_page() -> None:
    hits = [True, False, False, True, True]  # a seed leads to 2, that to 3, that to 4, and 4 to 5
    assert before(3, hits, [0, 1, 2, 3, 4]) == [2, 1]
    assert before(4, hits, [0, 1, 2, 3, 4]) == []
    assert before(0, hits, [0, 1, 2, 3, 4]) == []
    assert before(3, [False, False, False, True], [0, 1, 2, 3]) == [2, 1, 0]  # from a seed that is irrelevant


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("narrow", [(SAILING, RUEGEN)], [(SAILING, MUNICH), (SURFING, RUEGEN)]),
        ("broad", [(HOTELS, RUEGEN), (SAILING, "mecklenburg/rostock")], [(SAILING, MUNICH), ("economy/jobs", RUEGEN)]),
        ("either", [(SAILING, MUNICH), ("economy/jobs", RUEGEN)], [(SURFING, MUNICH)]),
        ("without", [(HOTELS, RUEGEN), ("economy/jobs", RUEGEN)], [(SURFING, RUEGEN), (HOTELS, MUNICH)]),
    ],
)
def test_what_formulas_include(name: str, inside: list[tuple[str, str]], outside: list[tuple[str, str]]) -> None:
    interest = next(one for one in INTERESTS if one.name == name)
    assert all(interest.includes(*pair) for pair in inside)
    assert not any(interest.includes(*pair) for pair in outside)


def test_seeds_are_relevant_and_off_the_islands_where_they_can_be() -> None:
    web = MadeWeb(1, 700)
    islands = set(range(ISLANDS * ISLAND))
    for interest in INTERESTS:
        seeds = interest.seed_pages(web)
        assert len(set(seeds)) == interest.seeds
        assert set(seeds) <= interest.relevant(web)
        assert set(seeds).isdisjoint(islands) or interest.name == "narrow"
