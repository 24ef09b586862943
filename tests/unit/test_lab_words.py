"""Tasks that say in words what they want: how they are read, who can run them, and what repeats keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lab_web import PAGES, told, write_web
from test_lab_report import comparison, run

from clew.errors import ConfigError, InputError
from clew.lab.bench import Readers
from clew.lab.methods import methods
from clew.lab.results import Run
from clew.lab.running import Plan, run_all, run_task
from clew.lab.saved import load as load_results
from clew.lab.saved import save
from clew.lab.simulating import another, simulate
from clew.lab.tasks import Task, load
from clew.lab.variants import judge_variants, strategy_variants
from clew.strategies.registry import STRATEGIES
from support import clew


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_web(tmp_path)


def by_words(task: Task, strategies: str = "breadth-first", judges: str = "keywords") -> tuple[Run, ...]:
    return run_task(task, Plan(strategy_variants(strategies), judge_variants(judges), 1), Readers()).runs


def judged(one: Run) -> dict[str, float]:
    """The judge's relevance of each page, by its name."""
    return {url[len("http://w.test/") : -5]: float(value) for url, value in zip(one.urls, one.judged, strict=True)}


@pytest.mark.parametrize(
    ("examples", "keywords"),
    [
        ('keywords = ["yacht", "sailing boats"]', {"yacht": 1.0, "sailing boats": 1.0}),
        ("keywords = {yacht = 2, tax = -0.5}", {"yacht": 2.0, "tax": -0.5}),
        ('query = "The regatta of yachts, and other yachts"', {"regatta": 1.0, "yachts": 1.0, "other": 1.0}),
        ('query = "yacht regatta"\nkeywords = {yacht = 3}', {"yacht": 3.0, "regatta": 1.0}),
        ('positive = ["http://w.test/boats.html"]\nkeywords = ["yacht"]', {"yacht": 1.0}),
        ('positive = ["http://w.test/boats.html"]', {}),
    ],
)
def test_words_of_a_task(examples: str, keywords: dict[str, float], folder: Path) -> None:
    task = told(folder, examples)
    assert task.keywords == keywords
    assert len(task.relevant) == 2 - len(task.positive)


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ("", r"task.toml: \[examples\] does not say what is wanted: give positive pages, keywords or a query"),
        ('negative = ["http://w.test/taxes.html"]', "does not say what is wanted"),
        ("positive = []\nkeywords = []", "does not say what is wanted"),
        ('query = "the of and"', "task.toml: examples.query: 'the of and' has no word"),
        ("keywords = {tax = -1}", "task.toml: examples.keywords has no word of positive weight"),
        ('keywords = ["yacht", " "]', "task.toml: examples.keywords: ' ' is no word"),
        ("keywords = [1]", r"task.toml: .*examples.keywords"),
    ],
)
def test_a_task_must_say_what_it_wants(examples: str, said: str, folder: Path) -> None:
    with pytest.raises((InputError, ConfigError), match=said):
        told(folder, examples)


def test_the_judge_goes_by_the_words_of_the_task(folder: Path) -> None:
    """Two keywords: a page with one has 1 − 1/e of half, with both all of it times 1 − 1/e."""
    (one,) = by_words(told(folder, 'query = "yachts regatta"'))
    half = (1 - np.exp(-1)) / 2
    assert judged(one) == pytest.approx(
        {"start": 0, "boats": 2 * half, "taxes": 0, "both": 0, "more": 2 * half, "end": 0}, abs=1e-6
    )
    (other,) = by_words(told(folder, "keywords = {sailing = 3, tax = -1}"))
    assert judged(other)["both"] == pytest.approx((1 - np.exp(-1)) * 2 / 3, abs=1e-6)
    assert judged(other)["boats"] == pytest.approx(1 - np.exp(-1), abs=1e-6)
    assert (one.positive, one.keywords) == (0, 2)


def test_regular_expressions_among_keywords_see_the_text(folder: Path) -> None:
    (one,) = by_words(told(folder, 'keywords = ["/sailing (boat|tax)/"]'))
    assert [name for name, value in judged(one).items() if value > 0.5] == ["boats", "both"]


def test_every_strategy_runs_without_example_pages(folder: Path) -> None:
    runs = by_words(told(folder, 'keywords = ["yacht"]'), "all")
    assert [one.strategy for one in runs if one.backlinks != "none"] == list(STRATEGIES.names())
    assert {len(one.urls) for one in runs} == {len(PAGES)}
    assert {int(one.found.sum()) for one in runs} == {2}


@pytest.mark.parametrize(
    "judge", ["naive-bayes", "svm", "logistic", "centroid", "ensemble", "centroid(least_examples=2)"]
)
def test_a_judge_that_needs_pages_is_refused_before_anything_runs(judge: str, folder: Path) -> None:
    task = told(folder, 'keywords = ["yacht"]')
    plan = Plan(strategy_variants("breadth-first"), judge_variants(f"keywords,{judge}"), 1)
    gone = replace(task, web="folder:gone")
    with pytest.raises(
        InputError, match=r"task.toml: the task boats says .* words only, and the judge .* needs example"
    ):
        list(run_all([gone], plan, 1))


def test_a_judge_that_needs_words_is_refused_on_a_task_of_pages(folder: Path) -> None:
    told(folder, 'positive = ["http://w.test/boats.html"]')
    said = clew("lab", "run", folder / "task.toml", "--strategies", "breadth-first", "--judges", "keywords", code=2)
    assert "task.toml: judge keywords: " in said.stderr and "keywords or query of [examples]" in said.stderr


def test_repeats_keep_the_words_and_start_elsewhere(folder: Path) -> None:
    task = told(folder, 'keywords = ["yacht"]')
    task = replace(task, seeds=("http://w.test/taxes.html",), budget=6)
    plan = Plan(strategy_variants("breadth-first"), judge_variants("keywords"), 4)
    runs = run_task(task, plan, Readers()).runs
    assert {one.keywords for one in runs} == {1} and {one.positive for one in runs} == {0}
    assert [one.drawn for one in runs] == [False, True, True, True]
    assert len({one.urls[0] for one in runs}) > 1


def test_words_stay_on_their_simulated_web(tmp_path: Path) -> None:
    """The topics of another web have other words."""
    task = load(simulate("topical", 700, 5, tmp_path / "five.toml"))
    assert another(task, 1) is not None
    assert another(replace(task, keywords={"yacht": 1.0}), 1) is None


def test_results_and_the_methods_paragraph_tell_of_keywords(folder: Path) -> None:
    task = told(folder, 'query = "yachts regatta"')
    plan = Plan(strategy_variants("breadth-first"), judge_variants("keywords"), 1)
    result = run_task(task, plan, Readers())
    save([result], folder / "results")
    (kept,) = load_results(folder / "results")
    assert kept.runs[0].keywords == 2 and type(kept.runs[0].keywords) is int
    assert "1 start page and 2 keywords; 2 relevant pages" in methods(comparison(result.runs[0], oracle="11"))
    both = replace(run("0110"), starts=1, positive=1, keywords=2)
    assert "1 start page, 1 relevant example and 2 keywords" in methods(comparison(both))
