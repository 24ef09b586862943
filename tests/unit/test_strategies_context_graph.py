"""context-graph: graphs, classifiers and the order of a crawl, against values worked out by hand."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew import Project
from clew.crawl.evidence import NO_LEAVES, Evidence
from clew.errors import ConfigError
from clew.judges.reduced import ReducedVocabulary
from clew.model import OTHER, Decision, Example, Link, LinkBatch, LinkKind, Outcome, Response, Session, Source, Visit
from clew.strategies.context_graph import CRAWLING, FETCHING, SEARCHING, SPREADING, ContextGraph
from clew.strategies.context_graph.build import Graphs
from clew.strategies.context_graph.layers import OTHER as NO_LAYER
from clew.strategies.context_graph.layers import TOP_OF_QUEUE, Form, LayerModel, Sample, squashed
from clew.strategies.context_graph.training import Trainer
from clew.strategies.registry import STRATEGIES, make
from clew.text.reader import seed_links
from clew.urls.canonical import host, keys, url_words
from support import NoHistory, StubView, batch_of, html_page, text_page, write_project

Settings = ContextGraph.Settings


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES.added, ContextGraph.name, ContextGraph)


# -- graphs -----------------------------------------------------------------------------------------------


def grown(parents: Mapping[str, Sequence[str]], targets: Sequence[str], depth: int = 2, cap: int = 300) -> Graphs:
    async def ask(url: str) -> Sequence[str]:
        return parents.get(url, ())

    graphs = Graphs(depth)
    asyncio.run(graphs.grow(targets, ask, np.random.default_rng(1), cap))
    return graphs


def test_a_page_stands_once_for_each_link_to_a_node_and_only_in_its_smallest_layer() -> None:
    """a, b link to t; c to a and b; a to b; t to a. CFC-12: c stands there twice. CFC-13: a and t do not again."""
    graphs = grown({"t": ["a", "b"], "a": ["c", "t"], "b": ["c", "a"]}, ["t"])
    assert graphs.layers == [{"t": [0]}, {"a": [0], "b": [0]}, {"c": [0, 0]}]


def test_layers_of_all_graphs_are_merged_and_the_nearest_layer_counts() -> None:
    """s is a target, and a parent of the target t: layer 0 of graph 1 and layer 1 of graph 0 (CFC-15, CFC-16).
    x links to s alone: layer 2 of graph 0 and layer 1 of graph 1."""
    graphs = grown({"t": ["s"], "s": ["x"]}, ["t", "s"])
    assert graphs.layers == [{"t": [0], "s": [1]}, {"s": [0], "x": [1]}, {"x": [0]}]
    assert graphs.places() == {"t": {0: 1}, "s": {0: 1}, "x": {1: 1}}
    assert graphs.places(allow_conflict=True) == {"t": {0: 1}, "s": {0: 1, 1: 1}, "x": {1: 1, 2: 1}}


def test_a_layer_that_is_too_large_is_a_random_sample_that_repeats() -> None:
    parents = {"t": [f"p{number}" for number in range(50)]}
    one, two = grown(parents, ["t"], 1, cap=10), grown(parents, ["t"], 1, cap=10)
    assert one.layers == two.layers
    assert len(one.layers[1]) == 10
    assert list(one.layers[1]) != [f"p{number}" for number in range(10)]


def test_pages_of_a_merged_layer_are_capped_too() -> None:
    async def ask(url: str) -> Sequence[str]:
        return [f"{url}{number}" for number in range(9)]

    graphs = Graphs(1)
    fresh = asyncio.run(graphs.grow(["s", "t"], ask, np.random.default_rng(1), 300, 5))
    assert len(graphs.layers[1]) == len(fresh) == 5


# -- classifiers ------------------------------------------------------------------------------------------

VOCABULARY = ReducedVocabulary(np.array([1, 2], np.uint32), np.ones(2))


def terms(*ids: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(ids, np.uint32)


def model(form: Form = Form(), nodes: int = 1) -> LayerModel:  # noqa: B008
    """Layer 0: the page 1 1 2; layer 1: the page 2 2 2; layer 2: no page. |V| = 2, so by equation (4)
    P(1|0) = (1 + 2)/(2 + 3) = .6, P(2|0) = .4, P(1|1) = (1 + 0)/(2 + 3) = .2, P(2|1) = .8."""
    return LayerModel.train(VOCABULARY, [Sample(terms(1, 1, 2), 0), Sample(terms(2, 2, 2), 1, nodes)], 3, form)


def test_phrase_probabilities_are_those_of_equation_4() -> None:
    np.testing.assert_allclose(np.exp(model().logs[:, :2]), [[0.6, 0.2], [0.4, 0.8]])


def test_a_vocabulary_of_one_phrase_or_none() -> None:
    """|V| = 1: (1 + n)/(1 + n) = 1 in every layer; without a phrase no page has a layer."""
    one = ReducedVocabulary(np.array([1], np.uint32), np.ones(1))
    found = LayerModel.train(one, [Sample(terms(1, 1), 0), Sample(terms(1), 1)], 2, Form())
    np.testing.assert_allclose(np.exp(found.logs), [[1.0, 1.0]])
    nothing = ReducedVocabulary(np.array([], np.uint32), np.ones(0))
    assert LayerModel.train(nothing, [Sample(terms(1), 0)], 2, Form()).place(terms(1)) == (NO_LAYER, -math.inf)


def test_the_threshold_is_the_least_likelihood_in_training() -> None:
    """Per feature: layer 0 (log .6 + log .6 + log .4)/3, layer 1 log .8; raw: without the divisor (CFC-28, CFC-29)."""
    least = math.log(0.144)
    np.testing.assert_allclose(model().thresholds[:2], [least / 3, math.log(0.8)])
    np.testing.assert_allclose(model(Form(raw=True)).thresholds[:2], [least, 3 * math.log(0.8)])


def test_a_page_goes_to_the_best_layer_or_to_none() -> None:
    """1: .6 against .2, so layer 0, log .6 above its threshold. 1 2 2: .096 against .128, so layer 1, but
    log(.128)/3 = -.685 is below log .8 = -.223: other. No known phrase: other (CFC-27 to CFC-29)."""
    assert model().place(terms(1)) == (0, pytest.approx(math.log(0.6)))
    assert model().place(terms(1, 2, 2)) == (NO_LAYER, pytest.approx(math.log(0.128) / 3))
    assert model().place(terms(7, 8)) == (NO_LAYER, -math.inf)
    assert model().place(terms(2, 2)) == (1, pytest.approx(math.log(0.8)))


def test_raw_likelihoods_favour_short_pages() -> None:
    """Four times 2: raw 4 log .8 is below the 3 log .8 of the training page, per feature it is the same (CFC-29)."""
    assert model(Form(raw=True)).place(terms(2, 2, 2, 2))[0] == NO_LAYER
    assert model().place(terms(2, 2, 2, 2))[0] == 1


def test_a_phrase_may_count_once() -> None:
    """Then layer 0 is 1 2, layer 1 is 2: P(1|0) = 2/4, P(2|0) = 2/4, P(1|1) = 1/3, P(2|1) = 2/3; 1 1 1 2: 1/4, 2/9."""
    once = model(Form(occurrences=False))
    np.testing.assert_allclose(np.exp(once.logs[:, :2]), [[1 / 2, 1 / 3], [1 / 2, 2 / 3]])
    assert once.place(terms(1, 1, 1, 2))[0] == 0


def test_priors_are_equal_or_by_nodes() -> None:
    """Nine nodes of layer 1: P(2|1) = (1 + 27)/(2 + 27) = .966, P(1|1) = 1/29. 1 2: .24 against .0333; with priors .1
    and .9, .024 against .0300 (CFC-26). The empty layer 2 never wins."""
    assert model(Form(equal=True), nodes=9).place(terms(1, 2), 0)[1] == pytest.approx(math.log(0.24) / 2)
    by_size = model(Form(equal=False), nodes=9)
    np.testing.assert_allclose(by_size.priors, [math.log(0.1), math.log(0.9), -math.inf])
    assert by_size.place(terms(1, 2))[1] == pytest.approx(math.log(28 / 29 / 29) / 2)


def test_a_model_is_saved_exactly() -> None:
    saved = LayerModel.from_bytes(model().to_bytes())
    assert saved.to_bytes() == model().to_bytes()
    assert saved.place(terms(1)) == model().place(terms(1))


def test_likelihoods_are_squashed_in_order() -> None:
    assert squashed(-math.inf) == 0.0 < squashed(-1000.0) < squashed(-1.0) == 0.5 < squashed(0.0) < 1.0


# -- scores -----------------------------------------------------------------------------------------------

PAGES = {
    "http://e.test/known": "sailing boats regatta",
    "http://e.test/person": "skipper skipper crew biography",
    "http://e.test/list": "members club directory",
}
PARENTS = {"http://e.test/known": ["http://e.test/person"], "http://e.test/person": ["http://e.test/list"]}


def page_batch(url: str, text: str, relevance: float = 0.1) -> LinkBatch:
    return batch_of(html_page(f"<html lang=en><p>{text}</p> <a href=/a>x</a> <a href=/b>y</a>", url), relevance)


def asked_batch(url: str) -> LinkBatch:
    links = seed_links([url], keys([url]), [host(url)], url_words, LinkKind.BACKLINK)
    return Evidence(NoHistory()).batch(Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0), links, NO_LEAVES)


def visit(number: int, url: str, text: str, relevance: float = 0.1) -> Visit:
    found = Response(url, Outcome.OK, 200)
    batch = page_batch(url, text, relevance)
    return Visit(number, Link(asked_batch(url), 0, 1.0), found, None, None, relevance, relevance >= 0.5, 0, "", batch)


def view(**more: object) -> StubView:
    examples = [Example("http://e.test/known", 0, text_page(PAGES["http://e.test/known"]))]
    examples.append(Example("http://e.test/no", OTHER, text_page("weather and rain")))
    return StubView(examples, **{"parents": PARENTS, **more})  # type: ignore[arg-type]


def trained(settings: Settings | None = None, stub: StubView | None = None) -> tuple[ContextGraph, StubView]:
    """A strategy whose graphs were fetched: depth 2, words of all layers."""
    stub = stub or view()
    strategy = ContextGraph(settings or Settings(depth=2, vocabulary="all layers"))
    strategy.begin(stub)
    assert asyncio.run(strategy.consult()) is False
    for number, url in enumerate(("http://e.test/person", "http://e.test/list"), 1):
        stub.seen.append(visit(number, url, PAGES[url]))
        strategy.learn(stub.seen[-1])
    assert asyncio.run(strategy.consult()) is True
    return strategy, stub


def test_until_the_graphs_are_there_nothing_else_is_followed() -> None:
    strategy = ContextGraph()
    strategy.begin(view())
    assert np.isnan(strategy.score(page_batch("http://a.test/", "sailing"))).all()
    asked = asked_batch("http://e.test/person")
    assert (strategy.tier(asked), strategy.score(asked).tolist()) == (1, [TOP_OF_QUEUE])
    assert strategy.tier(page_batch("http://a.test/", "sailing")) == 0


def test_graphs_are_fetched_once_and_then_the_model_is_trained() -> None:
    strategy, stub = trained()
    assert stub.enqueued == [("http://e.test/person", ""), ("http://e.test/list", "")]
    assert [decision.kind for decision in stub.decisions] == ["context graph", "layer model"]
    assert dict(stub.decisions[0].facts) == {
        "graphs": 1, "layer 0": 1, "layer 1": 1, "layer 2": 1, "nodes": 3, "to fetch": 2,
    }  # fmt: skip
    facts = dict(stub.decisions[1].facts)
    assert facts.pop("threshold of layer 1") == pytest.approx((math.log(3 / 13) + math.log(2 / 13)) / 2, abs=1e-4)
    assert facts.pop("threshold of layer 0") == facts.pop("threshold of layer 2") == round(math.log(2 / 12), 4)
    sizes = {f"pages of layer {layer}": 1 for layer in range(3)}
    assert facts == {"phrases": 9, **sizes, "accuracy in training": 1.0}
    assert strategy.phase == CRAWLING
    assert asyncio.run(strategy.consult()) is False


@pytest.mark.parametrize(
    ("text", "relevance", "low"),
    [("weather", 0.9, 3), ("skipper crew", 0.1, 2), ("members club directory", 0.1, 1), ("weather", 0.25, 0)],
)
def test_the_queue_is_the_whole_part_of_the_score(text: str, relevance: float, low: int) -> None:
    """N + 1 = 3 less the layer; other pages 0 and their relevance (CFC-33)."""
    scores = trained()[0].score(page_batch("http://a.test/p", text, relevance))
    assert scores.tolist() == [scores[0]] * 2
    assert low < scores[0] < low + 1
    if relevance != 0.1:
        assert scores[0] == pytest.approx(low + TOP_OF_QUEUE * relevance)


def test_within_a_queue_the_likelier_page_comes_first() -> None:
    """skipper is twice on the page of layer 1, the others once (CFC-36)."""
    strategy = trained()[0]
    likelier, other = (strategy.score(page_batch("http://a.test/p", text)) for text in ("skipper", "skipper crew"))
    assert 2 < other[0] < likelier[0] < 3


def test_pages_that_are_almost_sure_keep_their_order() -> None:
    """Relevance is scaled into its queue, not cut: .9992 comes before .999, and 1 before both, below the next queue."""
    strategy = trained()[0]
    scores = [strategy.score(page_batch("http://a.test/p", "sailing", value))[0] for value in (1, 0.9992, 0.999)]
    assert 4 > scores[0] > scores[1] > scores[2] > 3


def test_the_starting_page_is_in_the_last_queue() -> None:
    links = seed_links(["http://a.test/"], keys(["http://a.test/"]), ["a.test"], url_words, LinkKind.SEED)
    source = Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0)
    assert 0 < trained()[0].score(Evidence(NoHistory()).batch(source, links, NO_LEAVES))[0] < 1


def test_the_model_of_layer_0_may_be_the_arbiter() -> None:
    strategy = trained(Settings(depth=2, vocabulary="all layers", layer0="model", other="likelihood"))[0]
    assert 3 < strategy.score(page_batch("http://a.test/p", "sailing boats", 0.0))[0] < 4
    assert strategy.score(page_batch("http://a.test/p", "weather", 0.9))[0] == 0.0


def test_targets_of_the_model_are_pages_of_layer_0_that_were_read() -> None:
    strategy = trained(Settings(depth=2, vocabulary="all layers", layer0="model"))[0]
    known, person = visit(3, "http://a.test/1", "sailing boats regatta"), visit(4, "http://a.test/2", "skipper", 0.9)
    failed = replace(known, response=Response("http://a.test/1", Outcome.FAILED, 404))
    found = (known, person, failed, replace(known, links=None))
    assert [strategy._is_target(one) for one in found] == [True, False, False, False]
    by_judge = trained()[0]
    assert [by_judge._is_target(one) for one in found] == [False, True, False, False]


def test_no_layer_is_beyond_the_last() -> None:
    assert model().place(terms(1), 3) == (NO_LAYER, -math.inf)
    assert model().place(terms(1), 2)[0] == NO_LAYER  # without pages
    assert model().place(terms(2, 2), 1)[0] == 1


def test_a_threshold_can_be_set_for_a_layer() -> None:
    settings = Settings(depth=2, vocabulary="all layers", thresholds={"1": 0.0})
    assert trained(settings)[0].score(page_batch("http://a.test/p", "skipper"))[0] == pytest.approx(0.0999)


def test_where_a_page_that_was_asked_for_redirects_to_is_fetched_too() -> None:
    """But not a page of the graphs, which is asked for anyway, nor where a page of the crawl redirects to."""
    strategy = ContextGraph(Settings(depth=2))
    strategy.begin(view())
    asyncio.run(strategy.consult())
    asked = Link(asked_batch("http://e.test/person"), 0, 1.0)
    found = Link(page_batch("http://a.test/", "sailing"), 0, 1.0)
    for link, target, tier in (
        (asked, "http://e.test/moved", 1), (asked, "http://e.test/list", 0), (found, "http://e.test/moved", 0),
    ):  # fmt: skip
        moved = Evidence(NoHistory()).of_redirect(link, target, 1)
        assert strategy.tier(moved) == tier
        assert strategy.score(moved).tolist() == ([TOP_OF_QUEUE] if tier else pytest.approx([math.nan], nan_ok=True))
    crawling = trained()[0]
    assert crawling.tier(Evidence(NoHistory()).of_redirect(asked, "http://e.test/moved", 1)) == 0


@pytest.mark.parametrize(
    ("settings", "fetched"), [({}, 4), ({"parents_per_page": 3}, 3), ({"layer_cap": 2}, 2), ({"merged_cap": 1}, 1)]
)
def test_how_many_parents_of_a_target_are_fetched(settings: Mapping[str, int], fetched: int) -> None:
    """Four pages link to the example."""
    stub = view(parents={"http://e.test/known": [f"http://p.test/{n}" for n in range(4)]})
    strategy = ContextGraph(Settings(depth=1, **settings))
    strategy.begin(stub)
    asyncio.run(strategy.consult())
    assert len(stub.enqueued) == len(strategy.graphs.layers[1]) == fetched


SAMPLES = [Sample(text_page(text).leaves.ids, layer, 1 + layer) for layer, text in enumerate(PAGES.values())]
"""The pages by layer: three terms each, skipper twice; one node, two and three."""


def of_samples(**settings: object) -> LayerModel:
    found = Trainer.of(Settings(depth=2, **settings), view()).model(SAMPLES)  # type: ignore[arg-type]
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("settings", "phrases"),
    [
        ({"vocabulary": "seeds"}, 3),
        ({"vocabulary": "layer 1"}, 6),
        ({"vocabulary": "all layers"}, 9),
        ({"vocabulary": "layer 1", "pairs": True}, 11),  # two more of three terms, three of four
        ({"vocabulary": "all layers", "max_vocab": 4}, 4),
    ],
)
def test_whose_words_the_vocabulary_is_made_of(settings: Mapping[str, object], phrases: int) -> None:
    assert len(of_samples(**settings).vocabulary) == phrases


def test_so_many_phrases_of_a_page_stay() -> None:
    """skipper weighs twice what crew and biography do: it alone stays, and its likelihood is that of the page."""
    person, skipper = (text_page(text).leaves.ids for text in (PAGES["http://e.test/person"], "skipper"))
    for keep, same in ((1, True), (0, False), (40, False)):
        whole, part = (of_samples(top_features=keep).likelihoods(terms) for terms in (person, skipper))
        assert whole is not None and part is not None
        assert np.allclose(whole, part) is same


def test_the_prior_of_a_layer_is_equal_or_by_its_nodes() -> None:
    """One node, two and three."""
    np.testing.assert_allclose(np.exp(of_samples(prior="equal").priors), [1 / 3] * 3)
    np.testing.assert_allclose(np.exp(of_samples(prior="sizes").priors), [1 / 6, 2 / 6, 3 / 6])


def test_the_threshold_is_a_quantile_of_the_likelihoods_of_a_layer() -> None:
    """Two pages of layer 0."""
    pages = [SAMPLES[0], Sample(text_page("sailing skipper").leaves.ids, 0)]
    for quantile, weights in ((0.0, (1, 0)), (0.25, (0.75, 0.25)), (1.0, (0, 1))):
        found = Trainer.of(Settings(depth=1, quantile=quantile), view()).model(pages)
        assert found is not None
        own = sorted(float(each[0]) for one in pages if (each := found.likelihoods(one.terms)) is not None)
        assert own[0] < own[1]
        assert found.thresholds[0] == pytest.approx(np.dot(weights, own))


def test_likelihoods_are_of_a_page_or_of_a_phrase_and_phrases_count_as_often_as_they_occur_or_once() -> None:
    """The page of layer 1 has four terms, three of them different."""
    for settings, phrases in (({}, 4), ({"occurrences": False}, 3)):
        raw, mean = (of_samples(raw=raw, **settings).likelihoods(SAMPLES[1].terms) for raw in (True, False))
        assert raw is not None and mean is not None
        np.testing.assert_allclose(raw, mean * phrases)


@pytest.mark.parametrize(("allow_conflict", "placed"), [(False, [(0, 1), (1, 1)]), (True, [(0, 1), (1, 1), (2, 2)])])
def test_a_page_counts_in_the_nearest_layer_or_in_all(allow_conflict: bool, placed: list[tuple[int, int]]) -> None:
    """The page is a parent of one target, and twice a grandparent of another."""
    graphs = Graphs(2, [{"http://e.test/known": [0]}, {"http://e.test/person": [0]}, {"http://e.test/person": [1, 1]}])
    trainer = Trainer.of(Settings(depth=2, allow_conflict=allow_conflict), view())
    seen = [visit(1, "http://e.test/person", "skipper")]
    assert [(one.layer, one.nodes) for one in trainer.samples(graphs, seen, lambda visit: False)] == placed


@pytest.mark.parametrize("targets", ["keep", "layer 0", "drop"])
def test_pages_of_outer_layers_that_are_targets(targets: str) -> None:
    """The list is a target itself: it stays in layer 2, counts in layer 0, or not at all."""
    stub, strategy = view(), ContextGraph(Settings(depth=2, targets=targets))
    strategy.begin(stub)
    asyncio.run(strategy.consult())
    stub.seen = [visit(1, "http://e.test/person", "skipper"), visit(2, "http://e.test/list", "members", 0.9)]
    asyncio.run(strategy.consult())
    assert strategy.model is not None
    assert strategy.model.sizes == {"keep": (1, 1, 1), "layer 0": (2, 1, 0), "drop": (1, 1, 0)}[targets]


def test_the_parents_of_every_target_are_asked_for_if_one_likes() -> None:
    strategy, stub = trained(Settings(depth=2, update="backlinks", backlinks_per_target=1))
    stub.parents["http://a.test/t"] = ["http://a.test/hub", "http://a.test/more"]
    assert not strategy.wants_to_consult()
    strategy.learn(visit(3, "http://a.test/t", "sailing", 0.9))
    assert strategy.wants_to_consult()
    assert asyncio.run(strategy.consult()) is False
    assert stub.enqueued[2:] == [("http://a.test/hub", "http://a.test/t")]
    assert not strategy.wants_to_consult()


def test_graphs_of_new_targets_are_built_every_few_sessions_if_one_likes() -> None:
    strategy, stub = trained(Settings(depth=2, update="rebuild", rebuild_sessions=2))
    stub.parents["http://a.test/t"] = ["http://a.test/hub"]
    stub.seen.append(visit(3, "http://a.test/t", "sailing", 0.9))
    assert strategy.adapt(Session(1, 1, 3, 3, 1, 3, 1)) is False
    assert not strategy.wants_to_consult()
    strategy.adapt(Session(2, 4, 6, 3, 1, 6, 1))
    assert strategy.wants_to_consult()
    asyncio.run(strategy.consult())
    assert stub.enqueued[2:] == [("http://a.test/hub", "")]
    stub.seen.append(visit(4, "http://a.test/hub", "skipper members"))
    assert strategy.adapt(Session(3, 7, 9, 3, 1, 9, 1)) is True
    assert strategy.model is not None
    assert strategy.model.sizes == (2, 2, 1)


def test_graphs_are_built_again_in_every_session_if_that_is_what_one_says() -> None:
    """Training what the last ones gave does not skip a session: graphs are due at 1, 2 and 3."""
    strategy, stub = trained(Settings(depth=2, update="rebuild", rebuild_sessions=1))
    for number in (1, 2, 3):
        stub.parents[f"http://a.test/t{number}"] = [f"http://a.test/hub{number}"]
        stub.seen.append(visit(2 + number, f"http://a.test/t{number}", "sailing", 0.9))
        assert strategy.adapt(Session(number, 1, 3, 3, 1, 3, 1)) is (number > 1)
        assert strategy.wants_to_consult()
        asyncio.run(strategy.consult())
        assert stub.enqueued[-1] == (f"http://a.test/hub{number}", "")


def test_a_search_finds_targets_when_no_example_has_back_links() -> None:
    """The query is made of the example's words; the hit that is relevant gets a context graph (CFC-42)."""
    stub = view(parents={"http://b.test/hit": ["http://b.test/hub"]})
    strategy = ContextGraph(Settings(depth=1))
    strategy.begin(stub)
    queries = strategy.trainer.queries(strategy.model)
    assert sorted(word[:4] for word in queries[0].split()) == ["boat", "rega", "sail"]  # forms that were seen first
    stub.hits = {queries[0]: ["http://b.test/hit", "http://b.test/miss"]}
    assert asyncio.run(strategy.consult()) is False
    assert strategy.phase == SEARCHING
    stub.seen = [visit(1, "http://b.test/hit", "sailing", 0.9), visit(2, "http://b.test/miss", "rain")]
    assert asyncio.run(strategy.consult()) is True
    assert strategy.phase == FETCHING
    assert stub.enqueued[2:] == [("http://b.test/hub", "")]
    facts = next(dict(one.facts) for one in stub.decisions if one.kind == "context graph: search")
    assert facts == {"queries": queries[0], "hits": 2}
    assert strategy.graphs.layers == [
        {"http://e.test/known": [0], "http://b.test/hit": [1]},
        {"http://b.test/hub": [1]},
    ]


