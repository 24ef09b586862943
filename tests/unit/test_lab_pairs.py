"""Strategies that asked who links to a page have a second row, without answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lab_web import told, write_web

from clew.lab.asking import BACKLINKS
from clew.lab.bench import Readers
from clew.lab.running import Plan, run_all, run_task
from clew.lab.tasks import Task
from clew.lab.variants import judge_variants, strategy_variants, without_backlinks

ASKING, SILENT = "context-graph(depth=2)", "context-graph(depth=2, backlinks=none)"


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return told(write_web(tmp_path), 'positive = ["http://w.test/more.html"]\nkeywords = ["yacht"]')


def plan(strategies: str, judges: str = "keywords", **more: object) -> Plan:
    return Plan(strategy_variants(strategies), judge_variants(judges), **{"repeats": 1, **more})  # type: ignore[arg-type]


def test_a_strategy_that_asked_has_a_second_row(task: Task) -> None:
    """Beside the first, for each judge; who did not ask has none."""
    runs = run_task(task, plan(f"{ASKING},best-first", "keywords,keywords(threshold=0.4)"), Readers()).runs
    assert [(each.strategy, each.judge) for each in runs] == [
        (ASKING, "keywords"), (SILENT, "keywords"),
        (ASKING, "keywords(threshold=0.4)"), (SILENT, "keywords(threshold=0.4)"),
        ("best-first", "keywords"), ("best-first", "keywords(threshold=0.4)"),
    ]  # fmt: skip
    assert [each.backlinks for each in runs] == ["free", "none", "free", "none", "free", "free"]
    assert all(bool(each.asked) == (each.strategy == ASKING) for each in runs)
    (same,) = run_task(task, plan(SILENT), Readers()).runs
    assert (same.urls, same.strategy_settings) == (runs[1].urls, runs[0].strategy_settings)
    assert runs[1].urls != runs[0].urls


@pytest.mark.parametrize("how", BACKLINKS)
def test_who_says_what_questions_cost_has_one_row(how: str, task: Task) -> None:
    for one in (plan(ASKING, backlinks=how), plan(f"context-graph(backlinks={how})")):
        (only,) = run_task(task, one, Readers()).runs
        assert only.backlinks == how
        assert (only.asked > 0) == (how != "none")


def test_a_row_that_is_named_is_not_run_twice(task: Task) -> None:
    runs = run_task(task, plan(f"{SILENT},{ASKING}"), Readers()).runs
    assert [each.strategy for each in runs] == [SILENT, ASKING]


def test_second_rows_are_there_for_every_task_and_repeat(task: Task) -> None:
    """A task without pages to ask about has the runs of the first row again: nothing else would come out."""
    words = replace(task, name="words", positive=())
    first, second = "context-graph(bootstrap=search)", "context-graph(bootstrap=search, backlinks=none)"
    one, other = run_all([task, words], plan(first, repeats=2, resample=False), 1)
    rows = [(first, 0), (first, 1), (second, 0), (second, 1)]
    assert [(run.strategy, run.repeat) for run in one.runs] == rows
    assert [(run.strategy, run.repeat) for run in other.runs] == rows
    assert [run.asked > 0 for run in one.runs] == [True, True, False, False]
    assert [run.asked for run in other.runs] == [0] * 4
    assert [run.backlinks for run in other.runs] == ["free", "free", "none", "none"]
    assert [run.urls for run in other.runs[:2]] == [run.urls for run in other.runs[2:]]


def test_second_rows_are_called_as_users_would_write_them() -> None:
    for written, second in (
        ("context-graph", "context-graph(backlinks=none)"),
        ("context-graph()", "context-graph(backlinks=none)"),
        ("context-graph( depth = 2 )", "context-graph(depth = 2, backlinks=none)"),
    ):
        (one,) = strategy_variants(written)
        other = without_backlinks(one)
        assert other.name == second
        (same,) = strategy_variants(second)
        assert (other.part, other.settings, other.backlinks) == (same.part, same.settings, same.backlinks)
    assert without_backlinks(replace(one, name="my study")).name == "my study(backlinks=none)"
