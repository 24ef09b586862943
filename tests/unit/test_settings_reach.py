"""Every setting of every strategy and judge reaches what it is for: crawls of a small web, or the scores of pages, that
differ in it alone must differ in what they do.

Which settings there are is read off the settings classes. For yes or no and for choices the other values are tried by
themselves; for numbers and texts there is an entry with a value, and where a setting matters only beside others, an
entry says which. A setting without an entry that would need one fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
import numpy as np
import pytest
from settings_web import BOATS, EXAMPLES, OTHER, PAGES, SOUP, TOPICS, address, crawled, example_address, read_page

from clew.config import JudgeSettings
from clew.errors import ClewError
from clew.judges.base import JudgeContext
from clew.judges.registry import JUDGES
from clew.judges.registry import make as make_judge
from clew.model import OTHER as OTHER_TOPIC
from clew.model import Example, Page
from clew.registry import settings_of
from clew.strategies.registry import STRATEGIES

NUMBER = object()


@dataclass(frozen=True)
class Case:
    """Another value of a setting, what is set beside it in both crawls, and in which of the webs."""

    value: Any
    beside: Mapping[str, Any] = field(default_factory=dict)
    interest: str = "or"
    backlinks: bool = True
    threshold: float = 0.5
    pages: int = 48


BASE: dict[str, dict[str, Any]] = {
    "ache": {"learn_every": 12, "min_frequency": 1},
    "apprentice": {"warmup": 8, "growth": 0.0},
    "ariadne": {"generalise_at": 0.9, "specialise_at": 1.0},
    "bingo": {
        "learning_pages": 24, "retrain_new": 6, "min_positives": 2, "retrain_pages": 15, "authorities": 3,
        "confident": 3, "hubs": 4, "learning_retrainings": 2, "learning_archetypes": 0.0, "learning_depth": 3,
    },
    "clew": {"refresh": 4},
    "context-graph": {"depth": 2, "merged_cap": 6, "layer0": "model", "top_features": 10},
    "tunnelling": {"cutoff": 2.0, "threshold": 0.9},
}  # fmt: skip
"""Small enough for 48 pages."""

LEX = {"combine": "lexicographic"}
CHOSEN = {"window": "chosen"}
AND = {"interest": "and"}
STRATEGY_CASES: dict[str, dict[str, Case]] = {
    "ache": {
        "learn_every": Case(20),
        "smoothing": Case(0.1),
        "cost": Case(0.01, {"classifier": "svm"}),
        "samples": Case(8),
        "url_features": Case(0),
        "anchor_features": Case(3),
        "around_features": Case(3),
        "around": Case(1),
        "min_frequency": Case(15),
        "learn_from": Case("another"),
    },
    "apprentice": {
        "warmup": Case(40),
        "retrain_every": Case(3),
        "growth": Case(1.0),
        "d_max": Case(1),
        "held_out": Case(6, CHOSEN),
        "tolerance": Case(0.9, CHOSEN),
        "buckets": Case(NUMBER, {"cut": 0.9}),
        "cut": Case(0.9),
        "smoothing": Case(0.1),
        "length": Case(0.0),
        "max_features": Case(20),
        "prior": Case(0.7, {"warmup": 30}),
        "topics": Case(2),
        "prefixes": Case(NUMBER, {"topics": 2}),
        "source_ranges": Case(0),
        "source_weight": Case(1.0),
        "learn_from": Case("another"),
        "only_from": Case("another"),
    },
    "ariadne": {
        **{name: Case(0.0) for name in ("source", "url", "anchor", "host")},
        **{name: Case(3.0) for name in ("distance", "level", "transversal", "hub")},
        **{name: Case(3.0) for name in ("hub_rank", "authority_rank")},
        "order": Case(["anchor", "source"], LEX),
        "floor": Case(0.2),
        "neutral": Case(0.1),
        "strong": Case(9.0),
        "close": Case(2),
        "texts": Case(NUMBER, **AND),
        "texts_about": Case(NUMBER, {"texts": "either", "strong": 0.0, "generalise": "ignore"}, **AND),
        "host_prior": Case(0.1),
        "host_strength": Case(1.0),
        "intrinsic": Case(0.1, {"transversal": 2.0}),
        "hub_links": Case(3.0, {"hub": 2.0}),
        "generalise_at": Case(0.0),
        "specialise_at": Case(0.9, interest="one"),
        "generalise": Case(NUMBER, **AND),
        "boost": Case(9.0, {"generalise": "weigh"}, **AND),
        "widen": Case(3, {"generalise_at": 1.0}, **AND),
        "barren": Case(NUMBER, threshold=1.0),
        "rarity": Case(NUMBER, **AND),
        "rare_first": Case([SOUP, BOATS], **AND),
        "rescore": Case(NUMBER, **AND),
        "community_pages": Case(3),
    },
    "bingo": {
        "learning_pages": Case(12, {"learning_retrainings": 9}),
        "learning_retrainings": Case(1, {"learning_pages": 90}),
        "learning_archetypes": Case(0.5, {"learning_pages": 90, "learning_retrainings": 9}),
        "learning_depth": Case(1),
        "decay": Case(0.25),
        "tunnelling": Case(0),
        "widen": Case(NUMBER, {"tunnelling": 0}, interest="one", pages=400),
        "hub_boost": Case(2.0),
        "fill_boost": Case(0.0, {"min_positives": 9}),
        "retrain_new": Case(20, {"retrain_pages": 0}),
        "min_positives": Case(9, {"retrain_pages": 0}),
        "retrain_anyway": Case(99.0, {"min_positives": 30, "retrain_anyway": 1.0, "retrain_pages": 0}),
        "retrain_pages": Case(0, {"retrain_new": 99}),
        "authorities": Case(0),
        "confident": Case(0),
        "archetypes": Case(NUMBER),
        "guard_by": Case(NUMBER),
        "hubs": Case(0),
        "authority_share": Case(0.0),
        "hub_share": Case(1.0, {"hubs": 40}),
        "predecessors": Case(0),
        "iterations": Case(1, {"hubs": 1}),
        "host_weights": Case(NUMBER, {"hubs": 1}),
        "ask_backlinks": Case(3),
    },
    "clew": {
        "words": Case(0.0),
        "rates": Case(4.0),
        "near": Case(3.0),
        "seed_hosts": Case(0.0),
        "explore": Case(0.9),
        "refresh": Case(40),
    },
    "context-graph": {
        "depth": Case(1),
        "allow_conflict": Case(NUMBER, {"merged_cap": 20}),
        "vocabulary": Case(NUMBER, {"merged_cap": 20, "max_vocab": 8}),
        "layer_cap": Case(2),
        "merged_cap": Case(2),
        "parents_per_page": Case(1),
        "top_features": Case(3),
        "max_vocab": Case(8),
        "quantile": Case(0.0),
        "thresholds": Case({"1": -1.0}),
        "other": Case(NUMBER, {"quantile": 0.9}),
        "rebuild_sessions": Case(2, {"update": "rebuild", "rebuild_sessions": 1}),
        "rebuild_targets": Case(1, {"update": "rebuild", "rebuild_sessions": 1}),
        "backlinks_per_target": Case(1, {"update": "backlinks"}),
        "bootstrap": Case(NUMBER, {"bootstrap": "breadth-first"}, backlinks=False),
        "search_hits": Case(1, {"bootstrap": "search"}, backlinks=False),
        "min_targets": Case(1, {"bootstrap": "breadth-first"}, backlinks=False),
    },
    "tunnelling": {
        "threshold": Case(0.5),
        "cutoff": Case(0.0),
        "metric": Case(NUMBER, {"order": "distance", "cutoff": 4.0, "threshold": 1.0}, **AND),
        "demote_hosts_after": Case(1),
        "demotion": Case(0.1, {"demote_hosts_after": 1}),
        "documents": Case(["html"]),
    },
}
SELECTED = {"features": 6}
FEATURES = {"lead": Case(1.0)}
VECTORS = {**FEATURES, "heaviest": Case(3)}
LINEAR = {**VECTORS, "features": Case(6), "selection": Case(NUMBER, SELECTED), "cost": Case(0.01)}
JUDGE_CASES: dict[str, dict[str, Case]] = {
    "auto": {"steepness": Case(2.0)},
    "naive-bayes": {**FEATURES, "smoothing": Case(2.0)},
    "centroid": {**VECTORS, "negative": Case(0.0), "examples": Case(2), "least_examples": Case(4)},
    "svm": LINEAR,
    "logistic": LINEAR,
    "ensemble": {"members": Case(["naive-bayes", "centroid"])},
    "embedding": {**FEATURES, "model": Case("nowhere")},
}


def others(kind: Any, value: Any) -> list[Any]:
    """The values of a setting besides one, where its type says which there are."""
    while hasattr(kind, "__metadata__"):
        kind = kind.__origin__
    if kind is bool:
        return [not value]
    return [choice for choice in get_args(kind) if choice != value] if get_origin(kind) is Literal else []


def cases(form: type[msgspec.Struct], given: Mapping[str, Case], base: Mapping[str, Any]) -> Iterator[tuple[str, Case]]:
    """Of each setting the values to try: those of its type, or that of its entry."""
    for item in msgspec.structs.fields(form):
        case = given.get(item.name, Case(NUMBER))
        beside = {**base, **case.beside}
        choices = others(item.type, beside.get(item.name, item.default))
        for value in choices or [case.value]:
            yield item.name, replace(case, value=value, beside=beside)


@cache
def ran(strategy: str, table: bytes, *where: Any) -> list[str]:
    return crawled(strategy, msgspec.json.decode(table), *where)


def differs(strategy: str, name: str, case: Case) -> bool:
    """Whether two crawls that differ in a setting alone differ in what they did."""
    tables = [case.beside, {**case.beside, name: case.value}]
    where = (case.interest, case.backlinks, case.threshold, case.pages)
    one, other = (ran(strategy, msgspec.json.encode(table), *where) for table in tables)
    return one != other


ELSEWHERE = {
    "ache": {
        "url_match": "test_strategies_ache.py::test_a_word_of_urls_stands_for_those_that_contain_it"
    },  # no word is part of another
    "clew": {
        "discount": "test_strategies_clew.py::test_the_discount_reaches_the_table",  # paths are too short
        "odds": "test_strategies_clew.py::test_odds_count_as_much_as_is_said",  # too few examples
        "barren_hosts": "test_strategies_clew.py::test_hosts_count_as_much_as_is_said",  # too few pages a host
    },
    "ariadne": {"specialise": "test_strategies_ariadne.py::test_specialising_the_more_frequent_topic"},  # deeper trees
}
"""Tests of settings that change nothing in so small a web."""

STRATEGIES_WITH = {name: form for name in STRATEGIES.builtin if (form := settings_of(STRATEGIES.get(name)))}
ALL = [
    pytest.param(name, setting, case, id=f"{name} {setting}={'?' if case.value is NUMBER else case.value}")
    for name, form in STRATEGIES_WITH.items()
    for setting, case in cases(form, STRATEGY_CASES.get(name, {}), BASE.get(name, {}))
    if setting not in ELSEWHERE.get(name, {})
]


@pytest.mark.parametrize(("strategy", "setting", "case"), ALL)
def test_a_setting_of_a_strategy_changes_the_crawl(strategy: str, setting: str, case: Case) -> None:
    assert case.value is not NUMBER, f"[strategy.{strategy}] {setting} needs an entry here: another value"
    assert differs(strategy, setting, case), f"[strategy.{strategy}] {setting} = {case.value!r} changes nothing"


def test_tests_elsewhere_are_there() -> None:
    for test in [one for tests in ELSEWHERE.values() for one in tests.values()]:
        file, name = test.split("::")
        assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("strategy", STRATEGIES_WITH)
def test_a_crawl_repeats(strategy: str) -> None:
    """Else any two would differ."""
    assert crawled(strategy, BASE[strategy]) == crawled(strategy, BASE[strategy])


@pytest.mark.parametrize("strategy", STRATEGIES_WITH)
def test_entries_are_of_settings(strategy: str) -> None:
    assert set(STRATEGY_CASES[strategy]) | set(BASE[strategy]) <= set(STRATEGIES_WITH[strategy].__struct_fields__)


# -- judges -----------------------------------------------------------------------------------------------


def learned() -> Any:
    """As if in the crawl's own pages every word about boats were common."""
    ids = np.unique(read_page(example_address(BOATS, 0)).leaves.ids)
    return lambda languages: (ids, np.full(len(ids), 0.9))


