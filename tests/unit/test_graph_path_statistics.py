"""Tables of papers/5 from crawls whose figures are printed there or were worked out by hand (TUN-15, 16, 27 to 33)."""

from __future__ import annotations

import numpy as np
import pytest

from clew.graph.path_statistics import path_statistics
from clew.graph.path_tables import tables


def chain(notation: str) -> tuple[np.ndarray, np.ndarray]:
    """A path as Table 1 writes it: 0 is a nugget, X a dud."""
    marks = notation.split("-")
    return np.arange(-1, len(marks) - 1), np.array([0.6 if mark == "0" else 0.1 for mark in marks])


# A tree of eight pages, correlation in brackets; 0 is the seed:
#   0 [.6] -> 1 [.1] -> 2 [.2] -> 3 [.7] -> 4 [.8]
#                                 3      -> 5 [.3] -> 6 [.55] -> 7 [.05]
TREE = np.array([-1, 0, 1, 2, 3, 3, 5, 6])
SCORES = np.array([0.6, 0.1, 0.2, 0.7, 0.8, 0.3, 0.55, 0.05])


@pytest.mark.parametrize(
    ("notation", "lengths"),
    [("0-0", [2]), ("0-X-X-X-X-0", [6]), ("0-X-X-0-X-0", [4, 3]), ("0-0-0", [2, 2]), ("0-X-X", [])],
)
def test_the_lengths_of_table_1(notation: str, lengths: list[int]) -> None:
    counts = path_statistics(*chain(notation)).lengths.counts
    assert np.repeat(np.arange(len(counts)), counts).tolist() == sorted(lengths)


def test_a_path_may_begin_at_a_seed_that_is_no_nugget() -> None:
    statistics = path_statistics(*chain("X-X-0-X-0"))
    # X-X-0 from the pseudo-nugget has length 3, as has 0-X-0.
    assert statistics.lengths.counts.tolist() == [0, 0, 0, 2]
    assert statistics.lengths.from_seeds == 1


def test_twenty_bands_and_no_length_that_is_not_counted() -> None:
    statistics = path_statistics(np.array([-1, 0, 0]), np.array([0.4, 0.05, 1.0]), threshold=1.0)
    assert statistics.children.shape == statistics.history.shape == (20, 20)
    assert len(statistics.chance) == len(statistics.lift) == len(statistics.lost) == 20
    assert np.argwhere(statistics.children).tolist() == [[7, 0], [7, 19]]  # the parent's .4 lies in (.35, .40]
    assert path_statistics(*chain("0-X-X")).lengths.counts.tolist() == [0, 0, 0]


def test_terminated_and_incomplete_paths() -> None:
    # The seed's links lead to a chain of two duds, which reaches cutoff 2, and to one dud alone, which does not.
    statistics = path_statistics(np.array([-1, 0, 1, 0]), np.array([0.9, 0.1, 0.1, 0.1]), metric="fixed", cutoff=2)
    assert (statistics.terminated, statistics.incomplete, statistics.lengths.completed) == (1, 1, 0)
    assert statistics.ended == 1
    # The "very brief crawl" of Table 1: one path of length 2, one incomplete.
    brief = path_statistics(np.array([-1, 0, 0]), np.array([0.9, 0.9, 0.1]))
    assert (brief.lengths.counts.tolist(), brief.terminated, brief.incomplete) == ([0, 0, 1], 0, 1)
    # A seed alone is no path.
    assert path_statistics(np.array([-1]), np.array([0.1])).incomplete == 0


