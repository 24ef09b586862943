from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from clew.cli.labtable import print_table
from clew.errors import InputError
from clew.lab import figures
from clew.lab.comparison import Comparison, listed, short
from clew.lab.conclusions import conclusion, verdict
from clew.lab.knowledge import NOTE, questions
from clew.lab.report import PLOTS, write_report
from clew.lab.results import Run
from clew.model import Bools


def flags(text: str) -> Bools:
    return np.array([c == "1" for c in text], np.bool_)


def run(
    found: str, strategy: str = "best-first", judge: str = "nb", task: str = "near", repeat: int = 0, budget: int = 4
) -> Run:
    n = len(found)
    blank = np.zeros(n, np.float32)
    return Run(
        task=task,
        strategy=strategy,
        judge=judge,
        repeat=repeat,
        budget=budget,
        reachable=2,
        urls=tuple(f"http://a.test/{i}" for i in range(n)),
        found=flags(found),
        judged=blank,
        predicted=blank,
        depth=np.arange(n, dtype=np.int32),
        tunnel=np.zeros(n, np.int32),
        sources=np.arange(n, dtype=np.int32),
        seconds=1.5,
        cpu_ms_per_page=2.0,
        frontier=7,
        robots=1,
        absent=3,
        stopped_by="budget",
    )


def comparison(*runs: Run, one_step: str | None = "101", oracle: str = "11") -> Comparison:
    """The oracle's curve within 4 fetches is 1 2 2 2, area 7/4; one-step sight's 1 1 2 2, 6/7 of it."""
    tasks, repeats = {each.task for each in runs}, 1 + max(each.repeat for each in runs)
    return Comparison(
        runs,
        {task: (flags(oracle),) * repeats for task in tasks},
        {} if one_step is None else {task: (flags(one_step),) * repeats for task in tasks},
        "Lab <one> & two",
    )


UNITS = "pages fetched|links from the seeds|irrelevant pages since|fraction of the oracle|in percent|share, or|CPU-ms"
BEST, PLAIN = run("0110"), run("0010", "breadth-first", "")
"""Curves 0 1 2 2 and 0 0 1 1: 5/7 and 2/7 of the oracle's area."""


def test_areas_and_ranks_by_hand() -> None:
    both = comparison(PLAIN, BEST)
    assert both.area("near", "best-first / nb").median == pytest.approx(5 / 7)
    assert both.area("near", "breadth-first").median == pytest.approx(2 / 7)
    assert both.sight("near") == pytest.approx(6 / 7)
    assert both.methods == both.ranked("near") == ("best-first / nb", "breadth-first")


def limited() -> Comparison:
    """With look-ahead's curve 2/2 from the first fetch on as the bound: 1 2 2 2, and 0 1 2 2 for look-ahead."""
    ahead, bound = {"near": (flags("011"),)}, {"near": (flags("11"),)}
    return replace(comparison(PLAIN, BEST, oracle="101"), look_ahead=ahead, bound=bound)


