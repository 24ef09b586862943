"""The benchmark over a family of tasks: what is run, what is left alone, and the figures of its tables by hand."""

import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from benchmarks.family import __main__ as command
from benchmarks.family import running
from benchmarks.family.members import members, seeds_of
from benchmarks.family.rows import RUNS, Row, line_of, read
from benchmarks.family.running import FAILURES, Family, run_family
from benchmarks.family.tables import (
    Results,
    against,
    by_examples,
    by_fetches,
    by_web,
    judging,
    losses,
    standing,
    tables,
)
from lab_web import told, write_web

from clew.errors import InputError
from clew.lab.bench import Readers
from clew.lab.results import Run
from clew.lab.running import Plan, run_task, summary
from clew.lab.variants import judge_variants, strategy_variants

EXAMPLES = 'positive = ["http://w.test/boats.html"]\nnegative = ["http://w.test/taxes.html"]'


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """A folder with two tasks on one web: boats-near, and boats-far that begins elsewhere."""
    folder = write_web(tmp_path / "family")
    text = told(folder, EXAMPLES).path.read_text()
    (folder / "task.toml").unlink()
    (folder / "near.toml").write_text(text.replace('"boats"\nweb', '"boats-near"\nweb'))
    far = text.replace('"boats"\nweb', '"boats-far-1p1n"\nweb').replace("start.html", "boats.html")
    (folder / "far.toml").write_text(far)
    return folder


def plan(strategies: str = "best-first,breadth-first", repeats: int = 1, judges: str = "naive-bayes") -> Plan:
    return Plan(strategy_variants(strategies), judge_variants(judges), repeats, 1, backlinks="none")


def test_members_are_files_folders_and_simulated_webs(family: Path) -> None:
    found = members([family], ["topical", "flat"], (101, 102), 640, 50)
    named = [(one.task.name, one.web, one.start, one.task.budget) for one in found]
    assert named == [
        ("boats-far-1p1n", "web", "far", 50),
        ("boats-near", "web", "near", 50),
        ("sim-topical-640-101", "sim:topical", "", 50),
        ("sim-topical-640-102", "sim:topical", "", 50),
        ("sim-flat-640-101", "sim:flat", "", 50),
        ("sim-flat-640-102", "sim:flat", "", 50),
    ]
    assert found[2].task.seeds != found[3].task.seeds
    assert [one.task.budget for one in members([family / "near.toml"])] == [9]


def test_what_names_no_task_is_refused(family: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="task files or folders"):
        members([])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty holds no task files"):
        members([tmp_path / "empty"])
    with pytest.raises(InputError, match="no preset 'tpical'"):
        members([], ["tpical"], (1,))
    with pytest.raises(InputError, match="two tasks are called boats-near"):
        members([family, family / "near.toml"])
    assert seeds_of("101-103, 7") == (101, 102, 103, 7)
    with pytest.raises(InputError, match="'1-x' is no seed"):
        seeds_of("1-x")


def test_each_run_is_a_line_and_what_is_there_is_not_run_again(family: Path, tmp_path: Path) -> None:
    own, out = members([family]), tmp_path / "out"
    assert run_family(Family(own, plan(), out), 1) == []
    before = (out / RUNS).read_bytes()
    assert [(row.task, row.method) for row in read(out)] == [
        (task, f"{strategy}|naive-bayes")
        for task in ("boats-far-1p1n", "boats-near")
        for strategy in ("best-first", "breadth-first")
    ]
    assert run_family(Family(own, plan(), out), 1) == []
    assert (out / RUNS).read_bytes() == before

    assert run_family(Family(own, plan("best-first,random"), out), 1) == []
    added = (out / RUNS).read_bytes().removeprefix(before)
    assert [msgspec.json.decode(line)["strategy"] for line in added.splitlines()] == ["random", "random"]


