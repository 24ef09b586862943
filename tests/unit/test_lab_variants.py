"""Variants as users write them, and the settings that reach a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ConfigError, InputError
from clew.judges.registry import JUDGES
from clew.lab.bench import settings_of
from clew.lab.tasks import Task
from clew.lab.variants import Variant, check, full_settings, judge_settings, judge_variants, split, strategy_variants
from clew.section import Section
from clew.strategies.registry import STRATEGIES

TASK = Task("t", Path("t"), "sim:pages=1000,seed=1", True, 10, (), (), (), frozenset())


def test_variants_are_called_as_they_are_written() -> None:
    written = "best-first, apprentice(length=0),apprentice( d_max = 2, window='fixed' )"
    assert [one.name for one in strategy_variants(written)] == [
        "best-first", "apprentice(length=0)", "apprentice( d_max = 2, window='fixed' )",
    ]  # fmt: skip
    assert [one.part for one in strategy_variants(written)] == ["best-first", "apprentice", "apprentice"]


def test_all_and_what_is_named_twice() -> None:
    names = [one.name for one in strategy_variants("bingo(decay=0.9),all,bingo,bingo(decay=0.9)")]
    assert names == ["bingo(decay=0.9)", *STRATEGIES.names()]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0", 0), ("-1.5", -1.5), ("true", True), ('"a, b)"', "a, b)"), ("'c\"'", 'c"'), ("paper", "paper"),
        ("true-ish", "true-ish"), ('["a", "b"]', ["a", "b"]), ("{ x = [1, 2] }", {"x": [1, 2]}), ("1_000", 1000),
    ],
)  # fmt: skip
def test_values_are_toml_and_bare_words_are_strings(written: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.lab.variants.check", lambda one, registry: one)
    (one,) = strategy_variants(f"own(a={written}, b.c={written})")
    assert one.settings == {"a": value, "b": {"c": value}}
    assert type(one.settings["a"]) is type(value)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("apprentice(length=3", r"\) is missing"),
        ("apprentice)", "too many at character 11"),
        ("apprentice(3)", r"write apprentice\(setting=value, ...\)"),
        ("apprentice(length=)", "no TOML value"),
        ("apprentice(length=x y)", "put texts in quotes"),
        ("apprentice(length=1, length=2)", "length is set twice"),
        ("apprentice(a=1, a.b=2)", "a is set twice"),
        ("apprentice(length=1\nd_max=3)", "more than a value"),
        ("apprentice length=1", "not understood"),
        (" , ", "name at least one strategy"),
    ],
)
def test_what_cannot_be_read_is_refused(written: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        strategy_variants(written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("worst-first", "there is no strategy 'worst-first'"),
        ("no_such:Mine(a=1)", "no_such cannot be imported"),
        ("apprentice(lenth=3)", r"apprentice\(lenth=3\): \[strategy.apprentice\] has no setting 'lenth' .*length"),
        ("apprentice(length=-3)", r"\[strategy.apprentice\] length: Expected"),
    ],
)
def test_what_is_wrong_is_found_before_anything_runs(written: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        strategy_variants(written)
    with pytest.raises(ConfigError, match=r"\[judge.svm\] has no setting 'cot'"):
        judge_variants("svm(cot=1)")
    with pytest.raises(ConfigError, match=r"\[judge\] threshold"):
        judge_variants("naive-bayes(threshold=3)")


def test_settings_reach_the_run() -> None:
    (strategy,), (judge,) = strategy_variants("apprentice(length=0)"), judge_variants("svm(cost=3, threshold=0.25)")
    settings = settings_of(TASK, strategy, judge, 7)
    assert settings.strategy == {"name": "apprentice", "apprentice": {"length": 0}}
    assert (settings.judge.name, settings.judge.threshold) == ("svm", 0.25)
    assert settings.judge.tables == {"svm": {"cost": 3}}
    assert settings_of(TASK, "bingo", "svm", 7).strategy == {"name": "bingo"}


def test_a_row_tells_all_settings_also_those_by_default() -> None:
    (strategy,), (judge,) = strategy_variants("apprentice(length=0)"), judge_variants("svm(cost=3, threshold=0.25)")
    told = json.loads(full_settings(strategy, STRATEGIES))
    assert told["length"] == 0 and told["d_max"] == 5
    told = json.loads(full_settings(judge, JUDGES))
    assert (told["cost"], told["threshold"], told["pairs"]) == (3, 0.25, True)


def test_a_preset_counts_with_all_that_it_sets() -> None:
    ours, papers = (
        json.loads(full_settings(one, STRATEGIES)) for one in strategy_variants("bingo,bingo(preset=paper)")
    )
    changed = {name for name in ours if ours[name] != papers[name]} - {"preset"}
    assert changed


def test_a_judge_of_ones_own_may_have_a_threshold_itself() -> None:
    one = Variant("mine", "test_lab_variants:Mine", {"threshold": 2.0})
    JUDGES.add(one.part, Mine)
    try:
        assert judge_settings(one).tables == {one.part: {"threshold": 2.0}}
        assert check(one, JUDGES) is one
    finally:
        del JUDGES.added[one.part]


class Mine:
    class Settings(Section, frozen=True):
        threshold: float = 0.0


def test_commas_in_strings_and_brackets_do_not_part() -> None:
    assert split(r'a, b("x\",", [1, (2, 3)]), {c = ","}') == ["a", r'b("x\",", [1, (2, 3)])', '{c = ","}']
