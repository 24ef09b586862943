"""A small web for demonstrations: one topic on some forty hosts, part of it behind tunnels."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clew.web.simulated.parameters import SimParameters
from clew.web.simulated.web import SimulatedWeb

PAGES = 3_000
PARAMETERS = SimParameters(
    branching=3, depth=2, pages_per_host=66, host_locality=0.9, out_degree=28, locality=0.7, navigation=0.05,
    island_hosts=2, tunnels=0.5, tunnel_length=2,
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
    """3,000 pages on 45 hosts and 9 topics; 10 relevant and 20 irrelevant examples, 5 seeds that are
    all off the topic, a link away from it at least.

    The topic is the first one that has an isolated island, or the first one if there is none.
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
