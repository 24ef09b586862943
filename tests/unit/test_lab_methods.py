"""The paragraph on methods says what was run, from what the runs recorded."""

from __future__ import annotations

from dataclasses import replace

from test_lab_report import comparison, run

from clew.judges.registry import JUDGES
from clew.lab.latex import latex_text
from clew.lab.methods import methods
from clew.lab.results import Run
from clew.lab.variants import full_settings, judge_variants, strategy_variants
from clew.strategies.registry import STRATEGIES

(BEST, SHORT) = strategy_variants("best-first, apprentice(length=0.5)")
(JUDGE,) = judge_variants("naive-bayes(threshold=0.4)")


def made(found: str, which: int, repeat: int = 0, **more: object) -> Run:
    strategy = (BEST, SHORT)[which]
    one = run(found, strategy.name, JUDGE.name, repeat=repeat)
    told = {
        "strategy_settings": full_settings(strategy, STRATEGIES),
        "judge_settings": full_settings(JUDGE, JUDGES),
        **{"seed": 7 + repeat, "drawn": repeat > 0, "web": "archive:w", "version": "9.8"},
        **{"starts": 3, "positive": 10, "negative": 1, "backlinks": "free"},
        **more,
    }
    return replace(one, **told)  # type: ignore[arg-type]


def test_settings_that_differ_from_the_defaults_are_named_and_no_others() -> None:
    said = methods(comparison(made("0110", 0), made("0010", 1)))
    assert (
        "2 strategies were compared: best-first and apprentice(length=0.5) [Clew’s apprentice, length = 0.5]. " in said
    )
    assert "The judge was naive-bayes(threshold=0.4) [Clew’s naive-bayes, threshold = 0.4]." in said
    assert "retrain_every" not in said


def test_tasks_budgets_seeds_and_repeats() -> None:
    once = methods(comparison(made("0110", 0)))
    assert "Task near: a collected web, 4 fetches, 3 start pages, 10 relevant examples and 1 irrelevant example" in once
    assert "Each method ran once on each task, with seed 7." in once and "sign-flip" not in once
    assert "Links to pages that a web lacks cost nothing." in once and "All runs were made with Clew 9.8." in once
    runs = [made(found, which, i) for i in range(6) for which, found in ((0, "0110"), (1, ("0010", "0001")[i % 2]))]
    drawn = methods(comparison(*runs))
    assert "Each method ran 6 times on each task, with seeds 7 to 12: first as the task is written, then with" in drawn
    assert "over 6 repeats by the two-sided sign-flip test (exact), p values corrected for 1 pair by Holm's" in drawn
    same = methods(comparison(*(replace(each, drawn=False) for each in runs)))
    assert "with seeds 7 to 12 of the crawl; start pages and examples stayed." in same


def test_what_was_known_and_what_it_cost() -> None:
    sure = [made("0110", 0), made("0110", 1, asked=12, backlinks="charged", closed=False)]
    said = methods(comparison(*sure))
    assert "Each question who links to a page cost a fetch (apprentice(length=0.5): up to 12 questions a run)." in said
    opened = replace(sure[1], task="far", closed=False)
    assert "cost nothing on near, and a fetch each on far." in methods(comparison(sure[0], opened))
    made_web = methods(comparison(made("0110", 0, web="sim:pages=700,seed=3")))
    assert "a simulated web (sim:pages=700,seed=3)" in made_web and "that a web lacks" not in made_web


def test_text_for_latex_is_escaped_a_sentence_a_line() -> None:
    assert latex_text("50 % of a_b. Next: x.") == "50 \\% of a\\_b.\nNext: x.\n"
