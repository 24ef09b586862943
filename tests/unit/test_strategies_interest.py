"""What is wanted, as strategies see it: topics below the wanted ones, topics wanted together, topics that are not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from clew.judges.base import Judge, JudgeContext
from clew.judges.reference import Reference
from clew.model import OTHER, Example, Judgement, Link, Outcome, Page, Response, Session, Visit
from clew.strategies.bingo.retraining import Topics
from clew.strategies.context_graph import FETCHING, SEARCHING, SPREADING, ContextGraph
from clew.strategies.tunnelling import Tunnelling
from clew.topics.entry import Entry
from clew.topics.interest import Interest
from clew.topics.tree import TopicTree
from support import StubView, batch_of, html_page, text_page

PATHS = ("Sport", "Sport/Sailing", "Sport/Chess", "Places", "Places/Rügen", "Jobs")
TREE = TopicTree.of(Entry(tuple(path.split("/")), f"http://e.test/{n}") for n, path in enumerate(PATHS))
SESSION = Session(1, 1, 3, 3, 1, 3, 1)

TEXTS = {
    1: "sailing boats regatta",
    2: "chess gambit opening",
    4: "chalk cliffs island",
    5: "vacancy salary office",
    OTHER: "taxes ministers parliament",
}
BOTH = "sailing boats regatta chalk cliffs island"


class Words(Judge):
    """A topic has the score 0.9 where a page holds the last word of its example, else 0.1; those above it too."""

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        return [self._judge(page) for page in pages]

    def _judge(self, page: Page) -> Judgement:
        held = set(page.leaves.ids.tolist())
        scores = np.full(len(PATHS), 0.1, np.float32)
        for topic, text in TEXTS.items():
            if topic != OTHER and text_page(text.split()[-1]).leaves.ids[0] in held:
                scores[[topic, *(place for place, path in enumerate(PATHS) if PATHS[topic].startswith(path))]] = 0.9
        return Judgement(scores, int(scores.argmax()), 0.5)


def example(topic: int, text: str = "", url: str = "") -> Example:
    return Example(url or f"http://e.test/of{topic}", topic, text_page(text or TEXTS[topic]))


EXAMPLES = tuple(example(topic) for topic in TEXTS)


def view(text: str, *more: Example) -> StubView:
    """Whose examples all have a parent; the interest is ``text``."""
    examples = (*EXAMPLES, *more)
    return StubView(
        examples,
        Interest.of(TREE, text, 0.5),
        TREE,
        Words(JudgeContext()),
        {one.url: [f"{one.url}/hub"] for one in examples},
    )


def begun(stub: StubView, **settings: object) -> ContextGraph:
    strategy = ContextGraph(ContextGraph.Settings(depth=1, **settings))  # type: ignore[arg-type]
    strategy.begin(stub)
    asyncio.run(strategy.consult())
    return strategy


def visited(url: str, *, relevant: bool) -> Visit:
    """A visit to a page of its own."""
    batch = batch_of(html_page("<a href=/a>x</a>", url), 0.9)
    judgement = Judgement(np.full(len(PATHS), 0.9, np.float32), 1, 0.5)
    return Visit(1, Link(batch, 0, 0.5), Response(url, Outcome.OK), None, judgement, 0.9, relevant, 0, "", batch)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("sailing", [1]),
        ("sport", [1, 2]),  # an inner topic: the examples of all below it
        ("", [1, 2, 4, 5]),  # no formula: any topic of the first level
        ("sport or jobs", [1, 2, 5]),
        ("sport and not chess", [1]),
        ("not sport", [4, 5]),
    ],
)
def test_context_graphs_are_those_of_all_examples_below_what_is_wanted(text: str, targets: list[int]) -> None:
    strategy = begun(view(text))
    assert list(strategy.graphs.layers[0]) == [f"http://e.test/of{topic}" for topic in targets]
    assert strategy.phase == FETCHING and strategy.model is not None


def test_of_topics_that_are_wanted_together_only_examples_that_seem_to_be_about_both_are_targets() -> None:
    both = example(4, BOTH, "http://e.test/both")
    stub = view("sailing and ruegen", both)
    strategy = begun(stub)
    assert list(strategy.graphs.layers[0]) == [both.url]
    assert [one.url for one in strategy.trainer.examples] == [both.url]


def test_without_an_example_of_topics_that_are_wanted_together_a_search_asks_for_words_of_both() -> None:
    """The examples of A alone and of B alone are no targets; of each the same number of words is asked for."""
    stub = view("sailing and ruegen")
    strategy = ContextGraph(ContextGraph.Settings(depth=1))
    strategy.begin(stub)
    (query,) = strategy.trainer.queries(strategy.model)
    words = [word[:4] for word in query.split()]  # the forms that were seen first
    assert [sum(word in TEXTS[topic] for word in words) for topic in (1, 4)] == [2, 2]
    stub.hits = {query: ["http://b.test/hit"]}
    asyncio.run(strategy.consult())
    assert strategy.phase == SEARCHING and stub.enqueued == [("http://b.test/hit", "")]


def test_words_of_an_inner_topic_are_those_of_all_below_it() -> None:
    """Its own examples are none; chess is asked for as well as sailing, by four words in all, two of them for jobs."""
    strategy = begun(view("sport and jobs"), bootstrap="none")
    (query,) = strategy.trainer.queries(strategy.model)
    words = [word[:4] for word in query.split()]
    assert "Sport" not in query and sum(word in TEXTS[5] for word in words) == 2
    assert sum(word in TEXTS[1] + TEXTS[2] for word in words) == 2


def test_without_a_target_the_languages_are_those_of_all_examples() -> None:
    """Which words are rare is looked up in general text of these languages."""
    page = replace(text_page("segeln boote regatta"), language="de")
    stub = view("sailing and ruegen")
    stub.examples = tuple(replace(one, page=page) for one in stub.examples)
    strategy = begun(stub, bootstrap="none")
    assert not strategy.trainer.examples
    term = text_page("boote").leaves.ids
    found, german, english = strategy.trainer._reference, Reference.shipped(["de"]), Reference.shipped([])
    assert found.df_of(term) == german.df_of(term) != english.df_of(term)


def test_a_topic_without_examples_is_asked_for_by_its_name() -> None:
    stub = view("sailing and ruegen")
    stub.examples = tuple(one for one in stub.examples if one.topic != 4)
    strategy = ContextGraph(ContextGraph.Settings(depth=1))
    strategy.begin(stub)
    (query,) = strategy.trainer.queries(strategy.model)
    assert query.split()[-1] == "Rügen" and len(query.split()) == 3


def test_until_a_target_is_found_pages_go_by_the_judge() -> None:
    """No target among the examples and nobody to search: breadth-first, and queue 0 is the judge's to fill."""
    strategy = begun(view("sailing and ruegen"), bootstrap="breadth-first", layer0="model")
    assert strategy.phase == SPREADING and strategy.model is None
    found = visited("http://b.test/1", relevant=True), visited("http://b.test/2", relevant=False)
    assert [strategy._is_target(one) for one in found] == [True, False]
    strategy = begun(view("sailing and ruegen"), bootstrap="none", layer0="model")
    scores = [strategy.score(batch_of(html_page("<a href=/a>x</a>"), value))[0] for value in (0.8, 0.3)]
    assert scores == pytest.approx([2.0 + 0.999 * 0.8, 0.999 * 0.3])


