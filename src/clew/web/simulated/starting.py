"""Where to start in a simulated web and what to look for, when nobody says."""

from __future__ import annotations

from dataclasses import dataclass

from clew.web.simulated.web import SimulatedWeb

SMALL = 20_000
"""Webs of fewer pages get a topic of the first level: narrower ones would have too few pages."""


@dataclass(frozen=True, slots=True)
class StartingPoints:
    """A topic of a simulated web, 5 seeds on it, 10 relevant and 30 irrelevant example pages."""

    topic: str
    seeds: tuple[str, ...]
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]


def starting_points(web: SimulatedWeb) -> StartingPoints:
    """The first topic of a simulated web, so that there is something to try."""
    topic = web.topics(min(web.parameters.depth, 2 if web.pages >= SMALL else 1))[0]
    relevant, irrelevant = web.examples(10, topic), web.examples(30, topic, relevant=False)
    return StartingPoints(topic, tuple(web.seeds(5, topic)), tuple(relevant), tuple(irrelevant))
