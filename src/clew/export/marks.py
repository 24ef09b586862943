"""What the decision log tells of the turns that a crawl took: the flags beside its harvest curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from clew.crawl.patience import OUTAGE, OUTAGE_OVER
from clew.export.telling import sentence
from clew.store.records import DecisionRow

WIDENED, NARROWED, TRAINED, ARCHETYPES, FOUND, DOWN, UP, PAUSED, STEERED = (
    "widened", "narrowed", "trained", "archetypes", "found", "outage", "back", "paused", "steered",
)  # fmt: skip

KINDS: Final[Mapping[str, str]] = {
    WIDENED: "the strategy looks further afield",
    NARROWED: "the strategy looks closer again",
    TRAINED: "the judge or the strategy learned",
    ARCHETYPES: "pages of the crawl were taken as archetypes",
    FOUND: "the strategy found what it looked for",
    DOWN: "nothing answered",
    UP: "the web answered again",
    PAUSED: "paused or resumed",
    STEERED: "a user pushed, dropped or blocked something, or stopped the crawl",
}
"""The kinds of marks, and what they mean."""

RETRAINED: Final = frozenset({"judge adopted", "bingo trained"})
"""Decisions after which pages of the crawl may be judged again."""

_MARKED: Final[Mapping[str, str]] = {
    "focus generalised": WIDENED,
    "focus at the top": WIDENED,
    "nothing relevant is near: links are followed further": WIDENED,
    "bingo tunnels deeper": WIDENED,
    "context graph: breadth-first": WIDENED,
    "focus specialised": NARROWED,
    "relevant links are near again": NARROWED,
    "judge adopted": TRAINED,
    "bingo trained": TRAINED,
    "apprentice trained": TRAINED,
    "ache trained": TRAINED,
    "layer model": TRAINED,
    "bingo archetypes": ARCHETYPES,
    "bingo harvests": FOUND,
    "community found": FOUND,
    "paused": PAUSED,
    "resumed": PAUSED,
    "stopped": STEERED,
    "pushed": STEERED,
    "dropped": STEERED,
    "blocked": STEERED,
    "unblocked": STEERED,
    OUTAGE: DOWN,
    OUTAGE_OVER: UP,
}
"""Kinds of decisions that are worth a flag; the others stand in the log only."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A turn of a crawl: after which visit, of which of ``KINDS``, in words."""

    visit: int
    kind: str
    text: str


def mark_of(kind: str) -> str:
    """The kind of mark of a kind of decision; "" where it is none."""
    return _MARKED.get(kind, "")


def marks(decisions: Iterable[DecisionRow]) -> list[Mark]:
    """The marks among decisions, in their order."""
    return [Mark(row.visit, kind, sentence(row.decision)) for row in decisions if (kind := mark_of(row.decision.kind))]
