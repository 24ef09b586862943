"""Every setting of context-graph and of the judges makes a difference where it should.

A case is a setting with a value that it does not have by default, and what else must be set for it to matter. What is
done, decided, scored and asked for in a small scenario must change with it. Which settings there are is read from the
classes, so a new one without a case fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import numpy as np
import pytest

from clew.config import JudgeSettings
from clew.errors import TrainingError
from clew.judges.base import JudgeContext
from clew.judges.registry import JUDGES
from clew.judges.registry import make as make_judge
from clew.model import OTHER, Example, Judgement, Link, LinkBatch, Outcome, Response, Session, Visit
from clew.strategies.registry import STRATEGIES
from clew.strategies.registry import make as make_strategy
from clew.testing.judges import LIKE, UNLIKE, UNWANTED, WANTED
from clew.text.terms import tokeniser
from support import StubView, batch_of, html_page, text_page

Case = tuple[str, Any, Mapping[str, Any]]
"""A setting, a value, and the settings beside it."""


def covered(settings: type[msgspec.Struct], cases: Sequence[Case], but: Sequence[str] = ()) -> None:
    """Whether there is a case for each setting."""
    named = {name for name, _, _ in cases}
    assert named | set(but) == set(settings.__struct_fields__)


# -- context-graph ----------------------------------------------------------------------------------------

PARENTS = {
    "http://e.test/1": [f"http://g.test/crew{n}" for n in range(4)],
    "http://e.test/2": ["http://g.test/crew0", "http://g.test/club"],
    "http://g.test/crew0": ["http://g.test/list1", "http://g.test/list2", "http://g.test/both"],
    "http://g.test/crew1": ["http://g.test/list1", "http://g.test/crew2"],
    "http://g.test/club": ["http://g.test/crew3", "http://g.test/both"],
    "http://a.test/new1": ["http://g.test/fan1", "http://g.test/fan2"],
    "http://a.test/new2": ["http://g.test/fan3"],
}
"""Who links to the examples (e), and so on. crew3 is in layer 1 of one graph and in layer 2 of the other."""

TEXTS = {
    "crew": "skipper crew crew biography sailing",
    "club": "club members directory harbour",
    "list": "directory portal members listing catalogue",
    "both": "sailing regatta harbour boats",
    "fan": "fans forum gossip",
    "new": "sailing boats news",
}
BROAD = (
    "skipper crew",
    "directory portal",
    "directory directory directory portal listing",
    "weather rain",
    "crew harbour club",
    "sailing boats",
    "biography crew crew crew portal catalogue",
    "harbour",
)


def text_of(url: str) -> str:
    return TEXTS[url.rpartition("/")[2].rstrip("0123456789")]


def batch(url: str, text: str, relevance: float, number: int = 1) -> LinkBatch:
    page = html_page(f"<p>{text}</p><a href=/x>x</a>", url)
    found = batch_of(page, relevance, visit=number)
    return replace(found, source=replace(found.source, url=url, relevance=relevance))


def visit(number: int, url: str, text: str, relevance: float) -> Visit:
    links = batch(url, text, relevance, number)
    link = Link(batch(url, text, relevance, number), 0, 0.5)
    link = replace(link, batch=replace(link.batch, links=replace(link.batch.links, urls=(url,))))
    judgement = Judgement(np.array([relevance], np.float32), 0, 0.5)
    return Visit(
        number, link, Response(url, Outcome.OK, 200), None, judgement, relevance, relevance >= 0.5, 0, "", links
    )


class Story:
    """A crawl in small steps: what is told of it is all that can be seen from outside."""

    def __init__(self, parents: Mapping[str, Sequence[str]], settings: Mapping[str, Any]) -> None:
        pages = ["sailing boats sailing harbour", "regatta boats wind sailing"]
        examples = [Example(f"http://e.test/{n}", 0, text_page(text)) for n, text in enumerate(pages, 1)]
        self.view = StubView([*examples, Example("http://e.test/9", OTHER, text_page("taxes"))], parents=parents)
        self.strategy = make_strategy("context-graph", dict(settings))
        self.told: list[object] = []
        self.strategy.begin(self.view)

    def consult(self) -> None:
        if self.strategy.wants_to_consult() or not self.told:
            self.told.append(("consulted", asyncio.run(self.strategy.consult())))
        self.told.append(list(self.view.enqueued))

    def fetch(self) -> None:
        """What was asked for."""
        for url, _ in self.view.enqueued:
            if url not in {one.link.url for one in self.view.seen}:
                self.see(url, text_of(url), 0.8 if url.endswith("both") else 0.2)

    def see(self, url: str, text: str, relevance: float) -> None:
        self.view.seen.append(visit(len(self.view.seen) + 1, url, text, relevance))
        self.strategy.learn(self.view.seen[-1])

    def score(self) -> None:
        pages = [(f"http://a.test/p{n}", text, 0.1 + n / 100) for n, text in enumerate(BROAD)]
        pages += [("http://a.test/sure", "weather", 0.9), ("http://g.test/crew1", TEXTS["crew"], 0.2)]
        self.told.append([self.strategy.score(batch(*page)).tolist() for page in pages])

    def session(self, number: int) -> None:
        self.told.append(("rescored", self.strategy.adapt(Session(number, 1, 3, 3, 1, 3, 1))))


def with_graphs(settings: Mapping[str, Any]) -> list[object]:
    """Graphs of the examples, then six sessions with new targets."""
    story = Story(PARENTS, settings)
    story.consult()
    story.fetch()
    story.told.append(asyncio.run(story.strategy.consult()))
    story.score()
    for number in range(1, 7):
        if number < 3:
            story.see(f"http://a.test/new{number}", TEXTS["new"], 0.9)
        story.session(number)
        story.consult()
        story.fetch()
    story.score()
    return [story.told, story.view.decisions]


def without_back_links(settings: Mapping[str, Any]) -> list[object]:
    """No example has a parent: a search, and targets on the way."""
    story = Story({url: found for url, found in PARENTS.items() if "e.test" not in url}, settings)
    hits = [f"http://a.test/new{number}" for number in (1, 2)]
    for query in story.strategy.trainer.queries(story.strategy.model):  # type: ignore[attr-defined]
        story.view.hits[query] = hits
    story.consult()
    story.score()
    story.fetch()
    for number in range(3, 10):
        story.consult()
        story.see(f"http://a.test/new{number}", TEXTS["new"], 0.9)
    story.score()
    return [story.told, story.view.decisions]


DEPTH: Mapping[str, Any] = {"depth": 2, "quantile": 0.0}
WIDE = {**DEPTH, "vocabulary": "all layers"}
REBUILD, BACKLINKS = {**DEPTH, "update": "rebuild", "rebuild_sessions": 2}, {**DEPTH, "update": "backlinks"}
GRAPHS: list[Case] = [
    ("depth", 1, {"quantile": 0.0}),
    ("layer_cap", 2, DEPTH),
    ("merged_cap", 2, DEPTH),
    ("parents_per_page", 1, DEPTH),
    ("expand_graphs", False, DEPTH),
    ("top_features", 1, WIDE),
    ("max_vocab", 3, WIDE),
    ("pairs", True, WIDE),
    ("vocabulary", "seeds", WIDE),
    ("vocabulary", "layer 1", WIDE),
    ("prior", "sizes", {**WIDE, "depth": 1, "layer0": "model", "thresholds": {"0": -9.0, "1": -9.0}}),
    ("allow_conflict", True, WIDE),
    ("targets", "layer 0", WIDE),
    ("targets", "drop", WIDE),
    ("occurrences", False, WIDE),
    ("raw", True, WIDE),
    ("quantile", 1.0, WIDE),
    ("thresholds", {"1": 0.0}, WIDE),
    ("layer0", "model", WIDE),
    ("other", "likelihood", WIDE),
    ("update", "rebuild", {**DEPTH, "rebuild_sessions": 2}),
    ("update", "backlinks", DEPTH),
    ("rebuild_sessions", 3, REBUILD),
    ("rebuild_targets", 1, REBUILD),
    ("backlinks_per_target", 1, BACKLINKS),
]
BOOTSTRAP: list[Case] = [
    ("bootstrap", "none", DEPTH),
    ("bootstrap", "search", {**DEPTH, "bootstrap": "breadth-first"}),
    ("bootstrap", "breadth-first", DEPTH),
    ("search_hits", 1, DEPTH),
    ("min_targets", 2, {**DEPTH, "bootstrap": "breadth-first"}),
]


def test_there_is_a_case_for_every_setting_of_context_graph() -> None:
    covered(STRATEGIES.get("context-graph").Settings, GRAPHS + BOOTSTRAP)  # type: ignore[attr-defined]


def differs(told: Any, case: Case) -> None:
    name, value, beside = case
    before = repr(told(beside))
    assert repr(told(beside)) == before, "the scenario repeats"
    assert repr(told({**beside, name: value})) != before


@pytest.mark.parametrize("case", GRAPHS, ids=lambda case: f"{case[0]}={case[1]}")
def test_a_setting_of_context_graph(case: Case) -> None:
    differs(with_graphs, case)


@pytest.mark.parametrize("case", BOOTSTRAP, ids=lambda case: f"{case[0]}={case[1]}")
def test_a_setting_of_the_bootstrap_of_context_graph(case: Case) -> None:
    differs(without_back_links, case)


# -- judges -----------------------------------------------------------------------------------------------

LONG = " ".join(["weather and wind on the coast of the island"] * 30)
MIXED = ["budget sailing", f"{LIKE} {LONG}", f"{LONG} {LIKE}", "harbour harbour harbour budget", LIKE, UNLIKE]
TRAINED: list[Case] = [("background", True, {})]
TERMS: list[Case] = [*TRAINED, ("pairs", False, {}), ("lead", 5.0, {}), ("damped", False, {})]
VECTORS: list[Case] = [*TERMS, ("heaviest", 3, {}), ("reference", "table", {}), ("reference", "crawl", {})]
LINEAR: list[Case] = [
    *VECTORS,
    ("features", 4, {}),
    ("selection", "chi-squared", {"features": 3}),
    ("cost", 0.01, {}),
]
JUDGE_CASES: dict[str, list[Case]] = {
    "naive-bayes": [*TERMS, ("smoothing", 2.0, {})],
    "svm": LINEAR,
    "logistic": LINEAR,
    "centroid": [
        *VECTORS,
        ("negative", 0.0, {}),
        ("calibrated", False, {}),
        ("examples", 1, {}),
        ("least_examples", 5, {}),
    ],
    "ensemble": [("members", ("naive-bayes", "logistic"), {}), ("vote", "majority", {})],
}
NEEDS_A_MODEL = "embedding"
"""tests/unit/test_judges_embedding.py"""


def learned() -> Any:
    """As if in the crawl's own pages every word of the pages that are wanted were common."""

    def shares(languages: Sequence[str]) -> Any:
        ids = np.unique(tokeniser("en").ids(" ".join(WANTED)))
        return ids, np.full(len(ids), 0.9)

    return shares


