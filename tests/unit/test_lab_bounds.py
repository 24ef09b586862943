"""The upper bound, the look-ahead oracle and what one-step sight does when no relevant page is in sight, by hand and
against all that can be done on small webs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from clew.lab.bounds import upper_bound
from clew.lab.clusters import FAR, Clusters, Distances
from clew.lab.lookahead import look_ahead, look_ahead_pages
from clew.lab.oracle import greedy, one_step, one_step_pages
from clew.lab.results import Graph
from clew.lab.running import TaskResult
from clew.lab.saved import load, save
from clew.model import Bools


def graph_of(links: dict[int, list[int]], relevant: list[int], seeds: list[int], n: int) -> Graph:
    rows = [links.get(page, []) for page in range(n)]
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    targets = np.array([target for row in rows for target in row], np.int32)
    truth = np.isin(np.arange(n), relevant)
    return Graph(tuple(f"http://a.test/{page}" for page in range(n)), targets, starts, truth, np.array(seeds, np.int32))


def counts(flags: Bools, n: int) -> list[int]:
    return np.cumsum(np.pad(flags[:n], (0, max(n - len(flags), 0)))).tolist()


# Seed 0. 1 unlocks 3*; 2, by 4 which is irrelevant too, unlocks 5* 6* 7*; 5* unlocks 8*.
WEB = graph_of({0: [1, 2], 1: [3], 2: [4], 4: [5, 6, 7], 5: [8]}, [3, 5, 6, 7, 8], [0], 9)


def test_what_pages_unlock() -> None:
    clusters = Clusters(WEB)
    unlocked = {page: [k for k in range(5) if clusters.unlocked(page) >> k & 1] for page in range(9)}
    # relevant pages by their place among 3 5 6 7 8
    assert unlocked == {0: [], 1: [0], 2: [], 3: [0], 4: [1, 2, 3, 4], 5: [1, 4], 6: [2], 7: [3], 8: [4]}


def test_pages_that_link_in_a_circle_unlock_each_other() -> None:
    web = graph_of({0: [1], 1: [2], 2: [1, 3], 3: []}, [1, 2, 3], [0], 4)
    clusters = Clusters(web)
    assert [clusters.unlocked(page) for page in range(4)] == [0b111, 0b111, 0b111, 0b100]


def test_distances_count_irrelevant_pages() -> None:
    distances = Distances(WEB)
    distances.start([0])
    assert distances.counts.tolist() == [1, 2, 2, 2, 3, 3, 3, 3, 3]
    assert distances.fetched([0]) == {1: 2, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 7: 3, 8: 3}
    assert distances.counts.tolist() == [0, 1, 1, 1, 2, 2, 2, 2, 2]
    assert Distances(WEB).counts.tolist() == [FAR] * 9


def test_look_ahead_goes_where_a_path_unlocks_most() -> None:
    """The nearest target, 3*, costs one irrelevant page for one relevant one; 4 two for four."""
    assert look_ahead_pages(WEB, 9).tolist() == [0, 2, 4, 5, 6, 7, 8, 1, 3]
    assert counts(greedy(WEB, 9), 9) == [0, 0, 1, 1, 1, 2, 3, 4, 5]
    assert counts(look_ahead(WEB, 9), 9) == [0, 0, 0, 1, 2, 3, 4, 4, 5]


def test_look_ahead_knows_what_the_budget_leaves_room_for() -> None:
    """With three fetches only 3* can be had; with four, one page for one fetch is as good as one of four for two."""
    assert look_ahead_pages(WEB, 3).tolist() == [0, 1, 3]
    assert counts(look_ahead(WEB, 5), 5)[-1] == 2


def test_look_ahead_sees_what_stands_behind_a_page_that_unlocks_nothing() -> None:
    """1 unlocks 3*; 2 unlocks nothing itself, but 4, 5 and 6 behind it two pages each: 6 for 4 pages."""
    links = {0: [1, 2], 1: [3], 2: [4, 5, 6], 4: [7, 8], 5: [9, 10], 6: [11, 12]}
    web = graph_of(links, [3, *range(7, 13)], [0], 13)
    assert look_ahead_pages(web, 13).tolist() == [0, 2, 4, 7, 8, 5, 9, 10, 6, 11, 12, 1, 3]


def test_look_ahead_ends_when_nothing_is_left() -> None:
    assert look_ahead_pages(graph_of({0: [1], 1: [2]}, [], [0], 3), 9).tolist() == [0]
    assert len(look_ahead_pages(graph_of({}, [], [], 3), 9)) == 0


def test_the_bound_by_hand() -> None:
    """Three fetches: 0, 1, 3*. Five: 0, 2, 4 and two behind them. With three irrelevant pages 4 + 1 + 0 may be unlocked
    as far as the bound sees, so it allows eight fetches for all; in truth 0, 1, 2 and 4 are four."""
    assert counts(upper_bound(WEB, 9), 9) == [0, 0, 1, 1, 2, 3, 4, 5, 5]
    assert optimum(WEB, 9) == [0, 0, 1, 1, 2, 3, 4, 4, 5]


def test_the_bound_counts_links_from_the_seeds_too() -> None:
    """A chain of relevant pages cannot be had faster than it is long; pages that no link leads to count for nothing."""
    chain = graph_of({0: [1], 1: [2], 2: [3]}, [1, 2, 3, 4], [0], 5)
    assert counts(upper_bound(chain, 6), 6) == [0, 1, 2, 3, 3, 3]


def test_the_bound_holds_for_each_part_of_it_alone() -> None:
    """C(m): 3* and 4* are both two irrelevant pages away, so two fetches bring none and three one. U(m): 1 unlocks
    three pages and 2 one; with two irrelevant pages, which are the least, five fetches bring three."""
    web = graph_of({0: [1, 2], 1: [3], 2: [4]}, [3, 4], [0], 5)
    assert counts(upper_bound(web, 5), 5) == [0, 0, 1, 2, 2]
    web = graph_of({0: [1], 1: [3, 4, 5, 2], 2: [6]}, [3, 4, 5, 6], [0], 7)
    assert counts(upper_bound(web, 7), 7) == [0, 0, 1, 2, 3, 3, 4]
    web = graph_of({0: [1, 2, 3], 1: [4, 5], 2: [6], 3: [7]}, [4, 5, 6, 7], [0], 8)
    assert counts(upper_bound(web, 8), 8) == [0, 0, 1, 2, 3, 3, 4, 4]
    assert counts(upper_bound(graph_of({0: [1]}, [0, 1], [0], 2), 3), 3) == [1, 2, 2]
    assert upper_bound(web, 0).tolist() == []
    assert upper_bound(graph_of({}, [1], [], 2), 2).tolist() == [False, False]


def optimum(graph: Graph, budget: int) -> list[int]:
    """The most relevant pages after 1, 2, ... fetches: all sets of pages that can be fetched are looked at."""
    links = [set(graph.targets[graph.starts[i] : graph.starts[i + 1]].tolist()) for i in range(len(graph.urls))]
    seeds = set(graph.seeds.tolist())
    sets, most = {frozenset[int]()}, list[int]()
    for _ in range(budget):
        sets = {one | {page} for one in sets for page in seeds.union(*(links[i] for i in one)) - one} or sets
        most.append(max(int(graph.relevant[list(one)].sum()) for one in sets))
    return most


def some_webs(n: int, pages: int) -> list[Graph]:
    rng = np.random.default_rng(5)
    return [
        graph_of(
            {page: rng.choice(pages, rng.integers(0, 4), replace=False).tolist() for page in range(pages)},
            np.flatnonzero(rng.random(pages) < 0.4).tolist(),
            rng.choice(pages, rng.integers(1, 3), replace=False).tolist(),
            pages,
        )
        for _ in range(n)
    ]


def test_no_crawl_passes_the_bound_and_it_is_close() -> None:
    reached = every = 0
    for web in some_webs(25, 9):
        bound, best = counts(upper_bound(web, 9), 9), optimum(web, 9)
        assert all(most <= limit for most, limit in zip(best, bound, strict=True))
        reached += sum(most == limit for most, limit in zip(best, bound, strict=True))
        every += 9
    assert reached > 0.95 * every


def test_oracles_find_all_that_can_be_reached_and_stay_below_the_bound() -> None:
    shares = []
    for web in some_webs(20, 25):
        bound = np.array(counts(upper_bound(web, 25), 25))
        walks = [np.array(counts(oracle(web, 25), 25)) for oracle in (look_ahead, greedy, one_step)]
        assert all((walk <= bound).all() for walk in walks)
        assert len({int(walk[-1]) for walk in walks} | {int(bound[-1])}) == 1
        if bound.any():
            shares.append([walk.sum() / bound.sum() for walk in walks])
    ahead, near, sight = np.median(shares, axis=0)
    assert 0.9 < near <= ahead <= 1
    assert sight <= near


def test_one_step_sight_without_a_target_goes_where_others_of_the_page_led_to_some() -> None:
    """0 links to the lists 1 and 2, each to three persons. The first person of 2 has a paper, the first of 1 none."""
    links = {0: [1, 2], 1: [3, 4, 5], 2: [6, 7, 8], 6: [9], 7: [10], 8: [11]}
    web = graph_of(links, [9, 10, 11], [0], 12)
    # 1 2 and 3 6 by first sight (nothing is known); then persons of 2, each with its paper; then what is left of 1
    assert one_step_pages(web, 12).tolist() == [0, 1, 2, 3, 4, 5, 6, 9, 7, 10, 8, 11]


def test_one_step_sight_goes_by_first_sight_until_something_was_found() -> None:
    """As long as nothing was found all sources are worth nothing, and the first goes first: 4 and 5 of 1. 6 of 2 leads
    to 10, so 7 of 2, worth (1 + 1/6) / 2, goes before 8 and 9 of 3, whom nobody tried: (0 + 1/6) / 1."""
    links = {0: [1, 2, 3], 1: [4, 5], 2: [6, 7], 3: [8, 9], 6: [10], 8: [11]}
    web = graph_of(links, [10, 11], [0], 12)
    assert one_step_pages(web, 12).tolist() == [0, 1, 2, 3, 4, 5, 6, 10, 7, 8, 11, 9]


def test_one_step_sight_takes_the_best_source_and_the_oldest_page_in_turns() -> None:
    """1 leads to 10. Then 2 and 3 of 0, and 4, the oldest; 2 led to nothing with it, (0 + 1/4) / 2, and 3 was not
    tried, (0 + 1/4) / 1: so 7, which leads to 11. In turns the oldest (5, 6) and the best (8, 9)."""
    web = graph_of({0: [1, 2, 3], 1: [10], 2: [4, 5, 6], 3: [7, 8, 9], 7: [11]}, [10, 11], [0], 12)
    assert one_step_pages(web, 12).tolist() == [0, 1, 10, 2, 3, 4, 7, 11, 5, 8, 6, 9]


def test_limits_are_saved_and_those_of_earlier_versions_may_lack(tmp_path: Path) -> None:
    flags = (np.array([True, False]),)
    save([TaskResult("web", (), flags, flags, flags, flags), TaskResult("old", (), flags, flags)], tmp_path)
    old, web = load(tmp_path)
    assert (old.task, old.look_ahead, old.bound) == ("old", (), ())
    assert [each.tolist() for each in (*web.look_ahead, *web.bound)] == [[True, False]] * 2