# -- tunnelling -------------------------------------------------------------------------------------------


def nuggets(text: str, *pages: tuple[float, ...]) -> dict[str, int]:
    """Nuggets by collection, of pages with these scores."""
    stub = view(text)
    strategy = Tunnelling()
    strategy.begin(stub)
    for scores in pages:
        place, correlation = strategy._nearest(np.array(scores, np.float32))
        if correlation >= 0.5:
            strategy._nuggets[place] += 1
    strategy.adapt(SESSION)
    facts = stub.decisions[-1].facts
    return {name.removeprefix("nuggets of "): int(n) for name, n in facts.items() if name.startswith("nuggets of ")}


def test_collections_are_the_alternatives_of_the_interest() -> None:
    sailing, island, both = (0.9, 0.9, 0, 0.1, 0.1, 0), (0.1, 0.1, 0, 0.9, 0.9, 0), (0.8, 0.8, 0, 0.7, 0.7, 0)
    pages = (sailing, sailing, island, both)
    assert nuggets("sailing or ruegen", *pages) == {"Sport/Sailing": 3, "Places/Rügen": 1}
    assert nuggets("sailing and ruegen", *pages) == {"Sport/Sailing and Places/Rügen": 1}
    assert nuggets("sport", *pages) == {"Sport": 3}
    assert nuggets("", *pages) == {"Sport": 3, "Places": 1, "Jobs": 0}


def test_the_paths_of_joined_topics_end_where_one_of_them_is_missing() -> None:
    """With cutoff 0 links of duds are not followed: .9 of sailing does not make up for .1 of Rügen."""
    strategy = Tunnelling(Tunnelling.Settings(cutoff=0.0))
    strategy.begin(view("sailing and ruegen"))
    assert strategy._nearest(np.array((0.9, 0.9, 0, 0.1, 0.1, 0), np.float32)) == (0, pytest.approx(0.1))
    assert "nearest collection is Sport/Sailing and Places/Rügen, correlation 0.100" in strategy._named(
        np.array((0.9, 0.9, 0, 0.1, 0.1, 0), np.float32)
    )


# -- bingo ------------------------------------------------------------------------------------------------


def test_bingo_learns_topics_below_the_wanted_ones_but_for_the_excluded() -> None:
    topics = Topics.of(view("sport and not chess"))
    assert topics.taught == (1,)
    assert [topics.class_of(topic) for topic in (1, 2, 4)] == [1, OTHER, OTHER]
    assert Topics.of(view("")).taught == (1, 2, 4, 5)


def test_with_one_topic_its_examples_are_the_targets() -> None:
    strategy = ContextGraph(ContextGraph.Settings(depth=1))
    strategy.begin(StubView([Example("http://e.test/0", 0, text_page("sailing")), example(OTHER)]))
    assert [one.url for one in strategy.trainer.examples] == ["http://e.test/0"]