def test_figures_are_those_of_the_lab(family: Path, tmp_path: Path) -> None:
    own = members([family / "near.toml"])
    run_family(Family(own, plan(repeats=2), tmp_path), 1)
    lab = run_task(own[0].task, plan(repeats=2), Readers())
    expected = {(run.strategy, run.repeat): run for run in lab.runs}
    assert len(read(tmp_path)) == len(expected) == 4
    for row in read(tmp_path):
        run = expected[row.strategy, row.repeat]
        area = summary(lab, run)["area_over_oracle"]
        assert (row.seed, row.reachable, row.area_over_oracle) == (1 + row.repeat, run.reachable, area)
    lines = [msgspec.json.decode(line) for line in (tmp_path / RUNS).read_bytes().splitlines()]
    assert [line["found"] for line in lines] == [
        int(expected[line["strategy"], line["repeat"]].found.sum()) for line in lines
    ]


def test_an_unfinished_line_is_run_again(family: Path, tmp_path: Path) -> None:
    own = members([family])
    run_family(Family(own, plan(), tmp_path), 1)
    whole = (tmp_path / RUNS).read_bytes()
    (tmp_path / RUNS).write_bytes(whole[:-40])
    assert len(read(tmp_path)) == 3
    assert run_family(Family(own, plan(), tmp_path), 1) == []
    assert len(read(tmp_path)) == 4
    assert (tmp_path / RUNS).read_bytes().startswith(whole[:-40] + b"\n{")


