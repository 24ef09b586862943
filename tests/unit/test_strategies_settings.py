"""Every setting of every strategy has an effect: with another value, and all else alike, links score otherwise, or
other pages are asked for.

A new setting needs a case here, or the name of a test elsewhere that fails when it is ignored.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from clew import Crawl
from clew.crawl.evidence import NO_LEAVES, Evidence
from clew.examples.examples import Examples
from clew.model import OTHER, Example, Link, LinkBatch, LinkKind, Outcome, Response, Session, Source, Visit
from clew.registry import settings_of
from clew.strategies.apprentice import Apprentice
from clew.strategies.apprentice.links import features_of
from clew.strategies.base import Strategy
from clew.strategies.context_graph import ContextGraph
from clew.strategies.registry import STRATEGIES, make
from clew.text.reader import seed_links
from clew.urls.canonical import host, keys, url_words
from clew.web.simulated import SimulatedWeb, parse_spec
from support import NoHistory, StubView, batch_of, html_page, text_page

SPEC = "sim:pages=900,seed=5,words=50,out_degree=12,broken=0.1,redirects=0.05"
PAGES, SESSION = 60, 10


@dataclass(frozen=True, slots=True)
class Case:
    """Another value of a setting; what is set beside it both times; how the crawl goes otherwise. ``formula``: the
    interest, A to F being topics; ``threshold``: what counts as relevant."""

    value: Any
    beside: Mapping[str, Any] = field(default_factory=dict)
    pages: int = PAGES
    formula: str = "A"
    threshold: float = 0.1


ROUNDS = {"retrain_new": 10, "min_positives": 1, "learning_archetypes": 0.0}
HARVEST = {"learning_pages": 0}
HAND = {"depth": 2, "vocabulary": "all layers", "quantile": 0.0}
ALONE = {"alone": True}
"""Not a setting: nobody links to the examples."""
TWO = "A or C or E or F"
LEARNING = {"warmup": 10, "cut": 0.8}
FOCUS = {"generalise_at": 0.9, "specialise_at": 1.0}
CASES: dict[str, dict[str, Case]] = {
    "ariadne": {
        "source": Case(0.0),
        "url": Case(0.0),
        "anchor": Case(0.0),
        "host": Case(0.0),
        **{name: Case(3.0) for name in ("distance", "level", "transversal", "hub", "hub_rank", "authority_rank")},
        "combine": Case("lexicographic"),
        "order": Case(("anchor", "source"), {"combine": "lexicographic"}),
        "floor": Case(0.2),
        "neutral": Case(0.1),
        "strong": Case(9.0),
        "close": Case(2),
        "texts": Case("either", formula="A and F"),
        "texts_about": Case("focus", FOCUS),
        "history": Case("name"),
        "host_prior": Case(0.1),
        "host_strength": Case(1.0),
        "intrinsic": Case(0.1, {"transversal": 2.0}),
        "hub_links": Case(3.0, {"hub": 2.0}),
        "generalise_at": Case(0.9, {"specialise_at": 1.0}),
        "specialise_at": Case(1.0, {"generalise_at": 0.8}),
        "generalise": Case("ignore", FOCUS, formula="A and F"),
        "boost": Case(9.0, FOCUS | {"generalise": "weigh"}, formula="A and F"),
        "widen": Case(3, FOCUS),
        "rarity": Case("least", FOCUS, formula="A and F"),
        "rescore": Case("new", FOCUS),
        "community_pages": Case(5),
    },
    "apprentice": {
        "warmup": Case(10),
        "retrain_every": Case(2, LEARNING),
        "growth": Case(3.0, LEARNING),
        "d_max": Case(0, LEARNING),
        "offsets": Case(False, LEARNING),
        "window": Case("chosen", LEARNING),
        "held_out": Case(5, LEARNING | {"window": "chosen"}),
        "tolerance": Case(0.5, LEARNING | {"window": "chosen"}),
        "instances": Case("before", LEARNING),
        "buckets": Case("equal", LEARNING),
        "cut": Case(0.5, LEARNING),
        "failures": Case(False, LEARNING),
        "smoothing": Case(0.1, LEARNING),
        "proportional": Case(False, LEARNING),
        "length": Case(0.0, LEARNING),
        "max_features": Case(20, LEARNING),
        "prior": Case(0.7),
        "topics": Case(2, LEARNING),
        "prefixes": Case(False, LEARNING | {"topics": 2}),
        "source_ranges": Case(0, LEARNING),
        "source_weight": Case(1.0, LEARNING),
        "siblings": Case(True, LEARNING),
        "url_words": Case(True, LEARNING),
    },
    "bingo": {
        "learning_pages": Case(30),
        "learning_retrainings": Case(2, ROUNDS),
        "learning_archetypes": Case(0.1, ROUNDS | {"learning_retrainings": 9}),
        "learning_focus": Case("soft", formula=TWO),
        "learning_order": Case("depth-first"),
        "learning_depth": Case(1),
        "learning_hosts": Case(False),
        "harvesting_focus": Case("sharp", HARVEST, formula=TWO),
        "harvesting_order": Case("depth-first", HARVEST),
        "decay": Case(0.9, HARVEST),
        "tunnelling": Case(0, HARVEST),
        "hub_boost": Case(2.0, ROUNDS),
        "fill_boost": Case(0.0, formula=TWO),
        "retrain_new": Case(200, ROUNDS),
        "min_positives": Case(3, formula=TWO),
        "retrain_anyway": Case(99.0, ROUNDS | {"min_positives": 99, "retrain_anyway": 1.0}, formula=TWO),
        "retrain_pages": Case(0, ROUNDS | {"retrain_new": 200, "retrain_pages": 20}),
        "authorities": Case(0, ROUNDS | {"confident": 0}),
        "confident": Case(0, ROUNDS),
        "drift_guard": Case("off", ROUNDS | {"guard_by": "trained"}),
        "guard_by": Case("trained", ROUNDS),
        "hubs": Case(0, ROUNDS),
        "predecessors": Case(0, ROUNDS),
        "across_hosts": Case(False, ROUNDS),
        "host_weights": Case(False, ROUNDS | {"hubs": 3, "across_hosts": False}),
        "iterations": Case(1, ROUNDS | {"hubs": 3, "hub_boost": 3.0}),
        "ask_backlinks": Case(3, ROUNDS),
        "hub_share": Case(1.0, ROUNDS | {"hubs": 50}),
    },
    "tunnelling": {
        "threshold": Case(0.999, {"cutoff": 0.0}),
        "cutoff": Case(0.0, {"threshold": 0.9}),
        "order": Case("distance"),
        "demote_hosts_after": Case(1),
        "demotion": Case(0.1, {"demote_hosts_after": 1}),
        "documents": Case(("html",)),
    },
}

GRAPHS: dict[str, Case] = {
    "depth": Case(1),
    "layer_cap": Case(1),
    "merged_cap": Case(1),
    "parents_per_page": Case(1),
    "expand_graphs": Case(False),
    "top_features": Case(1),
    "max_vocab": Case(3),
    "pairs": Case(True),
    "vocabulary": Case("seeds"),
    "prior": Case("sizes"),
    "allow_conflict": Case(True),
    "targets": Case("drop"),
    "occurrences": Case(False),
    "raw": Case(True),
    "quantile": Case(1.0),
    "thresholds": Case({"1": 0.0}),
    "layer0": Case("model"),
    "other": Case("likelihood"),
    "update": Case("backlinks"),
    "rebuild_sessions": Case(1, {"update": "rebuild"}),
    "rebuild_targets": Case(1, {"update": "rebuild", "rebuild_sessions": 1}),
    "backlinks_per_target": Case(1, {"update": "backlinks"}),
    "bootstrap": Case("none", ALONE),
    "search_hits": Case(1, ALONE),
    "min_targets": Case(2, ALONE | {"bootstrap": "breadth-first"}),
}
"""Of context-graph, whose graphs are made by hand."""

APPRENTICE = "test_strategies_apprentice.py::"
ELSEWHERE = {
    "ariadne": {
        "barren": "test_strategies_ariadne.py::test_nothing_found_at_all_changes_nothing_unless_asked_to",
        "rare_first": "test_strategies_ariadne.py::test_rarity_may_be_told",
        "prune": "test_strategies_ariadne.py::test_pruning",
        "specialise": "test_strategies_ariadne.py::test_specialising_the_more_frequent_topic",
    },
    "apprentice": {
        "anchors": "test_strategies_settings.py::test_the_apprentice_takes_the_first_of_several_anchors",
        "learn_from": APPRENTICE + "test_a_finished_crawl_trains_it_before_the_first_page",
        "only_from": APPRENTICE + "test_the_recall_crawler_stays_where_another_crawl_was",
    },
    "bingo": {
        "authority_share": "test_strategies_bingo.py::test_each_source_has_its_share_of_a_round",
        "archetypes": "test_strategies_bingo.py::test_archetypes_are_surer_than_the_mean_of_what_was_trained_on",
        "widen": "test_strategies_settings.py::test_bingo_tunnels_deeper_when_no_link_is_left",
    },
    "tunnelling": {
        "metric": "test_strategies_tunnelling.py::test_a_path_ends_after_as_many_duds_as_the_checklist_says"
    },
}
"""Settings whose effect needs another crawl, or many pages."""


@cache
def web() -> SimulatedWeb:
    return parse_spec(SPEC)


@cache
def examples(formula: str) -> Examples:
    paths = web().topics(2)
    topics = {f"t{path.split('/')[0]}/{path.split('/')[1]}": web().examples(5, path) for path in paths[:6]}
    names = list(topics)
    text = " ".join(names["ABCDEF".index(word)] if word in "ABCDEF" else word for word in formula.split())
    return Examples(topics=topics, interest=text, irrelevant=web().sample(12, "others"))


@cache
def trace(strategy: str, table: str, pages: int, formula: str, threshold: float) -> str:
    """What a crawl does: URLs and scores of its visits, and the scores of all links at its end."""
    wanted = examples(formula)
    seeds = [url for path in web().topics(2)[:6] for url in web().examples(7, path)[5:]]
    settings = {
        "project": {"web": SPEC},
        "crawl": {"session_pages": SESSION, "max_pages": pages},
        "strategy": {"name": strategy, strategy: msgspec.json.decode(table)},
        "judge": {"name": "naive-bayes", "threshold": threshold},
    }
    with Crawl(seeds, wanted, world=SPEC, settings=settings) as crawl:
        crawl.run_sync()
        store = crawl._store
        assert store is not None
        said = [f"{row.url} {row.score}" for row in store.visits.rows()]
        scores = hashlib.sha256(b"".join(scores.tobytes() for _, _, _, scores in store.links.rows())).hexdigest()
    return "\n".join([*said, scores])


def ran(strategy: str, table: Mapping[str, Any], case: Case) -> str:
    if strategy == "context-graph":
        return graphs(**table)
    return trace(strategy, msgspec.json.encode(table).decode(), case.pages, case.formula, case.threshold)


# -- context graphs by hand -------------------------------------------------------------------------------

TEXTS = {
    "known": "sailing boats regatta sailing harbour",
    "other": "sailing harbour boats",
    "crew": "skipper skipper crew biography members",
    "club": "members club directory skipper",
    "list": "club directory directory town",
    "hub": "town links directory members",
    "miss": "rain weather town",
}
PARENTS = {"known": ["crew", "club"], "other": ["club"], "crew": ["list", "club"], "club": ["list", "hub", "crew"]}
PARENTS |= {"found": ["list", "miss"], "more": ["hub", "crew"]}
PROBES = (
    "sailing boats",
    "skipper crew",
    "members club directory skipper",
    "directory town links",
    "club directory directory town",
    "members links club",
    "rain",
    "crew crew club boats",
    "members",
    "directory",
    "skipper",
    "club",
)


def url(name: str) -> str:
    return f"http://{name}.test/"


def graphs(*, alone: bool = False, **settings: Any) -> str:
    """What is asked for, and how links score on some pages, before and after two targets more were found."""
    examples = [Example(url(name), 0, text_page(TEXTS[name])) for name in ("known", "other")]
    examples.append(Example(url("miss"), OTHER, text_page(TEXTS["miss"])))
    parents = {url(name): list(map(url, names)) for name, names in PARENTS.items() if not alone}
    view, strategy = Searched(examples, parents=parents), make("context-graph", HAND | settings)
    strategy.begin(view)
    said: list[Any] = [asyncio.run(strategy.consult())]
    for name in ("crew", "club", "list", "hub"):
        visited(strategy, view, name, 0.9 if name == "list" else 0.1)
    if not alone or strategy.wants_to_consult():
        said.append(asyncio.run(strategy.consult()))
    assert isinstance(strategy, ContextGraph) and strategy.model is not None
    said += [scores_of(strategy), strategy.model.priors.tolist()]
    for number, name in enumerate(("found", "more"), 1):
        visited(strategy, view, name, 0.9)
        strategy.adapt(Session(number, number, number, 1, 1, number, number))
        if strategy.wants_to_consult():
            asyncio.run(strategy.consult())
    return str([*said, scores_of(strategy), view.enqueued])


class Searched(StubView):
    """Every search finds the same two pages."""

    async def search(self, query: str, limit: int) -> list[str]:
        return [url("crew"), url("hub")][:limit]


def visited(strategy: Strategy, view: StubView, name: str, relevance: float) -> None:
    """The strategy learns of a page."""
    links = seed_links([url(name)], keys([url(name)]), [host(url(name))], url_words, LinkKind.BACKLINK)
    asked = Evidence(NoHistory()).batch(Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0), links, NO_LEAVES)
    batch = probe(TEXTS.get(name, TEXTS["known"]), relevance, url(name))
    number, found = len(view.seen) + 1, Response(url(name), Outcome.OK, 200)
    visit = Visit(number, Link(asked, 0, 1.0), found, None, None, relevance, relevance >= 0.5, 0, "", batch)
    view.seen.append(visit)
    strategy.learn(visit)


def probe(text: str, relevance: float = 0.1, at: str = "http://probe.test/") -> LinkBatch:
    return batch_of(html_page(f"<html lang=en><p>{text}</p> <a href=/a>x</a>", at), relevance)


def scores_of(strategy: Strategy) -> list[float]:
    pages = [probe(text) for text in PROBES] + [probe(TEXTS["crew"], 0.1, url("crew")), probe("sailing", 0.9)]
    return [float(strategy.score(page)[0]) for page in pages]


# -- the tests --------------------------------------------------------------------------------------------

ALL = CASES | {"context-graph": GRAPHS}


@pytest.mark.parametrize(("strategy", "setting"), [(one, name) for one, cases in ALL.items() for name in cases])
def test_a_setting_has_an_effect(strategy: str, setting: str) -> None:
    case = ALL[strategy][setting]
    assert ran(strategy, case.beside, case) != ran(strategy, {**case.beside, setting: case.value}, case)


@pytest.mark.parametrize("strategy", STRATEGIES.builtin)
def test_no_setting_is_forgotten(strategy: str) -> None:
    form = settings_of(STRATEGIES.get(strategy))
    cases, elsewhere = ALL.get(strategy, {}), ELSEWHERE.get(strategy, {})
    assert sorted([*cases, *elsewhere]) == sorted(form.__struct_fields__ if form is not None else ())
    for test in elsewhere.values():
        file, name = test.split("::")
        assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")


def test_the_same_settings_are_the_same_crawl() -> None:
    """So that a difference is the setting's doing."""
    trace.cache_clear()
    one = ran("apprentice", LEARNING, Case(None))
    trace.cache_clear()
    assert one == ran("apprentice", LEARNING, Case(None))
    assert graphs() == graphs()


def test_bingo_tunnels_deeper_when_no_link_is_left() -> None:
    for widen in (True, False):
        strategy = make("bingo", {"widen": widen, "learning_pages": 0, "tunnelling": 0})
        view = StubView([Example(url("known"), 0, text_page(TEXTS["known"]))])
        strategy.begin(view)
        visited(strategy, view, "miss", 0.1)
        assert asyncio.run(strategy.consult()) is widen


def test_the_apprentice_takes_the_first_of_several_anchors() -> None:
    batch = batch_of(html_page("<p>red <a href=/x>blue</a> green <a href=/x>pink</a></p>"))
    found = {}
    for anchors in ("all", "first"):
        strategy = make("apprentice", {"anchors": anchors, "topics": 0})
        assert isinstance(strategy, Apprentice)
        strategy.begin(StubView())
        found[anchors] = len(features_of(batch, 0, strategy.settings, strategy.extras, {}))
    assert found["first"] < found["all"]
