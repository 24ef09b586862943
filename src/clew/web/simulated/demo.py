"""A small web in English for demonstrations: twelve topics on a hundred hosts, part of each behind tunnels."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clew.web.simulated.parameters import SimParameters
from clew.web.simulated.web import SimulatedWeb

PAGES = 4_000
PARAMETERS = SimParameters(
    language="english", branching=12, depth=1, pages_per_host=40, host_locality=0.9, out_degree=28, locality=0.7,
    navigation=0.05, island_hosts=2, tunnels=0.5, tunnel_length=2, url_informative=0.8,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Demo:
    """A web and an interest in it. The examples are URLs of its pages."""

    web: SimulatedWeb
    topic: str
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    seeds: tuple[str, ...]


def demo_web(seed: int = 1, port: int = 80) -> Demo:
    """4,000 pages on 96 hosts and 12 topics; 10 relevant and 20 irrelevant examples, 5 seeds that are
    all off the topic, a link away from it at least.

    The web's shape was chosen so that best-first and breadth-first differ clearly: how much they differ here says
    nothing about other webs. The topic is the first one that has an isolated island, or the first one if there is none.
    """
    parameters = replace(PARAMETERS, port=port)
    web = SimulatedWeb(PAGES, seed, parameters)
    topic = next((topic for topic in web.topics() if _has_tunnel(web, topic)), web.topics()[0])
    return Demo(
        web,
        topic,
        tuple(web.examples(10, topic)),
        tuple(web.examples(20, topic, relevant=False)),
        tuple(web.seeds(5, topic, distance=1)),
    )


def _has_tunnel(web: SimulatedWeb, topic: str) -> bool:
    """Whether some page about the topic is on an isolated island."""
    return any(web.truth(url).isolated for url in web.examples(40, topic))