def test_lengths_and_levels_of_the_tree() -> None:
    statistics = path_statistics(TREE, SCORES)
    # 0-1-2-3: 4 pages; 3-4: 2; 3-5-6: 3; page 7 is the end of an incomplete path.
    assert statistics.lengths.counts.tolist() == [0, 0, 1, 1, 1]
    assert (statistics.lengths.mode, statistics.lengths.mean) == (2, 3.0)
    assert (statistics.nuggets, statistics.seeds, statistics.incomplete) == (4, 1, 1)  # .6 .7 .8 .55
    # Interesting, from 0.25: .6 .7 .8 .3 .55. Mean without the seed: 2.7 / 7.
    assert statistics.interesting == 5
    assert statistics.mean_correlation == pytest.approx(2.7 / 7)
    # Level 1: pages 1, 4, 5, 7 (.1 .8 .3 .05); level 2: pages 2, 6 (.2 .55); level 3: page 3.
    assert statistics.by_level.count.tolist() == [0, 4, 2, 1]
    assert statistics.by_level.mean[1:] == pytest.approx([1.25 / 4, 0.375, 0.7])
    assert statistics.by_level.most[1:] == pytest.approx([0.8, 0.55, 0.7])
    empty = statistics.by_level.mean[0], statistics.by_level.deviation[0], statistics.by_level.most[0]
    assert np.isnan(empty).all(), "no page is on level 0"
    assert statistics.by_level.deviation[2] == pytest.approx(0.175)  # .2 and .55 lie .175 from their mean


def test_levels_under_the_metric() -> None:
    # Three duds of correlation 0 after a nugget, C = 2: distances 1, 1 + e, and more. Levels by distance of the
    # parent + 1: 1, 2 and ⌊2 + e⌋ = 4; by equation (2): 1, 2, 3.
    statistics = path_statistics(np.arange(-1, 3), np.array([0.9, 0, 0, 0]), cutoff=2)
    assert statistics.by_level.count.tolist() == [0, 1, 1, 1]
    assert statistics.by_distance.count.tolist() == [0, 1, 1, 0, 1]


def test_the_threshold_decides_where_levels_and_distances_begin_anew() -> None:
    # Page 1 [.45] is a nugget from .4 on, so its child is one link from a nugget, else two.
    for threshold, counts in ((0.4, [0, 2]), (0.5, [0, 1, 1])):
        statistics = path_statistics(np.arange(-1, 2), np.array([0.9, 0.45, 0.1]), threshold=threshold)
        assert statistics.by_level.count.tolist() == statistics.by_distance.count.tolist() == counts
        assert statistics.nuggets == 4 - len(counts)


def test_children_of_nuggets_and_history_of_the_tree() -> None:
    statistics = path_statistics(TREE, SCORES)
    # Children of nuggets: 1 [.1, band 1], one dud (2) before nugget 3; 5 [.3, band 5], 6 is its child: 0 duds;
    # 4 [.8, band 15] and 7 [.05, band 0] lead to none.
    assert np.flatnonzero(statistics.after_nugget.count).tolist() == [1, 5]
    assert statistics.after_nugget.mean[[1, 5]].tolist() == [1, 0]
    assert np.flatnonzero(statistics.lost).tolist() == [0, 15]
    # Pages with a dud as parent that has a parent itself: 2 (parent .1, before it .6), 3 (.2, .1), 6 (.3, .7).
    assert np.argwhere(statistics.history).tolist() == [[1, 11], [3, 1], [5, 13]]
    assert np.argwhere(statistics.history_nuggets).tolist() == [[3, 1], [5, 13]]
    # From page 1 it is two links to nugget 3, from pages 2 and 5 one.
    assert [statistics.history_ahead[place] for place in ((1, 11), (3, 1), (5, 13))] == [2, 1, 1]
    # .05 · .1 · .2 · .3 · none in [.4, .5) · .55 · .6 · .7 · .8 · none from .9 on
    assert statistics.tenths.tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1, 0]


def test_the_nearest_nugget_below_counts() -> None:
    # 0 nugget -> 1 dud -> {2 dud -> 3 nugget, 4 nugget}: page 1 contains a link to a nugget, so 0 duds (Table 4).
    statistics = path_statistics(np.array([-1, 0, 1, 2, 1]), np.array([0.9, 0.2, 0.1, 0.9, 0.9]))
    assert statistics.after_nugget.mean[3] == 0


# Table 3 of the paper: pages by bracket (.05 to .90), all of them and those whose parent has (.45, .5].
ALL = (149188, 99479, 147185, 115576, 66530, 42529, 27710, 16549, 11787, 8126, 4613, 3444, 1971, 1166, 656, 310, 96, 29)
NEAR = (1102, 422, 892, 897, 1134, 1022, 944, 740, 768, 614, 310, 224, 148, 78, 38, 11, 2, 1)


