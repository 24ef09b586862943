"""An interest: its formula's value, exclusion afterwards, the threshold from examples, and who shares pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from clew.errors import ConfigError, InputError, TrainingError
from clew.judges.hierarchy import Hierarchy
from clew.model import OTHER, Example, Judgement, Page
from clew.topics.entry import Entry
from clew.topics.interest import Interest, semantics_of
from clew.topics.tree import TopicTree
from support import page_of_terms

PATHS = ("Sport", "Sport/Sailing", "Sport/Chess", "Places", "Places/Rügen", "Jobs")
TREE = TopicTree.of(Entry(tuple(path.split("/")), f"http://a.test/{n}") for n, path in enumerate(PATHS))


def judged(*scores: float) -> Judgement:
    return Judgement(np.array(scores, np.float32), int(np.argmax(scores)), 1.0)


def test_a_conjunction_is_as_relevant_as_its_weaker_part() -> None:
    interest = Interest.of(TREE, "sailing and ruegen", 0.5)
    assert interest.topics == PATHS and interest.wanted == 1 and interest.wanted_topics == (1, 4)
    both = judged(0.9, 0.9, 0.1, 0.6, 0.6, 0.0)
    assert interest.relevance(both) == pytest.approx(0.6) and interest.relevant(0.6, both)
    assert not interest.relevant(0.4, both)
    product = Interest.of(TREE, "sailing and ruegen", 0.5, semantics=semantics_of("product"))
    assert product.relevance(both) == pytest.approx(0.54)


def test_what_is_negated_is_excluded_afterwards() -> None:
    """ARI-19: relevance is that of sailing; a page considerably about jobs is left out."""
    interest = Interest.of(TREE, "sailing and not jobs", 0.5, exclude_from=0.7)
    fine, out = judged(1, 0.8, 0, 0, 0, 0.69), judged(1, 0.8, 0, 0, 0, 0.71)
    assert interest.relevance(fine) == interest.relevance(out) == pytest.approx(0.8)
    assert interest.relevant(0.8, fine) and not interest.relevant(0.8, out)
    texts = [text for text, _ in interest.steps(out)]
    assert texts == ["Sport/Sailing", "excluded from 0.7 on: Jobs"]


def test_without_a_formula_any_topic_of_the_first_level_is_wanted() -> None:
    interest = Interest.of(TREE, "  ", 0.5)
    assert interest.wanted_topics == (0, 3, 5) and interest.together == ()
    assert interest.relevance(judged(0.2, 0.2, 0, 0.7, 0.1, 0.3)) == pytest.approx(0.7)


def test_the_least_relevant_start_page_sets_the_threshold() -> None:
    """ARI-18: the smallest strictly positive relevance; an error when none is positive."""
    interest = Interest.of(TREE, "sailing", 0.0)
    pages = [judged(0, score, 0, 0, 0, 0) for score in (0.9, 0.0, 0.3, 0.5)]
    assert interest.measured_by(pages).threshold == pytest.approx(0.3)
    with pytest.raises(TrainingError, match="no start page has a positive relevance"):
        interest.measured_by(pages[1:2])


def test_start_pages_that_are_excluded_do_not_set_the_threshold() -> None:
    interest = Interest.of(TREE, "sailing and not jobs", 0.0, exclude_from=0.7)
    pages = [judged(0, 0.9, 0, 0, 0, 0.1), judged(0, 0.2, 0, 0, 0, 0.8)]
    assert interest.measured_by(pages).threshold == pytest.approx(0.9)
    with pytest.raises(TrainingError, match="start page"):
        interest.measured_by(pages[1:])


@pytest.mark.parametrize(
    ("text", "wanted", "concerned"),
    [
        ("sailing", [1], [1]),
        ("sport", [0, 1, 2], [0, 1, 2]),
        ("", [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]),
        ("sailing and ruegen", [], [1, 4]),
        ("sport and sailing", [1], [0, 1, 2]),
        ("(sport or places) and not chess", [0, 1, 3, 4], [0, 1, 3, 4]),
        ("sailing and ruegen or jobs", [5], [1, 4, 5]),
        ("not sport", [3, 4, 5], [3, 4, 5]),
        ("sailing and not (sailing and jobs)", [1], [1]),
    ],
)
def test_what_a_page_of_a_topic_is_to_an_interest(text: str, wanted: list[int], concerned: list[int]) -> None:
    """Wanted for its topic alone, or perhaps, with another one; topics that lie below are as those above them."""
    interest = Interest.of(TREE, text, 0.5)
    assert [topic for topic in range(6) if interest.wants(topic)] == wanted
    assert [topic for topic in range(6) if interest.concerns(topic)] == concerned
    assert not interest.wants(OTHER) and not interest.concerns(OTHER)
    assert interest.wanted == concerned[0]


def test_a_topic_is_not_below_one_whose_name_its_own_begins_with() -> None:
    interest = Interest(("Sport", "Sports", "Sport/Golf"))
    assert [interest.is_below(topic, 0) for topic in range(3)] == [True, False, True]


def test_examples_that_are_targets() -> None:
    """Jobs are wanted as they are; of sailing and Rügen only pages that seem to be both, which are judged."""
    interest = Interest.of(TREE, "sailing and ruegen or jobs", 0.5)
    pages = [page_of_terms([], [number]) for number in range(6)]
    examples = [Example(f"http://a.test/{n}", topic, pages[n]) for n, topic in enumerate((1, 4, 5, OTHER, 2, 1))]
    asked: list[int] = []

    def judge(some: Sequence[Page]) -> list[Judgement]:
        asked.extend(int(page.leaves.ids[0]) for page in some)
        return [judged(0, 0.6, 0, 0, 0.6 if page is pages[5] else 0.4, 0) for page in some]

    assert [one.url[-1] for one in interest.targets(examples, judge)] == ["2", "5"]
    assert asked == [0, 1, 5]


def test_alternatives_and_their_values() -> None:
    scores = np.array([[0, 0.9, 0, 0, 0.4, 0.3], [0, 0.2, 0, 0, 0.8, 0.0]])
    either = Interest.of(TREE, "sailing and ruegen or jobs", 0.5)
    np.testing.assert_allclose(either.values(scores), [[0.4, 0.3], [0.2, 0.0]])
    product = Interest.of(TREE, "sailing and ruegen", 0.5, semantics=semantics_of("product"))
    np.testing.assert_allclose(product.values(scores), [[0.36], [0.16]])


def test_topics_joined_by_and_are_no_evidence_against_each_other() -> None:
    """Sailing (1) and Rügen (4) share pages, and so do Sport (0) and Places (3); jobs (5) shares them with both."""
    interest = Interest.of(TREE, "sailing and ruegen and not jobs", 0.5)
    assert set(interest.together) == {(1, 4), (1, 5), (4, 5)}
    tree = Hierarchy.of(PATHS, interest.together)
    against = {
        path: [PATHS[k] for k in np.flatnonzero(row[:-1])] for path, row in zip(PATHS, tree.outside, strict=True)
    }
    assert against["Sport/Sailing"] == ["Sport", "Sport/Chess"]
    assert against["Places/Rügen"] == ["Places"], "pages about any sport may be about Rügen too"
    assert against["Sport"] == [] and against["Sport/Chess"] == [
        "Sport",
        "Sport/Sailing",
        "Places",
        "Places/Rügen",
        "Jobs",
    ]
    assert tree.outside[:, OTHER].all()
    assert Hierarchy.of(PATHS).outside[1].tolist() == [True, False, True, True, True, True, True]


def test_wrong_interests_are_refused() -> None:
    with pytest.raises(InputError, match="did you mean"):
        Interest.of(TREE, "saling", 0.5)
    with pytest.raises(ConfigError, match="no topics"):
        Interest.of(TopicTree(), "", 0.5)
    empty = TopicTree.of([Entry(("Sport", "Sailing"), "http://a.test/1"), Entry(("Void",))])
    with pytest.raises(InputError, match="Void is empty"):
        Interest.of(empty, "sailing or void", 0.5)


def test_weights_count_with_every_semantics_or_are_refused() -> None:
    """Products: weights ¾ and ¼ of .8 and .2: ½·.8 + ½·.16 = .48; without weights .16. Least of the parts: .5."""
    page = judged(0.0, 0.8, 0.0, 0.0, 0.2, 0.0)

    def relevance(name: Literal["product", "weighted"], *weights: float) -> float:
        interest = Interest.of(TREE, "sailing and ruegen", 0.5, semantics=semantics_of(name, weights))
        return interest.relevance(page)

    assert relevance("product") == pytest.approx(0.16)
    assert relevance("product", 3, 1) == pytest.approx(0.48)
    assert relevance("weighted", 3, 1) == pytest.approx(0.5)
    with pytest.raises(InputError, match='weights are set, but semantics = "possibilistic" has none'):
        semantics_of("possibilistic", (3.0, 1.0))
