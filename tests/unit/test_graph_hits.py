"""HITS against values worked out by hand (BNG-21 to BNG-23)."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from clew.graph.edges import LinkGraph
from clew.graph.hits import Hits, hits, matrices

GOLDEN = (1 + sqrt(5)) / 2


def graph_of(links: list[tuple[int, int]], hosts: list[int]) -> LinkGraph:
    sources, targets = np.array(links, np.int64).reshape(-1, 2).T
    return LinkGraph.of_edges(np.arange(len(hosts), dtype=np.uint64), np.array(hosts, np.int32), sources, targets)


# Pages 0 and 1 are hubs, 2 and 3 authorities: 0 links to both, 1 to page 2 only.
SMALL = [(0, 2), (0, 3), (1, 2)]


def test_thirty_iterations_reach_the_eigenvectors() -> None:
    # With A = [[1, 1], [1, 0]] (hubs x authorities), AᵀA = [[2, 1], [1, 1]] has the eigenvector (φ, 1) for φ², and
    # A·(φ, 1) = (φ + 1, φ) = φ·(φ, 1). The other eigenvalue is φ⁻², so 30 iterations leave φ⁻¹²⁰ of the start.
    found = hits(graph_of(SMALL, [0, 1, 2, 3]))
    expected = np.array([GOLDEN, 1]) / sqrt(GOLDEN**2 + 1)
    assert found.authorities == pytest.approx([0, 0, *expected], abs=1e-12)
    assert found.hubs == pytest.approx([*expected, 0, 0], abs=1e-12)


def test_one_iteration_from_the_uniform_start() -> None:
    # x₂ = y₀ + y₁ = 2·½, x₃ = y₀ = ½: (2, 1)/√5. Then y₀ = x₂ + x₃, y₁ = x₂: (3, 2)/√13.
    found = hits(graph_of(SMALL, [0, 1, 2, 3]), iterations=1)
    assert found.authorities == pytest.approx([0, 0, 2 / sqrt(5), 1 / sqrt(5)])
    assert found.hubs == pytest.approx([3 / sqrt(13), 2 / sqrt(13), 0, 0])


def test_links_within_a_host_count_only_on_request() -> None:
    # Page 4 lies on the host of page 3 and links to it: left out, it changes nothing.
    links, hosts = [*SMALL, (4, 3)], [0, 1, 2, 3, 3]
    assert hits(graph_of(links, hosts)).authorities[:4] == pytest.approx(hits(graph_of(SMALL, hosts[:4])).authorities)
    # Counted, x₂ = x₃ = 2·start after one iteration.
    counted = hits(graph_of(links, hosts), iterations=1, across_hosts=False, host_weights=False)
    assert counted.authorities == pytest.approx([0, 0, 1 / sqrt(2), 1 / sqrt(2), 0])


def test_pages_of_one_host_share_one_vote_for_an_authority() -> None:
    # Pages 0, 1, 2 of host 0 link to page 3; page 4 of host 2 links to page 5.
    graph = graph_of([(0, 3), (1, 3), (2, 3), (4, 5)], [0, 0, 0, 1, 2, 3])
    # Weighed: x₃ = 3·⅓·y = x₅ = y in every iteration, and all hubs stay equal.
    weighed = hits(graph)
    assert weighed.authorities == pytest.approx([0, 0, 0, 1 / sqrt(2), 0, 1 / sqrt(2)])
    assert weighed.hubs == pytest.approx([0.5, 0.5, 0.5, 0, 0.5, 0])
    # Not weighed: x₃ : x₅ = 3 : 1 after one iteration, 9 : 1 after two, so page 3 takes all.
    assert hits(graph, host_weights=False).authorities == pytest.approx([0, 0, 0, 1, 0, 0], abs=1e-9)


def test_links_of_a_hub_to_one_host_share_its_weight() -> None:
    # Page 0 links to pages 1 and 2 of host 1 and to page 3 of host 2; page 4 links to page 3.
    graph = graph_of([(0, 1), (0, 2), (0, 3), (4, 3)], [0, 1, 1, 2, 3])
    # x = (1, 1, 2)·start for pages 1, 2, 3; y₀ = ½·1 + ½·1 + 2 = 3, y₄ = 2. Without weights y₀ = 1 + 1 + 2 = 4.
    assert hits(graph, iterations=1).hubs == pytest.approx([3 / sqrt(13), 0, 0, 0, 2 / sqrt(13)])
    plain = hits(graph, iterations=1, host_weights=False)
    assert plain.hubs == pytest.approx([4 / sqrt(20), 0, 0, 0, 2 / sqrt(20)])


def test_the_best_come_first_and_pages_without_weight_do_not_come() -> None:
    found = hits(graph_of(SMALL, [0, 1, 2, 3]))
    assert found.top_authorities().tolist() == [2, 3]
    assert found.top_hubs().tolist() == [0, 1]
    assert found.top_authorities(1).tolist() == [2]


def test_a_graph_without_links_across_hosts_ranks_nothing() -> None:
    found = hits(graph_of([(0, 1)], [0, 0]))
    assert found.authorities.tolist() == [0, 0]
    assert found.top_hubs().tolist() == []
    assert len(hits(graph_of([], [])).hubs) == 0


def test_the_50_best_authorities_and_100_best_hubs_are_taken_by_default() -> None:
    # 120 pages of equal weight: the lower ones.
    weights = np.full(120, 1 / sqrt(120))
    found = Hits(weights, weights)
    assert found.top_authorities().tolist() == list(range(50))
    assert found.top_hubs().tolist() == list(range(100))
    assert found.top_hubs(7).tolist() == list(range(7))


def test_hosts_and_their_shares_count_by_default() -> None:
    # Pages 0 and 1 of one host link to page 2, each with half a vote; page 2 to page 3 of its own host.
    graph = graph_of([(0, 2), (1, 2), (2, 3)], [0, 0, 1, 1, 2])
    to_authorities, to_hubs = matrices(graph)
    assert to_authorities.toarray().tolist() == [[0] * 5, [0] * 5, [0.5, 0.5, 0, 0, 0], [0] * 5, [0] * 5]
    assert to_hubs.toarray().tolist() == [[0, 0, 1, 0, 0], [0, 0, 1, 0, 0], *[[0] * 5] * 3]
    plain, _ = matrices(graph, host_weights=False)
    assert plain.toarray()[2].tolist() == [1, 1, 0, 0, 0]
    inner, _ = matrices(graph, across_hosts=False)
    assert inner.toarray()[3].tolist() == [0, 0, 1, 0, 0]


def test_one_link_is_enough() -> None:
    found = hits(graph_of([(0, 1)], [0, 1]))
    assert found.authorities.tolist() == [0, 1]
    assert found.hubs.tolist() == [1, 0]
    none = hits(graph_of([], [0, 1, 2]))
    assert none.authorities.tolist() == none.hubs.tolist() == [0, 0, 0]


def test_30_iterations_are_made_by_default() -> None:
    # Pages 0, 2, 4 ... link to those before and after them: a path, whose weights settle slowly.
    path = graph_of(
        [(page, page + step) for page in range(0, 40, 2) for step in (-1, 1) if page + step >= 0], [*range(41)]
    )
    ours, more, fewer = (hits(path, iterations=count).authorities for count in (30, 31, 29))
    assert hits(path).authorities.tolist() == ours.tolist()
    assert abs(more - ours).max() > 1e-6 and abs(fewer - ours).max() > 1e-6