def test_better_parents_have_better_children_as_table_3_prints() -> None:
    brackets = np.arange(18) * 0.05 + 0.03  # a score inside each bracket
    rest = np.array(ALL) - np.array(NEAR)
    scores = np.concatenate([[0.48, 0.02], np.repeat(brackets, NEAR), np.repeat(brackets, rest)])
    parents = np.concatenate([[-1, -1], np.zeros(sum(NEAR), np.int64), np.ones(rest.sum(), np.int64)])
    statistics = path_statistics(parents, scores)
    assert statistics.children[9, :18].tolist() == list(NEAR)
    assert statistics.children.sum(axis=0)[:18].tolist() == list(ALL)
    # TUN-28: 812 of 9,347 against 12,285 of all; the rows of the paper add up to 696,944.
    assert statistics.child_nuggets[9] == 812
    assert statistics.child_nuggets.sum() == 12_285
    assert statistics.chance[9] == pytest.approx(0.087, abs=5e-4)
    assert statistics.lift[9] == pytest.approx(4.9, abs=0.05)


@pytest.mark.parametrize(
    ("counts", "interesting", "documents", "shares"),
    [  # Table 5: shares of the documents from 0.25 on, recomputed (TUN-33)
        ((1195, 461, 125, 27, 0), 13_265, 91_859, ("9.01 %", "3.48 %", "0.94 %", "0.20 %", "1.97 %")),
        ((4497, 1094, 285, 39, 0), 48_196, 541_205, ("9.33 %", "2.27 %", "0.59 %", "0.08 %", "1.09 %")),
    ],
)
def test_table_5_from_its_counts(
    counts: tuple[int, ...], interesting: int, documents: int, shares: tuple[str, ...]
) -> None:
    nuggets = sum(counts)
    scores = np.repeat(
        [0.1, 0.3, 0.55, 0.65, 0.75, 0.85, 0.95], [documents - interesting, interesting - nuggets, *counts]
    )
    statistics = path_statistics(np.full(documents, -1), scores)
    assert statistics.tenths[5:].tolist() == list(counts)
    assert (statistics.interesting, statistics.nuggets) == (interesting, nuggets)
    last = tables(statistics).split("What was found")[1]
    assert all(share in last for share in shares)


def test_the_tables_name_their_numbers() -> None:
    text = tables(path_statistics(TREE, SCORES))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "Paths from nugget to nugget: threshold 0.5, cutoff 20, distance cumulative_max"
    assert "complete paths 3 (0 from seeds that are no nuggets)" in lines
    assert "path length 2 most common, 3.00 on average (both ends counted)" in lines
    assert "2 2 0.3750 0.550" in lines  # level 2 of Table 2
    assert "(0.05, 0.10] 1 1.00 0.00 0" in lines  # Table 4
    # Figure 1: of the two pages whose parent lies below 0.25, the one whose grandparent has .1 is a nugget.
    assert "(0.00, 0.25] (0.05, 0.10] 1 50.00 % 1 100.00 % 100.00 %" in lines