@cache
def examples() -> tuple[Example, ...]:
    pages = [(0, f"{WANTED[0]} {LONG}"), *((0, text) for text in WANTED[1:]), *((OTHER, text) for text in UNWANTED)]
    return tuple(Example(f"http://e.test/{n}", topic, text_page(text)) for n, (topic, text) in enumerate(pages))


def scores(name: str, settings: Mapping[str, Any]) -> object:
    tables = {name: dict(settings)} if settings else {}
    context = JudgeContext(corpus=learned, settings=JudgeSettings(name=name, tables=tables))
    judge = make_judge(name, context)
    try:
        judge.fit(examples())
    except TrainingError as error:
        return str(error)
    return [one.scores.tolist() for one in judge.judge([text_page(text) for text in MIXED])]


def test_there_is_a_case_for_every_setting_of_every_judge() -> None:
    with_settings = {name for name in JUDGES if hasattr(JUDGES.get(name), "Settings")}
    assert set(JUDGE_CASES) | {NEEDS_A_MODEL} == with_settings
    for name, cases in JUDGE_CASES.items():
        covered(JUDGES.get(name).Settings, cases)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("judge", "case"),
    [
        pytest.param(judge, case, id=f"{judge} {case[0]}={case[1]}")
        for judge, cases in JUDGE_CASES.items()
        for case in cases
    ],
)
def test_a_setting_of_a_judge(judge: str, case: Case) -> None:
    name, value, beside = case
    assert scores(judge, {**beside, name: value}) != scores(judge, beside)
