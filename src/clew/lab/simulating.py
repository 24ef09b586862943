"""Simulated webs as tasks, with presets named for what they contain; the truth is the simulation's own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from clew.errors import InputError
from clew.web.simulated import SimulatedWeb, parse_spec

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
}
"""Parameters that differ from the defaults. topical: links mostly stay on the topic. tunnels: islands behind off-topic
pages. hubs: many pages that list pages of their topic. flat: nothing about a link tells where it leads."""

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
    topic = web.topics(min(web.parameters.depth, 2 if pages >= SMALL else 1))[0]
    labels = out.with_name(f"{out.stem}.{LABELS}")
    out.parent.mkdir(parents=True, exist_ok=True)
    labels.write_text("url\tlabel\tgroup\n" + "".join(_rows(web, topic)), encoding="utf-8")
    out.write_text(_text(preset, spec, web, topic, labels.name, budget or _budget(pages)), encoding="utf-8")
    return out


def _budget(pages: int) -> int:
    return max(min(pages // 20, 5_000), 20)


def _rows(web: SimulatedWeb, topic: str) -> Iterable[str]:
    urls = (web.url_of(number) for number in range(web.pages))
    return (f"{url}\t{topic}\t-\n" for url in urls if web.truth(url).relevant_to(topic))


def _text(preset: str, spec: str, web: SimulatedWeb, topic: str, labels: str, budget: int) -> str:
    seeds = web.seeds(5, topic, 1) if preset != "flat" else web.seeds(5, topic)
    return (
        f"# A simulated web, preset {preset}; wanted: pages about {topic}.\n"
        f'name = "sim-{preset}-{web.pages}-{web.seed}"\nweb = {json.dumps(spec)}\nlabels = {json.dumps(labels)}\n'
        f"budget = {budget}\nseeds = {_list(seeds)}\n\n[truth]\nlabels = [{json.dumps(topic)}]\n\n"
        f"[examples]\npositive = {_list(web.examples(10, topic))}\n"
        f"negative = {_list(web.examples(30, topic, relevant=False))}\n"
    )


def _list(urls: Iterable[str]) -> str:
    lines = "".join(f"  {json.dumps(url)},\n" for url in urls)
    return f"[\n{lines}]"
