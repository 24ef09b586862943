"""Simulated webs as tasks, with presets named for what they contain; the truth is the simulation's own."""

from __future__ import annotations

from pathlib import Path

from clew.errors import InputError
from clew.lab.tasks import write, write_labels
from clew.web.simulated import parse_spec

PRESETS: dict[str, dict[str, float]] = {
    "topical": {"locality": 0.8, "tunnels": 0.0},
    "tunnels": {"tunnels": 0.8, "tunnel_length": 4},
    "hubs": {"hubs": 0.2, "locality": 0.4, "tunnels": 0.0},
    "flat": {
        "locality": 0.0,
        "host_locality": 0.0,
        "tunnels": 0.0,
        "anchor_informative": 0.0,
        "context_informative": 0.0,
        "url_informative": 0.0,
    },
    "layers": {"layers": 1.0, "decoys": 0.75, "tunnels": 0.0},
    "traps": {"traps": 0.3, "tunnels": 0.0},
    "encyclopedia": {
        "tunnels": 0.0,
        "locality": 0.2,
        "host_locality": 0.4,
        "same_host": 0.3,
        "out_degree": 24,
        "degree_spread": 0.95,
        "topic_words": 0.18,
        "hubs": 0.02,
        "navigation": 0.02,
        "anchor_informative": 1.0,
    },
    "campus": {
        "tunnels": 0.0,
        "pages_per_host": 20,
        "host_locality": 0.75,
        "same_host": 0.7,
        "out_degree": 8,
        "degree_spread": 1.5,
        "hubs": 0.02,
        "navigation": 0.0,
    },
}
"""Parameters that differ from the defaults. topical: links mostly stay on the topic. tunnels: islands behind off-topic
pages. hubs: many pages that list pages of their topic. flat: nothing about a link tells where it leads. layers: papers
that only home pages, lists of people and persons' pages lead to, among decoys. traps: hosts with URLs without end.
encyclopedia, campus: similarity along links as in a collected encyclopedia and in collected sites of universities, with
the bounds and exceptions of docs/simulated.md."""

BROAD = ("layers",)
"""Presets whose tasks want a topic of the first level: what is learned is the way, not the topic."""

LABELS = "labels.tsv"
SMALL = 20_000
"""Webs of fewer pages get a topic of the first level: narrower ones would have too few pages."""


def simulate(preset: str, pages: int, seed: int, out: Path, budget: int = 0) -> Path:
    """Write the task file ``out`` and its labels beside it; returns ``out``.

    ``budget`` 0: a twentieth of the pages, 5,000 at most. Raises InputError for an unknown preset or a web too small.
    """
    if preset not in PRESETS:
        raise InputError(f"there is no preset {preset!r}; choose one of: {', '.join(PRESETS)}")
    values = "".join(f",{name}={value:g}" for name, value in PRESETS[preset].items())
    spec = f"sim:pages={pages},seed={seed}{values}"
    web = parse_spec(spec)
    topic = web.topics(min(web.parameters.depth, 2 if pages >= SMALL and preset not in BROAD else 1))[0]
    labels = out.with_name(f"{out.stem}.{LABELS}")
    out.parent.mkdir(parents=True, exist_ok=True)
    urls = (web.url_of(number) for number in range(web.pages))
    write_labels(labels, topic, (url for url in urls if web.truth(url).relevant_to(topic)))
    write(
        out,
        f"A simulated web, preset {preset}; wanted: pages about {topic}.",
        name=f"sim-{preset}-{web.pages}-{web.seed}",
        web=spec,
        labels=labels.name,
        budget=budget or _budget(pages),
        seeds=web.seeds(5, topic, 1) if preset != "flat" else web.seeds(5, topic),
        truth=topic,
        positive=web.examples(10, topic),
        negative=web.examples(30, topic, relevant=False),
    )
    return out


def _budget(pages: int) -> int:
    return max(min(pages // 20, 5_000), 20)
