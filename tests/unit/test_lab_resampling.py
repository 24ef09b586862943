"""Repeats: tasks drawn anew on a web of 200 pages, and on simulated webs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError
from clew.lab.resampling import drawn
from clew.lab.results import Graph
from clew.lab.simulating import another, simulate
from clew.lab.tasks import Task, load
from clew.web.simulated import parse_spec

# A ring of 100 pages p0 .. p99 of group g, where every tenth is relevant; 50 leaves l0 .. that nothing leaves, of group
# h, of which l0 to l9 have the label; 50 pages of group h without links to them, in the label file only.
RING = [f"http://w.test/p{i}" for i in range(100)]
LEAVES = [f"http://w.test/l{i}" for i in range(50)]
ELSEWHERE = [f"http://w.test/e{i}" for i in range(50)]
GRAPH = Graph(
    urls=(*RING, *LEAVES),
    targets=np.array([place for i in range(100) for place in ((i + 1) % 100, 100 + i // 2)], np.int32),
    starts=np.array([*range(0, 201, 2), *([200] * 50)], np.int32),
    relevant=np.array([i % 10 == 0 for i in range(100)] + [False] * 50, np.bool_),
    seeds=np.array([3, 57], np.int32),
)
LABELLED = (
    {url: (i % 10 == 0, "g") for i, url in enumerate(RING)}
    | {url: (i < 10, "h") for i, url in enumerate(LEAVES)}
    | dict.fromkeys(ELSEWHERE, (False, "h"))
)
TRUTH = frozenset(RING[::10])
TASK = Task(
    name="ring",
    path=Path("ring.toml"),
    web="archive:ring",
    closed=True,
    budget=50,
    seeds=(RING[3], RING[57], RING[20]),
    positive=(RING[20], LEAVES[0], LEAVES[1]),
    negative=(ELSEWHERE[0], ELSEWHERE[1], RING[1]),
    relevant=TRUTH - {RING[20]},
    truth=TRUTH,
    labelled=LABELLED,
    wanted=("yes",),
)


def everything(urls: Sequence[str]) -> list[str]:
    return list(urls)


def place(url: str) -> int:
    return int(url.rpartition("p")[2])


@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_examples_come_from_the_strata_of_those_they_replace(seed: int) -> None:
    task = drawn(TASK, seed, GRAPH, everything)
    assert [LABELLED[url] for url in task.positive] == [LABELLED[url] for url in TASK.positive]
    assert [LABELLED[url] for url in task.negative] == [LABELLED[url] for url in TASK.negative]
    assert len({*task.positive, *task.negative}) == 6


@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_start_pages_lie_as_far_from_relevant_pages_and_lead_to_as_many(seed: int) -> None:
    task = drawn(TASK, seed, GRAPH, everything)
    # p3 is 7 links before p10, p57 is 3 before p60; leaves lead nowhere. p20 is an example, and goes with it.
    assert [place(url) % 10 for url in task.seeds[:2]] == [3, 7]
    assert task.seeds[2] == task.positive[0]
    assert not {*task.seeds[:2]} & {*task.positive, *task.negative}


def test_the_truth_is_what_is_neither_example_nor_start_page() -> None:
    task = drawn(TASK, 2, GRAPH, everything)
    assert task.relevant == TRUTH - {*task.positive, *task.seeds}
    assert (task.web, task.budget, task.name) == (TASK.web, TASK.budget, TASK.name)


def test_a_seed_draws_the_same_and_another_one_something_else() -> None:
    assert drawn(TASK, 2, GRAPH, everything) == drawn(TASK, 2, GRAPH, everything)
    assert len({drawn(TASK, seed, GRAPH, everything).seeds for seed in range(2, 8)}) > 4
    other = drawn(replace(TASK, name="other"), 2, GRAPH, everything)
    assert other.seeds != drawn(TASK, 2, GRAPH, everything).seeds


def test_pages_that_the_web_lacks_are_no_examples() -> None:
    have = {*ELSEWHERE[40:43], *RING, *LEAVES}
    for seed in range(2, 6):
        task = drawn(TASK, seed, GRAPH, lambda urls: [url for url in urls if url in have])
        assert {*task.positive, *task.negative} <= have


def test_a_start_page_that_nothing_is_like_stays() -> None:
    lonely = replace(
        TASK, seeds=(LEAVES[5], "http://elsewhere.test/"), labelled={**LABELLED, LEAVES[5]: (False, "own")}
    )
    assert drawn(lonely, 2, GRAPH, everything).seeds == lonely.seeds


def test_a_draw_that_leaves_nothing_to_find_is_an_error() -> None:
    few = replace(TASK, positive=(RING[20],), truth=frozenset([RING[20]]), labelled={RING[20]: (True, "g")})
    with pytest.raises(InputError, match=r"ring.toml: all relevant pages are examples of the draw with seed 2"):
        drawn(few, 2, GRAPH, everything)


@pytest.mark.parametrize("preset", ["topical", "flat"])
def test_simulated_tasks_are_made_again_on_another_web(preset: str, tmp_path: Path) -> None:
    """Repeat 2 of the task with seed 5 is what clew lab sim makes with seed 7."""
    task = load(simulate(preset, 1500, 5, tmp_path / "five.toml"))
    seven = load(simulate(preset, 1500, 7, tmp_path / "seven.toml"))
    made = another(task, 2)
    assert made is not None and made.name == task.name
    assert parse_spec(made.web).spec == parse_spec(seven.web).spec
    for part in ("seeds", "positive", "negative", "relevant", "truth", "budget", "wanted"):
        assert getattr(made, part) == getattr(seven, part), part


def test_tasks_of_another_kind_are_not(tmp_path: Path) -> None:
    task = load(simulate("topical", 1500, 5, tmp_path / "five.toml"))
    assert another(TASK, 1) is None
    assert another(replace(task, seeds=task.seeds[::-1]), 1) is None
    assert another(replace(task, wanted=("none such",)), 1) is None


def test_a_start_page_must_lead_to_nearly_as_many_relevant_pages() -> None:
    """Page 0 leads to relevant 1 and 2, and so does 3 over 1; 4 to 43 lead to page 2 alone, which leads nowhere."""
    urls = tuple(f"http://w.test/p{i}" for i in range(44))
    rows = [[1], [2], [], [1], *([[2]] * 40)]
    graph = Graph(
        urls,
        np.array([target for row in rows for target in row], np.int32),
        np.cumsum([0, *map(len, rows)]).astype(np.int32),
        np.array([i in (1, 2) for i in range(44)], np.bool_),
        np.zeros(1, np.int32),
    )
    truth = frozenset([urls[1], urls[2]])
    one = replace(TASK, seeds=(urls[0],), positive=(), negative=(), truth=truth, relevant=truth, labelled={})
    assert {drawn(one, seed, graph, everything).seeds for seed in range(2, 12)} == {(urls[0],), (urls[3],)}