def test_breadth_first_order_until_there_are_targets() -> None:
    """CFC-43: links score by depth until two targets were found, then their graphs are built."""
    stub = view(parents={"http://b.test/2": ["http://b.test/hub"]})
    strategy = ContextGraph(Settings(depth=1, bootstrap="breadth-first", min_targets=2))
    strategy.begin(stub)
    assert asyncio.run(strategy.consult()) is True
    assert strategy.phase == SPREADING
    assert stub.decisions[-1] == Decision("context graph: breadth-first", {"until targets": 2})
    shallow, deep = (batch_of(html_page("<a href=/a>x</a>"), 0.9 - depth / 10, depth) for depth in (1, 4))
    assert strategy.score(shallow)[0] > strategy.score(deep)[0]
    for number in (1, 2):
        assert not strategy.wants_to_consult()
        stub.seen.append(visit(number, f"http://b.test/{number}", "sailing", 0.9))
        strategy.learn(stub.seen[-1])
    assert strategy.wants_to_consult()
    assert asyncio.run(strategy.consult()) is True
    assert stub.enqueued == [("http://b.test/hub", "")]
    assert np.isnan(strategy.score(shallow)).all()
    assert asyncio.run(strategy.consult()) is True
    assert strategy.phase == CRAWLING


def test_without_back_links_and_bootstrap_the_order_is_by_relevance() -> None:
    strategy = ContextGraph(Settings(bootstrap="none"))
    strategy.begin(view(parents={}))
    assert asyncio.run(strategy.consult()) is True
    scores = [strategy.score(page_batch("http://a.test/", "rain", value))[0] for value in (0.8, 0.4, 0.2)]
    assert scores == pytest.approx([5.7992, 0.3996, 0.1998])


