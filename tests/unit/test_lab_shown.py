"""Saved results as a browser gets them: on runs made by ``clew lab run`` on a tiny web, and on figures by hand."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from lab_web import TASK, write_web

from clew.errors import InputError
from clew.lab.folders import DEEPEST, result_folder, result_folders
from clew.lab.measured import MEASURES
from clew.lab.results import Run
from clew.lab.saved import comparison_of, load
from clew.lab.shown import ALL_TASKS, POINTS, Results, results, results_of, thinned
from support import clew_json

POSITIVE = 'positive = ["http://w.test/boats.html"]'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two strategies, three repeats each."""
    base = tmp_path_factory.mktemp("lab")
    write_web(base)
    task = base / "task.toml"
    task.write_text(TASK.format(examples=POSITIVE))
    out = base / "results" / "first"
    clew_json(
        "lab", "run", task, "--strategies", "breadth-first,random", "--judges", "naive-bayes", "--repeats", 3,
        "--out", out, "--jobs", 1,
    )  # fmt: skip
    return out


@pytest.fixture(scope="module")
def shown(folder: Path) -> Results:
    return results(folder)


def columns(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_holds_what_was_run(shown: Results) -> None:
    (task,) = shown.tasks
    assert (task.name, task.budget, task.runs, task.repeats) == ("boats", 9, 6, 3)
    assert sorted(shown.strategies) == ["breadth-first", "random"]
    assert shown.judges == ["naive-bayes"]
    assert task.ranked == [one.name for one in shown.methods]
    assert {"one-step sight", "upper bound"} <= set(task.limits)
    assert shown.says
    assert task.says


def test_its_figures_are_those_of_the_report(folder: Path, shown: Results) -> None:
    """Medians of what results.csv has for each repeat, and the tests of differences.csv."""
    rows = columns(folder, "results.csv")
    for measure in ("area_over_oracle", "area_over_bound", "recall", "fetched", "found"):
        for value in (one for one in shown.values if one.measure == measure):
            own = [float(row[measure]) for row in rows if f"{row['strategy']} / {row['judge']}" == value.method]
            assert len(own) == value.repeats == 3
            assert value.median == pytest.approx(np.median(own), abs=2e-6)
            assert (value.low, value.high) == (pytest.approx(min(own), abs=2e-6), pytest.approx(max(own), abs=2e-6))
    assert len(shown.values) == len(MEASURES) * 2
    tested = columns(folder, "differences.csv")
    assert [one.task or "all" for one in shown.differences] == [row["task"] for row in tested]
    for one, row in zip(shown.differences, tested, strict=True):
        assert (one.one, one.other, one.n, one.test) == (row["one"], row["other"], int(row["n"]), row["test"])
        for value, name in ((one.difference, "difference"), (one.p, "p"), (one.p_holm, "p_holm")):
            assert value == (float(row[name]) if row[name] else None)
    assert {one.task for one in shown.differences} == {ALL_TASKS, "boats"}


def test_curves_are_those_of_the_runs_and_of_the_limits(folder: Path, shown: Results) -> None:
    (result,) = load(folder)
    drawn = {(one.method, one.repeat): one for one in shown.curves if not one.is_limit}
    assert len(drawn) == len(result.runs) == 6
    for run in result.runs:
        one = drawn[f"{run.strategy} / {run.judge}", run.repeat]
        assert one.fetched == list(range(run.fetched + 1))
        assert one.found == run.curve.tolist()
    limits = [one for one in shown.curves if one.is_limit]
    assert {one.repeat for one in limits if one.method == "greedy oracle"} == {0, 1, 2}
    assert all(max(one.fetched) <= 9 for one in limits)


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    found = np.arange(100_000) % 3 == 0
    fetched, counts = thinned(found)
    assert len(fetched) == len(set(fetched)) == POINTS
    assert (fetched[0], fetched[-1], counts[-1]) == (0, 100_000, 33_334)
    assert all(count == (at + 2) // 3 for at, count in zip(fetched, counts, strict=True))
    assert thinned(np.zeros(0, np.bool_)) == ([0], [0])
    assert thinned(np.ones(199, np.bool_)) == (list(range(200)), list(range(200)))
    assert len(thinned(np.ones(200, np.bool_))[0]) == POINTS


def test_it_is_json_without_what_json_lacks(folder: Path, shown: Results) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    again = json.loads(json.dumps(asdict(shown), allow_nan=False), parse_constant=refuse)
    assert again["tasks"][0]["name"] == "boats"
    (result,) = load(folder)
    lost: tuple[Run, ...] = tuple(
        replace(run, precision=float("nan"), predicted=np.full(run.fetched, np.nan, np.float32), reachable=0)
        for run in result.runs
    )
    none = results_of(comparison_of([replace(result, runs=lost)]))
    json.dumps(asdict(none), allow_nan=False)
    unknown = {one.measure: (one.median, one.low, one.repeats) for one in none.values}
    assert unknown["precision"] == unknown["auc"] == unknown["recall"] == (None, None, 0)


def test_results_that_cannot_be_read_are_said_to_be(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results of the lab"):
        results(tmp_path)
    for name, data in (("short", b"PK\x03\x04 cut"), ("empty", b""), ("other", b"hello")):
        (tmp_path / name / "tasks").mkdir(parents=True)
        (tmp_path / name / "tasks" / "a.npz").write_bytes(data)
        with pytest.raises(InputError, match=r"are damaged.*make them again"):
            results(tmp_path / name)
    (kept,) = (folder / "tasks").glob("*.npz")
    (tmp_path / "alone" / "tasks").mkdir(parents=True)
    (tmp_path / "alone" / "tasks" / kept.name).write_bytes(kept.read_bytes())
    with pytest.raises(InputError, match="no runs"):
        results(tmp_path / "alone")


# -- folders --------------------------------------------------------------------------------------------------------


def made(base: Path, name: str, when: int, runs: int = 2) -> Path:
    """A folder that looks like results; the list reads none of them."""
    for kind, count in (("tasks", 1), ("runs", runs)):
        (base / name / kind).mkdir(parents=True)
        for place in range(count):
            file = base / name / kind / f"{place}.npz"
            file.write_bytes(b"not read")
            os.utime(file, (when, when))
    return base / name


def test_folders_of_results_are_found_newest_first(tmp_path: Path) -> None:
    made(tmp_path, "old", 1_000)
    made(tmp_path, "deep/down/new", 3_000, runs=5)
    made(tmp_path, ".hidden", 9_000)
    made(tmp_path, "/".join("abcdef"[: DEEPEST + 1]), 9_000)
    (made(tmp_path, "odd", 2_000) / "experiment.toml").write_text("title = [broken")
    (tmp_path / "old" / "experiment.toml").write_text('title = "Old\\u202e one"\nstrategies = ["random"]')
    (tmp_path / "empty" / "tasks").mkdir(parents=True)
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    found = result_folders(tmp_path)
    assert [(one.name, one.tasks, one.runs) for one in found] == [("deep/down/new", 1, 5), ("odd", 1, 2), ("old", 1, 2)]
    assert [one.title for one in found] == ["Crawl strategies compared"] * 2 + [r"Old\u202e one"]
    assert found[0].changed == "1970-01-01T00:50:00Z"
    assert [one.name for one in result_folders(tmp_path, most=1)] == ["deep/down/new"]
    assert [one.name for one in result_folders(tmp_path / "old")] == ["."]
    assert result_folders(tmp_path / "nothing") == []


def test_a_listed_folder_can_be_opened_by_its_name_and_no_other(folder: Path) -> None:
    base = folder.parent
    (one,) = result_folders(base)
    assert (one.name, one.tasks, one.runs) == ("first", 1, 6)
    assert results(result_folder(base, one.name)).tasks[0].name == "boats"
    assert result_folder(folder, ".") == folder
    for name in ("..", "../results/first/../..", "none", "first/runs", str(folder.parent.parent), "a\0b", "x" * 5_000):
        with pytest.raises(InputError, match="no results of the lab"):
            result_folder(base, name)


def test_links_lead_to_no_other_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    with pytest.raises(InputError, match="no results of the lab"):
        result_folder(tmp_path, "link")
