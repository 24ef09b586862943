"""The effects as experiment files: they load, know every strategy, and have repeats enough to tell all pairs apart."""

from __future__ import annotations

from pathlib import Path

import pytest

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