def test_graphs_that_were_fetched_before_are_not_waited_for() -> None:
    """As when a project is crawled again: the model is trained at once."""
    stub = view()
    stub.seen = [visit(n, url, PAGES[url]) for n, url in enumerate(("http://e.test/person", "http://e.test/list"), 1)]
    strategy = ContextGraph(Settings(depth=2))
    strategy.begin(stub)
    assert asyncio.run(strategy.consult()) is True
    assert strategy.phase == CRAWLING
    assert strategy.model is not None and strategy.model.sizes == (1, 1, 1)


def test_example_files_have_no_back_links() -> None:
    """Nobody is asked who links to a file."""
    stub = view()
    stub.examples = tuple(replace(one, url="good.html") for one in stub.examples)
    strategy = ContextGraph(Settings(depth=2, bootstrap="none"))
    strategy.begin(stub)
    asyncio.run(strategy.consult())
    assert (stub.asked, strategy.graphs.count) == (0, 0)


@pytest.mark.parametrize(("most", "built"), [(2, 2), (3, 3), (9, 3)])
def test_so_many_graphs_of_new_targets_are_built_at_a_time(most: int, built: int) -> None:
    """Three targets were found. Those drawn keep their order."""
    strategy, stub = trained(Settings(depth=2, update="rebuild", rebuild_sessions=1, rebuild_targets=most))
    urls = [f"http://a.test/{number}" for number in range(3)]
    stub.seen += [visit(3 + number, url, "sailing", 0.9) for number, url in enumerate(urls)]
    strategy.adapt(Session(1, 1, 3, 3, 1, 3, 1))
    asyncio.run(strategy.consult())
    found = [url for url in strategy.graphs.layers[0] if url in urls]
    assert len(found) == built and found == sorted(found)