def test_a_task_that_fails_is_told_and_passed_over(
    family: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (family / "far.toml").read_text().replace("folder:web", "folder:nowhere")
    (family / "far.toml").write_text(text)
    failed = run_family(Family(members([family]), plan(), tmp_path), 1)
    assert [(key.task, key.strategy) for key in failed] == [
        ("boats-far-1p1n", "best-first"),
        ("boats-far-1p1n", "breadth-first"),
    ]
    assert "failed: boats-far-1p1n, repeat 0: InputError: " in capsys.readouterr().err
    assert "Traceback" in (tmp_path / FAILURES).read_text()
    assert [row.task for row in read(tmp_path)] == ["boats-near", "boats-near"]


def test_a_judge_that_cannot_tell_leaves_the_others(family: Path, tmp_path: Path) -> None:
    failed = run_family(Family(members([family]), plan("best-first", judges="keywords,centroid"), tmp_path), 1)
    assert [(key.task, key.judge) for key in failed] == [("boats-far-1p1n", "keywords"), ("boats-near", "keywords")]
    assert [row.judge for row in read(tmp_path)] == ["centroid", "centroid"]


KILLER = """
import os
from pathlib import Path
from clew.strategies.best_first import BestFirst

class Killer(BestFirst):
    def score(self, *given):
        try:
            Path({mark!r}).touch(exist_ok=False)
        except FileExistsError:
            return super().score(*given)
        os._exit(9)
"""


def test_a_process_that_dies_is_replaced(
    family: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "killing.py").write_text(KILLER.format(mark=str(tmp_path / "died")))
    monkeypatch.syspath_prepend(str(tmp_path))
    own, out = members([family]), tmp_path / "out"
    out.mkdir()
    whole, mark = Family(own, plan("killing:Killer"), out), tmp_path / "died"
    mark.touch()
    running.run_chunk(whole, own[:1])
    mark.unlink()
    running._in_processes(whole, [own], 2)
    assert "a process of 2 tasks died (9): boats-far-1p1n, boats-near" in capsys.readouterr().err
    assert [row.task for row in read(out)] == ["boats-far-1p1n", "boats-near"]
    assert mark.exists()


def test_tasks_of_a_web_are_dealt_to_all_processes(family: Path) -> None:
    own = members([family], ["topical"], (101, 102, 103), 640)
    dealt = [[one.task.name for one in chunk] for chunk in running._chunks(own, 2)]
    assert dealt == [
        ["boats-far-1p1n"],
        ["boats-near"],
        ["sim-topical-640-101", "sim-topical-640-103"],
        ["sim-topical-640-102"],
    ]


def test_simulated_tasks_have_one_repeat(tmp_path: Path) -> None:
    own = members([], ["topical"], (101,), 640)
    assert [key.repeat for key in Family(own, plan("random", repeats=3), tmp_path).keys(own[0])] == [0]


def test_lines_say_what_was_found_when(family: Path) -> None:
    member = members([family / "near.toml"])[0]
    found = np.zeros(400, np.bool_)
    found[[0, 99, 100, 350]] = True
    nothing = np.zeros(400, np.int32)
    run = Run(
        *("boats-near", "random", "centroid", 1, 1200, 8, ("",) * 400, found, nothing, nothing),
        *(nothing, nothing, nothing, 2.0, 3.5, 0, 0, 0, "nothing left"),
    )
    line = line_of(member, run, found)
    assert line["found_after"] == {"100": 2, "300": 3, "1000": 4}
    assert (line["area_over_oracle"], line["web"], line["start"], line["reachable"]) == (1.0, "web", "near", 8)


def row(task: str, strategy: str, area: float | None, *, web: str = "wiki", start: str = "far", **other: object) -> Row:
    values = {"repeat": 0, "seed": 1, "budget": 500, "reachable": 10, "positive": 5, "negative": 0}
    values |= {"found_after": {"100": 2, "300": 5}, "cpu_ms_per_page": 4.0}
    return msgspec.convert(
        {
            "task": task,
            "web": web,
            "start": start,
            "strategy": strategy,
            "judge": "auto",
            "area_over_oracle": area,
            **values,
            **other,
        },
        Row,
    )


def results() -> Results:
    rows = [
        row("a", "clew", 0.5, start="near", found_after={"100": 4, "300": 8}),
        row("a", "clew", 0.7, start="near", repeat=1, found_after={"100": 2, "300": 8}),
        row("b", "clew", 0.8),
        row("c", "clew", 0.4, web="manuals", positive=1, found_after={"100": 3}),
        row("a", "best-first", 0.61, start="near"),
        row("b", "best-first", 0.3),
        row("c", "best-first", 0.7, web="manuals", positive=1),
        row("b", "best-first", None, seed=7),
    ]
    return Results(tuple(rows))


def test_means_by_web_and_start() -> None:
    table = by_web(results())
    assert table.head == ("method", "tasks", "all", "manuals far (1)", "wiki far (1)", "wiki near (1)")
    assert table.rows[0][0] == "clew|auto"
    assert table.rows[0][2].startswith(".600 (.4")
    assert table.rows[0][3:] == (".400", ".800", ".600")
    assert table.rows[1][2].startswith(".537 (")
    assert table.rows[1][3:] == (".700", ".300", ".610")


def test_the_interval_is_a_bootstrap_over_tasks() -> None:
    areas = [0.1, 0.3, 0.4, 0.6, 0.8, 0.9]
    table = by_web(Results(tuple(row(str(place), "clew", area) for place, area in enumerate(areas))))
    drawn = np.random.default_rng(3).choice(areas, (20_000, 6)).mean(axis=1)
    low, high = (float(text) for text in table.rows[0][2].split("(")[1].rstrip(")").split("–"))
    assert (low, high) == pytest.approx(tuple(np.quantile(drawn, (0.05, 0.95))), abs=0.02)
    assert by_web(results()) == by_web(results())


def test_standing_by_hand() -> None:
    clew, best = standing(results()).rows
    assert clew == ("clew|auto", "3", "1", "2", "−.300", "c", "4.0")  # on a it is .01 behind
    assert best == ("best-first|auto", "3", "2", "2", "+.000", "a", "4.0")


def test_the_reference_has_the_same_judge_if_there_is_one() -> None:
    rows = [
        row("a", "clew", 0.5),
        row("a", "best-first", 0.9),
        row("a", "best-first", 0.45, judge="svm"),
        row("a", "clew", 0.4, judge="svm"),
        row("a", "clew", 0.3, judge="lone"),
    ]
    worst = {line[0]: line[4] for line in standing(Results(tuple(rows))).rows}
    assert worst["clew|auto"] == "−.400"
    assert worst["clew|svm"] == "−.050"
    assert worst["clew|lone"] == "−.600"  # the best row of best-first


def test_losses_and_curves_by_hand() -> None:
    assert losses(results()).head == ("method", "all", "manuals", "wiki")
    assert losses(results()).rows[0] == ("clew|auto", ".400", ".600", ".300")
    examples = by_examples(results())
    assert examples.head == ("method", "1 good (1 tasks)", "5 good (2 tasks)")
    assert examples.rows[0][1] == ".400"
    assert examples.rows[0][2].startswith(".700 (")
    fetches = by_fetches(results())
    assert fetches.head[1:3] == ("100 fetches (3 tasks)", "300 fetches (3 tasks)")
    assert fetches.rows[0] == ("clew|auto", ".267", ".650")  # (3, 2, 3)/3 and (8, 5)/2 of 10
    assert fetches.rows[1] == ("best-first|auto", ".200", ".500")


def test_the_test_is_paired_over_tasks() -> None:
    rows = [row(str(task), "clew", 0.5 + task / 100) for task in range(6)]
    rows += [row(str(task), "best-first", 0.3 + task / 50) for task in range(6)]
    rows += [row(str(task), "random", 0.5 + task / 100 + (0.1 if task % 2 else -0.1)) for task in range(6)]
    rows += [row("other", "random", 0.9)]
    table = against(Results(tuple(rows)), "clew|auto")
    random, best = sorted(table.rows, reverse=True)
    assert best[:5] == ("best-first|auto", "6", "6", "+.175", "+.175")
    assert best[6:8] == (".031", ".062")  # 2/2^6, of two tests
    assert random[:4] == ("random|auto", "6", "3", "+.000")
    assert random[7] == "1.000"


def test_verdicts_are_shown_where_rows_have_them() -> None:
    assert judging(results()).rows == ()
    rows = [
        row("a", "clew", 0.5, precision=0.8, recall_of_called=0.5, estimated_precision=0.7),
        row("b", "clew", 0.5, precision=0.6, recall_of_called=0.7, estimated_precision=0.9, web="webkb"),
        row("b", "best-first", 0.5, web="webkb"),
    ]
    table = judging(Results(tuple(rows)))
    assert table.head[1:] == tuple(
        f"{w}\n{f}" for w in ("all", "webkb", "wiki") for f in ("precision", "recall", "off by")
    )
    (line,) = table.rows
    assert line == ("clew|auto", ".700", ".600", ".200", ".600", ".700", ".300", ".800", ".500", ".100")


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["family", *map(str, arguments)])
    return command.main()


