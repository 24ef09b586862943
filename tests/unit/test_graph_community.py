"""Communities against small graphs worked out by hand, and against all subsets of random ones (ARI-50)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.graph.community import community, contains_community, is_community, largest_community
from clew.graph.edges import LinkGraph


def graph_of(size: int, links: list[tuple[int, int]]) -> LinkGraph:
    sources, targets = np.array(links, np.int64).reshape(-1, 2).T
    return LinkGraph.of_edges(np.arange(size, dtype=np.uint64), np.arange(size, dtype=np.int32), sources, targets)


def marks(size: int, *nodes: int) -> np.ndarray:
    found = np.zeros(size, np.bool_)
    found[list(nodes)] = True
    return found


# Cliques of pages 0 to 3 and 4 to 7, joined by the link 3 -> 4.
CLIQUES = graph_of(8, [*combinations(range(4), 2), *combinations(range(4, 8), 2), (3, 4)])


def test_members_have_more_links_inside_than_outside() -> None:
    assert is_community(CLIQUES, np.arange(4))  # page 3: 3 inside, 1 outside
    assert is_community(CLIQUES, np.arange(8))
    assert not is_community(CLIQUES, np.array([0, 1]))  # 1 inside, 2 outside
    assert not is_community(CLIQUES, np.array([0, 1, 2, 3, 4]))  # page 4: 1 inside, 3 outside
    assert not is_community(CLIQUES, np.array([], np.int32))


def test_as_many_links_outside_as_inside_are_too_many_and_mutual_links_are_one() -> None:
    path = graph_of(3, [(0, 1), (1, 0), (1, 2)])
    assert not is_community(path, np.array([0, 1]))  # page 1: one neighbour inside, one outside


def test_the_cut_runs_through_the_bridge() -> None:
    # Seed 0, capacity 2. Around the seed alone: 3 links·2 = 6. Around its clique: 3 pages·1 + bridge 2 = 5.
    # Around everything: 7 pages·1 = 7. The cheapest is the clique.
    assert community(CLIQUES, np.array([0]), reach=3).tolist() == [0, 1, 2, 3]
    # Two links away lies page 4, whose 3 further links lead into the sink: with it 3 + 1 + 3·2 = 10, still 5 without.
    assert community(CLIQUES, np.array([0])).tolist() == [0, 1, 2, 3]
    assert community(CLIQUES, np.array([6]), reach=3).tolist() == [4, 5, 6, 7]


def test_capacity_decides_how_far_a_community_reaches() -> None:
    # Capacity 1: the seed alone costs 3, its clique 3 + 1. Capacity 5: its clique costs 3 + 5, everything 7.
    assert community(CLIQUES, np.array([0]), capacity=1, reach=3).tolist() == [0]
    assert community(CLIQUES, np.array([0]), capacity=5, reach=3).tolist() == list(range(8))


def test_seeds_always_belong_and_no_seeds_make_no_community() -> None:
    graph = graph_of(3, [(0, 1)])
    assert community(graph, np.array([2])).tolist() == [2]
    assert community(graph, np.array([], np.int32)).tolist() == []


def test_the_limit_keeps_the_nearest_pages() -> None:
    # Four pages beside the seed fit: its clique, and of layer 2 nothing.
    assert community(CLIQUES, np.array([0]), reach=3, limit=4).tolist() == [0, 1, 2, 3]
    assert len(community(CLIQUES, np.array([0]), capacity=100, reach=3, limit=2)) <= 2


def test_pages_without_enough_links_inside_are_taken_away_one_after_the_other() -> None:
    # Relevant: a clique, and page 5 of the other, which has no link to it.
    assert largest_community(CLIQUES, marks(8, 0, 1, 2, 3, 5)).tolist() == [0, 1, 2, 3]
    # Pages 0, 1, 4: 1 inside against 2 outside for page 0, none for page 4: nothing is left.
    assert largest_community(CLIQUES, marks(8, 0, 1, 4)).tolist() == []
    # A chain 0-1-2-3-4 of which 4 is not relevant: 3 goes first (1 : 1), then 2, then 1, then 0.
    chain = graph_of(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert largest_community(chain, marks(5, 0, 1, 2, 3)).tolist() == []


def test_two_communities_without_a_link_between_them_are_two() -> None:
    triangles = graph_of(7, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (3, 6), (6, 4)])
    # Both triangles and page 6: {0, 1, 2} and {3, 4, 5, 6}.
    assert largest_community(triangles, marks(7, *range(7))).tolist() == [3, 4, 5, 6]
    assert contains_community(triangles, marks(7, *range(7)), 4)
    assert not contains_community(triangles, marks(7, *range(7)), 5)


def test_relevant_pages_contain_a_community_of_a_size() -> None:
    relevant = marks(8, 0, 1, 2, 3, 5)
    assert contains_community(CLIQUES, relevant, 4)
    assert not contains_community(CLIQUES, relevant, 5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=18),
    st.lists(st.booleans(), min_size=7, max_size=7),
)
def test_no_subset_of_random_graphs_is_a_larger_community(links: list[tuple[int, int]], flags: list[bool]) -> None:
    graph, relevant = graph_of(7, links), np.array(flags)
    found = largest_community(graph, relevant)
    assert not len(found) or is_community(graph, found)
    pages = np.flatnonzero(relevant)
    sizes = [
        size
        for size in range(1, len(pages) + 1)
        for part in combinations(pages.tolist(), size)
        if is_community(graph, np.array(part)) and _connected(graph, set(part))
    ]
    assert len(found) == max(sizes, default=0)


def _connected(graph: LinkGraph, part: set[int]) -> bool:
    seen, waiting = set(), [min(part)]
    while waiting:
        page = waiting.pop()
        seen.add(page)
        near = {*graph.children(page).tolist(), *graph.parents(page).tolist()}
        waiting.extend(near & part - seen)
    return seen == part


# Page 0 links to 1, 2 and 3, each of these to 4, and 4 to 5.
LOZENGE = graph_of(6, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (4, 5)])


def test_the_neighbourhood_reaches_two_links_by_default() -> None:
    # Capacity 10, pages up to 4: around 0 alone 3·10, with 1, 2, 3 as well 3 + 3·10, with 4, whose link to 5 leads
    # into the sink, 4 + 10. With page 5 in reach all cost 5.
    near = community(LOZENGE, np.array([0]), capacity=10)
    assert near.tolist() == community(LOZENGE, np.array([0]), capacity=10, reach=2).tolist() == [0, 1, 2, 3, 4]
    assert community(LOZENGE, np.array([0]), capacity=10, reach=3).tolist() == [0, 1, 2, 3, 4, 5]
    # Only 1, 2, 3 in reach: each has a link into the sink, so 3·(1 + 10) against 3·10.
    assert community(LOZENGE, np.array([0]), capacity=10, reach=1).tolist() == [0]


def test_the_capacity_is_the_number_of_seeds_but_at_least_2() -> None:
    # One link to a page: 1 with it, c without. With c = 1 the smaller side is taken.
    pair = graph_of(2, [(0, 1)])
    assert community(pair, np.array([0])).tolist() == [0, 1]
    assert community(pair, np.array([0]), capacity=1).tolist() == [0]
    # A page that hangs on k seeds by one link each, and by one link on each of two pages that are out of reach, costs
    # 1 + 2·c, or k·c without it: it belongs from k = 3 seeds on, if c is k (7 < 9), and not if c were 1 (3 = 3).
    for seeds, belongs in ((2, False), (3, True)):
        hub = graph_of(seeds + 3, [*((seed, seeds) for seed in range(seeds)), (seeds, seeds + 1), (seeds, seeds + 2)])
        assert (seeds in community(hub, np.arange(seeds), reach=1)) is belongs


def test_no_capacity_is_too_large() -> None:
    assert community(CLIQUES, np.array([0]), capacity=10**15, reach=3).tolist() == list(range(8))
    assert community(CLIQUES, np.array([0]), capacity=10**15, reach=1).tolist() == [0, 1, 2, 3]


def test_of_equally_near_pages_those_with_more_links_then_the_lower_ones_are_kept() -> None:
    graph = graph_of(6, [(0, 2), (0, 3), (1, 3), (1, 4)])  # page 3 is linked by both seeds, 2 and 4 by one
    found = [community(graph, np.array([0, 1]), capacity=5, limit=limit).tolist() for limit in (1, 2, 3, 4, 5)]
    assert found == [[0, 1], [0, 1], [0, 1, 3], [0, 1, 2, 3], [0, 1, 2, 3, 4]]


def test_5000_pages_are_looked_at_by_default() -> None:
    # A page that links to 5,500: each costs 1 with it and 2 without.
    star = graph_of(5_501, [(0, page) for page in range(1, 5_501)])
    assert community(star, np.array([0])).tolist() == list(range(5_000))


def test_of_two_communities_of_a_size_the_one_with_the_lowest_page_is_taken() -> None:
    triangles = graph_of(7, [(1, 3), (3, 5), (5, 1), (0, 2), (2, 4), (4, 0)])
    assert largest_community(triangles, marks(7, *range(7))).tolist() == [0, 2, 4]


def test_as_many_relevant_pages_as_wanted_may_be_enough_and_fewer_never_are() -> None:
    assert contains_community(CLIQUES, marks(8, 0, 1, 2, 3), 4)
    assert not contains_community(CLIQUES, marks(8, 0, 1, 2, 3), 5)
    assert not contains_community(CLIQUES, marks(8), 1)


def test_the_capacity_for_one_seed_is_2() -> None:
    # Two pages hang on the seed by one link. They cost 2, the link c: of equal cuts the one nearest to the seed.
    chain = graph_of(3, [(0, 1), (1, 2)])
    assert community(chain, np.array([0])).tolist() == community(chain, np.array([0]), capacity=2).tolist() == [0]
    assert community(chain, np.array([0]), capacity=3).tolist() == [0, 1, 2]