def test_where_a_page_of_the_graphs_redirects_to_stands_for_it() -> None:
    stub = view()
    strategy = ContextGraph(Settings(depth=2))
    strategy.begin(stub)
    asyncio.run(strategy.consult())
    asked = Link(asked_batch("http://e.test/person"), 0, 1.0)
    moved = Evidence(NoHistory()).of_redirect(asked, "http://e.test/moved", 1)
    first = replace(visit(1, "http://e.test/person", ""), links=moved)
    first = replace(first, response=Response("http://e.test/person", Outcome.REDIRECT, 301))
    stub.seen = [first, visit(2, "http://e.test/moved", "skipper"), visit(3, "http://e.test/other", "skipper")]
    asyncio.run(strategy.consult())
    assert strategy.model is not None and strategy.model.sizes == (1, 1, 0)


def test_with_another_depth_the_layers_are_learned_anew() -> None:
    strategy, stub = trained()
    for depth, phase, layers in ((2, CRAWLING, 3), (3, FETCHING, 4), (1, FETCHING, 2)):
        other = ContextGraph(Settings(depth=depth, vocabulary="all layers"))
        other.begin(stub)
        other.restore(strategy.state())
        assert (other.phase, len(other.graphs.layers)) == (phase, layers)
        asyncio.run(other.consult())
        assert other.model is not None and len(other.model.sizes) == depth + 1