def test_the_command_runs_and_prints(
    family: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    how = ("--strategies", "best-first,clew(learn=false)", "--judges", "centroid", "--jobs", "1", "--out", out)
    assert run_command(monkeypatch, family, *how, "--budget", "4", "--each") == 0
    printed = capsys.readouterr().out
    assert "clew(learn=false)|centroid" in printed
    assert "boats-far-1p1n" in printed
    assert {row.budget for row in read(out)} == {4}
    written = (out / RUNS).read_bytes()
    assert run_command(monkeypatch, "--table", "--out", out, "--markdown") == 0
    assert "| clew(learn=false)\\|centroid | 2 |" in capsys.readouterr().out
    assert (out / RUNS).read_bytes() == written
    assert run_command(monkeypatch, "--table", "--out", out, "--against", "nobody") == 2
    assert "no method 'nobody'" in capsys.readouterr().err


def test_bad_input_is_told_before_anything_runs(
    family: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run_command(monkeypatch, family, "--strategies", "clew(lern=false)", "--out", out) == 2
    assert "lern" in capsys.readouterr().err
    assert run_command(monkeypatch, family / "gone.toml", "--out", out) == 2
    assert run_command(monkeypatch, "--table", "--out", out) == 2
    assert not out.exists()
    (family / "far.toml").write_text((family / "far.toml").read_text().replace("folder:web", "folder:nowhere"))
    quick = ("--strategies", "random", "--judges", "centroid", "--jobs", "1")
    assert run_command(monkeypatch, family, *quick, "--out", out) == 1
    assert "not run: boats-far-1p1n: random|centroid 0" in capsys.readouterr().err


def test_tables_of_some_results() -> None:
    titles = [table.title.split(":")[0] for table in tables(results(), each=True)]
    assert len(titles) == 7
    assert titles[3].startswith("clew|auto against each other")
