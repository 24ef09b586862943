"""The lab on a web of twelve pages whose figures were worked out by hand, and on a real one.

   S          S links to a, b, c, x; a to d; b to e, f; d to g; e to h; f to i; g to j; j to k.
 / | \\        x is an example and counts for nothing. Relevant: h, i, k.
a  b  c       breadth-first: S a b c x d e f g h i j k finds h with fetch 10, i with 11, k with 13
d  e,f        greedy: S b e h finds h with fetch 4; f i: with 6; a d g j k: with 11
g  h,i
j
k
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from clew.lab.measures import area
from clew.strategies.registry import STRATEGIES
from clew.version import __version__
from support import clew, clew_json, init_plain, shared

LINKS = {
    "S": "abcx", "a": "d", "b": "ef", "c": "", "d": "g", "e": "h", "f": "i", "g": "j", "h": "", "i": "", "j": "k",
    "k": "", "x": "",
}  # fmt: skip
RELEVANT = "hik"
TASK = """
name = "twelve"
web = "folder:{web}"
labels = "labels.tsv"
budget = {budget}
seeds = ["http://w.test/S.html"]
[truth]
labels = ["yes"]
[examples]
positive = ["http://w.test/x.html"]
"""


def url(page: str) -> str:
    return f"http://w.test/{page}.html"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    folder = tmp_path / "web" / "w.test"
    folder.mkdir(parents=True)
    for page, links in LINKS.items():
        words = (
            "sailing boats and the regatta of yachts" if page in f"{RELEVANT}x" else "taxes and the budget of states"
        )
        anchors = "".join(f"<a href='{link}.html'>go</a> " for link in links)
        (folder / f"{page}.html").write_text(f"<html lang=en><title>{page}</title><p>{words * 5}</p><p>{anchors}")
    labels = "".join(f"{url(page)}\t{'yes.sure' if page in RELEVANT + 'x' else 'no'}\t-\n" for page in LINKS)
    (tmp_path / "labels.tsv").write_text(f"url\tlabel\tgroup\n{labels}")
    file = tmp_path / "task.toml"
    file.write_text(TASK.format(web=tmp_path / "web", budget=13))
    return file


def curve_area(finds: list[int], budget: int) -> float:
    """The mean over fetches 1 .. budget of how many were found by then."""
    return sum(sum(found <= fetch for found in finds) for fetch in range(1, budget + 1)) / budget


def test_breadth_first_and_oracle_as_worked_out_by_hand(task: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    (row,) = clew_json("lab", "run", task, "--strategies", "breadth-first", "--out", out)
    assert (row["task"], row["strategy"], row["fetched"], row["found"], row["recall"]) == (
        "twelve", "breadth-first", 13, 3, 1.0,
    )  # fmt: skip
    ours, best = curve_area([10, 11, 13], 13), curve_area([4, 6, 11], 13)
    assert row["area_over_oracle"] == pytest.approx(ours / best, abs=1e-6)
    assert (out / "report.html").stat().st_size > 10_000
    assert (row["precision"], row["recall_of_called"]) == (1.0, 1.0)
    assert [row[f"estimated_{name}"] for name in ("precision", "low", "high")] == [None] * 3
    before = (out / "results.csv").read_text()
    (out / "results.csv").unlink()
    (out / "experiment.toml").write_text('title = "By hand"\nstrategies = ["breadth-first"]')
    clew("lab", "report", out)
    assert "<h1>By hand</h1>" in (out / "report.html").read_text()
    assert (out / "results.csv").read_text() == before


def test_the_truth_counts_whatever_the_judge_says(task: Path) -> None:
    """Here the judge takes e for wanted and k for unwanted."""
    folder = task.parent / "web" / "w.test"
    one, other = ((folder / f"{page}.html").read_text() for page in "ek")
    (folder / "e.html").write_text(one.replace("taxes and the budget of states", "sailing boats and yachts"))
    (folder / "k.html").write_text(other.replace("sailing boats and the regatta of yachts", "taxes and the budget"))
    (row,) = clew_json("lab", "run", task, "--strategies", "breadth-first")
    assert row["found"] == 3
    assert (row["precision"], row["recall_of_called"]) == (pytest.approx(2 / 3, abs=1e-6),) * 2, (
        "h, i; of e, h, i; of h, i, k"
    )
    ours, best = curve_area([10, 11, 13], 13), curve_area([4, 6, 11], 13)
    assert row["area_over_oracle"] == pytest.approx(ours / best, abs=1e-6)


def test_random_as_worked_out_by_hand(task: Path) -> None:
    """The crawl's seed 3 gives a .53, b .85, c .81, x .50, d .08, e .41, f .33, g .62, h .94, i .35, j .20, k .68.

    S shows a b c x: b goes first, then c, a, and x before e (.41), f and d; e shows h, which goes at once, then f, i,
    and d g j k: h is found with fetch 7, i with 9, k with 13.
    """
    (row,) = clew_json("lab", "run", task, "--strategies", "random", "--seed", 3)
    assert (row["fetched"], row["found"]) == (13, 3)
    ours, best = curve_area([7, 9, 13], 13), curve_area([4, 6, 11], 13)
    assert row["area_over_oracle"] == pytest.approx(ours / best, abs=1e-6)


def test_all_strategies_are_run(task: Path) -> None:
    rows = clew_json("lab", "run", task, "--strategies", "all")
    asked = [row["strategy"] for row in rows if row["asked"]]
    assert asked == ["context-graph"]
    names = [row["strategy"] for row in rows]
    names.remove("context-graph(backlinks=none)")
    assert names == list(STRATEGIES.names())


def test_who_asked_is_told_in_what_is_printed(task: Path) -> None:
    options = ("lab", "run", task, "--strategies", "best-first,context-graph")
    printed = clew(*options).stdout
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if line.count("│") > 5]
    assert [(row[1], row[4]) for row in cells[:3]] == [
        ("best-first", ""), ("context-graph", "2 free"), ("context-graph(backlinks=none)", "none"),
    ]  # fmt: skip
    assert "Asked: so often a method asked who links to a page" in printed
    silent = clew(*options, "--backlinks", "none").stdout
    assert "Asked" not in silent and "backlinks=none" not in silent
    paid = clew_json(*options, "--backlinks", "charged")
    assert [(row["strategy"], row["asked"]) for row in paid] == [("best-first", 0), ("context-graph", 2)]


def test_area_counts_a_run_that_stops_early_to_its_end() -> None:
    assert area([True, False], 4) == pytest.approx(1.0)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_figures_whatever_the_jobs(task: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(task.read_text().replace('"twelve"', '"other"').replace("budget = 13", "budget = 8"))
    options = ("--strategies", "best-first,random", "--judges", "naive-bayes,centroid")
    rows = [clew_json("lab", "run", task, other, *options, "--repeats", 2, "--jobs", jobs) for jobs in (1, 2)]
    for each in rows:
        for row in each:
            del row["seconds"]
    assert rows[0] == rows[1] and len(rows[0]) == 2 * 2 * 2 * 2


def test_wrong_tasks_say_what_is_wrong(task: Path, tmp_path: Path) -> None:
    good = task.read_text()
    for change, said in (
        (("budget = 13", "budget = 0"), "budget"),
        (('labels = ["yes"]', 'labels = ["maybe"]'), "maybe"),
        (("http://w.test/S.html", "w.test"), "seeds"),
        (('labels = "labels.tsv"', 'labels = "none.tsv"'), "none.tsv"),
        (("seeds", "sedes"), "sedes"),
    ):
        bad = tmp_path / "bad.toml"
        bad.write_text(good.replace(*change))
        assert said in clew("lab", "run", bad, code=2).stderr
    assert "no strategy" in clew("lab", "run", task, "--strategies", "worst-first", code=2).stderr
    assert "no results" in clew("lab", "report", tmp_path, code=2).stderr


def test_a_task_made_of_a_crawl_runs(tmp_path: Path) -> None:
    init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3")
    clew("crawl", tmp_path / "p", "--quiet", "--max-pages", 120)
    assert "label some" in clew("lab", "task", tmp_path / "p", "--from-crawl", "--out", tmp_path / "t", code=2).stderr
    options = ["--from-crawl", "--truth", "judge", "--out", tmp_path / "t"]
    made = clew_json("lab", "task", tmp_path / "p", *options)["task"]
    rows = clew_json("lab", "run", made)
    assert {row["strategy"] for row in rows} >= {"breadth-first", "best-first", "clew"}
    assert {row["judge"] for row in rows} == {"auto"}
    assert all(0 < row["area_over_oracle"] <= 1.2 and row["fetched"] <= 60 for row in rows)


def test_simulated_webs_are_tasks(tmp_path: Path) -> None:
    """On a flat web nothing tells where a link leads; on a topical one best-first gains by following topics."""
    gain = {}
    for preset in ("topical", "flat"):
        file = tmp_path / f"{preset}.toml"
        clew("lab", "sim", "--preset", preset, "--pages", 1500, "--budget", 150, "--out", file)
        options = ("--strategies", "breadth-first,best-first", "--judges", "naive-bayes")
        rows = {row["strategy"]: row for row in clew_json("lab", "run", file, *options)}
        assert all(row["fetched"] == 150 for row in rows.values())
        gain[preset] = rows["best-first"]["found"] / max(rows["breadth-first"]["found"], 1)
    assert gain["topical"] > 1.2 * gain["flat"]


def test_figures_on_a_real_web(tmp_path: Path) -> None:
    """Breadth-first finds 56 of 182 within 1,500 fetches, as counted by a crawl outside the lab."""
    options = ("--strategies", "breadth-first", "--judges", "naive-bayes")  # any judge would do
    (row,) = clew_json("lab", "run", shared("webs/tasks/wiki-chemistry-far.toml"), *options)
    assert (row["fetched"], row["found"]) == (1500, 56)
    assert row["area_over_oracle"] == pytest.approx(0.082, abs=0.03)


EXPERIMENT = """
title = "Length of documents"
tasks = ["task.toml"]
strategies = ["best-first", "apprentice(length=0)", {name = "short", strategy = "apprentice", length = 0.5}]
judges = ["naive-bayes(threshold=0.4)"]
repeats = 2
seed = 5
budget = 9