@pytest.mark.parametrize("learned", [0, 1, 2, 3])
def test_a_restored_strategy_goes_on_alike(learned: int) -> None:
    """The state after so many steps, then the same later steps, give the same scores and the same state."""

    def steps(strategy: ContextGraph, stub: StubView, first: int, last: int) -> None:
        for step in range(first, last):
            if step in (0, 2):
                asyncio.run(strategy.consult())
            if step == 1:
                stub.seen += [visit(number, url, PAGES[url]) for number, url in enumerate(PAGES, 1)]
            if step == 3:
                strategy.learn(visit(9, "http://a.test/t", "sailing", 0.9))

    settings = Settings(depth=2, update="backlinks")
    whole, stopped, resumed = (ContextGraph(settings) for _ in range(3))
    one, two = view(), view()
    for strategy, stub in ((whole, one), (stopped, two), (resumed, two)):
        strategy.begin(stub)
    steps(whole, one, 0, 4)
    steps(stopped, two, 0, learned)
    resumed.restore(stopped.state())
    steps(resumed, two, learned, 4)
    assert whole.state() == resumed.state()
    batch = page_batch("http://a.test/p", "skipper crew")
    np.testing.assert_array_equal(whole.score(batch), resumed.score(batch))


def test_explains_queue_and_likelihoods() -> None:
    strategy = trained()[0]
    parts = strategy.explain(page_batch("http://a.test/p", "skipper crew"), 0)
    assert parts[0].startswith("context-graph: it stands on http://a.test/p, in queue 1 (layer 1)")
    assert [part.split(":")[0] for part in parts[1:]] == ["layer 0", "layer 1", "layer 2"]


