"""The effects as experiment files: they load, know every strategy, and have repeats enough to tell all pairs apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.effects_context_graph_windows import FILE, FOCUSED, Crawled, burst_of, relevance_of, rows_of

from clew.lab.differences import enough
from clew.lab.experiment import load
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


def test_windows_and_bursts_by_hand() -> None:
    """A budget of 10 has windows of 2. What was not judged counts as irrelevant, and the last value stays."""
    curve = relevance_of(np.array([0.8, np.nan, 0.4]), 10)
    assert curve == pytest.approx([0.8, 0.4, *[0.2] * 8])
    found = np.array([1, 0, 1], np.bool_)
    crawls = {"ours": Crawled(found, curve, 7), FOCUSED: Crawled(found[:1], np.full(10, 0.3), 0)}
    assert [(row.found, row.above, row.asked) for row in rows_of("w", crawls)] == [(2, 0.2, 7), (1, 0.0, 0)]
    long = [1] * 3 + [0] * 45 + [1] * 20 + [0] * 60 + [1] * 22
    assert (burst_of(found), burst_of(np.array(long, np.bool_))) == (2, 22)
    assert burst_of(np.array([1] * 40 + [0] * 9 + [1] * 30, np.bool_)) == 41


def test_the_windows_file_has_the_papers_baselines() -> None:
    strategies = {each.name: each for each in load(FILE).plan.strategies}
    assert strategies[FOCUSED].backlinks == "none" and strategies[FOCUSED].settings == {"bootstrap": "none"}
    assert "breadth-first" in strategies
