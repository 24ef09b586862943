"""The decision log in sentences."""

from __future__ import annotations

import pytest

from clew.export.marks import KINDS, RETRAINED, mark_of
from clew.export.telling import sentence
from clew.model import Decision

FOCUS = {"session": 3, "precision": 0.05, "precision_total": 0.3, "from": "boats", "to": "boats", "steps": 1}


@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        ("judge adopted", {"labels": 0, "held_back": 0}, "the judge learned from its examples"),
        (
            "judge adopted",
            {"labels": 2, "held_back": 5, "archetypes": 1, "learned_from": "50 pages of the crawl",
             "estimated_precision": 0.9, "estimated_low": 0.8, "estimated_high": 1.0, "loss_without": 0.5,
             "loss_with": 0.25},
            "the judge learned from 2 labels and 1 archetype and 50 pages of the crawl (loss 0.250, 0.500 before, on 5 "
            "pages held back); of what it calls relevant, it expects 0.90 (0.80 to 1.00) to be so",
        ),
        (
            "judge refused", {"labels": 1, "held_back": 1, "loss_without": 0.1, "loss_with": 0.2},
            "the judge stays as it is: with 1 label it did worse (loss 0.200, 0.100 before, on 1 page held back)",
        ),
        ("focus at the top", FOCUS, "the focus cannot be widened any more: boats (0.050 of session 3 was relevant, "
                                    "0.300 of all so far)"),
        ("stopped", {"by": "a user", "times": 2}, "a user stopped the crawl, and gave up what was under way"),
        ("blocked", {"by": "a user", "entry": ".b.example", "links": 1}, "a user blocked .b.example: 1 waiting link "
                                                                         "left the frontier"),
        ("nothing answers", {"reason": "no route"}, "nothing answered: no route"),
        ("bingo trained", {"refused": "too few"}, "the judge was not trained again: too few"),
        ("bingo trained", {"archetypes": 3}, "the judge was trained again: archetypes 3"),
        ("never heard of", {}, "never heard of"),
        ("never heard of", {"a_b": 1.23456789, "c": "x_y"}, "never heard of: a b 1.2346, c x_y"),
    ],
)  # fmt: skip
def test_a_decision_is_told(kind: str, facts: dict[str, str | int | float | bool], said: str) -> None:
    assert sentence(Decision(kind, facts)) == said


@pytest.mark.parametrize(
    "kind", ["judge adopted", "judge refused", "focus generalised", "stopped", "blocked", "paused"]
)
def test_what_another_version_wrote_is_told_as_it_is(kind: str) -> None:
    assert sentence(Decision(kind, {"else": "x"})) == f"{kind}: else x"
    assert sentence(Decision(kind)) == kind


def test_marks_are_of_known_kinds() -> None:
    marked = {kind: mark_of(kind) for kind in (*RETRAINED, "paused", "blocked", "focus specialised", "nothing answers")}
    assert set(marked.values()) <= KINDS.keys()
    assert all(marked.values())
    assert mark_of("never heard of") == ""