def test_explanations_say_where_a_link_stands() -> None:
    """In each phase, and for every kind of page."""
    strategy = ContextGraph(Settings(depth=2, vocabulary="all layers", bootstrap="breadth-first"))
    strategy.begin(view(parents={}))
    batch = page_batch("http://a.test/p", "skipper crew")
    assert strategy.explain(batch, 0) == ["context-graph: waits until the context graphs are fetched"]
    asked = asked_batch("http://e.test/person")
    (said,) = strategy.explain(asked, 0)
    assert said == "context-graph: fetched at once, for it links to a page of the context graphs"
    (said,) = strategy.explain(replace(asked, source=replace(asked.source, url="http://a.test/t")), 0)
    assert said == "context-graph: fetched at once, for it links to http://a.test/t"
    asyncio.run(strategy.consult())
    assert strategy.explain(batch, 0) == ["context-graph: breadth-first until there are graphs; depth 2"]
    strategy = trained(Settings(depth=3, vocabulary="all layers", expand_graphs=False))[0]
    links = seed_links(["http://a.test/"], keys(["http://a.test/"]), ["a.test"], url_words, LinkKind.SEED)
    source = Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0)
    seed = Evidence(NoHistory()).batch(source, links, NO_LEAVES)
    assert strategy.explain(seed, 0) == ["context-graph: a seed, so it is in queue 4"]
    assert strategy.explain(page_batch("http://a.test/p", "rain", 0.3), 0) == [
        "context-graph: it stands on http://a.test/p, in queue 4 (other pages) with 0.300",
        "no phrase of the vocabulary stands on that page",
    ]
    known = strategy.explain(page_batch("http://e.test/person", "skipper"), 0)
    assert known[0].endswith("in queue 5 (pages of the graphs) with 0.000")
    assert [part.partition(":")[0] for part in known[1:]] == ["layer 0", "layer 1", "layer 2"]  # none of layer 3


