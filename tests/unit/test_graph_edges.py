"""The graph of a crawl's links: numbering, back links, base sets."""

from __future__ import annotations

import numpy as np
import pytest

from clew.graph.edges import LinkGraph


def crawl() -> LinkGraph:
    """Page 900 links to 100, 300, 100 again and itself; page 100 to 300 and 900; 300 was not visited."""
    return LinkGraph.from_columns(
        pages=np.array([900, 100], np.uint64),
        page_hosts=np.array([0, 1]),
        starts=np.array([0, 4, 6]),
        targets=np.array([100, 300, 100, 900, 300, 900], np.uint64),
        target_hosts=np.array([1, 2, 1, 0, 2, 0]),
    )


def star(leaves: int) -> LinkGraph:
    """Pages 1 to ``leaves`` link to page 0, which links to one more."""
    nodes = np.arange(leaves + 2)
    sources, targets = np.append(nodes[1:-1], 0), np.append(np.zeros(leaves, np.int64), leaves + 1)
    return LinkGraph.of_edges(nodes.astype(np.uint64), nodes.astype(np.int32), sources, targets)


def test_visited_pages_come_first_then_targets_and_links_count_once() -> None:
    graph = crawl()
    assert graph.keys.tolist() == [900, 100, 300]
    assert graph.hosts.tolist() == [0, 1, 2]
    assert list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 0), (1, 2)]


def test_a_graph_is_told_by_its_columns_alone() -> None:
    told = repr(crawl())
    assert "keys=" in told and "targets=" in told
    assert not any(name in told for name in ("forward", "backward", "_order"))


def test_children_parents_and_nodes_of_keys() -> None:
    graph = crawl()
    assert graph.children(0).tolist() == [1, 2]
    assert graph.parents(2).tolist() == [0, 1]
    assert graph.children(2).tolist() == []
    assert graph.nodes_of(np.array([300, 5, 900, 2**63], np.uint64)).tolist() == [2, -1, 0, -1]


def test_a_page_visited_twice_is_one_node() -> None:
    pages, hosts = np.array([7, 7], np.uint64), np.array([0, 0])
    graph = LinkGraph.from_columns(pages, hosts, np.array([0, 1, 2]), np.array([8, 9], np.uint64), np.array([1, 1]))
    assert graph.keys.tolist() == [7, 8, 9]
    assert graph.children(0).tolist() == [1, 2]


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="starts must hold 2 numbers, the last of them 1"):
        LinkGraph.from_columns(
            np.array([1], np.uint64), np.array([0]), np.array([0, 2]), np.array([2], np.uint64), np.array([0])
        )


def test_an_empty_graph_answers() -> None:
    none = np.zeros(0, np.int32)
    graph = LinkGraph.from_columns(none.astype(np.uint64), none, np.zeros(1, np.int32), none.astype(np.uint64), none)
    assert len(graph) == 0
    assert graph.nodes_of(np.array([1], np.uint64)).tolist() == [-1]
    assert graph.base_set(none, np.random.default_rng(1)).tolist() == []


def test_base_set_takes_all_successors_and_a_sample_of_predecessors() -> None:
    graph = star(50)
    sets = [graph.base_set(np.array([0]), np.random.default_rng(7), predecessors=10) for _ in range(2)]
    assert sets[0].tolist() == sets[1].tolist()  # the seed alone decides
    # Page 0 itself, its one successor 51, and 10 of the 50 pages that link to it.
    assert len(sets[0]) == 12
    assert {0, 51} <= set(sets[0].tolist())
    assert len(graph.base_set(np.array([0]), np.random.default_rng(7))) == 52  # 50 are fewer than 1000: all
    alone = graph.base_set(np.array([0]), np.random.default_rng(7), successors=False, predecessors=0)
    assert alone.tolist() == [0]


def test_predecessors_in_the_set_already_take_no_place_in_the_sample() -> None:
    graph = star(3)
    # Members 0, 1, 2: of the pages 1, 2, 3 that link to 0 only page 3 is new, so a sample of 1 must be that one.
    found = graph.base_set(np.array([0, 1, 2]), np.random.default_rng(1), successors=False, predecessors=1)
    assert found.tolist() == [0, 1, 2, 3]


def test_subgraph_keeps_order_keys_and_inner_links() -> None:
    part = crawl().subgraph(np.array([2, 1]))
    assert part.keys.tolist() == [300, 100]
    assert part.hosts.tolist() == [2, 1]
    assert list(zip(part.sources.tolist(), part.targets.tolist(), strict=True)) == [(1, 0)]


def test_the_sample_of_predecessors_is_1000_by_default_and_no_page_is_drawn_twice() -> None:
    found = star(1_500).base_set(np.array([0]), np.random.default_rng(7))
    assert len(set(found.tolist())) == len(found) == 1 + 1_000 + 1
    assert found.tolist() == sorted(found.tolist())
    assert len(star(1_000).base_set(np.array([0]), np.random.default_rng(7), predecessors=1_000)) == 1_002


def test_subgraph_keeps_the_links_of_its_first_page() -> None:
    first = crawl().subgraph(np.array([0, 2]))
    assert list(zip(first.sources.tolist(), first.targets.tolist(), strict=True)) == [(0, 1)]
    whole = crawl().subgraph(np.arange(3))
    assert list(zip(whole.sources.tolist(), whole.targets.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 0), (1, 2)]