def test_look_ahead_and_the_upper_bound_stand_beside_the_oracle(tmp_path: Path) -> None:
    """The oracle's curve is 1 1 2 2, area 6/4; look-ahead's 0 1 2 2, 5/6 of it, the bound's 1 2 2 2, 7/6."""
    both = limited()
    assert list(both.limits) == ["one-step sight", "look-ahead", "upper bound"]
    assert both.limit(both.look_ahead, "near") == pytest.approx(5 / 6)
    assert both.limit(both.bound, "near") == pytest.approx(7 / 6)
    assert both.over_bound(BEST) == pytest.approx(5 / 7)
    assert conclusion(both, "near").endswith(
        "; one-step sight, which knows the truth of each link but plans nothing, has .17 more; "
        "no crawl that only follows links from the start pages can pass 1.17."
    )
    page = write_report(both, tmp_path).read_text(encoding="utf-8")
    assert re.search(r"<th>upper bound</th><td></td><td[^>]*>1\.167</td>", page)
    assert re.search(r"<th>look-ahead</th><td></td><td[^>]*>\.833</td>", page)
    assert re.search(r"upper bound & 1\.167 &", (tmp_path / "table.tex").read_text(encoding="utf-8"))
    rows = list(csv.DictReader((tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["area_over_bound"] for row in rows] == ["0.285714", "0.714286"]
    drawn = (tmp_path / "plots" / "near-found.svg").read_text(encoding="utf-8")
    assert "upper bound" in drawn
    assert "look-ahead" in drawn


def test_results_without_a_bound_say_nothing_of_it(tmp_path: Path) -> None:
    both = comparison(PLAIN, BEST)
    assert list(both.limits) == ["one-step sight"]
    write_report(both, tmp_path)
    rows = list(csv.DictReader((tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["area_over_bound"] for row in rows} == {""}


def test_the_printed_table_has_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(limited())
    rows = {line.split("│")[2].strip(): line for line in capsys.readouterr().out.splitlines() if line.count("│") > 5}
    assert "1.167" in rows["upper bound"]
    assert ".833" in rows["look-ahead"]
    assert "1.000" in rows["one-step sight"]


def test_a_method_that_lacks_a_task_is_ranked_by_the_tasks_it_ran() -> None:
    both = comparison(BEST, PLAIN, run("0011", task="far"))
    assert both.tasks == ("near", "far")
    assert np.isnan(both.area("far", "breadth-first").median)
    assert both.mean("best-first / nb") == pytest.approx((5 / 7 + 3 / 7) / 2)  # "0011" has the curve 0 0 1 2
    assert both.mean("breadth-first") == pytest.approx(2 / 7)
    assert both.ranked("far") == ("best-first / nb",)


def test_no_runs_and_no_oracle_are_errors() -> None:
    with pytest.raises(InputError, match="no runs"):
        Comparison((), {}, {})
    with pytest.raises(InputError, match="no oracle for task 'near'"):
        Comparison((BEST,), {"far": (flags("1"),)}, {})


def test_the_sentence_names_the_winner_its_lead_and_what_is_left() -> None:
    assert conclusion(comparison(BEST, PLAIN), "near") == (
        "Take best-first / nb: .71 of the oracle's area, .43 before breadth-first in one run each; "
        "that is 2.5 times breadth-first's .29; one-step sight, which knows the truth of each link but plans nothing, "
        "has .14 more."
    )


def test_repeats_that_overlap_do_not_make_a_winner() -> None:
    first = [run("0110"), run("0010", repeat=1), run("0110", repeat=2)]
    second = [run("0011", judge="svm", repeat=i) for i in range(3)]  # 3/7, within 2/7 to 5/7
    sentence = conclusion(comparison(*first, *second, one_step=None), "near")
    assert sentence == (
        "best-first / nb is ahead with .71 of the oracle's area (median of 3, .29 to .71), but cannot be told apart "
        "from best-first / svm (3 repeats are too few for one pair, 6 can do it)."
    )


def test_repeats_that_all_say_the_same_are_no_evidence() -> None:
    """Areas 5/7 and 3/7 in each of eight repeats: intervals of width zero, which lie apart and prove nothing."""
    alike = [each for i in range(8) for each in (run("0110", repeat=i), run("0011", judge="svm", repeat=i))]
    assert "all repeats gave the same figures, so nothing can be tested" in conclusion(comparison(*alike), "near")
    assert "clear of the others" not in conclusion(comparison(*alike), "near")
    # one repeat of the second finds less, so something varied: p = 2 / 2⁸
    varied = [*alike[:-1], run("0001", judge="svm", repeat=7)]
    assert "(median of 8, .71 to .71), clear of the others" in conclusion(comparison(*varied), "near")


def test_methods_with_the_same_figures_are_named_together() -> None:
    """Tunnelling is best-first where nothing tunnels: no lead of one over the other, and none that cannot be tested."""
    twin = replace(BEST, strategy="tunnelling")
    assert conclusion(comparison(BEST, twin, PLAIN), "near").startswith(
        "Take best-first / nb or tunnelling / nb, which had the same figures in every run: .71 of the oracle's area, "
        ".43 before breadth-first in one run each; that is 2.5 times"
    )
    varied = [run("0110" if i < 6 else "0010", "bingo", repeat=i) for i in range(8)]
    runs = [replace(each, repeat=i) for i in range(8) for each in (BEST, twin)]
    said = conclusion(comparison(*runs, *varied, one_step=None), "near")
    assert said.startswith(
        "best-first / nb and tunnelling / nb, which had the same figures in every run, are ahead with .71 of the "
        "oracle's area (median of 8, .71 to .71), but cannot be told apart from bingo / nb."
    )
    assert verdict(comparison(*runs, *varied)) == (
        "best-first / nb and tunnelling / nb, which had the same figures in every run, did best on the one task "
        "compared, with .71 of the oracle's area; their lead over bingo / nb (.71) is within chance on these webs "
        "(8 repeats, p = 1.000)."
    )
    other = [replace(each, task="far") for each in (BEST, twin)]
    assert verdict(comparison(BEST, twin, *other)) == (
        "best-first / nb and tunnelling / nb, which had the same figures in every run, did best over all: .71 of the "
        "oracle's area in the mean, and first on 2 of 2 tasks."
    )


def test_methods_that_differ_in_one_run_are_no_twins() -> None:
    far = [run("0110", task="far"), run("0011", "tunnelling", task="far")]
    said = verdict(comparison(BEST, replace(BEST, strategy="tunnelling"), *far))
    assert said.startswith("best-first / nb did best over all: ") and "its lead over tunnelling / nb" in said
    assert "which had the same figures" not in said


def test_the_sentence_says_when_focus_or_the_task_is_worth_nothing() -> None:
    assert "no focus pays here" in conclusion(comparison(run("0110", "breadth-first", ""), run("0001")), "near")
    assert "focus hardly pays" in conclusion(comparison(BEST, run("0110", "breadth-first", "")), "near")
    assert "planning over several links" in conclusion(comparison(run("101")), "near")
    assert conclusion(comparison(run("0000")), "near").startswith("No method found a relevant page")
    assert "cannot tell methods apart" in conclusion(comparison(run("0000"), oracle="00"), "near")


def test_the_verdict_over_tasks_is_tested_in_pairs() -> None:
    assert (
        verdict(comparison(BEST)) == "best-first / nb did best on the one task compared, with .71 of the oracle's area."
    )
    plain = ("0010", "0001", "0010", "0010", "0010", "0010")
    runs = [each for i in range(6) for each in (run("0110", task=str(i)), run(plain[i], "breadth-first", "", str(i)))]
    assert verdict(comparison(*runs)) == (  # all 6 webs differ one way: p = 2 / 2⁶ = .03125
        "best-first / nb did best over all: .71 of the oracle's area in the mean, and first on 6 of 6 tasks; its lead "
        "over breadth-first (.26) is real over webs (6 webs, p = 0.031)."
    )
    assert "2 webs are too few for one pair, 6 can do it" in verdict(comparison(*runs[:4]))
    one = [replace(each, web="archive:one") for each in runs]
    assert "one web without repeats cannot say whether its lead" in verdict(comparison(*one))


def test_rates_are_shorter_at_the_start_and_end_with_the_crawl() -> None:
    np.testing.assert_allclose(figures.rates(flags("0111"), 2, 6), [np.nan, 0, 0.5, 1, 1, np.nan, np.nan])
    assert np.isnan(figures.rates(flags("1" * 25), 20, 25)[:2]).tolist() == [True, True]
    assert [figures.window(budget) for budget in (3, 100, 1500)] == [1, 20, 200]


def test_a_curve_goes_on_flat_after_the_crawl_and_ends_at_the_budget() -> None:
    assert figures.curve(flags("011"), 5).tolist() == [0, 0, 1, 2, 2, 2]
    assert figures.curve(flags("0111"), 2).tolist() == [0, 0, 1]


def test_methods_in_colour_differ_and_the_baseline_is_grey() -> None:
    runs = [run("1" + "0" * i + "1", f"s{i}", budget=20) for i in range(9)]
    known = figures.looks(comparison(*runs, run("0001", "breadth-first", "", budget=20)))
    coloured = [look for look in known.values() if look.color != figures.GREY]
    assert len({look.color for look in coloured}) == len({look.marker for look in coloured}) == figures.LEADERS
    assert known["s0 / nb"].color == figures.COLOURS[0]
    assert (known["breadth-first"].color, known["breadth-first"].leading) == (figures.GREY, True)
    assert not known["s8 / nb"].leading


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "new"
    asked = replace(run("01", "a<b>", "x_y", task="far one"), asked=142, backlinks="free")
    runs = (BEST, run("0010", repeat=1), PLAIN, asked, run("0000", task="far one"))
    assert write_report(comparison(*runs), folder) == folder / "report.html"
    return folder


def test_the_page_stands_alone(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?!["']?#)|@import|url\((?!["']?#)|<script|<link""", page)
    assert "prefers-color-scheme: dark" in page
    assert [link for link in re.findall(r'href="#([^"]+)"', page) if f'id="{link}"' not in page] == []


def test_the_page_escapes_names_and_says_what_to_conclude(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert "Lab &lt;one&gt; &amp; two" in page and "a&lt;b&gt; / x_y" in page
    assert "<one>" not in page and "<b> /" not in page
    assert page.count("<strong>") == 2  # a sentence a task
    assert '<td style="--v:0.500"><b>.500</b><small>.286–.714, n 2</small></td>' in page  # of 5/7 and 2/7
    assert '<td style="--v:0.857">.857</td>' in page


def test_the_page_says_who_asked_how_often(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert page.count("<small>asked: ") == 1 and "<small>asked: 142 free</small>" in page
    assert NOTE in page
    rows = list(csv.DictReader((folder / "results.csv").read_text("utf-8").splitlines()))
    assert [(row["asked"], row["backlinks"]) for row in rows] == [("0", "")] * 3 + [("142", "free"), ("0", "")]


def asking() -> Comparison:
    """A strategy with and without answers, on one task of two: areas 5/7 and 2/7; breadth-first has 3/7."""
    graph = replace(
        run("0110", "context-graph"), asked=142, backlinks="free", strategy_settings='{"name":"context-graph"}'
    )
    silent = replace(graph, strategy="context-graph(backlinks=none)", asked=0, backlinks="none", found=flags("0010"))
    return comparison(graph, silent, run("0011", "breadth-first"))


def test_the_sentences_say_that_the_best_asked_and_what_it_has_without(capsys: pytest.CaptureFixture[str]) -> None:
    both = asking()
    says = "sked who links to a page, up to 142 times for nothing, which a live crawl can seldom do; without answers "
    assert f"; it a{says}it has .29; that is" in conclusion(both, "near")
    assert f". It a{says}it has .29." in verdict(both)
    paid = replace(both, runs=tuple(replace(one, backlinks="charged") for one in both.runs[:1]))
    assert "up to 142 times a fetch each, which a live crawl can seldom do" in verdict(paid)
    assert "without answers" not in verdict(paid)
    assert "asked" not in verdict(comparison(BEST, PLAIN))
    print_table(both)
    printed = capsys.readouterr().out
    assert "142 free" in printed and NOTE in printed


def test_questions_are_the_median_of_repeats() -> None:
    one, *_ = asking().runs
    assert questions([one, replace(one, asked=100), replace(one, asked=0)]) == "100 free"
    assert questions([replace(one, asked=0)]) == ""
    assert questions(asking().runs[1:2]) == "none"


def test_ids_are_unique_and_each_plot_is_well_formed(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert [name for name, count in Counter(re.findall(r'\bid="([^"]+)"', page)).items() if count > 1] == []
    plots = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(plots) == 1 + 2 * len(PLOTS)
    for plot in plots:
        text = " ".join(ElementTree.fromstring(plot).itertext())
        assert figures.INK not in plot and "currentColor" in plot
        assert re.search(UNITS, text)


def test_axes_and_legends_are_named(folder: Path) -> None:
    found = " ".join(ElementTree.parse(folder / "plots" / "near-found.svg").getroot().itertext())
    names = ("pages fetched", "relevant pages found", "oracle (greedy)", "one-step sight", "breadth-first")
    assert [name for name in (*names, "best-first / nb", "2 relevant pages can be reached") if name not in found] == []


def test_plots_are_written_for_print(folder: Path) -> None:
    names = ["found", "harvest", "loss", "relevance", "distances", "tunnels", "overlap", "predictions", "costs"]
    stems = {"overview"} | {f"{task}-{name}" for task in ("near", "far-one") for name in names}
    names_of = {f"{stem}.{ending}" for stem in stems for ending in ("svg", "png", "pdf")}
    assert {path.name for path in (folder / "plots").iterdir()} == names_of
    assert (folder / "plots" / "overview.png").read_bytes().startswith(b"\x89PNG")
    printed = (folder / "plots" / "overview.pdf").read_bytes()
    assert printed.startswith(b"%PDF") and b"/Type3" not in printed  # fonts that journals refuse
    assert b"DejaVuSansLatin" in printed
    assert "prefers-color-scheme:dark" in (folder / "plots" / "overview.svg").read_text("utf-8")


def test_letters_that_are_not_latin_are_printed_too(tmp_path: Path) -> None:
    both = comparison(BEST, run("0010", "лучший"))
    figures.overview(both).save(tmp_path / "plot")
    fonts = set(re.findall(rb"/BaseFont /[A-Z]+\+(\S+)", (tmp_path / "plot.pdf").read_bytes()))
    assert fonts == {b"DejaVuSans"}


def test_the_csv_has_a_line_a_run(folder: Path) -> None:
    with (folder / "results.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 5
    assert rows[0] == {
        **{"task": "near", "strategy": "best-first", "judge": "nb", "repeat": "0", "budget": "4", "fetched": "4"},
        **{"asked": "0", "backlinks": "", "closed": "true", "drawn": "false"},
        **{"seed": "0", "web": "", "strategy_settings": "{}", "judge_settings": "{}", "version": ""},
        **{
            "found": "2",
            "reachable": "2",
            "area_over_oracle": "0.714286",
            "area_over_bound": "",
            "recall_at_10": "0.000000",
        },
        **{"recall_at_25": "0.000000", "recall_at_50": "0.500000", "recall": "1.000000", "seconds": "1.500"},
        # two of four lost; the judge gave 0 to all; all scores tie, so everything is a half; finds at depth 1 and 2
        **{"loss_truth": "0.500000", "loss_judge": "1.000000", "auc": "0.500000", "relevant_above": "0.500000"},
        # fetch 2 stands on the seed, 3 on fetch 2, 4 on 3: no tunnel before any; so all three count, and lift is 1
        **{"irrelevant_below": "0.500000", "median_depth": "1.500000", "dug": "0.000000", "deep": "0.000000"},
        **{"longest_tunnel": "0", "modal_path": "2", "lift": "1.000000"},
        **{"cpu_ms_per_page": "2.000", "frontier": "7", "robots": "1", "absent": "3", "stopped_by": "budget"},
    }


def test_the_same_runs_give_the_same_files(folder: Path, tmp_path: Path) -> None:
    both = comparison(BEST, PLAIN)
    for name in ("one", "two"):
        write_report(both, tmp_path / name)
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) == 8 + 3 * (1 + len(PLOTS))
    assert [str(f) for f in files if (tmp_path / "one" / f).read_bytes() != (tmp_path / "two" / f).read_bytes()] == []


def test_small_words() -> None:
    assert [short(value) for value in (0.618, 1.0, 1.05, float("nan"))] == [".62", "1.00", "1.05", "–"]
    assert [listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_names_in_plots_leave_out_a_judge_that_all_share_and_take_several_lines() -> None:
    long = "apprentice(preset=paper, warmup=100)"
    one = figures.looks(comparison(BEST, run("0100", long)))
    assert [look.label for look in one.values()] == ["best-first", "apprentice\n(preset=paper,\nwarmup=100)"]
    assert one[f"{long} / nb"].line == "apprentice (preset=paper, warmup=100)"
    two = figures.looks(comparison(BEST, run("0100", long, "svm"), PLAIN))
    assert two["best-first / nb"].label == "best-first / nb"
    assert two[f"{long} / svm"].label == "apprentice\n(preset=paper,\nwarmup=100)\nsvm"