@cache
def examples() -> tuple[Example, ...]:
    """One more of boats than of soup."""
    given = {BOATS: EXAMPLES, SOUP: EXAMPLES - 1, OTHER: EXAMPLES}
    named = [(topic, example_address(topic, n)) for topic, count in given.items() for n in range(count)]
    return tuple(
        Example(url, OTHER_TOPIC if topic == OTHER else TOPICS.index(topic), read_page(url)) for topic, url in named
    )


@cache
def pages() -> tuple[Page, ...]:
    return tuple(read_page(address(number)) for number in range(0, PAGES, 5))


def scores(name: str, table: Mapping[str, Any]) -> list[list[float]] | str:
    """Of twenty pages, once a judge that learns from a crawl was shown one; what was wrong where the judge cannot be
    made."""
    settings = JudgeSettings(name=name, tables={name: dict(table)})
    try:
        judge = make_judge(name, JudgeContext((BOATS, SOUP), corpus=learned, settings=settings))
        judge.fit(examples())
        judge.observe([read_page(address(number)) for number in range(PAGES)])
    except ClewError as error:
        return str(error)
    return [one.scores.tolist() for one in judge.judge(pages())]


JUDGES_WITH = {name: form for name in JUDGES.builtin if (form := settings_of(JUDGES.get(name)))}


@pytest.mark.parametrize(
    ("judge", "setting", "case"),
    [
        pytest.param(name, setting, case, id=f"{name} {setting}={'?' if case.value is NUMBER else case.value}")
        for name, form in JUDGES_WITH.items()
        for setting, case in cases(form, JUDGE_CASES.get(name, {}), {})
    ],
)
def test_a_setting_of_a_judge_changes_scores(judge: str, setting: str, case: Case) -> None:
    assert case.value is not NUMBER, f"[judge.{judge}] {setting} needs an entry here: another value"
    usual = scores(judge, case.beside)
    if isinstance(usual, str):
        pytest.skip(usual)
    assert scores(judge, case.beside) == usual
    assert scores(judge, {**case.beside, setting: case.value}) != usual