def test_explanations_give_likelihoods_and_thresholds() -> None:
    """|V| = 9. Layer 1: skipper twice, crew, biography, so (1 + 2)/(9 + 4) and 2/13; layers 0 and 2: 1/12 each.
    Thresholds: one page a layer, log(2/12), (2 log(3/13) + 2 log(2/13))/4 and log(2/12)."""
    found = trained()[0].explain(page_batch("http://a.test/p", "skipper crew"), 0)
    own, other = (math.log(3 / 13) + math.log(2 / 13)) / 2, math.log(1 / 12)
    assert found[1:] == [
        f"layer 0: log-likelihood {other:.3f}, threshold {math.log(2 / 12):.3f}",
        f"layer 1: log-likelihood {own:.3f}, threshold {own:.3f}",
        f"layer 2: log-likelihood {other:.3f}, threshold {math.log(2 / 12):.3f}",
    ]
    assert found[0].endswith(f"(layer 1) with {1 / (1 - own):.3f}")


def test_wrong_choices_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"\] update: 'often' is none of: none, rebuild, backlinks"):
        make("context-graph", {"update": "often"})
    with pytest.raises(ConfigError, match="there is no layer '7'"):
        make("context-graph", {"thresholds": {"7": -3.0}})


def test_scoring_the_links_of_a_page_is_quick() -> None:
    """60 links on a page of 1,200 words, at most half a millisecond of CPU; the least of five tries."""
    strategy = trained()[0]
    words = " ".join(f"skipper{number % 300} crew club" for number in range(400))
    batch = batch_of(html_page(f"<p>{words}" + "".join(f"<a href=/{n}>link {n}</a>" for n in range(60))), 0.1)
    tries = []
    for _ in range(5):
        started = time.process_time()
        for _ in range(20):
            strategy.score(batch)
        tries.append((time.process_time() - started) / 20)
    assert min(tries) < 0.0005


# -- the order of a crawl ---------------------------------------------------------------------------------

