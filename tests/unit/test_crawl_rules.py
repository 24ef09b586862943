"""Stopping rules (ARI-50) and progress figures."""

from __future__ import annotations

import pytest

from clew.config import StopSettings
from clew.crawl.progress import Progress
from clew.crawl.stopping import StopRules


def progress(flags: list[bool]) -> Progress:
    made = Progress()
    made.recall(flags)
    made.fetched = len(flags)
    return made


@pytest.mark.parametrize(
    ("settings", "before", "after", "name"),
    [
        (StopSettings(relevant_pages=2), [True, False], [True, False, True], "relevant_pages"),
        (StopSettings(irrelevant_pages=2), [False, True], [False, True, False], "irrelevant_pages"),
        (StopSettings(irrelevant_run=2), [False, True, False], [True, False, False], "irrelevant_run"),
    ],
)
def test_a_rule_stops_at_its_number(settings: StopSettings, before: list[bool], after: list[bool], name: str) -> None:
    rules = StopRules(settings)
    assert rules.reached(progress(before)) == ""
    assert rules.reached(progress(after)) == name


def test_nothing_stops_a_crawl_without_rules() -> None:
    assert StopRules(StopSettings()).reached(progress([False] * 10_000)) == ""


def test_the_budget_counts_what_is_under_way() -> None:
    rules = StopRules(StopSettings(), budget=10)
    assert rules.room(progress([True] * 7), under_way=2)
    assert not rules.room(progress([True] * 7), under_way=3)
    assert rules.reached(progress([True] * 10)) == "max_pages"


def test_precision_is_judged_after_a_session() -> None:
    rules = StopRules(StopSettings(min_precision=0.5))
    bad = progress([False, False, True])
    assert rules.reached(bad) == ""
    rules.after_session(bad)
    assert rules.reached(bad) == "min_precision"


def test_the_top_of_the_topics_stops_only_when_asked_for() -> None:
    for wanted, name in ((True, "top_of_topics"), (False, "")):
        rules = StopRules(StopSettings(top_of_topics=wanted))
        rules.at_top()
        assert rules.reached(progress([])) == name


def test_full_topics_stop_a_crawl_when_asked_for() -> None:
    for least, name in ((5, "topic_pages"), (6, ""), (0, "")):
        rules = StopRules(StopSettings(topic_pages=least))
        rules.filled(4)
        assert rules.reached(progress([])) == ""
        rules.filled(5)
        assert rules.reached(progress([])) == name


def test_time_is_a_rule_too() -> None:
    now = progress([True])
    now.started -= 100
    assert StopRules(StopSettings(), run_s=99).reached(now) == "for"
    assert StopRules(StopSettings(), run_s=1000).reached(now) == ""


def test_the_window_holds_the_last_200_visits() -> None:
    seen = progress([True] * 100 + [False] * 150)
    assert seen.window_rate == 50 / 200
    assert seen.harvest_rate == 100 / 250
    assert seen.irrelevant_run == 150
