"""The effects as experiment files: they load, know every strategy, and have repeats enough to tell all pairs apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.effects_context_graph_windows import FILE, FOCUSED, burst_of, relevance_of, rows_of

from clew.lab.differences import enough
from clew.lab.experiment import load
from clew.lab.results import Run
from clew.lab.running import TaskResult
from clew.strategies.registry import STRATEGIES

FOLDER = Path(__file__).parents[2] / "benchmarks" / "effects"


@pytest.mark.parametrize(
    "name", ["bingo", "context-graph", "tunnelling"]
)  # the web of the apprentice takes long to make
def test_an_experiment_compares_every_strategy_on_enough_webs(name: str) -> None:
    study = load(FOLDER / f"{name}.toml")
    plan = study.plan
    assert {each.part for each in plan.strategies} == set(STRATEGIES.builtin)
    methods = len(plan.strategies) * len(plan.judges)
    assert plan.repeats * len(study.tasks) >= enough(methods * (methods - 1) // 2)
    assert all(task.web.startswith("sim:") and "seed=311" in task.web for task in study.tasks)


def run_of(strategy: str, found: list[int], judged: list[float], budget: int) -> Run:
    n = len(found)
    zeros, flags, values = np.zeros(n, np.int32), np.array(found, np.bool_), np.array(judged, np.float32)
    urls = tuple(f"http://a.test/{number}" for number in range(n))
    return Run("t", strategy, "j", 0, budget, 2, urls, flags, values, values, zeros, zeros, zeros, 1, 1, 0, 0, 0, "")


def test_windows_and_bursts_by_hand() -> None:
    """A budget of 10 has windows of 2. What was not judged counts as irrelevant, and the last value stays."""
    nan = float("nan")
    ours = run_of("ours", [1, 0, 1], [0.8, nan, 0.4], 10)
    base = run_of(FOCUSED, [0] * 10, [0.3] * 10, 10)
    assert relevance_of(ours) == pytest.approx([0.8, 0.4, *[0.2] * 8])
    assert [row.above for row in rows_of(TaskResult("t", (ours, base), (), ()))] == [0.2, 0.0]
    long = run_of("long", [1] * 3 + [0] * 45 + [1] * 20 + [0] * 60 + [1] * 22, [0.5] * 150, 150)
    assert (burst_of(ours), burst_of(long)) == (2, 22)
    assert burst_of(run_of("dense", [1] * 40 + [0] * 9 + [1] * 30, [0.5] * 79, 100)) == 41


def test_the_windows_file_has_the_papers_baselines() -> None:
    strategies = {each.name: each for each in load(FILE).plan.strategies}
    assert strategies[FOCUSED].backlinks == "none" and strategies[FOCUSED].settings == {"bootstrap": "none"}
    assert "breadth-first" in strategies