PERSON, LIST, OTHER_TEXT = "skipper skipper crew biography", "members club directory", "weather rain"
SITE = {
    "known": ("sailing", ""),
    "person": (PERSON, "known"),
    "list": (LIST, "person"),
    "index": ("portal", "o l p t"),
    "o": (OTHER_TEXT, "o1 o2"),
    "l": (LIST, "l1 l2"),
    "p": (PERSON, "p1 p2"),
    "t": ("sailing", "t1 t2"),
    "t1": (OTHER_TEXT, ""),
    "t2": ("skipper", "u1"),
    "u1": (OTHER_TEXT, ""),
    "p1": ("sailing", "v1"),
    "p2": (OTHER_TEXT, ""),
    "v1": (OTHER_TEXT, ""),
    "l1": ("skipper skipper crew", "w1"),
    "l2": (OTHER_TEXT, ""),
    "w1": (OTHER_TEXT, ""),
    "o1": ("sailing", "x1"),
    "o2": (OTHER_TEXT, ""),
    "x1": (OTHER_TEXT, ""),
}
"""Name: text, links. known is the example; person leads to it, list to person. Depth 2: four queues."""

ORDER = "person list known index o l p t t1 t2 u1 p1 p2 v1 l1 l2 w1 o1 o2 x1"
"""person, list        the graph is fetched: layers 1 and 2
known                  person waits in queue 1 now: the page it links to; then list in queue 2, which links to person
index                  the start, alone in queue 3; all its links: o l p t
t                      queue 0: t1 t2; then queue 1 holds p and t2, queue 2 l, queue 3 o and t1
t2                     queue 1, likelier than p (skipper is the commonest word of layer 1): u1
p                      queue 1: p1 p2
p1                     a target, so queue 0 comes before the rest: v1
l                      queue 2: l1 l2
l1                     queue 1 again: w1
o                      queue 3: o1 o2
o1                     queue 0: x1"""


def site(folder: Path, extra: str = "") -> Path:
    mirror = folder / "mirror" / "a.test"
    mirror.mkdir(parents=True, exist_ok=True)
    for name, (text, links) in SITE.items():
        anchors = " ".join(f"<a href={link}.html>x</a>" for link in links.split())
        (mirror / f"{name}.html").write_text(f"<html lang=en><p>{text} {anchors}", encoding="utf-8")
    edges = folder / "edges.tsv"
    pairs = [("person", "known"), ("list", "person")]
    edges.write_text("".join(f"http://a.test/{a}.html\thttp://a.test/{b}.html\n" for a, b in pairs), encoding="utf-8")
    settings = "\n".join(
        (
            f'[project]\nweb = "folder:{mirror.parent}"\n[strategy]\nname = "context-graph"',
            '[strategy.context-graph]\ndepth = 2\nvocabulary = "all layers"\n' + extra,
            '[judge]\nname = "keywords"\n[interest.keywords]\nsailing = 1.0',
            '[crawl]\ncontact = "me@example.org"\nworkers = 0\nsession_pages = 4',
            f'[providers.backlinks]\nkind = "edgelist"\npath = "{edges}"\n',
        )
    )
    found = write_project(folder / "p", ["http://a.test/index.html"], settings=settings)
    (found / "relevant.txt").write_text("http://a.test/known.html\n", encoding="utf-8")
    return found


def order(folder: Path) -> list[str]:
    store = Project(folder).open_store(read_only=True)
    names = [row.url.rpartition("/")[2].removesuffix(".html") for row in store.visits.rows()]
    store.close()
    return names


def decided(folder: Path) -> list[Decision]:
    store = Project(folder).open_store(read_only=True)
    found = [row.decision for row in store.journal.decisions()]
    store.close()
    return found


def test_the_order_of_the_paper(tmp_path: Path) -> None:
    folder = site(tmp_path)
    Project(folder).crawl()
    assert order(folder) == ORDER.split()


def test_pages_of_the_graphs_may_come_last(tmp_path: Path) -> None:
    """Then the start is the only page that waits (CFC-34)."""
    folder = site(tmp_path, "expand_graphs = false\n")
    Project(folder).crawl()
    assert order(folder) == [*ORDER.replace("known ", "").split(), "known"]


def test_without_graphs_it_is_the_papers_focused_crawler(tmp_path: Path) -> None:
    """CFC-46: of the pages read, that which the judge likes best is expanded, and all its children are fetched: t, and
    of the pages about something else the first, o. o1 is about sailing, but o2 is fetched before its x1."""
    folder = site(tmp_path, 'bootstrap = "none"\n')
    (tmp_path / "edges.tsv").write_text("http://b.test/a.html\thttp://b.test/b.html\n", encoding="utf-8")
    Project(folder).crawl()
    assert " ".join(order(folder)) == "index o l p t t1 t2 o1 o2 x1 l1 l2 p1 p2 v1 u1 w1"


@pytest.mark.parametrize("update", ["none", "rebuild", "backlinks"])
def test_stops_change_nothing(tmp_path: Path, update: str) -> None:
    """Stopped after every visit, in the middle of back-crawling too."""
    extra = f'update = "{update}"\nrebuild_sessions = 2\n'
    whole, parts = site(tmp_path / "1", extra), site(tmp_path / "2", extra)
    Project(whole).crawl()
    for budget in range(1, len(ORDER.split()) + 1):
        Project(parts).crawl(max_pages=budget)
    Project(parts).crawl()
    assert order(whole) == order(parts)
    assert [one.kind for one in decided(whole)] == [one.kind for one in decided(parts)]