[[simulated]]
preset = "topical"
name = "made"
pages = 1000
seed = 301
"""


def test_an_experiment_file_holds_all_of_a_study(task: Path, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(EXPERIMENT)
    rows = clew_json("lab", "experiment", file, "--jobs", 1)
    names = ["best-first", "apprentice(length=0)", "short"]
    assert [(row["task"], row["strategy"], row["repeat"], row["seed"]) for row in rows] == [
        (name, strategy, repeat, 5 + repeat) for name in ("twelve", "made") for strategy in names for repeat in (0, 1)
    ]
    assert {row["judge"] for row in rows} == {"naive-bayes(threshold=0.4)"} and {row["fetched"] for row in rows} == {9}
    out = tmp_path / "study"
    assert "<h1>Length of documents</h1>" in (out / "report.html").read_text()
    with (out / "results.csv").open(encoding="utf-8", newline="") as lines:
        told = list(csv.DictReader(lines))
    made = [row for row in told if row["task"] == "made"]
    assert [row["web"].split(",")[1] for row in made] == ["seed=301", "seed=302"] * 3
    assert [json.loads(row["strategy_settings"]).get("length") for row in made] == [None, None, 0, 0, 0.5, 0.5]
    assert {json.loads(row["judge_settings"])["threshold"] for row in told} == {0.4}
    assert {row["version"] for row in told} == {__version__}
    assert (out / "experiment.toml").read_text() == EXPERIMENT


def test_wrong_experiments_say_what_is_wrong(task: Path, tmp_path: Path) -> None:
    for change, said in (
        (("repeats", "repeets"), "repeets"),
        (("length = 0.5", "lenth = 0.5"), "'lenth'"),
        (('strategy = "apprentice"', 'part = "apprentice"'), "a table with strategy"),
        (('"short"', '"best-first"'), "two variants are called best-first"),
        (('"made"', '"twelve"'), "two tasks are called twelve"),
        (('"topical"', '"tropical"'), "no preset 'tropical'"),
        (("pages = 1000", "pages = 1000\nparameters = {speed = 1}"), "speed"),
    ):
        file = tmp_path / "bad.toml"
        file.write_text(EXPERIMENT.replace(*change))
        said_so = clew("lab", "experiment", file, code=2).stderr
        assert said in said_so


def test_repeats_start_elsewhere_unless_told_otherwise(task: Path, tmp_path: Path) -> None:
    options = ("--strategies", "breadth-first", "--repeats", 4, "--jobs", 1)
    drawn = clew_json("lab", "run", task, *options)
    alike = clew_json("lab", "run", task, *options, "--no-resample")
    assert len({row["found"] for row in alike}) == 1
    assert drawn[0] == {**alike[0], "seconds": drawn[0]["seconds"]}
    assert len({(row["found"], row["area_over_oracle"]) for row in drawn}) > 1


def test_results_of_other_draws_are_removed_and_of_the_same_stay(task: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    options = ("--repeats", 2, "--jobs", 1, "--out", out)
    clew("lab", "run", task, "--strategies", "breadth-first", *options)
    clew("lab", "run", task, "--strategies", "random", *options)
    assert len(list((out / "runs").iterdir())) == 4
    clew("lab", "run", task, "--strategies", "random", "--repeats", 1, "--out", out)
    assert len(list((out / "runs").iterdir())) == 2  # the task as written, of both
