"""Simulated webs as tasks, with presets named for what they contain; the truth is the simulation's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from clew.errors import InputError
from clew.lab.tasks import Task, write, write_labels
from clew.urls.canonical import canonical
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
DISTANCES = (1, 0, 2, 3)
"""How far start pages may lie from the topic, the usual distance first."""
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
    topic = web.topics(level_of(web, preset))[0]
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
        budget=budget or budget_of(pages),
        seeds=web.seeds(5, topic, 1) if preset != "flat" else web.seeds(5, topic),
        truth=topic,
        positive=web.examples(10, topic),
        negative=web.examples(30, topic, relevant=False),
    )
    return out


def level_of(web: SimulatedWeb, preset: str) -> int:
    """The level of the topic that a task on the web wants."""
    return min(web.parameters.depth, 2 if web.pages >= SMALL and preset not in BROAD else 1)


def budget_of(pages: int) -> int:
    """Fetches of a task on a web of so many pages."""
    return max(min(pages // 20, 5_000), 20)


def task_of(
    name: str, web: SimulatedWeb, topic: str, *, starts: int, distance: int, positive: int, negative: int, budget: int
) -> Task:
    """A task on a simulated web, without files: its numbers of start pages (``distance`` links from the topic, or at
    homes about it with 0) and examples. Raises InputError where the web has too few such pages."""
    seeds = _canonical(web.seeds(starts, topic, distance))
    good = _canonical(web.examples(positive, topic))
    bad = _canonical(web.examples(negative, topic, relevant=False))
    truth = frozenset(_canonical(web.relevant(topic)))
    return Task(
        name=name,
        path=Path(name),
        web=web.spec,
        closed=True,
        budget=budget,
        seeds=seeds,
        positive=good,
        negative=bad,
        relevant=truth - {*seeds, *good, *bad},
        truth=truth,
        wanted=(topic,),
    )


def another(task: Task, repeat: int) -> Task | None:
    """The task on the web whose seed is ``repeat`` higher: the topic at the same place of its tree, as many start pages
    as far from it, as many examples. None for a task on another kind of web, that was not made by this rule, or that is
    told in words: those of a topic are others on each web."""
    if not task.web.startswith("sim:") or len(task.wanted) != 1 or task.keywords:
        return None
    web, topic = parse_spec(task.web), task.wanted[0]
    level = topic.count("/") + 1
    if level > web.parameters.depth or topic not in web.topics(level):
        return None
    distance = next((far for far in DISTANCES if _starts(web, topic, far, len(task.seeds)) == task.seeds), None)
    if distance is None:
        return None
    other = SimulatedWeb(web.pages, web.seed + repeat, web.parameters)
    return task_of(
        task.name,
        other,
        other.topics(level)[web.topics(level).index(topic)],
        starts=len(task.seeds),
        distance=distance,
        positive=len(task.positive),
        negative=len(task.negative),
        budget=task.budget,
    )


def _starts(web: SimulatedWeb, topic: str, distance: int, n: int) -> tuple[str, ...]:
    try:
        return _canonical(web.seeds(n, topic, distance))
    except InputError:
        return ()


def _canonical(urls: Iterable[str]) -> tuple[str, ...]:
    return tuple(canonical(url) for url in urls)