# The tree, with threshold 0.4 and cutoff 2, and beside it a path from a second seed, a dud:
#   8 [.1] -> 9 [0] -> 10 [.02] -> 11 [.95]
# Distances under cumulative_plain: page 1 .9, page 2 .9 + .8·e^.9 = 2.87, page 9 1, page 10 1 + .98·e = 3.66.
TEXT = """\
Paths from nugget to nugget: threshold 0.4, cutoff 2, distance cumulative_plain
  pages             12
  seeds             2
  nuggets           5 (41.67 % of pages)
  mean correlation  0.367 (seeds left out)
  complete paths    4 (1 from seeds that are no nuggets)
  path length       4 most common, 3.25 on average (both ends counted)
  terminated paths  0 (last dud at or beyond the cutoff)
  incomplete paths  1 (last dud before the cutoff)

Correlation by level: links from the last nugget or seed, equation (2) (Table 2)
  level  pages    mean   most
      1      5  0.2500  0.800
      2      3  0.2567  0.550
      3      2  0.8250  0.950

Correlation by distance of the parent + 1, rounded down, cumulative_plain (Figure 2)
  distance  pages    mean   most
         1      7  0.2857  0.800
         2      1  0.0200  0.020
         3      1  0.7000  0.700
         4      1  0.9500  0.950

Pages by correlation, and how often children of a page of that correlation are nuggets (Table 3)
   correlation  pages    share  children  nuggets    chance  lift
  [0.00, 0.05]      3  30.00 %         2        1   50.00 %  1.25
  (0.05, 0.10]      1  10.00 %         2        0    0.00 %  0.00
  (0.15, 0.20]      1  10.00 %         1        1  100.00 %  2.50
  (0.25, 0.30]      1  10.00 %         1        1  100.00 %  2.50
  (0.50, 0.55]      1  10.00 %         1        0    0.00 %  0.00
  (0.55, 0.60]      0   0.00 %         1        0    0.00 %  0.00
  (0.65, 0.70]      1  10.00 %         2        1   50.00 %  1.25
  (0.75, 0.80]      1  10.00 %         0        0         -     -
  (0.90, 0.95]      1  10.00 %         0        0         -     -
           all     10                 10        4   40.00 %      \n
Children of nuggets by correlation: duds on the way to the nearest nugget below (Table 4)
   correlation  pages  mean  deviation  lead to none
  [0.00, 0.05]      0     -          -             1
  (0.05, 0.10]      1  1.00       0.00             0
  (0.25, 0.30]      1  0.00       0.00             0
  (0.75, 0.80]      0     -          -             1

Pages whose parent is a dud, by correlation of parent and grandparent (Figure 1)
        parent   grandparent  pages     share  nuggets     share    chance
  (0.00, 0.20]  [0.00, 0.05]      1   25.00 %        1   50.00 %  100.00 %
  (0.00, 0.20]  (0.05, 0.10]      2   50.00 %        1   50.00 %   50.00 %
  (0.00, 0.20]  (0.55, 0.60]      1   25.00 %        0    0.00 %    0.00 %
  (0.20, 0.40]  (0.65, 0.70]      1  100.00 %        1  100.00 %  100.00 %

What was found (Table 5)
  correlation  pages  of those from 0.2    of all
          all     12                     100.00 %
     from 0.2      7           100.00 %   58.33 %
   [0.4, 0.5)      0             0.00 %    0.00 %
   [0.5, 0.6)      1            14.29 %    8.33 %
   [0.6, 0.7)      1            14.29 %    8.33 %
   [0.7, 0.8)      1            14.29 %    8.33 %
   [0.8, 0.9)      1            14.29 %    8.33 %
   [0.9, 1.0]      1            14.29 %    8.33 %
      nuggets      5            71.43 %   41.67 %
"""


def test_all_tables_as_they_are_printed() -> None:
    parents = np.append(TREE, [-1, 8, 9, 10])
    correlation = np.append(SCORES, [0.1, 0.0, 0.02, 0.95])
    statistics = path_statistics(parents, correlation, metric="cumulative_plain", threshold=0.4, cutoff=2.0)
    assert tables(statistics) == TEXT
    assert (statistics.metric, statistics.threshold, statistics.cutoff) == ("cumulative_plain", 0.4, 2.0)


@pytest.mark.parametrize(("cutoff", "most"), [(0, 11), (2, 21)])
def test_distances_in_figure_2_end_at_ten_cutoffs(cutoff: float, most: int) -> None:
    # Duds of correlation 0 after a nugget. C = 0: 1, 1 + e^50. C = 2: 1, 1 + e = 3.7, then beyond 3.7 + e^3.7 = 44.
    counted = path_statistics(np.arange(-1, 4), np.array([0.9, 0, 0, 0, 0]), cutoff=cutoff).by_distance.count
    expected = {0: [1, 2, 11, 11], 2: [1, 2, 4, 21]}[int(cutoff)]
    assert np.repeat(np.arange(len(counted)), counted).tolist() == expected
    assert len(counted) == most + 1


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.35, 1.0])
def test_tables_of_small_crawls_and_any_threshold(threshold: float) -> None:
    assert tables(path_statistics(TREE, SCORES, threshold=threshold, cutoff=0)).count("\n\n") == 6
    empty = path_statistics(np.zeros(0, np.int64), np.zeros(0), threshold=threshold)
    assert "path length" in tables(empty)
