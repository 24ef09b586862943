"""Tables for print: what stands in them, and that LaTeX sets them without a package, within the page."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from test_lab_report import BEST, PLAIN, comparison, run

from clew.lab.comparison import Comparison
from clew.lab.latex import PAGE, latex, latex_differences, latex_measures, latex_text

TABLES = {"table": latex, "differences": latex_differences, "measures": latex_measures}

LONG = (
    *("context-graph(backlinks=none)", "apprentice(preset=paper)", "bingo(ask_backlinks=true, backlinks=charged)"),
    *("some_package.some_module:OurStrategy(share=0.25, other_setting=17)", "breadth-first", "random", "ariadne"),
    *("tunnelling(measured=true)", "best-first", "apprentice(offsets=false)"),
)
TASKS = ("wiki-chemistry-far", "wiki-mathematics-near", "webkb-student", "webkb-cornell-course-5p20n", "layers", "a_b")


def wide(repeats: int, judges: tuple[str, ...] = ("naive-bayes",)) -> Comparison:
    """Ten variants with long names on six tasks, no two alike in all repeats."""
    found = ("0110", "0010", "0001", "1100", "0011", "1000", "0100", "0101", "1010", "1001")
    each = product(enumerate(LONG), judges, TASKS, range(repeats))
    runs = [
        replace(run(found[(i + r * (i + 1)) % 10], name, judge, task, r), frontier=123_456, asked=12_345)
        for (i, name), judge, task, r in each
    ]
    return comparison(*runs)


def rows(text: str) -> list[str]:
    """The rows of tables, without what lets names go on in another line."""
    return [re.sub(r"\\raggedright |\\allowbreak\{\}", "", line) for line in text.splitlines() if line.endswith(r"\\")]


def test_areas_are_escaped_and_the_best_is_marked() -> None:
    lines = rows(latex(comparison(run("0110", "a_b", "50%"), PLAIN, run("0001", task="far-x"))))
    assert r"& near" not in lines[0] and r"{@{}r@{}}far\\x\end{tabular} & mean" in lines[0]
    assert r"a\_b / 50\% & \textbf{.714} & -- & .714 \\" in lines
    assert r"breadth-first & .286 & -- & .286 \\" in lines
    assert r"best-first / nb & -- & \textbf{.143} & .143 \\" in lines


def test_methods_that_asked_are_marked() -> None:
    text = latex(comparison(replace(run("0110", "a_b"), asked=1_234, backlinks="free"), PLAIN))
    assert [line.split(" & ")[0] for line in rows(text)[-2:]] == [r"a\_b / nb$^\dagger$", "breadth-first"]
    assert r"$^\dagger$: asked who links to a page, up to 1,234 times a run; a live crawl can seldom do that." in text
    assert "dagger" not in latex(comparison(BEST, PLAIN))


def test_measures_have_a_row_a_task_and_method() -> None:
    both = comparison(run("0110", "a_b", "50%"), PLAIN)
    # PLAIN found one of two and lost three of four; its find stands behind an irrelevant page, two at depth 1 and 2
    assert rows(latex_measures(both)) == [
        r" & recall & loss & AUC & dug & deep & lift & waiting & CPU-ms \\",
        r"\multicolumn{9}{@{}l@{}}{\makebox[0pt][l]{\parbox[t]{\linewidth}{near:\strut}}} \\",
        r"a\_b / 50\% & 1.000 & .500 & .500 & .000 & .000 & 1.0 & 7 & 2.0 \\",
        r"breadth-first & .500 & .750 & .500 & 1.000 & .000 & .0 & 7 & 2.0 \\",
    ]
    assert latex_measures(comparison(run("0000"))).count("--") == 4  # AUC, dug, deep and lift


def test_measures_count_questions_where_any_were_asked() -> None:
    lines = rows(latex_measures(comparison(BEST, replace(PLAIN, asked=31))))
    assert "& waiting & asked & CPU-ms" in lines[0]
    assert [line.split(" & ")[-2] for line in lines[2:]] == ["0", "31"]


def test_repeats_carry_n_interval_and_test() -> None:
    runs = [
        run(found, name, "", "near", i)
        for i in range(6)
        for name, found in (("a", "0110"), ("b", ("0010", "0001")[i % 2]))
    ]
    text = latex(comparison(*runs))
    cell = r"\begin{tabular}[t]{@{}r@{}}.214\\{\scriptsize .143--.286}\end{tabular}"
    assert rf"b & {cell} & .214 & .031 \\" in rows(text)
    assert "$n = 6$ repeats" in text and "sign-flip test over 6 repeats, Holm over 1 pair." in text
    assert rows(latex_differences(comparison(*runs)))[1:] == [
        r"\multicolumn{6}{@{}l@{}}{\makebox[0pt][l]{\parbox[t]{\linewidth}{a minus, over repeats:\strut}}} \\",
        r"b & 6 & .500 & .429 to .571 & .031 & .031 \\",
    ]


def test_one_judge_for_all_is_not_repeated_in_every_row() -> None:
    assert "best-first &" in rows(latex(comparison(BEST)))[-1]
    assert "best-first / nb &" in rows(latex(comparison(BEST, run("0110", judge="svm"))))[-2]


@pytest.mark.parametrize("made", TABLES.values(), ids=TABLES)
def test_every_row_has_all_columns_and_every_table_a_head(made: Callable[[Comparison], str]) -> None:
    tables = re.findall(r"\\begin\{tabular\}\{@\S*\\linewidth.*?\n\\end\{tabular\}(?=\n|$)", made(wide(3)), re.DOTALL)
    assert len(tables) > 1
    for table in tables:
        form, _, head, *lines = table.splitlines()
        columns = len(re.findall("r", form.split(r"\linewidth}")[1]))
        assert head.startswith(" & ")
        assert {
            one.count(" & ") for one in [head, *lines] if one.endswith(r"\\") and not one.startswith(r"\multi")
        } == {columns}
        assert len(lines) <= PAGE + 3


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize(
    "made",
    [wide(1), wide(4), wide(2, ("naive-bayes", "svm(threshold=0.25)"))],
    ids=["single", "repeated", "two judges"],
)
def test_latex_sets_the_tables_within_the_page(made: Comparison, tmp_path: Path) -> None:
    body = "\n\n".join(rf"\input{{{name}}}" for name in TABLES)
    for name, table in TABLES.items():
        (tmp_path / f"{name}.tex").write_text(table(made), encoding="utf-8")
    (tmp_path / "all.tex").write_text(
        rf"\documentclass{{article}}\begin{{document}}\noindent {body}\end{{document}}", encoding="utf-8"
    )
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert [line for line in done.stdout.splitlines() if line.startswith("Overfull")] == []


def test_where_nothing_was_tested_no_empty_table_is_printed() -> None:
    assert latex_differences(comparison(BEST, PLAIN)).startswith("% No differences were tested")
    assert "tabular" not in latex_differences(comparison(BEST, PLAIN))


def test_long_specifications_of_webs_can_be_broken_at_commas() -> None:
    assert latex_text("A web (sim:pages=3,seed=1). It, too.") == "A web (sim:pages=3,\\allowbreak{}seed=1).\nIt, too.\n"
