"""A web computed from a seed: hosts, topics, links and texts are functions of the URL, so any size opens at once."""

from clew.web.simulated.demo import Demo, demo_web
from clew.web.simulated.parameters import SimParameters, describe
from clew.web.simulated.starting import StartingPoints, starting_points
from clew.web.simulated.web import PageKind, PageTruth, SimPage, SimulatedWeb, parse_spec
from clew.web.simulated.world import SimulatedWorld

__all__ = [
    "Demo", "PageKind", "PageTruth", "SimPage", "SimParameters", "SimulatedWeb",
    "SimulatedWorld", "StartingPoints", "demo_web", "describe", "parse_spec", "starting_points",
]  # fmt: skip
